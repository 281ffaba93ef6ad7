"""13: the neutral alliances and states: whom they favour, who may stay, whom they join."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import INFANTRY, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import (
    ALLIANCES,
    CHINA,
    MINOR,
    NATO,
    POWER_NAMES,
    POWERS,
    USSR,
    are_friends,
)
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change, change_all, count, unmark
from engine.east_and_west.queries import FULL_INFLUENCE, is_friendly, is_own, own_units, pays
from engine.east_and_west.state import State

MANCHURIA, NORTH_KOREA = "manchuria", "north-korea"
GARRISON = 11
"""Chinese infantry in Manchuria at most."""
EXPEDITION = 6
"""Chinese infantry in North Korea at most."""


# --- influence ------------------------------------------------------------------------------------


def favoured(board: Board, alliance: str) -> Seat | None:
    """13.2: whom an alliance pays, if it exists and pays anybody."""
    if alliance not in board.influence:
        return None
    power, paid = pays(board, alliance)
    return power if paid else None


def can_shift(board: Board, alliance: str, steps: int) -> bool:
    """Whether the alliance exists and its marker is not at that end of its track."""
    position = board.influence.get(alliance)
    return position is not None and _clamped(position + steps) != position


def shift(course: Course, alliance: str, steps: int) -> None:
    """13.1: move a marker, plus towards the USSR; whoever is not paid any more has to leave."""
    if not can_shift(course.board, alliance, steps):
        return
    friend, before = favoured(course.board, alliance), course.board.influence[alliance]
    after = _clamped(before + steps)
    course.update(influence={**course.board.influence, alliance: after})
    course.announce(
        "{alliance}: the influence moves from {before} to {after}; plus is the USSR",
        alliance=atlas().alliances[alliance].names,
        before=f"{before:+d}" if before else "0",
        after=f"{after:+d}" if after else "0",
    )
    if friend is not None and favoured(course.board, alliance) != friend:
        expel(course, alliance, friend)
        if (alliance, friend) == (CHINA, USSR):
            recall(course)


def _clamped(position: int) -> int:
    return max(-FULL_INFLUENCE, min(FULL_INFLUENCE, position))


# --- losing access --------------------------------------------------------------------------------


def expel(course: Course, alliance: str, power: Seat) -> None:
    """13.8: all units of a power leave the lands of an alliance; ships are at sea and stay."""
    for land in _lands(course.board, alliance):
        leaving = [
            group for group in own_units(course.board, power, land) if not _came(course, group)
        ]
        if leaving:
            _send_away(course, alliance, land, leaving)


def _came(course: Course, group: Group) -> bool:
    """Units on an attack of this turn are not guests: they fight, or fly home after it.

    Ground units that have moved and do not fight came back to a land where they were guests.
    """
    is_moved = group.used > 0 or group.has("landed") or group.has("dropped")
    is_on_its_way = group.has("attacking") or not kinds()[group.kind].is_ground
    return group.owner == course.active and is_moved and is_on_its_way


def _send_away(course: Course, alliance: str, land: str, leaving: Iterable[Group]) -> None:
    leaving = tuple(leaving)
    power = Seat(leaving[0].owner)
    for group in leaving:
        course.take(land, group)
    target = refuge(course, alliance, land, power)
    number = count(leaving)
    if target is None:
        course.announce(
            "{number:A unit|# units} of {power} in {land} {number:has|have} nowhere to go"
            " and {number:is|are} lost",
            number=number,
            power=POWER_NAMES[power],
            land=atlas().spaces[land].names,
        )
        return
    course.put(target, *(unmark(group, "attacking") for group in leaving))
    course.announce(
        "{number:A unit|# units} of {power} {number:has|have} to leave {land}"
        " and {number:goes|go} to {target}",
        number=number,
        power=POWER_NAMES[power],
        land=atlas().spaces[land].names,
        target=atlas().spaces[target].names,
    )


def refuge(course: Course, alliance: str, land: str, power: Seat) -> str | None:
    """13.8, 19: a friendly land at the alliance's border, else the capital, else any own land."""
    board = course.board
    beside = {
        near
        for member in _lands(board, alliance)
        for near in atlas().neighbours[member]
        if is_friendly(board, power, near)
    }
    if beside:
        return _nearest(course, alliance, land, power, beside)
    capital = next(key for key in atlas().lands if atlas().spaces[key].capital == power)
    if is_own(board, power, capital):
        return capital
    own = {key for key, owner in board.owners.items() if owner == power}
    return _nearest(course, alliance, land, power, own) if own else None


def _nearest(course: Course, alliance: str, land: str, power: Seat, lands: Iterable[str]) -> str:
    """Among equals what the owner prefers, then where most of its units are."""
    far = atlas().distances([land])
    wanted = course.orders(power).refuge.get(alliance)
    return min(
        lands,
        key=lambda key: (
            far[key],
            key != wanted,
            -count(own_units(course.board, power, key)),
            key,
        ),
    )


def _lands(board: Board, alliance: str) -> tuple[str, ...]:
    """What an alliance still holds."""
    return tuple(land for land in atlas().members(alliance) if board.owners[land] == alliance)


# --- joining --------------------------------------------------------------------------------------


def join(course: Course, land: str, power: Seat) -> None:
    """4.3, 13.6: a neutral land becomes a power's, with its troops; it is its home from now on."""
    neutral = course.board.owners[land]
    course.set_owner(land, power)
    course.update(homes={**course.board.homes, land: power})
    course.set_units(
        change(
            course.board.units,
            land,
            lambda group: replace(group, owner=power) if group.owner == neutral else group,
        )
    )


def before_combat(course: Course) -> None:
    """13.9, 19: when the USSR attacks China, the Chinese in North Korea go home first."""
    is_on_china = any(course.turn.owners[land] == CHINA for land in course.turn.attacked)
    if course.active == USSR and is_on_china:
        recall(course)


def after_combat(course: Course) -> None:
    """13.6: what was attacked and not captured joins the other side."""
    attacked = {course.turn.owners[land] for land in course.turn.attacked}
    for alliance in ALLIANCES:
        if alliance in attacked and alliance in course.board.influence:
            _break_up(course, alliance)
    for land in course.turn.attacked:
        power = protector(course.board, land)
        if course.board.owners[land] == MINOR and power is not None:
            join(course, land, power)
            course.announce(
                "{land} was attacked and joins {power}",
                land=atlas().spaces[land].names,
                power=POWER_NAMES[power],
            )


def _break_up(course: Course, alliance: str) -> None:
    """13.6: an alliance that was attacked ceases to exist."""
    power = atlas().alliances[alliance].west if course.active == USSR else USSR
    for guest in POWERS:
        if not are_friends(guest, power):
            expel(course, alliance, guest)
    lands = _lands(course.board, alliance)
    for land in lands:
        join(course, land, power)
    _hand_over(course, alliance, power)
    influence = course.board.influence
    course.update(influence={key: at for key, at in influence.items() if key != alliance})
    course.announce(
        "{alliance} was attacked and exists no longer;"
        " {number:one land joins|# lands join} {power}",
        alliance=atlas().alliances[alliance].names,
        number=len(lands),
        power=POWER_NAMES[power],
    )


def _hand_over(course: Course, alliance: str, power: Seat) -> None:
    """Ships, and Chinese infantry in North Korea, go with their alliance."""
    course.set_units(
        change_all(
            course.board.units,
            lambda group: replace(group, owner=power) if group.owner == alliance else group,
        )
    )


def protector(board: Board, land: str) -> Seat | None:
    """13.6: the power of NATO with the nearest land, counted over all spaces."""
    far = atlas().distances([land])
    reach = {
        power: min(far[key] for key, owner in board.owners.items() if owner == power)
        for power in NATO
        if power in board.owners.values()
    }
    return min(reach, key=lambda power: (reach[power], NATO.index(power))) if reach else None


# --- Chinese troops in North Korea ----------------------------------------------------------------


def recall(course: Course) -> None:
    """13.9: the Chinese in North Korea return to Manchuria; more than 11 there are discarded."""
    returning = count(own_units(course.board, CHINA, NORTH_KOREA))
    if not returning:
        return
    course.set_units(change(course.board.units, NORTH_KOREA, _unless_chinese))
    if course.board.owners[MANCHURIA] == CHINA:
        at_home = _chinese_infantry(course.board, MANCHURIA)
        _raise_infantry(course, min(returning, GARRISON - at_home))
    course.announce(
        "{number:One|#} Chinese infantry {number:returns|return} from {land}",
        number=returning,
        land=atlas().spaces[NORTH_KOREA].names,
    )


def _unless_chinese(group: Group) -> Group | None:
    return None if group.owner == CHINA else group


def refill(course: Course) -> None:
    """13.9: in the Soviet placement Manchuria has 11 infantry again, while China pays the USSR."""
    if favoured(course.board, CHINA) != USSR:
        return
    missing = GARRISON - _chinese_infantry(course.board, MANCHURIA)
    if missing > 0:
        _raise_infantry(course, missing)
        course.tell(
            "{number:One|#} Chinese infantry {number:is|are} raised in Manchuria",
            number=missing,
        )


def reinforcements(board: Board) -> int:
    """13.9: how many Chinese infantry the USSR may send to North Korea now."""
    if favoured(board, CHINA) != USSR or not is_own(board, USSR, NORTH_KOREA):
        return 0
    room = EXPEDITION - count(own_units(board, CHINA, NORTH_KOREA))
    return max(0, min(room, _chinese_infantry(board, MANCHURIA)))


def _chinese_infantry(board: Board, land: str) -> int:
    return count(own_units(board, CHINA, land), INFANTRY)


def _raise_infantry(course: Course, number: int) -> None:
    if number > 0:
        course.put(MANCHURIA, Group(CHINA, INFANTRY, number))


class Reinforce(Struct, frozen=True):
    """13.9: Chinese infantry from Manchuria to North Korea."""

    number: int


class ReinforceVerb:
    word = "reinforce"
    action = Reinforce

    def parse(self, words: Words) -> Reinforce:
        return Reinforce(words.number())

    def notate(self, action: Reinforce) -> str:
        return str(action.number)

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        if prefix or seat != USSR:
            return ()
        return tuple(
            Option(
                str(number),
                Text("{number:One|#} Chinese infantry to North Korea", {"number": number}),
                Reinforce(number),
            )
            for number in range(1, reinforcements(state.board) + 1)
        )

    def do(self, course: Course, seat: Seat, action: Reinforce) -> None:
        self._require(course.board, seat, action.number)
        course.take(MANCHURIA, self._at_home(course.board), action.number)
        course.put(NORTH_KOREA, Group(CHINA, INFANTRY, action.number))
        course.update_turn(reinforced=course.turn.reinforced + action.number)
        course.tell(
            "{number:One|#} Chinese infantry {number:goes|go} to North Korea",
            number=action.number,
        )

    def _at_home(self, board: Board) -> Group:
        groups = own_units(board, CHINA, MANCHURIA)
        return next(group for group in groups if group.kind == INFANTRY)

    def _require(self, board: Board, seat: Seat, number: int) -> None:
        if seat != USSR:
            raise IllegalAction("only the USSR sends Chinese infantry to North Korea")
        possible = reinforcements(board)
        if favoured(board, CHINA) != USSR:
            raise IllegalAction("China sends infantry only while it pays the USSR")
        if not is_own(board, USSR, NORTH_KOREA):
            raise IllegalAction("China sends infantry only while the USSR holds North Korea")
        if not 1 <= number <= possible:
            raise IllegalAction(
                "{number} Chinese infantry cannot go to North Korea; up to {possible} can",
                number=number,
                possible=possible,
            )


VERBS = (ReinforceVerb(),)
