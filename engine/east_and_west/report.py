"""How battles are told: every die in its order, every loss; 14.6."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from engine.core import Name
from engine.east_and_west.battle import Loss, Shot
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, POWER_NAMES, is_power
from engine.east_and_west.execution import Course


def space_name(space: str) -> Name:
    return atlas().spaces[space].names


def owner_name(owner: str, space: str) -> Name:
    """A power, an alliance, or the minor neutral that a land is."""
    if is_power(owner):
        return next(name for power, name in POWER_NAMES.items() if power == owner)
    return atlas().alliances[owner].names if owner in ALLIANCES else space_name(space)


def is_owned(owner: str) -> bool:
    """Whether a land belongs to a power or an alliance; a minor neutral is nobody's."""
    return is_power(owner) or owner in ALLIANCES


def listed(groups: Iterable[Group]) -> tuple[Name, ...]:
    """Units by kind, the dearest first."""
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.kind] += group.count
    return _listed(counts)


def _listed(counts: Counter[str]) -> tuple[Name, ...]:
    order = sorted(counts, key=lambda kind: (-kinds()[kind].cost, kind))
    return tuple(counted(kind, counts[kind]) for kind in order if counts[kind])


def in_digits(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces))


def tell_volley(course: Course, space: str, shots: Sequence[Shot], faces: Sequence[int]) -> None:
    """Each kind with its dice, strongest to weakest."""
    at = 0
    for shot in shots:
        own = faces[at : at + shot.count]
        at += shot.count
        course.tell(
            "{power}, {units} at {number}: {faces}, hits: {hits}",
            power=owner_name(shot.owner, space),
            units=counted(shot.kind, shot.count),
            number=shot.number,
            faces=in_digits(own),
            hits=sum(face <= shot.number for face in own),
        )


def tell_losses(course: Course, space: str, losses: Sequence[Loss]) -> None:
    """Who lost what, by owner; damage for itself."""
    for owner in sorted({loss.owner for loss in losses}):
        own = [loss for loss in losses if loss.owner == owner]
        damaged = sum(loss.is_damage for loss in own)
        gone = Counter(loss.kind for loss in own if not loss.is_damage)
        if damaged:
            course.tell(
                "{power}: {count:# battleship is|# battleships are} damaged",
                power=owner_name(owner, space),
                count=damaged,
            )
        if gone:
            course.tell(
                "{power} loses {units}", power=owner_name(owner, space), units=_listed(gone)
            )
