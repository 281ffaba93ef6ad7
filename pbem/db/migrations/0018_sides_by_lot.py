"""Matches whose sides are drawn by lot when they begin."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match ADD COLUMN by_lot BOOLEAN NOT NULL DEFAULT FALSE")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match DROP COLUMN by_lot")
