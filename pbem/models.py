"""The tables; no verbs. Times are whole UTC seconds, JSON is text."""

from __future__ import annotations

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)

from pbem.store import database


class Table(Model):
    class Meta:
        database = database
        legacy_table_names = False


class Player(Table):
    """A person, known by a mail address."""

    id = AutoField()
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    language = CharField(2, default="en")
    zone = CharField(64, default="UTC")
    created_at = BigIntegerField()
    confirmed_at = BigIntegerField(null=True)
    epoch = BigIntegerField()
    """Links to the player's own page that are older than this are dead."""
    news = BooleanField(default=True)
    """Whether letters may come that ask for nothing."""


class Match(Table):
    id = CharField(16, primary_key=True)
    game = CharField(40)
    rules_version = IntegerField()
    setup = TextField()
    status = CharField(10, index=True)
    """forming, live, over or cancelled"""
    head_seq = IntegerField(default=-1)
    """The newest entry, and the lock: whoever moves it writes."""
    timeline = IntegerField(default=0)
    secret = CharField(64)
    commitment = CharField(64)
    pace = IntegerField()
    """Seconds for a turn."""
    listed = BooleanField(default=False)
    creator = ForeignKeyField(Player, null=True, backref="created")
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    ended_at = BigIntegerField(null=True)
    result = TextField(null=True)


class MatchSeat(Table):
    class Meta:
        table_name = "seat"
        indexes = ((("match", "number"), True),)

    id = AutoField()
    match = ForeignKeyField(Match, backref="seats")
    number = IntegerField()
    name = CharField(20)
    player = ForeignKeyField(Player, null=True, backref="seats")
    status = CharField(10)
    """open, invited, joined or declined"""
    phrase = CharField(200, default="")
    epoch = BigIntegerField()
    """Links to this seat that are older than this are dead."""
    draw_offered = BooleanField(default=False)


class Turn(Table):
    """One seat being waited for."""

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


class Entry(Table):
    """The truth: what happened, in order, never changed."""

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


class Snapshot(Table):
    """A cache of states; deleting all of them loses nothing."""

    match = ForeignKeyField(Match)
    seq = IntegerField()
    state = TextField()

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Draft(Table):
    """Orders composed for a turn and not sent."""

    turn = ForeignKeyField(Turn, primary_key=True)
    orders = TextField()
    updated_at = BigIntegerField()


class Message(Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="messages")
    seat = IntegerField()
    at = BigIntegerField()
    text = TextField()


class Outbox(Table):
    """A letter that is owed: which one, to whom, about what; its bytes once it was built."""

    id = AutoField()
    dedupe = CharField(120, unique=True)
    stream = CharField(60, index=True)
    """Letters of one stream leave in the order of their ids."""
    kind = CharField(20)
    player = ForeignKeyField(Player)
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    turn = IntegerField(null=True)
    about = TextField(default="{}")
    epoch = BigIntegerField()
    state = CharField(12, default="queued")
    """queued, leased, sent, dead or superseded"""
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


TABLES = (Player, Match, MatchSeat, Turn, Entry, Snapshot, Draft, Message, Outbox)
