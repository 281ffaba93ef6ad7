"""What a seat asks of the others: a rematch when all is over, a move back while it is played."""

from __future__ import annotations

from babel.lists import format_list
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.core import GameError
from engine.text import printable
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.agreements import rematches, takebacks
from pbem.services.agreements.rematches import Prospect
from pbem.services.match import match_log
from pbem.services.players import accounts
from pbem.web.player.seat_page import LARGEST_FORM, around
from pbem.web.shared import match_text
from pbem.web.shared.context import now, refused
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat, visit_seat
from pbem.web.shared.rule_links import fault_of

pages = Blueprint("asking", __name__)


# --- once more ------------------------------------------------------------------------------------


@pages.get("/seat/<token>/rematch")
@for_seat
def rematch(visit: Visit) -> ResponseReturnValue:
    return _rematch_page(visit)


def _rematch_page(visit: Visit, wrong: Exception | None = None) -> str:
    """Asking, agreeing, or how things stand."""
    found = rematches.prospect(visit.match, visit.seat.number)
    return render_template(
        "web/seat/rematch.html",
        **around(visit),
        state=found.state,
        new=found.match,
        becomes=_becomes(visit, found),
        fault=fault_of(wrong, visit.match.game) if wrong else None,
        typed=request.form.get("phrase", "")[: accounts.LONGEST_PHRASE],
    )


def _becomes(visit: Visit, found: Prospect) -> str:
    """The side that this player would have, or has, in the rematch; or the sides."""
    if found.match is not None:
        seats = {seat.name: seat for seat in found.match.seats}
    else:
        seats = rematches.swapped(visit.match)
    own = [name for name, seat in seats.items() if seat.player == visit.player.id]
    return format_list([match_text.seat_title(visit.match, name) for name in own], locale=spoken())


@pages.post("/seat/<token>/rematch")
@for_seat
def answer_rematch(visit: Visit) -> ResponseReturnValue:
    """Ask, agree or decline; pressed again, all stays as it is."""
    request.max_content_length = LARGEST_FORM
    act = request.form.get("do", "ask")
    try:
        with acting_at(visit):
            if act == "ask":
                phrase = accounts.checked_phrase(request.form.get("phrase", ""))
                rematches.ask(visit.match.id, visit.seat.number, phrase, now())
            elif act == "decline":
                rematches.decline(visit.match.id, visit.seat.number, now())
            else:
                raise Refused("this page cannot do “%(act)s”", act=printable(act[:20]))
    except Replaced:
        raise
    except (Refused, GameError) as error:
        return refused(_rematch_page(visit, error), error)
    return redirect(url_for("asking.rematch", token=visit.token), 303)


# --- a move back ----------------------------------------------------------------------------------


@pages.get("/seat/<token>/takeback")
@for_seat
def takeback(visit: Visit) -> ResponseReturnValue:
    return _takeback_page(visit)


@pages.get("/seat/<token>/takeback/agree")
@for_seat
def ask_agree(visit: Visit) -> ResponseReturnValue:
    return _takeback_page(visit, answer="agree")


@pages.get("/seat/<token>/takeback/decline")
@for_seat
def ask_decline(visit: Visit) -> ResponseReturnValue:
    return _takeback_page(visit, answer="decline")


def _takeback_page(visit: Visit, wrong: Exception | None = None, answer: str = "") -> str:
    """Asking, answering, or how things stand."""
    match, number = visit.match, visit.seat.number
    open_one = takebacks.waiting(match)
    entry = takebacks.target(match, number) if open_one is None else open_one.entry
    by = number if open_one is None else open_one.seat
    return render_template(
        "web/seat/takeback.html",
        **around(visit),
        state=_state_of_takeback(visit),
        by=match_text.seat_title(match, match.seat(by).name),
        cost=takebacks.in_words(match, takebacks.cost_of(match, by, entry, now()))
        if entry is not None
        else [],
        answer=answer,
        seen=match_log.public_head(match),
        fault=fault_of(wrong, match.game) if wrong else None,
    )


def _state_of_takeback(visit: Visit) -> str:
    """free, mine, answered, asked, refused or none."""
    match, number = visit.match, visit.seat.number
    open_one = takebacks.waiting(match)
    if open_one is not None and open_one.seat == number:
        return "mine"
    if open_one is not None:
        return "answered" if number in open_one.agreed else "asked"
    entry = takebacks.target(match, number)
    if entry is None:
        return "none"
    return "refused" if takebacks.was_declined(match, number, entry) else "free"


@pages.post("/seat/<token>/takeback")
@for_seat
def answer_takeback(visit: Visit) -> ResponseReturnValue:
    """Ask, withdraw, agree or decline; pressed again, the page tells how things stand."""
    request.max_content_length = LARGEST_FORM
    act, match, number = request.form.get("do", ""), visit.match.id, visit.seat.number
    try:
        with acting_at(visit):
            if act == "ask":
                takebacks.ask(match, number, now())
            elif act == "withdraw":
                takebacks.withdraw(match, number, now())
            elif act == "agree":
                takebacks.agree(match, number, request.form.get("seen", ""), now())
            elif act == "decline":
                takebacks.decline(match, number, now())
            else:
                raise Refused("this page cannot do “%(act)s”", act=printable(act[:20]))
    except Replaced:
        raise
    except Refused as error:
        return refused(_takeback_page(visit, error), error)
    return redirect(_after_takeback(visit), 303)


def _after_takeback(visit: Visit) -> str:
    """Back to the page; who is asked anew has a newer link by letter."""
    try:
        visit_seat(visit.token)
    except Replaced:
        return url_for("match.show", match_id=visit.match.id)
    return url_for("asking.takeback", token=visit.token)
