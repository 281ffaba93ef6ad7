"""The list of addresses and domains that are kept out, or let in all the same."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.services.moderation import act_records, player_acts
from pbem.services.players import bans
from pbem.services.records import announcements
from pbem.web.admin.door import current, for_moderator, go
from pbem.web.shared.context import hosting, in_words, now

pages = Blueprint("lists", __name__)

BANNED, ALLOWED = "banned", "allowed"
LARGEST_ID = 2**31 - 1


@pages.get("/lists")
@for_moderator()
def page() -> str:
    return _page()


@pages.post("/lists")
@for_moderator()
def put() -> ResponseReturnValue:
    is_allowed = request.form.get("verdict") == ALLOWED
    reason = request.form.get("reason", "")
    try:
        player_acts.put_on_list(current().moderator, _pattern(), is_allowed, reason, now())
    except Refused as refusal:
        return _page(in_words(refusal)), 400
    return go(url_for("admin.lists.page"))


@pages.post("/lists/remove")
@for_moderator()
def remove() -> ResponseReturnValue:
    number = request.form.get("rule", 0, type=int)
    rule = number if 0 < number <= LARGEST_ID else 0
    try:
        player_acts.strike(current().moderator, rule, request.form.get("reason", ""), now())
    except Refused as refusal:
        return _page(in_words(refusal)), 400
    return go(url_for("admin.lists.page"))


def _pattern() -> str:
    typed = request.values.get("pattern", "")
    return bans.checked_pattern(typed, test_names=not hosting().config.in_production)


def _page(refusal: str = "") -> str:
    """The list; with a pattern, what a rule about it would do."""
    given, words = request.values, ""
    verdict = ALLOWED if given.get("verdict") == ALLOWED else BANNED
    try:
        if given.get("pattern"):
            foreseen = player_acts.rule_words(_pattern(), verdict == ALLOWED)
            words = announcements.said(foreseen, None, str)
    except Refused as cannot:
        refusal = refusal or in_words(cannot)
    return render_template(
        "web/admin/lists.html",
        rules=bans.rules(),
        pattern=given.get("pattern", ""),
        verdict=verdict,
        words=words,
        reason=given.get("reason", ""),
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )
