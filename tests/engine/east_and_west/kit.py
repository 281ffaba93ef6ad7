"""Positions for the rule tests: a board from a few words, and orders as lines of notation.

position = state("poland ussr 3 infantry 1 armor", "west-germany we 2 infantry")
position = play(position, "ussr", "move poland west-germany 3 infantry")
done = order(position, "ussr", "done", faces=[1, 6, 6, 2, 5])
assert units(done.state, "west-germany") == "ussr 3 infantry 1 armor"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from engine.chance import ScriptedDice, SealedDice
from engine.core import Dice, GameError, IllegalAction, Language, Option, Seat, Step
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group, Load, Power, Stop, Turn, Variant
from engine.east_and_west.data.arsenal import Category, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS, USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import merged
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.refusals import exactly

GAME = EastAndWest()
CASH = 50
"""What every power of a position has unless told otherwise."""


# --- building -------------------------------------------------------------------------------------


def groups(words: str) -> tuple[str, list[Group]]:
    """`poland ussr 3 infantry 1 armor`: a space and what stands there, of one owner or several.

    `2 armor!spent` has a mark, `2 armor*1` has used a movement point, and
    `1 transport[2 infantry+1 armor]` has cargo of the same owner; no blank inside the brackets
    except between number and kind.
    """
    space, *rest = _tokens(words)
    assert space in atlas().spaces, f"no space {space}"
    found: list[Group] = []
    owner = ""
    while rest:
        if not rest[0].isdigit():
            owner = rest.pop(0)
            continue
        count, kind = int(rest.pop(0)), rest.pop(0)
        found.append(_group(owner, count, kind))
    return space, found


def _tokens(words: str) -> list[str]:
    """Split at blanks outside brackets."""
    parts: list[str] = [""]
    depth = 0
    for letter in words:
        depth += (letter == "[") - (letter == "]")
        if letter == " " and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


def _group(owner: str, count: int, words: str) -> Group:
    kind, _, cargo = words.partition("[")
    kind, *marks = kind.split("!")
    kind, _, used = kind.partition("*")
    return Group(
        owner,
        kind,
        count,
        used=int(used or 0),
        marks=tuple(sorted(marks)),  # type: ignore[arg-type]
        cargo=tuple(sorted(_load(owner, part) for part in cargo.rstrip("]").split("+") if part)),
    )


def _load(owner: str, words: str) -> Load:
    """`2 infantry`, or `uk 2 infantry` of somebody else."""
    *whose, count, kind = words.split()
    return Load(whose[0] if whose else owner, kind, int(count))


def standing_units(placements: Iterable[str]) -> dict[str, tuple[Group, ...]]:
    found: dict[str, list[Group]] = {}
    for words in placements:
        space, placed = groups(words)
        found.setdefault(space, []).extend(placed)
    return {space: merged(placed) for space, placed in found.items()}


def board(
    *placements: str,
    power: str = USSR,
    stop: Stop = "operations",
    round: int = 1,
    owners: Mapping[str, str] | None = None,
    held: Mapping[str, str] | None = None,
    homes: Mapping[str, str] | None = None,
    factories: Iterable[str] | None = None,
    cash: Mapping[str, int] | None = None,
    techs: Mapping[str, Mapping[Category, int]] | None = None,
    spies: Mapping[str, int] | None = None,
    hand: Mapping[str, Mapping[str, int]] | None = None,
    influence: Mapping[str, int] | None = None,
    variant: Variant | None = None,
    turn: Mapping[str, Any] | None = None,
    **changes: Any,
) -> Board:
    """A board with the printed owners and factories and only the units that are named.

    `owners` changes who holds lands, `held` who held them when the turn began (as `owners` if
    nothing is said); `techs` are counters from 0 to 6; `turn` are further fields of the turn.
    Whatever else a board has goes by its name.
    """
    lands = {key: space.owner for key, space in atlas().spaces.items() if space.is_land}
    printed = {land for land in lands if atlas().spaces[land].factory}
    now = {**lands, **(owners or {})}
    before = {**now, **(held or {})}
    built = tuple(sorted(printed if factories is None else factories))
    return Board(
        variant=variant or Variant(),
        round=round,
        turn_number=4 * (round - 1) + POWERS.index(Seat(power)) + 1,
        turn=Turn(
            power=Seat(power),
            stop=stop,
            owners=before,
            factories=tuple(land for land in built if before[land] == power),
            levies=tuple(sorted(land for land in before if before[land] == power)),
            **(turn or {}),
        ),
        owners=now,
        homes={**{land: o for land, o in lands.items() if o in POWERS}, **(homes or {})},
        factories=built,
        units=standing_units(placements),
        powers={
            seat: Power(
                cash=(cash or {}).get(seat, CASH),
                research=dict((techs or {}).get(seat, {})),
                spies=(spies or {}).get(seat, 0),
                hand=dict((hand or {}).get(seat, {})),
            )
            for seat in POWERS
        },
        influence={
            **{key: alliance.start for key, alliance in atlas().alliances.items()},
            **(influence or {}),
        },
        **changes,
    )


def state(
    *placements: str, standing: Mapping[str, Standing] | None = None, **changes: Any
) -> State:
    """A match at such a board, the USSR in its operations unless told otherwise."""
    orders = {Seat(seat): said for seat, said in (standing or {}).items()}
    return State(board(*placements, **changes), standing=orders)


def new_match(faces: Sequence[int] = (), **setup: str) -> State:
    """A match as it begins."""
    return GAME.new_game(setup, ScriptedDice(faces)).state


def course(position: State, faces: Sequence[int] = ()) -> Course:
    """For calling a rule by itself."""
    return Course(position, ScriptedDice(faces))


# --- orders ---------------------------------------------------------------------------------------


class Script(ScriptedDice):
    """Scripted dice that know what is left and remember what was asked."""

    def __init__(self, faces: Sequence[int]) -> None:
        super().__init__(faces)
        self.asked: list[tuple[str, tuple[int, ...]]] = []

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        assert why not in [said for said, _ in self.asked], f"'{why}' is rolled twice in one order"
        faces = super().roll(sides, count, why)
        self.asked.append((why, faces))
        return faces

    @property
    def left(self) -> list[int]:
        return self._faces


def order(
    position: State,
    seat: str,
    line: str,
    faces: Sequence[int] | None = None,
    dice: Dice | None = None,
) -> Step[State]:
    """One order; every scripted face must be rolled, and the outcome be sound and survive storing.

    Without faces no die may fall.
    """
    script = SealedDice() if faces is None else Script(faces)
    before = GAME.dump(position)
    done = GAME.apply(position, Seat(seat), GAME.parse(line), dice or script)
    assert GAME.dump(position) == before, "the state that was handed in has changed"
    if dice is None and isinstance(script, Script):
        assert script.left == [], f"{script.left} were not rolled; rolled: {script.asked}"
    assert GAME.check(done.state) == []
    assert GAME.load(GAME.dump(done.state)) == done.state
    return done


def play(position: State, seat: str, *lines: str, faces: Sequence[int] | None = None) -> State:
    """Several orders; the faces are for the last of them."""
    for line in lines[:-1]:
        position = order(position, seat, line).state
    return order(position, seat, lines[-1], faces).state


def refuses(
    position: State,
    seat: str,
    line: str,
    message: str,
    error: type[GameError] = IllegalAction,
) -> None:
    """The seat may not give this order, and is told so in exactly these words."""
    with pytest.raises(error, match=exactly(message)) as caught:
        GAME.apply(position, Seat(seat), GAME.parse(line), SealedDice())
    assert type(caught.value) is error


def room(land: str, built: int, raised: int) -> str:
    """9.2, 9.3: how an order to place more than a land can take is refused."""
    return f"{land} has room for units from its factory: {built}, raised infantry: {raised}"


# --- looking --------------------------------------------------------------------------------------


def told(done: Step[State], seat: str | None = None, language: Language = "en") -> list[str]:
    """What a seat, or a spectator, hears of a step."""
    reader = None if seat is None else Seat(seat)
    return [GAME.say(e.text, language) for e in done.events if e.heard_by(reader)]


def units(position: State | Board, space: str, owner: str | None = None) -> str:
    """What stands in a space, without marks and cargo: `ussr 3 infantry 1 armor we 1 fighter`.

    Owners by their names, kinds in the order of units.toml.
    """
    there = _board(position).at(space)
    counts: dict[tuple[str, str], int] = {}
    for group in there:
        if owner is None or group.owner == owner:
            key = group.owner, group.kind
            counts[key] = counts.get(key, 0) + group.count
    words: list[str] = []
    last = owner
    printed = list(kinds())
    for (whose, kind), number in sorted(
        counts.items(), key=lambda item: (item[0][0], printed.index(item[0][1]))
    ):
        if whose != last:
            words.append(whose)
            last = whose
        words.append(f"{number} {kind}")
    return " ".join(words)


def marked(position: State | Board, space: str) -> list[Group]:
    """The groups of a space as they are."""
    return list(_board(position).at(space))


def owner(position: State | Board, land: str) -> str:
    return _board(position).owners[land]


def cash(position: State | Board, power: str) -> int:
    return _board(position).powers[Seat(power)].cash


def income(position: State | Board, power: str) -> int:
    return queries.income(_board(position), Seat(power))


def waiting(position: State) -> Seat:
    (seat,) = GAME.waiting_on(position)
    return seat


def words(position: State, seat: str, *prefix: str) -> list[str]:
    """The next words of an order that are offered."""
    return [option.word for option in GAME.options(position, Seat(seat), prefix)]


def labels(position: State, seat: str, *prefix: str) -> list[str]:
    return [GAME.say(option.label) for option in GAME.options(position, Seat(seat), prefix)]


def lines(position: State, seat: str, *prefix: str) -> Iterator[str]:
    """Every order that is offered after a prefix, as notation."""
    for option in GAME.options(position, Seat(seat), prefix):
        path = (*prefix, option.word)
        if option.action is None:
            yield from lines(position, seat, *path)
        else:
            yield " ".join(path)


def leaf(position: State, seat: str, line: str) -> Option[Any]:
    """The leaf with that notation, or it is not offered."""
    *prefix, last = line.split()
    for option in GAME.options(position, Seat(seat), tuple(prefix)):
        if option.word == last and option.action is not None:
            return option
    pytest.fail(f"'{line}' is not offered")


def _board(position: State | Board) -> Board:
    return position.board if isinstance(position, State) else position
