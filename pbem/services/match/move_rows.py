"""The statements of a move, written by hand: the log, its snapshots, turns, drafts; no rules.

Each stands in the transaction of a move, which a player waits for. Built by peewee they would take
longer than the whole move does: they are what keeps the row "a move" of `make bench` at 1.6 times a
bare commit. Matches and turns themselves are read in `pbem.services.records.match_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from engine.chance import Draw
from engine.core import Event
from engine.log import Entry
from pbem.db.columns import Columns, Decoders
from pbem.db.store import execute, insert, marks, row, rows
from pbem.services.records.match_rows import MatchRecord, TurnRecord

Events = tuple[Event, ...]
_encode = msgspec.json.Encoder().encode


# --- the log -------------------------------------------------------------------------------------


class KeptEntry(NamedTuple):
    """An entry and what it told; None where an older release has written it."""

    entry: Entry
    events: Events | None


def _kept(*values: Any) -> KeptEntry:
    *entry, events = values
    return KeptEntry(Entry(*entry), events)


_draws = msgspec.json.Decoder(tuple[Draw, ...]).decode
_events = msgspec.json.Decoder(Events).decode
_DECODERS: Decoders = {
    "draws": _draws,
    "at": str,
    "events": lambda text: None if text is None else _events(text),
}
_OF_ENTRY = Columns("entry", Entry, Entry.__struct_fields__, _DECODERS)
_OF_KEPT = Columns("entry", _kept, (*Entry.__struct_fields__, "events"), _DECODERS)
_BETWEEN = "FROM entry WHERE match_id = ? AND seq >= ? AND seq <= ? ORDER BY seq"
NEWEST = 2**31 - 1


def entries(match: str, start: int, stop: int) -> list[Entry]:
    """The entries from one to another."""
    found = rows(f"SELECT {_OF_ENTRY.sql} {_BETWEEN}", match, start, stop)
    return [_OF_ENTRY.record(values) for values in found]


def kept_entries(match: str, start: int, stop: int) -> list[KeptEntry]:
    """The same with what they told."""
    found = rows(f"SELECT {_OF_KEPT.sql} {_BETWEEN}", match, start, stop)
    return [_OF_KEPT.record(values) for values in found]


def count_orders(match: str, actor: str, after: int, upto: int) -> int:
    """How many orders of a seat stand between two entries."""
    found = row(
        "SELECT COUNT(*) FROM entry WHERE match_id = ? AND seq > ? AND seq <= ? AND actor = ?"
        " AND kind IN ('action', 'timeout')",
        match,
        after,
        upto,
        actor,
    )
    assert found is not None, "counting gives a number"
    (count,) = found
    return int(count)


def take_head(match: MatchRecord, newest: Entry) -> bool:
    """Move the head from where it was read; whether nobody has moved it meanwhile."""
    moved = execute(
        "UPDATE match SET head_seq = ?, head = ? WHERE id = ? AND head_seq = ? AND status = ?",
        newest.seq,
        newest.hash,
        match.id,
        match.head_seq,
        match.status,
    )
    return moved == 1


_ADD_ENTRIES = (
    "INSERT INTO entry (match_id, seq, at, actor, kind, text, draws, rules_version, result, hash,"
    " events) VALUES "
)
_ONE_ENTRY = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def add_entries(match: MatchRecord, log: Sequence[Entry], told: Sequence[Events], now: int) -> None:
    values: list[Any] = []
    for entry, events in zip(log, told, strict=True):
        values += match.id, entry.seq, now, entry.actor, entry.kind, entry.text
        values += _encode(entry.draws).decode(), match.plays_version, entry.result, entry.hash
        values.append(_encode(events).decode())
    execute(_ADD_ENTRIES + ", ".join([_ONE_ENTRY] * len(log)), *values)


def public_hash(match: str, upto: int) -> str | None:
    """The hash of the newest entry at which a turn began or ended.

    Every turn letter and every page of a match shows it: the query builder takes 440 us for it,
    this 6.
    """
    found = row(
        "SELECT hash FROM entry WHERE match_id = ? AND seq = (SELECT MAX(seq) FROM"
        " (SELECT opened_seq AS seq FROM turn WHERE match_id = ?"
        " UNION ALL SELECT closed_seq FROM turn WHERE match_id = ?) turned WHERE seq <= ?)",
        match,
        match,
        match,
        upto,
    )
    if found is None:
        return None
    (digits,) = found
    return str(digits)


# --- snapshots -----------------------------------------------------------------------------------


class Snapshot(NamedTuple):
    seq: int
    state: str
    """JSON, as it was kept."""


def newest_snapshot(match: str, upto: int = NEWEST) -> Snapshot | None:
    """The newest of those up to an entry."""
    found = row(
        "SELECT seq, state FROM snapshot WHERE match_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
        match,
        upto,
    )
    return Snapshot(*found) if found else None


class NewestPosition(NamedTuple):
    """A match as its newest entry left it."""

    game: str
    rules_version: int
    """Under which that entry was written."""
    state: str
    """JSON, as it was kept."""


def newest_positions(matches: Sequence[str]) -> dict[str, NewestPosition]:
    """Of many matches at once, those whose newest entry has a snapshot."""
    found = rows(
        "SELECT m.id, m.game, e.rules_version, s.state FROM match m"
        " JOIN snapshot s ON s.match_id = m.id AND s.seq = m.head_seq"
        " JOIN entry e ON e.match_id = m.id AND e.seq = m.head_seq"
        f" WHERE m.id IN ({marks(matches)})",
        *matches,
    )
    return {match: NewestPosition(*kept) for match, *kept in found}


def keep_snapshot(match: str, kept: Snapshot) -> None:
    execute(
        "INSERT INTO snapshot (match_id, seq, state) VALUES (?, ?, ?)", match, kept.seq, kept.state
    )


# --- turns ---------------------------------------------------------------------------------------


_OPEN_TURN = (
    "INSERT INTO turn (match_id, seat, opened_seq, opened_at, deadline_at, budget, allowed,"
    " is_inquiry) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)


def open_turn(match: str, seat: int, seq: int, budget: int, now: int, is_inquiry: bool) -> int:
    """A turn that begins with an entry and has so many seconds; its clock does not run yet."""
    until = now + budget
    return insert(_OPEN_TURN, match, seat, seq, now, until, budget, budget, is_inquiry)


_CLOSE = "UPDATE turn SET closed_seq = ?, closed_at = ?, missed = ? WHERE closed_seq IS NULL AND "


def close_turn(
    match: str, seat: int, seq: int, is_missed: bool, now: int, known: TurnRecord | None
) -> None:
    """The open turn of a seat ends with an entry; by its id, where it is known, 4 us sooner."""
    if known is not None:
        execute(_CLOSE + "id = ?", seq, now, is_missed, known.id)
    else:
        execute(_CLOSE + "match_id = ? AND seat = ?", seq, now, is_missed, match, seat)


class KeptDraft(NamedTuple):
    """The orders composed for a turn and not sent."""

    orders: tuple[str, ...] = ()
    changed_at: int | None = None


def kept_draft(turn: int) -> KeptDraft:
    found = row("SELECT orders, updated_at FROM draft WHERE turn_id = ?", turn)
    if found is None:
        return KeptDraft()
    orders, changed_at = found
    return KeptDraft(tuple(msgspec.json.decode(orders, type=list[str])), changed_at)


def draft_of(turn: int) -> tuple[str, ...]:
    return kept_draft(turn).orders


def keep_draft(turn: int, orders: Sequence[str], now: int) -> None:
    """Every press that composes something keeps it; so it is written by hand, too."""
    execute(
        "INSERT INTO draft (turn_id, orders, updated_at) VALUES (?, ?, ?) ON CONFLICT (turn_id)"
        " DO UPDATE SET orders = excluded.orders, updated_at = excluded.updated_at",
        turn,
        _encode(list(orders)).decode(),
        now,
    )


def delete_draft(turn: int) -> None:
    execute("DELETE FROM draft WHERE turn_id = ?", turn)


def let_offers_lapse(match: str) -> None:
    """No seat offers a draw any more."""
    execute("UPDATE seat SET draw_offered = ? WHERE match_id = ?", False, match)
