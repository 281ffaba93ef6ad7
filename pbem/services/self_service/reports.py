"""What players report to the moderators: a letter, a message, a name, conduct.

A report is made by the link of a letter. It keeps the words it is about as they were then, and all
that both sides write.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

from peewee import Case

from pbem.db import models
from pbem.db.models import Player, ReportLine
from pbem.db.reading import every, first
from pbem.db.store import writing
from pbem.errors import Missing, Refused
from pbem.links import ReportLink
from pbem.plural import Counted
from pbem.services.match import messages
from pbem.services.records.match_rows import MatchRecord, find_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import seat_history

OPEN, CLOSED = "open", "closed"
About = Literal["letter", "conduct", "message", "name", "other"]
ABOUT = get_args(About)
PLAYER, MODERATOR = "player", "moderator"
MOST_OPEN = 5
"""Reports of one player that wait at a time."""
MOST_UNANSWERED = 10
"""What a player may write about one report before somebody has answered."""
MOST_MESSAGES = 20
LONGEST = messages.LONGEST_MESSAGE
SEAT_PAGE = "seat"
"""What stands for a kind of letter in a link that a page has, not a letter."""


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


COLUMNS = [getattr(models.Report, name) for name in Report._fields]
_LINE_COLUMNS = [getattr(ReportLine, name) for name in Line._fields]


def get(report: int) -> Report:
    found = first(models.Report.select(*COLUMNS).where(models.Report.id == report), Report)
    if found is None:
        raise Missing("there is no such report")
    return found


def lines(report: int) -> list[Line]:
    """All that was written about a report, oldest first."""
    written = ReportLine.select(*_LINE_COLUMNS).where(ReportLine.report == report)
    return every(written.order_by(ReportLine.id), Line)


# --- what a letter lets its reader report ---------------------------------------------------------


class ReportTarget(NamedTuple):
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


def targets(link: ReportLink) -> list[ReportTarget]:
    """What can be reported: nothing is in it that the letter's reader did not know then."""
    match, found = find_match(link.match) if link.match else None, list[ReportTarget]()
    if link.letter != SEAT_PAGE:
        found.append(ReportTarget("letter", subject=_sender(link, match)))
    if match is not None and 0 <= link.seat < len(match.seats):
        found += [*_messages(link, match), *_people(link, match)]
    return [*found, ReportTarget("other")]


def _sender(link: ReportLink, match: MatchRecord | None) -> int | None:
    """Who brought the letter about, where that was a person."""
    if link.letter != "invitation" or match is None or match.creator == link.player:
        return None
    return match.creator


def _messages(link: ReportLink, match: MatchRecord) -> list[ReportTarget]:
    """What others wrote before the letter, while its reader had the seat; newest first."""
    ends = [
        held.end
        for holder, held in seat_history.of_seat(match, link.seat)
        if holder == link.player and held.start <= link.at
    ]
    if not ends:
        return []
    end = link.at if ends[-1] is None else min(link.at, ends[-1] - 1)
    heard = messages.of_match(match.id, link.seat)
    known = [one for one in heard if one.at <= end and one.seat != link.seat]
    return [
        ReportTarget("message", said.seat, said.id, _author(match, said), said.text, said.at)
        for said in known[: -MOST_MESSAGES - 1 : -1]
    ]


def _author(match: MatchRecord, said: messages.Said) -> int | None:
    """Who held the seat when it was written."""
    held = seat_history.of_seat(match, said.seat)
    return next((holder for holder, time in held if time.holds(said.at)), None)


def _people(link: ReportLink, match: MatchRecord) -> list[ReportTarget]:
    others = [seat for seat in match.seats if seat.number != link.seat and seat.player is not None]
    found = list[ReportTarget]()
    for seat in others:
        found.append(ReportTarget("conduct", seat.number, subject=seat.player))
        name = get_player(seat.player).name
        if name:
            found.append(ReportTarget("name", seat.number, subject=seat.player, words=name))
    return found


# --- the player's side ----------------------------------------------------------------------------


def make(link: ReportLink, key: str, text: str, now: int) -> Report:
    """A new report; what was sent twice is one."""
    words = messages.checked_message(text)
    target = next((one for one in targets(link) if one.key == key), None)
    if target is None:
        raise Refused("say what your report is about")
    with writing():
        _lock_reporter(link.player)
        waiting = of_reporter(link.player, OPEN)
        for known in waiting:
            if _is_same(known, target, link) and lines(known.id)[0].text == words:
                return known
        _check_few(len(waiting))
        report = _insert(link, target, now)
        add_line(report, PLAYER, "", words, now)
        return get(report)


def _lock_reporter(player: int) -> None:
    """Others who report as this player wait until this transaction is over."""
    Player.update(news=Player.news).where(Player.id == player).execute()


def _is_same(known: Report, target: ReportTarget, link: ReportLink) -> bool:
    here = (target.about, target.seat, target.message, link.match or None, link.letter, link.at)
    there = (known.about, known.seat, known.message, known.match, known.letter, known.letter_at)
    return here == there


def _check_few(waiting: int) -> None:
    if waiting >= MOST_OPEN:
        raise Refused(
            Counted(
                "%(num)s of your reports is waiting for an answer; add to it, or wait",
                "%(num)s of your reports are waiting for an answer; add to one of them, or wait",
            ),
            num=waiting,
        )


def _insert(link: ReportLink, target: ReportTarget, now: int) -> int:
    report = models.Report.insert(
        state=OPEN,
        about=target.about,
        player=link.player,
        subject=target.subject,
        match=link.match or None,
        seat=target.seat,
        message=target.message,
        letter=link.letter,
        letter_at=link.at,
        words=target.words,
        created_at=now,
    )
    return int(report.execute())


def add_line(report: int, author: str, who: str, text: str, now: int) -> int:
    line = ReportLine.insert(report=report, at=now, author=author, who=who, text=text)
    return int(line.execute())


def write_again(report_id: int, text: str, now: int) -> None:
    """More words of the player; a report that was closed is open again."""
    words = messages.checked_message(text)
    with writing():
        lock_report(report_id)
        report, written = get(report_id), lines(report_id)
        if (written[-1].author, written[-1].text) == (PLAYER, words):
            return
        if _unanswered(written) >= MOST_UNANSWERED:
            raise Refused("you have written enough for now; a moderator has to answer first")
        if report.state == CLOSED:
            _check_few(len(of_reporter(report.player, OPEN)))
        _update(report.id, state=OPEN, closed_at=None)
        add_line(report.id, PLAYER, "", words, now)


def lock_report(report: int) -> None:
    """Others who write about this report wait until this transaction is over."""
    _update(report, state=models.Report.state)


def _update(report: int, **columns: Any) -> None:
    models.Report.update(**columns).where(models.Report.id == report).execute()


def _unanswered(written: list[Line]) -> int:
    answers = [number for number, line in enumerate(written, 1) if line.author == MODERATOR]
    return len(written) - (answers[-1] if answers else 0)


def of_reporter(player: int, state: str | None = None) -> list[Report]:
    """What a player has reported, oldest first."""
    made = models.Report.select(*COLUMNS).where(models.Report.player == player)
    if state is not None:
        made = made.where(models.Report.state == state)
    return every(made.order_by(models.Report.id), Report)


def forget(player: int, now: int) -> None:
    """A player leaves this server: own words go, and those reported of this player.

    What an open report is about stays until it is closed.
    """
    report = models.Report
    own = report.select(report.id).where(report.player == player)
    ReportLine.update(text="").where(
        ReportLine.author == PLAYER, ReportLine.report.in_(own)
    ).execute()
    _close((report.player == player) & (report.state == OPEN), now)
    about = report.subject == player
    report.update(words="").where(about, report.state == CLOSED).execute()
    report.update(subject=None).where(about).execute()


def close(report: int, now: int) -> None:
    _close(models.Report.id == report, now)


def _close(which: Any, now: int) -> None:
    """What is reported of somebody who was forgotten is forgotten with the report."""
    is_forgotten = models.Report.subject.is_null()
    models.Report.update(
        state=CLOSED,
        closed_at=now,
        words=Case(None, [(is_forgotten, "")], models.Report.words),
    ).where(which).execute()
