"""Guards: entries signed, step-ups counted, changes of address that wait, questions, turn words."""

from __future__ import annotations

from typing import Any

from peewee import AutoField, BigIntegerField, CharField, IntegerField, Model

COLUMNS = {
    "admin_session": {"failures": "INTEGER NOT NULL DEFAULT 0"},
    "audit": {
        "signer": "VARCHAR(8) NOT NULL DEFAULT ''",
        "mac": "VARCHAR(64) NOT NULL DEFAULT ''",
    },
    "address_change": {"confirmed_at": "BIGINT"},
    "player": {
        "turn_word": "BOOLEAN NOT NULL DEFAULT FALSE",
        "quick_moves": "INTEGER NOT NULL DEFAULT 0",
    },
}


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Question(_Table):
    id = AutoField()
    kind = CharField(10)
    address = CharField(254)
    match = CharField(16, default="", column_name="match_id")
    language = CharField(2, default="en")
    at = BigIntegerField()


class WrongWord(_Table):
    link = CharField(64, primary_key=True)
    count = IntegerField()
    since = BigIntegerField()


TABLES = [Question, WrongWord]


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            db.execute_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def down(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name in columns:
            db.execute_sql(f"ALTER TABLE {table} DROP COLUMN {name}")
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES)
