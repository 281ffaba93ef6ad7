"""Where mails go, by whichever way they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Door(Protocol):
    """What the ways in know of whoever keeps mails."""

    @property
    def largest(self) -> int:
        """Bytes that a mail may have."""

    @property
    def domain(self) -> str:
        """Of all addresses that anybody is known by."""

    def is_known(self, recipient: str) -> bool:
        """Whether an address is one of ours."""

    def keep(self, sender: str, recipients: Sequence[str], raw: bytes) -> list[bool]:
        """Keep a mail durably; whether each recipient is one of ours.

        Raises TooLarge, or NoRoom when the disk is full.
        """
