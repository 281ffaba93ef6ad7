"""The outbox: letters owed become bytes and are handed over, in order, until they have arrived.

    queued --claim--> leased --taken--> sent, its bytes are gone
      ^                 |--refused, link lost--> queued, later, with the same Message-ID
      |--lease is over--|--refused for good six times, tried for five days--> dead
    queued or leased --no longer true--> superseded

Any number of workers may drain at once: a row is claimed by a conditional UPDATE. What a letter
says is fixed in its row, sealed and durably, before it is first offered to a server; so it may
arrive twice when a link was lost behind its final dot, but then with the same Message-ID. When to
give up is told by the number of tries, never by the date: that may be wrong.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial
from pathlib import Path
from random import random
from typing import Any, NamedTuple

import msgspec
from peewee import PeeweeException

from pbem import sealing
from pbem.config import MAILBOX, Config
from pbem.db.store import execute, row, rows, writing
from pbem.errors import RulesChanged, TransportError, whereabouts
from pbem.links import Links, YouLink
from pbem.mail import letters, mime, transport
from pbem.mail.lanes import Lanes
from pbem.mail.transport import LinkLost, MailboxLetter, NoWay, OpenedLetter, Parcel, Transport
from pbem.services.letters import moderator_letters
from pbem.services.letters.claims import (
    BACKOFF,
    BATCH,
    JITTER,
    LEASE,
    PURPOSE,
    REFUSED,
    Claimed,
    claim,
    give_back,
    places,
)
from pbem.services.letters.match_letters import letter_for
from pbem.services.letters.reader_context import Owed
from pbem.services.letters.time_letters import seats_of
from pbem.services.match import new_rules
from pbem.services.match.matches import is_vouched_for
from pbem.services.players import staff_alerts
from pbem.services.records.letter_queue import DEAD, LEASED, QUEUED, SENT, SUPERSEDED
from pbem.services.records.match_rows import (
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
from pbem.services.seats import leaving, loans, unreachable
from pbem.services.self_service import address_changes
from pbem.services.time import clocks, stalled_turns

log = logging.getLogger(__name__)

DAY = 86_400
PATIENCE = LEASE // 2
"""How long a batch may take before what is left of it is given back."""
GIVE_UP = 5 * DAY
MOST_TRIES = len(BACKOFF) + -(-(GIVE_UP - sum(BACKOFF)) // BACKOFF[-1])
"""As many as fit into five days."""
MOST_FAULTS = 3
"""Tries to build a letter before it is put aside."""
KEEP_DEAD = 7 * DAY
NEWS = ("moved", "receipt")
"""Letters that ask for nothing; not for who has stopped news, or gets one letter a day."""


class Office(NamedTuple):
    """What is needed to write letters and to send them."""

    links: Links
    sender: str
    domain: str
    key: bytes
    transport: Transport
    jitter: Callable[[], float] = random
    """A number from 0 to 1 that spreads retries."""
    lanes: Lanes[Ready] | None = None
    """Ways side by side, where one alone would be held up by slow servers."""

    def close(self) -> None:
        self.transport.close()
        if self.lanes is not None:
            self.lanes.close()


def open_office(config: Config) -> Office:
    """The office of these settings: a mail server, or the mailbox folder when there is none."""
    key = hmac.digest(config.secret_keys[-1].encode(), b"pbem/message-id/v1", "sha256")
    links = Links(config.secret_keys, config.base_url, config.keys_file)
    office = partial(Office, links, config.mail_from, config.mail_domain, key)
    if not config.smtp_url:
        return office(transport.MailboxTransport(config.mailbox))
    open_way = partial(transport.SmtpTransport, config.smtp_url, own_name=config.mail_domain)
    return office(open_way(), lanes=Lanes(open_way))


class Ready(NamedTuple):
    """A letter whose bytes are durably in its row."""

    letter: Claimed
    parcel: Parcel


class Drained(NamedTuple):
    """What became of the letters that were ready."""

    sent: int = 0
    again: int = 0
    dead: int = 0
    superseded: int = 0

    def and_then(self, more: Drained) -> Drained:
        return Drained(*(old + new for old, new in zip(self, more, strict=True)))


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
        total = total.and_then(batch.counted())
        moment = now + int(stopwatch() - begun)
        with writing():  # what happened and what comes next, in one commit
            record(worker, batch, moment)
            claimed = claim(worker, moment, most) if batch.is_open else []
    return total


# --- no longer true -------------------------------------------------------------------------------


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
        case staff_alerts.KIND:
            return moderator_letters.is_stale(_about(letter))
        case "address":
            return letter.player_epoch != letter.epoch or not _is_awaited(letter)
        case "moderated" | "answer" | "account":
            return False
        case new_rules.KIND:
            return _is_decided(letter)
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
            is_forming = _about(letter)["what"] == "not_invited"
            return letter.match_status != (FORMING if is_forming else LIVE) or not _holds(letter)
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


def _is_decided(letter: Claimed) -> bool:
    """Whether a match, of which a letter tells that it waits, no longer does."""
    assert letter.match is not None, "rules are changed for a match"
    match = get_match(letter.match)
    return bool(_about(letter).get("waits")) and not (match.status == LIVE and match.is_outdated)


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
        case "unreachable" | "reachable" | "not_invited" as what:
            return seat is not None and unreachable.is_so(what, seat.player)
    return True


_STATES = {
    "asked": loans.OFFERED,
    "nobody": loans.OFFERED,
    "agreed": loans.AGREED,
    "taken": loans.RUNNING,
}
"""Of a loan while a letter about it is true; what is not here stays true."""


def _is_so(letter: Claimed) -> bool:
    """Whether a letter about a lent seat still tells how things are."""
    about = _about(letter)
    loan = loans.find_loan(int(about["loan"]))
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
    is_to_player = letter.kind != staff_alerts.KIND
    gathered = letter_for if is_to_player else moderator_letters.letter_for
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
    refusals: int = 0
    is_unreachable: bool = False
    """Whether this shows that its reader cannot be reached."""


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
    for letter, result in prepared(office, worker, claimed, now):
        if isinstance(result, Outcome):
            outcomes.append(result)
        else:
            ready.append(Ready(letter, result))
    tried = 0
    for problem in office.transport.deliver([one.parcel for one in ready]):
        outcomes.append(judged(office, ready[tried].letter, problem, now))
        tried += 1
        is_open = not isinstance(problem, LinkLost)
        if stopwatch() - begun > PATIENCE:
            break
    return Batch(outcomes, [one.letter.id for one in ready[tried:]], is_open)


def prepared(
    office: Office, worker: str, claimed: Sequence[Claimed], now: int
) -> Iterator[tuple[Claimed, Parcel | Outcome]]:
    """For each letter its parcel, with bytes that are durably in its row, or why there is none."""
    parcels, fresh = dict[int, Parcel](), list[tuple[int, Built]]()
    for letter in claimed:
        try:
            if is_stale(letter):
                yield letter, _superseded(letter, now)
                continue
            address = mime.mailbox(letter.address)
            built = build(office, letter, now) if letter.mime is None else None
        except PeeweeException:
            raise  # a database that is away says nothing about a letter
        except RulesChanged:
            yield letter, _kept_back(letter, now)
            continue
        except Exception as error:  # a letter that cannot be written must not stop the others
            yield letter, _unwritten(office, letter, error, now)
            continue
        if built is not None:
            fresh.append((letter.id, built))
        body = built.mime if built is not None else letter.mime or b""
        if is_addressed_to(body, address):
            parcels[letter.id] = Parcel(office.sender, address, body)
        else:
            yield letter, _superseded(letter, now, "written for another address")
    lost = _keep(worker, fresh)
    for letter in claimed:
        if letter.id in parcels and letter.id not in lost:
            yield letter, parcels[letter.id]


def _kept_back(letter: Claimed, now: int) -> Outcome:
    """Its match waits, and what it tells with it."""
    return Outcome(letter.id, QUEUED, letter.attempts, now + BACKOFF[-1], "", letter.refusals)


def _superseded(letter: Claimed, now: int, why: str = "") -> Outcome:
    return Outcome(letter.id, SUPERSEDED, letter.attempts, now, why, letter.refusals)


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
                " WHERE id = ? AND state = 'leased' AND lease_by = ?",
                built.message_id,
                sealing.seal(PURPOSE, number, built.mime),
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
    next_at = now + _pause(office, attempts)
    return Outcome(letter.id, state, attempts, next_at, why, letter.refusals)


def judged(office: Office, letter: Claimed, problem: TransportError | None, now: int) -> Outcome:
    attempts = letter.attempts + 1
    if problem is None:
        return Outcome(letter.id, SENT, attempts, now)
    log.warning("unsent letter=%s kind=%s why=%s", letter.id, letter.kind, problem)
    refusals = letter.refusals + problem.permanent
    given_up = attempts >= MOST_TRIES or refusals > len(REFUSED)
    pauses, passed = (REFUSED, refusals) if problem.permanent else (BACKOFF, attempts)
    return Outcome(
        letter.id,
        DEAD if given_up else QUEUED,
        attempts,
        now + _pause(office, passed, pauses),
        str(problem),
        refusals,
        refusals >= unreachable.REFUSALS or (given_up and not isinstance(problem, NoWay)),
    )


def is_way_closed(problem: TransportError | None) -> bool:
    """Whether nobody is let in at present, so that no letter needs to be tried."""
    return isinstance(problem, NoWay)


def _pause(office: Office, passed: int, pauses: Sequence[int] = BACKOFF) -> int:
    """Seconds until the next try: longer and longer, spread a little to both sides."""
    seconds = pauses[min(passed, len(pauses)) - 1]
    return round(seconds * (1 + JITTER * (2 * office.jitter() - 1)))


def record(worker: str, batch: Batch, now: int) -> None:
    """Write down what happened, in one short transaction; untried letters are given back."""
    sent = [outcome.id for outcome in batch.outcomes if outcome.state == SENT]
    with writing():
        if sent:
            execute(
                "UPDATE outbox SET state = 'sent', attempts = attempts + 1, sent_at = ?,"
                f" last_error = '', mime = NULL WHERE id IN ({places(sent)})",
                now,
                *sent,
            )
            clocks.start_of_letters(sent, now)
            unreachable.note_taken(sent, now)
        give_back(worker, batch.untried)
        rest = [outcome for outcome in batch.outcomes if outcome.state != SENT]
        for outcome in rest:
            _set_aside(worker, outcome)
        unreachable.note_refused([one.id for one in rest if one.is_unreachable], now)
        stalled_turns.after_letters([one.id for one in rest if one.state != QUEUED], now)


def _set_aside(worker: str, outcome: Outcome) -> None:
    wiped = ", mime = NULL" if outcome.state == SUPERSEDED else ""
    execute(
        "UPDATE outbox SET state = ?, attempts = ?, refusals = ?, next_at = ?, last_error = ?"
        f"{wiped} WHERE id = ? AND state = 'leased' AND lease_by = ?",
        outcome.state,
        outcome.attempts,
        outcome.refusals,
        outcome.next_at,
        outcome.error[:200],
        outcome.id,
        worker,
    )


# --- looking after it -----------------------------------------------------------------------------


def prune(now: int) -> int:
    """Wipe the bytes of letters that were given up a while ago; how many."""
    with writing():
        return execute(
            "UPDATE outbox SET mime = NULL WHERE mime IS NOT NULL AND state = 'dead'"
            " AND created_at <= ?",
            now - KEEP_DEAD - GIVE_UP,
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
