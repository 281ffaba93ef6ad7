"""The log of what moderators and operators did: appended only, each entry sealed to the one before.

An entry is written in the transaction of the act it tells of, so there is no act without one and no
entry without an act. Its hash covers all its columns and the hash of the entry before it; whoever
edits, removes or moves one breaks the chain there. The hash is signed with a key that is not in the
database; whoever rewrites all that follows, too, cannot sign it. What was signed once can be put
back, so that a tail cut off with its head is found only by a head that was noted elsewhere.

Keys are dropped from the oldest on, and each signature covers all entries up to it: entries in
front whose key is gone are vouched for by those behind them. An entry is signed in one of two ways:
as one that follows an entry whose signature was right at that time, or as one that begins a run.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec
from peewee import Table

from pbem.db.models import Audit, AuditHead
from pbem.db.reading import every, first, returned
from pbem.db.store import database
from pbem.key_ring import ring

GENESIS = "0" * 64
COMMAND_LINE, NOBODY = "command line", "nobody"
"""Actors that are no moderator: who may run `pbem`, and who has not been let in."""
READ_AT_ONCE = 1_000

PURPOSE = "pbem.audit.v1"
FOLLOWS, BEGINS = "follows", "begins"

What = Literal["changed", "removed", "moved", "added", "cut", "forged", "unsigned"]


class AuditEntry(NamedTuple):
    seq: int
    at: int
    actor: str
    act: str
    subject: str
    reason: str
    words: str
    """What players were told."""
    detail: str
    """JSON, as it was sealed."""
    previous: str
    hash: str
    signer: str = ""
    """The fingerprint of the key that signed the hash; empty for what was entered before."""
    mac: str = ""


class Fault(NamedTuple):
    """The first entry at which the log is not what was written, and what became of it."""

    seq: int
    what: What

    def __str__(self) -> str:
        return f"entry {self.seq} {_FAULTS[self.what]}"


_FAULTS: dict[What, str] = {
    "changed": "was changed",
    "removed": "was removed",
    "moved": "stood elsewhere",
    "added": "was added past the lock",
    "cut": "is the last, and no entry has the noted hash: some were cut off or rewritten",
    "forged": "was not signed with our key: it was rewritten, or signed onto what was",
    "unsigned": "is signed with no key that we have",
}
_SEALED = AuditEntry._fields.index("hash")


class Head(NamedTuple):
    """The newest entry; noted elsewhere, it vouches for all entries up to it."""

    seq: int
    hash: str


_AUDIT: Any = Table("audit", AuditEntry._fields).bind(database)
"""To read values as they stand there; the model would convert those of a wrong type."""


def record(
    actor: str,
    act: str,
    subject: str,
    reason: str,
    words: str,
    detail: dict[str, Any],
    now: int,
) -> int:
    """Append an entry inside the transaction of its act; its number.

    Best the last thing in a transaction: whoever else has something to enter waits until its end.
    """
    assert database.obj.in_transaction(), "an entry is part of the act it tells of"
    moved = AuditHead.update(seq=AuditHead.seq + 1).where(AuditHead.id == 1)
    taken = returned(moved.returning(AuditHead.seq, AuditHead.hash), Head)
    assert taken is not None, "the migration has put a head there"
    told = msgspec.json.encode(detail, order="sorted").decode()
    entry = AuditEntry(taken.seq, now, actor, act, subject, reason, words, told, taken.hash, "")
    entry = _signed(entry._replace(hash=seal(entry)))
    Audit.insert(**entry._asdict()).execute()
    AuditHead.update(hash=entry.hash).where(AuditHead.id == 1).execute()
    return entry.seq


def seal(entry: AuditEntry) -> str:
    """SHA-256 of all columns before the hash itself, as a JSON list without blanks in UTF-8."""
    return hashlib.sha256(msgspec.json.encode(entry[:_SEALED])).hexdigest()


def _signed(entry: AuditEntry) -> AuditEntry:
    """The entry signed with the newest key, onto the one before it as that stands there now."""
    keys = ring.derived(PURPOSE)
    before = first(_AUDIT.select().where(_AUDIT.seq == entry.seq - 1), AuditEntry)
    follows = before is not None and _way_signed(before, keys) in (FOLLOWS, BEGINS)
    signer = list(keys)[-1]
    mac = _mac(entry, FOLLOWS if follows else BEGINS, keys[signer])
    return entry._replace(signer=signer, mac=mac)


def _mac(entry: AuditEntry, way: str, key: bytes) -> str:
    return hmac.digest(key, f"{way} {entry.hash}".encode(), "sha256").hex()


def _way_signed(entry: AuditEntry, keys: Mapping[str, bytes]) -> str:
    """How an entry was signed; `forged` when it was not, `unsigned` when that cannot be told."""
    key = keys.get(entry.signer)
    if key is None:
        return "unsigned"
    ways = (FOLLOWS, BEGINS)
    return next((w for w in ways if hmac.compare_digest(_mac(entry, w, key), entry.mac)), "forged")


def head() -> Head:
    found = first(AuditHead.select(AuditHead.seq, AuditHead.hash).where(AuditHead.id == 1), Head)
    assert found is not None, "the migration has put a head there"
    return found


def newest(most: int, before: int | None = None, subject: str | None = None) -> list[AuditEntry]:
    """Entries from the newest on; those before a number, those about one subject."""
    wanted = _AUDIT.select().order_by(_AUDIT.seq.desc()).limit(most)
    if before is not None:
        wanted = wanted.where(_AUDIT.seq < before)
    if subject is not None:
        wanted = wanted.where(_AUDIT.subject == subject)
    return every(wanted, AuditEntry)


# --- checking -------------------------------------------------------------------------------------


def verify(noted: str | None = None) -> Fault | None:
    """The first fault of the whole log; `noted` is the hash of a head that was kept elsewhere.

    Entries may come while it is read: the head is looked at before and after.
    """
    promised, last, is_known = head(), Head(0, GENESIS), noted in (None, GENESIS)
    keys, is_signed, unproved = ring.derived(PURPOSE), False, None
    for entry in _all():
        way = _way_signed(entry, keys)
        fault = _fault_at(entry, last)
        unproved = unproved or _fault_signed(entry, way, is_signed)
        is_signed = is_signed or way in (FOLLOWS, BEGINS)
        if fault is None and entry.seq == promised.seq and entry.hash != promised.hash:
            fault = Fault(entry.seq, "changed")
        if fault is not None:
            return fault
        last, is_known = Head(entry.seq, entry.hash), is_known or entry.hash == noted
    if last.seq < promised.seq:
        return Fault(last.seq + 1, "removed")
    if last.seq > head().seq:
        return Fault(head().seq + 1, "added")
    if unproved is None and last.seq and not is_signed:
        unproved = Fault(last.seq, "unsigned")
    if unproved is not None:
        return unproved
    return None if is_known else Fault(last.seq, "cut")


def fault_among(shown: Sequence[AuditEntry]) -> Fault | None:
    """The first fault inside a run of neighbouring entries, oldest first."""
    if not shown:
        return None
    keys = ring.derived(PURPOSE)
    last = Head(shown[0].seq - 1, shown[0].previous)
    for entry in shown:
        fault = _fault_at(entry, last)
        if fault is None and _way_signed(entry, keys) == "forged":
            fault = Fault(entry.seq, "forged")
        if fault is not None:
            return fault
        last = Head(entry.seq, entry.hash)
    return None


def begun() -> int:
    """The entry with which the run of signed ones begins that the newest is in.

    All before it was vouched for by nobody when that one was signed.
    """
    keys, found = ring.derived(PURPOSE), 1
    for entry in _all():
        if _way_signed(entry, keys) == BEGINS:
            found = entry.seq
    return found


def _fault_signed(entry: AuditEntry, way: str, is_signed: bool) -> Fault | None:
    """Behind an entry that is signed with a key we have, each is, and follows the one before."""
    if way == "forged" or (is_signed and way == BEGINS):
        return Fault(entry.seq, "forged")
    return Fault(entry.seq, "unsigned") if is_signed and way == "unsigned" else None


def _all() -> Iterator[AuditEntry]:
    """Every entry in order, a handful at a time."""
    next_ones = _AUDIT.select().order_by(_AUDIT.seq).limit(READ_AT_ONCE)
    found = every(next_ones, AuditEntry)
    while found:
        yield from found
        found = every(next_ones.where(_AUDIT.seq > found[-1].seq), AuditEntry)


def _fault_at(entry: AuditEntry, last: Head) -> Fault | None:
    """Whether an entry is whole and follows the last one.

    An entry that is whole but follows another one than stands before it: then that one was
    rewritten, hash and all.
    """
    if entry.seq <= last.seq:
        return Fault(entry.seq, "added")
    if entry.seq > last.seq + 1:
        return Fault(last.seq + 1, "removed")
    if seal(entry) != entry.hash:
        return Fault(entry.seq, "moved" if _stood_elsewhere(entry) else "changed")
    if entry.previous != last.hash:
        return Fault(max(last.seq, 1), "changed")
    return None


def _stood_elsewhere(entry: AuditEntry) -> bool:
    newest_number = max(head().seq, entry.seq)
    return any(
        seal(entry._replace(seq=seq)) == entry.hash
        for seq in range(1, newest_number + 1)
        if seq != entry.seq
    )
