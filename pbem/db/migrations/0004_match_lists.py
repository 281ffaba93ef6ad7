"""Lists of matches for moderators: by age, and those that are late."""

from __future__ import annotations

from typing import Any

INDEXES = {
    "match_created_at_id": '"match" (created_at, id)',
    "match_status_created_at_id": '"match" (status, created_at, id)',
    "turn_closed_seq_deadline_at": '"turn" (closed_seq, deadline_at)',
}


def up(migrator: Any, db: Any) -> None:
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")


def down(migrator: Any, db: Any) -> None:
    for name in INDEXES:
        db.execute_sql(f"DROP INDEX {name}")
