"""Mails that came in."""

from __future__ import annotations

from peewee import AutoField, BigIntegerField, BlobField, CharField, ForeignKeyField, IntegerField

from pbem.db.models.base import Table
from pbem.db.models.matches import Match
from pbem.db.models.players import Player


class Incoming(Table):
    """A mail for one recipient, kept before anybody is told that it was taken."""

    id = AutoField()
    dedupe = CharField(64, unique=True)
    """The SHA-256 of recipient and Message-ID, or of the whole mail where it has none."""
    recipient = CharField(254)
    """The address of ours that it came to, in small letters."""
    sender = CharField(320)
    """Of its envelope; empty: no answer is wanted."""
    mime = BlobField(null=True)
    """Sealed; gone some days after the mail was worked on."""
    words = BlobField(null=True)
    """Sealed: what its writer has written, while the player is asked whether it was he."""
    received_at = BigIntegerField()
    state = CharField(12, default="received")
    """received, leased, applied, asked, rejected, ignored or quarantined"""
    reason = CharField(40, default="")
    """Why it ended so, in one word or two, without a word of the mail."""
    attempts = IntegerField(default=0)
    next_at = BigIntegerField()
    lease_by = CharField(40, default="")
    lease_until = BigIntegerField(default=0)
    player = ForeignKeyField(Player, null=True)
    match = ForeignKeyField(Match, null=True)
    turn = IntegerField(null=True)
    done_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "next_at"), False),)
