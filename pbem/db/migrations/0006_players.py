"""Players for moderators: found, kept out, known by several addresses, seen in one browser."""

from __future__ import annotations

from typing import Any

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    ForeignKeyField,
    Model,
    TextField,
)


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Player(_Table):
    """As far as what is new refers to it."""

    id = AutoField()


class AddressRule(_Table):
    id = AutoField()
    pattern = CharField(254, unique=True)
    is_allowed = BooleanField()
    reason = TextField()
    created_at = BigIntegerField()


class AddressChange(_Table):
    id = AutoField()
    player = ForeignKeyField(Player)
    other = ForeignKeyField(Player, backref="stands_for")
    reason = TextField()
    asked_at = BigIntegerField()
    ended_at = BigIntegerField(null=True)
    is_done = BooleanField(constraints=[SQL("DEFAULT FALSE")])


class Device(_Table):
    id = AutoField()
    player = ForeignKeyField(Player)
    digest = CharField(64, index=True)
    first_at = BigIntegerField()
    last_at = BigIntegerField()

    class Meta:
        indexes = ((("player", "digest"), True),)


TABLES = [AddressRule, AddressChange, Device]
COLUMNS = {
    "banned_at": "BIGINT",
    "plain": "VARCHAR(254) NOT NULL DEFAULT ''",
    "sought": "VARCHAR(300) NOT NULL DEFAULT ''",
}
INDEXES = {
    "player_plain": "plain",
    "player_sought": "sought",
    "player_created_at_id_sought": "created_at, id, sought",
}
DELETED_DOMAIN = "@deleted.invalid"


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Player, *TABLES]):
        db.create_tables(TABLES)
    for name, kind in COLUMNS.items():
        db.execute_sql(f"ALTER TABLE player ADD COLUMN {name} {kind}")
    _fill(db)
    for name, columns in INDEXES.items():
        db.execute_sql(f"CREATE INDEX {name} ON player ({columns})")


def _fill(db: Any) -> None:
    mark = db.param
    for player, name, address in db.execute_sql("SELECT id, name, address FROM player").fetchall():
        if not address.endswith(DELETED_DOMAIN):
            db.execute_sql(
                f"UPDATE player SET plain = {mark}, sought = {mark} WHERE id = {mark}",
                (_plain(address), f"{name.casefold()} {address}".lstrip(), player),
            )


def _plain(address: str) -> str:
    name, _, domain = address.rpartition("@")
    name = name.partition("+")[0]
    if domain in ("gmail.com", "googlemail.com"):
        return f"{name.replace('.', '')}@gmail.com"
    return f"{name}@{domain}"


def down(migrator: Any, db: Any) -> None:
    for name in INDEXES:
        db.execute_sql(f"DROP INDEX {name}")
    for name in COLUMNS:
        db.execute_sql(f"ALTER TABLE player DROP COLUMN {name}")
    with db.bind_ctx(TABLES):
        db.drop_tables(TABLES)
