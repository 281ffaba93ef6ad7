"""The page of a letter that asks whether a seat shall really be lent or given up."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from pbem.errors import Refused, Stale
from pbem.i18n import speak, spoken
from pbem.links import LeaveLink
from pbem.services.records.match_rows import LIVE, MatchRecord, find_match
from pbem.services.records.player_rows import find_player, get_player
from pbem.services.seats import leaving, loans
from pbem.web.shared import match_text
from pbem.web.shared.context import in_words, links, now, outdated

pages = Blueprint("leaving", __name__)


@pages.route("/leave/<token>", methods=["GET", "POST"])
def leave(token: str) -> ResponseReturnValue:
    """One form, one button; pressed twice, the seat is offered once."""
    link: LeaveLink | None = links().read("leave", token)
    match = find_match(link.match) if link else None
    if link is None or match is None:
        abort(404)
    player = match.seat(link.seat).player
    if not leaving.is_open(link, match, now()) or match.status != LIVE or player is None:
        return outdated("web/play/replaced.html", typed="")
    speak(get_player(player).language)
    refusal = ""
    if request.method == "POST":
        try:
            leaving.confirm(link, now())
        except Stale:
            pass  # pressed twice: the page shows how things stand
        except Refused as wrong:
            refusal = in_words(wrong)
    return _page(link, match, get_player(player).zone, refusal), 400 if refusal else 200


def _page(link: LeaveLink, match: MatchRecord, zone: str, refusal: str) -> str:
    asked = find_player(link.to) if link.to is not None else None
    return render_template(
        "web/seat/leave_word.html",
        title=match.game.title.in_(spoken()),
        own=match_text.seat_title(match, match.seat(link.seat).name),
        match=match,
        address=asked.address if asked else "",
        start=match_text.moment(link.start, zone, now()),
        end=match_text.moment(link.end, zone, now()) if link.end is not None else None,
        is_done=loans.pending(match.id, link.seat) is not None,
        refusal=refusal,
    )
