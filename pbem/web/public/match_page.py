"""The public page of a match, what happened in it, and its file when it is over."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, NamedTuple

from flask import Blueprint, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue

from engine.replay import write_match
from pbem.errors import Refused
from pbem.i18n import gettext, spoken
from pbem.services.match import match_log
from pbem.services.match.match_log import Told
from pbem.services.records.match_rows import LIVE, OPEN, OVER, PRIVATE, MatchRecord, find_match
from pbem.web.public.looking_back import LookingBack
from pbem.web.shared import board_view, match_text
from pbem.web.shared.context import hosting, now
from pbem.web.shared.match_terms import public_terms

pages = Blueprint("match", __name__)


@pages.get("/match/<match_id>")
def show(match_id: str) -> ResponseReturnValue:
    match = the_match(match_id)
    steps = public_steps(match)
    state = _state_now(match, steps)
    asked = match.game.waiting_on(state) if match.status == LIVE else ()
    back, place, status = _looking_back(match)
    is_over, sides = match.status != LIVE, match_text.public_sides(match, asked)
    page = render_template(
        "web/match/match.html",
        **around(match),
        sides=sides,
        headline=match_text.headline(match, sides),
        board=None
        if state is None or back.turns
        else board_view.board_of(match.game, state, None, is_over),
        shown=back.shown(place) if back.turns else None,
        past=back.past(place) if back.turns else None,
        fault=_no_turn(back) if status != HTTPStatus.OK else "",
        steps=steps,
        result=match_text.result_of(match, state) if match.status == OVER else None,
        afterwords=match_text.afterwords(match, now()),
        terms=public_terms([match], now())[0],
        said=match_text.stands(match, state) if match.is_for_all else "",
        can_join=match.listed and any(seat.status == OPEN for seat in match.seats),
    )
    return page, status


@pages.get("/match/<match_id>/turn")
def turn(match_id: str) -> ResponseReturnValue:
    """The part of the page that shows one turn, for the script that swaps it."""
    match = the_match(match_id)
    back, place, status = _looking_back(match)
    if not back.turns or status != HTTPStatus.OK:
        abort(404)
    shown = back.shown(place)
    return render_template("web/match/turn.html", match=match, shown=shown)


def _looking_back(match: MatchRecord) -> tuple[LookingBack, int, HTTPStatus]:
    """The turns, and which of them the address asks for; else the newest."""
    noticed = hosting().public_logs.of(match) if match.head_seq >= 0 else ()
    back = LookingBack(match, noticed, request.args.get("zoom", ""))
    place = back.find(request.args.get("turn", ""))
    if place is None:
        missing = HTTPStatus.NOT_FOUND if back.turns else HTTPStatus.OK
        return back, len(back.turns) - 1, missing
    return back, place, HTTPStatus.OK


def _no_turn(back: LookingBack) -> str:
    first, last = back.turns[0].played.number, back.turns[-1].played.number
    words = gettext(
        "There is no such turn; turns have numbers from %(first)s to %(last)s."
        " This is the newest one."
    )
    return words % {"first": first, "last": last}


def _state_now(match: MatchRecord, steps: list[PublicStep]) -> Any:
    """The state as a spectator sees it: what came after the newest step shows nothing."""
    if not steps or steps[-1].state is not None:
        return steps[-1].state if steps else None
    return match_log.kept_or_played(match, match.head_seq)


@pages.get("/match/<match_id>/download")
def download(match_id: str) -> ResponseReturnValue:
    match = the_match(match_id)
    try:
        file = write_match(match_log.export(match))
    except Refused:
        return render_template("web/match/unfinished.html", **around(match)), 409
    answer = current_app.response_class(file, mimetype="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="pbem-{match.id}.json"'
    return answer


def the_match(match_id: str) -> MatchRecord:
    match = find_match(match_id)
    if match is None:
        abort(404)
    return match


def around(match: MatchRecord, upto: int | None = None) -> dict[str, Any]:
    return {
        "match": match,
        "is_private": match.visibility == PRIVATE,
        "title": match.game.title.in_(spoken()),
        "record_head": match_log.public_head(match, upto),
    }


class PublicStep(NamedTuple):
    """The match after one entry, as a spectator may see it."""

    number: int
    told: match_text.Happening
    state: Any
    at: int
    entry: int
    """Its number in the log, which also counts what a spectator cannot notice."""


def public_steps(match: MatchRecord) -> list[PublicStep]:
    """Entries that a spectator can notice; what seats say in advance has no place among them."""
    if match.head_seq < 0:
        return []
    noticed = hosting().public_logs.of(match)
    return [
        PublicStep(
            number,
            match_text.happening(match, Told(one.entry, one.events)),
            one.state,
            int(one.entry.at),
            one.entry.seq,
        )
        for number, one in enumerate(noticed)
    ]
