"""Operations: plots, backups, restores, keys, replay checks."""

from __future__ import annotations

from peewee import AutoField, BigIntegerField, CharField, CompositeKey, IntegerField, TextField

from pbem.db.models.base import Table


class Figure(Table):
    """One point of a plot on the first page of moderators."""

    kind = CharField(10)
    """turns (of a day) or pace (of a week)"""
    start = BigIntegerField()
    """When the day or the week began."""
    value = IntegerField()

    class Meta:
        primary_key = CompositeKey("kind", "start")


class Backup(Table):
    """A copy of the database that was made and found whole."""

    id = AutoField()
    at = BigIntegerField()
    name = CharField(200)
    size = BigIntegerField()
    sha256 = CharField(64)


class Restoration(Table):
    """A time at which the server went back to a backup; from then on it has a new timeline."""

    id = AutoField()
    mark = CharField(16, unique=True)
    """Of the timeline: random, as a counter would be restored, too."""
    at = BigIntegerField()
    back_to = BigIntegerField()
    """What happened after this moment is lost."""


class SigningKey(Table):
    """When a key that signs links was first seen; never the key itself."""

    fingerprint = CharField(16, primary_key=True)
    seen_at = BigIntegerField()


class Rehearsal(Table):
    """All matches replayed under some version, as far as that has come."""

    id = AutoField()
    asked_at = BigIntegerField()
    asked_by = CharField(254)
    ended_at = BigIntegerField(null=True)
    version = CharField(200)
    """Of the program and of the rules of its games."""
    upto = CharField(16, default="")
    """The last match that was replayed, in the order of their ids."""
    total = IntegerField()
    matches = IntegerField(default=0)
    entries = IntegerField(default=0)
    faults = IntegerField(default=0)
    found = TextField(default="[]")
    """The first faults, as JSON."""
