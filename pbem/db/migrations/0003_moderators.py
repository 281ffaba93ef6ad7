"""Moderators: who they are, their passkeys, their sessions, and the log of what they did."""

from __future__ import annotations

from typing import Any

from peewee import (
    AutoField,
    BigIntegerField,
    CharField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Moderator(_Table):
    id = AutoField()
    address = CharField(254, unique=True)
    name = CharField(40, default="")
    role = CharField(10)
    created_at = BigIntegerField()
    disabled_at = BigIntegerField(null=True)
    password_hash = CharField(200, default="")
    totp_secret = CharField(64, default="")
    totp_step = BigIntegerField(default=0)
    failures = IntegerField(default=0)
    locked_until = BigIntegerField(null=True)
    setup_epoch = BigIntegerField(default=0)


class Passkey(_Table):
    id = AutoField()
    moderator = ForeignKeyField(Moderator)
    credential_id = TextField(unique=True)
    public_key = TextField()
    sign_count = BigIntegerField(default=0)
    name = CharField(40, default="")
    created_at = BigIntegerField()
    last_used_at = BigIntegerField(null=True)


class AdminSession(_Table):
    id = CharField(64, primary_key=True)
    moderator = ForeignKeyField(Moderator, null=True)
    created_at = BigIntegerField()
    seen_at = BigIntegerField()
    stepped_up_at = BigIntegerField(null=True)
    challenge = CharField(100, null=True)
    challenge_at = BigIntegerField(null=True)
    remote = CharField(45, default="")


class Audit(_Table):
    seq = BigIntegerField(primary_key=True)
    at = BigIntegerField()
    actor = CharField(254)
    act = CharField(40)
    subject = CharField(300)
    reason = TextField()
    words = TextField()
    detail = TextField()
    previous = CharField(64)
    hash = CharField(64)

    class Meta:
        indexes = ((("subject", "seq"), False),)


class AuditHead(_Table):
    id = IntegerField(primary_key=True)
    seq = BigIntegerField()
    hash = CharField(64)


TABLES = [Moderator, Passkey, AdminSession, Audit, AuditHead]


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES)
    db.execute_sql(f"INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '{'0' * 64}')")


def down(migrator: Any, db: Any) -> None:
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES)
