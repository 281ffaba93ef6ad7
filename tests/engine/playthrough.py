"""One recorded match of each game: every observable at every step, compared line by line.

Of East & West, whose trees of options are large, the orders of stand-in players, what happened,
and a summary of every turn.

Write the files anew after a change of rules or words, and read the difference:
python -m tests.engine.playthrough
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engine.chance import QuickDice
from engine.core import LANGUAGES, Event, Seat
from engine.east_and_west.board import Board
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.powers import POWERS
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.queries import income
from engine.game import Game
from engine.registry import GAMES
from engine.replay import Recorder
from engine.terminal.rehearsal import random_order

FOLDER = Path(__file__).parent / "playthroughs"
ROUNDS = "6"
"""Of the recorded match of East & West."""


def playthrough(game: Game[Any, Any, Any]) -> Iterator[str]:
    """The lines of one match, played by the choices of a fixed seed."""
    table, choice = (
        Recorder(game, {}, "playthrough", b"p" * 32, ["", ""]),
        QuickDice(b"playthrough"),
    )
    while waiting := game.waiting_on(table.state):
        seat = min(waiting)
        yield f"# {len(table.entries)} {seat} may begin with"
        yield from _offered(game, table.state, seat)
        order = random_order(game, table.state, seat, choice)
        events = table.play(seat, order)
        yield f"> {order}{'  (final)' if table.final else ''}"
        yield from _told(game, events)
    for language in LANGUAGES:
        yield f"# the end, in {language}"
        yield from game.render(game.view(table.state, None), language=language).splitlines()
        yield from game.narrate(game.view(table.state, None), language).splitlines()


def _offered(game: Game[Any, Any, Any], state: Any, seat: Any) -> Iterator[str]:
    for option in game.options(state, seat):
        yield f"  {option.word}: {game.say(option.label)}"
        if option.action is None:
            for second in game.options(state, seat, (option.word,)):
                yield f"    {second.word}: {game.say(second.label)}"


def _told(game: Game[Any, Any, Any], events: tuple[Event, ...]) -> Iterator[str]:
    for event in events:
        heard = "all" if event.audience is None else " ".join(event.audience)
        yield f"  {heard}: {game.say(event.text)}"


# --- East & West ----------------------------------------------------------------------------------


def campaign() -> Iterator[str]:
    """Four stand-in players, order by order."""
    game = EastAndWest()
    table = Recorder(game, {"rounds": ROUNDS}, "playthrough", b"p" * 32, [""] * len(POWERS))
    while waiting := game.waiting_on(table.state):
        (seat,) = waiting
        before: Board = table.state.board
        yield f"# {len(table.entries)} round {before.round}, {seat}, {before.turn.stop}"
        for action in orders(game.view(table.state, seat), seat):
            order = game.notate(action)
            events = table.play(seat, order)
            yield f"> {order}{'  (final)' if table.final else ''}"
            yield from _told(game, events)
        faults = game.check(table.state)
        assert not faults, faults
        if table.state.board.turn_number != before.turn_number or table.state.board.result:
            yield from _summary(table.state.board)


def _summary(board: Board) -> Iterator[str]:
    """What every power has: lands, units and their price, money, income, spies, technologies."""
    for power in POWERS:
        held, lands = board.powers[power], sum(o == power for o in board.owners.values())
        units, worth = _army(board, power)
        known = " ".join(f"{c} {at}" for c, at in sorted(held.research.items()) if at)
        yield (
            f"= {power}: {lands} lands, {units} units worth {worth}, {held.cash} in hand,"
            f" income {income(board, power)}, {held.spies} spies; {known}".rstrip("; ")
        )
    markers = " ".join(f"{alliance} {at:+}" for alliance, at in sorted(board.influence.items()))
    yield f"= {markers}"


def _army(board: Board, power: Seat) -> tuple[int, int]:
    own = [
        (kind, number)
        for groups in board.units.values()
        for group in groups
        for owner, kind, number in [
            (group.owner, group.kind, group.count),
            *((load.owner, load.kind, load.count * group.count) for load in group.cargo),
        ]
        if owner == power
    ]
    return sum(n for _, n in own), sum(kinds()[kind].cost * n for kind, n in own)


# --- all ------------------------------------------------------------------------------------------

OWN_MANNER: dict[str, Callable[[], Iterator[str]]] = {EastAndWest.name: campaign}
"""Games that are recorded in another way than step by step."""
RECORDED = (*(name for name in GAMES if name not in OWN_MANNER), *OWN_MANNER)


def recorded(name: str) -> Iterator[str]:
    return OWN_MANNER[name]() if name in OWN_MANNER else playthrough(GAMES[name])


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in RECORDED:
        (FOLDER / f"{name}.txt").write_text("\n".join(recorded(name)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
