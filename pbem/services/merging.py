"""Two players who are one person become one: everything of one is the other's, and it is told.

The row that goes keeps its address, so that it can be told and its links say that they are dead;
nothing else belongs to it any more.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem import models
from pbem.clock import Span
from pbem.errors import Refused
from pbem.services import (
    absences,
    address_changes,
    clocks,
    devices,
    epochs,
    matches,
    people,
    revocation,
    stand_ins,
)
from pbem.services.records import LIVE, PlayerRecord, get_match, hold, moderator_at
from pbem.services.stand_ins import WITHDRAWN
from pbem.store import execute, insert, row, rows, writing

MOVED_APART = {"device", "absence", "address_change"}
"""Tables in which two rows may have to become one."""


class Moved(NamedTuple):
    """How much goes from one player to another."""

    live: int
    """Matches that are being played."""
    matches: int
    absences: int
    letters: int


def foreseen(gone: PlayerRecord) -> Moved:
    seats = revocation.seats_of(gone.id)
    live = [match for match, _ in seats if get_match(match).status == LIVE]
    counts = row(
        "SELECT (SELECT COUNT(*) FROM absence WHERE player_id = ?),"
        " (SELECT COUNT(*) FROM outbox WHERE player_id = ?)",
        gone.id,
        gone.id,
    )
    assert counts is not None, "counting finds something"
    return Moved(len(live), len(seats), *counts)


def check(kept: PlayerRecord, gone: PlayerRecord) -> None:
    """Whether two players can become one; Refused says why not."""
    if kept.id == gone.id:
        raise Refused("these are not two players but one")
    for player in (kept, gone):
        if moderator_at(player.address) is not None:
            raise Refused("one of these is the address of a moderator; it stays apart")
    if not address_changes.is_used(gone):
        raise Refused("nothing belongs to the other player")
    if kept.confirmed_at is None:
        raise Refused("the player who stays has never confirmed the address; keep the other one")
    both = sorted(_parts_of(kept.id) & _parts_of(gone.id))
    if both:
        raise Refused(
            "both have or had a part in match %(match)s; one person would have two seats of it",
            match=both[0],
        )


def _parts_of(player: int) -> set[str]:
    found = rows(
        "SELECT match_id FROM seat WHERE player_id = ?"
        " UNION SELECT match_id FROM loan WHERE ? IN (owner_id, stand_in_id) AND state <> ?",
        player,
        player,
        WITHDRAWN,
    )
    return {match for (match,) in found}


def merge(kept: PlayerRecord, gone: PlayerRecord, reason: str, now: int) -> None:
    """All of it or nothing; seats that change rows have new links, which come by letter."""
    with writing():
        seats = revocation.seats_of(gone.id)
        for match, _ in seats:
            hold(match)
        check(kept, gone)
        for player in (kept, gone):
            address_changes.call_off(player.id, now)
        address_changes.supersede_written(gone.id)
        _unite_absences(kept.id, gone.id, now)
        devices.move(gone.id, kept.id)
        _unite_changes(kept.id, gone.id, reason, now)
        for table, column in references():
            execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", kept.id, gone.id)
        clocks.disarm(clocks.DIGEST, gone.id)
        _empty(kept, gone, now)
        for match, number in seats:
            matches.revoke_links(match, number, now)
        matches.ask_again(kept.id, now)
        stand_ins.ask_again(kept.id, now)
        clocks.rereckon_player(kept.id, now)


def references() -> list[tuple[str, str]]:
    """Every column that names a player, but for what needs more care."""
    return [
        (model._meta.table_name, field.column_name)
        for model in models.TABLES
        for field, other in model._meta.refs.items()
        if other is models.Player and model._meta.table_name not in MOVED_APART
    ]


def _unite_absences(kept: int, gone: int, now: int) -> None:
    """Rows of one player never overlap; a time that one of them has booked is booked."""
    known = sorted(absences.of(kept) + absences.of(gone), key=lambda one: one.start)
    united: list[tuple[Span, bool]] = []
    for one in known:
        if united and one.start <= united[-1][0].end:
            span, is_floating = united[-1]
            united[-1] = (
                Span(span.start, max(span.end, one.end)),
                is_floating and one.is_floating,
            )
        else:
            united.append((one.span, one.is_floating))
    execute("DELETE FROM absence WHERE player_id IN (?, ?)", kept, gone)
    for span, is_floating in united:
        insert(
            "INSERT INTO absence (player_id, start_at, end_at, is_floating, created_at)"
            " VALUES (?, ?, ?, ?, ?)",
            kept,
            span.start,
            span.end,
            is_floating,
            now,
        )


def _unite_changes(kept: int, gone: int, reason: str, now: int) -> None:
    """The row that goes stands for another address of the player who stays."""
    execute("DELETE FROM address_change WHERE player_id = ? AND other_id = ?", gone, kept)
    execute("UPDATE address_change SET player_id = ? WHERE player_id = ?", kept, gone)
    insert(
        "INSERT INTO address_change (player_id, other_id, reason, asked_at, ended_at, is_done)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        kept,
        gone,
        reason,
        now,
        now,
        True,
    )


def _empty(kept: PlayerRecord, gone: PlayerRecord, now: int) -> None:
    """What only one row can say: the elder is the age, a ban of one is a ban of both."""
    execute(
        "UPDATE player SET created_at = ?, banned_at = COALESCE(banned_at,"
        " (SELECT g.banned_at FROM player g WHERE g.id = ?)) WHERE id = ?",
        min(kept.created_at, gone.created_at),
        gone.id,
        kept.id,
    )
    execute(
        "UPDATE player SET name = '', confirmed_at = NULL, news = ?, reminders = ?, stands_in = ?,"
        " digest_hour = NULL, banned_at = NULL, sought = ? WHERE id = ?",
        False,
        False,
        False,
        people.sought("", gone.address),
        gone.id,
    )
    epochs.raise_player(gone.id, now)
