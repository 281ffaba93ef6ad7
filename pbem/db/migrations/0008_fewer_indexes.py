"""Without indexes that only begin as another one does: each cost every move a page to write."""

from __future__ import annotations

from typing import Any

INDEXES = {
    "match_status": '"match" (status)',
    "seat_match_id": '"seat" (match_id)',
    "turn_match_id": '"turn" (match_id)',
    "entry_match_id": '"entry" (match_id)',
    "snapshot_match_id": '"snapshot" (match_id)',
    "device_player_id": '"device" (player_id)',
}


def up(migrator: Any, db: Any) -> None:
    for name in INDEXES:
        db.execute_sql(f"DROP INDEX {name}")


def down(migrator: Any, db: Any) -> None:
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")
