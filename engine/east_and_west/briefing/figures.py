"""The powers in numbers: for plots over time, and tables of their luck and technologies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.core import Figure, Language, Param, Party, PlayedTurn, Seat, Table, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import CATEGORIES, technologies
from engine.east_and_west.data.powers import POWER_NAMES, POWERS, is_power
from engine.east_and_west.draw.ascii import LETTERS
from engine.east_and_west.draw.narrate import step_name, turn_name
from engine.east_and_west.view import View

Say = Callable[[Text, Language], str]

PARTIES = tuple(Party(POWER_NAMES[power], LETTERS[power]) for power in POWERS)


def turn_of(board: Board) -> PlayedTurn:
    """The mobilisation is before the first round."""
    number = board.turn_number
    return PlayedTurn(number, board.round if number else 0, turn_name(number))


def figures(view: View) -> tuple[Figure, ...]:
    """What lands and alliances would pay now, what all units cost, and how many lands there are."""
    board = view.board
    worth, lands = _unit_value(board), Counter(board.owners.values())
    income = tuple(queries.income(board, power) for power in POWERS)
    return (
        Figure("income", Text("Income a turn, in IPC"), income),
        Figure("units", Text("Value of all units, in IPC"), tuple(worth[p] for p in POWERS)),
        Figure("lands", Text("Lands held"), tuple(lands[power] for power in POWERS)),
    )


def _unit_value(board: Board) -> Counter[str]:
    """The price of all units on the map, on board of ships too, by owner."""
    worth, prices = Counter[str](), dict[tuple[str, str], int]()

    def add(owner: str, kind: str, count: int) -> None:
        if is_power(owner):
            if (owner, kind) not in prices:
                prices[owner, kind] = queries.price(board, Seat(owner), kind)
            worth[owner] += prices[owner, kind] * count

    for groups in board.units.values():
        for group in groups:
            add(group.owner, group.kind, group.count)
            for load in group.cargo:
                add(load.owner, load.kind, load.count * group.count)
    return worth


def tables(view: View, language: Language, say: Say) -> tuple[Table, ...]:
    def table(title: Text, heads: tuple[Param, ...], rows: tuple[tuple[Param, ...], ...]) -> Table:
        said = tuple(tuple(map(spoken, row)) for row in (heads, *rows))
        return Table(spoken(title), said[0], said[1:])

    def spoken(value: Param) -> str:
        return say(Text("{value}", {"value": value}), language)

    board = view.board
    luck = tuple((POWER_NAMES[power], *_luck(board, power, language)) for power in POWERS)
    known = tuple((POWER_NAMES[power], *_known(board, power)) for power in POWERS)
    categories = tuple(technologies()[category].names for category in CATEGORIES)
    return (
        table(Text("Luck in battles"), (Text("Power"), *_LUCK_HEADS), luck),
        table(Text("Technologies"), (Text("Power"), *categories), known),
    )


_LUCK_HEADS = (
    Text("dice"),
    Text("hits"),
    Text("hits expected"),
    Text("hits more than expected"),
    Text("IPC destroyed"),
    Text("IPC expected"),
)


def _luck(board: Board, power: Seat, language: Language) -> tuple[Param, ...]:
    luck = board.powers[power].luck
    above = decimal(f"{luck.hits - luck.expected:+.1f}", language)
    expected = decimal(f"{luck.expected:.1f}", language)
    in_value = decimal(f"{luck.expected_value:.1f}", language)
    return luck.dice, luck.hits, expected, above, luck.value, in_value


def decimal(number: str, language: Language) -> str:
    """With the comma of other languages."""
    return number if language == "en" else number.replace(".", ",")


def _known(board: Board, power: Seat) -> tuple[Param, ...]:
    """By category, the steps that work."""
    return tuple(
        tuple(
            step_name(category, step)
            for step in (1, 2, 3)
            if queries.knows(board, power, category, step)
        )
        or "-"
        for category in CATEGORIES
    )
