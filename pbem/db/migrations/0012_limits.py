"""How often what was done of late, so that nobody can make us write to others without end."""

from __future__ import annotations

from typing import Any

from peewee import BigIntegerField, CharField, CompositeKey, IntegerField, Model


class Tally(Model):
    key = CharField(64)
    begins_at = BigIntegerField()
    ends_at = BigIntegerField(index=True)
    count = IntegerField()

    class Meta:
        legacy_table_names = False
        primary_key = CompositeKey("key", "begins_at")


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Tally]):
        db.create_tables([Tally])


def down(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Tally]):
        db.drop_tables([Tally])
