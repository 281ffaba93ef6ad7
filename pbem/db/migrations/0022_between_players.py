"""Between players: rematches, takebacks, notes, blocks, free seats, remarks for everybody."""

from __future__ import annotations

import time
from typing import Any

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

LASTS = 30 * 86_400
"""Seconds that a match which waits for players already is left from now on."""


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Player(_Table):
    """As far as what is new refers to it."""

    id = AutoField()


class Match(_Table):
    """As far as what is new refers to it."""

    id = CharField(16, primary_key=True)


class Takeback(_Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="takebacks")
    seat = IntegerField()
    entry = IntegerField()
    asked_seq = IntegerField()
    asked_at = BigIntegerField()
    agreed_by = CharField(40, constraints=[SQL("DEFAULT ''")])
    state = CharField(10)
    ended_at = BigIntegerField(null=True)


class Note(_Table):
    match = ForeignKeyField(Match, index=False)
    player = ForeignKeyField(Player)
    text = TextField()
    updated_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("match", "player")


class Block(_Table):
    id = AutoField()
    player = ForeignKeyField(Player)
    blocked = ForeignKeyField(Player, backref="blocked_by")
    at = BigIntegerField()


class SeatAlert(_Table):
    id = AutoField()
    player = ForeignKeyField(Player)
    game = CharField(40, index=True)


TABLES = [Takeback, Note, Block, SeatAlert]
COLUMNS = {
    "match": {
        "rematch_of": "VARCHAR(16)",
        "reliable_only": "BOOLEAN NOT NULL DEFAULT FALSE",
    },
    "message": {
        "unheard_by": "VARCHAR(40) NOT NULL DEFAULT ''",
        "is_public": "BOOLEAN NOT NULL DEFAULT FALSE",
    },
}


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, Match, *TABLES]):
        db.create_tables(TABLES)
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            db.execute_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
    db.execute_sql("CREATE INDEX match_rematch_of ON match (rematch_of)")
    db.execute_sql(
        "INSERT INTO due (kind, subject, at) SELECT 'lapse', id,"
        f" {int(time.time()) + LASTS} FROM match WHERE status = 'forming'"
    )


def down(migrator: Any, db: Any) -> None:
    db.execute_sql("DELETE FROM due WHERE kind = 'lapse'")
    db.execute_sql("DROP INDEX match_rematch_of")
    for table, columns in COLUMNS.items():
        for name in columns:
            db.execute_sql(f"ALTER TABLE {table} DROP COLUMN {name}")
    with db.bind_ctx([Player, Match, *TABLES]):
        db.drop_tables(TABLES)
