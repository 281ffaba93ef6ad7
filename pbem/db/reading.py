"""What a query gives as plain values: rows by the names of their columns, and counts.

A query selects fields; each becomes the argument of that name of the type asked for. A field that
the type calls otherwise is selected under an alias.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")


def every(query: Any, kind: Callable[..., R]) -> list[R]:
    return list(query.objects(kind))


def first(query: Any, kind: Callable[..., R]) -> R | None:
    """The first row, if there is one."""
    return next(iter(query.limit(1).objects(kind)), None)


def column(query: Any) -> list[Any]:
    """The values of a query that selects one thing."""
    return [value for (value,) in query.tuples()]


def by_key(query: Any) -> dict[Any, Any]:
    """The rows of a query that selects a key and a value, as in counts of each kind."""
    return dict(query.tuples())


def value(query: Any) -> Any:
    """The one value of the first row, as of a count; None where there is no row."""
    return query.scalar()


def returned(query: Any, kind: Callable[..., R]) -> R | None:
    """Run an insert or an update with a `returning`; the row it gives, if it met one."""
    return next(iter(list(query.objects(kind).execute())), None)


def changed(query: Any) -> int:
    """Run an update or a delete; how many rows it met."""
    return int(query.execute())
