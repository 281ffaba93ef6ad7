"""The first tables: players, matches with their log, turns, drafts, messages, letters owed."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    CompositeKey,
    Database,
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
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    language = CharField(2, default="en")
    zone = CharField(64, default="UTC")
    created_at = BigIntegerField()
    confirmed_at = BigIntegerField(null=True)
    epoch = BigIntegerField()
    news = BooleanField(default=True)


class Match(_Table):
    id = CharField(16, primary_key=True)
    game = CharField(40)
    rules_version = IntegerField()
    setup = TextField()
    status = CharField(10, index=True)
    head_seq = IntegerField(default=-1)
    timeline = IntegerField(default=0)
    secret = CharField(64)
    commitment = CharField(64)
    pace = IntegerField()
    listed = BooleanField(default=False)
    creator = ForeignKeyField(Player, null=True, backref="created")
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    ended_at = BigIntegerField(null=True)
    result = TextField(null=True)


class MatchSeat(_Table):
    class Meta:
        table_name = "seat"
        indexes = ((("match", "number"), True),)

    id = AutoField()
    match = ForeignKeyField(Match, backref="seats")
    number = IntegerField()
    name = CharField(20)
    player = ForeignKeyField(Player, null=True, backref="seats")
    status = CharField(10)
    phrase = CharField(200, default="")
    epoch = BigIntegerField()
    draw_offered = BooleanField(default=False)


class Turn(_Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="turns")
    seat = IntegerField()
    opened_seq = IntegerField()
    closed_seq = IntegerField(null=True)
    opened_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)
    deadline_at = BigIntegerField()

    class Meta:
        indexes = ((("match", "closed_seq"), False),)


class Entry(_Table):
    match = ForeignKeyField(Match, backref="entries")
    seq = IntegerField()
    at = BigIntegerField()
    actor = CharField(20)
    kind = CharField(10)
    text = TextField()
    draws = TextField()
    rules_version = IntegerField()

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Snapshot(_Table):
    match = ForeignKeyField(Match)
    seq = IntegerField()
    state = TextField()

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Draft(_Table):
    turn = ForeignKeyField(Turn, primary_key=True)
    orders = TextField()
    updated_at = BigIntegerField()


class Message(_Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="messages")
    seat = IntegerField()
    at = BigIntegerField()
    text = TextField()


class Outbox(_Table):
    id = AutoField()
    dedupe = CharField(120, unique=True)
    stream = CharField(60, index=True)
    kind = CharField(20)
    player = ForeignKeyField(Player)
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    turn = IntegerField(null=True)
    about = TextField(default="{}")
    epoch = BigIntegerField()
    state = CharField(12, default="queued")
    attempts = IntegerField(default=0)
    next_at = BigIntegerField()
    lease_by = CharField(40, default="")
    lease_until = BigIntegerField(default=0)
    message_id = CharField(120, null=True)
    mime = BlobField(null=True)
    last_error = CharField(200, default="")
    created_at = BigIntegerField()
    sent_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "next_at"), False),)


TABLES = [Player, Match, MatchSeat, Turn, Entry, Snapshot, Draft, Message, Outbox]


def up(migrator: Any, db: Database) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)


def down(migrator: Any, db: Database) -> None:
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES)
