"""The way back for a player whom letters do not reach: another address, or the same once more.

The own page is no way for somebody who gets no letters; the link of a seat or of a turn still is.
It changes no address to which letters find their way.
"""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.services.seats import unreachable
from pbem.services.self_service import address_changes
from pbem.web.player.seat_page import around
from pbem.web.public.match_form import address_typed
from pbem.web.shared.context import in_words, now, refused
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat

pages = Blueprint("way_back", __name__)


@pages.get("/seat/<token>/address")
@for_seat
def show(visit: Visit) -> ResponseReturnValue:
    return _page(visit) if _is_lost(visit) else _back(visit)


def _is_lost(visit: Visit) -> bool:
    return unreachable.since(visit.seat.player) is not None


def _page(visit: Visit, refusal: str = "") -> str:
    return render_template(
        "web/seat/address.html",
        **around(visit),
        moves=address_changes.waiting(visit.player.id, now()),
        refusal=refusal,
    )


def _back(visit: Visit) -> ResponseReturnValue:
    return redirect(url_for("play.seat.show", token=visit.token), 303)


@pages.post("/seat/<token>/address")
@for_seat
def act(visit: Visit) -> ResponseReturnValue:
    """Write to another address, or to the same once more."""
    if not _is_lost(visit):
        return _back(visit)
    if request.form.get("do") != "change":
        address_changes.works_again(visit.player.id, now())
        return _back(visit)
    try:
        with acting_at(visit):
            address_changes.ask_by_player(visit.player, address_typed("address"), now())
    except Replaced:
        raise
    except Refused as wrong:
        return refused(_page(visit, in_words(wrong)), wrong)
    return redirect(url_for("way_back.show", token=visit.token), 303)
