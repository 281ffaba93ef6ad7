"""Letters as their reader wishes them: how boards are shown, and whether turns wait for morning."""

from __future__ import annotations

from typing import Any

WISHES = {
    "board_form": "VARCHAR(10) NOT NULL DEFAULT 'drawn'",
    "board_width": "INTEGER NOT NULL DEFAULT 72",
    "quiet_turns": "BOOLEAN NOT NULL DEFAULT FALSE",
}


def up(migrator: Any, db: Any) -> None:
    for column, kind in WISHES.items():
        db.execute_sql(f"ALTER TABLE player ADD COLUMN {column} {kind}")


def down(migrator: Any, db: Any) -> None:
    for column in WISHES:
        db.execute_sql(f"ALTER TABLE player DROP COLUMN {column}")
