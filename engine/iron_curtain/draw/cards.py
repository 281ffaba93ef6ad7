"""The cards of the picture: on the table, in the hand and from behind.

What is printed on a card, and each number of cubes on it, is drawn once and kept: a press changes
little of a table. What is kept depends on nothing but what was handed in, so that it does not
matter who has seen it before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.core import Language, Param, Seat, Text
from engine.iron_curtain.board import CUBES, Country
from engine.iron_curtain.deck import USA, USSR, Card, Region
from engine.iron_curtain.draw.narrate import Say, flag_name, lead, leader, sentence
from engine.iron_curtain.draw.shapes import (
    HALF,
    box,
    element,
    escaped,
    fitted,
    length_of,
    number,
    paragraph,
    placed,
    words_at,
)
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.view import View
from engine.text import words_of

CARD_WIDTH, CARD_HEIGHT = 132, 154
FACE_HEIGHT = 92
LETTERS = {USA: "U", USSR: "S"}
KEPT_CARDS = 512
"""Some nine decks in three languages; 1 kB each."""


class Voice:
    """Says messages in the language of the picture."""

    __slots__ = ("language", "say")

    def __init__(self, language: Language, say: Say) -> None:
        self.language, self.say = language, say

    def __call__(self, value: Param) -> str:
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return " ".join(words_of(self.say(text, self.language)))

    def labelled(self, label: Text, value: Param) -> str:
        return self(Text("{label}: {value}", {"label": label, "value": value}))

    def sentence(self, fact: Text) -> str:
        return sentence(fact, self.language, self.say)


class Speaker(Voice):
    """The same with what is to be shown."""

    __slots__ = ("view",)

    def __init__(self, view: View, language: Language, say: Say) -> None:
        super().__init__(language, say)
        self.view = view


# --- on the table ---------------------------------------------------------------------------------


def country_card(spoken: Speaker, country: Country) -> str:
    deck, cell, ahead = spoken.view.deck, cell_name(country.cell), leader(country)
    card = deck.cards[country.card]
    printed = _printed(card, deck.regions[card.region], spoken.language, spoken.say)
    locks = ahead is not None and country.lead(ahead) > 1
    level = country.usa > 0 and ahead is None
    return element(
        "g",
        printed.aloud,
        _edge(ahead, locks),
        printed.band,
        _at_right(CARD_WIDTH, cell),
        printed.face,
        _cubes(USA, country.usa, 36, 110),
        _cubes(USSR, country.ussr, 96, 110),
        _lead(ahead, locks, spoken(lead(country)) if ahead or level else ""),
        id=f"card-{card.id}",
        data_cell=cell,
    )


class Printed(NamedTuple):
    """What a card shows wherever it lies and whoever leads there."""

    aloud: str
    """In full, for whoever points at it."""
    band: str
    face: str


@lru_cache(maxsize=KEPT_CARDS)
def _printed(card: Card, region: Region, language: Language, say: Say) -> Printed:
    spoken = Voice(language, say)
    aloud = f"{spoken(card.name)} ({spoken(region.name)}) {spoken(card.text)}".strip()
    return Printed(
        element("title", escaped(aloud)),
        _band(spoken(region.short), card.region, CARD_WIDTH),
        _name(spoken(card.name)) + _flag_and_command(spoken, card),
    )


@lru_cache
def _edge(side: Seat | None, locks: bool) -> str:
    weight = "" if side is None else " locked" if locks else " led"
    return box(0, 0, CARD_WIDTH, CARD_HEIGHT, f"card edge-{side or 'nobody'}{weight}", 8)


def _band(short: str, region: str, width: float) -> str:
    """The coloured head of a card, with its region on the left."""
    head = f"M1 25V8a7 7 0 0 1 7 -7H{number(width - 8)}a7 7 0 0 1 7 7V25Z"
    return element("path", d=head, class_=f"region-{region}") + words_at(
        8, 19, *fitted(short, 15, width / 2 - 10, bold=True), "on-region bold"
    )


@lru_cache(maxsize=KEPT_CARDS)
def _at_right(width: float, words: str) -> str:
    """Something else at the right of the head."""
    return words_at(width - 8, 18, *fitted(words, 14, width / 2), "on-region", "end")


def _name(name: str) -> str:
    """A name in one line, or in two when that lets it be larger."""
    room = CARD_WIDTH - 12
    lines = _halves(name) if length_of(name, bold=True) * 18 > room else [name]
    first, largest = (50, 18) if len(lines) == 1 else (42, 16)
    size = min(fitted(line, largest, room, bold=True)[1] for line in lines)
    cut = [fitted(line, size, room, bold=True)[0] for line in lines]
    return "".join(
        words_at(CARD_WIDTH / 2, first + 17 * i, line, size, "ink bold", "middle")
        for i, line in enumerate(cut)
    )


def _halves(name: str) -> list[str]:
    """The name parted at the blank nearest to its middle."""
    blanks = [match.start() for match in re.finditer(" ", name)]
    if not blanks:
        return [name]
    middle = min(blanks, key=lambda blank: abs(2 * blank - len(name)))
    return [name[:middle], name[middle + 1 :]]


def _flag_and_command(spoken: Voice, card: Card) -> str:
    """On a card of the table: the flag, and the command after its sign."""
    flag = spoken(flag_name(card))
    if card.flag is None:
        return words_at(CARD_WIDTH / 2, 81, flag, 13, "muted", "middle")
    command = spoken(card.command)
    return (
        badge(card.flag, flag, 8, 66, 62)
        + diamond(90, 76)
        + words_at(101, 82, *fitted(command, 16, 26, bold=True), "ink bold")
    )


@lru_cache(maxsize=4 * CUBES)
def _cubes(side: Seat, count: int, x: float, y: float) -> str:
    """A square or a circle around its middle, hollow when there is no cube."""
    fill = f"side-{side}" if count else f"hollow edge-{side}"
    shape = (
        box(x - 18, y - 18, 36, 36, fill)
        if side == USA
        else element("circle", cx=number(x), cy=number(y), r="19", class_=fill)
    )
    word, size = fitted(f"{LETTERS[side]}{count}", 18, 34, bold=True)
    ink = f"on-{side} bold" if count else "muted"
    return shape + words_at(x, y + size / 3, word, size, ink, "middle")


@lru_cache(maxsize=64)
def _lead(side: Seat | None, locks: bool, said: str) -> str:
    """Who dominates, in an open frame; who controls, in a filled one with a padlock."""
    if side is None:
        return words_at(CARD_WIDTH / 2, 145, said, 13, "muted", "middle")
    room = CARD_WIDTH - (42 if locks else 22)
    words, size = fitted(said, 14, room, bold=True)
    frame = f"side-{side}" if locks else f"hollow edge-{side}"
    ink = f"on-{side}" if locks else "ink"
    middle = CARD_WIDTH / 2 + (8 if locks else 0)
    return (
        box(6, 131, CARD_WIDTH - 12, 19, frame, 0 if side == USA else 9)
        + (_padlock(14, 133.5, side) if locks else "")
        + words_at(middle, 145, words, size, f"{ink} bold", "middle")
    )


def _padlock(x: float, y: float, side: Seat) -> str:
    bow = element("path", d="M2 6V4a3 3 0 0 1 6 0V6", class_=f"bow bow-{side}")
    return placed(x, y, bow + box(0, 6, 10, 7, f"on-{side}", 1))


# --- elsewhere ------------------------------------------------------------------------------------


def held_card(spoken: Speaker, card: Card, text: Sequence[str], height: float) -> str:
    region = spoken.view.deck.regions[card.region]
    name, size = fitted(spoken(card.name), 19, HALF - 190, bold=True)
    flag = spoken(flag_name(card))
    command = f"{spoken(Text('command'))} {spoken(card.command)}"
    return element(
        "g",
        box(0, 0, HALF, height, "card edge-nobody", 8),
        _band(spoken(region.short), card.region, HALF),
        _at_right(HALF, spoken(region.name)),
        words_at(10, 48, name, size, "ink bold"),
        badge(card.flag, flag, HALF - 174, 33, 62) if card.flag else "",
        words_at(HALF - 10, 48, *fitted(command, 15, 98), "ink", "end"),
        paragraph(10, 76, text, 16, "ink"),
        id=f"card-{card.id}",
    )


def held_face(spoken: Speaker, card: Card) -> str:
    """A card of the hand as small as those on the table, without its text."""
    region = spoken.view.deck.regions[card.region]
    printed = _printed(card, region, spoken.language, spoken.say)
    edge = box(0, 0, CARD_WIDTH, FACE_HEIGHT, "card edge-nobody", 8)
    return edge + printed.band + _at_right(CARD_WIDTH, "") + printed.face


def card_back(x: float) -> str:
    """A card from behind."""
    return box(x, 44, 20, 30, "back", 3) + element(
        "path",
        d=f"M{number(x + 4)} 70L{number(x + 16)} 48M{number(x + 4)} 48l12 22",
        class_="weave",
    )


# --- signs ----------------------------------------------------------------------------------------


def diamond(x: float, y: float) -> str:
    """The sign of a command."""
    points = f"{number(x - 7)},{number(y)} {number(x)},{number(y - 8)}"
    points += f" {number(x + 7)},{number(y)} {number(x)},{number(y + 8)}"
    return element("polygon", points=points, class_="sign")


def badge(side: Seat, word: str, x: float, y: float, width: float) -> str:
    """A flag: the word in a rectangle for the USA, in a lozenge with round ends for the USSR."""
    return box(x, y, width, 20, f"side-{side}", 0 if side == USA else 10) + words_at(
        x + width / 2,
        y + 15,
        *fitted(word, 14, width - 10, bold=True),
        f"on-{side} bold",
        "middle",
    )


def cube_shape(side: Seat, x: float, y: float, half: float) -> str:
    if side == USA:
        return box(x - half, y - half, 2 * half, 2 * half, f"side-{side}")
    place = {"cx": number(x), "cy": number(y), "r": number(half)}
    return element("circle", class_=f"side-{side}", **place)
