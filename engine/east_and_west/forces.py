"""Units put down, taken away and changed: pure arithmetic on groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from engine.east_and_west.board import Group, Mark

Units = Mapping[str, tuple[Group, ...]]


def put(units: Units, space: str, *groups: Group) -> Units:
    """With more units in a space."""
    return {**units, space: merged([*units.get(space, ()), *groups])}


def take(units: Units, space: str, group: Group, count: int | None = None) -> Units:
    """Without so many of a group that stands there, or without all of it."""
    left = []
    for standing in units.get(space, ()):
        if standing != group:
            left.append(standing)
        elif count is not None and count < standing.count:
            left.append(replace(standing, count=standing.count - count))
    return _with(units, space, tuple(sorted(left)))


def change(units: Units, space: str, to: Callable[[Group], Group | None]) -> Units:
    """With every group of a space changed, or gone."""
    return _with(units, space, _changed(units.get(space, ()), to))


def change_all(units: Units, to: Callable[[Group], Group | None]) -> Units:
    """The same in all spaces."""
    changed = {space: _changed(groups, to) for space, groups in units.items()}
    return {space: groups for space, groups in changed.items() if groups}


def _changed(groups: tuple[Group, ...], to: Callable[[Group], Group | None]) -> tuple[Group, ...]:
    after = tuple(map(to, groups))
    return groups if after == groups else merged(group for group in after if group is not None)


def merged(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Groups that differ in nothing but their number become one; sorted."""
    counts: dict[Group, int] = {}
    for group in groups:
        like = replace(group, count=1)
        counts[like] = counts.get(like, 0) + group.count
    return tuple(sorted(replace(like, count=n) for like, n in counts.items() if n > 0))


def mark(group: Group, *marks: Mark) -> Group:
    return replace(group, marks=tuple(sorted({*group.marks, *marks})))


def unmark(group: Group, *marks: Mark) -> Group:
    left = tuple(mark for mark in group.marks if mark not in marks)
    return group if left == group.marks else replace(group, marks=left)


def count(groups: Iterable[Group], *kinds: str) -> int:
    """How many units, of some kinds or of any."""
    return sum(group.count for group in groups if not kinds or group.kind in kinds)


def _with(units: Units, space: str, groups: tuple[Group, ...]) -> Units:
    if groups:
        return {**units, space: groups}
    return {key: standing for key, standing in units.items() if key != space}
