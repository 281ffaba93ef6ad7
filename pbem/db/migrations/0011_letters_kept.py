"""Letters that are not lost: refusals are counted, who cannot be reached is marked; seals."""

from __future__ import annotations

from typing import Any

from peewee import PostgresqlDatabase


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE outbox ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0")
    db.execute_sql("ALTER TABLE player ADD COLUMN unreachable_since BIGINT")
    _set_length(db, 200)
    # what was written so far can be read; letters that wait are written anew, under their number
    db.execute_sql("UPDATE outbox SET mime = NULL WHERE mime IS NOT NULL")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("UPDATE outbox SET mime = NULL WHERE mime IS NOT NULL")
    db.execute_sql("UPDATE moderator SET totp_secret = '' WHERE LENGTH(totp_secret) > 64")
    _set_length(db, 64)
    db.execute_sql("ALTER TABLE player DROP COLUMN unreachable_since")
    db.execute_sql("ALTER TABLE outbox DROP COLUMN refusals")


def _set_length(db: Any, length: int) -> None:
    """SQLite takes texts of any length in any column."""
    is_postgres = isinstance(db, PostgresqlDatabase)
    if is_postgres:
        db.execute_sql(f"ALTER TABLE moderator ALTER COLUMN totp_secret TYPE VARCHAR({length})")
