"""Reports of players with what was written about them, and which head of the log was mailed."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    CharField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Player(_Table):
    """As far as what is new refers to it."""

    id = AutoField()


class Match(_Table):
    id = CharField(16, primary_key=True)


class Report(_Table):
    id = AutoField()
    state = CharField(6)
    about = CharField(10)
    player = ForeignKeyField(Player)
    subject = ForeignKeyField(Player, null=True)
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    message = IntegerField(null=True)
    letter = CharField(20)
    letter_at = BigIntegerField()
    words = TextField()
    created_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "id"), False),)


class ReportLine(_Table):
    id = AutoField()
    report = ForeignKeyField(Report)
    at = BigIntegerField()
    author = CharField(10)
    who = CharField(254, default="")
    text = TextField()


TABLES = [Report, ReportLine]
COLUMNS = {"told_seq": "BIGINT", "told_day": "INTEGER"}


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, Match, *TABLES]):
        db.create_tables(TABLES)
    for name, kind in COLUMNS.items():
        db.execute_sql(f"ALTER TABLE audit_head ADD COLUMN {name} {kind} NOT NULL DEFAULT 0")


def down(migrator: Any, db: Any) -> None:
    for name in COLUMNS:
        db.execute_sql(f"ALTER TABLE audit_head DROP COLUMN {name}")
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES[::-1])
