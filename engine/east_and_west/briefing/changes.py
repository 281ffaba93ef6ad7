"""Where something has changed, theatre by theatre."""

from __future__ import annotations

from collections import Counter

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import is_power
from engine.east_and_west.view import View

CONQUERED = 20
"""What another owner counts, in IPC, beside units that have come or gone."""


def fronts(view: View, earlier: View | None) -> tuple[tuple[frozenset[str], ...], bool]:
    """What a letter is about: what has changed, or else where the reader is; and which of both."""
    found = changed(view, earlier) if earlier is not None else ()
    return (found, True) if found else (changed(view, None), False)


def changed(view: View, earlier: View | None) -> tuple[frozenset[str], ...]:
    """Spaces by theatre, the theatre with the greatest change first; without an earlier view those
    in which the reader has units."""
    weights: dict[str, Counter[str]] = {}
    for space, found in atlas().spaces.items():
        weight = (
            _presence(view, space) if earlier is None else _change(earlier.board, view.board, space)
        )
        if weight:
            weights.setdefault(found.theatre, Counter())[space] = weight
    order = sorted(weights, key=lambda theatre: -weights[theatre].total())
    return tuple(frozenset(weights[theatre]) for theatre in order)


def _change(then: Board, now: Board, space: str) -> int:
    conquered = CONQUERED * (then.owners.get(space) != now.owners.get(space))
    before, after = _worth(then, space), _worth(now, space)
    moved = sum(abs(after[owner] - before[owner]) for owner in {*before, *after})
    return conquered + moved


def _presence(view: View, space: str) -> int:
    worth = _worth(view.board, space)
    return sum(worth[power] for power in view.powers)


def _worth(board: Board, space: str) -> Counter[str]:
    """The price of all units, by owner."""
    worth = Counter[str]()
    for group in board.at(space):
        worth[group.owner] += _price(board, group.owner, group.kind) * group.count
    return worth


def _price(board: Board, owner: str, kind: str) -> int:
    return queries.price(board, Seat(owner), kind) if is_power(owner) else kinds()[kind].cost
