"""Entries chained by hash, results where they were reached, and orders sent under a key."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from peewee import CharField, CompositeKey, ForeignKeyField, IntegerField, Model

COLUMNS = {
    "match": {"head": "VARCHAR(64) NOT NULL DEFAULT ''"},
    "entry": {
        "result": "TEXT NOT NULL DEFAULT ''",
        "hash": "VARCHAR(64) NOT NULL DEFAULT ''",
    },
}


class _Table(Model):
    class Meta:
        legacy_table_names = False


class Turn(_Table):
    """As far as what is new refers to it."""


class Sending(_Table):
    turn = ForeignKeyField(Turn, index=False)
    key_digest = CharField(64)
    orders_digest = CharField(64)
    first_seq = IntegerField()
    last_seq = IntegerField()

    class Meta:
        primary_key = CompositeKey("turn", "key_digest")


def up(migrator: Any, db: Any) -> None:
    with db.bind_ctx([Turn, Sending]):
        db.create_tables([Sending])
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN {name} {kind}')
    _say_results(db)
    begun = db.execute_sql(
        "SELECT id, game, rules_version, setup, commitment, secret FROM match WHERE head_seq >= 0"
    )
    for match in begun.fetchall():
        _chain(db, *match)


def _say_results(db: Any) -> None:
    """A match without winners is a draw, and the last entry of each match that is over says so."""
    db.execute_sql("UPDATE match SET result = 'draw' WHERE status = 'over' AND result = ''")
    db.execute_sql(
        "UPDATE entry SET result = (SELECT result FROM match WHERE match.id = entry.match_id)"
        " WHERE EXISTS (SELECT 1 FROM match WHERE match.id = entry.match_id"
        " AND match.head_seq = entry.seq AND match.status = 'over' AND match.result IS NOT NULL)"
    )


def _chain(
    db: Any, match: str, game: str, rules_version: int, setup: str, commitment: str, secret: str
) -> None:
    mark = db.param
    seats = db.execute_sql(
        f"SELECT name, phrase FROM seat WHERE match_id = {mark} ORDER BY number", (match,)
    ).fetchall()
    names, phrases = [name for name, _ in seats], [phrase for _, phrase in seats]
    agreed = json.dumps(json.loads(setup), sort_keys=True, separators=(",", ":"))
    sides = [len(names), *names, len(phrases), *phrases]
    fixed = (match, game, rules_version, agreed, commitment, *sides, "")
    head, key = _digest("pbem/genesis/v1", *fixed).hex(), _key(match, secret, phrases)
    log = db.execute_sql(
        f"SELECT seq, kind, actor, text, at, result, draws FROM entry WHERE match_id = {mark}"
        " ORDER BY seq",
        (match,),
    ).fetchall()
    for seq, kind, actor, text, at, result, draws in log:
        label = _digest("pbem/entrysalt/v1", match, seq)
        said = [hmac.digest(key, label, "sha256")[:16], seq, kind, actor, text, at, result]
        for draw in json.loads(draws):
            said += draw["kind"], draw["why"], draw["size"], " ".join(map(str, draw["result"]))
        head = _digest("pbem/entry/v1", head, *said).hex()
        db.execute_sql(
            f"UPDATE entry SET hash = {mark} WHERE match_id = {mark} AND seq = {mark}",
            (head, match, seq),
        )
    db.execute_sql(f"UPDATE match SET head = {mark} WHERE id = {mark}", (head, match))


def _key(match: str, secret: str, phrases: list[str]) -> bytes:
    numbered = [part for number, phrase in enumerate(phrases) for part in (number, phrase)]
    salt = _digest("pbem/salt/v1", match, *numbered, "")
    return hmac.digest(salt, bytes.fromhex(secret), "sha256")


def _digest(*parts: str | int | bytes) -> bytes:
    whole = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        whole.update(len(data).to_bytes(4, "big") + data)
    return whole.digest()


def down(migrator: Any, db: Any) -> None:
    for table, columns in COLUMNS.items():
        for name in columns:
            db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN {name}')
    with db.bind_ctx([Turn, Sending]):
        db.drop_tables([Sending])
