"""How planned battles will end: both sides, exact odds, expected losses, in words.

And how the last one would have gone under another plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.chance import SealedDice
from engine.core import Event, GameError, Name, Param, Seat, Text
from engine.east_and_west import report
from engine.east_and_west.battle import Battle, Loss
from engine.east_and_west.board import Attack, Board, Group
from engine.east_and_west.combat import casualties, lineup
from engine.east_and_west.combat.breaking_off import wants_out
from engine.east_and_west.data.arsenal import counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, POWERS, are_enemies
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import put
from engine.east_and_west.movement.moving import end_operations_checks
from engine.east_and_west.odds.calculator import Odds, odds
from engine.east_and_west.orders.registry import verb_of
from engine.east_and_west.report import listed, owner_name
from engine.east_and_west.standing import NO_PLAN, Plan, Standing
from engine.east_and_west.state import State

EVEN = 50
CERTAIN = 1 - 1e-9
KEPT = 256
Units = Counter[str]
"""By kind."""


class Outlook(NamedTuple):
    """A battle and what is to be expected of it."""

    battle: Battle
    found: Odds | None
    """None: nobody stands against us, or nobody attacks."""
    may_retreat: bool = False
    """By the plan; the odds are those of a battle that is fought to its end."""

    @property
    def percent(self) -> int:
        return 100 if self.found is None else _percent(self.found.wins)

    @property
    def warning(self) -> Text | None:
        if self.found is None or self.percent >= EVEN:
            return None
        return Text("worse than even: {percent} % to win", {"percent": self.percent})


def _percent(chance: float) -> int:
    """Full only where no dice can spoil it."""
    return 100 if chance > CERTAIN else min(99, round(100 * chance))


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
        taken = _percent(found.captures)
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


# --- looking back: a battle that was told, under another plan -------------------------------------


class Fought(NamedTuple):
    """A battle as it was told, from its beginning to its end."""

    space: str
    attacker: Seat
    ours: Units
    """The attacker's units when it began."""
    theirs: Units
    owners: dict[str, Seat]
    """Whose the units of the defender were, by kind; neutrals are not there."""
    rounds: list[tuple[Units, Units]]
    """What both had left after each of them."""
    lost: dict[Seat | None, Units]
    """By owner; None: neutrals."""
    is_landing: bool

    def is_defence_of(self, power: Seat) -> bool:
        """Whether it alone stood against the attacker."""
        return bool(self.owners) and set(self.owners.values()) == {power} and None not in self.lost


# --- what was told of it --------------------------------------------------------------------------


def battles(events: Iterable[Event]) -> list[Fought]:
    """Those that were told whole, the newest last."""
    found, on, shores = list[Fought](), None, set[Param]()
    for told in (event.text for event in events):
        if told.msgid == report.ASHORE:
            shores.add(told.params["land"])
        elif told.msgid == report.TURN:
            shores.clear()
        elif told.msgid == report.BEGINS:
            on = _begun(told, told.params["space"] in shores)
        elif on is not None and told.msgid == report.ENDS:
            found.append(on.ended())
            on = None
        elif on is not None:
            on.hear(told)
    return found


def _begun(told: Text, is_landing: bool) -> _Telling:
    space, power = told.params["space"], told.params["power"]
    assert isinstance(space, Name) and isinstance(power, Name)
    ours, theirs = (_units(told.params[side]) for side in ("attackers", "defenders"))
    attacker = _power_called(power)
    assert attacker is not None, "neutrals do not attack"
    space_key = report.space_called(space)
    return _Telling(Fought(space_key, attacker, ours, theirs, {}, [], {}, is_landing))


class _Telling:
    """A battle that is being told."""

    def __init__(self, begun: Fought) -> None:
        self._fought = begun
        self._left = Counter(begun.ours), Counter(begun.theirs)
        self._round = 0

    def hear(self, told: Text) -> None:
        if told.msgid == report.ROUND:
            self._next_round()
        elif told.msgid == report.VOLLEY:
            self._fire(told)
        elif told.msgid in (report.LOSES, report.SUBMERGES, report.SLIPS):
            self._go(told, is_lost=told.msgid == report.LOSES)

    def _next_round(self) -> None:
        if self._round:
            self._fought.rounds.append((Counter(self._left[0]), Counter(self._left[1])))
        self._round += 1

    def _fire(self, told: Text) -> None:
        power = _power_called(told.params["power"])
        if power is not None and power != self._fought.attacker:
            for kind in _units(told.params["units"]):
                self._fought.owners.setdefault(kind, power)

    def _go(self, told: Text, is_lost: bool) -> None:
        owner, units = _power_called(told.params["power"]), _units(told.params["units"])
        self._left[owner != self._fought.attacker].subtract(units)
        if is_lost:
            self._fought.lost.setdefault(owner, Counter()).update(units)

    def ended(self) -> Fought:
        self._next_round()
        return self._fought


def _units(value: Param) -> Units:
    names = value if isinstance(value, tuple) else (value,)
    return report.counts(name for name in names if isinstance(name, Name))


def _power_called(name: Param) -> Seat | None:
    return next((power for power in POWERS if POWER_NAMES[power] == name), None)


def last_attack(fought: Sequence[Fought], power: Seat) -> Fought | None:
    return next((one for one in reversed(fought) if one.attacker == power), None)


def last_defence(fought: Sequence[Fought], power: Seat) -> Fought | None:
    return next((one for one in reversed(fought) if one.is_defence_of(power)), None)


# --- under another plan ---------------------------------------------------------------------------


def of_plan(board: Board, last: Fought, plan: Plan) -> Iterator[Text]:
    """What a plan would have done in a battle with the same dice, as far as those tell."""
    if plan.may_retreat:
        yield _retreat(board, last, plan)
    if plan.losses or plan.keeps_ground:
        groups = _groups(last.attacker, last.ours)
        order = lineup.attacking_losses(board, last.space, groups, plan)
        yield _losses(last, last.attacker, order)


def of_standing(board: Board, last: Fought, power: Seat, orders: Standing) -> Iterator[Text]:
    """What a standing order of losses would have done in a battle that a power has defended."""
    if casualties.filed(orders, last.space):
        foes = _groups(last.attacker, last.ours)
        groups = _groups(power, last.theirs)
        order = lineup.defending_losses(board, last.space, groups, foes, orders)
        yield _losses(last, power, order)


def _retreat(board: Board, last: Fought, plan: Plan) -> Text:
    names: dict[str, Param] = {"space": report.space_name(last.space)}
    if last.is_landing:
        return Text("in your last battle, {space}: no retreat from a landing", names)
    for number, (ours, theirs) in enumerate(last.rounds, 1):
        if not (+ours and +theirs):
            break
        if plan.asks:
            return Text("in your last battle, {space}: asked after round 1", names)
        if wants_out(_battle(board, last, ours, theirs, plan, number + 1), number, plan):
            return Text(
                "in your last battle, {space}: out after round {round}"
                " with {ours} against {theirs}",
                {**names, "round": number, "ours": _named(ours), "theirs": _named(theirs)},
            )
    rounds = {"rounds": len(last.rounds)}
    return Text(
        "in your last battle, {space}: no retreat in {rounds:one round|# rounds}",
        {**names, **rounds},
    )


def _battle(
    board: Board, last: Fought, ours: Units, theirs: Units, plan: Plan, round: int
) -> Battle:
    """What was left of a battle before a round, with what both know today."""
    foe = next(power for power in POWERS if are_enemies(last.attacker, power))
    there = [replace(group, marks=("attacking",)) for group in _groups(last.attacker, ours)]
    for kind, number in (+theirs).items():
        there.append(Group(last.owners.get(kind, foe), kind, number))
    made_up = replace(board, units={last.space: tuple(sorted(there))})
    return lineup.describe(made_up, last.attacker, last.space, plan, round=round)


def _groups(owner: Seat, units: Units) -> list[Group]:
    return [Group(owner, kind, number) for kind, number in sorted((+units).items())]


def _losses(last: Fought, power: Seat, order: Sequence[Loss]) -> Text:
    """As many units as were lost, taken in another order."""
    lost = last.lost.get(power, Counter())
    units = [loss.kind for loss in order if not loss.is_damage]
    otherwise = Counter(units[: lost.total()])
    names: dict[str, Param] = {"space": report.space_name(last.space)}
    if not lost or otherwise == lost:
        return Text("in your last battle, {space}: the same losses", names)
    return Text(
        "in your last battle, {space}: lost {units} instead of {others}",
        {**names, "units": _named(otherwise - lost), "others": _named(lost - otherwise)},
    )


def _named(units: Units) -> tuple[Name, ...]:
    return tuple(counted(kind, number) for kind, number in sorted((+units).items()))
