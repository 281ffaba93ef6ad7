"""Words to some seats only, and seats that let their allies see what they plan."""

from __future__ import annotations

from typing import Any

COLUMNS = {
    "message": {"heard_by": "VARCHAR(40) NOT NULL DEFAULT ''"},
    "seat": {"is_open_to_allies": "BOOLEAN NOT NULL DEFAULT FALSE"},
}


def up(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN {name} {kind}')


def down(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name in columns:
            db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN {name}')
