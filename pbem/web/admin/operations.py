"""The machinery, for operators: letters, keys, the clock, maintenance, rehearsals, backups."""

from __future__ import annotations

import re

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import ConfigError, Refused
from pbem.services.inbox import quarantine
from pbem.services.moderation import act_records, impartiality, letter_lists
from pbem.services.moderation.letter_lists import LetterKey, ListedLetter
from pbem.services.operations import backups, keys, replay_check
from pbem.services.operations import maintenance as maintained
from pbem.services.records.letter_queue import DEAD
from pbem.services.records.match_rows import find_match
from pbem.services.staff.moderators import OPERATOR
from pbem.services.time import heartbeat
from pbem.web.admin.door import current, for_moderator, go, needs_step_up
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting, in_words, links, now

pages = Blueprint("operations", __name__)

REHEARSALS_SHOWN = 5
_KEY = re.compile(r"([0-9]{1,12})\.([0-9]{1,12})")
_NUMBER = re.compile(r"[0-9]{1,9}")


@pages.get("/operations")
@for_moderator(OPERATOR)
def page() -> str:
    return _overview()


def _overview(refusal: str = "") -> str:
    return render_template(
        "web/admin/operations.html",
        held=maintained.current(),
        beat=heartbeat.heartbeat(),
        keys=keys.ages(links().keys),
        backup=backups.newest(),
        rehearsals=replay_check.newest(REHEARSALS_SHOWN),
        version=replay_check.version(),
        set_aside=quarantine.set_aside(),
        refusal=refusal,
    )


# --- clocks ---------------------------------------------------------------------------------------


@pages.route("/operations/maintenance", methods=["GET", "POST"])
@for_moderator(OPERATOR)
@needs_step_up
def maintenance() -> ResponseReturnValue:
    if request.method != "POST":
        return _maintenance()
    who = current().moderator.address
    try:
        if request.form.get("do") == "end":
            maintained.end(who, now())
        else:
            maintained.begin(who, request.form.get("reason", ""), now())
    except Refused as refusal:
        return _maintenance(in_words(refusal)), 400
    return go(url_for("admin.operations.page"))


def _maintenance(refusal: str = "") -> str:
    return render_template(
        "web/admin/maintenance.html",
        held=maintained.current(),
        reason=request.values.get("reason", ""),
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )


@pages.route("/operations/clock", methods=["GET", "POST"])
@for_moderator(OPERATOR)
@needs_step_up
def clock() -> ResponseReturnValue:
    if request.method != "POST":
        return render_template("web/admin/clock.html", beat=heartbeat.heartbeat(), at=now())
    maintained.confirm_clock(current().moderator.address, now())
    return go(url_for("admin.operations.page"))


# --- keys -----------------------------------------------------------------------------------------


@pages.route("/operations/keys", methods=["GET", "POST"])
@for_moderator(OPERATOR)
@needs_step_up
def rotate() -> ResponseReturnValue:
    if request.method != "POST":
        return _keys()
    try:
        file = keys.check_file(hosting().config.keys_file)
        keys.rotate(file, keys.KEPT, current().moderator.address, now())
    except (Refused, ConfigError) as refusal:
        return _keys(in_words(refusal)), 400
    return go(url_for("admin.operations.rotate"))


def _keys(refusal: str = "") -> str:
    return render_template(
        "web/admin/keys.html",
        keys=keys.ages(links().keys),
        can_rotate=keys.can_rotate(hosting().config.keys_file),
        is_file=hosting().config.keys_file is not None,
        refusal=refusal,
    )


# --- rehearsals -----------------------------------------------------------------------------------


@pages.post("/operations/rehearsal")
@for_moderator(OPERATOR)
def rehearse() -> ResponseReturnValue:
    try:
        replay_check.wish(current().moderator.address, now())
    except Refused as refusal:
        return _overview(in_words(refusal)), 400
    return go(url_for("admin.operations.page", _anchor="rehearsal"))


# --- letters --------------------------------------------------------------------------------------


@pages.get("/operations/letters")
@for_moderator(OPERATOR)
def letters() -> str:
    asked, after = request.args.get("state", ""), _KEY.fullmatch(request.args.get("after", ""))
    state = asked if asked in letter_lists.STATES else DEAD
    found = letter_lists.page(state, LetterKey(int(after[1]), int(after[2])) if after else None)
    key = found.following
    return render_template(
        "web/admin/letters.html",
        state=state,
        states=letter_lists.STATES,
        letters=found.letters,
        more=url_for("admin.operations.letters", state=state, after=f"{key.next_at}.{key.letter}")
        if key
        else "",
    )


@pages.get("/operations/letters/<number>")
@for_moderator(OPERATOR)
def letter(number: str) -> str:
    return _letter(_the_letter(number))


def _the_letter(number: str) -> ListedLetter:
    if not _NUMBER.fullmatch(number):
        abort(404)
    return letter_lists.get(int(number))


def _letter(shown: ListedLetter, refusal: str = "") -> str:
    return render_template(
        "web/admin/letter.html",
        letter=shown,
        side=_side(shown),
        stored=letter_lists.stored(shown),
        has_part=_has_part(shown),
        refusal=refusal,
    )


def _side(shown: ListedLetter) -> str:
    match = find_match(shown.match) if shown.match is not None else None
    if match is None or shown.seat is None:
        return ""
    return match_text.seat_title(match, match.seat(shown.seat).name)


def _has_part(shown: ListedLetter) -> bool:
    match = find_match(shown.match) if shown.match is not None else None
    return match is not None and impartiality.has_part(current().moderator, match)


@pages.post("/operations/letters/<number>/retry")
@for_moderator(OPERATOR)
def retry(number: str) -> ResponseReturnValue:
    shown = _the_letter(number)
    try:
        letter_lists.retry(current().moderator, shown.id, now())
    except Refused as refusal:
        return _letter(shown, in_words(refusal)), 400
    return go(url_for("admin.operations.letter", number=shown.id))


@pages.route("/operations/letters/<number>/abort", methods=["GET", "POST"])
@for_moderator(OPERATOR)
@needs_step_up
def give_up(number: str) -> ResponseReturnValue:
    shown, reason = _the_letter(number), request.form.get("reason", "")
    if request.method != "POST":
        return _give_up(shown)
    try:
        letter_lists.abort(current().moderator, shown.id, reason, now())
    except Refused as refusal:
        return _give_up(shown, in_words(refusal)), 400
    return go(url_for("admin.operations.letter", number=shown.id))


def _give_up(shown: ListedLetter, refusal: str = "") -> str:
    return render_template(
        "web/admin/letter_abort.html",
        letter=shown,
        side=_side(shown),
        has_part=_has_part(shown),
        reason=request.form.get("reason", ""),
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )
