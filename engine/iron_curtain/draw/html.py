"""A view as a piece of HTML for letters: tables and inline styles, nothing from elsewhere.

It holds where style sheets, pictures and scripts do not. Light colours are inline; the classes
`pb-card`, `pb-muted` and `pb-space` let a letter recolour what must change in the dark. The whole
board is as wide as the letter, however many cards lie in a row; `pb-wide` marks what a letter may
leave out on a phone. No colour stands alone: the USA has squares, the USSR circles, and who leads
is said in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from engine.core import Language, Param, Seat, Text
from engine.iron_curtain.board import FLAG_SPACE, Country
from engine.iron_curtain.deck import SIDE_NAMES, SIDES, USA, USSR, Card
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
from engine.iron_curtain.grid import cell_name, column_name, row_name
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
        self.view, self.language, self._say = view, language, say

    def say(self, value: Param) -> str:
        """A message or a name, ready to stand in HTML."""
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return escape(" ".join(words_of(self._say(text, self.language))))

    def sentence(self, fact: Text) -> str:
        return escape(sentence(fact, self.language, self._say))

    # --- above the board ---

    def head(self) -> str:
        where, asked = self.sentence(round_and_turn(self.view)), self.sentence(question(self.view))
        return _paragraph(f'<span class="pb-muted" style="{_MUTED}">{where}</span> <b>{asked}</b>')

    def track(self) -> str:
        """The ideology track; the marker stands in a dark field and in brackets."""
        spaces = "\n".join(map(self._space, range(-FLAG_SPACE, FLAG_SPACE + 1)))
        ends = "\n".join(
            f'<td colspan="{width}" align="{align}" style="{_SMALL}">{words}</td>'
            for width, align, words in (
                (4, "left", self._badge(USSR)),
                (9, "center", self.say(self._score())),
                (4, "right", self._badge(USA)),
            )
        )
        return _table(f"<tr>\n{spaces}\n</tr>\n<tr>\n{ends}\n</tr>", "table-layout:fixed")

    def _score(self) -> Text:
        params: Params = {"label": Text("Score"), "value": standing(self.view)}
        return Text("{label}: {value}", params)

    def _space(self, place: int) -> str:
        if place == self.view.track:
            style = f"background:{LIGHT['ink']};color:{LIGHT['card']};font-weight:bold"
            return (
                f'<td class="pb-mark" align="center" style="{_SPACE};{style}">[{abs(place)}]</td>'
            )
        return f'<td class="pb-card" align="center" style="{_SPACE};{_CARD}">{abs(place)}</td>'

    def _badge(self, side: Seat) -> str:
        """A side with its shape, in its colour."""
        return _coloured(side, f"{SHAPES[side]}&nbsp;{self.say(SIDE_NAMES[side])}")

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
        label, spacing = self.say(self.view_title()), 3 if len(columns) <= ROOMY else 1
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
        size = 12 if beside <= ROOMY else 11 if beside <= ROOMY + 2 else 10
        wide = ' class="pb-wide"' if beside > ROOMY else ""
        card, ahead = self.view.deck.cards[country.card], leader(country)
        edge = LIGHT["line"] if ahead is None else LIGHT[ahead]
        width = 1 if ahead is None else min(country.lead(ahead), 2) * 2
        told = f"{self.say(card.name)}. {self.say(card.text)}"
        return (
            f'<td class="pb-card" valign="top" title="{told}"'
            f' style="{_CARD};{_FACE};font-size:{size}px;border:{width}px solid {edge}">\n'
            f"{self._band(card, cell_name(country.cell))}\n"
            f'<div style="padding:2px"><b>{self.say(card.name)}</b>'
            f"<span{wide}><br>{self._flag(card)}</span>\n{self._cubes(country, wide)}</div>\n</td>"
        )

    def _band(self, card: Card, cell: str) -> str:
        """The coloured head of a card: its region and its place."""
        colour = REGIONS.get(card.region, OTHER_REGION)
        region = self.say(self.view.deck.regions[card.region].short)
        return (
            f'<div style="background:{colour};color:{ON_REGION};padding:0 2px;font-size:0.9em">'
            f"<b>{region}</b> {cell}</div>"
        )

    def _flag(self, card: Card) -> str:
        flag = self.say(flag_name(card))
        if card.flag is None:
            return f'<span class="pb-muted" style="{_MUTED}">{flag}</span>'
        return f"{flag} {self.say(card.command)}"

    def _cubes(self, country: Country, wide: str) -> str:
        """The cubes of each side that has some, and who leads."""
        cubes = [
            _coloured(side, f"{SHAPES[side]}&nbsp;{country.cubes(side)}")
            for side in SIDES
            if country.cubes(side)
        ]
        if not cubes:
            return ""
        return f"<br>{' '.join(cubes)}<span{wide}><br>{self.say(lead(country))}</span>"

    # --- below the board ---

    def stores(self) -> str:
        return _paragraph(" ".join(map(self.sentence, stores(self.view))))

    def hand(self) -> str:
        if not self.view.hand:
            return ""
        cards = [self._held(self.view.deck.cards[card]) for card in self.view.hand]
        title = _paragraph(f"<b>{self.say(Text('Your hand'))}</b>")
        return f"{title}\n{_table(chr(10).join(cards), spacing=3)}"

    def _held(self, card: Card) -> str:
        assert card.flag is not None, "only strategy cards are held"
        colour = REGIONS.get(card.region, OTHER_REGION)
        region = self.say(self.view.deck.regions[card.region].name)
        command = f"{self.say(Text('command'))} {self.say(card.command)}"
        flag = self.say(SIDE_NAMES[card.flag])
        return (
            f'<tr><td class="pb-card" style="{_CARD};border:1px solid {LIGHT["line"]};'
            f'border-left:8px solid {colour};padding:4px 8px">\n'
            f"<b>{self.say(card.name)}</b>, {region}, "
            f"{_coloured(card.flag, f'{SHAPES[card.flag]}&nbsp;{flag}')} {command}<br>\n"
            f"{self.say(card.text)}</td></tr>"
        )


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
