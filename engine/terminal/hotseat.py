"""Hot seat: several people at one screen, each seeing only the cards of the own seat."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from engine.abilities import Sparring, StandingOrders, StandIns
from engine.chance import digest
from engine.core import BadSetup, Event, GameError, Language, Option, Seat, Setup
from engine.game import Game
from engine.replay import Recorder, write_match
from engine.sparring import Greedy, Planner, Random

CLEAR = "\033[2J\033[3J\033[H"
HELP = (
    "Write an order, or the number of a choice; several numbers and words may follow each other.\n"
    "board: draw it again   undo: take back, unless something came to light   help   quit"
)

PARTNERS: dict[str, Callable[[str], Sparring]] = {
    "planner": Planner,
    "greedy": Greedy,
    "random": Random,
}
STAND_IN = "stand-in"
"""The partner that a game may have of its own."""


class Table(NamedTuple):
    """What was agreed before sitting down."""

    game: Game[Any, Any, Any]
    setup: Setup
    secret: bytes
    language: Language
    narrated: bool
    partner: str | None
    seat: str | None


class Leave(Exception):
    """The people at the screen stop playing."""


def play(table: Table, save: Path | None) -> int:
    match = _seated(table)
    print(f"The shuffle is committed: {match.file().commitment}")
    try:
        _until_over(table, match)
    except Leave:
        print("The match is left unfinished.")
    else:
        print(_show(table, match.state, None))
    if save:
        save.write_bytes(write_match(match.file()))
        print(f"The match is saved; check it with: python -m engine audit {save}")
    return 0


def _seated(table: Table) -> Recorder:
    seats = table.game.seats(table.setup)
    if table.seat is not None and table.seat not in seats:
        raise BadSetup(f"there is no seat {table.seat!r}; there are {', '.join(seats)}")
    name = f"terminal-{digest('name', table.secret).hex()[:8]}"
    return Recorder(table.game, table.setup, name, table.secret, [""] * len(seats))


def _until_over(table: Table, match: Recorder) -> None:
    seats = table.game.seats(table.setup)
    person = Seat(table.seat or seats[0])
    partner = _partner(table)
    before: Seat | None = None
    while waiting := table.game.waiting_on(match.state):
        seat = min(waiting)
        if partner and seat != person:
            action = partner.choose(table.game, table.game.view(match.state, seat), seat)
            _tell(table, match.play(seat, table.game.notate(action)), person)
            continue
        if seat != before and partner is None:
            _screen_between(table, seat)
        if seat != before or partner:
            print(_show(table, match.state, seat))
        before = seat
        _one_turn(table, match, seat)


def _partner(table: Table) -> Sparring | None:
    if not table.partner:
        return None
    seed = digest("partner", table.secret).hex()
    if table.partner != STAND_IN:
        return PARTNERS[table.partner](seed)
    if not isinstance(table.game, StandIns):
        raise BadSetup(f"{table.game.title.en} has no stand-in player; try --against planner")
    return table.game.stand_in(seed)


def _screen_between(table: Table, seat: Seat) -> None:
    """Hide one side's cards before the other side looks."""
    if sys.stdout.isatty():
        print(CLEAR, end="")
    name = table.game.seat_name(seat).in_(table.language)
    _ask(f"--- {name} to the screen, the others look away. Press Enter. ")
    if sys.stdout.isatty():
        print(CLEAR, end="")


def _one_turn(table: Table, match: Recorder, seat: Seat) -> None:
    """Ask until the seat is no longer waited for; undo goes back to the last final step."""
    undo: list[tuple[Any, int]] = []
    while seat in table.game.waiting_on(match.state):
        order = _order(table, match, seat, bool(undo))
        if order == "undo":
            match.state, kept = undo.pop()
            del match.entries[kept:]
            print(_show(table, match.state, seat))
            continue
        before = match.state, len(match.entries)
        try:
            events = match.play(seat, order)
        except GameError as error:
            print(f"! {table.game.say(error.text, table.language)}")
            continue
        undo = [] if match.final else [*undo, before]
        _tell(table, events, seat)


def _order(table: Table, match: Recorder, seat: Seat, may_undo: bool) -> str:
    """One whole order, taken word by word or typed at once."""
    words: tuple[str, ...] = ()
    while True:
        chosen = words
        words = _without_choice(table, match.state, seat, words)
        _list(table, table.game.options(match.state, seat, words), words)
        typed = _ask("> ").strip().lower()
        match typed:
            case "quit" | "exit":
                raise Leave
            case "undo" if chosen:
                words = ()
            case "undo" if may_undo:
                return "undo"
            case "undo":
                print("There is nothing to take back.")
            case "help" | "?":
                print(HELP)
                _list_any_time(table, match.state, seat)
            case "board":
                print(_show(table, match.state, seat))
            case _:
                taken = _taken(table, match.state, seat, words, typed)
                if isinstance(taken, str):
                    return taken
                words = taken


def _without_choice(
    table: Table, state: Any, seat: Seat, words: tuple[str, ...]
) -> tuple[str, ...]:
    """The words so far, and those after them that have no alternative."""
    while True:
        offered = table.game.options(state, seat, words)
        if len(offered) != 1 or offered[0].action is not None:
            return words
        words = (*words, offered[0].word)


def _taken(
    table: Table, state: Any, seat: Seat, words: tuple[str, ...], typed: str
) -> str | tuple[str, ...]:
    """A finished order as text, or the words so far; numbers stand for choices."""
    parts = typed.split()
    if parts and parts[0] in {option.word for option in _any_time(table, state, seat)}:
        return typed
    if parts and parts[0] in {option.word for option in table.game.options(state, seat)}:
        words = ()
    for number, part in enumerate(parts):
        option = _chosen(table.game.options(state, seat, words), part)
        if option is None:
            return typed if not words or number else _explained(words, part)
        words = (*words, option.word)
        if option.action is not None:
            return " ".join(words)
        words = _without_choice(table, state, seat, words)
    return words


def _explained(words: tuple[str, ...], part: str) -> tuple[str, ...]:
    print(f"! {part!r} is none of the choices")
    return words


def _chosen(offered: tuple[Option[Any], ...], part: str) -> Option[Any] | None:
    if part.isdecimal() and 1 <= int(part) <= len(offered):
        return offered[int(part) - 1]
    return next((option for option in offered if option.word == part), None)


def _list(table: Table, offered: tuple[Option[Any], ...], words: tuple[str, ...]) -> None:
    if words:
        print(f"  {' '.join(words)} ...")
    for number, option in enumerate(offered, 1):
        label = table.game.say(option.label, table.language)
        print(f"  {number:>2}  {option.word:<14} {label}")


def _list_any_time(table: Table, state: Any, seat: Seat) -> None:
    for option in _any_time(table, state, seat):
        label = table.game.say(option.label, table.language)
        print(f"At any time: {option.word} ... {label}")


def _any_time(table: Table, state: Any, seat: Seat) -> tuple[Option[Any], ...]:
    game = table.game
    return game.any_time(state, seat) if isinstance(game, StandingOrders) else ()


def _ask(prompt: str) -> str:
    try:
        return input(prompt)
    except EOFError:
        print()
        raise Leave from None


def _show(table: Table, state: Any, seat: Seat | None) -> str:
    view = table.game.view(state, seat)
    if table.narrated:
        return table.game.narrate(view, table.language)
    return table.game.render(view, language=table.language)


def _tell(table: Table, events: tuple[Event, ...], seat: Seat) -> None:
    for event in events:
        if event.heard_by(seat):
            print(f"* {table.game.say(event.text, table.language)}")
