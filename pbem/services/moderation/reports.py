"""What players report to the moderators: a letter, a message, a name, conduct; and the answers.

A report is made by the link of a letter. It keeps the words it is about as they were then, and all
that both sides write. Who has a part in the match, or in the report, does not even read it.
"""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple, get_args

from pbem.db.store import execute, insert, row, rows, writing
from pbem.errors import Missing, Refused, Stale
from pbem.links import ReportLink
from pbem.services.match import matches
from pbem.services.moderation import moderation
from pbem.services.records import audit, notices
from pbem.services.records.addresses import plain
from pbem.services.records.records import (
    MatchRecord,
    ModeratorRecord,
    find_match,
    find_player,
    get_match,
    get_player,
)
from pbem.services.seats import holders

OPEN, CLOSED = "open", "closed"
About = Literal["letter", "conduct", "message", "name", "other"]
ABOUT = get_args(About)
PLAYER, MODERATOR = "player", "moderator"
KIND = "answer"
MOST_OPEN = 5
"""Reports of one player that wait at a time."""
MOST_UNANSWERED = 10
"""What a player may write about one report before somebody has answered."""
MOST_MESSAGES = 20
A_PAGE = 50
LONGEST = matches.LONGEST_MESSAGE


class Report(NamedTuple):
    id: int
    state: str
    about: About
    player: int
    """Who reports."""
    subject: int | None
    """Who is reported."""
    match: str | None
    seat: int | None
    """The seat that is reported."""
    message: int | None
    letter: str
    letter_at: int
    words: str
    """The message or name that is reported, as it was then."""
    created_at: int
    closed_at: int | None


class Line(NamedTuple):
    id: int
    at: int
    author: str
    """PLAYER or MODERATOR."""
    who: str
    """The address of the moderator."""
    text: str
    """Empty once its player was forgotten."""


_REPORT = (
    "SELECT id, state, about, player_id, subject_id, match_id, seat, message, letter, letter_at,"
    " words, created_at, closed_at FROM report"
)


def get(report: int) -> Report:
    found = row(f"{_REPORT} WHERE id = ?", report)
    if found is None:
        raise Missing("there is no such report")
    return Report(*found)


def lines(report: int) -> list[Line]:
    """All that was written about a report, oldest first."""
    found = rows(
        "SELECT id, at, author, who, text FROM report_line WHERE report_id = ? ORDER BY id", report
    )
    return [Line(*values) for values in found]


# --- what a letter lets its reader report ---------------------------------------------------------


class Thing(NamedTuple):
    """Something that can be reported by the link of a letter."""

    about: About
    seat: int | None = None
    message: int | None = None
    subject: int | None = None
    words: str = ""
    at: int | None = None
    """When a message was written."""

    @property
    def key(self) -> str:
        """How a form names it."""
        number = self.seat if self.message is None else self.message
        return self.about if number is None else f"{self.about}:{number}"


def things(link: ReportLink) -> list[Thing]:
    """What can be reported: nothing is in it that the letter's reader did not know then."""
    match = find_match(link.match) if link.match else None
    found = [Thing("letter", subject=_sender(link, match))]
    if match is not None and 0 <= link.seat < len(match.seats):
        found += [*_messages(link, match), *_people(link, match)]
    return [*found, Thing("other")]


def _sender(link: ReportLink, match: MatchRecord | None) -> int | None:
    """Who brought the letter about, where that was a person."""
    if link.letter != "invitation" or match is None or match.creator == link.player:
        return None
    return match.creator


def _messages(link: ReportLink, match: MatchRecord) -> list[Thing]:
    """What others wrote before the letter, while its reader had the seat; newest first."""
    ends = [
        held.end
        for holder, held in holders.of_seat(match, link.seat)
        if holder == link.player and held.start <= link.at
    ]
    if not ends:
        return []
    end = link.at if ends[-1] is None else min(link.at, ends[-1] - 1)
    known = [one for one in matches.messages(match.id) if one.at <= end and one.seat != link.seat]
    return [
        Thing("message", said.seat, said.id, _author(match, said), said.text, said.at)
        for said in known[: -MOST_MESSAGES - 1 : -1]
    ]


def _author(match: MatchRecord, said: matches.Said) -> int | None:
    """Who held the seat when it was written."""
    held = holders.of_seat(match, said.seat)
    return next((holder for holder, time in held if time.holds(said.at)), None)


def _people(link: ReportLink, match: MatchRecord) -> list[Thing]:
    others = [seat for seat in match.seats if seat.number != link.seat and seat.player is not None]
    found = list[Thing]()
    for seat in others:
        found.append(Thing("conduct", seat.number, subject=seat.player))
        name = get_player(seat.player).name
        if name:
            found.append(Thing("name", seat.number, subject=seat.player, words=name))
    return found


# --- the player's side ----------------------------------------------------------------------------


def make(link: ReportLink, key: str, text: str, now: int) -> Report:
    """A new report; what was sent twice is one."""
    words = matches.checked_message(text)
    thing = next((one for one in things(link) if one.key == key), None)
    if thing is None:
        raise Refused("say what your report is about")
    with writing():
        _hold_reporter(link.player)
        waiting = of_reporter(link.player, OPEN)
        for known in waiting:
            if _is_same(known, thing, link) and lines(known.id)[0].text == words:
                return known
        _check_few(len(waiting))
        report = _insert(link, thing, now)
        _add(report, PLAYER, "", words, now)
        return get(report)


def _hold_reporter(player: int) -> None:
    """Others who report as this player wait until this transaction is over."""
    execute("UPDATE player SET news = news WHERE id = ?", player)


def _is_same(known: Report, thing: Thing, link: ReportLink) -> bool:
    here = (thing.about, thing.seat, thing.message, link.match or None, link.letter, link.at)
    there = (known.about, known.seat, known.message, known.match, known.letter, known.letter_at)
    return here == there


def _check_few(waiting: int) -> None:
    if waiting >= MOST_OPEN:
        raise Refused(
            "%(count)s reports of yours wait for an answer; write to one of them, or wait",
            count=waiting,
        )


def _insert(link: ReportLink, thing: Thing, now: int) -> int:
    return insert(
        "INSERT INTO report (state, about, player_id, subject_id, match_id, seat, message, letter,"
        " letter_at, words, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        OPEN,
        thing.about,
        link.player,
        thing.subject,
        link.match or None,
        thing.seat,
        thing.message,
        link.letter,
        link.at,
        thing.words,
        now,
    )


def _add(report: int, author: str, who: str, text: str, now: int) -> int:
    return insert(
        "INSERT INTO report_line (report_id, at, author, who, text) VALUES (?, ?, ?, ?, ?)",
        report,
        now,
        author,
        who,
        text,
    )


def write_again(report_id: int, text: str, now: int) -> None:
    """More words of the player; a report that was closed is open again."""
    words = matches.checked_message(text)
    with writing():
        _hold(report_id)
        report, written = get(report_id), lines(report_id)
        if (written[-1].author, written[-1].text) == (PLAYER, words):
            return
        if _unanswered(written) >= MOST_UNANSWERED:
            raise Refused("you have written enough for now; a moderator has to answer first")
        if report.state == CLOSED:
            _check_few(len(of_reporter(report.player, OPEN)))
        execute("UPDATE report SET state = ?, closed_at = NULL WHERE id = ?", OPEN, report.id)
        _add(report.id, PLAYER, "", words, now)


def _hold(report: int) -> None:
    """Others who write about this report wait until this transaction is over."""
    execute("UPDATE report SET state = state WHERE id = ?", report)


def _unanswered(written: list[Line]) -> int:
    answers = [number for number, line in enumerate(written, 1) if line.author == MODERATOR]
    return len(written) - (answers[-1] if answers else 0)


def of_reporter(player: int, state: str | None = None) -> list[Report]:
    """What a player has reported, oldest first."""
    terms, values = ("", []) if state is None else (" AND state = ?", [state])
    found = rows(f"{_REPORT} WHERE player_id = ?{terms} ORDER BY id", player, *values)
    return [Report(*one) for one in found]


def forget(player: int, now: int) -> None:
    """A player leaves this server: own words go, and those reported of this player.

    What an open report is about stays until it is closed.
    """
    execute(
        "UPDATE report_line SET text = '' WHERE author = ?"
        " AND report_id IN (SELECT id FROM report WHERE player_id = ?)",
        PLAYER,
        player,
    )
    _close("player_id = ? AND state = ?", now, player, OPEN)
    execute("UPDATE report SET words = '' WHERE subject_id = ? AND state = ?", player, CLOSED)
    execute("UPDATE report SET subject_id = NULL WHERE subject_id = ?", player)


def _close(which: str, now: int, *values: object) -> None:
    """What is reported of somebody who was forgotten is forgotten with the report."""
    execute(
        "UPDATE report SET state = ?, closed_at = ?,"
        f" words = CASE WHEN subject_id IS NULL THEN '' ELSE words END WHERE {which}",
        CLOSED,
        now,
        *values,
    )


# --- the moderators' side -------------------------------------------------------------------------


def check_apart(moderator: ModeratorRecord, report: Report) -> None:
    """Refused for who has a part in what is reported; such a one does not even read it."""
    if has_part(moderator, report):
        raise Refused("you have a part in this report; another moderator has to look after it")


def has_part(moderator: ModeratorRecord, report: Report) -> bool:
    people = [find_player(one) for one in (report.player, report.subject) if one is not None]
    if plain(moderator.address) in {plain(one.address) for one in people if one}:
        return True
    return report.match is not None and moderation.has_part(moderator, get_match(report.match))


class Said(NamedTuple):
    """What a moderator writes about a report."""

    text: str
    after: int
    """The newest line that the moderator has read."""
    closes: bool = False


def answer(moderator: ModeratorRecord, report_id: int, said: Said, now: int) -> int:
    """Write to the player, by letter too, and enter it: all or nothing. The number of the entry."""
    words = matches.checked_message(said.text)
    with writing():
        _hold(report_id)
        report = get(report_id)
        check_apart(moderator, report)
        if lines(report.id)[-1].id != said.after:
            raise Stale("somebody has written meanwhile; read it first")
        if said.closes and report.state == CLOSED:
            raise Stale("this report is closed already")
        if said.closes:
            _close("id = ?", now, report.id)
        line = _add(report.id, MODERATOR, moderator.address, words, now)
        _owe_letter(report, line, said.closes, now)
        act = "close_report" if said.closes else "answer_report"
        return audit.record(
            moderator.address, act, subject_of(report.id), "", "", _sealed(line, words), now
        )


def _owe_letter(report: Report, line: int, closes: bool, now: int) -> None:
    epoch = get_player(report.player).epoch
    about = {"report": report.id, "line": line, "closes": closes}
    notices.owe([notices.to_player(report.player, epoch, KIND, str(line), **about)], now)


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
    found = rows(f"{_REPORT} {where}ORDER BY state DESC, id DESC LIMIT ?", *values, A_PAGE + 1)
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


def concerning(player: int, most: int = 50) -> list[Report]:
    """Reports about a player, and those the player has made, newest first."""
    found = rows(
        f"{_REPORT} WHERE subject_id = ? OR player_id = ? ORDER BY id DESC LIMIT ?",
        player,
        player,
        most,
    )
    return [Report(*one) for one in found]
