"""The world as a letter shows it, no wider than asked: a report in sentences, and what is drawn.

Tables, tracks, spaces with their units, and maps are plain ASCII; sentences keep their letters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import NamedTuple

from engine.core import Language, Name, Param, Text
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import (
    ARAB,
    CHINA,
    MINOR,
    OAS,
    POWER_NAMES,
    POWERS,
    UK,
    USA,
    USSR,
    WE,
)
from engine.east_and_west.draw.narrate import (
    busy,
    empty,
    factories,
    known_steps,
    moment,
    news,
    question,
    research,
    stacked,
    this_turn,
    touched,
    turn_name,
)
from engine.east_and_west.draw.standing_text import own_orders
from engine.east_and_west.view import View
from engine.text import plain, plain_words, repeated, spaced, wrap

Say = Callable[[Text, Language], str]

LETTERS: dict[str, str] = {USSR: "S", WE: "E", UK: "B", USA: "A"}
LETTERS |= {CHINA: "c", ARAB: "l", OAS: "o", MINOR: "n"}
"""The same in all languages; great ones for powers."""
WATER = "~"
FACTORY = "*"
CHANGED = "+"
INFLUENCE = 4
NAME = 21
"""Columns for the name of a space; a longer one pushes what follows."""
NARROW = 56
"""Columns of paper on which there is no room beside names."""


def render(view: View, width: int, language: Language, say: Say, news: bool = True) -> str:
    """The whole report; maps only of theatres where something has happened."""
    page = TextPage(view, width, language, say)
    parts = [page.news()] if news else []
    parts += [page.head(), page.this_turn(), page.powers(), page.research(), page.luck()]
    parts += [page.influence(), page.letters(), *map(page.theatre, atlas().theatres)]
    parts += [*map(page.map, page.moved()), page.orders()]
    return joined(parts)


def maps(view: View, theatres: Iterable[str], width: int, language: Language, say: Say) -> str:
    """Maps of some theatres, by their keys, with what the letters mean."""
    page = TextPage(view, width, language, say)
    return joined([page.letters(), *map(page.map, theatres)])


def joined(parts: Iterable[Sequence[str]]) -> str:
    """Parts with a blank line between them."""
    lines = [line for part in parts if part for line in (*part, "")]
    return "\n".join(spaced(line).rstrip() for line in lines[:-1]) + "\n"


class TextPage:
    """One view on its way to the paper."""

    def __init__(self, view: View, width: int, language: Language, say: Say) -> None:
        self.view, self.width, self.language, self._say = view, width, language, say

    @property
    def board(self) -> Board:
        return self.view.board

    def say(self, msgid: str, **params: Param) -> str:
        return self.spoken(Text(msgid, params))

    def spoken(self, text: Text) -> str:
        return self._say(text, self.language)

    def name(self, name: Name) -> str:
        return name.in_(self.language)

    def wrapped(self, text: Text, indent: str = "") -> list[str]:
        return wrap(self.spoken(text), self.width, indent)

    # --- what happened, and what is asked ---------------------------------------------------------

    def news(self) -> list[str]:
        told = news(self.view)
        if not told:
            return []
        head = Text("Since your last turn:") if self.view.seat else Text("The last turns:")
        lines = self.wrapped(head)
        for turn, texts in told.items():
            lines += self.wrapped(turn_name(turn))
            for line, count in repeated(map(self.spoken, texts)):
                times = self.say("{line} ({count} times)", line=line, count=count)
                lines += wrap(times if count > 1 else line, self.width, "- ")
        return lines

    def head(self) -> list[str]:
        both = f"{self.spoken(moment(self.view))} {self.spoken(question(self.view))}"
        return wrap(both, self.width)

    def this_turn(self) -> list[str]:
        return [line for text in this_turn(self.board) for line in self.wrapped(text, "- ")]

    # --- the powers -------------------------------------------------------------------------------

    def powers(self) -> list[str]:
        return self._table(*wealth_table(self.board))

    def luck(self) -> list[str]:
        """Hits and destroyed value beside what was to be expected."""
        table = luck_table(self.board)
        if table is None:
            return []
        return [*self.wrapped(LUCK_TITLE), *self._table(*table)]

    def _table(self, heads: Sequence[Text], rows: Sequence[Sequence[str]]) -> list[str]:
        """A row for each power, by its letter alone where there is no room for the name."""
        names = [f"{LETTERS[seat]} {self.name(POWER_NAMES[seat])}" for seat in POWERS]
        said = [plain(self.spoken(head)) for head in heads]
        first = max(map(len, map(plain, names)))
        cells = [said, *rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
        if first + sum(widths) + 2 * len(widths) > self.width:
            names, first = [LETTERS[seat] for seat in POWERS], 1
        return [
            "  ".join([plain(name).ljust(first), *map(str.rjust, row, widths)])
            for name, row in zip(("", *names), cells, strict=True)
        ]

    def research(self) -> list[str]:
        lines: list[str] = []
        for seat in POWERS:
            known = known_steps(self.board, seat)
            if known:
                power = POWER_NAMES[seat]
                text = Text("{power}, technologies: {known}.", {"power": power, "known": known})
                lines += self.wrapped(text)
            lines += [line for t in research(self.board, seat) for line in self.wrapped(t)]
        return lines

    def influence(self) -> list[str]:
        """The tracks, with the marker in brackets; the USSR stands on the left."""
        names = {key: self.name(atlas().alliances[key].names) for key in self.board.influence}
        first = max((len(plain(name)) for name in names.values()), default=0)
        lines: list[str] = []
        for key, name in names.items():
            at = self.board.influence[key]
            track = " ".join(
                f"[{abs(n)}]" if n == at else str(abs(n))
                for n in range(INFLUENCE, -INFLUENCE - 1, -1)
            )
            payee, paid = queries.pays(self.board, key)
            west = LETTERS[atlas().alliances[key].west]
            pays = self.say("pays {power} {paid}", power=POWER_NAMES[payee], paid=paid)
            tail = f"  {pays}" if paid else ""
            lines.append(f"{plain(name).ljust(first)}  S {track} {west}{plain(tail)}")
        return lines

    # --- the theatres -----------------------------------------------------------------------------

    def letters(self, is_changing: bool = False) -> list[str]:
        """What the letters before and in spaces mean, and the mark of those that have changed."""
        alliances = atlas().alliances
        named = [f"{LETTERS[seat]} {self.name(POWER_NAMES[seat])}" for seat in POWERS]
        named += [f"{LETTERS[key]} {self.name(alliances[key].names)}" for key in alliances]
        named += [f"{LETTERS[MINOR]} {self.say('neutral')}", f"{WATER} {self.say('sea')}"]
        named += [f"{FACTORY} {self.say('factory')}"]
        named += [f"{CHANGED} {self.say('changed')}"] if is_changing else []
        return wrap(", ".join(named), self.width)

    def theatre(self, key: str) -> list[str]:
        """Every space with units, and every land that has changed hands."""
        lines = [line for space in busy(self.board, key) for line in self._space(space)]
        bare = ", ".join(map(self._empty, empty(self.board, key)))
        lines += wrap(self.say("Without units: {lands}.", lands=bare), self.width) if bare else []
        return [self.name(atlas().theatres[key].names), *lines] if lines else []

    def spaces(self, title: Name, keys: Iterable[str], changed: Set[str]) -> list[str]:
        """Some spaces under a title; those that have changed are marked."""
        lines = [line for key in keys for line in self._space(key, key in changed)]
        return [self.name(title), *lines]

    def _empty(self, key: str) -> str:
        """Owner, name and value, kept together."""
        factory = FACTORY if key in self.board.factories else ""
        worth = f"{queries.value(self.board, key)}{factory}"
        name = self.name(atlas().spaces[key].names).replace(" ", "\u00a0")
        return f"{LETTERS[self.board.owners[key]]}\u00a0{name}\u00a0{worth}"

    def _space(self, key: str, is_changed: bool = False) -> list[str]:
        space, owner = atlas().spaces[key], self.board.owners.get(key, "")
        worth = str(queries.value(self.board, key)) if space.is_land else ""
        factory = FACTORY if key in self.board.factories else ""
        name = plain(self.name(space.names)).ljust(NAME)
        mark = CHANGED if is_changed else " "
        front = f"{LETTERS.get(owner, WATER)}{mark}{name} {worth:>2}{factory:1} "
        stacks = [
            ("" if whose == owner else f"{LETTERS[whose]}:\u00a0")
            + ", ".join(map(self._kept, stack))
            for whose, stack in stacked(self.board, key)
        ]
        return _hanging(front, "; ".join(stacks) or "-", self.width)

    def _kept(self, units: Name) -> str:
        """A number stays on the line of what it counts."""
        return plain_words(self.name(units)).replace(" ", "\u00a0", 1)

    # --- maps -------------------------------------------------------------------------------------

    def moved(self) -> list[str]:
        """The theatres in which something has happened."""
        found = {atlas().spaces[key].theatre for key in touched(self.view)}
        return [key for key in atlas().theatres if key in found]

    def map(self, key: str) -> list[str]:
        """Spaces as tags about where they lie, with owners and units; names below."""
        spaces, theatre = atlas().spaces, atlas().theatres[key]
        there = atlas().theatre(key)
        title = self.say("Map: {theatre}", theatre=theatre.names)
        named = ", ".join(
            f"{spaces[space].tag}\u00a0{self.name(spaces[space].names)}"
            for space in sorted(there, key=lambda space: spaces[space].tag.lower())
        )
        points = [_place(space, theatre.east) for space in there]
        labels = [label(self.board, space) for space in there]
        return [title, *drawn(points, labels, self.width), *wrap(named, self.width)]

    # --- what the reader has said in advance ------------------------------------------------------

    def orders(self) -> list[str]:
        orders = own_orders(self.view)
        if not orders:
            return []
        head = self.wrapped(Text("Your standing orders and plans, which nobody else sees:"))
        return [*head, *(line for order in orders for line in wrap(order, self.width, "- "))]


def _hanging(front: str, text: str, width: int) -> list[str]:
    """Text beside what it is about; what does not fit goes on below. On narrow paper all does."""
    indent = NAME + 7
    if width < NARROW:
        return [front.rstrip(), *wrap(text, width, " " * 4)]
    first, *others = wrap(text, width - indent)
    below = [" " * indent + line for line in others]
    if len(front) + len(first) <= width:
        return [front + first, *below]
    return [front, " " * indent + first, *below]


# --- a map on a grid of characters ----------------------------------------------------------------

Point = tuple[float, float]
ROWS = 14
"""About so many lines a map has; where it is crowded it has more."""
SHIFTS = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6)
"""Columns by which a label may give way."""


def _place(space: str, east: float) -> Point:
    at = atlas().spaces[space]
    return (at.x - 1 if at.x >= east else at.x), at.y


def label(board: Board, key: str) -> str:
    """`POL:S8*` is a Soviet land with eight units and a factory, `balt~S1` a zone with one ship."""
    space, owner = atlas().spaces[key], board.owners.get(key, "")
    counts = {whose: 0 for whose in (owner,) if whose}
    for group in board.at(key):
        counts[group.owner] = counts.get(group.owner, 0) + group.count
    units = "".join(f"{LETTERS[whose]}{count or ''}" for whose, count in counts.items())
    mark = FACTORY if key in board.factories else ""
    return f"{space.tag}{':' if space.is_land else WATER}{units}{mark}"


def drawn(points: Sequence[Point], labels: Sequence[str], width: int) -> list[str]:
    """Labels about where their points lie, from above; none touches another."""
    left, top = min(x for x, _ in points), min(y for _, y in points)
    across = max(x for x, _ in points) - left or 1.0
    down = max(y for _, y in points) - top or 1.0
    room = width - max(map(len, labels))
    rows: list[tuple[float, str]] = []
    for (x, y), text in sorted(
        zip(points, labels, strict=True), key=lambda at: (at[0][1], at[0][0])
    ):
        column = round((x - left) / across * room)
        if rows and y - rows[-1][0] <= down / ROWS:
            line = _written(rows[-1][1], text, column, width)
            if line is not None:
                rows[-1] = rows[-1][0], line
                continue
        rows.append((y, " " * column + text))
    return [line for _, line in rows]


def _written(line: str, text: str, column: int, width: int) -> str | None:
    """With a label at or near a column, if there is room for it."""
    for shift in SHIFTS:
        start = column + shift
        end = start + len(text)
        if start < 0 or end > width or line[max(0, start - 1) : end + 1].strip():
            continue
        return line[:start].ljust(start) + text + line[end:]
    return None


# --- figures of the powers, which HTML shows too --------------------------------------------------

LUCK_TITLE = Text("Luck in battles, hits and IPC:")


class Table(NamedTuple):
    heads: tuple[Text, ...]
    rows: list[tuple[str, ...]]


def wealth_table(board: Board) -> Table:
    heads = (Text("IPC"), Text("income"), Text("factories"), Text("spies"))
    rows = [
        (power.cash, queries.income(board, seat), factories(board, seat), power.spies)
        for seat, power in ((seat, board.powers[seat]) for seat in POWERS)
    ]
    return Table(heads, [tuple(map(str, row)) for row in rows])


def luck_table(board: Board) -> Table | None:
    """Hits and destroyed value beside what was to be expected; None before the first die."""
    books = [board.powers[seat].luck for seat in POWERS]
    if not any(book.dice for book in books):
        return None
    heads = (Text("dice"), Text("hits"), Text("expected"), Text("destroyed"), Text("expected"))
    rows: list[tuple[str, ...]] = [
        (
            str(book.dice),
            str(book.hits),
            f"{book.expected:.1f}",
            str(book.value),
            f"{book.expected_value:.1f}",
        )
        for book in books
    ]
    return Table(heads, rows)
