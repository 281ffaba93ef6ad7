"""Letters on their way."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BlobField,
    CharField,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from pbem.db.models.base import Table
from pbem.db.models.matches import Match
from pbem.db.models.players import Player


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
    """queued, leased, sent, returned, dead or superseded"""
    attempts = IntegerField(default=0)
    refusals = IntegerField(constraints=[SQL("DEFAULT 0")])
    """How often a mail server has refused it for good."""
    next_at = BigIntegerField()
    lease_by = CharField(40, default="")
    lease_until = BigIntegerField(default=0)
    message_id = CharField(120, null=True)
    mime = BlobField(null=True)
    """Sealed; gone when a mail server has taken the letter."""
    last_error = CharField(200, default="")
    created_at = BigIntegerField()
    sent_at = BigIntegerField(null=True)
    report = CharField(8, constraints=[SQL("DEFAULT ''")])
    """What mail servers have reported of it since: delayed, soft or hard; empty: nothing."""
    reported_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "next_at"), False),)
