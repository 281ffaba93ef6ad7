"""Seats that are still free before a match begins, for whoever has begun it."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.abilities import StandIns
from engine.text import printable
from pbem.errors import Missing, Refused, Stale
from pbem.services.match import joining
from pbem.services.records.match_rows import FORMING, MatchRecord, SeatRecord
from pbem.services.self_service import sign_up
from pbem.web.player.seat_page import around
from pbem.web.public.match_form import address_typed
from pbem.web.shared import match_text
from pbem.web.shared.context import in_words, now
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat

pages = Blueprint("inviting", __name__)


class FreeSeat(NamedTuple):
    """A seat that nobody has taken."""

    name: str
    title: str
    status: str


@pages.get("/seat/<token>/invite")
@for_seat
def show(visit: Visit) -> ResponseReturnValue:
    return _page(visit) if may_invite(visit) else _back(visit)


def may_invite(visit: Visit) -> bool:
    """Whether the visitor has begun this match, and somebody is missing."""
    is_host = visit.match.creator == visit.seat.player
    return is_host and visit.match.status == FORMING and bool(_free(visit.match))


def _free(match: MatchRecord) -> list[SeatRecord]:
    return [seat for seat in match.seats if seat.status in joining.FREE]


def _page(visit: Visit, refusal: str = "") -> str:
    match = visit.match
    return render_template(
        "web/seat/invite.html",
        **around(visit),
        free=[
            FreeSeat(seat.name, match_text.seat_title(match, seat.name), seat.status)
            for seat in _free(match)
        ],
        has_machine=isinstance(match.game, StandIns),
        refusal=refusal,
    )


@pages.post("/seat/<token>/invite")
@for_seat
def fill(visit: Visit) -> ResponseReturnValue:
    """Ask somebody else, or anybody, or nobody."""
    if not may_invite(visit):
        return _back(visit)
    try:
        with acting_at(visit):
            _fill(visit.match, request.form.get("do", ""))
    except Replaced:
        raise
    except Stale:
        pass  # somebody has taken it meanwhile; the page shows who is missing
    except Refused as wrong:
        return _page(visit, in_words(wrong)), 400
    return redirect(url_for("inviting.show", token=visit.token), 303)


def _fill(match: MatchRecord, how: str) -> None:
    seat = match.seat_named(request.form.get("seat", ""))
    if seat is None:
        raise Missing("there is no such seat")
    if how == "invite":
        sign_up.invite_instead(match.id, seat.number, address_typed("address"), now())
    elif how == "open":
        joining.open_to_all(match.id, seat.number, now())
    elif how == "machine":
        joining.leave_to_machine(match.id, seat.number, now())
    else:
        raise Refused(
            "“%(way)s” is no way to fill a seat; choose from %(ways)s",
            way=printable(how[:20]),
            ways="invite, open, machine",
        )


def _back(visit: Visit) -> ResponseReturnValue:
    return redirect(url_for("play.seat.show", token=visit.token), 303)
