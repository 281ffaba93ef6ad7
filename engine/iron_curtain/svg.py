"""A view as a standalone SVG document: no script, nothing from elsewhere, light and dark.

Colours are those of Okabe and Ito, and none stands alone: the USA has squares and the letter U, the
USSR circles and the letter S, regions their short name. `STYLE` never changes, so that a page with
a strict content policy can allow it by its hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from engine.core import Language, Param, Seat, Text
from engine.iron_curtain.board import FLAG_SPACE, Country
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card
from engine.iron_curtain.grid import cell_name, column_name, row_name
from engine.iron_curtain.narrate import (
    Say,
    aftermath,
    flag_name,
    hand_size,
    lead,
    leader,
    question,
    round_and_turn,
    sentence,
    shown,
    standing,
    summary,
)
from engine.iron_curtain.palette import STYLE
from engine.iron_curtain.view import View
from engine.text import words_of, wrap

WIDTH, MARGIN, GAP = 720, 20, 12
INNER = WIDTH - 2 * MARGIN
HALF = (INNER - GAP) / 2
CARD_WIDTH, CARD_HEIGHT = 132, 154
LABELS = 26
LARGEST_CARDS = 1.2
SMALLEST = 8
LETTERS = {USA: "U", USSR: "S"}


class Block(NamedTuple):
    """A part of the picture as wide as the inner width, drawn from its own corner."""

    drawing: str
    height: float


class Speaker:
    """Says messages in the language of the picture."""

    __slots__ = ("language", "say", "view")

    def __init__(self, view: View, language: Language, say: Say) -> None:
        self.view, self.language, self.say = view, language, say

    def __call__(self, value: Param) -> str:
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return " ".join(words_of(self.say(text, self.language)))

    def labelled(self, label: Text, value: Param) -> str:
        return self(Text("{label}: {value}", {"label": label, "value": value}))

    def sentence(self, fact: Text) -> str:
        return sentence(fact, self.language, self.say)


def draw(view: View, language: Language, say: Say) -> str:
    spoken = Speaker(view, language, say)
    blocks = [_header(spoken), _track(spoken), _grid(spoken), _stores(spoken), *_hand(spoken)]
    drawing, height = _stacked([*blocks, _legend(spoken)])
    return _element(
        "svg",
        _element("title", _escaped(spoken(_title(view)))),
        _element("desc", _escaped(" ".join(map(spoken.sentence, summary(view))))),
        _element("style", STYLE),
        _box(0, 0, WIDTH, height, "page"),
        drawing,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        lang=language,
        class_="iron-curtain",
        viewBox=f"0 0 {WIDTH} {_number(height)}",
        width="100%",
    )


def _title(view: View) -> Text:
    if view.seat is None:
        return Text("Iron Curtain, as a spectator sees it")
    return Text("Iron Curtain, as {side} sees it", {"side": SIDE_NAMES[view.seat]})


def _stacked(blocks: Iterable[Block]) -> tuple[str, float]:
    """Blocks one below the other, and how high all of it is."""
    y, drawn = float(MARGIN), []
    for block in blocks:
        drawn.append(_at(MARGIN, y, block.drawing))
        y += block.height + GAP
    return "".join(drawn), y - GAP + MARGIN


# --- above the table -----------------------------------------------------------------------------


def _header(spoken: Speaker) -> Block:
    view = spoken.view
    asked = _lines(spoken(question(view)), INNER, 20, bold=True)
    first = _words(0, 18, spoken(round_and_turn(view)), 18, "muted")
    return Block(first + _paragraph(0, 46, asked, 20, "ink bold"), 46 + 26 * (len(asked) - 1) + 4)


def _track(spoken: Speaker) -> Block:
    """The track from the flag of the USSR to the flag of the USA, with its marker."""
    track = spoken.view.track
    score = spoken.labelled(Text("Score"), standing(spoken.view))
    spaces = [_space(place, place == track) for place in range(-FLAG_SPACE, FLAG_SPACE + 1)]
    flags = _badge(USSR, spoken(SIDE_NAMES[USSR]), 0, 74, 64) + _badge(
        USA, spoken(SIDE_NAMES[USA]), INNER - 64, 74, 64
    )
    title = _words(INNER / 2, 90, score, 18, "ink bold", "middle")
    return Block(_element("g", *spaces, flags, title, id="track"), 98)


def _space(place: int, marked: bool) -> str:
    width = INNER / (2 * FLAG_SPACE + 1)
    x = (place + FLAG_SPACE) * width
    middle = x + width / 2
    side = USA if place > 0 else USSR if place < 0 else "nobody"
    parts = [
        _box(x + 1, 26, width - 2, 34, "marked" if marked else "space"),
        _box(x + 1, 62, width - 2, 6, f"side-{side}"),
        _words(middle, 49, _signed(place), 17, "on-marked bold" if marked else "ink", "middle"),
    ]
    if marked:
        points = f"{_number(middle - 12)},2 {_number(middle + 12)},2 {_number(middle)},22"
        parts.append(_element("polygon", points=points, class_="marked"))
    return "".join(parts)


def _signed(place: int) -> str:
    return f"+{place}" if place > 0 else f"\N{MINUS SIGN}{-place}" if place else "0"


# --- the table -----------------------------------------------------------------------------------


def _grid(spoken: Speaker) -> Block:
    """The cards on their cells, as large as the width allows."""
    table = spoken.view.table
    columns, rows = _span(country.cell[0] for country in table), _span(c.cell[1] for c in table)
    width = LABELS + len(columns) * (CARD_WIDTH + GAP)
    height = LABELS + len(rows) * (CARD_HEIGHT + GAP)
    scale = min(LARGEST_CARDS, INNER / width)
    drawn = [_column(i, column_name(x)) for i, x in enumerate(columns)]
    drawn += [_row(i, row_name(y)) for i, y in enumerate(rows)]
    for country in table:
        x, y = _corner(columns.index(country.cell[0]), rows.index(country.cell[1]))
        drawn.append(_at(x, y, _country(spoken, country)))
    left = (INNER - width * scale) / 2
    place = f"translate({_number(left)} 0) scale({scale:.4f})"
    return Block(_element("g", *drawn, id="grid", transform=place), height * scale)


def _span(numbers: Iterable[int]) -> range:
    found = list(numbers)
    return range(min(found), max(found) + 1)


def _corner(column: int, row: int) -> tuple[float, float]:
    return LABELS + column * (CARD_WIDTH + GAP), LABELS + row * (CARD_HEIGHT + GAP)


def _column(number: int, name: str) -> str:
    x, _ = _corner(number, 0)
    return _words(x + CARD_WIDTH / 2, LABELS - 8, name, 18, "muted", "middle")


def _row(number: int, name: str) -> str:
    _, y = _corner(0, number)
    return _words(LABELS / 2 - 4, y + CARD_HEIGHT / 2, name, 18, "muted", "middle")


def _country(spoken: Speaker, country: Country) -> str:
    card = spoken.view.deck.cards[country.card]
    ahead = leader(country)
    weight = "" if ahead is None else " led" if country.lead(ahead) == 1 else " locked"
    return _element(
        "g",
        _element("title", _escaped(_said_aloud(spoken, card))),
        _box(0, 0, CARD_WIDTH, CARD_HEIGHT, f"card edge-{ahead or 'nobody'}{weight}", 8),
        _band(spoken, card, CARD_WIDTH, cell_name(country.cell)),
        _name(spoken(shown(card, "name", card.name))),
        _flag_and_command(spoken, card),
        *(_cubes(side, country.cubes(side), x, 110) for side, x in ((USA, 36), (USSR, 96))),
        _lead(spoken, country),
        id=f"card-{card.id}",
        data_cell=cell_name(country.cell),
    )


def _said_aloud(spoken: Speaker, card: Card) -> str:
    """What a card says in full, for whoever points at it."""
    region = spoken.view.deck.regions[card.region].name
    return f"{spoken(card.name)} ({spoken(region)}) {spoken(card.text)}".strip()


def _band(spoken: Speaker, card: Card, width: float, right: str) -> str:
    """The coloured head of a card: its region on the left, something else on the right."""
    short = spoken(spoken.view.deck.regions[card.region].short)
    head = f"M1 25V8a7 7 0 0 1 7 -7H{_number(width - 8)}a7 7 0 0 1 7 7V25Z"
    return (
        _element("path", d=head, class_=f"region-{card.region}")
        + _words(8, 19, *_fitted(short, 15, width / 2 - 10, bold=True), "on-region bold")
        + _words(width - 8, 18, *_fitted(right, 14, width / 2), "on-region", "end")
    )


def _name(name: str) -> str:
    """A name in one line, or in two when that lets it be larger."""
    room = CARD_WIDTH - 12
    lines = _halves(name) if _length(name, bold=True) * 18 > room else [name]
    first, largest = (50, 18) if len(lines) == 1 else (42, 16)
    size = min(_fitted(line, largest, room, bold=True)[1] for line in lines)
    cut = [_fitted(line, size, room, bold=True)[0] for line in lines]
    return "".join(
        _words(CARD_WIDTH / 2, first + 17 * i, line, size, "ink bold", "middle")
        for i, line in enumerate(cut)
    )


def _halves(name: str) -> list[str]:
    """The name parted at the blank nearest to its middle."""
    blanks = [match.start() for match in re.finditer(" ", name)]
    if not blanks:
        return [name]
    middle = min(blanks, key=lambda blank: abs(2 * blank - len(name)))
    return [name[:middle], name[middle + 1 :]]


def _flag_and_command(spoken: Speaker, card: Card) -> str:
    """On a card of the table: the flag, and the command after its sign."""
    flag = spoken(shown(card, "flag", flag_name(card)))
    if card.flag is None:
        return _words(CARD_WIDTH / 2, 81, flag, 13, "muted", "middle")
    command = spoken(shown(card, "command", card.command))
    return (
        _badge(card.flag, flag, 8, 66, 62)
        + _diamond(90, 76)
        + _words(101, 82, *_fitted(command, 16, 26, bold=True), "ink bold")
    )


def _diamond(x: float, y: float) -> str:
    """The sign of a command."""
    points = f"{_number(x - 7)},{_number(y)} {_number(x)},{_number(y - 8)}"
    points += f" {_number(x + 7)},{_number(y)} {_number(x)},{_number(y + 8)}"
    return _element("polygon", points=points, class_="sign")


def _badge(side: Seat, word: str, x: float, y: float, width: float) -> str:
    """A flag: the word in a rectangle for the USA, in a lozenge with round ends for the USSR."""
    return _box(x, y, width, 20, f"side-{side}", 0 if side == USA else 10) + _words(
        x + width / 2,
        y + 15,
        *_fitted(word, 14, width - 10, bold=True),
        f"on-{side} bold",
        "middle",
    )


def _cubes(side: Seat, count: int, x: float, y: float) -> str:
    """A square or a circle around its middle, hollow when there is no cube."""
    fill = f"side-{side}" if count else f"hollow edge-{side}"
    shape = (
        _box(x - 18, y - 18, 36, 36, fill)
        if side == USA
        else _element("circle", cx=_number(x), cy=_number(y), r="19", class_=fill)
    )
    word, size = _fitted(f"{LETTERS[side]}{count}", 18, 34, bold=True)
    ink = f"on-{side} bold" if count else "muted"
    return shape + _words(x, y + size / 3, word, size, ink, "middle")


def _lead(spoken: Speaker, country: Country) -> str:
    """Who dominates, in an open frame; who controls, in a filled one with a padlock."""
    side = leader(country)
    if side is None:
        level = spoken(lead(country)) if country.usa else ""
        return _words(CARD_WIDTH / 2, 145, level, 13, "muted", "middle")
    locks = country.lead(side) > 1
    room = CARD_WIDTH - (42 if locks else 22)
    words, size = _fitted(spoken(lead(country)), 14, room, bold=True)
    frame = f"side-{side}" if locks else f"hollow edge-{side}"
    ink = f"on-{side}" if locks else "ink"
    middle = CARD_WIDTH / 2 + (8 if locks else 0)
    return (
        _box(6, 131, CARD_WIDTH - 12, 19, frame, 0 if side == USA else 9)
        + (_padlock(14, 133.5, side) if locks else "")
        + _words(middle, 145, words, size, f"{ink} bold", "middle")
    )


def _padlock(x: float, y: float, side: Seat) -> str:
    bow = _element("path", d="M2 6V4a3 3 0 0 1 6 0V6", class_=f"bow bow-{side}")
    return _at(x, y, bow + _box(0, 6, 10, 7, f"on-{side}", 1))


# --- below the table -----------------------------------------------------------------------------


def _stores(spoken: Speaker) -> Block:
    """For each side its supply and its hidden cards, then reserve and aftermath."""
    view = spoken.view
    sides = [_store(spoken, side, i * (HALF + GAP)) for i, side in enumerate(SIDES)]
    facts = list(aftermath(view))
    if view.reserve_size:
        facts.insert(0, Text("Reserve: {count}", {"count": view.reserve_size}))
    lines = [line for fact in facts for line in _lines(spoken.sentence(fact), INNER, 17)]
    rest = _paragraph(0, 110, lines, 17, "ink")
    return Block(_element("g", *sides, rest, id="stores"), 92 + 22 * len(lines))


def _store(spoken: Speaker, side: Seat, x: float) -> str:
    view = spoken.view
    index = SIDES.index(side)
    supply = spoken.labelled(Text("Supply"), view.supplies[index])
    room = HALF - (20 if side == view.seat else 150)
    parts = [
        _box(0, 0, HALF, 84, "card edge-nobody", 8),
        _badge(side, spoken(SIDE_NAMES[side]), 10, 12, 64),
        _shape(side, 94, 22, 8),
        _words(110, 28, *_fitted(supply, 17, HALF - 116), "ink"),
        _words(10, 66, *_fitted(spoken(hand_size(view, side)), 17, room), "ink"),
    ]
    if side != view.seat:
        parts += [_back(HALF - 34 - 24 * i) for i in range(view.hand_sizes[index])]
    return _at(x, 0, "".join(parts))


def _shape(side: Seat, x: float, y: float, half: float) -> str:
    if side == USA:
        return _box(x - half, y - half, 2 * half, 2 * half, f"side-{side}")
    place = {"cx": _number(x), "cy": _number(y), "r": _number(half)}
    return _element("circle", class_=f"side-{side}", **place)


def _back(x: float) -> str:
    """A card from behind."""
    return _box(x, 44, 20, 30, "back", 3) + _element(
        "path",
        d=f"M{_number(x + 4)} 70L{_number(x + 16)} 48M{_number(x + 4)} 48l12 22",
        class_="weave",
    )


def _hand(spoken: Speaker) -> list[Block]:
    """One's own cards in pairs, each pair as high as its longer text."""
    view = spoken.view
    if not view.hand:
        return []
    blocks = [Block(_words(0, 18, spoken(Text("Your hand")), 20, "ink bold"), 18)]
    for start in range(0, len(view.hand), 2):
        pair = [view.deck.cards[card] for card in view.hand[start : start + 2]]
        texts = [_lines(spoken(shown(c, "event", c.text)), HALF - 20, 16) for c in pair]
        height = 70 + 20 * max(map(len, texts))
        cards = [_held(spoken, c, t, height) for c, t in zip(pair, texts, strict=True)]
        drawn = "".join(_at(i * (HALF + GAP), 0, card) for i, card in enumerate(cards))
        blocks.append(Block(drawn, height))
    return blocks


def _held(spoken: Speaker, card: Card, text: Sequence[str], height: float) -> str:
    region = spoken(spoken.view.deck.regions[card.region].name)
    name, size = _fitted(spoken(shown(card, "name", card.name)), 19, HALF - 190, bold=True)
    flag = spoken(shown(card, "flag", flag_name(card)))
    command = f"{spoken(Text('command'))} {spoken(shown(card, 'command', card.command))}"
    return _element(
        "g",
        _box(0, 0, HALF, height, "card edge-nobody", 8),
        _band(spoken, card, HALF, region),
        _words(10, 48, name, size, "ink bold"),
        _badge(card.flag, flag, HALF - 174, 33, 62) if card.flag else "",
        _words(HALF - 10, 48, *_fitted(command, 15, 98), "ink", "end"),
        _paragraph(10, 76, text, 16, "ink"),
        id=f"card-{card.id}",
    )


def _legend(spoken: Speaker) -> Block:
    """What the signs mean."""
    signs = [
        _shape(side, 8 + 120 * i, 12, 8)
        + _words(24 + 120 * i, 18, f"{LETTERS[side]} = {spoken(SIDE_NAMES[side])}", 15, "muted")
        for i, side in enumerate(SIDES)
    ]
    signs += [_diamond(262, 12), _words(278, 18, spoken(Text("command")), 15, "muted")]
    signs.append(_words(390, 18, f"* {spoken(Text('reconstructed value'))}", 15, "muted"))
    leads = spoken(Text("dominates: one cube more than the other; controls: two or more"))
    lines = _lines(leads, INNER, 15)
    drawing = "".join(signs) + _paragraph(0, 40, lines, 15, "muted")
    return Block(drawing, 28 + 20 * len(lines))


# --- words and shapes ----------------------------------------------------------------------------


def _lines(text: str, width: float, size: float, bold: bool = False) -> list[str]:
    return wrap(text, int(width / (size * (0.64 if bold else 0.57))))


def _fitted(text: str, size: float, width: float, bold: bool = False) -> tuple[str, float]:
    """The text and a size at which it fits; what is far too long is cut."""
    while len(text) > 1 and _length(text, bold) * SMALLEST > width:
        text = text[:-2] + "…" if text.endswith("…") else text[:-1] + "…"
    return text, min(size, width / max(1.0, _length(text, bold)))


def _length(text: str, bold: bool) -> float:
    """How long a text is, in sizes of its font, in the widest of the usual fonts."""
    return sum(map(_letter_width, text)) * (1.0 if bold else 0.88)


def _letter_width(letter: str) -> float:
    if letter in "ijlI'.,:;|! \u00a0":
        return 0.4
    if letter in "mwMW…":
        return 1.06
    return 0.78 if letter.isupper() else 0.53 if letter in "frt-*" else 0.7


def _paragraph(x: float, y: float, lines: Sequence[str], size: float, look: str) -> str:
    return "".join(_words(x, y + 1.26 * size * i, line, size, look) for i, line in enumerate(lines))


def _words(x: float, y: float, words: str, size: float, look: str, anchor: str = "start") -> str:
    attributes = {"x": _number(x), "y": _number(y), "font-size": _number(size)}
    if anchor != "start":
        attributes["text-anchor"] = anchor
    return _element("text", _escaped(words), class_=look, **attributes)


def _box(x: float, y: float, width: float, height: float, look: str, round_: float = 0) -> str:
    attributes = {"x": _number(x), "y": _number(y)}
    attributes |= {"width": _number(width), "height": _number(height)}
    if round_:
        attributes["rx"] = _number(round_)
    return _element("rect", class_=look, **attributes)


def _at(x: float, y: float, drawing: str) -> str:
    return _element("g", drawing, transform=f"translate({_number(x)} {_number(y)})")


def _element(name: str, *inside: str, **attributes: str) -> str:
    """An element around finished XML; class_ and data_cell lose or change their underscore."""
    head = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_printable(value))}"
        for key, value in attributes.items()
    )
    return f"<{name}{head}>{''.join(inside)}</{name}>" if inside else f"<{name}{head}/>"


def _escaped(text: str) -> str:
    return escape(_printable(text))


_UNPRINTABLE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _printable(text: str) -> str:
    """Without the characters that XML knows no way to write."""
    return _UNPRINTABLE.sub("", text)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
