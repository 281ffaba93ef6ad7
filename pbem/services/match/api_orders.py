"""Orders that programs send: each sending is played once, however often it comes.

A program that got no answer sends again. It is known by a key of its own, or by how many orders it
believed to have sent before; what it was told the first time is read from the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from engine.core import GameError, Seat
from engine.log import Entry
from pbem.db import models
from pbem.db.reading import first
from pbem.errors import Refused
from pbem.services.match import match_log, messages, turns
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
    note: str = ""
    """What the other seats read with it."""

    @property
    def digest(self) -> str:
        told = [self.sent, self.note] if self.note else self.sent
        return _digest(msgspec.json.encode([told, *_lines(self.orders)]))


def play_once(
    match: MatchRecord, turn: TurnRecord, sending: Sending, now: int, is_newest: bool
) -> Receipt:
    """Play orders, or say once more what came of them if this sending was played before.

    Of an older turn than the seat's newest nothing hidden is told any more, and its orders cannot
    be tried out: whoever found an old letter would learn what was said in advance. Runs inside the
    caller's transaction; `match` was held and `turn` read in it.
    """
    played = _played_under(turn, sending)
    if played is None and is_newest:
        played = _played_after(match, turn, sending)
    if played is not None:
        return _told_again(match, turn, played, is_newest)
    receipt = turns.send(match, turn, sending.orders, now, sending.sent)
    messages.enclose(receipt, sending.note, now)
    if sending.key:
        _keep(turn, sending, receipt)
    return receipt


def _played_under(turn: TurnRecord, sending: Sending) -> list[Entry] | None:
    """The entries of a sending with this key."""
    if not sending.key:
        return None
    found = _find(turn, _digest(sending.key.encode()))
    if found is None:
        return None
    if found.orders_digest != sending.digest:
        raise KeyUsed("this key was used for other orders in this turn; take a new one")
    return match_log.entries(turn.match, found.first_seq, found.last_seq)


class _Sent(NamedTuple):
    """A sending that was played: which orders, and where they stand in the log."""

    orders_digest: str
    first_seq: int
    last_seq: int


def _find(turn: TurnRecord, key: str) -> _Sent | None:
    sent = models.Sending
    kept = sent.select(sent.orders_digest, sent.first_seq, sent.last_seq)
    return first(kept.where(sent.turn == turn.id, sent.key_digest == key), _Sent)


def _keep(turn: TurnRecord, sending: Sending, receipt: Receipt) -> None:
    models.Sending.insert(
        turn=turn.id,
        key_digest=_digest(sending.key.encode()),
        orders_digest=sending.digest,
        first_seq=receipt.first_seq,
        last_seq=receipt.last_seq,
    ).execute()


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
    begin, end = played[0].seq, played[-1].seq
    numbers = {entry.seq for entry in played}
    told = match_log.told_since(match, listener, begin - 1, end)
    return Receipt(
        match.id,
        turn.seat,
        begin,
        end,
        tuple(entry.text for entry in played),
        tuple([event for one in told if one.entry.seq in numbers for event in one.events]),
        tuple(sorted(match.game.waiting_on(match_log.state_at(match, end)))),
    )


def _lines(orders: Sequence[str]) -> list[str]:
    lines = [" ".join(order.split()) for order in orders]
    return [line for line in lines if line]


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
