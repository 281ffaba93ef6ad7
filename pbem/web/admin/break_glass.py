"""Looking at what is hidden: asked with a reason, and shown once, as the answer to the form."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.moderation import act_records, break_glass, impartiality
from pbem.services.moderation.break_glass import Opened
from pbem.services.records import announcements
from pbem.services.records.match_rows import MatchRecord
from pbem.web.admin.door import current, for_moderator, needs_step_up
from pbem.web.public.match_page import the_match
from pbem.web.shared import match_text
from pbem.web.shared.context import in_words, now

pages = Blueprint("glass", __name__)


@pages.route("/matches/<match_id>/glass", methods=["GET", "POST"])
@for_moderator()
def page(match_id: str) -> ResponseReturnValue:
    """There is no address that shows it again: each look is a new form and a new entry."""
    match = the_match(match_id)
    try:
        impartiality.check_apart(current().moderator, match)
        break_glass.foresee(match)
    except Refused as refusal:
        return render_template("web/admin/shut.html", why=in_words(refusal)), 403
    return needs_step_up(_glass)(match)


def _glass(match: MatchRecord) -> ResponseReturnValue:
    if request.method != "POST":
        return _asked(match)
    try:
        reason = request.form.get("reason", "")
        opened = break_glass.look(current().moderator, match.id, reason, now())
    except Refused as refusal:
        return _asked(match, in_words(refusal)), 400
    return _shown(match, opened)


def _asked(match: MatchRecord, refusal: str = "") -> str:
    words = announcements.said(break_glass.foresee(match), match, lambda at: "")
    return render_template(
        "web/admin/glass.html",
        match=match,
        title=match.game.title.in_(spoken()),
        words=words,
        reason=request.form.get("reason", "")[: 2 * act_records.LONGEST_REASON],
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )


def _shown(match: MatchRecord, opened: Opened) -> str:
    game, language = match.game, spoken()
    return render_template(
        "web/admin/glass_broken.html",
        match=match,
        title=game.title.in_(language),
        entry=opened.entry,
        hands=[
            (
                match_text.seat_title(match, hand.seat),
                game.render(hand.view, language=language, news=False),
                [game.say(text, language) for text in hand.told],
            )
            for hand in opened.hands
        ],
        deck=[
            (card.place, card.card, [match_text.seat_title(match, seat) for seat in card.known_to])
            for card in opened.deck
        ],
    )
