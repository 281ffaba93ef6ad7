"""Watching: who may see that a match is played, and lists of those that may be seen.

Nobody was asked about matches that are there already, so they are listed without names; those of
guests, not at all.
"""

from __future__ import annotations

from typing import Any

LISTS = {"match_running": "started_at", "match_finished": "ended_at"}
"""What each list is sorted by."""


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match ADD COLUMN visibility VARCHAR(10) NOT NULL DEFAULT 'public'")
    db.execute_sql("UPDATE match SET visibility = 'anonymous'")
    db.execute_sql(
        "UPDATE match SET visibility = 'private'"
        " WHERE id IN (SELECT match_id FROM seat WHERE status = 'guest')"
    )
    for index, column in LISTS.items():
        db.execute_sql(
            f"CREATE INDEX {index} ON match (status, {column}, id) WHERE visibility <> 'private'"
        )


def down(migrator: Any, db: Any) -> None:
    for index in LISTS:
        db.execute_sql(f"DROP INDEX {index}")
    db.execute_sql("ALTER TABLE match DROP COLUMN visibility")
