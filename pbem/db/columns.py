"""Columns by name, for the few statements that are written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

R = TypeVar("R")
Decoders = Mapping[str, Callable[[Any], Any]]
"""How to read the columns that are not what the database gives."""


class Columns(Generic[R]):
    """The columns that make up a record, by the names that it gives them.

    The order of the statement and that of the record are one, so that a row is read in one go.
    """

    def __init__(
        self,
        table: str,
        kind: Callable[..., R],
        names: tuple[str, ...],
        decoders: Decoders,
        **other: str,
    ) -> None:
        """`other` maps a name to a column that has another, or to an expression."""
        self.sql = ", ".join([_column(table, other.get(name, name)) for name in names])
        self._kind = kind
        self._decoded = [(at, decoders[name]) for at, name in enumerate(names) if name in decoders]

    def record(self, found: tuple[Any, ...], *more: Any) -> R:
        """A row as a record; `more` are the last fields of it, which no column holds."""
        values = [*found]
        for at, decode in self._decoded:
            values[at] = decode(values[at])
        return self._kind(*values, *more)


def _column(table: str, name: str) -> str:
    return name if "(" in name else f"{table}.{name}"
