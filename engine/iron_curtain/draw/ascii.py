"""The board as a letter shows it, in at most `width` columns: drawn in ASCII, told in letters.

What is printed on a card is set once for each width and language and kept with the deck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from engine.core import Language, Name, Seat, Text
from engine.iron_curtain.board import FLAG_SPACE, Country
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card, Deck, remembered
from engine.iron_curtain.draw.narrate import question, round_and_turn, standing
from engine.iron_curtain.grid import column_name, row_name
from engine.iron_curtain.view import View
from engine.text import plain, repeated, spaced, wrap

Say = Callable[[Text, Language], str]

MARGIN = 3
"""Columns for the numbers of the rows."""
NARROWEST, WIDEST = 4, 15
"""Letters inside a card on the board."""
NARROW = 48
"""Columns of paper on which texts are not set far in."""
SHORT_SIDES = {USA: "U", USSR: "S"}


def render(view: View, width: int, language: Language, say: Say, news: bool = True) -> str:
    page = Page(view, width, language, say)
    parts = [page.head(), page.track(), page.boards(), page.legend(), page.cards()]
    parts += [page.news()] if news else []
    lines = [line for part in parts for line in (*part, "")]
    return "\n".join(spaced(line).rstrip() for line in lines[:-1]) + "\n"


class Page:
    """One view on its way to the paper."""

    def __init__(self, view: View, width: int, language: Language, say: Say) -> None:
        self.view, self.width, self.language, self._say = view, width, language, say

    def say(self, msgid: str, **params: str | int | Name | Text) -> str:
        return self.spoken(Text(msgid, params))

    def spoken(self, text: Text) -> str:
        return self._say(text, self.language)

    def labelled(self, label: Text, value: str) -> str:
        return self.say("{label}: {value}", label=label, value=value)

    def name(self, name: Name) -> str:
        return name.in_(self.language)

    def side(self, side: Seat) -> str:
        return self.name(SIDE_NAMES[side])

    # --- above the board ---

    def head(self) -> list[str]:
        return wrap(f"{self.spoken(round_and_turn(self.view))}. {self.asked()}", self.width)

    def asked(self) -> str:
        return self.spoken(question(self.view))

    def track(self) -> list[str]:
        """The ideology track with the marker in brackets; close together on narrow paper."""
        spaces = range(-FLAG_SPACE, FLAG_SPACE + 1)
        marked = [f"[{abs(n)}]" if n == self.view.track else str(abs(n)) for n in spaces]
        line = f"{self.side(USSR)} {' '.join(marked)} {self.side(USA)}"
        if len(line) > self.width:
            line = f"{self.side(USSR)} {''.join(marked)} {self.side(USA)}"
        score = self.labelled(Text("Score"), self.spoken(standing(self.view)))
        return [line, *wrap(score, self.width)]

    # --- the board ---

    def boards(self) -> list[str]:
        """One grid; several side by side when a layout is too wide for the paper."""
        xs = [country.cell[0] for country in self.view.table]
        at_once = (self.width - MARGIN - 1) // (NARROWEST + 1)
        lines: list[str] = []
        for west in range(min(xs), max(xs) + 1, at_once):
            east = min(west + at_once - 1, max(xs))
            lines += [*([""] if lines else []), *self.board(west, east)]
        return lines

    def board(self, west: int, east: int) -> list[str]:
        columns = range(west, east + 1)
        inner = min(WIDEST, (self.width - MARGIN - 1) // len(columns) - 1)
        ys = [country.cell[1] for country in self.view.table]
        heads = "".join(" " + column_name(x).center(inner) for x in columns)
        faces = self.faces(inner)
        canvas = Canvas(len(columns), max(ys) - min(ys) + 1, inner, max(map(len, faces)))
        for country, face in zip(self.view.table, faces, strict=True):
            if west <= country.cell[0] <= east:
                canvas.put(country.cell[0] - west, country.cell[1] - min(ys), face)
        numbers = [row_name(y) for y in range(min(ys), max(ys) + 1)]
        return [" " * MARGIN + heads, *canvas.lines(numbers)]

    def faces(self, inner: int) -> list[list[str]]:
        """For each card on the table what is printed on it, and the cubes with who is ahead."""
        deck, table = self.view.deck, self.view.table
        printed = [_printed(deck, c.card, inner, self.language) for c in table]
        return [[*face, *cubes] for face, cubes in zip(printed, self.cubes(inner), strict=True)]

    def cubes(self, inner: int) -> list[list[str]]:
        """Sides with cubes: on one line if that fits on every card, else a line each."""
        for names in ({side: f"{self.side(side)} " for side in SIDES}, SHORT_SIDES):
            lines = [" ".join(cube_words(country, names)) for country in self.view.table]
            if max(map(len, lines)) <= inner:
                return [[line] for line in lines]
        return [cube_words(country, SHORT_SIDES) for country in self.view.table]

    # --- below the board ---

    def legend(self) -> list[str]:
        sides = ", ".join(f"{SHORT_SIDES[side]} {self.side(side)}" for side in SIDES)
        words = self.say(
            "{sides}; cubes of each side; + {dominates} (leads by 1),"
            " ++ {controls} (leads by 2 or more)",
            sides=sides,
            dominates=Text("dominates"),
            controls=Text("controls"),
        )
        return wrap(words + ".", self.width)

    def cards(self) -> list[str]:
        """Supplies, hands and the aftermath, as the seat may see them."""
        view = self.view
        supplies = [
            f"{self.side(side)} {supply}" for side, supply in zip(SIDES, view.supplies, strict=True)
        ]
        facts = [self.labelled(Text("Supply"), ", ".join(supplies))]
        if view.reserve_size:
            facts.append(self.say("Reserve: {count}", count=view.reserve_size))
        facts += self.hidden_hands()
        facts += self.aftermath()
        lines = wrap(". ".join(facts) + ".", self.width)
        if view.hand:
            lines += ["", self.say("Your hand:")]
            for card in view.hand:
                lines += _in_hand(view.deck, card, self.width, self.language, self.say("command"))
        return lines

    def hidden_hands(self) -> list[str]:
        sizes = zip(SIDES, self.view.hand_sizes, strict=True)
        return [
            self.say("Hand of {side}: {count}", side=SIDE_NAMES[side], count=size)
            for side, size in sizes
            if side != self.view.seat and size
        ]

    def aftermath(self) -> list[str]:
        view, cards = self.view, self.view.deck.cards
        if view.aftermath:
            names = ", ".join(self.name(cards[card].name) for card in view.aftermath)
            return [self.labelled(Text("Aftermath"), names)]
        if view.round == 1 or view.result is not None:
            return []
        told = self.say("two cards face down")
        if view.aside:
            told += ", " + self.say("yours: {card}", card=cards[view.aside].name)
        return [self.labelled(Text("Aftermath"), told)]

    def news(self) -> list[str]:
        told = repeated(self.spoken(text) for text in self.view.news)
        lines = [
            line if count == 1 else self.say("{line} ({count} times)", line=line, count=count)
            for line, count in told
        ]
        listed = [part for line in lines for part in wrap(line, self.width, "- ")]
        return [self.say("What happened last:"), *listed]


@remembered
def _printed(deck: Deck, key: str, inner: int, language: Language) -> tuple[str, str]:
    """A card on the board, in plain ASCII: its name; its region with flag and command."""
    card = deck.cards[key]
    region = plain(deck.regions[card.region].short.in_(language))
    return (
        shortened(plain(card.name.in_(language)), inner),
        first_that_fits(inner, _kinds(card, region, language)),
    )


def _kinds(card: Card, region: str, language: Language) -> Iterator[str]:
    if card.flag is None:
        yield from (f"{region} -", region)
        return
    long, short = SIDE_NAMES[card.flag].in_(language), SHORT_SIDES[card.flag]
    yield f"{region} {long} {card.command}"
    yield from (f"{region} {short}{card.command}", f"{region}{short}{card.command}")


@remembered
def _in_hand(deck: Deck, key: str, width: int, language: Language, command: str) -> tuple[str, ...]:
    """A card with all that is printed on it; `command` is the word for that."""
    card = deck.cards[key]
    assert card.flag is not None, "only strategy cards are held"
    facts = [
        card.name.in_(language),
        deck.regions[card.region].name.in_(language),
        SIDE_NAMES[card.flag].in_(language),
        f"{command} {card.command}",
    ]
    return (
        *wrap(f"{card.id:<13}{', '.join(facts)}", width, "  "),
        *wrap(card.text.in_(language), width, " " * (15 if width > NARROW else 4)),
    )


class Canvas:
    """A grid of boxed cards; where there is no card there is nothing."""

    def __init__(self, columns: int, rows: int, inner: int, height: int) -> None:
        self.inner, self.height = inner, height
        self.letters = [[" "] * (columns * (inner + 1) + 1) for _ in range(rows * (height + 1) + 1)]

    def put(self, column: int, row: int, face: list[str]) -> None:
        left, top = column * (self.inner + 1), row * (self.height + 1)
        edge = "+" + "-" * self.inner + "+"
        self._write(left, top, edge)
        for number in range(self.height):
            line = face[number] if number < len(face) else ""
            self._write(left, top + 1 + number, f"|{line:<{self.inner}}|")
        self._write(left, top + self.height + 1, edge)

    def lines(self, numbers: list[str]) -> list[str]:
        """The rows of letters, the number of each row of cards before its first line."""
        margins = {1 + i * (self.height + 1): number for i, number in enumerate(numbers)}
        return [
            f"{margins.get(i, ''):>{MARGIN - 1}} " + "".join(letters)
            for i, letters in enumerate(self.letters)
        ]

    def _write(self, left: int, top: int, text: str) -> None:
        self.letters[top][left : left + len(text)] = text


def cube_words(country: Country, names: Mapping[Seat, str]) -> list[str]:
    """The cubes of each side that has some; + leads, ++ leads by two or more."""
    return [
        f"{names[side]}{country.cubes(side)}{'+' * max(0, min(2, country.lead(side)))}"
        for side in SIDES
        if country.cubes(side)
    ]


def shortened(name: str, width: int) -> str:
    """A name that fits: whole, with its first words as initials, or cut."""
    if len(name) <= width:
        return name
    *first, last = name.replace("'", " ").split()
    initials = "".join(f"{word[0]}." for word in first)
    return f"{initials}{last}"[:width]


def first_that_fits(width: int, forms: Iterator[str]) -> str:
    """The most telling form that fits; the last one is cut if it must be."""
    form = ""
    for form in forms:
        if len(form) <= width:
            return form
    return form[:width]
