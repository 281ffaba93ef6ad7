"""What allies let each other see: drafts and standing orders of those who have opened them."""

from __future__ import annotations

from typing import Any, NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.abilities import Alliances
from pbem.errors import Refused, Stale
from pbem.services.match import drafts, match_log
from pbem.services.records.match_rows import LIVE, MatchRecord, SeatRecord, open_turns
from pbem.services.seats import open_plans
from pbem.web.player.seat_page import around
from pbem.web.shared import match_text
from pbem.web.shared.link_access import Visit, acting_at, for_seat

pages = Blueprint("allies", __name__)


class AllyShown(NamedTuple):
    """An ally, with what it plans if it lets this seat see it."""

    title: str
    is_open: bool
    is_asked: bool
    draft: tuple[str, ...]
    plans: tuple[str, ...]


@pages.get("/seat/<token>/allies")
@for_seat
def show(visit: Visit) -> ResponseReturnValue:
    match = visit.match
    if match.status != LIVE or not open_plans.allies_of(match, visit.seat.number):
        return redirect(url_for("play.seat.show", token=visit.token), 303)
    return render_template(
        "web/seat/allies.html", **around(visit), allies=_allies(match, visit.seat)
    )


def _allies(match: MatchRecord, seat: SeatRecord) -> list[AllyShown]:
    state = match_log.current(match)
    opened = {ally.number for ally in open_plans.opened_to(match, seat.number)}
    return [
        _shown(match, state, ally, ally.number in opened)
        for ally in open_plans.allies_of(match, seat.number)
    ]


def _shown(match: MatchRecord, state: Any, ally: SeatRecord, is_open: bool) -> AllyShown:
    game = match.game
    assert isinstance(game, Alliances), "it has allies"
    turn = next((turn for turn in open_turns(match.id) if turn.seat == ally.number), None)
    return AllyShown(
        match_text.seat_title(match, ally.name),
        is_open,
        turn is not None,
        drafts.draft_of(turn.id) if is_open and turn is not None else (),
        game.plans(game.view(state, ally.name)) if is_open else (),
    )


@pages.post("/seat/<token>/allies")
@for_seat
def open_or_close(visit: Visit) -> ResponseReturnValue:
    """Let the allies see one's plans, or no longer."""
    wanted = request.form.get("do", "")
    if wanted not in ("open", "close"):
        raise Refused("open your plans to your allies, or close them")
    try:
        with acting_at(visit):
            open_plans.open_or_close(visit.match.id, visit.seat.number, wanted == "open")
    except Stale:
        pass  # the match ended meanwhile; the page shows how
    return redirect(url_for("allies.show", token=visit.token), 303)
