"""Moderators: how they log in, what they did, what players reported to them."""

from __future__ import annotations

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    CharField,
    ForeignKeyField,
    IntegerField,
    TextField,
)

from pbem.db.models.base import Table
from pbem.db.models.matches import Match
from pbem.db.models.players import Player


class Moderator(Table):
    """Somebody who looks after matches; nobody becomes one but by the command line."""

    id = AutoField()
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    role = CharField(10)
    """moderator or operator"""
    created_at = BigIntegerField()
    disabled_at = BigIntegerField(null=True)
    password_hash = CharField(200, default="")
    """Empty for who has none, and then there are no codes either."""
    totp_secret = CharField(200, default="")
    """Sealed."""
    totp_step = BigIntegerField(default=0)
    """The time step of the newest code that was accepted; codes up to it are dead."""
    failures = IntegerField(default=0)
    """Wrong passwords and codes in a row."""
    locked_until = BigIntegerField(null=True)
    """Until when passwords and codes are refused; passkeys are not."""
    setup_epoch = BigIntegerField(default=0)
    """When the newest link to set up was made; below zero once it was used."""


class Passkey(Table):
    id = AutoField()
    moderator = ForeignKeyField(Moderator)
    credential_id = TextField(unique=True)
    """As public_key in base64url."""
    public_key = TextField()
    sign_count = BigIntegerField(default=0)
    name = CharField(40, default="")
    created_at = BigIntegerField()
    last_used_at = BigIntegerField(null=True)


class AdminSession(Table):
    """A browser at the moderators' door; inside once it has a moderator."""

    id = CharField(64, primary_key=True)
    """The SHA-256 of what the cookie holds."""
    moderator = ForeignKeyField(Moderator, null=True)
    created_at = BigIntegerField()
    seen_at = BigIntegerField()
    stepped_up_at = BigIntegerField(null=True)
    challenge = CharField(100, null=True)
    """What a passkey is asked to sign, once."""
    challenge_at = BigIntegerField(null=True)
    remote = CharField(45, default="")
    failures = IntegerField(constraints=[SQL("DEFAULT 0")])
    """Wrong codes and passkeys in a row when stepping up."""


class Audit(Table):
    """What moderators and operators did, each entry sealed to the one before, and signed."""

    seq = BigIntegerField(primary_key=True)
    at = BigIntegerField()
    actor = CharField(254)
    act = CharField(40)
    subject = CharField(300)
    reason = TextField()
    words = TextField()
    """What players were told."""
    detail = TextField()
    previous = CharField(64)
    hash = CharField(64)
    signer = CharField(8, constraints=[SQL("DEFAULT ''")])
    """The fingerprint of the key that signed the hash; empty for what was entered before."""
    mac = CharField(64, constraints=[SQL("DEFAULT ''")])

    class Meta:
        indexes = ((("subject", "seq"), False),)


class AuditHead(Table):
    """One row: the newest entry, and the lock of whoever adds one."""

    id = IntegerField(primary_key=True)
    seq = BigIntegerField()
    hash = CharField(64)
    told_seq = BigIntegerField(constraints=[SQL("DEFAULT 0")])
    """The newest entry that moderators have by letter."""
    told_day = IntegerField(constraints=[SQL("DEFAULT 0")])
    """The day of that letter, counted from 1970."""


class Report(Table):
    """What a player tells the moderators, with the words that it is about as they were then."""

    id = AutoField()
    state = CharField(6)
    """open or closed"""
    about = CharField(10)
    """letter, conduct, message, name or other"""
    player = ForeignKeyField(Player)
    """Who reports."""
    subject = ForeignKeyField(Player, null=True)
    """Who is reported."""
    match = ForeignKeyField(Match, null=True)
    seat = IntegerField(null=True)
    """The seat that is reported, not that of the player."""
    message = IntegerField(null=True)
    """The id of a message that may be gone."""
    letter = CharField(20)
    """The kind of the letter whose link was used."""
    letter_at = BigIntegerField()
    words = TextField()
    """The message or name that is reported, word for word."""
    created_at = BigIntegerField()
    closed_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "id"), False),)


class ReportLine(Table):
    """One piece of the exchange about a report."""

    id = AutoField()
    report = ForeignKeyField(Report)
    at = BigIntegerField()
    author = CharField(10)
    """player or moderator"""
    who = CharField(254, default="")
    """The address of the moderator."""
    text = TextField()
