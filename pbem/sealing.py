"""Seals: what the database holds and nobody may read without the keys of the settings.

The newest key seals, every key opens. What is sealed is bound to its purpose and to its row: moved
elsewhere, it does not open.
"""

from __future__ import annotations

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from pbem.key_ring import ring

MARK = b"\x00seal1"
"""What is sealed begins so, and no letter does."""
NONCE_BYTES, NAME_BYTES = 12, 4


def _ciphers() -> dict[bytes, ChaCha20Poly1305]:
    """What seals, by the names of the keys, oldest to newest."""
    keys = ring.derived("pbem/seal/v1")
    return {bytes.fromhex(name): ChaCha20Poly1305(key) for name, key in keys.items()}


def _bound_to(purpose: str, row: int) -> bytes:
    return f"pbem/{purpose}/{row}".encode()


def seal(purpose: str, row: int, plain: bytes) -> bytes:
    name, cipher = list(_ciphers().items())[-1]
    nonce = secrets.token_bytes(NONCE_BYTES)
    return MARK + name + nonce + cipher.encrypt(nonce, plain, _bound_to(purpose, row))


def opened(purpose: str, row: int, sealed: bytes) -> bytes | None:
    """What was sealed; None if the key is gone, or if it is not what was sealed for this row."""
    if not sealed.startswith(MARK):
        return None
    name, rest = sealed[len(MARK) :][:NAME_BYTES], sealed[len(MARK) + NAME_BYTES :]
    cipher = _ciphers().get(name)
    if cipher is None:
        return None
    try:
        return cipher.decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], _bound_to(purpose, row))
    except (InvalidTag, ValueError):
        return None


def is_by_newest(sealed: bytes) -> bool:
    """Whether the newest key has sealed it."""
    return sealed.startswith(MARK + list(_ciphers())[-1])
