"""Orders that programs send: each sending is played once, however often it comes.

A program that got no answer sends again. It is known by a key of its own, or by how many orders it
believed to have sent before; what it was told the first time is read from the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from engine.core import GameError, Seat
from engine.log import Entry
from pbem.db.store import execute, row, writing
from pbem.errors import Refused
from pbem.services.match import match_log, turns
from pbem.services.match.turns import Receipt
from pbem.services.records.match_rows import MatchRecord, TurnRecord


class KeyUsed(Refused):
    """The key stands for other orders already."""


class Sending(msgspec.Struct, frozen=True):
    """What a program sends: the orders, and what tells this sending from others."""

    orders: tuple[str, ...]
    sent: int | None = None
    """How many orders it believes to have sent in this turn before."""
    key: str = ""

    @property
    def digest(self) -> str:
        return _digest(msgspec.json.encode([self.sent, *_lines(self.orders)]))


def play_once(turn: int, sending: Sending, now: int, is_newest: bool) -> Receipt:
    """Play orders, or say once more what came of them if this sending was played before.

    Of an older turn than the seat's newest nothing hidden is told any more, and its orders cannot
    be tried out: whoever found an old letter would learn what was said in advance.
    """
    with writing():
        match, record = turns.held(turn)
        played = _played_under(record, sending)
        if played is None and is_newest:
            played = _played_after(match, record, sending)
        if played is not None:
            return _told_again(match, record, played, is_newest)
        receipt = turns.send(match, record, sending.orders, now, sending.sent)
        if sending.key:
            _keep(record, sending, receipt)
        return receipt


def _played_under(turn: TurnRecord, sending: Sending) -> list[Entry] | None:
    """The entries of a sending with this key."""
    if not sending.key:
        return None
    found = row(
        "SELECT orders_digest, first_seq, last_seq FROM sending"
        " WHERE turn_id = ? AND key_digest = ?",
        turn.id,
        _digest(sending.key.encode()),
    )
    if found is None:
        return None
    if found[0] != sending.digest:
        raise KeyUsed("this key was used for other orders in this turn; take a new one")
    return match_log.entries(turn.match, found[1], found[2])


def _keep(turn: TurnRecord, sending: Sending, receipt: Receipt) -> None:
    execute(
        "INSERT INTO sending (turn_id, key_digest, orders_digest, first_seq, last_seq)"
        " VALUES (?, ?, ?, ?, ?)",
        turn.id,
        _digest(sending.key.encode()),
        sending.digest,
        receipt.first_seq,
        receipt.last_seq,
    )


def _played_after(match: MatchRecord, turn: TurnRecord, sending: Sending) -> list[Entry] | None:
    """The entries of the same orders, behind as many as were sent before."""
    if sending.sent is None:
        return None
    lines = _lines(sending.orders)
    part = turns.entries_in(match, turn)[sending.sent : sending.sent + len(lines)]
    if not part or [entry.text for entry in part] != _notated(match, lines):
        return None
    return part if all(entry.kind == "action" for entry in part) else None


def _notated(match: MatchRecord, lines: Sequence[str]) -> list[str]:
    """Orders as the log writes them; none where one is no order."""
    try:
        return [match.game.notate(match.game.parse(line)) for line in lines]
    except GameError:
        return []


def _told_again(
    match: MatchRecord, turn: TurnRecord, played: Sequence[Entry], is_newest: bool
) -> Receipt:
    """The receipt of orders that were played before."""
    listener: Seat | None = match.seat(turn.seat).name if is_newest else None
    first, last = played[0].seq, played[-1].seq
    numbers = {entry.seq for entry in played}
    told = match_log.told_since(match, listener, first - 1, last)
    return Receipt(
        match.id,
        turn.seat,
        first,
        last,
        tuple(entry.text for entry in played),
        tuple([event for one in told if one.entry.seq in numbers for event in one.events]),
        tuple(sorted(match.game.waiting_on(match_log.state_at(match, last)))),
    )


def _lines(orders: Sequence[str]) -> list[str]:
    lines = [" ".join(order.split()) for order in orders]
    return [line for line in lines if line]


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
