"""Reports as moderators see them: who may read one, answers by letter, lists.

Who has a part in the match, or in the report, does not even read it.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from peewee import Tuple, fn

from pbem.db import models
from pbem.db.models import ReportLine
from pbem.db.reading import every
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.match import messages
from pbem.services.moderation import impartiality
from pbem.services.records import audit_log, letter_queue
from pbem.services.records.addresses import canonical_address
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.records.player_rows import find_player, get_player
from pbem.services.self_service import reports
from pbem.services.self_service.reports import CLOSED, MODERATOR, OPEN, Report

KIND = "answer"
A_PAGE = 50


def check_apart(moderator: ModeratorRecord, report: Report) -> None:
    """Refused for who has a part in what is reported; such a one does not even read it."""
    if has_part(moderator, report):
        raise Refused("you are involved in this report; another moderator must handle it")


def has_part(moderator: ModeratorRecord, report: Report) -> bool:
    people = [find_player(one) for one in (report.player, report.subject) if one is not None]
    if canonical_address(moderator.address) in {
        canonical_address(one.address) for one in people if one
    }:
        return True
    return report.match is not None and impartiality.has_part(moderator, get_match(report.match))


class Answer(NamedTuple):
    """What a moderator writes about a report."""

    text: str
    after: int
    """The newest line that the moderator has read."""
    closes: bool = False


def answer(moderator: ModeratorRecord, report_id: int, written: Answer, now: int) -> int:
    """Write to the player, by letter too, and enter it: all or nothing. The number of the entry."""
    words = messages.checked_message(written.text)
    with writing():
        reports.lock_report(report_id)
        report = reports.get(report_id)
        check_apart(moderator, report)
        if reports.lines(report.id)[-1].id != written.after:
            raise Stale("someone has written in the meantime; read that first")
        if written.closes and report.state == CLOSED:
            raise Stale("this report is already closed")
        if written.closes:
            reports.close(report.id, now)
        line = reports.add_line(report.id, MODERATOR, moderator.address, words, now)
        _owe_letter(report, line, written.closes, now)
        act = "close_report" if written.closes else "answer_report"
        return audit_log.record(
            moderator.address, act, subject_of(report.id), "", "", _sealed(line, words), now
        )


def _owe_letter(report: Report, line: int, closes: bool, now: int) -> None:
    epoch = get_player(report.player).epoch
    about = {"report": report.id, "line": line, "closes": closes}
    letter_queue.queue(
        [letter_queue.to_player(report.player, epoch, KIND, str(line), **about)], now
    )


def _sealed(line: int, words: str) -> dict[str, object]:
    """The log vouches for the words; all moderators read it, so it does not repeat them."""
    return {"line": line, "sha256": hashlib.sha256(words.encode()).hexdigest()}


def subject_of(report: int) -> str:
    """How the log names a report."""
    return f"report {report}"


# --- lists ----------------------------------------------------------------------------------------


class ReportKey(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    state: str
    report: int


class ListedReport(NamedTuple):
    """A report in a list, and who has the last word."""

    report: Report
    last_author: str
    last_at: int


class ReportPage(NamedTuple):
    reports: list[ListedReport]
    following: ReportKey | None


def page(after: ReportKey | None) -> ReportPage:
    """One page, open ones first, the newest of each before the others."""
    kept = _rows.select(*[getattr(_rows, name) for name in Report._fields])
    if after is not None:
        kept = kept.where(Tuple(_rows.state, _rows.id) < after)
    latest = (_rows.state.desc(), _rows.id.desc())
    found = every(kept.order_by(*latest).limit(A_PAGE + 1), Report)
    shown = found[:A_PAGE]
    last_lines = _last_lines([report.id for report in shown])
    listed = [
        ListedReport(report, last_lines[report.id].author, last_lines[report.id].at)
        for report in shown
    ]
    last = shown[-1] if len(found) > A_PAGE else None
    return ReportPage(listed, ReportKey(last.state, last.id) if last else None)


_rows = models.Report


class _Line(NamedTuple):
    report: int
    author: str
    at: int


def _last_lines(reports: list[int]) -> dict[int, _Line]:
    """What was written last about each report; a report begins with words."""
    newest = ReportLine.select(fn.MAX(ReportLine.id)).where(ReportLine.report.in_(reports))
    columns = [getattr(ReportLine, name) for name in _Line._fields]
    found = ReportLine.select(*columns).where(ReportLine.id.in_(newest.group_by(ReportLine.report)))
    return {line.report: line for line in every(found, _Line)}


def open_count() -> int:
    """How many reports wait for a moderator."""
    return int(_rows.select().where(_rows.state == OPEN).count())
