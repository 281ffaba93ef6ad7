"""Reporting something to the moderators by the link of a letter, and going on with it later."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import Missing, Refused
from pbem.i18n import speak, spoken
from pbem.links import ReportLink, ThreadLink
from pbem.services.letters.kinds import registry
from pbem.services.records.match_rows import MatchRecord, find_match
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.self_service import personal_data, reports
from pbem.services.self_service.reports import Report, ReportTarget
from pbem.web.shared import match_text
from pbem.web.shared.context import in_words, links, now, outdated

pages = Blueprint("reports", __name__)

LARGEST_FORM = 16_000


@pages.route("/report/<token>", methods=["GET", "POST"])
def report(token: str) -> ResponseReturnValue:
    """The form; sent, it leads to the page of the report.

    By a letter whose links are dead it still arrives, and the answer comes to the mailbox.
    """
    link: ReportLink | None = links().read("report", token)
    if link is None:
        abort(404)
    player = _owner(link.player)
    if request.method != "POST":
        return _form(token, link, player)
    request.max_content_length = LARGEST_FORM
    about, text = request.form.get("about", ""), request.form.get("text", "")
    try:
        made = reports.make(link, about, text, now())
    except Refused as refusal:
        return _form(token, link, player, in_words(refusal)), 400
    if link.epoch != player.epoch:
        return render_template("web/reports/made.html")
    thread = links().sign("thread", ThreadLink(made.id, player.id, player.epoch))
    return redirect(url_for("reports.thread", token=thread), 303)


def _owner(number: int) -> PlayerRecord:
    """Whose link it is; nobody's, once that player was forgotten. Speaks their language."""
    player = find_player(number)
    if player is None or player.address.endswith(f"@{personal_data.DELETED_DOMAIN}"):
        abort(404)
    speak(player.language)
    return player


def _form(token: str, link: ReportLink, player: PlayerRecord, refusal: str = "") -> str:
    found, match = reports.targets(link), find_match(link.match) if link.seat >= 0 else None
    return render_template(
        "web/reports/report.html",
        token=token,
        things=[_shown(target, match, player) for target in found],
        chosen=request.form.get("about") or _likely(link, found),
        written=match_text.moment(link.at, player.zone, now()),
        match=match,
        title=match.game.title.in_(spoken()) if match else "",
        typed=request.form.get("text", "")[: 2 * reports.LONGEST],
        longest=reports.LONGEST,
        refusal=refusal,
    )


def _likely(link: ReportLink, found: list[ReportTarget]) -> str:
    """What most readers of such a letter would report; often nothing is likely."""
    if link.letter in registry.UNASKED:
        return "letter"
    said = [target.key for target in found if target.about == "message"]
    return said[0] if link.letter == "message" and said else ""


def _shown(target: ReportTarget, match: MatchRecord | None, player: PlayerRecord) -> dict[str, Any]:
    side = _side(match, target.seat)
    at = match_text.moment(target.at, player.zone, now()) if target.at is not None else None
    return {"about": target.about, "key": target.key, "side": side, "words": target.words, "at": at}


@pages.route("/thread/<token>", methods=["GET", "POST"])
def thread(token: str) -> ResponseReturnValue:
    """A report with all that was written about it; more words open it again."""
    link: ThreadLink | None = links().read("thread", token)
    if link is None:
        abort(404)
    player = _owner(link.player)
    if player.epoch != link.epoch:
        return outdated(why="renewed")
    if request.method != "POST":
        return _thread(token, link, player)
    request.max_content_length = LARGEST_FORM
    try:
        reports.write_again(_the_report(link).id, request.form.get("text", ""), now())
    except Refused as refusal:
        return _thread(token, link, player, in_words(refusal)), 400
    return redirect(url_for("reports.thread", token=token), 303)


def _the_report(link: ThreadLink) -> Report:
    found = reports.get(link.report)
    if found.player != link.player:
        raise Missing("there is no such report")
    return found


def _thread(token: str, link: ThreadLink, player: PlayerRecord, refusal: str = "") -> str:
    found = _the_report(link)
    match = find_match(found.match) if found.match else None
    return render_template(
        "web/reports/thread.html",
        token=token,
        report=found,
        side=_side(match, found.seat),
        lines=[
            (line, match_text.moment(line.at, player.zone, now()))
            for line in reports.lines(found.id)
        ],
        typed=request.form.get("text", "")[: 2 * reports.LONGEST],
        longest=reports.LONGEST,
        refusal=refusal,
    )


def _side(match: MatchRecord | None, seat: int | None) -> str:
    if match is None or seat is None:
        return ""
    return match_text.seat_title(match, match.seat(seat).name)
