"""The keys of the settings as this process has them, and what is derived from them.

One key of the settings serves many purposes, so none of them is used as it is: each purpose has a
key of its own, which tells nothing about the others. The ring is handed its keys when the settings
are read, as the store is handed its database.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from functools import lru_cache

from pbem.errors import ConfigError

Keys = Callable[[], tuple[str, ...]]
"""The keys of now, oldest to newest; a file of keys may change at any time."""


@lru_cache(maxsize=64)
def fingerprint(key: str) -> str:
    return hashlib.sha256(b"pbem/key-fingerprint/v1 " + key.encode()).hexdigest()[:8]


@lru_cache(maxsize=64)
def derived(key: str, purpose: str) -> bytes:
    return hmac.digest(key.encode(), purpose.encode(), "sha256")


class KeyRing:
    """The keys of this process."""

    def __init__(self) -> None:
        self._keys: Keys | None = None

    def use(self, keys: Keys) -> None:
        self._keys = keys

    def derived(self, purpose: str) -> dict[str, bytes]:
        """The keys of a purpose by their fingerprints, oldest to newest."""
        if self._keys is None:
            raise ConfigError("the keys are not known yet; set PBEM_SECRET_KEYS")
        return {fingerprint(key): derived(key, purpose) for key in self._keys()}


ring = KeyRing()
