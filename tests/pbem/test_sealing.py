"""Seals: the newest key seals, all open, and each is good for one purpose and one row."""

from __future__ import annotations

import pytest

from pbem import sealing
from pbem.key_ring import ring

OLD, NEW = "o" * 40, "n" * 40


def use(*keys: str) -> None:
    ring.use(lambda: keys)


def test_what_is_sealed_opens_and_says_nothing() -> None:
    use(OLD)
    sealed = sealing.seal("letter", 7, b"the hand is south_africa")

    assert sealing.opened("letter", 7, sealed) == b"the hand is south_africa"
    assert b"south" not in sealed
    assert sealing.seal("letter", 7, b"the hand is south_africa") != sealed


@pytest.mark.parametrize(("purpose", "row"), [("letter", 8), ("totp", 7)])
def test_moved_elsewhere_it_does_not_open(purpose: str, row: int) -> None:
    use(OLD)
    assert sealing.opened(purpose, row, sealing.seal("letter", 7, b"words")) is None


def test_every_changed_byte_is_noticed() -> None:
    use(OLD)
    sealed = sealing.seal("letter", 7, b"words")
    for place in range(len(sealed)):
        changed = bytearray(sealed)
        changed[place] ^= 1
        assert sealing.opened("letter", 7, bytes(changed)) is None
        assert sealing.opened("letter", 7, sealed[:place]) is None


def test_every_key_opens_until_it_is_gone() -> None:
    use(OLD)
    sealed = sealing.seal("letter", 7, b"words")
    assert sealing.is_by_newest(sealed)
    use(OLD, NEW)
    assert sealing.opened("letter", 7, sealed) == b"words"
    assert not sealing.is_by_newest(sealed)
    assert sealing.is_by_newest(sealing.seal("letter", 7, b"words"))
    use(NEW)
    assert sealing.opened("letter", 7, sealed) is None


def test_what_was_never_sealed_does_not_open() -> None:
    use(OLD)
    assert sealing.opened("letter", 7, b"From: pbem <pbem@play.example>\r\n") is None
