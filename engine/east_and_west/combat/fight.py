"""7: one battle, step by step. Each step leaves plain data behind, so that a battle can rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.core import Name, Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import (
    REACHES,
    Fight,
    FightStep,
    Loss,
    Party,
    Salvo,
    Shot,
    Side,
    Wounds,
    aimed,
    is_idle,
    main_attack,
    return_fire,
    sneak_attack,
)
from engine.east_and_west.board import Group, Question
from engine.east_and_west.combat import casualties, guns, lineup, luck
from engine.east_and_west.combat.breaking_off import decide
from engine.east_and_west.combat.current import (
    ask,
    battle_of,
    combat_of,
    decides,
    fight_of,
    go_on,
    leader,
    save,
)
from engine.east_and_west.combat.submarines import dive
from engine.east_and_west.data.arsenal import CARRIERS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, POWERS, side
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import mark
from engine.east_and_west.movement import havens
from engine.east_and_west.movement.conquest import capture
from engine.east_and_west.movement.declarations import forget_attack
from engine.east_and_west.report import (
    listed,
    space_name,
    tell_losses,
    tell_volley,
)
from engine.east_and_west.standing import NONE

NOBODY = Name("nobody", "niemand", "personne")


# --- the steps ------------------------------------------------------------------------------------


def advance(course: Course) -> None:
    """The next step of the battle at hand: hits are taken first."""
    fight = fight_of(course)
    if fight.wounds:
        _take_wounds(course, fight)
    else:
        _STEPS[fight.step](course, fight)


def _come_ashore(course: Course, fight: Fight) -> None:
    """7.3, 8.11: who waits on board lands first; then it is seen who fights whom."""
    fight = replace(fight, zones=_land(course, fight))
    attack = lineup.attackers(course.board, course.active, fight.space)
    flying = lineup.aircraft(course.board, course.active, fight.space)
    if not attack and not flying:
        forget_attack(course, fight.space)
        save(course, None)
        return
    hold = lineup.defenders(course.board, course.active, fight.space)
    if hold:
        course.tell(
            "Battle of {space}: {power} attacks with {attackers} against {defenders}",
            space=space_name(fight.space),
            power=POWER_NAMES[course.active],
            attackers=listed(attack),
            defenders=listed(hold),
        )
        if atlas().is_water(fight.space):
            course.update_turn(fought=(*course.turn.fought, fight.space))
    go_on(course, fight, "guns")


def _land(course: Course, fight: Fight) -> tuple[str, ...]:
    """8.11: from zones that are held what was to land comes ashore; the zones that gave units."""
    waiting = [landing for landing in course.turn.landings if landing.land == fight.space]
    zones = [zone for zone in fight.zones if zone not in {landing.zone for landing in waiting}]
    for landing in waiting:
        if queries.enemy_ships(course.board, course.active, landing.zone):
            course.tell(
                "The landing in {land} does not take place: {zone} is not held",
                land=space_name(landing.land),
                zone=space_name(landing.zone),
            )
            continue
        ashore = [
            Group(load.owner, load.kind, landed, marks=("attacking", "landed", "spent"))
            for load in landing.loads
            if (landed := _unload(course, landing.zone, load.owner, load.kind, load.count))
        ]
        course.put(fight.space, *ashore)
        if ashore and landing.zone not in zones:
            zones.append(landing.zone)
    return tuple(zones)


def _unload(course: Course, zone: str, owner: str, kind: str, count: int) -> int:
    """Take units from the ships of a zone; how many were there."""
    landed = 0
    while landed < count:
        ship = next((g for g in course.board.at(zone) if _carries(g, owner, kind)), None)
        if ship is None:
            break
        load = next(load for load in ship.cargo if (load.owner, load.kind) == (owner, kind))
        rest = [other for other in ship.cargo if other != load]
        if load.count > 1:
            rest.append(replace(load, count=load.count - 1))
        course.take(zone, ship, 1)
        emptier = mark(replace(ship, count=1, cargo=tuple(sorted(rest))), "spent")
        course.put(zone, emptier)
        landed += 1
    return landed


def _carries(group: Group, owner: str, kind: str) -> bool:
    return any((load.owner, load.kind) == (owner, kind) for load in group.cargo)


# --- 7.4, 7.5: guns -------------------------------------------------------------------------------


def _fire_guns(course: Course, fight: Fight) -> None:
    board, power, space = course.board, course.active, fight.space
    possible = lineup.salvoes(board, power, space)
    gunner = lineup.gunner(board, power, space)
    if len(possible) > 1 and not fight.target and decides(course, gunner, space):
        assert gunner is not None
        ask(course, Question("target", gunner, space, {"salvoes": possible}))
        return
    target = fight.target or usual_target(course, space)
    if target == "aircraft":
        guns.fire_at_aircraft(course, space, f"battle {space} guns")
    elif target == "armor":
        guns.fire_at_armour(course, space)
    go_on(course, fight, "bombardment")


def usual_target(course: Course, space: str) -> Salvo:
    """14.2 no. 3: by standing order, else what is worth more."""
    gunner = lineup.gunner(course.board, course.active, space)
    orders = NONE if gunner is None else course.orders(gunner)
    return lineup.salvo(course.board, course.active, space, lineup.gun_order(orders, space))


def answer_target(course: Course, target: Salvo) -> None:
    save(course, replace(fight_of(course), target=target))


# --- 7.6: bombardment -----------------------------------------------------------------------------


def _bombard(course: Course, fight: Fight) -> None:
    plan, combat = course.plan(fight.space), combat_of(course)
    shots: tuple[Shot, ...] = ()
    if not plan.holds_fire:
        possible = lineup.bombardment(course.board, course.active, fight.zones, combat.bombarded)
        shots = aimed(possible, battle_of(course, fight).defender)
    if shots:
        course.tell("Bombardment of {space}", space=space_name(fight.space))
        course.state = replace(
            course.state,
            combat=replace(combat, bombarded=tuple(sorted({*combat.bombarded, *fight.zones}))),
        )
    _volley(course, fight, shots, "defender", "bombardment", "sneak")


# --- 7.7: a round ---------------------------------------------------------------------------------


def _sneak(course: Course, fight: Fight) -> None:
    """7.7a; a battle in which nobody can hit anybody ends here; 7.11."""
    battle = battle_of(course, fight)
    if not battle.attacker.count or not battle.defender.count or is_idle(battle):
        go_on(course, fight, "end")
        return
    course.tell("{space}, round {round}", space=space_name(fight.space), round=fight.round)
    _volley(course, fight, sneak_attack(battle), "defender", "sneak attack", "attack")


def _attack(course: Course, fight: Fight) -> None:
    """7.7b; who is hit now still fires back, so the dice of the defender are counted before."""
    battle = battle_of(course, fight)
    fight = replace(fight, returning=return_fire(battle))
    _volley(course, fight, main_attack(battle), "defender", "attack", "defence")


def _defend(course: Course, fight: Fight) -> None:
    """7.7c"""
    shots = aimed(fight.returning, battle_of(course, fight).attacker)
    fight = replace(fight, returning=())
    _volley(course, fight, shots, "attacker", "defence", "submarines")


def _volley(
    course: Course,
    fight: Fight,
    shots: Sequence[Shot],
    victim: Party,
    what: str,
    step: FightStep,
) -> None:
    """14.6: all dice of a step, strongest to weakest; hits are taken before the next step."""
    dice = sum(shot.count for shot in shots)
    faces = course.roll(dice, f"battle {fight.space} {fight.round} {what}")
    tell_volley(course, fight.space, shots, faces)
    hits = _hits(shots, faces)
    battle = battle_of(course, fight)
    foe = battle.defender if victim == "defender" else battle.attacker
    if shots:
        luck.rolled(course, shots, [owner for _, owner in hits], foe)
    wounds = tuple(
        Wounds(reach, by)
        for reach in REACHES
        if (by := tuple(owner for found, owner in hits if found == reach))
    )
    save(course, replace(fight, step=step, victim=victim, wounds=wounds))


def _hits(shots: Sequence[Shot], faces: Sequence[int]) -> list[tuple[str, str]]:
    """The reach and owner of every hit, in the order of the dice."""
    dice = [shot for shot in shots for _ in range(shot.count)]
    return [
        (shot.reach, shot.owner)
        for shot, face in zip(dice, faces, strict=True)
        if face <= shot.number
    ]


# --- 7.8: losses ----------------------------------------------------------------------------------


def _take_wounds(course: Course, fight: Fight) -> None:
    """The hits of one reach, the narrowest first; what fits no unit is void."""
    wounds = fight.wounds[0]
    possible = victims(course, fight).takes(wounds.reach)
    number = min(len(wounds.by), len(possible))
    loser = _loser(course, fight)
    if casualties.has_choice(possible, number) and decides(course, loser, fight.space):
        assert loser is not None
        data: dict[str, int | str | tuple[str, ...]] = {"hits": number, "reach": wounds.reach}
        ask(course, Question("losses", loser, fight.space, data))
        return
    take_losses(course, fight, possible[:number])


def victims(course: Course, fight: Fight) -> Side:
    battle = battle_of(course, fight)
    return battle.attacker if fight.victim == "attacker" else battle.defender


def _loser(course: Course, fight: Fight) -> Seat | None:
    return course.active if fight.victim == "attacker" else leader(course, fight.space)


def take_losses(course: Course, fight: Fight, losses: Sequence[Loss]) -> None:
    """Units leave at once; the dice of those that still fire have been counted."""
    wounds, *rest = fight.wounds
    void = len(wounds.by) - len(losses)
    if void:
        course.tell("{count:# hit fits|# hits fit} no unit", count=void)
    luck.destroyed(course, wounds.by, losses)
    spent = sum(casualties.value(course.board, loss) for loss in losses)
    there = lineup.party(course.board, course.active, fight.space, fight.victim)
    casualties.strike_off(course, fight.space, losses, _is_one_of(there))
    tell_losses(course, fight.space, losses)
    attacker, defender = fight.lost
    has_sunk_deck = fight.has_sunk_deck
    if fight.victim == "attacker":
        attacker += spent
    else:
        defender += spent
        has_sunk_deck |= any(loss.kind in CARRIERS for loss in losses)
    save(
        course,
        replace(fight, wounds=tuple(rest), lost=(attacker, defender), has_sunk_deck=has_sunk_deck),
    )


def _is_one_of(there: Sequence[Group]) -> Callable[[Group], bool]:
    """Whether a group is in the battle; while losses are taken its number shrinks."""
    kept = {replace(group, count=1) for group in there}
    return lambda group: replace(group, count=1) in kept or group.has("damaged")


# --- 7.11: the end --------------------------------------------------------------------------------


def _end(course: Course, fight: Fight) -> None:
    board, power, space = course.board, course.active, fight.space
    attack, hold = lineup.attackers(board, power, space), lineup.defenders(board, power, space)
    _tell_end(course, fight, attack, hold)
    if atlas().is_water(space):
        _leave_decks(course, space, fight.has_sunk_deck)
    elif not hold and any(kinds()[group.kind].is_ground for group in attack):
        capture(course, space, power)
    save(course, None)


def _tell_end(course: Course, fight: Fight, attack: Sequence[Group], hold: Sequence[Group]) -> None:
    attacker, defender = fight.lost
    course.announce(
        "End of the battle of {space} after {rounds:# round|# rounds};"
        " attacker: {attackers}, lost {lost} IPC; defender: {defenders}, lost {destroyed} IPC",
        space=space_name(fight.space),
        rounds=fight.round,
        attackers=listed(attack) or (NOBODY,),
        lost=attacker,
        defenders=listed(hold) or (NOBODY,),
        destroyed=defender,
    )


def _leave_decks(course: Course, zone: str, is_sunk: bool) -> None:
    """8.8: aircraft of the defender whose carrier was sunk."""
    for power in POWERS:
        if power not in side(course.active):
            havens.settle(course, zone, power, is_sunk)
            return


_STEPS: dict[FightStep, Callable[[Course, Fight], None]] = {
    "landing": _come_ashore,
    "guns": _fire_guns,
    "bombardment": _bombard,
    "sneak": _sneak,
    "attack": _attack,
    "defence": _defend,
    "submarines": dive,
    "decision": decide,
    "end": _end,
}
