"""Sealed copies: opened with the key that has sealed them, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.errors import Refused
from pbem.key_ring import fingerprint, ring
from pbem.services.operations.restoring import sealed_files
from tests.mail.posting import KEYS

LONG = b"every hand and every secret " * 100_000
NEWER = "n" * 40


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    (tmp_path / "plain").write_bytes(LONG)
    sealed_files.seal(tmp_path / "plain", tmp_path / "sealed")
    return tmp_path / "sealed"


@pytest.mark.parametrize("content", [b"", b"x", LONG])
def test_what_was_sealed_opens_and_says_nothing_before(tmp_path: Path, content: bytes) -> None:
    plain, sealed, again = tmp_path / "plain", tmp_path / "sealed", tmp_path / "again"
    plain.write_bytes(content)
    sealed_files.seal(plain, sealed)
    sealed_files.open_into(sealed, again)

    assert again.read_bytes() == content
    assert again.stat().st_mode & 0o077 == 0
    assert sealed_files.is_sealed(sealed) and not sealed_files.is_sealed(plain)
    assert b"hand" not in sealed.read_bytes()


def test_the_same_is_never_sealed_alike(sealed: Path, tmp_path: Path) -> None:
    sealed_files.seal(tmp_path / "plain", tmp_path / "other")
    assert (tmp_path / "other").read_bytes()[100:200] != sealed.read_bytes()[100:200]


def test_the_newest_key_seals_and_all_open(sealed: Path, tmp_path: Path) -> None:
    ring.use(lambda: (*KEYS, NEWER))
    sealed_files.open_into(sealed, tmp_path / "again")
    sealed_files.seal(tmp_path / "plain", tmp_path / "newer")
    assert fingerprint(NEWER).encode() in (tmp_path / "newer").read_bytes()[:40]
    ring.use(lambda: (NEWER,))
    sealed_files.open_into(tmp_path / "newer", tmp_path / "once more")
    with pytest.raises(Refused, match=f"sealed with the key {fingerprint(KEYS[0])}, which is not"):
        sealed_files.open_into(sealed, tmp_path / "never")
    assert not (tmp_path / "never").exists()


def test_what_was_cut_or_changed_anywhere_does_not_open(sealed: Path, tmp_path: Path) -> None:
    whole = sealed.read_bytes()
    places = (0, 5, 15, 30, 60, len(whole) // 2, len(whole) - 1)
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in places]
    cut = [whole[:length] for length in (0, 10, 30, 60, 70, len(whole) - 16, len(whole) - 1)]
    for number, wrong in enumerate([*changed, *cut, whole + b"x", whole[:70] + whole[90:]]):
        sealed.write_bytes(wrong)
        with pytest.raises(Refused, match="damaged|sealed with the key"):
            sealed_files.open_into(sealed, tmp_path / str(number))
