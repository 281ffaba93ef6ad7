"""Mails that come in: replies and letters that come back."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    BlobField,
    CharField,
    ForeignKeyField,
    IntegerField,
    Model,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Player(_Table):
    """As far as what is new refers to it."""

    id = AutoField()


class Match(_Table):
    """As far as what is new refers to it."""

    id = CharField(16, primary_key=True)


class Incoming(_Table):
    id = AutoField()
    dedupe = CharField(64, unique=True)
    recipient = CharField(254)
    sender = CharField(320)
    mime = BlobField(null=True)
    words = BlobField(null=True)
    received_at = BigIntegerField()
    state = CharField(12)
    reason = CharField(40)
    attempts = IntegerField()
    next_at = BigIntegerField()
    lease_by = CharField(40)
    lease_until = BigIntegerField()
    player = ForeignKeyField(Player, null=True)
    match = ForeignKeyField(Match, null=True)
    turn = IntegerField(null=True)
    done_at = BigIntegerField(null=True)

    class Meta:
        indexes = ((("state", "next_at"), False),)


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, Match, Incoming]):
        db.create_tables([Incoming])


def down(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, Match, Incoming]):
        db.drop_tables([Incoming])
