"""What was heard lately, for what is ordered now: the last battle under another plan, the last new
units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.core import Event, Name, Param, Seat, Text
from engine.east_and_west import report
from engine.east_and_west.battle import Battle, Loss
from engine.east_and_west.board import Board, Group
from engine.east_and_west.combat import casualties, lineup
from engine.east_and_west.combat.breaking_off import wants_out
from engine.east_and_west.data.arsenal import counted
from engine.east_and_west.data.powers import POWER_NAMES, POWERS, are_enemies
from engine.east_and_west.standing import Plan, Standing

Units = Counter[str]


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


# --- reading --------------------------------------------------------------------------------------


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
                "in your last battle, {space}: out after round {round}, {ours} against {theirs}",
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


# --- new units ------------------------------------------------------------------------------------


class Placed(NamedTuple):
    space: str
    kind: str
    number: int


def last_placed(events: Iterable[Event], power: Seat) -> tuple[Placed, ...]:
    """The new units of a power's last turn that is over, in their order."""
    turns: list[list[Placed]] = [[]]
    for told in (event.text for event in events):
        if told.msgid == report.TURN:
            turns.append([])
        elif told.msgid == report.PLACES and told.params["power"] == POWER_NAMES[power]:
            turns[-1].append(_placed(told))
    return tuple(next((placed for placed in reversed(turns[:-1]) if placed), ()))


def _placed(told: Text) -> Placed:
    space, kind, number = (told.params[name] for name in ("space", "kind", "number"))
    assert isinstance(space, Name) and isinstance(kind, Name) and isinstance(number, int)
    return Placed(report.space_called(space), report.kind_called(kind), number)
