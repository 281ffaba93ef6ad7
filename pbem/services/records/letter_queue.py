"""Who gets which letter after something happened: rows in the outbox, nothing is sent here.

Letters are queued in the transaction of a move, so the statement is written by hand: for the two
letters of a move the query builder takes 0.23 ms of the processor and this 0.02 ms, while the whole
move of the row "a move" in `make bench` takes 0.23 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from pbem.db.store import execute
from pbem.deadlines import Habits
from pbem.mail.parts import Notice
from pbem.services.records.match_rows import JOINED, MatchRecord, SeatRecord

QUEUED, LEASED, SENT, DEAD, SUPERSEDED = "queued", "leased", "sent", "dead", "superseded"
RETURNED = "returned"
"""A mail server had it, and could not deliver it."""
PUT_OFF = "later/"
"""How the stream of a letter begins that is meant to wait for days."""
OVERNIGHT = "night/"
"""The same of one that waits for the end of its reader's night, and holds up no other."""
GATHERED = "told in the daily letter"
"""Why a letter is superseded that its reader gets as a part of the next daily one."""


class Facts(NamedTuple):
    """What the tables say of a letter's reader, match, seat and turn when it is claimed."""

    address: str = ""
    news: bool = True
    receipts: bool = False
    digest_hour: int | None = None
    habits: Habits = Habits()
    quiet_turns: bool = False
    player_epoch: int = 0
    match_status: str | None = None
    timeline: int | None = None
    seat_name: str | None = None
    seat_player: int | None = None
    seat_status: str | None = None
    seat_epoch: int | None = None
    turn_closed: int | None = None
    is_told: bool = False
    """Another letter of the stream tells what this one tells."""
    first: str | None = None
    """The Message-ID of the first letter of this match that the reader was sent."""


class QueuedLetter(NamedTuple):
    """One letter of the outbox: which one, to whom, about what.

    What stands behind `about` is known once it is claimed.
    """

    kind: str
    player: int
    key: str
    """Tells this letter from every other; a second one with the same key is not queued."""
    stream: str
    epoch: int
    match: str | None = None
    seat: int | None = None
    turn: int | None = None
    about: dict[str, Any] = {}
    id: int = 0
    created_at: int = 0
    attempts: int = 0
    refusals: int = 0
    message_id: str | None = None
    mime: bytes | None = None
    """Its bytes, once it was built."""
    facts: Facts = Facts()
    notices: tuple[Notice, ...] = ()
    """Of a daily letter: what it tells instead of letters of their own."""


def to_seat(
    match: MatchRecord,
    seat: SeatRecord,
    kind: str,
    key: str,
    turn: int | None = None,
    **about: Any,
) -> QueuedLetter:
    assert seat.player is not None, "a letter to a seat needs a player in it"
    return QueuedLetter(
        kind=kind,
        player=seat.player,
        key=f"{kind}:{match.id}:{seat.number}:{seat.player}:{key}",
        stream=f"{match.id}/{seat.number}",
        epoch=seat.epoch,
        match=match.id,
        seat=seat.number,
        turn=turn,
        about=about,
    )


def to_player(player: int, epoch: int, kind: str, key: str, **about: Any) -> QueuedLetter:
    return QueuedLetter(
        kind, player, f"{kind}:{player}:{key}", f"player/{player}", epoch, about=about
    )


def after_step(
    match: MatchRecord,
    mover: int | None,
    opened: dict[int, int],
    first_seq: int,
    last_seq: int,
    is_shown: bool = False,
) -> list[QueuedLetter]:
    """A move: a turn letter to whoever is newly asked, a receipt to the mover, news to others.

    `opened` maps seat numbers to the turns that began with this move. `is_shown`: the mover has
    seen on a page what the receipt tells.
    """
    letters = []
    for seat in match.seats:
        if seat.player is None or seat.status != JOINED:
            continue
        about = {"from": first_seq, "seq": last_seq}
        if seat.number in opened:
            turn = opened[seat.number]
            letters.append(to_seat(match, seat, "turn", str(turn), turn, **about))
        elif seat.number == mover:
            shown = {"shown": True} if is_shown else {}
            letters.append(to_seat(match, seat, "receipt", str(last_seq), **about, **shown))
        else:
            letters.append(to_seat(match, seat, "moved", str(last_seq), **about))
    return letters


def to_all_seats(match: MatchRecord, kind: str, key: str, **about: Any) -> list[QueuedLetter]:
    return [
        to_seat(match, seat, kind, key, **about)
        for seat in match.seats
        if seat.player is not None and seat.status == JOINED
    ]


_COLUMNS = (
    "dedupe, stream, kind, player_id, match_id, seat, turn, about, epoch, state, attempts,"
    " next_at, lease_by, lease_until, last_error, created_at"
)
_VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', 0, ?, '', 0, '', ?)"


def queue(letters: Sequence[QueuedLetter], now: int, not_before: int = 0) -> None:
    """Write the letters into the outbox, inside the transaction of what they tell."""
    if not letters:
        return
    values: list[Any] = []
    for letter in letters:
        values += letter.key, letter.stream, letter.kind, letter.player
        values += letter.match, letter.seat, letter.turn
        values += msgspec.json.encode(letter.about).decode(), letter.epoch
        values += max(now, not_before), now
    execute(_adding(len(letters)), *values)


@lru_cache(maxsize=16)
def _adding(count: int) -> str:
    return (
        f"INSERT INTO outbox ({_COLUMNS}) VALUES {', '.join([_VALUES] * count)}"
        " ON CONFLICT (dedupe) DO NOTHING"
    )
