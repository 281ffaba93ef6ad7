"""Matches: seats, turns, the log and what is kept beside it."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from pbem.db.models.base import Table
from pbem.db.models.players import Player


class Match(Table):
    id = CharField(16, primary_key=True)
    game = CharField(40)
    rules_version = IntegerField()
    setup = TextField()
    status = CharField(10)
    """forming, live, over or cancelled"""
    head_seq = IntegerField(default=-1)
    """The newest entry, and the lock: whoever moves it writes."""
    head = CharField(64, constraints=[SQL("DEFAULT ''")])
    """The hash of the newest entry; empty before there is one."""
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
    clock = TextField(constraints=[SQL("DEFAULT '{}'")])
    """What was agreed about time; see pbem.deadlines."""
    paused_at = BigIntegerField(null=True)
    paused_total = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds of the pauses that are over."""
    adopted_version = IntegerField(null=True)
    """Of the rules that it goes on under; nothing while it follows those it began with."""
    held_at = BigIntegerField(null=True)
    """Since when it waits because the rules were changed."""
    decks = TextField(constraints=[SQL("DEFAULT ''")])
    """Of a match that is over: its shuffled decks as its file shows them, as JSON."""
    by_lot = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether its sides are drawn when it begins."""
    strength = CharField(20, constraints=[SQL("DEFAULT ''")])
    """Of its machine players, by the game's own word; empty: as usual."""
    has_remarks = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether the page of a turn explains the first turns to a beginner."""
    rematch_of = CharField(16, null=True, index=True)
    """The match after whose end its players agreed to play once more."""
    reliable_only = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether its free seats are only for players who are known to answer in time."""
    visibility = CharField(10, constraints=[SQL("DEFAULT 'public'")])
    """public, anonymous or private: who may see that it is played, and by whom"""
    earlier_secrets = TextField(constraints=[SQL("DEFAULT ''")])
    """Of a match that a restore has met: [[entry, secret], …] as JSON, each good before its entry;
    `secret` is the one of now, `commitment` fits the first of all."""

    class Meta:
        indexes = ((("created_at", "id"), False), (("status", "created_at", "id"), False))


class MatchSeat(Table):
    class Meta:
        table_name = "seat"
        indexes = ((("match", "number"), True),)

    id = AutoField()
    match = ForeignKeyField(Match, backref="seats", index=False)
    number = IntegerField()
    name = CharField(20)
    player = ForeignKeyField(Player, null=True, backref="seats")
    status = CharField(10)
    """open, invited, joined, declined, guest, machine, or vacant in a match without its player"""
    phrase = CharField(200, default="")
    epoch = BigIntegerField()
    """Links to this seat that are older than this are dead."""
    draw_offered = BooleanField(default=False)
    bank = IntegerField(null=True)
    """Seconds left for the next turn where time is banked."""
    missed = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Turns in a row that the clock has ended."""
    pause_wanted = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    is_open_to_allies = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether its allies may see its draft and what it says in advance."""
    machine_wanted = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether its player agrees that the computer takes the seats that are still free."""


class Turn(Table):
    """One seat being waited for."""

    id = AutoField()
    match = ForeignKeyField(Match, backref="turns", index=False)
    seat = IntegerField()
    opened_seq = IntegerField()
    closed_seq = IntegerField(null=True)
    opened_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)
    deadline_at = BigIntegerField()
    """What it would be if the clock had started when the turn was opened, until it has."""
    budget = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds the seat has for it."""
    started_at = BigIntegerField(null=True)
    """When its letter was handed over, or something was first pressed on its page."""
    absent = IntegerField(constraints=[SQL("DEFAULT 0")])
    """For how many seconds absence has stopped it."""
    is_inquiry = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether the seat is asked in the middle of the turn of another one."""
    since = BigIntegerField(null=True)
    """The instant from which `allowed` counts; nothing while the clock stands still."""
    allowed = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Seconds of running time from then on: the budget, what was granted, what a pause left."""
    missed = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether the clock ended it."""

    class Meta:
        indexes = ((("match", "closed_seq"), False), (("closed_seq", "deadline_at"), False))


Turn.add_index(Turn.closed_at, Turn.opened_at, where=Turn.closed_at.is_null(False))
Turn.add_index(
    Turn.closed_seq, Turn.opened_at, where=Turn.closed_seq.is_null() & Turn.since.is_null()
)


class Entry(Table):
    """The truth: what happened, in order, never changed."""

    match = ForeignKeyField(Match, backref="entries", index=False)
    seq = IntegerField()
    at = BigIntegerField()
    actor = CharField(20)
    kind = CharField(10)
    text = TextField()
    draws = TextField()
    rules_version = IntegerField()
    result = TextField(constraints=[SQL("DEFAULT ''")])
    """Of the entry that ended the match: the seats that won, or draw."""
    hash = CharField(64, constraints=[SQL("DEFAULT ''")])
    """Over what the entry says and the hash before it; see engine.log."""
    events = TextField(null=True)
    """What it told and to whom, as JSON; nothing where an older release has written it."""

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Snapshot(Table):
    """States that were kept; those of the present rules can be computed again from the log."""

    match = ForeignKeyField(Match, index=False)
    seq = IntegerField()
    state = TextField()

    class Meta:
        primary_key = CompositeKey("match", "seq")


class Draft(Table):
    """Orders composed for a turn and not sent."""

    turn = ForeignKeyField(Turn, primary_key=True)
    orders = TextField()
    updated_at = BigIntegerField()


class Sending(Table):
    """Orders that a program sent under a key of its own; sent again, they are not played."""

    turn = ForeignKeyField(Turn, index=False)
    key_digest = CharField(64)
    orders_digest = CharField(64)
    first_seq = IntegerField()
    last_seq = IntegerField()

    class Meta:
        primary_key = CompositeKey("turn", "key_digest")


class Message(Table):
    id = AutoField()
    match = ForeignKeyField(Match, backref="messages")
    seat = IntegerField()
    at = BigIntegerField()
    text = TextField()
    heard_by = CharField(40, constraints=[SQL("DEFAULT ''")])
    """The numbers of the seats that it is for, with the one that wrote it; empty: all."""
    unheard_by = CharField(40, constraints=[SQL("DEFAULT ''")])
    """The numbers of seats that it does not reach: their players have blocked its author."""
    is_public = BooleanField(constraints=[SQL("DEFAULT FALSE")])
    """Whether its author shows it on the public page; only when the match is over."""


class Takeback(Table):
    """A seat asks to take its last move back; the others agree or decline."""

    id = AutoField()
    match = ForeignKeyField(Match, backref="takebacks")
    seat = IntegerField()
    entry = IntegerField()
    """The last entry that would still count."""
    asked_seq = IntegerField()
    """The newest entry when it was asked: a turn that ends later is an answer, too."""
    asked_at = BigIntegerField()
    agreed_by = CharField(40, constraints=[SQL("DEFAULT ''")])
    """The numbers of the seats that have agreed."""
    state = CharField(10)
    """asked, agreed, declined or withdrawn"""
    ended_at = BigIntegerField(null=True)


class Note(Table):
    """What a player writes down about a match for nobody else."""

    match = ForeignKeyField(Match, index=False)
    player = ForeignKeyField(Player)
    text = TextField()
    updated_at = BigIntegerField()

    class Meta:
        primary_key = CompositeKey("match", "player")
