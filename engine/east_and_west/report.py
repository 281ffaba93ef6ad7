"""How battles are told, every die in its order, every loss; 14.6. And how that is read again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from engine.core import Name
from engine.east_and_west.battle import Loss, Shot
from engine.east_and_west.board import Group
from engine.east_and_west.data.arsenal import counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, POWER_NAMES, is_power
from engine.east_and_west.execution import Course

BEGINS = "Battle of {space}: {power} attacks with {attackers} against {defenders}"
ROUND = "{space}, round {round}"
VOLLEY = "{power}, {units} at {number}: {faces}, hits: {hits}"
FLAK = "{power}, anti-aircraft fire at {number} in {space}: {faces}, hits: {hits}"
PIERCING = "{power}, anti-tank fire at {number} on {units} in this order: {faces}, hits: {hits}"
LOSES = "{power} loses {units}"
DAMAGED = "{power}: {count:# battleship is|# battleships are} damaged"
RETREATS = "{power} retreats to {space}"
SUBMERGES = "{power}: {units} {count:submerges|submerge}"
SLIPS = "{power}: {units} {count:retreats|retreat} to {zone}"
ENDS = (
    "End of the battle of {space} after {rounds:# round|# rounds};"
    " attacker: {attackers}, lost {lost} IPC; defender: {defenders}, lost {destroyed} IPC"
)
TAKES = "{power} takes {land} from {loser}"
TAKES_NEUTRAL = "{power} takes {land}, until now neutral"
FREES = "{power} frees {land} from {loser}; it belongs to {owner} again"
CAPTURES = (TAKES, TAKES_NEUTRAL, FREES)
FIRE = (VOLLEY, FLAK, PIERCING)
ASHORE = "{power}: {units} ashore, {zone} - {land}"
PLACES = "{power} places {number} {kind} in {space}"
TURN = "Round {round}: {power}"


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


# --- read again -----------------------------------------------------------------------------------


def counts(names: Iterable[Name]) -> Counter[str]:
    """`4 infantry` as a kind and a number."""
    found: Counter[str] = Counter()
    for name in names:
        number, _, unit = name.en.partition(" ")
        found[_kinds_by_name()[unit]] += int(number)
    return found


def kind_called(name: Name) -> str:
    return _kinds_by_name()[name.en]


def space_called(name: Name) -> str:
    return _spaces_by_name()[name]


@cache
def _kinds_by_name() -> dict[str, str]:
    return {name.en: key for key, kind in kinds().items() for name in (kind.names, kind.many)}


@cache
def _spaces_by_name() -> dict[Name, str]:
    return {space.names: key for key, space in atlas().spaces.items()}
