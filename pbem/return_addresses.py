"""Addresses of ours that letters come back to: one a turn for replies, one a letter for bounces.

An address names a turn or a letter, and carries a code that only we can write. Mail servers change
the case of addresses, so it has no capitals; a local part has at most 64 letters, and a whole
signed link would not fit. The code of a reply covers the epoch of the seat: what revokes the links
of a seat revokes its reply addresses; it also covers the timeline of the server, so that addresses
from before a restore are nobody's. A letter that lists choices by number also has the mark of
its list in the address, so that a number is never taken for a choice of another list.
"""

from __future__ import annotations

import base64
import hmac
import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from pbem import server_timeline
from pbem.key_ring import ring

Use = Literal["r", "b"]
REPLY: Use = "r"
BOUNCE: Use = "b"
PURPOSE = "pbem/return-address/v1"
CODE_LENGTH = {REPLY: 26, BOUNCE: 13}
"""Letters of base32: 128 bits for what can move, 64 for what can only report a failure."""
_SHAPE = re.compile(
    r"(?:b([1-9]\d{0,17})|r([1-9]\d{0,17})(?:\.([a-z2-7]{6}))?)-([a-z2-7]+)", re.ASCII
)
_MARK_LENGTH = 6


class ReturnAddress(NamedTuple):
    """What the local part of such an address says; true once its code is."""

    use: Use
    number: int
    """Of the turn, or of the letter."""
    code: str
    mark: str = ""
    """Of the list of choices in the letter; empty: it had none."""


def mark_of(choices: Sequence[str]) -> str:
    """Tells a list of choices from every other that a turn may see."""
    return _letters(sha256("\n".join(choices).encode()).digest())[:_MARK_LENGTH]


def of_turn(turn: int, match: str, seat: int, epoch: int, mark: str = "") -> str:
    """The local part for replies to a letter of a turn."""
    return _written(REPLY, turn, f"{match} {seat} {epoch}", mark)


def of_letter(letter: int) -> str:
    """The local part that a letter has in its envelope."""
    return _written(BOUNCE, letter, "", "")


def read(local: str) -> ReturnAddress | None:
    """What a local part says, whoever has written it."""
    found = _SHAPE.fullmatch(local.lower())
    if found is None:
        return None
    letter, turn, mark, code = found.groups()
    use: Use = REPLY if turn else BOUNCE
    if len(code) != CODE_LENGTH[use]:
        return None
    return ReturnAddress(use, int(turn or letter), code, mark or "")


def is_of_turn(address: ReturnAddress, match: str, seat: int, epoch: int) -> bool:
    return address.use == REPLY and _is_genuine(address, f"{match} {seat} {epoch}")


def is_of_letter(address: ReturnAddress) -> bool:
    return address.use == BOUNCE and _is_genuine(address, "")


def _written(use: Use, number: int, about: str, mark: str) -> str:
    *_, newest = ring.derived(PURPOSE).values()
    named = _named(use, number, mark)
    return f"{named}-{_code(newest, named, about)[: CODE_LENGTH[use]]}"


def _is_genuine(address: ReturnAddress, about: str) -> bool:
    use, number, code, mark = address
    named = _named(use, number, mark)
    codes = [_code(key, named, about)[: CODE_LENGTH[use]] for key in ring.derived(PURPOSE).values()]
    return any(hmac.compare_digest(one, code) for one in codes)


def _named(use: Use, number: int, mark: str) -> str:
    return f"{use}{number}.{mark}" if mark else f"{use}{number}"


def _code(key: bytes, named: str, about: str) -> str:
    said = " ".join(filter(None, (f"{named} {about}", server_timeline.current.mark)))
    return _letters(hmac.digest(key, said.encode(), "sha256"))


def _letters(digest: bytes) -> str:
    return base64.b32encode(digest).decode().lower()
