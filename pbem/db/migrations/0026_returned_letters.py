"""Letters that come back: what was reported of them, and since when those of a player do."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE outbox ADD COLUMN report VARCHAR(8) NOT NULL DEFAULT ''")
    db.execute_sql("ALTER TABLE outbox ADD COLUMN reported_at BIGINT")
    db.execute_sql("ALTER TABLE player ADD COLUMN returns_since BIGINT")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("UPDATE outbox SET state = 'dead' WHERE state = 'returned'")
    db.execute_sql("ALTER TABLE player DROP COLUMN returns_since")
    db.execute_sql("ALTER TABLE outbox DROP COLUMN reported_at")
    db.execute_sql("ALTER TABLE outbox DROP COLUMN report")
