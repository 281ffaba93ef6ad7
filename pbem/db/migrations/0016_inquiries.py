"""Turns in which a seat is asked in the middle of the turn of another one."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE turn ADD COLUMN is_inquiry BOOLEAN NOT NULL DEFAULT FALSE")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE turn DROP COLUMN is_inquiry")
