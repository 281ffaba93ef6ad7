"""7: one battle, step by step. Each step leaves plain data behind, so that a battle can rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.core import Name, Seat
from engine.east_and_west import casualties, guns, havens, luck, muster, odds, world
from engine.east_and_west.arsenal import CARRIERS, SUBMARINE, kinds
from engine.east_and_west.atlas import atlas
from engine.east_and_west.battle import (
    REACHES,
    Battle,
    Combat,
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
from engine.east_and_west.conquest import capture
from engine.east_and_west.course import Course
from engine.east_and_west.declarations import forget_attack
from engine.east_and_west.forces import mark, unmark
from engine.east_and_west.powers import POWER_NAMES, POWERS, side
from engine.east_and_west.report import (
    listed,
    space_name,
    tell_losses,
    tell_volley,
)
from engine.east_and_west.retreats import exits, is_open
from engine.east_and_west.standing import GENERAL, NONE, Diving, Plan, Standing

AIR = "aircraft"
"""Instead of a space to retreat to: only the aircraft break off."""
NOBODY = Name("nobody", "niemand", "personne")
WILL_SUBMERGE = Diving("submerge-alone")
"""14.2 no. 4: what defending submarines do without an order."""


# --- what a battle looks at -----------------------------------------------------------------------


def combat_of(course: Course) -> Combat:
    assert course.state.combat is not None
    return course.state.combat


def fight_of(course: Course) -> Fight:
    fight = combat_of(course).fight
    assert fight is not None
    return fight


def save(course: Course, fight: Fight | None) -> None:
    course.state = replace(course.state, combat=replace(combat_of(course), fight=fight))


def defence_orders(course: Course, space: str) -> Standing:
    """14.3: of whoever's list counts in the defence; neutrals have said nothing."""
    hold = muster.defenders(course.board, course.active, space)
    seat = casualties.lister(course.board, space, hold)
    return NONE if seat is None else course.orders(seat)


def battle_of(course: Course, fight: Fight) -> Battle:
    return muster.describe(
        course.board,
        course.active,
        fight.space,
        course.plan(fight.space),
        defence_orders(course, fight.space),
        fight.round,
        fight.zones,
    )


def ask(course: Course, question: Question) -> None:
    """14.5: the match rests until somebody has answered."""
    course.update(questions=(*course.board.questions, question))


def decides(course: Course, seat: Seat | None, space: str) -> bool:
    """14.5: whether somebody has switched questions on for a space."""
    return seat is not None and space in course.orders(seat).asks


def _leader(course: Course, space: str) -> Seat | None:
    hold = muster.defenders(course.board, course.active, space)
    return casualties.leader(course.board, space, hold)


# --- the steps ------------------------------------------------------------------------------------


def advance(course: Course) -> None:
    """The next step of the battle at hand: hits are taken first."""
    fight = fight_of(course)
    if fight.wounds:
        _take_wounds(course, fight)
    else:
        _STEPS[fight.step](course, fight)


def _go_on(course: Course, fight: Fight, step: FightStep) -> None:
    save(course, replace(fight, step=step))


def _come_ashore(course: Course, fight: Fight) -> None:
    """7.3, 8.11: who waits on board lands first; then it is seen who fights whom."""
    fight = replace(fight, zones=_land(course, fight))
    attack = muster.attackers(course.board, course.active, fight.space)
    flying = muster.aircraft(course.board, course.active, fight.space)
    if not attack and not flying:
        forget_attack(course, fight.space)
        save(course, None)
        return
    hold = muster.defenders(course.board, course.active, fight.space)
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
    _go_on(course, fight, "guns")


def _land(course: Course, fight: Fight) -> tuple[str, ...]:
    """8.11: from zones that are held what was to land comes ashore; the zones that gave units."""
    waiting = [landing for landing in course.turn.landings if landing.land == fight.space]
    zones = [zone for zone in fight.zones if zone not in {landing.zone for landing in waiting}]
    for landing in waiting:
        if world.enemy_ships(course.board, course.active, landing.zone):
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
    possible = muster.salvoes(board, power, space)
    gunner = muster.gunner(board, power, space)
    if len(possible) > 1 and not fight.target and decides(course, gunner, space):
        assert gunner is not None
        ask(course, Question("target", gunner, space, {"salvoes": possible}))
        return
    target = fight.target or usual_target(course, space)
    if target == "aircraft":
        guns.fire_at_aircraft(course, space, f"battle {space} guns")
    elif target == "armor":
        guns.fire_at_armour(course, space)
    _go_on(course, fight, "bombardment")


def usual_target(course: Course, space: str) -> Salvo:
    """14.2 no. 3: by standing order, else what is worth more."""
    gunner = muster.gunner(course.board, course.active, space)
    orders = NONE if gunner is None else course.orders(gunner)
    return muster.salvo(course.board, course.active, space, muster.gun_order(orders, space))


def answer_target(course: Course, target: Salvo) -> None:
    save(course, replace(fight_of(course), target=target))


# --- 7.6: bombardment -----------------------------------------------------------------------------


def _bombard(course: Course, fight: Fight) -> None:
    plan, combat = course.plan(fight.space), combat_of(course)
    shots: tuple[Shot, ...] = ()
    if not plan.holds_fire:
        possible = muster.bombardment(course.board, course.active, fight.zones, combat.bombarded)
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
        _go_on(course, fight, "end")
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
    return course.active if fight.victim == "attacker" else _leader(course, fight.space)


def take_losses(course: Course, fight: Fight, losses: Sequence[Loss]) -> None:
    """Units leave at once; the dice of those that still fire have been counted."""
    wounds, *rest = fight.wounds
    void = len(wounds.by) - len(losses)
    if void:
        course.tell("{count:# hit fits|# hits fit} no unit", count=void)
    luck.destroyed(course, wounds.by, losses)
    spent = sum(casualties.value(course.board, loss) for loss in losses)
    there = muster.party(course.board, course.active, fight.space, fight.victim)
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


# --- 7.10: submarines -----------------------------------------------------------------------------


def _dive(course: Course, fight: Fight) -> None:
    """7.7e: owner by owner, the defenders first."""
    seat = _next_diver(course, fight)
    if seat is None:
        save(course, replace(fight, step="decision", asked=()))
        return
    if decides(course, seat, fight.space):
        ask(course, Question("submarines", seat, fight.space))
        return
    way = usual_dive(course, seat, fight)
    if way is not None:
        leave(course, seat, fight, way, submarines(course, seat, fight))
    save(course, replace(fight, asked=(*fight.asked, seat)))


def usual_dive(course: Course, seat: Seat, fight: Fight) -> str | None:
    """What was ordered: a zone to retreat to, nothing for submerging, None for staying."""
    order = diving(course, seat, fight)
    if order.order == "retreat":
        return order.zone if order.zone in exits(course.board, seat, fight.space) else None
    if order.order == "submerge-after":
        return "" if fight.round >= order.rounds else None
    if order.order == "submerge-alone":
        return "" if _is_alone(course, seat, fight) else None
    return None


def _next_diver(course: Course, fight: Fight) -> Seat | None:
    order = [power for power in POWERS if power != course.active] + [course.active]
    is_over = not _both_stand(course, fight)
    return next(
        (
            power
            for power in order
            if power not in fight.asked and not is_over and submarines(course, power, fight)
        ),
        None,
    )


def diving(course: Course, seat: Seat, fight: Fight) -> Diving:
    """14.1, 14.2 no. 4: the attacker by his plan, the defender by standing order."""
    if seat == course.active:
        return course.plan(fight.space).submarines or Diving("stay")
    orders = course.orders(seat).submarines
    return orders.get(fight.space) or orders.get(GENERAL, WILL_SUBMERGE)


def submarines(course: Course, seat: Seat, fight: Fight) -> int:
    """How many of a power are in the battle."""
    return sum(group.count for group in _own(course, seat, fight) if group.kind == SUBMARINE)


def _own(course: Course, seat: Seat, fight: Fight) -> list[Group]:
    which: Party = "attacker" if seat == course.active else "defender"
    there = muster.party(course.board, course.active, fight.space, which)
    return [group for group in there if group.owner == seat]


def _is_alone(course: Course, seat: Seat, fight: Fight) -> bool:
    """No ship of its side is left but submarines."""
    which: Party = "attacker" if seat == course.active else "defender"
    return not any(
        kinds()[group.kind].is_ship and group.kind != SUBMARINE
        for group in muster.party(course.board, course.active, fight.space, which)
    )


def leave(course: Course, seat: Seat, fight: Fight, zone: str, count: int) -> None:
    """So many submarines of a power submerge, or go to another zone."""
    for group in _own(course, seat, fight):
        number = min(count, group.count) if group.kind == SUBMARINE else 0
        if not number:
            continue
        count -= number
        course.take(fight.space, group, number)
        out = unmark(replace(group, count=number), "attacking")
        if zone:
            course.put(zone, mark(out, "spent") if seat == course.active else out)
        else:
            course.put(fight.space, mark(out, "submerged"))
        _tell_leaving(course, seat, out, zone)


def _tell_leaving(course: Course, seat: Seat, out: Group, zone: str) -> None:
    power, units = POWER_NAMES[seat], listed([out])
    if zone:
        course.tell(
            "{power}: {units} {count:retreats|retreat} to {zone}",
            power=power,
            units=units,
            count=out.count,
            zone=space_name(zone),
        )
    else:
        course.tell(
            "{power}: {units} {count:submerges|submerge}",
            power=power,
            units=units,
            count=out.count,
        )


def answer_submarines(course: Course, seat: Seat, zone: str, count: int) -> None:
    """`count` of them leave; none: they stay."""
    fight = fight_of(course)
    leave(course, seat, fight, zone, count)
    save(course, replace(fight, asked=(*fight.asked, seat)))


# --- 7.9: retreat ---------------------------------------------------------------------------------


def _decide(course: Course, fight: Fight) -> None:
    """7.7f: the attacker goes on, or breaks off as his plan says."""
    if not _both_stand(course, fight):
        _go_on(course, fight, "end")
        return
    plan, ways = course.plan(fight.space), ways_out(course, fight)
    if ways and (plan.asks or decides(course, course.active, fight.space)):
        ask(course, Question("retreat", course.active, fight.space, {"ways": ways}))
        return
    way = _planned_way(course, fight, plan, ways)
    if way is None or not _wants_out(course, fight, plan):
        fight_on(course)
    else:
        retreat(course, way)


def _both_stand(course: Course, fight: Fight) -> bool:
    here = (course.board, course.active, fight.space)
    return bool(muster.attackers(*here)) and bool(muster.defenders(*here))


def _wants_out(course: Course, fight: Fight, plan: Plan) -> bool:
    """14.1: any one rule is enough; what the defender has said in advance is not looked at."""
    battle = muster.describe(course.board, course.active, fight.space, plan, NONE, fight.round + 1)
    return (
        0 < plan.after <= fight.round
        or battle.attacker.count < plan.below_units
        or battle.attacker.power < plan.below_power
        or (plan.strafe is not None and battle.defender.count <= plan.strafe)
        or (plan.odds > 0 and odds.win_chance(battle) * 100 < plan.odds)
    )


def ways_out(course: Course, fight: Fight) -> tuple[str, ...]:
    """7.9: spaces to which all can go, or nothing but the aircraft's way home."""
    power = course.active
    there = muster.attackers(course.board, power, fight.space)
    bound = [group for group in there if not kinds()[group.kind].is_air]
    open_ways = tuple(
        entry
        for entry in fight.entries
        if bound and not fight.zones and is_open(course.state, power, fight.space, entry, bound)
    )
    return open_ways or ((AIR,) if len(bound) < len(there) else ())


def _planned_way(course: Course, fight: Fight, plan: Plan, ways: Sequence[str]) -> str | None:
    """As the plan says, else where most own units are; aircraft leave others alone if told so."""
    if not ways:
        return None
    if ways == (AIR,):
        there = muster.attackers(course.board, course.active, fight.space)
        is_air_only = all(kinds()[group.kind].is_air for group in there)
        return AIR if plan.air_leaves or is_air_only else None
    if plan.to in ways:
        return plan.to
    units = course.board
    return min(
        ways,
        key=lambda way: (
            -sum(group.count for group in world.own_units(units, course.active, way)),
            way,
        ),
    )


def retreat(course: Course, way: str) -> None:
    """All break off together; in a landing only the aircraft, and the others fight on."""
    fight, power = fight_of(course), course.active
    for group in muster.attackers(course.board, power, fight.space):
        is_air = kinds()[group.kind].is_air
        if way == AIR and not is_air:
            continue
        course.take(fight.space, group)
        out = unmark(group, "attacking")
        if is_air:
            course.put(fight.space, out)
        else:
            course.put(way, mark(unmark(out, "dropped"), "spent"))
    if way == AIR:
        course.tell("{power}: the aircraft leave the battle", power=POWER_NAMES[power])
    else:
        course.tell("{power} retreats to {space}", power=POWER_NAMES[power], space=space_name(way))
    fight_on(course)


def fight_on(course: Course) -> None:
    """The next round; a battle that one side has left ends there."""
    fight = fight_of(course)
    if _both_stand(course, fight):
        save(course, replace(fight, step="sneak", round=fight.round + 1))
    else:
        _go_on(course, fight, "end")


# --- 7.11: the end --------------------------------------------------------------------------------


def _end(course: Course, fight: Fight) -> None:
    board, power, space = course.board, course.active, fight.space
    attack, hold = muster.attackers(board, power, space), muster.defenders(board, power, space)
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
    "submarines": _dive,
    "decision": _decide,
    "end": _end,
}
