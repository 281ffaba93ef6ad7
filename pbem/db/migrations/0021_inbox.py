"""What players wish for their inbox: one subject for each match, receipts of moves by page."""

from __future__ import annotations

from typing import Any

WISHES = ("one_subject", "receipts")


def up(migrator: Any, db: Any) -> None:
    for wish in WISHES:
        db.execute_sql(f"ALTER TABLE player ADD COLUMN {wish} BOOLEAN NOT NULL DEFAULT FALSE")


def down(migrator: Any, db: Any) -> None:
    for wish in WISHES:
        db.execute_sql(f"ALTER TABLE player DROP COLUMN {wish}")
