"""What the server has said it did, kept outside of it: answers to robots, and letters that came."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from tests.kit.smtp_sink import Letter, SmtpSink

What = Literal["order", "code", "sent", "mail"]


class Acknowledged(NamedTuple):
    """Something that was answered with 303, 200 or 250."""

    what: What
    """An order in its words, an order by the code of its link, a whole turn, or a mail."""
    turn: int
    words: str
    """The order or its code; of a mail, its recipient and Message-ID, parted by a blank."""


class Ledger:
    """Written by many threads, read at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.acknowledged: list[Acknowledged] = []
        self.refusals = Counter[str]()
        """How often something was refused or failed, by what was answered."""
        self.moved = time.monotonic()
        """When something was last acknowledged."""

    def note(self, what: What, turn: int, words: str = "") -> None:
        with self._lock:
            self.acknowledged.append(Acknowledged(what, turn, words))
            self.moved = time.monotonic()

    def refuse(self, answer: str) -> None:
        with self._lock:
            self.refusals[answer] += 1

    def __len__(self) -> int:
        return len(self.acknowledged)


class Copy(NamedTuple):
    """A letter as it came: when, and a hash of its bytes."""

    at: float
    digest: bytes


class Mailroom(SmtpSink):
    """A mail server that notes what came and hands each letter on instead of keeping it."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = defaultdict[str, list[Copy]](list)
        """By Message-ID."""
        self.read: Callable[[Letter], None] = lambda letter: None
        """Given each letter that was taken; called by the thread of the mail server."""
        self.seen_whole: list[str] = []
        """Message-IDs of letters whose bytes came and that were refused or cut behind the dot."""

    def _keep(self, letter: Letter, accepted: bool) -> None:
        name = message_id(letter.data)
        if not accepted:
            self.seen_whole.append(name)
            return
        with self._news:
            copies = self.copies[name]
            copies.append(Copy(time.monotonic(), hashlib.sha256(letter.data).digest()))
            self._news.notify_all()
        if len(copies) == 1:
            self.read(letter)

    def doubled(self, excuses: Sequence[float]) -> list[str]:
        """Letters that came more often than SMTP forces: each copy but the first needs an excuse.

        That is a moment, between it and the copy before, at which a sender was killed or its link
        cut, so that it could not write down what it had been told. Bytes are always the same.
        """
        found = list[str]()
        for name, copies in self.copies.items():
            for before, after in zip(copies, copies[1:], strict=False):
                excused = any(before.at - GRACE <= moment <= after.at for moment in excuses)
                if not excused or before.digest != after.digest:
                    found.append(name)
        return found

    @property
    def extra(self) -> int:
        """Copies beyond the first of each letter."""
        return sum(len(copies) - 1 for copies in self.copies.values())


GRACE = 0.5
"""Seconds between what a sender hears and what we note, on a busy machine."""


def message_id(data: bytes) -> str:
    head = data[: data.index(b"\r\n\r\n")].decode("ascii", "replace")
    return next(
        line.partition(":")[2].strip()
        for line in head.splitlines()
        if line.lower().startswith("message-id:")
    )
