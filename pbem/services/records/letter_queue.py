"""Who gets which letter after something happened: rows in the outbox, nothing is sent here."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from pbem.db.store import execute
from pbem.services.records.match_rows import JOINED, MatchRecord, SeatRecord

QUEUED, LEASED, SENT, DEAD, SUPERSEDED = "queued", "leased", "sent", "dead", "superseded"
PUT_OFF = "later/"
"""How the stream of a letter begins that is meant to wait for days."""


class Notice(NamedTuple):
    """One letter that is owed."""

    kind: str
    player: int
    key: str
    """Tells this letter from every other; a second one with the same key is not owed."""
    stream: str
    epoch: int
    match: str | None = None
    seat: int | None = None
    turn: int | None = None
    about: dict[str, Any] = {}


def to_seat(
    match: MatchRecord,
    seat: SeatRecord,
    kind: str,
    key: str,
    turn: int | None = None,
    **about: Any,
) -> Notice:
    assert seat.player is not None, "a letter to a seat needs a player in it"
    return Notice(
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


def to_player(player: int, epoch: int, kind: str, key: str, **about: Any) -> Notice:
    return Notice(kind, player, f"{kind}:{player}:{key}", f"player/{player}", epoch, about=about)


def after_step(
    match: MatchRecord,
    mover: int | None,
    opened: dict[int, int],
    first_seq: int,
    last_seq: int,
) -> list[Notice]:
    """A move: a turn letter to whoever is newly asked, a receipt to the mover, news to others.

    `opened` maps seat numbers to the turns that began with this move.
    """
    owed = []
    for seat in match.seats:
        if seat.player is None or seat.status != JOINED:
            continue
        about = {"from": first_seq, "seq": last_seq}
        if seat.number in opened:
            turn = opened[seat.number]
            owed.append(to_seat(match, seat, "turn", str(turn), turn, **about))
        elif seat.number == mover:
            owed.append(to_seat(match, seat, "receipt", str(last_seq), **about))
        else:
            owed.append(to_seat(match, seat, "moved", str(last_seq), **about))
    return owed


def to_all_seats(match: MatchRecord, kind: str, key: str, **about: Any) -> list[Notice]:
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


def owe(notices: list[Notice], now: int, not_before: int = 0) -> None:
    """Write the letters into the outbox, inside the transaction of what they tell."""
    if not notices:
        return
    values: list[Any] = []
    for kind, player, key, stream, epoch, match, seat, turn, about in notices:
        values += key, stream, kind, player, match, seat, turn
        values += msgspec.json.encode(about).decode(), epoch, max(now, not_before), now
    execute(
        f"INSERT INTO outbox ({_COLUMNS}) VALUES {', '.join([_VALUES] * len(notices))}"
        " ON CONFLICT (dedupe) DO NOTHING",
        *values,
    )
