"""What each entry told is kept with it; entries from before have nothing, and are replayed."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE entry ADD COLUMN events TEXT")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE entry DROP COLUMN events")
