"""A view as a piece of HTML for letters: tables and inline styles, nothing from elsewhere.

It holds where style sheets, pictures and scripts do not. Light colours are inline; the classes
`pb-card`, `pb-muted` and `pb-space` let a letter recolour what must change in the dark. The whole
board is as wide as the letter, however many cards lie in a row; `pb-wide` marks what a letter may
leave out on a phone. No colour stands alone: the USA has squares, the USSR circles, and who leads
is said in words.

What is printed on a card, the track and the cubes on a card are drawn once and kept with the deck.
They show nothing but what they were asked for by name and number, whoever looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

from engine.core import Language, Param, Seat, Text
from engine.iron_curtain.board import FLAG_SPACE, Country
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card, Deck, remembered
from engine.iron_curtain.draw.narrate import (
    Params,
    Say,
    flag_name,
    lead,
    leader,
    question,
    round_and_turn,
    sentence,
    standing,
    stores,
)
from engine.iron_curtain.draw.palette import LIGHT, ON_REGION, ON_SIDE, REGIONS
from engine.iron_curtain.grid import Cell, cell_name, column_name, row_name
from engine.iron_curtain.view import View
from engine.text import words_of

SHAPES = {USA: "\N{BLACK SQUARE}", USSR: "\N{BLACK CIRCLE}"}
WIDEST = 160
"""Pixels of a card."""
ROOMY = 4
"""So many cards in a row have room on a phone for all that is printed on them."""
MARGIN = 22
"""Pixels for the numbers of the rows."""
OTHER_REGION = "#cccccc"


def markup(view: View, language: Language, say: Say) -> str:
    page = Page(view, language, say)
    parts = (page.head(), page.track(), page.board(), page.stores(), page.hand())
    return "\n".join(part for part in parts if part) + "\n"


class Page:
    """One view on its way into a letter."""

    def __init__(self, view: View, language: Language, say: Say) -> None:
        self.view, self.speaker = view, Speaker(language, say)

    # --- above the board ---

    def head(self) -> str:
        where = self.speaker.sentence(round_and_turn(self.view))
        asked = self.speaker.sentence(question(self.view))
        return _paragraph(f'<span class="pb-muted" style="{_MUTED}">{where}</span> <b>{asked}</b>')

    def track(self) -> str:
        params: Params = {"label": Text("Score"), "value": standing(self.view)}
        score = self.speaker.say(Text("{label}: {value}", params))
        return _track(self.view.deck, self.view.track, score, self.speaker)

    # --- the board ---

    def board(self) -> str:
        table = self.view.table
        columns = _span(country.cell[0] for country in table)
        lying = {country.cell: country for country in table}
        heads = "\n".join(
            f'<th scope="col" class="pb-muted" style="{_HEAD}">{column_name(x)}</th>'
            for x in columns
        )
        body = [f'<tr>\n<td width="{MARGIN}"></td>\n{heads}\n</tr>']
        for y in _span(country.cell[1] for country in table):
            cells = [self._cell(lying.get((x, y)), len(columns)) for x in columns]
            name = f'<th scope="row" class="pb-muted" style="{_HEAD}">{row_name(y)}</th>'
            body.append("\n".join(["<tr>", name, *cells, "</tr>"]))
        width = f"table-layout:fixed;max-width:{MARGIN + WIDEST * len(columns)}px"
        label, spacing = self.speaker.say(self.view_title()), 3 if len(columns) <= ROOMY else 1
        drawn = _table(chr(10).join(body), width, spacing, role="")
        return f'<div role="group" aria-label="{label}">\n{drawn}\n</div>'

    def view_title(self) -> Text:
        if self.view.seat is None:
            return Text("Iron Curtain, as a spectator sees it")
        return Text("Iron Curtain, as {side} sees it", {"side": SIDE_NAMES[self.view.seat]})

    def _cell(self, country: Country | None, beside: int) -> str:
        """A card among so many in a row; where they are many, its letters are smaller."""
        if country is None:
            return "<td></td>"
        deck, size = self.view.deck, 12 if beside <= ROOMY else 11 if beside <= ROOMY + 2 else 10
        wide = ' class="pb-wide"' if beside > ROOMY else ""
        face = _face(deck, country.card, wide, self.speaker)
        on_it = _cubes(deck, country.usa, country.ussr, wide, self.speaker)
        return (
            f'<td class="pb-card" valign="top" title="{face.told}"'
            f' style="{_CARD};{_FACE};font-size:{size}px;border:{on_it.border}">\n'
            f"{face.band}{cell_name(country.cell)}</div>\n"
            f'<div style="padding:2px">{face.name}\n{on_it.cubes}</div>\n</td>'
        )

    # --- below the board ---

    def stores(self) -> str:
        return _paragraph(" ".join(map(self.speaker.sentence, stores(self.view))))

    def hand(self) -> str:
        if not self.view.hand:
            return ""
        cards = [_held(self.view.deck, card, self.speaker) for card in self.view.hand]
        title = _paragraph(f"<b>{self.speaker.say(Text('Your hand'))}</b>")
        return f"{title}\n{_table(chr(10).join(cards), spacing=3)}"


class Speaker(NamedTuple):
    """Says messages in the language of a letter, ready to stand in HTML."""

    language: Language
    in_words: Say

    def say(self, value: Param) -> str:
        """A message or a name."""
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return escape(" ".join(words_of(self.in_words(text, self.language))))

    def sentence(self, fact: Text) -> str:
        return escape(sentence(fact, self.language, self.in_words))


@remembered
def _track(deck: Deck, track: int, score: str, speaker: Speaker) -> str:
    """The ideology track; the marker stands in a dark field and in brackets."""
    places = range(-FLAG_SPACE, FLAG_SPACE + 1)
    spaces = "\n".join(_space(place, place == track) for place in places)
    ends = "\n".join(
        f'<td colspan="{width}" align="{align}" style="{_SMALL}">{words}</td>'
        for width, align, words in (
            (4, "left", _badge(USSR, speaker)),
            (9, "center", score),
            (4, "right", _badge(USA, speaker)),
        )
    )
    return _table(f"<tr>\n{spaces}\n</tr>\n<tr>\n{ends}\n</tr>", "table-layout:fixed")


def _space(place: int, is_marked: bool) -> str:
    if is_marked:
        style = f"background:{LIGHT['ink']};color:{LIGHT['card']};font-weight:bold"
        return f'<td class="pb-mark" align="center" style="{_SPACE};{style}">[{abs(place)}]</td>'
    return f'<td class="pb-card" align="center" style="{_SPACE};{_CARD}">{abs(place)}</td>'


def _badge(side: Seat, speaker: Speaker) -> str:
    """A side with its shape, in its colour."""
    return _coloured(side, f"{SHAPES[side]}&nbsp;{speaker.say(SIDE_NAMES[side])}")


# --- on a card ------------------------------------------------------------------------------------


class Face(NamedTuple):
    """What is printed on a card; the name of its cell goes behind the band."""

    told: str
    band: str
    name: str


@remembered
def _face(deck: Deck, key: str, wide: str, speaker: Speaker) -> Face:
    card = deck.cards[key]
    name, colour = speaker.say(card.name), REGIONS.get(card.region, OTHER_REGION)
    region = speaker.say(deck.regions[card.region].short)
    return Face(
        f"{name}. {speaker.say(card.text)}",
        f'<div style="background:{colour};color:{ON_REGION};padding:0 2px;font-size:0.9em">'
        f"<b>{region}</b> ",
        f"<b>{name}</b><span{wide}><br>{_flag(card, speaker)}</span>",
    )


def _flag(card: Card, speaker: Speaker) -> str:
    flag = speaker.say(flag_name(card))
    if card.flag is None:
        return f'<span class="pb-muted" style="{_MUTED}">{flag}</span>'
    return f"{flag} {speaker.say(card.command)}"


class Cubes(NamedTuple):
    """The cubes of each side that has some, with who leads, and the border that shows it."""

    border: str
    cubes: str


@remembered
def _cubes(deck: Deck, usa: int, ussr: int, wide: str, speaker: Speaker) -> Cubes:
    country = Country("", _ANYWHERE, usa, ussr)
    ahead = leader(country)
    if ahead is None:
        border = f"1px solid {LIGHT['line']}"
    else:
        border = f"{min(country.lead(ahead), 2) * 2}px solid {LIGHT[ahead]}"
    cubes = [
        _coloured(side, f"{SHAPES[side]}&nbsp;{country.cubes(side)}")
        for side in SIDES
        if country.cubes(side)
    ]
    if not cubes:
        return Cubes(border, "")
    told = speaker.say(lead(country))
    return Cubes(border, f"<br>{' '.join(cubes)}<span{wide}><br>{told}</span>")


@remembered
def _held(deck: Deck, key: str, speaker: Speaker) -> str:
    """A card in the hand, with all that is printed on it."""
    card = deck.cards[key]
    assert card.flag is not None, "only strategy cards are held"
    colour = REGIONS.get(card.region, OTHER_REGION)
    region = speaker.say(deck.regions[card.region].name)
    command = f"{speaker.say(Text('command'))} {speaker.say(card.command)}"
    return (
        f'<tr><td class="pb-card" style="{_CARD};border:1px solid {LIGHT["line"]};'
        f'border-left:8px solid {colour};padding:4px 8px">\n'
        f"<b>{speaker.say(card.name)}</b>, {region}, "
        f"{_badge(card.flag, speaker)} {command}<br>\n"
        f"{speaker.say(card.text)}</td></tr>"
    )


_ANYWHERE: Cell = (0, 0)
_MUTED = f"color:{LIGHT['muted']}"
_CARD = f"background:{LIGHT['card']};color:{LIGHT['ink']}"
_SMALL = "font-size:12px;font-weight:normal"
_HEAD = f"{_SMALL};{_MUTED};text-align:center"
_FACE = "padding:0;overflow-wrap:break-word;hyphens:auto"
_SPACE = f"font-size:12px;border:1px solid {LIGHT['line']};padding:3px 0"


def _span(numbers: Iterable[int]) -> range:
    found = list(numbers)
    return range(min(found), max(found) + 1)


def _coloured(side: Seat, words: str) -> str:
    style = f"background:{LIGHT[side]};color:{ON_SIDE['light'][side]};padding:0 3px"
    return f'<span style="{style};white-space:nowrap">{words}</span>'


def _paragraph(words: str) -> str:
    return f'<p style="margin:8px 0">{words}</p>'


def _table(rows: str, style: str = "", spacing: int = 0, role: str = "presentation") -> str:
    """A table as wide as the letter, with what old mail programs need said outright."""
    kind = f' role="{role}"' if role else ""
    return (
        f'<table{kind} width="100%" border="0" cellpadding="0" cellspacing="{spacing}"'
        f' style="width:100%;{style}">\n{rows}\n</table>'
    )
