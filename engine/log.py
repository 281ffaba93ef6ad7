"""The log of a match: its entries, each bound by a hash to all that came before it.

The chain begins with everything that is fixed before the deal. The hash of an entry covers what it
says, the hash before it, and a salt that follows from the key of the match: while the secret is
kept, no order can be guessed from a hash; once it is revealed, anybody can compute the chain again.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.chance import Draw, Part, digest
from engine.core import Json, Seat

EntryKind = Literal[
    "setup", "action", "rewind", "resign", "draw", "timeout", "forfeit", "note", "rules", "restore"
]
"""Of these `rules` says by its text which version of the rules the match follows from there on.

`restore` says that the host went back to here: what came after it once is lost. Players may have
seen throws of that time, even the secret, so from here on there is another one; the text is the
commitment to it.
"""
OPENS_TIMELINE = ("rewind", "restore")
"""Kinds of entries behind which no throw comes again that somebody has seen."""
MODERATOR = "moderator"
"""Who takes a match back or decides it, where a seat would stand."""
DRAW = "draw"
"""The result that nobody has won."""
VERDICT = "result "
"""What a moderator's note begins with that ends a match; the result follows."""
SHORT = 16
"""As many digits of a hash as letters and pages show."""
SALT_BYTES = 16

REASONS: dict[EntryKind, str] = {
    "setup": "rules",
    "action": "rules",
    "timeout": "rules",
    "resign": "resignation",
    "draw": "agreement",
    "forfeit": "time",
    "note": "moderator",
}
"""Why a match is over, by the kind of its last entry."""


class Entry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of the log; `at` is whatever the host wrote down as the time."""

    seq: int
    kind: EntryKind
    actor: str = ""
    text: str = ""
    draws: tuple[Draw, ...] = ()
    at: str = ""
    result: str = ""
    """Of the entry that ended the match: the seats that won, or draw."""
    hash: str = ""


def genesis(
    match: str,
    game: str,
    rules_version: int,
    setup: Json,
    commitment: str,
    seats: Sequence[str],
    phrases: Sequence[str],
    beacon: str = "",
) -> str:
    """The hash before the first entry, over all that is fixed before the deal."""
    agreed = json.dumps(setup, sort_keys=True, separators=(",", ":"))
    sides: list[Part] = [len(seats), *seats, len(phrases), *phrases]
    fixed = (match, game, rules_version, agreed, commitment, *sides, beacon)
    return digest("pbem/genesis/v1", *fixed).hex()


def hash_of(key: bytes, match: str, previous: str, entry: Entry) -> str:
    """The hash of an entry behind the one with the hash `previous`."""
    salt = hmac.digest(key, digest("pbem/entrysalt/v1", match, entry.seq), "sha256")[:SALT_BYTES]
    said: list[Part] = [entry.seq, entry.kind, entry.actor, entry.text, entry.at, entry.result]
    for draw in entry.draws:
        said += draw.kind, draw.why, draw.size, " ".join(map(str, draw.result))
    return digest("pbem/entry/v1", previous, salt, *said).hex()


def chained(key: bytes, match: str, previous: str, entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Entries with their hashes, behind the one with the hash `previous`."""
    found = []
    for entry in entries:
        previous = hash_of(key, match, previous, entry)
        found.append(replace(entry, hash=previous))
    return tuple(found)


def short(head: str) -> str:
    """A hash as letters and pages show it."""
    return head[:SHORT]


def decided(entry: Entry, seats: Sequence[Seat]) -> str:
    """The result when people or the clock have ended the match by this entry; else empty."""
    if entry.kind in ("resign", "forfeit"):
        lost = {entry.actor, *entry.text.split()[1:]}
        return " ".join([seat for seat in seats if seat not in lost])
    if entry.kind == "draw":
        return DRAW
    verdict = entry.text.removeprefix(VERDICT)
    return verdict if entry.kind == "note" and verdict != entry.text else ""
