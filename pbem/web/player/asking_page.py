"""What a seat asks of the others: a rematch when all is over, a move back while it is played."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.core import GameError
from engine.text import printable
from pbem.errors import Refused
from pbem.services.agreements import rematches
from pbem.services.agreements.rematches import Prospect
from pbem.services.players import accounts
from pbem.web.player.seat_page import LARGEST_FORM, around
from pbem.web.shared import match_text
from pbem.web.shared.context import now, refused
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat
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
    """The side that this player would have, or has, in the rematch."""
    if found.match is not None:
        own = [seat for seat in found.match.seats if seat.player == visit.player.id]
        names: list[Any] = [seat.name for seat in own]
    else:
        names = [
            name
            for name, before in rematches.swapped(visit.match).items()
            if before.number == visit.seat.number
        ]
    return match_text.seat_title(visit.match, names[0]) if names else ""


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
