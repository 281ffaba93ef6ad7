"""What each entry told is kept with it, and what a match needs whose rules are changed.

Entries from before have nothing, and are played again from the nearest state.
"""

from __future__ import annotations

from typing import Any

COLUMNS = {
    "entry": {"events": "TEXT"},
    "match": {
        "adopted_version": "INTEGER",
        "held_at": "BIGINT",
        "decks": "TEXT NOT NULL DEFAULT ''",
    },
}


def up(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN {name} {kind}')


def down(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name in columns:
            db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN {name}')
