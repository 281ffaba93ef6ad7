"""Reports of players: the list, and one with all that was written about it, to answer and close."""

from __future__ import annotations

import re

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import Missing, Refused
from pbem.services.moderation import report_answers
from pbem.services.moderation.report_answers import Answer, ReportKey
from pbem.services.records.match_rows import find_match
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.self_service import reports
from pbem.services.self_service.reports import Report
from pbem.web.admin.door import current, for_moderator, go
from pbem.web.shared import match_text
from pbem.web.shared.context import in_words, now

pages = Blueprint("reports", __name__)

LARGEST_FORM = 16_000
_KEY = re.compile(r"(open|closed)\.([0-9]{1,9})")
_NUMBER = re.compile(r"[0-9]{1,9}")


@pages.get("/reports")
@for_moderator()
def page() -> str:
    after = _KEY.fullmatch(request.args.get("after", ""))
    found = report_answers.page(ReportKey(after[1], int(after[2])) if after else None)
    moderator, following = current().moderator, found.following
    return render_template(
        "web/admin/reports.html",
        reports=[
            (listed, _side(listed.report), report_answers.has_part(moderator, listed.report))
            for listed in found.reports
        ],
        waiting=report_answers.open_count(),
        more=url_for("admin.reports.page", after=f"{following.state}.{following.report}")
        if following
        else "",
    )


@pages.route("/reports/<number>", methods=["GET", "POST"])
@for_moderator()
def show(number: str) -> ResponseReturnValue:
    report = _the_report(number)
    try:
        report_answers.check_apart(current().moderator, report)
    except Refused as refusal:
        return render_template("web/admin/shut.html", why=in_words(refusal)), 403
    if request.method != "POST":
        return _shown(report)
    request.max_content_length = LARGEST_FORM
    try:
        report_answers.answer(current().moderator, report.id, _said(), now())
    except Refused as refusal:
        return _shown(reports.get(report.id), in_words(refusal)), 400
    return go(url_for("admin.reports.show", number=report.id))


def _the_report(number: str) -> Report:
    try:
        return reports.get(int(number) if _NUMBER.fullmatch(number) else 0)
    except Missing:
        abort(404)


def _said() -> Answer:
    after = request.form.get("after", "")
    return Answer(
        request.form.get("text", ""),
        int(after) if _NUMBER.fullmatch(after) else 0,
        closes=request.form.get("do") == "close",
    )


def _shown(report: Report, refusal: str = "") -> str:
    return render_template(
        "web/admin/report.html",
        report=report,
        side=_side(report),
        match=find_match(report.match) if report.match else None,
        reporter=_person(report.player),
        subject=_person(report.subject),
        lines=reports.lines(report.id),
        typed=request.form.get("text", "")[: 2 * reports.LONGEST],
        longest=reports.LONGEST,
        refusal=refusal,
    )


def _side(report: Report) -> str:
    """The side that is reported, in words."""
    match = find_match(report.match) if report.match and report.seat is not None else None
    if match is None or report.seat is None:
        return ""
    return match_text.seat_title(match, match.seat(report.seat).name)


def _person(player: int | None) -> PlayerRecord | None:
    return find_player(player) if player is not None else None
