"""What this process has worked out lately, so that a press and the page behind it do it once.

A key names all that an answer depends on, so that none is ever out of date: other processes may
change the tables at any time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """The last answers; those that were not asked for go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept, self._lock = OrderedDict[Hashable, T](), Lock()

    def recall(self, key: Hashable) -> T | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def keep(self, key: Hashable, answer: T) -> T:
        with self._lock:
            self._kept[key] = answer
            self._kept.move_to_end(key)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer

    def answer(self, key: Hashable, work: Callable[[], T]) -> T:
        """What is known, else what the work gives; two threads may do it at once."""
        known = self.recall(key)
        return self.keep(key, work()) if known is None else known
