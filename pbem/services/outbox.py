"""The outbox: letters owed become bytes and are handed over, in order, until they have arrived.

    queued --claim--> leased --taken--> sent
      ^                 |--refused for now, link lost--> queued, later, with the same Message-ID
      |--lease is over--|--refused for good, five days old--> dead
    queued or leased --no longer true--> superseded

Any number of workers may drain at once: a row is claimed by a conditional UPDATE. What a letter
says is fixed in its row, durably, before it is first offered to a server; so a letter may arrive
twice when a link was lost behind its final dot, but then with the same Message-ID.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from random import random
from typing import Any, NamedTuple

import msgspec

from pbem.config import MAILBOX, Config
from pbem.errors import TransportError, whereabouts
from pbem.links import Links, YouLink
from pbem.mail import letters, mime, transport
from pbem.mail.transport import LinkLost, MailboxLetter, OpenedLetter, Parcel, Transport
from pbem.services import address_changes, clocks, leaving, letters_to_moderators, stand_ins
from pbem.services.desks import Owed
from pbem.services.letters_about_time import seats_of
from pbem.services.letters_for import letter_for
from pbem.services.matches import is_vouched_for
from pbem.services.records import (
    FORMING,
    INVITED,
    JOINED,
    LIVE,
    OPEN,
    OVER,
    VACANT,
    find_match,
    find_turn,
    get_match,
    open_turns,
)
from pbem.store import execute, row, rows, writing

log = logging.getLogger(__name__)

BATCH = 20
MINUTE, DAY = 60, 86_400
LEASE = 10 * MINUTE
PATIENCE = LEASE // 2
"""How long a batch may take before what is left of it is given back."""
BACKOFF = tuple(MINUTE * minutes for minutes in (1, 2, 5, 10, 15, 30))
JITTER = 0.2
GIVE_UP = 5 * DAY
MOST_FAULTS = 3
"""Tries to build a letter before it is put aside."""
KEEP_BODIES = 7 * DAY
NEWS = ("moved", "receipt")
"""Letters that ask for nothing; not for who has stopped news, or gets one letter a day."""
QUEUED, LEASED, SENT, DEAD, SUPERSEDED = "queued", "leased", "sent", "dead", "superseded"


class Office(NamedTuple):
    """What is needed to write letters and to send them."""

    links: Links
    sender: str
    domain: str
    key: bytes
    transport: Transport
    jitter: Callable[[], float] = random
    """A number from 0 to 1 that spreads retries."""

    def close(self) -> None:
        self.transport.close()


def open_office(config: Config) -> Office:
    """The office of these settings: a mail server, or the mailbox folder when there is none."""
    way: Transport = (
        transport.SmtpTransport(config.smtp_url, own_name=config.mail_domain)
        if config.smtp_url
        else transport.MailboxTransport(config.mailbox)
    )
    key = hmac.digest(config.secret_keys[-1].encode(), b"pbem/message-id/v1", "sha256")
    links = Links(config.secret_keys, config.base_url, config.keys_file)
    return Office(links, config.mail_from, config.mail_domain, key, way)


class Drained(NamedTuple):
    """What became of the letters that were ready."""

    sent: int = 0
    again: int = 0
    dead: int = 0
    superseded: int = 0


def drain(
    office: Office,
    worker: str,
    now: int,
    stopwatch: Callable[[], float] = time.monotonic,
    most: int = BATCH,
) -> Drained:
    """Send what is ready, batch after batch, until nothing is or the way is closed."""
    total, begun, moment = Drained(), stopwatch(), now
    claimed = claim(worker, now, most)
    while claimed:
        batch = _send_batch(office, worker, claimed, moment, stopwatch)
        total = Drained(*(old + new for old, new in zip(total, batch.counted(), strict=True)))
        moment = now + int(stopwatch() - begun)
        with writing():  # what happened and what comes next, in one commit
            _record(worker, batch, moment)
            claimed = claim(worker, moment, most) if batch.is_open else []
    return total


# --- claiming -------------------------------------------------------------------------------------


class Claimed(NamedTuple):
    """A row of the outbox that is ours for now, with all that says whether it is still true."""

    id: int
    kind: str
    player: int
    match: str | None
    seat: int | None
    turn: int | None
    about: str
    epoch: int
    attempts: int
    created_at: int
    message_id: str | None
    mime: bytes | None
    address: str
    news: bool
    digest_hour: int | None
    player_epoch: int
    match_status: str | None
    timeline: int | None
    seat_player: int | None
    seat_status: str | None
    seat_epoch: int | None
    turn_closed: int | None
    has_newer: bool
    """A later letter of the stream tells what this one tells."""


_READY = """
    SELECT o.id FROM outbox o WHERE o.state = 'queued' AND o.next_at <= ?
    AND NOT EXISTS (
        SELECT 1 FROM outbox p
        WHERE p.stream = o.stream AND p.id < o.id AND p.state IN ('queued', 'leased')
    ) ORDER BY o.next_at, o.id LIMIT ?
"""
_CLAIM = f"""
    UPDATE outbox SET state = 'leased', lease_by = ?, lease_until = ?
    WHERE id IN ({_READY}) AND state = 'queued' AND next_at <= ? RETURNING id
"""
_CLAIMED = """
    SELECT o.id, o.kind, o.player_id, o.match_id, o.seat, o.turn, o.about, o.epoch, o.attempts,
        o.created_at, o.message_id, o.mime, p.address, p.news, p.digest_hour, p.epoch,
        m.status, m.timeline, s.player_id, s.status, s.epoch, t.closed_seq,
        o.kind = 'moved' AND EXISTS (
            SELECT 1 FROM outbox n
            WHERE n.stream = o.stream AND n.id > o.id AND n.kind IN ('turn', 'finished')
        )
    FROM outbox o JOIN player p ON p.id = o.player_id
    LEFT JOIN match m ON m.id = o.match_id
    LEFT JOIN seat s ON s.match_id = o.match_id AND s.number = o.seat
    LEFT JOIN turn t ON t.id = o.turn
    WHERE o.id IN ({places}) ORDER BY o.id
"""


def claim(worker: str, now: int, most: int = BATCH) -> list[Claimed]:
    """Take letters that are ready and at the head of their streams; nobody else has them now."""
    with writing():
        execute(
            "UPDATE outbox SET state = 'queued' WHERE state = 'leased' AND lease_until <= ?", now
        )
        taken = rows(_CLAIM, worker, now + LEASE, now, most, now)
        if not taken:
            return []
        ids = [number for (number,) in taken]
        found = rows(_CLAIMED.format(places=_places(ids)), *ids)
    return [_claimed(values) for values in found]


def _claimed(values: tuple[Any, ...]) -> Claimed:
    claimed = Claimed(*values)
    return claimed._replace(
        news=bool(claimed.news),
        has_newer=bool(claimed.has_newer),
        mime=None if claimed.mime is None else bytes(claimed.mime),
    )


def _places(values: Sequence[object]) -> str:
    return ", ".join(["?"] * len(values))


def is_stale(letter: Claimed) -> bool:
    """Whether the letter is no longer true, or no longer for this person."""
    match letter.kind:
        case "confirm":
            return letter.player_epoch != letter.epoch or not _waits_for_word(letter)
        case "you":
            return letter.player_epoch != letter.epoch
        case "invitation":
            return not _may_accept(letter)
        case "reminder":
            return not _waits(letter)
        case "stand_in":
            return letter.player_epoch != letter.epoch or not _is_so(letter)
        case letters_to_moderators.KIND:
            return letters_to_moderators.is_stale(_about(letter))
        case "address":
            return letter.player_epoch != letter.epoch or not _is_awaited(letter)
        case "moderated" | "answer" | "account":
            return False
    if letter.seat_player != letter.player:
        return True
    if letter.kind in NEWS and not _wants_news(letter):
        return True
    match letter.kind:
        case "turn":
            is_asked = letter.turn_closed is None and letter.match_status == LIVE
            return not is_asked or letter.seat_epoch != letter.epoch
        case leaving.LETTER:
            return letter.match_status != LIVE or letter.seat_epoch != letter.epoch
        case "finished":
            return letter.match_status != OVER
        case "message":
            return not (_is_offered(letter) if "draw" in _about(letter) else letter.news)
        case "late" | "claim":
            return letter.match_status != LIVE or not _is_late(letter)
        case "away":
            return letter.match_status != LIVE or not _holds(letter)
        case "briefing":
            return letter.match_status != LIVE
    return letter.has_newer


def _waits_for_word(letter: Claimed) -> bool:
    """Whether the match that a confirmation is for still waits for it."""
    match = find_match(str(_about(letter)["match"]))
    return match is not None and match.status == FORMING and not is_vouched_for(match)


def _is_awaited(letter: Claimed) -> bool:
    """Whether a change of address still waits to be confirmed."""
    change = address_changes.find(int(_about(letter)["change"]))
    return change is not None and change.ended_at is None


def _may_accept(letter: Claimed) -> bool:
    if letter.match_status != FORMING or letter.seat_epoch != letter.epoch:
        return False
    mine = letter.seat_status == INVITED and letter.seat_player == letter.player
    return mine or letter.seat_status == OPEN


def _wants_news(letter: Claimed) -> bool:
    """Whoever wants none is still told when the clock has played in his place."""
    if letter.news and letter.digest_hour is None:
        return True
    return letter.kind == "receipt" and _is_by_clock(letter)


def _is_by_clock(letter: Claimed) -> bool:
    found = row(
        "SELECT kind FROM entry WHERE match_id = ? AND seq = ?",
        letter.match,
        int(_about(letter)["seq"]),
    )
    return found is not None and found[0] == "timeout"


def _is_offered(letter: Claimed) -> bool:
    """Whether a draw can still be accepted; the offer lapses when play goes on."""
    assert letter.match is not None, "draws are offered in a match"
    offered = get_match(letter.match)
    return offered.status == LIVE and offered.seat(int(_about(letter)["by"])).draw_offered


def _waits(letter: Claimed) -> bool:
    """Whether one of the turns that a reminder is owed for still runs."""
    about = _about(letter)
    if about["digest"]:
        return bool(seats_of(letter.player))
    return any(turn.id in about["turns"] for turn in clocks.running_turns(letter.player))


def _is_late(letter: Claimed) -> bool:
    """Whether somebody is late in this turn, by the deadline that the letter tells of."""
    about = _about(letter)
    turn = find_turn(int(about["of"]))
    if turn is None or not turn.is_open or turn.since is None:
        return False
    return turn.deadline_at == int(about["deadline"])


def _holds(letter: Claimed) -> bool:
    """Whether what the others were to be told is still so."""
    assert letter.match is not None, "a match is told of"
    about, told = _about(letter), get_match(letter.match)
    seat = None if about["by"] is None else told.seat(int(about["by"]))
    match about["what"]:
        case "wants_pause":
            return told.paused_at is None and seat is not None and seat.pause_wanted
        case "paused":
            return told.paused_at is not None
        case "resumed":
            return told.paused_at is None
        case "vacant":
            return seat is not None and seat.status == VACANT
        case "changed_hands":
            return seat is not None and seat.status == JOINED
        case "given_time":
            return any(turn.seat == letter.seat for turn in open_turns(told.id))
    return True


_STATES = {
    "asked": stand_ins.OFFERED,
    "nobody": stand_ins.OFFERED,
    "agreed": stand_ins.AGREED,
    "taken": stand_ins.RUNNING,
}
"""Of a loan while a letter about it is true; what is not here stays true."""


def _is_so(letter: Claimed) -> bool:
    """Whether a letter about a lent seat still tells how things are."""
    about = _about(letter)
    loan = stand_ins.find_loan(int(about["loan"]))
    if loan is None:
        return False
    if about["what"] not in _STATES:
        return True
    is_meant = about["what"] != "asked" or loan.stand_in in (None, letter.player)
    return is_meant and letter.match_status == LIVE and loan.state == _STATES[about["what"]]


# --- building -------------------------------------------------------------------------------------


class Built(NamedTuple):
    message_id: str
    mime: bytes


def build(office: Office, letter: Claimed, now: int) -> Built:
    """The letter as bytes, written from the log."""
    about = _about(letter)
    owed = Owed(letter.kind, letter.player, letter.match, letter.seat, letter.turn, about)
    is_to_player = letter.kind != letters_to_moderators.KIND
    gathered = letter_for if is_to_player else letters_to_moderators.letter_for
    told = gathered(owed, office.links, now)
    written = letters.write(told)
    message_id = letter.message_id or _message_id(office, letter)
    fields = [
        ("From", f"pbem <{office.sender}>"),
        ("To", mime.mailbox(letter.address)),
        ("Subject", written.subject),
        ("Date", format_datetime(datetime.fromtimestamp(now, UTC))),
        ("Message-ID", message_id),
        *_headers(office, letter),
        *_head_of(told),
    ]
    return Built(message_id, mime.build(fields, written.text, written.html))


def _head_of(told: letters.Letter) -> list[tuple[str, str]]:
    """The head of the match that a letter is about; one that gathers several has it in its text."""
    heads = [table.head for table in letters.sealed(told)]
    return [("X-PBEM-Head", heads[0])] if len(heads) == 1 else []


def _about(letter: Claimed) -> dict[str, Any]:
    return msgspec.json.decode(letter.about, type=dict[str, Any])


def _message_id(office: Office, letter: Claimed) -> str:
    number = f"{letter.timeline or 0}.{letter.id}"
    mark = hmac.digest(office.key, f"{number}.{letter.created_at}".encode(), "sha256").hex()[:16]
    return f"<o.{number}.{mark}@{office.domain}>"


def _headers(office: Office, letter: Claimed) -> Iterator[tuple[str, str]]:
    if letter.match is not None:
        thread = f"<match.{letter.match}@{office.domain}>"
        yield "In-Reply-To", thread
        yield "References", thread
        yield "List-Id", f"<{letter.match}.match.{office.domain}>"
    stop = office.links.url("mute", YouLink(letter.player, letter.player_epoch))
    yield "List-Unsubscribe", f"<{stop}>"
    yield "List-Unsubscribe-Post", "List-Unsubscribe=One-Click"
    yield "Auto-Submitted", "auto-generated"
    yield "X-Auto-Response-Suppress", "All"
    yield "X-PBEM-Kind", letter.kind
    if letter.match is not None:
        yield "X-PBEM-Match", letter.match
    if letter.seat is not None:
        yield "X-PBEM-Seat", _seat_name(letter)
    if letter.turn is not None:
        yield "X-PBEM-Turn", str(letter.turn)


def _seat_name(letter: Claimed) -> str:
    found = row(
        "SELECT name FROM seat WHERE match_id = ? AND number = ?", letter.match, letter.seat
    )
    return str(found[0]) if found else ""


# --- sending --------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What is written down about a letter after a try."""

    id: int
    state: str
    attempts: int
    next_at: int
    error: str = ""


class Ready(NamedTuple):
    """A letter whose bytes are durably in its row."""

    letter: Claimed
    parcel: Parcel


class Batch(NamedTuple):
    """What became of letters that were claimed together."""

    outcomes: Sequence[Outcome]
    untried: Sequence[int]
    is_open: bool
    """Whether the way to the mail server is still open."""

    def counted(self) -> Drained:
        states = [outcome.state for outcome in self.outcomes]
        return Drained(*(states.count(state) for state in (SENT, QUEUED, DEAD, SUPERSEDED)))


def _send_batch(
    office: Office,
    worker: str,
    claimed: Sequence[Claimed],
    now: int,
    stopwatch: Callable[[], float],
) -> Batch:
    begun, outcomes, ready, is_open = stopwatch(), list[Outcome](), list[Ready](), True
    for letter, result in _prepared(office, worker, claimed, now):
        if isinstance(result, Outcome):
            outcomes.append(result)
        else:
            ready.append(Ready(letter, result))
    tried = 0
    for problem in office.transport.deliver([one.parcel for one in ready]):
        outcomes.append(_judged(office, ready[tried].letter, problem, now))
        tried += 1
        is_open = not isinstance(problem, LinkLost)
        if stopwatch() - begun > PATIENCE:
            break
    return Batch(outcomes, [one.letter.id for one in ready[tried:]], is_open)


def _prepared(
    office: Office, worker: str, claimed: Sequence[Claimed], now: int
) -> Iterator[tuple[Claimed, Parcel | Outcome]]:
    """For each letter its parcel, with bytes that are durably in its row, or why there is none."""
    parcels, fresh = dict[int, Parcel](), list[tuple[int, Built]]()
    for letter in claimed:
        if is_stale(letter):
            yield letter, Outcome(letter.id, SUPERSEDED, letter.attempts, now)
            continue
        try:
            address = mime.mailbox(letter.address)
            built = build(office, letter, now) if letter.mime is None else None
        except Exception as error:  # a letter that cannot be written must not stop the others
            yield letter, _unwritten(office, letter, error, now)
            continue
        if built is not None:
            fresh.append((letter.id, built))
        body = built.mime if built is not None else letter.mime or b""
        if is_addressed_to(body, address):
            parcels[letter.id] = Parcel(office.sender, address, body)
        else:
            why = "written for another address"
            yield letter, Outcome(letter.id, SUPERSEDED, letter.attempts, now, why)
    lost = _keep(worker, fresh)
    for letter in claimed:
        if letter.id in parcels and letter.id not in lost:
            yield letter, parcels[letter.id]


def _keep(worker: str, fresh: Sequence[tuple[int, Built]]) -> set[int]:
    """Write bytes into their rows, all at once; the rows that are not ours any more."""
    if not fresh:
        return set()
    with writing():
        return {
            number
            for number, built in fresh
            if not execute(
                "UPDATE outbox SET message_id = ?, mime = ?"
                " WHERE id = ? AND state = 'leased' AND lease_by = ? AND mime IS NULL",
                built.message_id,
                built.mime,
                number,
                worker,
            )
        }


def is_addressed_to(body: bytes, address: str) -> bool:
    head = body[: body.find(b"\r\n\r\n") + 2]
    return b"\r\nTo: %b\r\n" % address.encode("ascii") in head


def _unwritten(office: Office, letter: Claimed, error: Exception, now: int) -> Outcome:
    """A letter that cannot be built: tried again, then put aside. What it says stays unsaid."""
    why = whereabouts(error)
    log.error("unwritten letter=%s kind=%s why=%s", letter.id, letter.kind, why)
    attempts = letter.attempts + 1
    state = DEAD if attempts >= MOST_FAULTS else QUEUED
    return Outcome(letter.id, state, attempts, now + _pause(office, attempts), why)


def _judged(office: Office, letter: Claimed, problem: TransportError | None, now: int) -> Outcome:
    attempts = letter.attempts + 1
    if problem is None:
        return Outcome(letter.id, SENT, attempts, now)
    log.warning("unsent letter=%s kind=%s why=%s", letter.id, letter.kind, problem)
    given_up = problem.permanent or now - letter.created_at >= GIVE_UP
    state = DEAD if given_up else QUEUED
    return Outcome(letter.id, state, attempts, now + _pause(office, attempts), str(problem))


def _pause(office: Office, attempts: int) -> int:
    """Seconds until the next try: longer and longer, spread a little to both sides."""
    seconds = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    return round(seconds * (1 + JITTER * (2 * office.jitter() - 1)))


def _record(worker: str, batch: Batch, now: int) -> None:
    """Write down what happened, in one short transaction; untried letters are given back.

    Who had a letter stays in its row: SQLite need not copy the bytes of a row that keeps its size.
    """
    untried = batch.untried
    sent = [outcome.id for outcome in batch.outcomes if outcome.state == SENT]
    with writing():
        if sent:
            execute(
                "UPDATE outbox SET state = 'sent', attempts = attempts + 1, sent_at = ?,"
                f" last_error = '' WHERE id IN ({_places(sent)})",
                now,
                *sent,
            )
            clocks.start_of_letters(sent, now)
        if untried:
            execute(
                "UPDATE outbox SET state = 'queued'"
                f" WHERE state = 'leased' AND lease_by = ? AND id IN ({_places(untried)})",
                worker,
                *untried,
            )
        for outcome in batch.outcomes:
            if outcome.state != SENT:
                _set_aside(worker, outcome)


def _set_aside(worker: str, outcome: Outcome) -> None:
    wiped = ", mime = NULL" if outcome.state == SUPERSEDED else ""
    execute(
        "UPDATE outbox SET state = ?, attempts = ?, next_at = ?, last_error = ?"
        f"{wiped} WHERE id = ? AND state = 'leased' AND lease_by = ?",
        outcome.state,
        outcome.attempts,
        outcome.next_at,
        outcome.error[:200],
        outcome.id,
        worker,
    )


# --- looking after it -----------------------------------------------------------------------------


def prune(now: int) -> int:
    """Wipe the bytes of letters that left a week ago, or that never will; how many."""
    with writing():
        return execute(
            "UPDATE outbox SET mime = NULL WHERE mime IS NOT NULL AND"
            " ((state = 'sent' AND sent_at <= ?) OR (state = 'dead' AND created_at <= ?))",
            now - KEEP_BODIES,
            now - KEEP_BODIES - GIVE_UP,
        )


class Backlog(NamedTuple):
    """What waits: how many letters, and for how long the oldest has been due."""

    queued: int
    leased: int
    dead: int
    oldest: int


def backlog(now: int) -> Backlog:
    counts = dict(rows("SELECT state, COUNT(*) FROM outbox GROUP BY state"))
    found = row("SELECT MIN(created_at) FROM outbox WHERE state IN ('queued', 'leased')")
    oldest = now - int(found[0]) if found is not None and found[0] is not None else 0
    return Backlog(counts.get(QUEUED, 0), counts.get(LEASED, 0), counts.get(DEAD, 0), oldest)


def mailbox_letters(folder: Path = MAILBOX) -> list[MailboxLetter]:
    """The letters of the development mailbox, newest first."""
    return transport.list_letters(folder)


def mailbox_letter(name: str, folder: Path = MAILBOX) -> OpenedLetter | None:
    """One of them with its headers and both parts; None when there is none of that name."""
    return transport.read_letter(folder, name)


def send_test(office: Office, address: str, now: int) -> None:
    """One short letter past the queue, for an operator; TransportError says what is wrong."""
    to = mime.mailbox(address)
    words = "This is a test letter of pbem: the settings for mail are right.\n"
    mark = hmac.digest(office.key, f"test {now} {to}".encode(), "sha256").hex()[:16]
    fields = [
        ("From", f"pbem <{office.sender}>"),
        ("To", to),
        ("Subject", "A test letter of pbem"),
        ("Date", format_datetime(datetime.fromtimestamp(now, UTC))),
        ("Message-ID", f"<test.{now}.{mark}@{office.domain}>"),
        ("Auto-Submitted", "auto-generated"),
        ("X-PBEM-Kind", "test"),
    ]
    parcel = Parcel(office.sender, to, mime.build(fields, words, f"<p>{words}</p>"))
    for problem in office.transport.deliver([parcel]):
        if problem is not None:
            raise problem
