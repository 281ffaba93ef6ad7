"""What strangers have left: matches and players that nobody has ever confirmed are dropped.

Whatever else refers to a row keeps it: only its seats and its letters go with it. So a table that
is added later is safe without a word here.
"""

from __future__ import annotations

from collections.abc import Sequence

from peewee import ForeignKeyField, Model

from pbem.db.models import TABLES, Match, MatchSeat, Outbox, Player
from pbem.db.store import execute, hold_match, rows, writing
from pbem.deadlines import DAY
from pbem.services.records.match_rows import CANCELLED, FORMING, JOINED
from pbem.services.self_service.personal_data import DELETED_DOMAIN

KEEP_MATCHES = 7 * DAY
KEEP_PLAYERS = 30 * DAY
"""After the last letter to them; until then the link in it may be pressed."""
AT_ONCE = 200


def sweep(now: int) -> int:
    """Drop what is old and was never confirmed, some rows at a time; how many."""
    dropped = 0
    for some in (_drop_matches, _drop_players):
        while count := some(now):
            dropped += count
    return dropped


def _drop_matches(now: int) -> int:
    """Matches that their creator has not vouched for; nobody was invited to them yet."""
    with writing():
        found = _unconfirmed_matches(now)
        for match, creator in found:
            if hold_match(match) and not _unconfirmed_matches(now, match):
                continue  # confirmed at this very moment
            execute("DELETE FROM outbox WHERE match_id = ?", match)
            execute(
                "DELETE FROM outbox WHERE player_id = ? AND dedupe LIKE ?",
                creator,
                f"confirm:{creator}:{match}%",
            )
            execute("DELETE FROM seat WHERE match_id = ?", match)
            execute("DELETE FROM match WHERE id = ?", match)
        return len(found)


def _unconfirmed_matches(now: int, match: str | None = None) -> list[tuple[str, int]]:
    """Their ids, with who has begun them; of one match alone, if it is one of them."""
    return rows(
        "SELECT m.id, m.creator_id FROM match m WHERE m.status IN (?, ?)"
        " AND m.started_at IS NULL AND m.creator_id IS NOT NULL AND m.created_at <= ?"
        " AND NOT EXISTS (SELECT 1 FROM seat s WHERE s.match_id = m.id AND s.status = ?)"
        f" {_unless_referred_to(Match, 'm.id', (MatchSeat, Outbox))}"
        f"{'' if match is None else ' AND m.id = ?'} ORDER BY m.id LIMIT ?",
        FORMING,
        CANCELLED,
        now - KEEP_MATCHES,
        JOINED,
        *(() if match is None else (match,)),
        AT_ONCE,
    )


def _drop_players(now: int) -> int:
    """Players who have never confirmed and have nothing; not moderators, to whom letters go too.

    The newest row stays: SQLite would give its number to somebody else, with the links it is in.
    """
    with writing():
        found = rows(
            "SELECT p.id FROM player p WHERE p.confirmed_at IS NULL AND p.banned_at IS NULL"
            " AND p.created_at <= ? AND p.id < (SELECT MAX(id) FROM player)"
            " AND p.address NOT LIKE ?"
            " AND NOT EXISTS (SELECT 1 FROM moderator x WHERE x.address = p.address)"
            " AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.player_id = p.id"
            "  AND (o.created_at > ? OR o.state IN ('queued', 'leased')))"
            f" {_unless_referred_to(Player, 'p.id', (Outbox,))} ORDER BY p.id LIMIT ?",
            now - KEEP_PLAYERS,
            f"%@{DELETED_DOMAIN}",
            now - KEEP_PLAYERS,
            AT_ONCE,
        )
        for (player,) in found:
            execute("DELETE FROM outbox WHERE player_id = ?", player)
            execute("DELETE FROM due WHERE kind = 'digest' AND subject = ?", str(player))
            execute("DELETE FROM player WHERE id = ?", player)
        return len(found)


def _unless_referred_to(kind: type[Model], key: str, but: Sequence[type[Model]]) -> str:
    """The condition that no row of another table refers to one, except in these."""
    return " ".join(
        f"AND NOT EXISTS (SELECT 1 FROM {table._meta.table_name} r WHERE r.{column} = {key})"
        for table in TABLES
        if table not in but
        for column in _columns_to(table, kind)
    )


def _columns_to(table: type[Model], kind: type[Model]) -> list[str]:
    fields = table._meta.sorted_fields
    return [
        field.column_name
        for field in fields
        if isinstance(field, ForeignKeyField) and field.rel_model is kind
    ]
