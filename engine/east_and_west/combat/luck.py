"""What dice gave each power, beside what they should have given: in hits and in unit value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.battle import REACHES, Loss, Shot, Side
from engine.east_and_west.board import Board, Luck
from engine.east_and_west.combat.casualties import value
from engine.east_and_west.data.powers import is_power
from engine.east_and_west.execution import Course

SIDES = 6


def rolled(course: Course, shots: Sequence[Shot], hits: Iterable[str], foe: Side) -> None:
    """Note a volley: its dice, its hits by owner, and what was to be expected of it."""
    found = list(hits)
    for owner in sorted({shot.owner for shot in shots}):
        own = [shot for shot in shots if shot.owner == owner]
        note(
            course,
            owner,
            dice=sum(shot.count for shot in own),
            hits=found.count(owner),
            expected=expected_hits(own),
            expected_value=_share(course.board, own, shots, foe),
        )


def destroyed(course: Course, by: Sequence[str], losses: Sequence[Loss]) -> None:
    """Note what hits have destroyed; each loss is the work of one hit."""
    for owner, loss in zip(by, losses, strict=False):
        note(course, owner, value=value(course.board, loss))


def note(
    course: Course,
    owner: str,
    dice: int = 0,
    hits: int = 0,
    expected: float = 0.0,
    value: int = 0,
    expected_value: float = 0.0,
) -> None:
    """Add to what a power has had so far; neutrals keep no books."""
    if not is_power(owner):
        return
    power = Seat(owner)
    so_far = course.board.powers[power].luck
    total: Luck = replace(
        so_far,
        dice=so_far.dice + dice,
        hits=so_far.hits + hits,
        expected=round(so_far.expected + expected, 6),
        value=so_far.value + value,
        expected_value=round(so_far.expected_value + expected_value, 6),
    )
    course.update_power(power, luck=total)


def expected_hits(shots: Iterable[Shot]) -> float:
    return sum(shot.count * shot.number / SIDES for shot in shots)


def _share(board: Board, own: Sequence[Shot], all_of_them: Sequence[Shot], foe: Side) -> float:
    """An owner's part of the value that a volley is expected to destroy."""
    return sum(
        expected_value([value(board, loss) for loss in foe.takes(reach)], volley)
        * expected_hits(shot for shot in own if shot.reach == reach)
        / expected_hits(volley)
        for reach in REACHES
        if (volley := [shot for shot in all_of_them if shot.reach == reach])
    )


def expected_value(values: Sequence[int], shots: Iterable[Shot]) -> float:
    """The mean of what the first so many are worth as there are hits."""
    total, sums = 0, [0]
    for worth in values:
        total += worth
        sums.append(total)
    chances = distribution(shots)
    return sum(chance * sums[min(hits, len(values))] for hits, chance in enumerate(chances))


def distribution(shots: Iterable[Shot]) -> list[float]:
    """How likely each number of hits of a volley is."""
    chances = [1.0]
    for shot in shots:
        hit = shot.number / SIDES
        for _ in range(shot.count):
            chances = [
                (chances[n] if n < len(chances) else 0.0) * (1 - hit)
                + (chances[n - 1] if n else 0.0) * hit
                for n in range(len(chances) + 1)
            ]
    return chances
