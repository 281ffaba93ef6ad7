"""Phase 5: all battles of a turn in their order. Explicit steps, so that it can rest and go on."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Combat, Fight, Sortie, Task
from engine.east_and_west.board import Board, Group, Mark
from engine.east_and_west.combat import fight as fights
from engine.east_and_west.combat import guns, lineup, nuclear
from engine.east_and_west.combat.current import save
from engine.east_and_west.course import neutrals
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, is_power
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change_all, unmark
from engine.east_and_west.movement.conquest import capture as capture
from engine.east_and_west.movement.declarations import forget_unmade
from engine.east_and_west.report import in_digits, owner_name, space_name
from engine.east_and_west.standing import Standing, with_orders

_OF_COMBAT: tuple[Mark, ...] = ("attacking", "landed", "dropped", "carrying", "raiding")


def begin(course: Course) -> None:
    """All that was declared is carried out, until somebody is asked or all is done."""
    sorties = tuple(Sortie(strike, n) for n, strike in enumerate(course.turn.strikes, 1))
    combat = Combat(agenda=_agenda(course), sorties=sorties)
    course.state = replace(course.state, combat=combat)
    run(course)


def _agenda(course: Course) -> tuple[Task, ...]:
    """7.1, 11.4: complications, overflights, strikes, raids, sea battles, land battles."""
    board, turn = course.board, course.turn
    numbers = range(1, len(turn.strikes) + 1)
    battles = sorted({a.space for a in turn.attacks}, key=lambda space: _turn(course, space))
    has_complications = not board.variant.nuclear_winter
    return (
        *(Task("complication", number) for number in numbers if has_complications),
        Task("setting-out"),
        *(Task("approach", number) for number in numbers if board.variant.aa_overflight),
        *(
            Task("overflight", number)
            for number, flight in enumerate(turn.flights, 1)
            if flight.guns and board.variant.aa_overflight
        ),
        *(Task("strike", number) for number in numbers),
        *(Task("raid", space=land) for land in sorted({*turn.raids})),
        *(Task("battle", space=space) for space in battles if atlas().is_water(space)),
        *(Task("battle", space=space) for space in battles if atlas().is_land(space)),
    )


def _turn(course: Course, space: str) -> tuple[bool, int, str]:
    """7.1: as the attacker has said, then by the alphabet."""
    first = course.plan(space).first
    return not first, first, space


def run(course: Course) -> None:
    """Step by step; a question leaves everything as it is."""
    while course.state.combat is not None and not course.board.questions:
        _step(course, course.state.combat)


def _step(course: Course, combat: Combat) -> None:
    if combat.blast is not None:
        nuclear.settle_blast(course, combat.blast)
    elif combat.sortie is not None:
        nuclear.advance(course)
    elif combat.fight is not None:
        fights.advance(course)
    elif combat.agenda:
        task, *rest = combat.agenda
        course.state = replace(course.state, combat=replace(combat, agenda=tuple(rest)))
        _TASKS[task.kind](course, task)
    else:
        _finish(course)


def _complication(course: Course, task: Task) -> None:
    nuclear.complicate(course, task.number)


def _set_out(course: Course, task: Task) -> None:
    """11.4, 13.8: whom no detonation and no expulsion has called back sets out now."""
    forget_unmade(course)
    neutrals.before_combat(course)


def _approach(course: Course, task: Task) -> None:
    nuclear.approach(course, task.number)


def _strike(course: Course, task: Task) -> None:
    nuclear.set_out(course, task.number)


def _battle(course: Course, task: Task) -> None:
    declared = [attack for attack in course.turn.attacks if attack.space == task.space]
    fight = Fight(
        task.space,
        entries=tuple(dict.fromkeys(way for attack in declared for way in attack.entries)),
        zones=tuple(dict.fromkeys(zone for attack in declared for zone in attack.landings)),
    )
    save(course, fight)


# --- 7.4: overflight ------------------------------------------------------------------------------


def _overflight(course: Course, task: Task) -> None:
    """Guns of enemy lands on the way in, land by land, at those that are still flying."""
    flight = course.turn.flights[task.number - 1]
    left = flight.count
    for land in flight.guns:
        flying = _on_flight(course.board, course.active, flight.target, flight.kind, flight.role)
        left = min(left, sum(group.count for group in flying))
        if not left or not lineup.guns(course.board, course.active, land):
            continue
        by = guns.gun_owner(course.board, course.active, land)
        hits = guns.fire_salvo(course, land, left, f"overflight {task.number} {land}")
        guns.lose_aircraft(course, flight.target, flying, [by] * hits)
        left -= hits


def _on_flight(board: Board, power: Seat, target: str, kind: str, role: str) -> list[Group]:
    return [
        group
        for group in queries.own_units(board, power, target)
        if group.kind == kind
        and group.has("carrying") == (role == "carrying")
        and group.has("raiding") == (role == "raiding")
    ]


# --- 7.14: strategic bombing ----------------------------------------------------------------------


def _raid(course: Course, task: Task) -> None:
    """Guns first; then each bomber that is left rolls what the owner of the factory pays.

    A land that was captured on the way is nobody's to bomb any more.
    """
    land = task.space
    raiders = _raiders(course.board, course.active, land)
    if not raiders or not queries.is_enemy(course.board, course.active, land):
        return
    course.tell(
        "{power} bombs the factory in {land}",
        power=POWER_NAMES[course.active],
        land=space_name(land),
    )
    if lineup.guns(course.board, course.active, land):
        by = guns.gun_owner(course.board, course.active, land)
        number = sum(group.count for group in raiders)
        hits = guns.fire_salvo(course, land, number, f"raid {land} guns")
        guns.lose_aircraft(course, land, raiders, [by] * hits)
        raiders = _raiders(course.board, course.active, land)
    _damage(course, land, sum(group.count for group in raiders))


def _raiders(board: Board, power: Seat, land: str) -> list[Group]:
    return [group for group in queries.own_units(board, power, land) if group.has("raiding")]


def _damage(course: Course, land: str, bombers: int) -> None:
    owner = course.board.owners[land]
    if not bombers or land not in course.board.factories or not is_power(owner):
        return
    faces = course.roll(bombers, f"raid {land}")
    victim = Seat(owner)
    cash = course.board.powers[victim].cash
    paid = min(cash, sum(faces))
    course.update_power(victim, cash=cash - paid)
    course.announce(
        "Bombs on the factory in {land}: {faces}; {power} pays {paid}",
        land=space_name(land),
        faces=in_digits(faces),
        power=owner_name(owner, land),
        paid=paid,
    )


# --- the end --------------------------------------------------------------------------------------


def _finish(course: Course) -> None:
    """The marks of the phase go, neutrals take sides, and the non-combat move begins; 13.6."""
    course.set_units(change_all(course.board.units, lambda group: unmark(group, *_OF_COMBAT)))
    neutrals.after_combat(course)
    course.update_turn(
        stop="logistics", attacks=(), raids=(), strikes=(), landings=(), departures=()
    )
    course.state = replace(course.state, combat=None, standing=_without_plans(course))


def _without_plans(course: Course) -> dict[Seat, Standing]:
    """14.1: battle plans are for one turn."""
    orders = replace(course.orders(course.active), plans={})
    return with_orders(course.state.standing, course.active, orders)


_TASKS: dict[str, Callable[[Course, Task], None]] = {
    "complication": _complication,
    "setting-out": _set_out,
    "approach": _approach,
    "overflight": _overflight,
    "strike": _strike,
    "raid": _raid,
    "battle": _battle,
}
