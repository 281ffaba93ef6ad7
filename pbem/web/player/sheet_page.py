"""The order sheet on the page of a turn: the forms of a game beside its map.

All of it works by plain links and forms; `static/sheet.js` only swaps the same pages in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import request
from markupsafe import Markup
from msgspec.structs import replace

from engine.abilities import Maps, OrderSheets, Picture, Sheet, SheetMap
from engine.game import Game
from pbem.i18n import spoken
from pbem.services.match import drafts
from pbem.web.player.accounts import story
from pbem.web.shared import map_view, match_text
from pbem.web.shared.board_view import Board, board
from pbem.web.shared.context import now
from pbem.web.shared.draft_view import Draft
from pbem.web.shared.link_access import TurnVisit
from pbem.web.shared.map_view import MapShown
from pbem.web.shared.rule_links import Fault
from pbem.web.shared.shortcuts import Form

OWN = frozenset(("do", "composed", "filled", "zoom", "gone", "show", "word", "prefix"))
"""Fields and parameters of the page itself; all others are the game's."""
LONGEST_VALUE = 300
MOST_VALUES = 200
MOST_GONE = 12
ADDRESSES_KEPT = 2_048
"""100 bytes each."""
WORDS = "words"
"""Asked for as `?show=words`: the board in sentences and as text."""


class Filled(NamedTuple):
    """A form as somebody has sent it, and why it could not be."""

    form: str
    fault: Fault
    fields: Mapping[str, str]

    def value(self, form: str, field: str, usual: str) -> str:
        """What stands in a field: what was typed there, if it is of this form."""
        return self.fields.get(field, usual) if form == self.form else usual


NOT_FILLED = Filled("", Fault(), {})


# --- what was sent and asked for -----------------------------------------------------------------


def fields_of(form: Form) -> dict[str, str]:
    """The fields of the game in a form that was sent."""
    return {name: value for name, value in form.items() if name not in OWN}


def filled(form: Form, fault: Fault) -> Filled:
    return Filled(form.get("filled", ""), fault, _short(fields_of(form)))


def _short(fields: Mapping[str, str]) -> dict[str, str]:
    """What may come back into a page."""
    some = list(fields.items())[:MOST_VALUES]
    return {name: value[:LONGEST_VALUE] for name, value in some if len(name) <= LONGEST_VALUE}


def kept_address(form: Form, gone: Sequence[str] = ()) -> str:
    """What to go on with, a stage, a space, a part of the map, and what is gone, as an address."""
    names = ("stage", "at", "zoom") if form.get("do") == "fill" else ("stage", "zoom")
    kept = [(name, form[name][:LONGEST_VALUE]) for name in names if form.get(name)]
    return _address([*kept, *(("gone", order) for order in gone[:MOST_GONE])])


def numbered(game: Game[Any, Any, Any], text: str) -> list[tuple[int, str]]:
    """The orders of a text with the numbers of their lines."""
    if isinstance(game, OrderSheets):
        return list(game.pasted(text))
    lines = [(number, " ".join(line.split())) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in lines if line]


# --- showing -------------------------------------------------------------------------------------


def shown(visit: TurnVisit, draft: Draft, view: Any, wrong: Filled | None) -> dict[str, Any]:
    """What the template of the sheet needs: forms, map, and the words of the game."""
    game, asks = visit.match.game, _asks(wrong)
    assert isinstance(game, OrderSheets), "only such games have this page"
    zoom = request.args.get("zoom", request.form.get("zoom"))
    is_at_work = not draft.fault and (draft.is_asked or draft.is_final)
    heard = partial(drafts.heard_lately, visit.match, visit.turn)
    sheet = game.sheet(draft.state, visit.seat.name, asks, heard) if is_at_work else None
    plan = sheet.map if sheet else SheetMap()
    stage = _stage(sheet)
    look = _Look(game, view, stage, plan, asks, zoom)
    open_sheet = sheet if draft.is_asked else None
    return {
        "sheet": open_sheet,
        "before_sending": sheet,
        "action": visit.path,
        "stage": stage,
        "zoom": look.zoom if look.is_chosen else "",
        "map": look.shown(),
        "say": partial(_say, game),
        "link": partial(_link, look),
        "filled": wrong or NOT_FILLED,
        "stray_fault": wrong.fault if wrong and wrong.form not in _forms(open_sheet) else "",
        "gone": [order[:LONGEST_VALUE] for order in request.args.getlist("gone")[:MOST_GONE]],
        "drawing": None if isinstance(game, Maps) else Markup(game.draw(view, spoken())),
        "board": _in_words(game, view),
        "story": story(visit.match, visit.turn),
        "changed": None
        if draft.changed_at is None
        else match_text.moment(draft.changed_at, visit.player.zone, now()),
    }


def _asks(wrong: Filled | None) -> dict[str, str]:
    """What the address asks for; of a form that was refused, what was filled in."""
    return _short(fields_of(request.args)) if wrong is None else dict(wrong.fields)


def _stage(sheet: Sheet | None) -> str:
    return next((one.name for one in sheet.stages if one.is_shown), "") if sheet else ""


def _forms(sheet: Sheet | None) -> set[str]:
    """The names of the forms that are shown."""
    if sheet is None:
        return set()
    every = [form for panel in sheet.panels for form in panel.forms]
    return {form.name for form in (*every, sheet.finish) if form}


def _say(game: Game[Any, Any, Any], text: Any) -> str:
    return game.say(text, spoken())


def _in_words(game: Game[Any, Any, Any], view: Any) -> Board | None:
    return board(game, view) if request.args.get("show") == WORDS else None


class _Look:
    """The map as it is looked at: which part of it, and where its spaces lead."""

    def __init__(
        self,
        game: Game[Any, Any, Any],
        view: Any,
        stage: str,
        plan: SheetMap,
        asks: Mapping[str, str],
        wish: str | None,
    ) -> None:
        self.game, self.view, self.stage, self.plan, self.asks = game, view, stage, plan, asks
        known = game.zooms(spoken()) if isinstance(game, Maps) else ()
        self.is_chosen = wish is not None and wish in [zoom.key for zoom in known]
        self.zoom = wish if self.is_chosen and wish is not None else self._usual()

    def _usual(self) -> str:
        """The part of the map that shows what is chosen, with its targets if there is one.

        Where nothing is to be chosen, the battles are looked at.
        """
        plan, chosen = self.plan, frozenset({self.plan.selected})
        if not isinstance(self.game, Maps):
            return ""
        if not plan.selected:
            battles = frozenset(battle.space for battle in plan.battles)
            return "" if plan.open or not battles else self.game.zoom_on(battles)
        return self.game.zoom_on(chosen | plan.targets) or self.game.zoom_on(chosen)

    def shown(self) -> MapShown | None:
        if not isinstance(self.game, Maps):
            return None
        picture = self._picture(self.game.picture(self.view))
        return map_view.map_shown(self.game, self.view, picture, self._with_zoom)

    def _with_zoom(self, zoom: str) -> str:
        """The same page with another part of the map."""
        kept = [(name, value) for name, value in self.asks.items() if value]
        return _address([*kept, ("zoom", zoom)])

    def _picture(self, begun: Picture) -> Picture:
        plan = self.plan
        here = [("stage", self.stage)] if self.stage else []
        here += [("zoom", self.zoom)] if self.is_chosen else []
        to = [*here, *((n, v) for n, v in self.asks.items() if n not in ("stage", "to") and v)]
        return replace(
            begun,
            zoom=self.zoom,
            link=_with_space(here, "at"),
            target_link=_with_space(to, "to") if plan.selected else "",
            selected=plan.selected,
            targets=plan.targets,
            arrows=plan.arrows or begun.arrows,
            battles=plan.battles or begun.battles,
        )


def _link(look: _Look, asks: Sequence[tuple[str, str]]) -> str:
    """The address of a link of the sheet; the part of the map stays where it was chosen."""
    kept = [("zoom", look.zoom)] if look.is_chosen else []
    return _address([*asks, *kept])


def _address(asks: Sequence[tuple[str, str]]) -> str:
    return _encoded(tuple(asks)) if asks else ""


@lru_cache(maxsize=ADDRESSES_KEPT)
def _encoded(asks: tuple[tuple[str, str], ...]) -> str:
    """A sheet has dozens of links, most of which stood on the page before."""
    return "?" + urlencode(asks)


def _with_space(asks: Sequence[tuple[str, str]], name: str) -> str:
    return "?" + "".join(f"{part}&" for part in [urlencode(asks)] if part) + name + "={space}"
