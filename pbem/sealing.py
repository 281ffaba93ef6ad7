"""Seals: what the database holds and nobody may read without the keys of the settings.

The newest key seals, every key opens. What is sealed is bound to its purpose and to its row: moved
elsewhere, it does not open. Which keys there are is the same for the whole process, as the
database is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MARK = b"\x00seal1"
"""What is sealed begins so, and no letter does."""
KEY_BYTES, NONCE_BYTES, NAME_BYTES = 32, 12, 4

Keys = Callable[[], Sequence[str]]


class _Ring:
    """The keys of this process, oldest to newest, as they are now."""

    keys: Keys | None = None


def use_keys(keys: Keys) -> None:
    """Say where the keys are; they are asked for whenever something is sealed or opened."""
    _Ring.keys = keys


def _keys() -> Sequence[str]:
    assert _Ring.keys is not None, "nobody has said where the keys are"
    return _Ring.keys()


@lru_cache(maxsize=64)
def _derived(key: str) -> tuple[bytes, ChaCha20Poly1305]:
    """The name of a key, and what seals with it; neither tells anything of links."""
    made = HKDF(SHA256(), KEY_BYTES + NAME_BYTES, None, b"pbem/seal/v1").derive(key.encode())
    return made[KEY_BYTES:], ChaCha20Poly1305(made[:KEY_BYTES])


def _bound_to(purpose: str, row: int) -> bytes:
    return f"pbem/{purpose}/{row}".encode()


def seal(purpose: str, row: int, plain: bytes) -> bytes:
    name, cipher = _derived(_keys()[-1])
    nonce = secrets.token_bytes(NONCE_BYTES)
    return MARK + name + nonce + cipher.encrypt(nonce, plain, _bound_to(purpose, row))


def opened(purpose: str, row: int, sealed: bytes) -> bytes | None:
    """What was sealed; None if the key is gone, or if it is not what was sealed for this row."""
    if not sealed.startswith(MARK):
        return None
    name, rest = sealed[len(MARK) :][:NAME_BYTES], sealed[len(MARK) + NAME_BYTES :]
    for known, cipher in map(_derived, _keys()):
        if known == name:
            try:
                return cipher.decrypt(
                    rest[:NONCE_BYTES], rest[NONCE_BYTES:], _bound_to(purpose, row)
                )
            except (InvalidTag, ValueError):
                return None
    return None


def is_by_newest(sealed: bytes) -> bool:
    """Whether the newest key has sealed it."""
    return sealed.startswith(MARK + _derived(_keys()[-1])[0])
