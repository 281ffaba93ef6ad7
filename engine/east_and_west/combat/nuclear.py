"""11: atomic attacks: complications before the combat move, the flight, and what a bomb does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.battle import Blast, Loss, Sortie
from engine.east_and_west.board import Board, Fallout, Group, Question, Strike
from engine.east_and_west.combat import casualties, lineup, luck
from engine.east_and_west.combat.current import ask, combat_of, decides
from engine.east_and_west.combat.guns import fire_salvo, gun_owner
from engine.east_and_west.course import neutrals
from engine.east_and_west.data.arsenal import BOMBER, BOMBS, CARRIERS, HYDROGEN_BOMB, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import (
    ALLIANCES,
    ARAB,
    CHINA,
    OAS,
    POWER_NAMES,
    USSR,
    are_friends,
)
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, mark
from engine.east_and_west.movement import havens
from engine.east_and_west.movement.recall import away, call_back, fetch
from engine.east_and_west.report import in_digits, owner_name, space_name, tell_losses
from engine.east_and_west.standing import NONE

UNITS, VALUE = 5, 1
"""11.7: what an atomic bomb takes; a hydrogen bomb twice as much."""
BAN = 1
"""11.4: for so many rounds after this one a detonation forbids the use of bombs."""
ESCAPE = 1
"""11.5: a bomber that rolls this is lost in its own explosion."""
CHAIN = 1
"""11.7.4: a stored bomb goes off on this."""
PROTESTS = {
    "arab-protest": (ARAB,),
    "chinese-protest": (CHINA,),
    "oas-protest": (OAS,),
    "global-protest": ALLIANCES,
}


def power_of(bomb: str) -> int:
    """11.7: how many atomic bombs it is worth."""
    return 2 if bomb == HYDROGEN_BOMB else 1


# --- 11.4: complications --------------------------------------------------------------------------


def complicate(course: Course, number: int) -> None:
    """Two dice for each bomb in the order of declaration, before anything moves.

    None for a bomb that an earlier one has driven away: its attack is void; 19.
    """
    sortie = _sortie(course, number)
    if sortie is None:
        return
    if not _is_there(course.board, course.active, sortie.strike):
        _cancel(course, sortie)
        return
    faces = course.roll(2, f"strike {number} complication")
    result = atlas().complications[sum(faces)]
    course.tell(
        "{power}, atomic attack on {target}, complications: {faces}",
        power=POWER_NAMES[course.active],
        target=space_name(sortie.strike.target),
        faces=in_digits(faces),
    )
    if result in PROTESTS:
        for alliance in PROTESTS[result]:
            protest(course, alliance)
    elif result in _COMPLICATIONS:
        _COMPLICATIONS[result](course, sortie)


def protest(course: Course, alliance: str) -> None:
    """The marker goes one step to the other side; whoever has to leave has not moved; 19."""
    steps = -1 if course.active == USSR else 1
    if not neutrals.can_shift(course.board, alliance, steps):
        return
    before = neutrals.favoured(course.board, alliance)
    influence = course.board.influence
    moved = replace(course.board, influence={**influence, alliance: influence[alliance] + steps})
    if before == course.active and neutrals.favoured(moved, alliance) != before:
        for land in atlas().members(alliance):
            if course.board.owners[land] == alliance:
                call_back(course, land)
    course.announce(
        "{alliance} protests against the atomic attack", alliance=owner_name(alliance, "")
    )
    neutrals.shift(course, alliance, steps)


def _malfunction(course: Course, sortie: Sortie) -> None:
    """The bomb is a dud; nobody knows before it is dropped."""
    course.tell("The bomb malfunctions")
    sorties = tuple(
        replace(other, is_dud=True) if other == sortie else other
        for other in combat_of(course).sorties
    )
    course.state = replace(course.state, combat=replace(combat_of(course), sorties=sorties))


def _stay_at_home(course: Course, sortie: Sortie) -> None:
    """University protests: this bomb and its bomber stay where they are; not for the USSR."""
    if _ignores(course):
        course.tell("University protests: the USSR ignores them")
        return
    course.announce(
        "University protests: the bomb for {target} is not used in this turn",
        target=space_name(sortie.strike.target),
    )
    _cancel(course, sortie)


def _detonate(course: Course, sortie: Sortie) -> None:
    """The bomb goes off where it stands, with every other bomb there, before anything has moved."""
    land = sortie.strike.start
    course.announce(
        "Detonation: an atomic bomb of {power} goes off in {land}",
        power=POWER_NAMES[course.active],
        land=space_name(land),
    )
    for other in combat_of(course).sorties:
        if other.strike.start == land or not _ignores(course):
            _cancel(course, other)
    call_back(course, land, _flew)
    strength = sum(
        power_of(group.kind) * group.count for group in course.board.at(land) if group.kind in BOMBS
    )
    course.set_units(change(course.board.units, land, _unless_bomb))
    if not _ignores(course):
        course.update_power(course.active, banned_until=course.board.round + BAN)
        course.announce(
            "{power} uses no atomic bombs before round {round}",
            power=POWER_NAMES[course.active],
            round=course.board.round + BAN + 1,
        )
    explode(course, land, strength, is_accident=True)


_COMPLICATIONS: dict[str, Callable[[Course, Sortie], None]] = {
    "detonation": _detonate,
    "malfunction": _malfunction,
    "university-protests": _stay_at_home,
}


def _ignores(course: Course) -> bool:
    """14.2 no. 13: the Soviet right."""
    return course.active == USSR and not course.orders(USSR).heeds_protests


def _unless_bomb(group: Group) -> Group | None:
    return None if group.kind in BOMBS else group


def _cancel(course: Course, sortie: Sortie) -> None:
    """The bomb stays in its place and its bomber on the ground."""
    strike, combat = sortie.strike, combat_of(course)
    left = tuple(other for other in combat.sorties if other != sortie)
    course.state = replace(course.state, combat=replace(combat, sorties=left))
    _ground(course, strike.start, strike.bomb)
    if strike.by == "bomber":
        _ground(course, strike.start, BOMBER)


def _ground(course: Course, land: str, kind: str) -> None:
    group = _ready(course.board, course.active, land, kind)
    if group is not None:
        course.take(land, group, 1)
        course.put(land, mark(replace(group, count=1), "spent"))


def _ready(board: Board, power: str, land: str, kind: str) -> Group | None:
    """A bomb or bomber that has not moved."""
    own = queries.own_units(board, power, land)
    return next((g for g in own if g.kind == kind and not g.marks and not g.used), None)


def _is_there(board: Board, power: str, strike: Strike) -> bool:
    """Whether a bomb, and a bomber where one is needed, are still where the attack begins."""
    needed = (strike.bomb, BOMBER) if strike.by == "bomber" else (strike.bomb,)
    return all(_ready(board, power, strike.start, kind) for kind in needed)


def _flying(board: Board, power: str, space: str) -> Group | None:
    """A bomber over its target."""
    own = queries.own_units(board, power, space)
    return next((g for g in own if g.kind == BOMBER and g.has("carrying")), None)


def _flew(group: Group) -> bool:
    """19 on 11.4: aircraft that survive do not fly in this turn, nor whom they carried."""
    return kinds()[group.kind].is_air or group.has("dropped")


# --- 11.5, 11.6: the attack -----------------------------------------------------------------------


def set_out(course: Course, number: int) -> None:
    """The bomb leaves its land; a neutral that is its target is attacked; 11.3."""
    sortie = _sortie(course, number)
    if sortie is None:
        return
    strike = sortie.strike
    bomb = _ready(course.board, course.active, strike.start, strike.bomb)
    bomber = _ready(course.board, course.active, strike.start, BOMBER)
    if bomb is None or (strike.by == "bomber" and bomber is None):
        return
    course.take(strike.start, bomb, 1)
    if strike.by == "bomber" and bomber is not None:
        course.take(strike.start, bomber, 1)
        flown = replace(bomber, count=1, used=strike.points)
        course.put(strike.target, mark(flown, "carrying"))
    if queries.is_neutral(course.board, strike.target):
        attacked = (*course.turn.attacked, strike.target)
        course.update_turn(attacked=tuple(dict.fromkeys(attacked)))
        neutrals.before_combat(course)
    _save(course, sortie)


def advance(course: Course) -> None:
    """The next step of the atomic attack at hand."""
    sortie = combat_of(course).sortie
    assert sortie is not None
    {"guns": _face_guns, "bomb": _drop, "escape": _escape}[sortie.step](course, sortie)


def _save(course: Course, sortie: Sortie | None) -> None:
    course.state = replace(course.state, combat=replace(combat_of(course), sortie=sortie))


def approach(course: Course, number: int) -> None:
    """7.4: guns on the way shoot at the bomber before it arrives; the bomb falls with it."""
    sortie = _sortie(course, number)
    if sortie is None or sortie.strike.by != "bomber":
        return
    for land in sortie.strike.guns:
        if not lineup.guns(course.board, course.active, land):
            continue
        by = gun_owner(course.board, course.active, land)
        if fire_salvo(course, land, 1, f"strike {number} over {land}"):
            _shot_down(course, sortie, sortie.strike.start, by)
            return


def _face_guns(course: Course, sortie: Sortie) -> None:
    """11.5, 11.6: one die at each bomber or missile; what is hit does not explode."""
    target = sortie.strike.target
    is_land = atlas().is_land(target)
    if is_land and lineup.guns(course.board, course.active, target):
        by = gun_owner(course.board, course.active, target)
        if fire_salvo(course, target, 1, f"strike {sortie.number} {target} guns"):
            if sortie.strike.by == "bomber":
                _shot_down(course, sortie, target, by)
            else:
                course.tell("The missile on {target} is destroyed", target=space_name(target))
            _save(course, None)
            return
    _save(course, replace(sortie, step="bomb"))


def _shot_down(course: Course, sortie: Sortie, space: str, by: str) -> None:
    """A bomber is lost with its bomb, which may still stand in its land."""
    combat, strike = combat_of(course), sortie.strike
    if space == strike.start:
        lost = [_ready(course.board, course.active, space, kind) for kind in (BOMBER, strike.bomb)]
    else:
        lost = [_flying(course.board, course.active, space)]
    for group in lost:
        if group is not None:
            course.take(space, group, 1)
    left = tuple(other for other in combat.sorties if other != sortie)
    course.state = replace(course.state, combat=replace(combat, sorties=left))
    course.announce(
        "The bomber on its way to {target} is shot down with its bomb",
        target=space_name(strike.target),
    )
    luck.destroyed(course, [by], [Loss(course.active, BOMBER)])
    tell_losses(course, space, [Loss(course.active, BOMBER)])


def _drop(course: Course, sortie: Sortie) -> None:
    """11.5, 11.7"""
    target = sortie.strike.target
    if sortie.is_dud:
        course.announce("The bomb on {target} does not explode", target=space_name(target))
        _save(course, None)
        return
    course.announce(
        "{power}: {bomb} on {target}",
        power=POWER_NAMES[course.active],
        bomb=kinds()[sortie.strike.bomb].names,
        target=space_name(target),
    )
    _save(course, replace(sortie, step="escape"))
    chained = _chain(course, sortie, target)
    explode(course, target, power_of(sortie.strike.bomb) + chained)


def _chain(course: Course, sortie: Sortie, space: str) -> int:
    """11.7.4: each bomb stored there rolls once; what they add."""
    stored = [
        group
        for group in course.board.at(space)
        if group.kind in BOMBS and group.owner != course.active
    ]
    dice = [group for group in stored for _ in range(group.count)]
    faces = course.roll(len(dice), f"strike {sortie.number} {space} stored bombs")
    if faces:
        course.tell(
            "Bombs stored in {space}, going off on {number}: {faces}",
            space=space_name(space),
            number=CHAIN,
            faces=in_digits(faces),
        )
    going = [group for group, face in zip(dice, faces, strict=True) if face <= CHAIN]
    for group, number in Counter(going).items():
        course.take(space, group, number)
    return sum(power_of(group.kind) for group in going)


def _escape(course: Course, sortie: Sortie) -> None:
    """11.5: a die for each bomber whose bomb has exploded."""
    strike = sortie.strike
    if strike.by == "bomber":
        faces = course.roll(1, f"strike {sortie.number} escape")
        is_lost = faces[0] <= ESCAPE
        course.tell(
            "Escape of the bomber, lost on {number}: {faces}",
            number=ESCAPE,
            faces=in_digits(faces),
        )
        bomber = _flying(course.board, course.active, strike.target)
        if is_lost and bomber is not None:
            course.take(strike.target, bomber, 1)
            tell_losses(course, strike.target, [Loss(course.active, BOMBER)])
    _save(course, None)


def _sortie(course: Course, number: int) -> Sortie | None:
    """An attack that nothing has stopped."""
    return next((found for found in combat_of(course).sorties if found.number == number), None)


# --- 11.7: the effect -----------------------------------------------------------------------------


def explode(course: Course, space: str, strength: int, is_accident: bool = False) -> None:
    """The land loses value, and units are to be taken away."""
    if atlas().is_land(space):
        course.update(
            fallout=(*course.board.fallout, Fallout(space, VALUE * strength, course.active))
        )
    course.update_turn(bombed=tuple(dict.fromkeys((*course.turn.bombed, space))))
    blast = Blast(space, UNITS * strength, is_accident)
    course.state = replace(course.state, combat=replace(combat_of(course), blast=blast))


def victims(course: Course, blast: Blast) -> list[Group]:
    """11.7.1: who is in the space, the attacker's side only in an accident.

    To an accident also those fall victim who have left the land in the combat move or embarked.
    """
    there = [group for group in course.board.at(blast.space) if kinds()[group.kind].fights]
    if not blast.is_accident:
        return [group for group in there if not are_friends(course.active, group.owner)]
    gone = [one.group for one in away(course, blast.space) if kinds()[one.group.kind].fights]
    return [*there, *gone]


def victims_in_order(course: Course, blast: Blast) -> tuple[Loss, ...]:
    """14.2 no. 2; damage absorbs nothing; 19."""
    groups = victims(course, blast)
    seat = casualties.lister(course.board, blast.space, groups)
    orders = NONE if seat is None else course.orders(seat)
    return casualties.in_order(
        course.board,
        groups,
        casualties.filed_for_strikes(orders, blast.space),
        spares_neutrals=orders.spares_chinese,
        is_total=True,
    )


def settle_blast(course: Course, blast: Blast) -> None:
    """The attacked player chooses; AA guns, factories and bombs stay."""
    possible = victims_in_order(course, blast)
    number = min(blast.units, len(possible))
    seat = casualties.leader(course.board, blast.space, victims(course, blast))
    if casualties.has_choice(possible, number) and decides(course, seat, blast.space):
        assert seat is not None
        ask(course, Question("blast", seat, blast.space, {"hits": number}))
        return
    take_victims(course, blast, possible[:number])


def take_victims(course: Course, blast: Blast, losses: Sequence[Loss]) -> None:
    """Who is still there goes first; aircraft that survive are stunned; 11.7.2."""
    for loss in losses:
        _take_victim(course, blast, loss)
    tell_losses(course, blast.space, losses)
    course.set_units(change(course.board.units, blast.space, lambda group: _stunned(course, group)))
    course.state = replace(course.state, combat=replace(combat_of(course), blast=None))
    if atlas().is_water(blast.space):
        for seat in sorted({loss.owner for loss in losses if loss.kind in CARRIERS}):
            havens.settle(course, blast.space, Seat(seat))


def _take_victim(course: Course, blast: Blast, loss: Loss) -> None:
    def is_such(group: Group) -> bool:
        return (group.owner, group.kind) == (loss.owner, loss.kind)

    if any(is_such(group) for group in course.board.at(blast.space)):
        casualties.strike_off(course, blast.space, [loss], is_such)
        return
    gone = next(gone for gone in away(course, blast.space) if is_such(gone.group))
    fetch(course, gone._replace(group=replace(gone.group, count=1)))


def _stunned(course: Course, group: Group) -> Group:
    """11.7.2: EMP; own aircraft do not fly in this turn, others not in their owner's next."""
    is_striking = group.owner == course.active and group.has("carrying")
    if not kinds()[group.kind].is_air or is_striking:
        return group
    return mark(group, "grounded" if group.owner == course.active else "stunned")
