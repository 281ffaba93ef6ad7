"""Reports as moderators see them: who may read one, answers by letter, lists.

Who has a part in the match, or in the report, does not even read it.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from pbem.db.store import row, rows, writing
from pbem.errors import Refused, Stale
from pbem.services.match import matches
from pbem.services.moderation import match_acts
from pbem.services.records import audit_log, letter_queue
from pbem.services.records.addresses import plain
from pbem.services.records.records import ModeratorRecord, find_player, get_match, get_player
from pbem.services.self_service import reports
from pbem.services.self_service.reports import CLOSED, MODERATOR, OPEN, SELECT_REPORT, Report

KIND = "answer"
A_PAGE = 50


def check_apart(moderator: ModeratorRecord, report: Report) -> None:
    """Refused for who has a part in what is reported; such a one does not even read it."""
    if has_part(moderator, report):
        raise Refused("you are involved in this report; another moderator must handle it")


def has_part(moderator: ModeratorRecord, report: Report) -> bool:
    people = [find_player(one) for one in (report.player, report.subject) if one is not None]
    if plain(moderator.address) in {plain(one.address) for one in people if one}:
        return True
    return report.match is not None and match_acts.has_part(moderator, get_match(report.match))


class Answer(NamedTuple):
    """What a moderator writes about a report."""

    text: str
    after: int
    """The newest line that the moderator has read."""
    closes: bool = False


def answer(moderator: ModeratorRecord, report_id: int, written: Answer, now: int) -> int:
    """Write to the player, by letter too, and enter it: all or nothing. The number of the entry."""
    words = matches.checked_message(written.text)
    with writing():
        reports.hold_report(report_id)
        report = reports.get(report_id)
        check_apart(moderator, report)
        if reports.lines(report.id)[-1].id != written.after:
            raise Stale("someone has written in the meantime; read that first")
        if written.closes and report.state == CLOSED:
            raise Stale("this report is already closed")
        if written.closes:
            reports.close("id = ?", now, report.id)
        line = reports.add_line(report.id, MODERATOR, moderator.address, words, now)
        _owe_letter(report, line, written.closes, now)
        act = "close_report" if written.closes else "answer_report"
        return audit_log.record(
            moderator.address, act, subject_of(report.id), "", "", _sealed(line, words), now
        )


def _owe_letter(report: Report, line: int, closes: bool, now: int) -> None:
    epoch = get_player(report.player).epoch
    about = {"report": report.id, "line": line, "closes": closes}
    letter_queue.owe([letter_queue.to_player(report.player, epoch, KIND, str(line), **about)], now)


def _sealed(line: int, words: str) -> dict[str, object]:
    """The log vouches for the words; all moderators read it, so it does not repeat them."""
    return {"line": line, "sha256": hashlib.sha256(words.encode()).hexdigest()}


def subject_of(report: int) -> str:
    """How the log names a report."""
    return f"report {report}"


# --- lists ----------------------------------------------------------------------------------------


class Key(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    state: str
    report: int


class Listed(NamedTuple):
    """A report in a list, and who has the last word."""

    report: Report
    last_author: str
    last_at: int


class Page(NamedTuple):
    reports: list[Listed]
    following: Key | None


def page(after: Key | None) -> Page:
    """One page, open ones first, the newest of each before the others."""
    where, values = ("", ()) if after is None else ("WHERE (state, id) < (?, ?) ", tuple(after))
    found = rows(
        f"{SELECT_REPORT} {where}ORDER BY state DESC, id DESC LIMIT ?", *values, A_PAGE + 1
    )
    shown = [_listed(Report(*one)) for one in found[:A_PAGE]]
    last = shown[-1].report if len(found) > A_PAGE else None
    return Page(shown, Key(last.state, last.id) if last else None)


def _listed(report: Report) -> Listed:
    found = row(
        "SELECT author, at FROM report_line WHERE report_id = ? ORDER BY id DESC LIMIT 1", report.id
    )
    assert found is not None, "a report begins with words"
    return Listed(report, *found)


def open_count() -> int:
    """How many reports wait for a moderator."""
    found = row("SELECT COUNT(*) FROM report WHERE state = ?", OPEN)
    return int(found[0]) if found else 0
