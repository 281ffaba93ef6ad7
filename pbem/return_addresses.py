"""Addresses of ours that letters come back to: one a turn for replies, one a letter for bounces.

An address names a turn or a letter, and carries a code that only we can write. Mail servers change
the case of addresses, so it has no capitals; a local part has at most 64 letters, and a whole
signed link would not fit. The code of a reply covers the epoch of the seat: what revokes the links
of a seat revokes its reply addresses.
"""

from __future__ import annotations

import base64
import hmac
import re
from typing import Literal, NamedTuple

from pbem.key_ring import ring

Use = Literal["r", "b"]
REPLY: Use = "r"
BOUNCE: Use = "b"
PURPOSE = "pbem/return-address/v1"
CODE_LENGTH = {REPLY: 26, BOUNCE: 13}
"""Letters of base32: 128 bits for what can move, 64 for what can only report a failure."""
_SHAPE = re.compile(r"([rb])([1-9]\d{0,17})-([a-z2-7]{13}|[a-z2-7]{26})", re.ASCII)


class ReturnAddress(NamedTuple):
    """What the local part of such an address says; true once its code is."""

    use: Use
    number: int
    """Of the turn, or of the letter."""
    code: str


def of_turn(turn: int, match: str, seat: int, epoch: int) -> str:
    """The local part for replies to the letters of a turn."""
    return _written(REPLY, turn, f"{match} {seat} {epoch}")


def of_letter(letter: int) -> str:
    """The local part that a letter has in its envelope."""
    return _written(BOUNCE, letter, "")


def read(local: str) -> ReturnAddress | None:
    """What a local part says, whoever has written it."""
    found = _SHAPE.fullmatch(local.lower())
    if found is None:
        return None
    use: Use = REPLY if found[1] == REPLY else BOUNCE
    return ReturnAddress(use, int(found[2]), found[3])


def is_of_turn(address: ReturnAddress, match: str, seat: int, epoch: int) -> bool:
    return address.use == REPLY and _is_genuine(address, f"{match} {seat} {epoch}")


def is_of_letter(address: ReturnAddress) -> bool:
    return address.use == BOUNCE and _is_genuine(address, "")


def _written(use: Use, number: int, about: str) -> str:
    *_, newest = ring.derived(PURPOSE).values()
    return f"{use}{number}-{_code(newest, use, number, about)}"


def _is_genuine(address: ReturnAddress, about: str) -> bool:
    codes = [
        _code(key, address.use, address.number, about) for key in ring.derived(PURPOSE).values()
    ]
    return any(hmac.compare_digest(code, address.code) for code in codes)


def _code(key: bytes, use: Use, number: int, about: str) -> str:
    digest = hmac.digest(key, f"{use} {number} {about}".encode(), "sha256")
    return base64.b32encode(digest).decode().lower()[: CODE_LENGTH[use]]
