"""Operations: maintenance, figures, backups, ages of keys, rehearsals of upgrades."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    CharField,
    CompositeKey,
    IntegerField,
    Model,
    TextField,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Figure(_Table):
    kind = CharField(10)
    start = BigIntegerField()
    value = IntegerField()

    class Meta:
        primary_key = CompositeKey("kind", "start")


class Backup(_Table):
    id = AutoField()
    at = BigIntegerField()
    name = CharField(200)
    size = BigIntegerField()
    sha256 = CharField(64)


class SigningKey(_Table):
    fingerprint = CharField(16, primary_key=True)
    seen_at = BigIntegerField()


class Rehearsal(_Table):
    id = AutoField()
    asked_at = BigIntegerField()
    asked_by = CharField(254)
    ended_at = BigIntegerField(null=True)
    version = CharField(200)
    upto = CharField(16, default="")
    total = IntegerField()
    matches = IntegerField(default=0)
    entries = IntegerField(default=0)
    faults = IntegerField(default=0)
    found = TextField(default="[]")


TABLES = [Figure, Backup, SigningKey, Rehearsal]
COLUMNS = ("maintenance_since BIGINT", "maintenance_why TEXT NOT NULL DEFAULT ''")
INDEXES = {
    "turn_closed_at_opened_at": '"turn" (closed_at, opened_at) WHERE closed_at IS NOT NULL',
    "turn_closed_seq_opened_at": (
        '"turn" (closed_seq, opened_at) WHERE closed_seq IS NULL AND since IS NULL'
    ),
}


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)
    for column in COLUMNS:
        db.execute_sql(f"ALTER TABLE heartbeat ADD COLUMN {column}")
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON {columns}")


def down(migrator: Any, db: Any) -> None:
    for name in INDEXES:
        db.execute_sql(f"DROP INDEX {name}")
    for column in COLUMNS:
        db.execute_sql(f"ALTER TABLE heartbeat DROP COLUMN {column.split()[0]}")
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES)
