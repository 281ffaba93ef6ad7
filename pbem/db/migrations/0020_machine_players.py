"""Machine players: how strong they are, remarks for beginners, and who agrees to them."""

from __future__ import annotations

from typing import Any


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match ADD COLUMN strength VARCHAR(20) NOT NULL DEFAULT ''")
    db.execute_sql("ALTER TABLE match ADD COLUMN has_remarks BOOLEAN NOT NULL DEFAULT FALSE")
    db.execute_sql("ALTER TABLE seat ADD COLUMN machine_wanted BOOLEAN NOT NULL DEFAULT FALSE")


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match DROP COLUMN strength")
    db.execute_sql("ALTER TABLE match DROP COLUMN has_remarks")
    db.execute_sql("ALTER TABLE seat DROP COLUMN machine_wanted")
