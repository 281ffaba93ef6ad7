"""What stands in a space as counters: shape for ground, air and sea, owner's letter, number.

Everything here is drawn in units of a tenth of a name, around the middle of a space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import BOMBS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWERS
from engine.east_and_west.draw.ascii import LETTERS

Domain = Literal["ground", "air", "sea", "bomb"]
DOMAINS: tuple[Domain, ...] = ("ground", "air", "sea", "bomb")
TALL = 11.0
GAP = 1.5
LONGEST_ROW = 62.0


class Counter(Struct, frozen=True):
    owner: str
    domain: Domain
    count: int
    is_damaged: bool = False

    @property
    def words(self) -> str:
        return f"{LETTERS[self.owner]}{self.count}"


class Scene(Struct, frozen=True):
    """What is to be seen in a space."""

    groups: tuple[Group, ...]
    owner: str
    """Of the land; empty for water."""
    value: int | None
    """None: it never was worth anything."""
    is_hurt: bool
    """11.7.3: a bomb has lowered the value."""
    has_factory: bool
    is_changed: bool


class Sign(Struct, frozen=True):
    """Something drawn from its left edge at 0 to its width, and down to `TALL`."""

    width: float
    svg: str


# --- which counters there are ---------------------------------------------------------------------


def scene(board: Board, space: str, is_changed: bool) -> Scene:
    return Scene(
        groups=board.at(space),
        owner=board.owners.get(space, ""),
        value=queries.value(board, space) if atlas().spaces[space].value else None,
        is_hurt=any(fallout.land == space for fallout in board.fallout),
        has_factory=space in board.factories,
        is_changed=is_changed,
    )


def counters(groups: Iterable[Group], first: str) -> list[Counter]:
    """Units by owner and domain; those of one owner first."""
    found: dict[tuple[str, Domain], list[Group]] = {}
    for group in groups:
        found.setdefault((group.owner, _domain(group)), []).append(group)
    order = sorted(found, key=lambda key: (*_rank(key[0], first), DOMAINS.index(key[1])))
    return [_counter(owner, domain, found[owner, domain]) for owner, domain in order]


def totals(stacks: Iterable[Counter]) -> list[Counter]:
    """One counter for each owner, in the shape of what it has most of; bombs for themselves."""
    by_owner: dict[str, list[Counter]] = {}
    bombs: list[Counter] = []
    for stack in stacks:
        if stack.domain == "bomb":
            bombs.append(stack)
        else:
            by_owner.setdefault(stack.owner, []).append(stack)
    joined = [
        Counter(
            owner,
            max(own, key=lambda stack: stack.count).domain,
            sum(stack.count for stack in own),
            any(stack.is_damaged for stack in own),
        )
        for owner, own in by_owner.items()
    ]
    return joined + bombs


def _counter(owner: str, domain: Domain, groups: Sequence[Group]) -> Counter:
    count = sum(group.count for group in groups)
    return Counter(owner, domain, count, any(group.has("damaged") for group in groups))


def _domain(group: Group) -> Domain:
    if group.kind in BOMBS:
        return "bomb"
    kind = kinds()[group.kind]
    return "air" if kind.is_air else "sea" if kind.is_ship else "ground"


def _rank(owner: str, first: str) -> tuple[bool, int, str]:
    place = next((i for i, power in enumerate(POWERS) if power == owner), len(POWERS))
    return owner != first, place, owner


# --- how they are drawn ---------------------------------------------------------------------------


def pieces(scene: Scene, is_brief: bool, top: float) -> str:
    """All that lies in a space, in rows below `top`."""
    stacks = counters(scene.groups, scene.owner)
    if is_brief:
        stacks = totals(stacks)
    signs = [changed_sign()] if scene.is_changed else []
    if scene.owner and all(stack.owner != scene.owner for stack in stacks):
        signs.append(letter_sign(scene.owner))
    if scene.value is not None and not is_brief:
        signs.append(value_sign(scene.value, scene.is_hurt))
    if scene.has_factory and not is_brief:
        signs.append(factory_sign())
    signs += [counter_sign(stack) for stack in stacks]
    return "".join(_row(row, top + i * (TALL + GAP)) for i, row in enumerate(_rows(signs)))


def _rows(signs: Sequence[Sign]) -> list[list[Sign]]:
    rows: list[list[Sign]] = []
    width = 0.0
    for sign in signs:
        if not rows or width + sign.width > LONGEST_ROW:
            rows.append([])
            width = 0.0
        rows[-1].append(sign)
        width += sign.width + GAP
    return rows


def _row(signs: Sequence[Sign], top: float) -> str:
    left = -(sum(sign.width for sign in signs) + GAP * (len(signs) - 1)) / 2
    drawn = []
    for sign in signs:
        drawn.append(f'<g transform="translate({left:.4g} {top:.4g})">{sign.svg}</g>')
        left += sign.width + GAP
    return "".join(drawn)


def counter_sign(stack: Counter) -> Sign:
    wide = 5.0 + 5.4 * len(stack.words)
    css = "bomb" if stack.domain == "bomb" else f"counter owner-{stack.owner}"
    on = "on-bomb" if stack.domain == "bomb" else "on-owner"
    burst = f'<path class="hurt" d="{_burst(wide - 1)}"/>' if stack.is_damaged else ""
    svg = (
        f'<path class="{css}" d="{_shape(stack.domain, wide)}"/>'
        f'<text class="{on}" font-size="8" x="{wide / 2:.3g}" y="8.8">{stack.words}</text>{burst}'
    )
    return Sign(wide, svg)


def _shape(domain: Domain, wide: float) -> str:
    """A box for the ground, a roof for the air, a hull for the sea, a shell for bombs."""
    w = f"{wide:.3g}"
    match domain:
        case "ground":
            return f"M0 1h{w}v10h-{w}z"
        case "air":
            return f"M0 3l{wide / 2:.3g}-4 {wide / 2:.3g} 4v8h-{w}z"
        case "sea":
            return f"M-1.5 1h{wide + 3:.3g}l-4 10h-{wide - 5:.3g}z"
        case "bomb":
            return f"M3 1h{wide - 6:.3g}a5 5 0 0 1 0 10h-{wide - 6:.3g}a5 5 0 0 1 0-10z"


def _burst(x: float) -> str:
    return f"M{x:.3g}-2.5l1 2 2-.8-.8 2 2 1-2 1 .8 2-2-.8-1 2-1-2-2 .8.8-2-2-1 2-1-.8-2 2 .8z"


def letter_sign(owner: str) -> Sign:
    text = f'<text class="name" font-size="8" x="3" y="8.8">{LETTERS[owner]}</text>'
    return Sign(6.0, text)


def value_sign(value: int, is_hurt: bool = False) -> Sign:
    burst = f'<path class="hurt" d="{_burst(9)}"/>' if is_hurt else ""
    svg = (
        '<circle class="plate" cx="5" cy="6" r="5"/>'
        f'<text class="on-owner" font-size="7.5" x="5" y="8.7">{value}</text>{burst}'
    )
    return Sign(10.0, svg)


def factory_sign() -> Sign:
    return Sign(11.0, '<path class="sign" d="M0 11V0h2.5v5L6 3v2.3L9 3.2V5l2-1.3V11z"/>')


def changed_sign() -> Sign:
    star = "M5 1l1.4 3.2 3.4.3-2.6 2.3.8 3.4-3-1.8-3 1.8.8-3.4L.2 4.5l3.4-.3z"
    return Sign(10.0, f'<path class="hurt" d="{star}"/>')
