"""A view as a piece of HTML for letters: tables and inline styles, nothing from elsewhere.

It holds where style sheets, pictures and scripts do not. Light colours are inline; the classes
`pb-card` and `pb-muted` let a letter recolour what must change in the dark. No colour stands
alone: every owner has its letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from html import escape

from engine.core import Language, Name, Param, Text
from engine.east_and_west import queries
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, POWERS
from engine.east_and_west.draw.ascii import (
    INFLUENCE,
    LETTERS,
    LUCK_TITLE,
    WATER,
    luck_table,
    wealth_table,
)
from engine.east_and_west.draw.narrate import (
    Say,
    busy,
    empty,
    known_steps,
    moment,
    question,
    research,
    sentence,
    stacked,
    this_turn,
)
from engine.east_and_west.draw.palette import LIGHT, ON_OWNER, OWNERS
from engine.east_and_west.draw.standing_text import own_orders
from engine.east_and_west.view import View
from engine.text import words_of


def markup(view: View, language: Language, say: Say) -> str:
    page = HtmlPage(view, language, say)
    theatres = (page.theatre(key) for key in atlas().theatres)
    parts = [page.head(), page.this_turn(), page.powers(), page.research(), page.luck()]
    parts += [page.influence(), *theatres, page.orders()]
    return joined(parts)


def joined(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part) + "\n"


class HtmlPage:
    """One view on its way into a letter."""

    def __init__(self, view: View, language: Language, say: Say) -> None:
        self.view, self.board, self.language, self._say = view, view.board, language, say

    def say(self, value: Param) -> str:
        """A message or a name, ready to stand in HTML."""
        text = value if isinstance(value, Text) else Text("{value}", {"value": value})
        return escape(" ".join(words_of(self._say(text, self.language))))

    def sentence(self, fact: Text) -> str:
        return escape(sentence(fact, self.language, self._say))

    def head(self) -> str:
        where, asked = self.sentence(moment(self.view)), self.sentence(question(self.view))
        return _paragraph(f'<span class="pb-muted" style="{_MUTED}">{where}</span> <b>{asked}</b>')

    def this_turn(self) -> str:
        return self.sentences(this_turn(self.board))

    def sentences(self, facts: Iterable[Text]) -> str:
        told = "<br>\n".join(map(self.sentence, facts))
        return _paragraph(told) if told else ""

    # --- the powers -------------------------------------------------------------------------------

    def powers(self) -> str:
        return self._by_power(*wealth_table(self.board))

    def luck(self) -> str:
        table = luck_table(self.board)
        if table is None:
            return ""
        title = _paragraph(f"<b>{self.say(LUCK_TITLE)}</b>")
        return f"{title}\n{self._by_power(*table)}"

    def _by_power(self, heads: Sequence[Text], rows: Sequence[Sequence[str]]) -> str:
        """A table with a row for each power."""
        top = "\n".join(
            f'<th scope="col" align="right" class="pb-muted" style="{_MUTED}">{self.say(head)}</th>'
            for head in heads
        )
        lines = [f"<tr>\n<td></td>\n{top}\n</tr>"]
        for seat, row in zip(POWERS, rows, strict=True):
            name = f"{_badge(seat)} {self.say(POWER_NAMES[seat])}"
            cells = "".join(f'<td align="right">{cell}</td>' for cell in row)
            lines.append(f"<tr>{_row_head(name)}{cells}</tr>")
        return _table("\n".join(lines))

    def research(self) -> str:
        facts: list[Text] = []
        for seat in POWERS:
            known = known_steps(self.board, seat)
            if known:
                power = POWER_NAMES[seat]
                facts.append(
                    Text("{power}, technologies: {known}.", {"power": power, "known": known})
                )
            facts += research(self.board, seat)
        return self.sentences(facts)

    def influence(self) -> str:
        """The tracks of the alliances; the marker stands in a dark field and in brackets."""
        lines = []
        for key, at in self.board.influence.items():
            alliance = atlas().alliances[key]
            payee, paid = queries.pays(self.board, key)
            cells = "\n".join(_place(n, n == at) for n in range(INFLUENCE, -INFLUENCE - 1, -1))
            pays = Text("pays {power} {paid}", {"power": POWER_NAMES[payee], "paid": paid})
            named = _row_head(f"{_badge(key)} {self.say(alliance.names)}")
            lines.append(
                f'<tr>{named}<td align="right">{_badge(POWERS[0])}</td>\n{cells}\n'
                f"<td>{_badge(alliance.west)} {self.say(pays) if paid else ''}</td></tr>"
            )
        return _table("\n".join(lines)) if lines else ""

    # --- the theatres -----------------------------------------------------------------------------

    def theatre(self, key: str) -> str:
        spaces, bare = busy(self.board, key), empty(self.board, key)
        if not spaces and not bare:
            return ""
        parts = [_paragraph(f"<b>{self.say(atlas().theatres[key].names)}</b>")]
        parts += [_table(chr(10).join(map(self._space, spaces)))] if spaces else []
        if bare:
            named = ", ".join(self._empty(land) for land in bare)
            parts.append(_paragraph(f"{self.say(Text('Without units:'))} {named}", _SMALL))
        return "\n".join(parts)

    def spaces(self, title: Name, keys: Iterable[str], changed: Set[str]) -> str:
        """Some spaces under a title; those that have changed are marked."""
        rows = "\n".join(self._space(key, key in changed) for key in keys)
        return f"{_paragraph(f'<b>{self.say(title)}</b>')}\n{_table(rows)}"

    def _empty(self, key: str) -> str:
        worth, owner = queries.value(self.board, key), self.board.owners[key]
        return f"{self.say(atlas().spaces[key].names)}&nbsp;({LETTERS[owner]},&nbsp;{worth})"

    def _space(self, key: str, is_changed: bool = False) -> str:
        space, owner = atlas().spaces[key], self.board.owners.get(key, "")
        worth = str(queries.value(self.board, key)) if space.is_land else ""
        factory = f", {self.say(Text('factory'))}" if key in self.board.factories else ""
        units = "<br>\n".join(
            ("" if whose == owner else f"{_badge(whose)} ") + self.say(stack)
            for whose, stack in stacked(self.board, key)
        )
        changed = f", <i>{self.say(Text('changed'))}</i>" if is_changed else ""
        named = _row_head(f"{self.say(space.names)}{factory}{changed}")
        return (
            f'<tr valign="top"><td width="24">{_badge(owner)}</td>{named}'
            f'<td width="24" align="right">{worth}</td>\n<td width="62%">{units}</td></tr>'
        )

    def orders(self) -> str:
        orders = own_orders(self.view)
        if not orders:
            return ""
        head = f"<b>{self.say(Text('Your standing orders and plans, which nobody else sees:'))}</b>"
        return _paragraph("<br>\n".join([head, *map(escape, orders)]))


_MUTED = f"color:{LIGHT['muted']}"
_CARD = f"background:{LIGHT['card']};color:{LIGHT['ink']}"
_SMALL = "font-size:12px;font-weight:normal"


def _badge(owner: str) -> str:
    """The letter of an owner in its colour; water has a wave."""
    colour = OWNERS.get(owner, LIGHT["sea"])
    return (
        f'<span style="background:{colour};color:{ON_OWNER};padding:0 4px">'
        f"{LETTERS.get(owner, WATER)}</span>"
    )


def _row_head(words: str) -> str:
    return f'<th scope="row" align="left" style="font-weight:normal">{words}</th>'


def _place(place: int, is_marked: bool) -> str:
    if is_marked:
        style = f"background:{LIGHT['ink']};color:{LIGHT['card']}"
        return f'<td class="pb-mark" align="center" style="{style}"><b>[{abs(place)}]</b></td>'
    return f'<td align="center">{abs(place)}</td>'


def _paragraph(words: str, style: str = "") -> str:
    return f'<p style="margin:8px 0;{style}">{words}</p>'


def _table(rows: str) -> str:
    """A table as wide as the letter, with what old mail programs need said outright."""
    return (
        '<table class="pb-card" width="100%" border="0" cellpadding="3" cellspacing="0"'
        f' style="width:100%;{_CARD};{_SMALL}">\n{rows}\n</table>'
    )
