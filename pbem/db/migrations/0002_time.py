"""Time: the clock of a match, when turns run, absences, lent seats, what is due, the heartbeat."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Player(_Table):
    id = AutoField()


class Match(_Table):
    id = CharField(16, primary_key=True)


class Absence(_Table):
    id = AutoField()
    player = ForeignKeyField(Player)
    start_at = BigIntegerField()
    end_at = BigIntegerField()
    is_floating = BooleanField(default=False)
    created_at = BigIntegerField()


class Loan(_Table):
    id = AutoField()
    match = ForeignKeyField(Match)
    seat = IntegerField()
    owner = ForeignKeyField(Player, null=True)
    stand_in = ForeignKeyField(Player, null=True)
    start_at = BigIntegerField()
    end_at = BigIntegerField(null=True)
    state = CharField(10)
    created_at = BigIntegerField()


class Due(_Table):
    kind = CharField(10)
    subject = CharField(40)
    at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("kind", "subject")
        indexes = ((("at", "kind", "subject"), False),)


class Heartbeat(_Table):
    id = IntegerField(primary_key=True)
    ticked_at = BigIntegerField()
    suspect_since = BigIntegerField(null=True)
    why = TextField(default="")
    held_since = BigIntegerField(null=True)
    let_go_until = BigIntegerField(null=True)


COLUMNS = {
    "match": (
        "clock TEXT NOT NULL DEFAULT '{}'",
        "paused_at BIGINT",
        "paused_total INTEGER NOT NULL DEFAULT 0",
    ),
    "seat": (
        "bank INTEGER",
        "missed INTEGER NOT NULL DEFAULT 0",
        "pause_wanted BOOLEAN NOT NULL DEFAULT FALSE",
    ),
    "turn": (
        "budget INTEGER NOT NULL DEFAULT 0",
        "started_at BIGINT",
        "absent INTEGER NOT NULL DEFAULT 0",
        "since BIGINT",
        "allowed INTEGER NOT NULL DEFAULT 0",
        "missed BOOLEAN NOT NULL DEFAULT FALSE",
    ),
    "player": (
        "leads TEXT NOT NULL DEFAULT ''",
        "digest_hour INTEGER",
        "days_off TEXT NOT NULL DEFAULT '[]'",
        "night TEXT NOT NULL DEFAULT ''",
        "reminders BOOLEAN NOT NULL DEFAULT TRUE",
        "stands_in BOOLEAN NOT NULL DEFAULT FALSE",
    ),
}
TABLES = [Absence, Loan, Due, Heartbeat]


def up(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for column in columns:
            db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN {column}')
    db.execute_sql("UPDATE match SET clock = '{\"per_move\": ' || pace || '}'")
    # Turns that ran before there were clocks keep their deadlines and are reminded of them.
    db.execute_sql(
        "UPDATE turn SET started_at = opened_at, since = opened_at,"
        " budget = deadline_at - opened_at, allowed = deadline_at - opened_at"
    )
    with db.bind_ctx([Player, Match, *TABLES]):
        db.create_tables(TABLES)
    db.execute_sql(
        "INSERT INTO due (kind, subject, at) SELECT 'turn', CAST(id AS VARCHAR(40)), deadline_at"
        " FROM turn WHERE closed_seq IS NULL"
    )


def down(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, Match, *TABLES]):
        db.drop_tables(TABLES)
    for table, columns in COLUMNS.items():
        for column in columns:
            db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN {column.split()[0]}')
