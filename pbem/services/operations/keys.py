"""The keys that sign links: how old they are, and a new one before them.

Keys themselves are in the settings or in a file, never in the store; there they are known by a
fingerprint.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pbem.config import SHORTEST_KEY, keys_in
from pbem.db.models import SigningKey
from pbem.db.reading import by_key
from pbem.db.store import is_over_network, writing
from pbem.errors import ConfigError, Refused
from pbem.key_ring import fingerprint
from pbem.services.records import audit_log
from pbem.services.staff import code_secrets
from pbem.services.time import clock_settings

KEPT = 4
LONGEST_LIFE = clock_settings.LARGEST_BANK + clock_settings.MOST_PAUSE + clock_settings.MOST_GRACE
"""How long a turn, and so a link of its letter, can last at most."""
SUBJECT = "keys"


class KeyAge(NamedTuple):
    fingerprint: str
    seen_at: int | None
    """When it was first seen; None when no worker has run with it yet."""
    signs: bool
    """Whether it is the newest; all verify."""


def ages(keys: Sequence[str]) -> list[KeyAge]:
    """Of each key, newest first."""
    known = _known()
    prints = [fingerprint(key) for key in keys]
    newest_first = enumerate(reversed(prints))
    return [KeyAge(mark, known.get(mark), place == 0) for place, mark in newest_first]


def note(keys: Sequence[str], now: int) -> None:
    """Remember since when keys are there."""
    with writing():
        for key in keys:
            seen = SigningKey.insert(fingerprint=fingerprint(key), seen_at=now)
            seen.on_conflict_ignore().execute()


def _known() -> dict[str, int]:
    return by_key(SigningKey.select(SigningKey.fingerprint, SigningKey.seen_at))


# --- a new key ------------------------------------------------------------------------------------


class Rotated(NamedTuple):
    fingerprint: str
    kept: int
    """Keys that are in the file now, the new one among them."""
    dropped: int


def rotate(file: Path, keep: int, actor: str, now: int) -> Rotated:
    """Put a new key behind those of a file and enter it; every process takes it up by itself.

    Whatever is sealed is under a key that stays, before and after. Where other machines may have
    files of their own, nobody here can write those, and links of one would be dead at the others.
    """
    _check_alone()
    with writing():
        if file.exists():
            note(_read(file), now)
            code_secrets.reseal()
        done = add_key(file, keep, _known(), now)
        note(_read(file), now)
        code_secrets.reseal()
        detail = {"fingerprint": done.fingerprint, "kept": done.kept, "dropped": done.dropped}
        audit_log.record(actor, "rotate_keys", SUBJECT, "", "", detail, now)
        return done


def add_key(file: Path, keep: int, known: Mapping[str, int], now: int) -> Rotated:
    """The file with one key more, replaced at once; what is old enough falls out in front."""
    try:
        with _alone_in(file.parent):
            old = _read(file) if file.exists() else ()
            key = new_key()
            kept = _still_needed((*old, key), keep, known, now)
            _write(file, kept)
            return Rotated(fingerprint(key), len(kept), len(old) + 1 - len(kept))
    except OSError as error:
        raise ConfigError(f"{file} cannot be used for keys: {error.strerror}") from None


def new_key() -> str:
    return secrets.token_hex(SHORTEST_KEY)


def _still_needed(
    keys: Sequence[str], keep: int, known: Mapping[str, int], now: int
) -> tuple[str, ...]:
    """Without the oldest: those that have signed nothing for as long as a link can last.

    A key has signed until the next one came; of one that nobody has seen, nothing is known.
    """
    first = 0
    while first < len(keys) - max(1, keep):
        replaced_at = known.get(fingerprint(keys[first + 1]))
        if replaced_at is None or now - replaced_at <= LONGEST_LIFE:
            break
        first += 1
    return tuple(keys[first:])


def can_rotate(file: Path | None) -> bool:
    """Whether this process may replace the file, and no other machine has one."""
    is_writable = file is not None and file.is_file() and os.access(file.parent, os.W_OK)
    return is_writable and not is_over_network()


def _check_alone() -> None:
    if is_over_network():
        raise Refused(
            "other machines have these keys, too; add the new one on all of them before it signs, "
            "as deploy/README.md says"
        )


def check_file(file: Path | None) -> Path:
    _check_alone()
    if file is None or not can_rotate(file):
        raise Refused("the keys are not in a file that this server can write")
    return file


def _read(file: Path) -> tuple[str, ...]:
    return keys_in(file) if file.read_bytes().strip() else ()


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Two at once would each leave the key of the other out."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
        os.fsync(opened)
    finally:
        os.close(opened)


def _write(file: Path, keys: Sequence[str]) -> None:
    """Replace the file at once; nobody but its owner can read it, and the owner stays."""
    fresh = file.with_name(f".{file.name}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        if file.exists() and os.geteuid() == 0:
            before = file.stat()
            os.fchown(out.fileno(), before.st_uid, before.st_gid)
        out.write("\n".join(keys) + "\n")
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(file)
