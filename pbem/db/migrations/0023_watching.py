"""Watching: who may see that a match is played, lists of those that may be seen, players' pages.

Nobody was asked about matches that are there already, so they are listed without names; those of
guests, not at all.
"""

from __future__ import annotations

import secrets
from typing import Any

LISTS = {"match_running": "started_at", "match_finished": "ended_at"}
"""What each list is sorted by."""
ID_LETTERS, ID_LENGTH = "23456789abcdefghjkmnpqrstuvwxyz", 10


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match ADD COLUMN visibility VARCHAR(10) NOT NULL DEFAULT 'public'")
    db.execute_sql("UPDATE match SET visibility = 'anonymous'")
    db.execute_sql(
        "UPDATE match SET visibility = 'private'"
        " WHERE id IN (SELECT match_id FROM seat WHERE status = 'guest')"
    )
    db.execute_sql("ALTER TABLE player ADD COLUMN public_id VARCHAR(16)")
    db.execute_sql("ALTER TABLE player ADD COLUMN hides_page BOOLEAN NOT NULL DEFAULT FALSE")
    for player, address in db.execute_sql("SELECT id, address FROM player").fetchall():
        if address.endswith("@deleted.invalid"):
            continue
        found = "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))
        db.execute_sql(f"UPDATE player SET public_id = '{found}' WHERE id = {int(player)}")
    db.execute_sql("CREATE UNIQUE INDEX player_public_id ON player (public_id)")
    for index, column in LISTS.items():
        db.execute_sql(
            f"CREATE INDEX {index} ON match (status, {column}, id) WHERE visibility <> 'private'"
        )


def down(migrator: Any, db: Any) -> None:
    for index in LISTS:
        db.execute_sql(f"DROP INDEX {index}")
    db.execute_sql("ALTER TABLE match DROP COLUMN visibility")
    db.execute_sql("DROP INDEX player_public_id")
    for column in ("public_id", "hides_page"):
        db.execute_sql(f"ALTER TABLE player DROP COLUMN {column}")
