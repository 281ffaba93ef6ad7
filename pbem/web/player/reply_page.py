"""The page of a letter that asks whether a reply was the player's own."""

from __future__ import annotations

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from pbem.errors import Missing, Stale
from pbem.i18n import speak, spoken
from pbem.links import ReplyLink
from pbem.services.inbox import replies
from pbem.services.inbox.obeying import Outcome
from pbem.services.inbox.replies import Waiting
from pbem.web.shared import match_text
from pbem.web.shared.context import links, now, outdated

pages = Blueprint("reply", __name__)


@pages.route("/reply/<token>", methods=["GET", "POST"])
def word(token: str) -> ResponseReturnValue:
    """One form, one button; pressed twice, it is done once."""
    link: ReplyLink | None = links().read("reply", token)
    if link is None:
        abort(404)
    try:
        found, outcome = replies.waiting(link, now()), None
        speak(found.asker.player.language)
        if request.method == "POST":
            outcome = replies.confirm(link, now())
            found = replies.waiting(link, now())
    except Missing:
        abort(404)
    except Stale:
        return outdated("web/play/replaced.html", typed="")
    return _page(found, outcome)


def _page(found: Waiting, outcome: Outcome | None) -> ResponseReturnValue:
    match, turn = found.asker.match, found.asker.turn
    page = render_template(
        "web/seat/reply_word.html",
        title=match.game.title.in_(spoken()),
        own=match_text.seat_title(match, match.seat(turn.seat).name),
        match=match,
        lines=found.own_words,
        is_done=found.is_done,
        is_over=found.is_over,
        outcome=outcome,
    )
    return page, 200 if outcome is None or outcome.is_done else 409
