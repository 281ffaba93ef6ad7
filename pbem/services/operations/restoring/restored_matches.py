"""Matches after a restore: each goes on from where it stood at the backup.

Players have seen throws of the lost future; if a match was over in it, even its secret. So it goes
on with another secret, to which the entry of the restore commits, and with fresh turns, whose
clocks begin anew.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from engine.chance import SECRET_BYTES, commitment
from engine.log import MODERATOR, Entry
from pbem.db.models import Draft, Match, Turn
from pbem.db.reading import column
from pbem.db.store import leave_gap
from pbem.services.match import match_log, turns
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    FORMING,
    LIVE,
    EarlierSecret,
    MatchRecord,
    TurnRecord,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.records.restorations import Restoration

KIND = "restored"
"""Of the letter that tells of it."""


def with_status(status: str) -> list[str]:
    return column(Match.select(Match.id).where(Match.status == status).order_by(Match.id))


@contextmanager
def numbered_anew(matches: Sequence[str], now: int, above: int) -> Iterator[None]:
    """Turns that are opened inside have numbers that none of the lost future had.

    Those are times, as no server opens more turns than seconds pass; after a restore of a moment
    ago they are above its own. Numbers follow the largest there is, so a row stands for it until
    the first of them is there.
    """
    if not matches:
        yield
        return
    first = leave_gap("turn", max(now, above))
    stand_in = Turn.insert(
        id=first, match=matches[0], seat=0, opened_seq=0, closed_seq=0, opened_at=now, deadline_at=0
    )
    stand_in.execute()
    yield
    Turn.delete().where(Turn.id == first).execute()


def go_on(match_id: str, restoration: Restoration, now: int) -> None:
    """A match that is played: an entry, another secret, fresh turns, and letters to all.

    One that waits because its rules were changed has its turns when that is decided.
    """
    before = lock_match(match_id)
    assert before.status == LIVE, "it is played"
    state = None if before.is_outdated else match_log.current(before)
    waiting = open_turns(match_id)
    match, seq = _with_new_secret(before), before.head_seq + 1
    fixed = commitment(match.id, bytes.fromhex(match.secret))
    match_log.append(match, [Entry(seq, "restore", MODERATOR, fixed)], now)
    letters = _letters(match, restoration, seq)
    if state is not None:
        match_log.keep_snapshot(match, seq, state)
        opened = turns.begin_anew(match, state, seq, now)
        _keep_drafts(waiting, opened)
        asked = letter_queue.after_step(match, None, opened, seq, seq)
        letters += [letter for letter in asked if letter.kind == "turn"]
    letter_queue.queue(letters, now)


def _with_new_secret(match: MatchRecord) -> MatchRecord:
    old = EarlierSecret(match.head_seq + 1, match.secret)
    kept = msgspec.json.encode((*match.earlier_secrets, old)).decode()
    secret = secrets.token_hex(SECRET_BYTES)
    Match.update(secret=secret, earlier_secrets=kept, timeline=Match.timeline + 1).where(
        Match.id == match.id
    ).execute()
    return get_match(match.id)


def _keep_drafts(before: Sequence[TurnRecord], opened: dict[int, int]) -> None:
    """What was composed for a turn is there in the one that follows it."""
    for turn in before:
        if turn.has_draft and turn.seat in opened:
            Draft.update(turn=opened[turn.seat]).where(Draft.turn == turn.id).execute()


def wait_on(match_id: str, restoration: Restoration, now: int) -> None:
    """A match that waits for players: nothing was dealt here, but perhaps in the lost future."""
    match = lock_match(match_id)
    assert match.status == FORMING, "it waits for players"
    secret = secrets.token_bytes(SECRET_BYTES)
    Match.update(secret=secret.hex(), commitment=commitment(match_id, secret)).where(
        Match.id == match_id
    ).execute()
    letter_queue.queue(_letters(match, restoration, match.head_seq), now)


def _letters(match: MatchRecord, restoration: Restoration, seq: int) -> list[QueuedLetter]:
    """They wait for no other letter: one about a turn may be kept back."""
    mark, back_to = restoration.mark, restoration.back_to
    return [
        letter._replace(stream=f"{KIND}/{letter.stream}")
        for letter in letter_queue.to_all_seats(
            match, KIND, mark, timeline=mark, back_to=back_to, seq=seq
        )
    ]
