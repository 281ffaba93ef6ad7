"""What must be true after a fault, counted."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple

from pbem.db import store
from pbem.db.store import row, rows
from pbem.links import order_code
from pbem.services.match import drafts, match_log, turns
from pbem.services.operations import replay_check
from pbem.services.records.match_rows import (
    LIVE,
    MatchRecord,
    TurnRecord,
    find_turn,
    get_match,
    open_turns,
)
from pbem.services.time import stalled_turns
from tests.faults.ledger import GRACE, Acknowledged, Ledger, Mailroom
from tests.faults.seating import looking_into

SETTLE_SECONDS = 480
"""A mail that has failed twice, because its reader was killed, waits for five minutes."""
OPEN_LETTERS = ("queued", "leased")
OPEN_MAILS = ("received", "leased")
RECORDED = 5.0
"""Seconds within which a letter that has left is written down as sent."""
CLOCK_KINDS = ("timeout", "forfeit")
"""Entries that only a clock writes."""


class Figures(NamedTuple):
    """How many were acknowledged, and what went wrong; all but the first should be 0."""

    acknowledged: int
    lost: int
    half_applied: int
    doubled: int
    wrongful: int
    faults: tuple[str, ...] = ()
    """Each in words."""

    @property
    def is_clean(self) -> bool:
        return not any((self.lost, self.half_applied, self.doubled, self.wrongful, self.faults))


def settle(url: str, seconds: float = SETTLE_SECONDS) -> None:
    """Until no letter is to leave at once, and no mail to be read; AssertionError says what is."""
    patience = time.monotonic() + seconds
    with looking_into(url):
        while owed := _owed():
            assert time.monotonic() < patience, f"still to be done: {owed}"
            time.sleep(0.2)


def _owed() -> list[tuple[str, str, int]]:
    """Letters and mails that a worker should have done by now."""
    now = int(time.time())
    letters = rows(
        "SELECT 'letter', kind, COUNT(*) FROM outbox WHERE state IN (?, ?) AND next_at <= ?"
        " GROUP BY kind",
        *OPEN_LETTERS,
        now,
    )
    mails = rows(
        "SELECT 'mail', state, COUNT(*) FROM incoming WHERE state IN (?, ?) GROUP BY state",
        *OPEN_MAILS,
    )
    return [*letters, *mails]


def check(
    url: str,
    ledger: Ledger,
    mailroom: Mailroom,
    excuses: Sequence[float] = (),
    may_time_out: bool = False,
) -> Figures:
    """Compare what was acknowledged with what is there; `excuses` are moments of kills and cuts."""
    with looking_into(url):
        faults = list(_broken_files())
        lost = lost_of(ledger.acknowledged)
        half = [*half_applied(), *_inconsistent()]
        wrongful = [] if may_time_out else _timed_out()
        doubled = [f"doubled: {name}" for name in mailroom.doubled(excuses)]
        faults += _unaccounted(mailroom, excuses)
    words = (*lost, *half, *doubled, *wrongful, *faults)
    return Figures(
        len(ledger), len(lost), len(half), len(doubled), len(wrongful), tuple(words[:40])
    )


def _broken_files() -> Iterator[str]:
    if store.database.obj.__class__.__name__.startswith(("Sqlite", "PooledSqlite")):
        found = rows("PRAGMA integrity_check")
        if found != [("ok",)]:
            yield f"integrity_check: {found[:3]}"
        if rows("PRAGMA foreign_key_check"):
            yield "foreign_key_check finds something"


def lost_of(acknowledged: Sequence[Acknowledged], first: int | None = None) -> list[str]:
    """What was acknowledged and is not there; a draft may have given way to a later link.

    Of the first so many alone, where it is known that those were there.
    """
    given_way = dict[int, int]()
    for number, one in enumerate(acknowledged):
        if one.what in ("code", "mail"):
            given_way[one.turn] = number
    return [
        f"lost: {one}"
        for number, one in enumerate(acknowledged[:first])
        if not _is_there(one, may_be_gone=number < given_way.get(one.turn, -1))
    ]


def _is_there(one: Acknowledged, may_be_gone: bool) -> bool:
    if one.what == "mail":
        return _is_kept(one)
    turn = find_turn(one.turn)
    if turn is None:
        return False
    match = get_match(turn.match)
    played = turns.played_in(match, turn)
    if one.what == "sent":
        return bool(played)
    if may_be_gone or _was_ended_by_others(turn):
        return True
    known = [*played, *drafts.draft_of(turn.id)]
    if one.what == "order":
        return one.words in known
    return any(order_code(match.secret, turn.id, order) == one.words for order in known)


def _was_ended_by_others(turn: TurnRecord) -> bool:
    """Whether a moderator or a clock has ended a turn, and its draft with it."""
    found = row(
        "SELECT kind FROM entry WHERE match_id = ? AND seq = ?", turn.match, turn.closed_seq
    )
    return found is not None and found[0] != "action"


def _is_kept(one: Acknowledged) -> bool:
    """Whether a mail is in its row, was read, and came to an end."""
    recipient, _, name = one.words.partition(" ")
    mark = _mark(recipient, name)
    found = row("SELECT state FROM incoming WHERE dedupe = ?", mark)
    return found is not None and found[0] in ("applied", "rejected")


def _mark(recipient: str, name: str) -> str:
    return sha256(recipient.encode() + b"\nid " + name.encode()).hexdigest()


def half_applied() -> list[str]:
    """Matches whose log does not fit its hashes, or folds into another position than was kept."""
    found = [replay_check.replayed(get_match(match)) for (match,) in rows("SELECT id FROM match")]
    return [str(one.fault) for one in found if one.fault is not None]


def _inconsistent() -> list[str]:
    """Turns, letters and alarms that do not belong together."""
    found = [f"{one} waits for nothing" for one in stalled_turns.idle()]
    for (number,) in rows("SELECT id FROM match WHERE status = ?", LIVE):
        match = get_match(number)
        found += _wrong_turns(match, open_turns(number))
    found += [
        f"turn {turn} of a person had no letter"
        for (turn,) in rows(
            "SELECT t.id FROM turn t JOIN seat s ON s.match_id = t.match_id AND s.number = t.seat"
            " WHERE s.status = 'joined' AND NOT EXISTS (SELECT 1 FROM outbox o"
            " WHERE o.match_id = t.match_id AND o.seat = t.seat AND o.kind IN ('turn', 'started'))"
        )
    ]
    found += [
        f"turn {turn} has {count} letters"
        for turn, count in rows(
            "SELECT turn, COUNT(*) FROM outbox WHERE kind = 'turn' AND turn IS NOT NULL"
            " GROUP BY turn, player_id, epoch HAVING COUNT(*) > 1"
        )
    ]
    found += [
        f"the alarm of turn {subject} rings for nobody"
        for (subject,) in rows(
            "SELECT d.subject FROM due d WHERE d.kind = 'turn' AND NOT EXISTS"
            " (SELECT 1 FROM turn t WHERE CAST(t.id AS VARCHAR(40)) = d.subject)"
        )
    ]
    return found


def _wrong_turns(match: MatchRecord, opened: Sequence[TurnRecord]) -> list[str]:
    asked = match.game.waiting_on(match_log.current(match))
    waits = sorted(match.seat(turn.seat).name for turn in opened)
    if waits == sorted(asked):
        return []
    return [f"match {match.id} waits for {waits}, its position for {sorted(asked)}"]


def _timed_out() -> list[str]:
    """Whoever a clock has ended, warned or reminded, though all have weeks."""
    entries = rows("SELECT match_id, seq, kind FROM entry WHERE kind IN (?, ?)", *CLOCK_KINDS)
    letters = rows("SELECT match_id, id, kind FROM outbox WHERE kind IN ('late', 'reminder')")
    return [f"the clock: {one}" for one in (*entries, *letters)]


def _unaccounted(mailroom: Mailroom, excuses: Sequence[float]) -> Iterator[str]:
    """Letters of which the tables and the mail server tell different things.

    Whoever was killed between dot and record has left a letter that another worker may find to be
    of no use any more.
    """
    told = dict(rows("SELECT message_id, state FROM outbox WHERE message_id IS NOT NULL"))
    for name, copies in mailroom.copies.items():
        known = told.get(name)
        last = copies[-1].at
        cut_off = any(last - GRACE <= moment <= last + RECORDED for moment in excuses)
        if known not in ("sent", "returned") and not (known == "superseded" and cut_off):
            yield f"the mail server has {name}, the outbox says {told.get(name, 'nothing')}"
    for name, state in told.items():
        if state == "sent" and name not in mailroom.copies:
            yield f"the outbox says that {name} was sent, the mail server has not got it"
