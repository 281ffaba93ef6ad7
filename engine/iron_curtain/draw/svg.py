"""A view as a standalone SVG document: no script, nothing from elsewhere, light and dark.

Colours are those of Okabe and Ito, and none stands alone: the USA has squares and the letter U, the
USSR circles and the letter S, regions their short name. `STYLE` never changes, so that a page with
a strict content policy can allow it by its hash.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from engine.core import HeldCard, Language, Seat, Text
from engine.iron_curtain.board import FLAG_SPACE
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card
from engine.iron_curtain.draw import stars
from engine.iron_curtain.draw.cards import (
    CARD_HEIGHT,
    CARD_WIDTH,
    FACE_HEIGHT,
    LETTERS,
    Speaker,
    badge,
    card_back,
    country_card,
    cube_shape,
    diamond,
    held_card,
    held_face,
)
from engine.iron_curtain.draw.narrate import (
    Say,
    aftermath,
    flag_name,
    hand_size,
    question,
    round_and_turn,
    standing,
    stores,
    summary,
)
from engine.iron_curtain.draw.palette import STYLE
from engine.iron_curtain.draw.shapes import (
    GAP,
    HALF,
    INNER,
    MARGIN,
    WIDTH,
    box,
    element,
    escaped,
    fitted,
    lines_of,
    number,
    paragraph,
    placed,
    words_at,
)
from engine.iron_curtain.grid import column_name, row_name
from engine.iron_curtain.view import View

LABELS = 26
BUTTON = 90
"""Room that a table leaves at its lower right for a button of the page."""
LARGEST_CARDS = 1.2
KEPT_LABELS = 1024
"""Of columns and of rows, wherever a table has them; 100 bytes each."""


class Block(NamedTuple):
    """A part of the picture as wide as the inner width, drawn from its own corner."""

    drawing: str
    height: float


def draw(view: View, language: Language, say: Say) -> str:
    spoken = Speaker(view, language, say)
    blocks = [_header(spoken), _track(spoken), _grid(spoken), _stores(spoken), *_hand(spoken)]
    told = " ".join(map(spoken.sentence, summary(view)))
    return _document([*blocks, _legend(spoken)], spoken(_title(view)), told, language)


def excerpt(view: View, language: Language, say: Say, title: str) -> str:
    """Track and table alone, for the rules."""
    spoken = Speaker(view, language, say)
    return _document([_track(spoken), _grid(spoken)], title, "", language)


def table(view: View, language: Language, say: Say) -> str:
    """Track, table and stores alone, for a page that shows the hand and asks in its own words."""
    spoken = Speaker(view, language, say)
    told = " ".join(map(spoken.sentence, summary(view)))
    blocks = [_track(spoken), _grid(spoken), _facts(spoken)]
    return _document(blocks, spoken(_title(view)), told, language)


def held(view: View, language: Language, say: Say) -> tuple[HeldCard, ...]:
    """One's own cards: a face each, and their words."""
    spoken = Speaker(view, language, say)
    cards = [view.deck.cards[card] for card in view.hand]
    return tuple(
        HeldCard(
            card.id,
            _face(spoken, card),
            _held_title(spoken, card),
            spoken(card.text),
            " ".join(map(spoken.sentence, stars.detail(card, view.deck))),
        )
        for card in cards
    )


def _face(spoken: Speaker, card: Card) -> str:
    return element(
        "svg",
        held_face(spoken, card),
        xmlns="http://www.w3.org/2000/svg",
        aria_hidden="true",
        class_="iron-curtain",
        viewBox=f"-2 -2 {CARD_WIDTH + 4} {FACE_HEIGHT + 4}",
        width="100%",
    )


def _held_title(spoken: Speaker, card: Card) -> str:
    facts = {
        "card": card.name,
        "region": spoken.view.deck.regions[card.region].name,
        "flag": flag_name(card),
        "command": card.command,
    }
    return spoken(Text("{card}, {region}, flag {flag}, command {command}", facts))


def _document(blocks: Iterable[Block], title: str, told: str, language: Language) -> str:
    drawing, height = _stacked(blocks)
    return element(
        "svg",
        element("title", escaped(title)),
        element("desc", escaped(told)),
        element("style", STYLE),
        box(0, 0, WIDTH, height, "page"),
        drawing,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        lang=language,
        class_="iron-curtain",
        viewBox=f"0 0 {WIDTH} {number(height)}",
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
        drawn.append(placed(MARGIN, y, block.drawing))
        y += block.height + GAP
    return "".join(drawn), y - GAP + MARGIN


# --- above the table ------------------------------------------------------------------------------


def _header(spoken: Speaker) -> Block:
    view = spoken.view
    asked = lines_of(spoken(question(view)), INNER, 20, bold=True)
    first = words_at(0, 18, spoken(round_and_turn(view)), 18, "muted")
    return Block(first + paragraph(0, 46, asked, 20, "ink bold"), 46 + 26 * (len(asked) - 1) + 4)


def _track(spoken: Speaker) -> Block:
    """The track from the flag of the USSR to the flag of the USA, with its marker."""
    score = spoken.labelled(Text("Score"), standing(spoken.view))
    ussr, usa = spoken(SIDE_NAMES[USSR]), spoken(SIDE_NAMES[USA])
    return _marked_track(spoken.view.track, score, ussr, usa)


@lru_cache(maxsize=256)
def _marked_track(track: int, score: str, ussr: str, usa: str) -> Block:
    spaces = [_space(place, place == track) for place in range(-FLAG_SPACE, FLAG_SPACE + 1)]
    flags = badge(USSR, ussr, 0, 74, 64) + badge(USA, usa, INNER - 64, 74, 64)
    title = words_at(INNER / 2, 90, score, 18, "ink bold", "middle")
    return Block(element("g", *spaces, flags, title, id="track"), 98)


def _space(place: int, marked: bool) -> str:
    width = INNER / (2 * FLAG_SPACE + 1)
    x = (place + FLAG_SPACE) * width
    middle = x + width / 2
    side = USA if place > 0 else USSR if place < 0 else "nobody"
    parts = [
        box(x + 1, 26, width - 2, 34, "marked" if marked else "space"),
        box(x + 1, 62, width - 2, 6, f"side-{side}"),
        words_at(middle, 49, _signed(place), 17, "on-marked bold" if marked else "ink", "middle"),
    ]
    if marked:
        points = f"{number(middle - 12)},2 {number(middle + 12)},2 {number(middle)},22"
        parts.append(element("polygon", points=points, class_="marked"))
    return "".join(parts)


def _signed(place: int) -> str:
    return f"+{place}" if place > 0 else f"\N{MINUS SIGN}{-place}" if place else "0"


# --- the table ------------------------------------------------------------------------------------


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
        drawn.append(placed(x, y, country_card(spoken, country)))
    left = (INNER - width * scale) / 2
    place = f"translate({number(left)} 0) scale({scale:.4f})"
    return Block(element("g", *drawn, id="grid", transform=place), height * scale)


def _span(numbers: Iterable[int]) -> range:
    found = list(numbers)
    return range(min(found), max(found) + 1)


def _corner(column: int, row: int) -> tuple[float, float]:
    return LABELS + column * (CARD_WIDTH + GAP), LABELS + row * (CARD_HEIGHT + GAP)


@lru_cache(maxsize=KEPT_LABELS)
def _column(number: int, name: str) -> str:
    x, _ = _corner(number, 0)
    return words_at(x + CARD_WIDTH / 2, LABELS - 8, name, 18, "muted", "middle")


@lru_cache(maxsize=KEPT_LABELS)
def _row(number: int, name: str) -> str:
    _, y = _corner(0, number)
    return words_at(LABELS / 2 - 4, y + CARD_HEIGHT / 2, name, 18, "muted", "middle")


# --- below the table ------------------------------------------------------------------------------


def _stores(spoken: Speaker) -> Block:
    """For each side its supply and its hidden cards, then reserve and aftermath."""
    view = spoken.view
    sides = [_store(spoken, side, i * (HALF + GAP)) for i, side in enumerate(SIDES)]
    facts = list(aftermath(view))
    if view.reserve_size:
        facts.insert(0, Text("Reserve: {count}", {"count": view.reserve_size}))
    lines = [line for fact in facts for line in lines_of(spoken.sentence(fact), INNER, 17)]
    rest = paragraph(0, 110, lines, 17, "ink")
    return Block(element("g", *sides, rest, id="stores"), 92 + 22 * len(lines))


def _store(spoken: Speaker, side: Seat, x: float) -> str:
    view = spoken.view
    index = SIDES.index(side)
    supply = spoken.labelled(Text("Supply"), view.supplies[index])
    room = HALF - (20 if side == view.seat else 150)
    parts = [
        box(0, 0, HALF, 84, "card edge-nobody", 8),
        badge(side, spoken(SIDE_NAMES[side]), 10, 12, 64),
        cube_shape(side, 94, 22, 8),
        words_at(110, 28, *fitted(supply, 17, HALF - 116), "ink"),
        words_at(10, 66, *fitted(spoken(hand_size(view, side)), 17, room), "ink"),
    ]
    if side != view.seat:
        parts += [card_back(HALF - 34 - 24 * i) for i in range(view.hand_sizes[index])]
    return placed(x, 0, "".join(parts))


def _facts(spoken: Speaker) -> Block:
    """The stores in sentences; pages put a button beside them, where nothing is drawn."""
    told = " ".join(map(spoken.sentence, stores(spoken.view)))
    lines = lines_of(told, INNER - BUTTON, 17)
    return Block(paragraph(0, 14, lines, 17, "ink"), max(22 * len(lines) - 4, BUTTON - MARGIN))


def _hand(spoken: Speaker) -> list[Block]:
    """One's own cards in pairs, each pair as high as its longer text."""
    view = spoken.view
    if not view.hand:
        return []
    blocks = [Block(words_at(0, 18, spoken(Text("Your hand")), 20, "ink bold"), 18)]
    for start in range(0, len(view.hand), 2):
        pair = [view.deck.cards[card] for card in view.hand[start : start + 2]]
        texts = [lines_of(spoken(c.text), HALF - 20, 16) for c in pair]
        height = 70 + 20 * max(map(len, texts))
        cards = [held_card(spoken, c, t, height) for c, t in zip(pair, texts, strict=True)]
        drawn = "".join(placed(i * (HALF + GAP), 0, card) for i, card in enumerate(cards))
        blocks.append(Block(drawn, height))
    return blocks


def _legend(spoken: Speaker) -> Block:
    """What the signs mean."""
    signs = [
        cube_shape(side, 8 + 120 * i, 12, 8)
        + words_at(24 + 120 * i, 18, f"{LETTERS[side]} = {spoken(SIDE_NAMES[side])}", 15, "muted")
        for i, side in enumerate(SIDES)
    ]
    signs += [diamond(262, 12), words_at(278, 18, spoken(Text("command")), 15, "muted")]
    leads = spoken(Text("dominates: one cube more than the other; controls: two or more"))
    lines = lines_of(leads, INNER, 15)
    drawing = "".join(signs) + paragraph(0, 40, lines, 15, "muted")
    return Block(drawing, 28 + 20 * len(lines))
