"""What a player should know before deciding: what threatens, then money, technologies, bombs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.abilities import Chapter
from engine.core import Name, Param, Seat, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.briefing.threats import Threat, threats
from engine.east_and_west.data.arsenal import ARMOR, BOMBS, FIGHTER, INFANTRY, counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.draw.narrate import known_steps, research
from engine.east_and_west.view import View

TOLD, WORTH_TELLING = 8, 0.05
"""Threats that have a line each, and from which chance on."""
BOUGHT = (INFANTRY, ARMOR, FIGHTER)
SURE = 0.995


def situation(view: View) -> tuple[Chapter, ...]:
    """For each power of the reader."""
    own = view.powers
    return tuple(
        chapter for power in own for chapter in _of(view.board, power, is_only=len(own) == 1)
    )


def _of(board: Board, power: Seat, is_only: bool) -> Iterator[Chapter]:
    """Whoever holds several powers is told which one is meant."""
    named = {"power": POWER_NAMES[power]}
    threatened = tuple(_threats(board, power))
    if is_only:
        yield Chapter(Text("Threats before your next turn"), threatened)
        yield Chapter(Text("Your means"), tuple(_means(board, power)))
    else:
        yield Chapter(Text("{power}: threats before its next turn", named), threatened)
        yield Chapter(Text("{power}: its means", named), tuple(_means(board, power)))


# --- threats --------------------------------------------------------------------------------------


def _threats(board: Board, power: Seat) -> Iterator[Text]:
    """A line for each land that may be lost; the others in one."""
    found = threats(board, power)
    grave = [threat for threat in found if threat.chance >= WORTH_TELLING]
    for threat in grave[:TOLD]:
        yield _threat(threat)
    if more := grave[TOLD:]:
        yield Text("In danger, too: {lands}.", {"lands": tuple(map(_with_chance, more))})
    if slight := [threat for threat in found if threat.chance < WORTH_TELLING]:
        yield Text("Can be attacked, but hardly be lost: {lands}.", {"lands": _lands(slight)})
    safe = sum(owner == power for owner in board.owners.values()) - len(found)
    if found and safe:
        yield Text("No danger for {safe:the other land|the other # lands}.", {"safe": safe})
    elif not found:
        yield Text("No enemy can reach a land of yours.")


def _threat(threat: Threat) -> Text:
    params: dict[str, Param] = {
        "land": _name(threat.land),
        "power": POWER_NAMES[threat.foe],
        "units": _listed(threat),
        "percent": percent(threat.chance),
    }
    if not threat.is_held:
        return Text("{land}, without units: {power} can bring {units}.", params)
    if threat.is_exact:
        return Text("{land}: {power} can bring {units}; chance to take it {percent}.", params)
    return Text("{land}: {power} can bring {units}; chance to take it about {percent}.", params)


def _listed(threat: Threat) -> tuple[Name, ...]:
    order = sorted(threat.units.items(), key=lambda item: (-kinds()[item[0]].cost, item[0]))
    return tuple(counted(kind, number) for kind, number in order)


def _with_chance(threat: Threat) -> Name:
    name, chance = _name(threat.land), percent(threat.chance)
    return Name(f"{name.en} {chance.en}", f"{name.de} {chance.de}", f"{name.fr} {chance.fr}")


def _lands(among: Sequence[Threat]) -> tuple[Name, ...]:
    return tuple(_name(threat.land) for threat in among)


def _name(space: str) -> Name:
    return atlas().spaces[space].names


def percent(chance: float) -> Name:
    """Nothing is quite certain that dice decide."""
    if chance > SURE:
        return Name(">99%", ">\u00a099\u00a0%", ">\u00a099\u00a0%")
    said = f"{100 * chance:.0f}"
    return Name(f"{said}%", f"{said}\u00a0%", f"{said}\u00a0%")


# --- means ----------------------------------------------------------------------------------------


def _means(board: Board, power: Seat) -> Iterator[Text]:
    own = board.powers[power]
    yield from _mobilisation(board, power)
    money: dict[str, Param] = {"cash": own.cash, "income": queries.income(board, power)}
    if affordable := _affordable(board, power, own.cash):
        money["units"] = affordable
        yield Text("{cash} IPC, enough for {units}; income {income} IPC a turn.", money)
    else:
        yield Text("{cash} IPC; income {income} IPC a turn.", money)
    known = known_steps(board, power)
    yield Text(
        "{power}, technologies: {known}.",
        {"power": POWER_NAMES[power], "known": known or Text("none")},
    )
    yield from research(board, power)
    bombs = {kind: _count(board, power, kind) for kind in BOMBS}
    arms = tuple(counted(kind, number) for kind, number in bombs.items() if number)
    if arms:
        yield Text("Bombs: {bombs}.", {"bombs": arms})
    if own.spies:
        yield Text("Spies: {spies}.", {"spies": own.spies})


def _mobilisation(board: Board, power: Seat) -> Iterator[Text]:
    """2.5: money beside the treasury, which has to wait."""
    fund = board.turn.fund if board.turn.power == power else 0
    affordable = _affordable(board, power, fund)
    if affordable:
        yield Text(
            "Now, for the mobilisation: {fund} IPC, enough for {units}. What is left stays in your "
            "treasury.",
            {"fund": fund, "units": affordable},
        )


def _affordable(board: Board, power: Seat, cash: int) -> Name | None:
    """So many of one kind or of another."""
    numbers = {kind: cash // queries.price(board, power, kind) for kind in BOUGHT}
    names = [counted(kind, number) for kind, number in numbers.items() if number]
    if not names:
        return None
    return Name(
        _either([name.en for name in names], "or"),
        _either([name.de for name in names], "oder"),
        _either([name.fr for name in names], "ou"),
    )


def _either(words: Sequence[str], or_: str) -> str:
    *first, last = words
    return f"{', '.join(first)} {or_} {last}" if first else last


def _count(board: Board, power: Seat, kind: str) -> int:
    return sum(
        group.count
        for groups in board.units.values()
        for group in groups
        if group.owner == power and group.kind == kind
    )
