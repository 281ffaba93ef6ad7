"""Restores: courses of the server, and the secrets that matches had before one."""

from __future__ import annotations

from typing import Any

from peewee import AutoField, BigIntegerField, CharField, Model


class Restoration(Model):
    id = AutoField()
    mark = CharField(16, unique=True)
    at = BigIntegerField()
    back_to = BigIntegerField()

    class Meta:
        table_name = "restoration"


def up(migrator: Any, db: Any) -> None:
    db.execute_sql("ALTER TABLE match ADD COLUMN earlier_secrets TEXT NOT NULL DEFAULT ''")
    with db.bind_ctx([Restoration]):
        db.create_tables([Restoration])


def down(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Restoration]):
        db.drop_tables([Restoration])
    db.execute_sql("ALTER TABLE match DROP COLUMN earlier_secrets")
