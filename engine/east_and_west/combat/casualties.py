"""Who is lost first: orders of losses, mixed stacks, neutral troops; and taking losses away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Loss
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import BATTLESHIP, kinds
from engine.east_and_west.data.powers import POWERS, are_friends, is_power
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import mark
from engine.east_and_west.standing import DAMAGE, GENERAL, Standing

DAMAGE_VALUE = 10
"""What a hit on a sound battleship counts in statistics: the price of its repair."""

Rank = tuple[int, ...]


# --- whose order ----------------------------------------------------------------------------------


def leader(board: Board, space: str, groups: Iterable[Group]) -> Seat | None:
    """14.3: who speaks for a stack and is asked; nobody if it is neutral.

    The owner of the land, if it has units there; else the power with most units, the first in the
    order of turns among equals.
    """
    counts: Counter[str] = Counter()
    for group in groups:
        if is_power(group.owner):
            counts[group.owner] += group.count
    if not counts:
        return None
    owner = board.owners.get(space, "")
    return Seat(
        owner
        if owner in counts
        else min(counts, key=lambda power: (-counts[power], POWERS.index(Seat(power))))
    )


def lister(board: Board, space: str, groups: Sequence[Group]) -> Seat | None:
    """14.3: whose list counts for a stack: in a mixed one the land owner's, wherever his units are.

    Where units of one power alone are left it is that power's own, and at sea the leader's.
    """
    owners = {group.owner for group in groups if is_power(group.owner)}
    holder = board.owners.get(space, "")
    if len(owners) > 1 and is_power(holder) and all(are_friends(o, holder) for o in owners):
        return Seat(holder)
    return leader(board, space, groups)


def filed(orders: Standing, space: str) -> tuple[str, ...]:
    """14.2 no. 1: the order of losses for a space, else the general one."""
    return orders.losses.get(space) or orders.losses.get(GENERAL, ())


def filed_for_strikes(orders: Standing, space: str) -> tuple[str, ...]:
    """14.2 no. 2: the list for atomic bombs, else no. 1."""
    lists = orders.strike_losses
    return lists.get(space) or lists.get(GENERAL) or filed(orders, space)


# --- orders of losses -----------------------------------------------------------------------------


def in_order(
    board: Board,
    groups: Sequence[Group],
    listed: Sequence[str] = (),
    spares_neutrals: bool = False,
    keeps_ground: bool = False,
    is_total: bool = False,
) -> tuple[Loss, ...]:
    """14.2 no. 1: every hit that units can take, one by one.

    Listed kinds go first, the others cheapest first and then weakest in defence; damage to a
    battleship comes before any loss unless the list names it. Neutral troops beside those of a
    power go first or last; 14.4. `is_total`: nothing is merely damaged; 11.7.
    """
    own = [group for group in groups if is_power(group.owner)]
    neutral = [group for group in groups if not is_power(group.owner)]
    ordered = [
        *_sorted(neutral, _neutral_rank, is_total),
        *_sorted(own, lambda loss: _rank(board, loss, listed), is_total),
    ]
    if spares_neutrals:
        ordered.sort(key=lambda loss: not is_power(loss.owner))
    return tuple(_with_ground_last(ordered) if keeps_ground else ordered)


def _sorted(groups: Sequence[Group], rank: Callable[[Loss], Rank], is_total: bool) -> list[Loss]:
    """By rank; equal types from whoever has most of them, ties in the order of turns; 14.3."""
    left = _possible(groups, is_total)
    ranks = {loss: (rank(loss), not loss.is_damage, loss.kind) for loss in left}
    ordered = [
        ((*ranks[loss], -still_there, _turn(loss.owner)), loss)
        for loss, number in left.items()
        for still_there in range(number, 0, -1)
    ]
    ordered.sort(key=lambda found: found[0])
    return [loss for _, loss in ordered]


def _possible(groups: Iterable[Group], is_total: bool) -> Counter[Loss]:
    left: Counter[Loss] = Counter()
    for group in groups:
        left[Loss(group.owner, group.kind)] += group.count
        if group.kind == BATTLESHIP and not group.has("damaged") and not is_total:
            left[Loss(group.owner, group.kind, is_damage=True)] += group.count
    return left


def _rank(board: Board, loss: Loss, listed: Sequence[str]) -> Rank:
    if loss.is_damage:
        if DAMAGE not in listed:
            return (0, 0)
        return (1, min(listed.index(word) for word in (DAMAGE, BATTLESHIP) if word in listed))
    if loss.kind in listed:
        return (1, listed.index(loss.kind))
    return (2, queries.price(board, Seat(loss.owner), loss.kind), kinds()[loss.kind].defence)


def _neutral_rank(loss: Loss) -> Rank:
    """14.4: infantry, armor, fighter, transport."""
    kind = kinds()[loss.kind]
    return (int(not loss.is_damage), ("land", "air", "sea").index(kind.group), kind.cost)


def _turn(owner: str) -> int:
    return POWERS.index(Seat(owner)) if is_power(owner) else len(POWERS)


def _with_ground_last(ordered: Sequence[Loss]) -> list[Loss]:
    """The last ground unit in an order goes to its very end."""
    ground = [at for at, loss in enumerate(ordered) if kinds()[loss.kind].is_ground]
    if not ground:
        return list(ordered)
    kept = ground[-1]
    return [*ordered[:kept], *ordered[kept + 1 :], ordered[kept]]


def has_choice(possible: Sequence[Loss], hits: int) -> bool:
    """Whether an owner can decide anything: among kinds, not among equals; a first hit on a sound
    battleship can only damage it."""
    kinds_left = {(loss.kind, loss.is_damage) for loss in possible}
    sound = sum(loss.is_damage for loss in possible)
    hulls = sum(loss.kind == BATTLESHIP and not loss.is_damage for loss in possible)
    if hits == 1 and hulls == sound:
        kinds_left.discard((BATTLESHIP, False))
    return 0 < hits < len(possible) and len(kinds_left) > 1


# --- taking losses away ---------------------------------------------------------------------------


def strike_off(
    course: Course, space: str, losses: Iterable[Loss], fits: Callable[[Group], bool]
) -> None:
    """Remove units that fit, or damage them; cargo goes down with its ship."""
    for loss in losses:
        group = _victim(course.board, space, loss, fits)
        course.take(space, group, 1)
        if loss.is_damage:
            course.put(space, replace(mark(group, "damaged"), count=1))


def _victim(board: Board, space: str, loss: Loss, fits: Callable[[Group], bool]) -> Group:
    """Among equals an empty ship, a helpless fighter, a unit that cannot move on any more."""
    found = [
        group
        for group in board.at(space)
        if (group.owner, group.kind) == (loss.owner, loss.kind)
        and fits(group)
        and not (loss.is_damage and group.has("damaged"))
    ]
    return min(
        found,
        key=lambda group: (
            not group.has("damaged"),
            cargo_value(board, group),
            queries.defence(board, group),
            -group.used,
            group,
        ),
    )


def value(board: Board, loss: Loss) -> int:
    """What a loss counts in statistics; damage and sinking add up to the price."""
    if loss.kind != BATTLESHIP:
        return price(board, loss.owner, loss.kind)
    return DAMAGE_VALUE if loss.is_damage else price(board, loss.owner, loss.kind) - DAMAGE_VALUE


def price(board: Board, owner: str, kind: str) -> int:
    """Neutrals buy nothing; their units count as printed."""
    return queries.price(board, Seat(owner), kind) if is_power(owner) else kinds()[kind].cost


def cargo_value(board: Board, group: Group) -> int:
    return sum(price(board, load.owner, load.kind) * load.count for load in group.cargo)
