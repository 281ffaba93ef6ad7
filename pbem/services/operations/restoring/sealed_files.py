"""Copies of the database, sealed as a whole: without a key of the settings nobody reads a word.

A copy holds every hand, every secret of dice to come and every address, in columns, indexes and
free pages; so no part of it is left open. A file begins with a line that says what it is, the
fingerprint of the key that sealed it and a salt; AES-256-GCM follows, under a key of this file
alone, and the tag last. It is read as a whole or not at all: what was cut or changed does not open.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path
from typing import BinaryIO, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pbem.errors import Refused
from pbem.key_ring import ring

PURPOSE = "pbem/backup/v1"
FIRST_LINE = b"pbem-backup/1 "
"""Followed by the fingerprint, a line break and the salt."""
FINGERPRINT, SALT, TAG = 8, 32, 16
AT_ONCE = 1 << 20
LARGEST = 60 << 30
"""Bytes that one key may seal."""


class _Head(NamedTuple):
    fingerprint: str
    salt: bytes

    @property
    def written(self) -> bytes:
        return FIRST_LINE + self.fingerprint.encode() + b"\n" + self.salt


_LENGTH = len(_Head("0" * FINGERPRINT, bytes(SALT)).written)


def seal(plain: Path, sealed: Path) -> None:
    """Write what a file holds into another one, sealed with the newest key."""
    if plain.stat().st_size > LARGEST:
        raise Refused("the copy is too large to be sealed; use the tools of your database")
    fingerprint, key = list(ring.derived(PURPOSE).items())[-1]
    head = _Head(fingerprint, secrets.token_bytes(SALT))
    sealing = _cipher(key, head).encryptor()
    sealing.authenticate_additional_data(head.written)
    with plain.open("rb") as source, sealed.open("wb") as target:
        target.write(head.written)
        while part := source.read(AT_ONCE):
            target.write(sealing.update(part))
        target.write(sealing.finalize() + sealing.tag)
        target.flush()
        os.fsync(target.fileno())


def is_sealed(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(FIRST_LINE)) == FIRST_LINE


def open_into(sealed: Path, plain: Path) -> None:
    """Write what was sealed into a new file that only we can read; Refused says why not.

    Whoever gets an error must not use what was written until then.
    """
    with sealed.open("rb") as source:
        head = _head(source)
        keys = ring.derived(PURPOSE)
        if head.fingerprint not in keys:
            raise Refused(
                "the backup is sealed with the key %(key)s, which is not in PBEM_SECRET_KEYS"
                " (%(known)s); add it before the others",
                key=head.fingerprint,
                known=", ".join(keys),
            )
        with os.fdopen(os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            _open(source, keys[head.fingerprint], head, target)


def _open(source: BinaryIO, key: bytes, head: _Head, target: BinaryIO) -> None:
    left = os.fstat(source.fileno()).st_size - _LENGTH - TAG
    opening = _cipher(key, head).decryptor()
    opening.authenticate_additional_data(head.written)
    while left > 0 and (part := source.read(min(left, AT_ONCE))):
        target.write(opening.update(part))
        left -= len(part)
    try:
        opening.finalize_with_tag(source.read(TAG))
    except (InvalidTag, ValueError):
        raise Refused(
            "the backup is damaged: it was changed or cut off after it had been sealed"
        ) from None


def _head(source: BinaryIO) -> _Head:
    found = source.read(_LENGTH)
    fingerprint = found[len(FIRST_LINE) :][:FINGERPRINT].decode("ascii", "replace")
    head = _Head(fingerprint, found[-SALT:])
    if head.written != found:
        raise Refused("the backup is damaged: it was changed or cut off after it had been sealed")
    return head


def _cipher(key: bytes, head: _Head) -> Cipher[modes.GCM]:
    """One key for each file, so that the nonce may be the same."""
    of_file = hmac.digest(key, head.salt, "sha256")
    return Cipher(algorithms.AES(of_file), modes.GCM(bytes(12)))
