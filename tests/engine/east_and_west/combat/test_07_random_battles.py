"""Battles of all kinds with all kinds of orders: they end, stay sound and lose units only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.chance import quick_stream
from engine.core import Option, Seat, Step
from engine.east_and_west.board import Load, Strike
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.standing import Diving, Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, is_over, landing, strikes
from tests.engine.east_and_west.kit import GAME, Script, waiting

GROUND = ("infantry", "special-forces", "armor", "heavy-armor", "howitzer")
AIR = ("fighter", "bomber")
SHIPS = ("transport", "large-transport", "submarine", "cruiser", "carrier", "battleship")
LAND, ZONE = "norway", "north-sea"
Below = Callable[[int], int]


def some(below: Below, kinds_of: tuple[str, ...], most: int, mark: str = "") -> str:
    parts = [
        f"{count} {kind}{mark}" for kind in kinds_of if below(2) and (count := below(most) + 1)
    ]
    return " ".join(parts)


def wishes(below: Below) -> tuple[str, ...]:
    every = ("damage", *GROUND, *AIR, *SHIPS)
    return tuple(dict.fromkeys(every[below(len(every))] for _ in range(below(4))))


def orders(below: Below) -> Standing:
    dives = (
        Diving("stay"),
        Diving("submerge-after", 1 + below(2)),
        Diving("submerge-alone"),
        Diving("retreat", zone="irish-sea"),
    )
    return Standing(
        losses={"": wishes(below)} if below(2) else {},
        submarines={"": dives[below(4)]} if below(2) else {},
        asks=tuple(space for space in (LAND, ZONE, "poland") if below(2)),
        spares_chinese=bool(below(2)),
    )


def plan(below: Below) -> Plan:
    return Plan(
        losses=wishes(below),
        after=below(4),
        below_units=below(4),
        strafe=below(3) if below(3) == 0 else None,
        odds=(0, 0, 30)[below(3)],
        asks=below(3) == 0,
        keeps_ground=bool(below(2)),
        holds_fire=below(4) == 0,
        air_leaves=bool(below(2)),
        submarines=Diving("submerge-after", 1 + below(3)) if below(3) == 0 else None,
    )


def war(below: Below) -> State:
    """A sea battle, a landing after it, a raid, an atomic attack; some of them missing."""
    troops = " 1 transport!attacking[2 infantry]" if below(2) else ""
    spaces = [
        f"{LAND} we {some(below, GROUND + AIR, 3)} 1 infantry uk {some(below, GROUND, 2)} 1 fighter"
        f"{' we 1 aa-gun' if below(2) else ''}"
        f" ussr {some(below, GROUND, 3, '!attacking')} {some(below, AIR, 2, '*3!attacking')}"
        " 1 infantry!attacking",
        f"{ZONE} we {some(below, SHIPS, 2)} 1 transport uk {some(below, SHIPS, 2)}"
        f" ussr {some(below, SHIPS, 2, '!attacking')} {some(below, AIR, 2, '*3!attacking')}"
        f" 1 cruiser!attacking{troops}",
        "karelia ussr 1 infantry 1 bomber 1 atomic-bomb",
    ]
    techs: dict[str, Any] = {
        power: {category: 2 * below(4) for category in ("submarine", "ship", "armor", "aircraft")}
        for power in ("ussr", "we", "uk")
    }
    techs["ussr"]["nuclear"] = 2
    position = at_war(
        *spaces,
        at=f"{LAND} {ZONE}",
        entries=["karelia", "barents-sea"],
        landings=[ZONE] if troops else [],
        turn={"landings": (landing(ZONE, LAND, Load("ussr", "infantry", 2)),) if troops else ()},
        plan=plan(below),
        techs=techs,
        standing={seat: orders(below) for seat in ("ussr", "we", "uk")},
    )
    seat = Seat("ussr")
    position = replace(
        position,
        standing={
            **position.standing,
            seat: replace(position.orders(seat), plans=dict.fromkeys((LAND, ZONE), plan(below))),
        },
    )
    if below(2):
        placed = {**position.board.units, **_army(below)}
        position = replace(position, board=replace(position.board, units=placed))
        position = strikes(position, Strike("atomic-bomb", "karelia", "france", points=2))
    return position


def _army(below: Below) -> dict[str, Any]:
    from tests.engine.east_and_west.kit import standing_units

    return standing_units([f"france we {some(below, GROUND + AIR, 4)} 3 infantry"])


def total(position: State) -> int:
    """Units that can fight, those on board included."""
    return sum(
        group.count * (kinds()[group.kind].fights + sum(load.count for load in group.cargo))
        for groups in position.board.units.values()
        for group in groups
    )


class Rolling(Script):
    """Dice of a stream that refuse to be rolled twice for one purpose."""

    def __init__(self, below: Below) -> None:
        super().__init__([])
        self.below = below

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        self._faces = [self.below(sides) + 1 for _ in range(count)]
        return super().roll(sides, count, why)


def any_answer(position: State, seat: Seat, below: Below) -> Any:
    path: tuple[str, ...] = ()
    while True:
        offered: tuple[Option[Any], ...] = GAME.options(position, seat, path)
        assert offered, f"a dead end after {path}"
        option = offered[below(len(offered))]
        path = (*path, option.word)
        if option.action is not None:
            assert GAME.parse(GAME.notate(option.action)) == option.action
            return option.action


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(60))
def test_random_battles_end_and_stay_sound(seed: int) -> None:
    below = quick_stream(f"battle {seed}".encode())
    position = war(below)
    step: Step[State] = GAME.apply(position, Seat("ussr"), GAME.parse("done"), Rolling(below))
    before, answers = total(position), 0
    while step.state.board.questions:
        assert GAME.check(step.state) == []
        assert total(step.state) <= before
        before, answers = total(step.state), answers + 1
        assert answers < 200
        seat = waiting(step.state)
        again = GAME.load(GAME.dump(step.state))
        assert again == step.state
        step = GAME.apply(again, seat, any_answer(again, seat, below), Rolling(below))
    assert is_over(step.state)
    assert GAME.check(step.state) == []
    assert total(step.state) <= before
    for space, groups in step.state.board.units.items():
        for group in groups:
            assert not {*group.marks} & {"attacking", "landed", "dropped", "carrying", "raiding"}
            assert atlas().is_water(space) or not kinds()[group.kind].is_ship
