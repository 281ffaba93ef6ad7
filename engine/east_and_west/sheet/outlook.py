"""How planned battles will end: both sides, exact odds, expected losses, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.chance import SealedDice
from engine.core import GameError, Name, Seat, Text
from engine.east_and_west.battle import Battle
from engine.east_and_west.board import Attack, Board, Group
from engine.east_and_west.combat import lineup
from engine.east_and_west.data.arsenal import kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import put
from engine.east_and_west.movement.moving import end_operations_checks
from engine.east_and_west.odds.calculator import Odds, odds
from engine.east_and_west.orders.registry import verb_of
from engine.east_and_west.report import listed, owner_name
from engine.east_and_west.standing import NO_PLAN
from engine.east_and_west.state import State

EVEN = 50
KEPT = 256


class Outlook(NamedTuple):
    """A battle and what is to be expected of it."""

    battle: Battle
    found: Odds | None
    """None: nobody stands against us, or nobody attacks."""
    may_retreat: bool = False
    """By the plan; the odds are those of a battle that is fought to its end."""

    @property
    def percent(self) -> int:
        return 100 if self.found is None else round(100 * self.found.wins)

    @property
    def warning(self) -> Text | None:
        if self.found is None or self.percent >= EVEN:
            return None
        return Text("worse than even: {percent} %", {"percent": self.percent})


@lru_cache(maxsize=KEPT)
def foretold(battle: Battle) -> Odds:
    """Kept by what a battle is made of: a page asks again for all that did not change."""
    return replace(odds(battle), endings=())


def tried(state: State, power: Seat, actions: Iterable[Any]) -> State | None:
    """The state after some orders; None if they cannot be."""
    course = Course(state, SealedDice())
    try:
        for action in actions:
            verb_of(action).do(course, power, action)
    except GameError:
        return None
    return course.state


def before_dice(state: State) -> State:
    """8.3: as the battles will find it: who is there fights along."""
    course = Course(state, SealedDice())
    try:
        end_operations_checks(course)
    except GameError:
        return state
    return course.state


def outlook(ready: State, power: Seat, space: str, most: int | None = None) -> Outlook | None:
    """Of one battle, in a state as the dice will find it; None if there is none.

    None as well if it has more pairs of units than `most`, which would take long to compute.
    """
    board = ready.board
    attack = next((attack for attack in board.turn.attacks if attack.space == space), None)
    if attack is None:
        return None
    declared = {other.space for other in board.turn.attacks}
    zones = [zone for zone in attack.landings if zone not in declared]
    plan = ready.orders(power).plans.get(space, NO_PLAN)
    battle = lineup.describe(_all_ashore(board, power, attack), power, space, plan, zones=zones)
    pairs = len(battle.attacker.losses) * len(battle.defender.losses)
    if most is not None and pairs > most:
        return None
    is_fought = battle.attacker.forces and battle.defender.forces
    return Outlook(battle, foretold(battle) if is_fought else None, plan.may_retreat)


def _all_ashore(board: Board, power: Seat, attack: Attack) -> Board:
    """8.11: with those who land as soon as their zone is won."""
    units = board.units
    for landing in board.turn.landings:
        if landing.land == attack.space:
            for load in landing.loads:
                troops = Group(power, load.kind, load.count, marks=("attacking", "landed"))
                units = put(units, attack.space, troops)
    return replace(board, units=units)


# --- words ----------------------------------------------------------------------------------------


def sides(board: Board, power: Seat, seen: Outlook) -> list[Text]:
    """Who fights, and what happens before the first round."""
    space, battle = seen.battle.space, seen.battle
    lines = [Text("you: {units}", {"units": _forces(battle.attacker.forces)})]
    owners = dict.fromkeys(force.owner for force in battle.defender.forces)
    for owner in owners:
        own = [force for force in battle.defender.forces if force.owner == owner]
        lines.append(
            Text("{owner}: {units}", {"owner": owner_name(owner, space), "units": _forces(own)})
        )
    if not owners:
        lines.append(Text("nobody stands against you"))
    if battle.salvo == "aircraft":
        lines.append(Text("before round 1 they fire at your aircraft"))
    elif battle.salvo == "armor":
        lines.append(Text("before round 1 their guns fire at your armor"))
    if battle.bombardment:
        dice = sum(count for _, count in battle.bombardment)
        lines.append(Text("before round 1 your ships fire {dice:# shot|# shots}", {"dice": dice}))
    return lines


def _forces(forces: Sequence[Any]) -> tuple[Name, ...]:
    return listed([Group(force.owner, force.kind, force.count) for force in forces])


def chances(seen: Outlook) -> list[Text]:
    found = seen.found
    if found is None:
        return []
    lines = [won(seen)]
    if atlas().is_land(seen.battle.space):
        taken = round(100 * found.captures)
        if taken != seen.percent:
            lines.append(Text("and the land taken: {percent} %", {"percent": taken}))
    lines.append(
        Text(
            "expected losses: yours {ours} ({our_value} IPC), theirs {theirs} ({their_value} IPC)",
            {
                "ours": _decimal(found.lost_units[0]),
                "our_value": _decimal(found.lost_value[0]),
                "theirs": _decimal(found.lost_units[1]),
                "their_value": _decimal(found.lost_value[1]),
            },
        )
    )
    if not found.is_exact:
        lines.append(Text("(from {battles} thrown battles)", {"battles": found.battles}))
    return lines


def won(seen: Outlook) -> Text:
    chance = {"percent": seen.percent}
    if seen.may_retreat:
        return Text("won: {percent} %, retreats not counted", chance)
    return Text("won: {percent} %", chance)


def _decimal(number: float) -> Name:
    said = f"{number:.1f}"
    return Name(said, said.replace(".", ","), said.replace(".", ","))


def defended(board: Board, power: Seat, space: str) -> Text:
    """Who holds a target, in a few words."""
    groups = [g for g in lineup.defenders(board, power, space) if kinds()[g.kind].fights]
    if not groups:
        return Text("empty")
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.kind] += group.count
    return Text("{units}", {"units": listed(groups)})
