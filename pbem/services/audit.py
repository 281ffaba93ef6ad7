"""The log of what moderators and operators did: appended only, each entry sealed to the one before.

An entry is written in the transaction of the act it tells of, so there is no act without one and no
entry without an act. Its hash covers all its columns and the hash of the entry before it; whoever
edits, removes or moves one breaks the chain there. Whoever rewrites all that follows, too, is found
by a head that was noted elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from pbem.store import database, execute, row, rows

GENESIS = "0" * 64
COMMAND_LINE, NOBODY = "command line", "nobody"
"""Actors that are no moderator: who may run `pbem`, and who has not been let in."""
READ_AT_ONCE = 1_000

What = Literal["changed", "removed", "moved", "added", "cut"]


class Entry(NamedTuple):
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
}
_COLUMNS = "seq, at, actor, act, subject, reason, words, detail, previous, hash"


class Head(NamedTuple):
    """The newest entry; noted elsewhere, it vouches for all entries up to it."""

    seq: int
    hash: str


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
    taken = row("UPDATE audit_head SET seq = seq + 1 WHERE id = 1 RETURNING seq, hash")
    assert taken is not None, "the migration has put a head there"
    told = msgspec.json.encode(detail, order="sorted").decode()
    entry = Entry(taken[0], now, actor, act, subject, reason, words, told, taken[1], "")
    entry = entry._replace(hash=seal(entry))
    execute(f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *entry)
    execute("UPDATE audit_head SET hash = ? WHERE id = 1", entry.hash)
    return entry.seq


def seal(entry: Entry) -> str:
    """SHA-256 of all columns but the hash itself, as a JSON list without blanks in UTF-8."""
    return hashlib.sha256(msgspec.json.encode(entry[:-1])).hexdigest()


def head() -> Head:
    found = row("SELECT seq, hash FROM audit_head WHERE id = 1")
    assert found is not None, "the migration has put a head there"
    return Head(*found)


def newest(most: int, before: int | None = None, subject: str | None = None) -> list[Entry]:
    """Entries from the newest on; those before a number, those about one subject."""
    wanted = [("seq < ?", before), ("subject = ?", subject)]
    said = [(term, value) for term, value in wanted if value is not None]
    where = f"WHERE {' AND '.join(term for term, _ in said)} " if said else ""
    found = rows(
        f"SELECT {_COLUMNS} FROM audit {where}ORDER BY seq DESC LIMIT ?",
        *(value for _, value in said),
        most,
    )
    return [Entry(*values) for values in found]


# --- checking -------------------------------------------------------------------------------------


def verify(noted: str | None = None) -> Fault | None:
    """The first fault of the whole log; `noted` is the hash of a head that was kept elsewhere.

    Entries may come while it is read: the head is looked at before and after.
    """
    promised, last, is_known = head(), Head(0, GENESIS), noted in (None, GENESIS)
    for entry in _all():
        fault = _fault_at(entry, last)
        if fault is None and entry.seq == promised.seq and entry.hash != promised.hash:
            fault = Fault(entry.seq, "changed")
        if fault is not None:
            return fault
        last, is_known = Head(entry.seq, entry.hash), is_known or entry.hash == noted
    if last.seq < promised.seq:
        return Fault(last.seq + 1, "removed")
    if last.seq > head().seq:
        return Fault(head().seq + 1, "added")
    return None if is_known else Fault(last.seq, "cut")


def fault_among(shown: Sequence[Entry]) -> Fault | None:
    """The first fault inside a run of neighbouring entries, oldest first."""
    if not shown:
        return None
    last = Head(shown[0].seq - 1, shown[0].previous)
    for entry in shown:
        fault = _fault_at(entry, last)
        if fault is not None:
            return fault
        last = Head(entry.seq, entry.hash)
    return None


def _all() -> Iterator[Entry]:
    """Every entry in order, a handful at a time."""
    after: int | None = None
    while True:
        start = "" if after is None else "WHERE seq > ? "
        found = rows(
            f"SELECT {_COLUMNS} FROM audit {start}ORDER BY seq LIMIT ?",
            *(() if after is None else (after,)),
            READ_AT_ONCE,
        )
        yield from (Entry(*values) for values in found)
        if len(found) < READ_AT_ONCE:
            return
        after = found[-1][0]


def _fault_at(entry: Entry, last: Head) -> Fault | None:
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


def _stood_elsewhere(entry: Entry) -> bool:
    newest_number = max(head().seq, entry.seq)
    return any(
        seal(entry._replace(seq=seq)) == entry.hash
        for seq in range(1, newest_number + 1)
        if seq != entry.seq
    )
