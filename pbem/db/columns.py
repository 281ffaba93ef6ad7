"""Columns by name, for the few statements that are written by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Decoders = Mapping[str, Callable[[Any], Any]]
"""How to read the columns that are not what the database gives."""


class Columns:
    """The columns of a table, by the names that a record gives them."""

    def __init__(
        self, table: str, decoders: Decoders, names: tuple[str, ...], **other: str
    ) -> None:
        """`other` maps a name to a column that has another, or to an expression."""
        self.names = names
        self.sql = ", ".join([_column(table, other.get(name, name)) for name in names])
        self._decoded = [(name, decoders[name]) for name in names if name in decoders]

    def values(self, found: tuple[Any, ...]) -> dict[str, Any]:
        values = dict(zip(self.names, found, strict=True))
        for name, decode in self._decoded:
            values[name] = decode(values[name])
        return values


def _column(table: str, name: str) -> str:
    return name if "(" in name else f"{table}.{name}"
