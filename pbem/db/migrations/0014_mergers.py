"""Mergers that wait, as changes of address do."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE address_change ADD COLUMN is_merger BOOLEAN NOT NULL DEFAULT FALSE")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("DELETE FROM address_change WHERE is_merger")
    db.execute_sql("ALTER TABLE address_change DROP COLUMN is_merger")
