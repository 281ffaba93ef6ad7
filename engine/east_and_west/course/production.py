"""9.1: buying, and the repair of battleships."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west.board import Board, Group
from engine.east_and_west.course.espionage import most_spies
from engine.east_and_west.course.treasury import purse, require, spend
from engine.east_and_west.data.arsenal import BATTLESHIP, BOMBS, SPY, kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.forces import change_all, count, mark, unmark
from engine.east_and_west.queries import can_build, own_units, price, was_held
from engine.east_and_west.state import State

REPAIR = 10
BOMBS_A_TURN = 1


class Buy(Struct, frozen=True):
    """Kinds with their numbers."""

    units: tuple[tuple[str, int], ...]


class BuyVerb:
    word = "buy"
    action = Buy

    def parse(self, words: Words) -> Buy:
        return Buy(words.units())

    def notate(self, action: Buy) -> str:
        return " ".join(f"{number} {kind}" for kind, number in action.units)

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        most = {kind: most_to_buy(state.board, seat, kind) for kind in kinds()}
        if not prefix:
            return tuple(
                Option(str(number), Text("{number}", {"number": number}))
                for number in range(1, max(most.values()) + 1)
            )
        if len(prefix) > 1 or not prefix[0].isdecimal() or int(prefix[0]) < 1:
            return ()
        number = int(prefix[0])
        return tuple(
            Option(kind, _label(state.board, seat, kind, number), Buy(((kind, number),)))
            for kind in kinds()
            if number <= most[kind]
        )

    def do(self, course: Course, seat: Seat, action: Buy) -> None:
        board = course.board
        require_buyable(board, seat, action.units)
        spend(course, sum(number * price(board, seat, kind) for kind, number in action.units))
        hand = dict(board.powers[seat].hand)
        for kind, number in action.units:
            hand[kind] = hand.get(kind, 0) + number
        course.update_power(seat, hand=hand)
        bombs = sum(number for kind, number in action.units if kind in BOMBS)
        course.update_turn(bombs_bought=course.turn.bombs_bought + bombs)


def _label(board: Board, seat: Seat, kind: str, number: int) -> Text:
    cost = number * price(board, seat, kind)
    return Text("{kind}, for {cost}", {"kind": kinds()[kind].names, "cost": cost})


def most_to_buy(board: Board, seat: Seat, kind: str) -> int:
    """How many of one kind can be bought now."""
    if not can_build(board, seat, kind):
        return 0
    return max(0, min(purse(board) // price(board, seat, kind), _allowed(board, seat, kind)))


def _allowed(board: Board, seat: Seat, kind: str) -> int:
    """4.1, 11.1: the limits for spies and bombs; anything else is limited by money alone."""
    power = board.powers[seat]
    if kind == SPY:
        return most_spies(board, seat) - power.spies - power.hand.get(SPY, 0)
    if kind in BOMBS and not board.variant.nuclear_winter:
        return BOMBS_A_TURN - board.turn.bombs_bought
    return purse(board)


def require_buyable(board: Board, seat: Seat, units: tuple[tuple[str, int], ...]) -> None:
    for kind, _ in units:
        _require_known(board, seat, kind)
    require(board, sum(number * price(board, seat, kind) for kind, number in units))
    numbers = dict(units)
    if numbers.get(SPY, 0) > _allowed(board, seat, SPY):
        raise IllegalAction("spies you may have in all: {most}", most=most_spies(board, seat))
    bombs = sum(numbers.get(kind, 0) for kind in BOMBS)
    if bombs and bombs > _allowed(board, seat, BOMBS[0]):
        raise IllegalAction("you may buy one bomb in a turn, of either kind")


def _require_known(board: Board, seat: Seat, kind: str) -> None:
    """5.6: a new kind of unit needs its technology."""
    needs = kinds()[kind].needs
    if needs is not None and not can_build(board, seat, kind):
        category, step = needs
        raise IllegalAction(
            "to buy {kind} you need {technology}",
            kind=kinds()[kind].names,
            technology=technologies()[category].steps[step - 1],
        )


# --- repairs --------------------------------------------------------------------------------------


class Repair(Struct, frozen=True, omit_defaults=True):
    """Damaged battleships of a zone."""

    zone: str
    number: int = 1


class RepairVerb:
    word = "repair"
    action = Repair

    def parse(self, words: Words) -> Repair:
        zone = words.space()
        return Repair(zone, 1 if words.is_over else words.number())

    def notate(self, action: Repair) -> str:
        return action.zone if action.number == 1 else f"{action.zone} {action.number}"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> tuple[Option[Any], ...]:
        board = state.board
        if prefix or board.variant.simple_battleships or purse(board) < REPAIR:
            return ()
        return tuple(
            Option(zone, Text("{zone}", {"zone": atlas().spaces[zone].names}), Repair(zone))
            for zone in board.units
            if atlas().is_water(zone) and _damaged(board, seat, zone) and _yard(board, seat, zone)
        )

    def do(self, course: Course, seat: Seat, action: Repair) -> None:
        board, zone = course.board, atlas().spaces[action.zone].names
        if board.variant.simple_battleships:
            raise IllegalAction("battleships are repaired by themselves at the end of your turn")
        damaged = _damaged(board, seat, action.zone)
        if not 1 <= action.number <= damaged:
            raise IllegalAction(
                "battleships to be repaired in {zone}: {damaged}, not {number}",
                number=action.number,
                zone=zone,
                damaged=damaged,
            )
        if not _yard(board, seat, action.zone):
            raise IllegalAction(
                "no factory that your side has held since the turn began lies at {zone}", zone=zone
            )
        spend(course, REPAIR * action.number)
        _put_into_dock(course, seat, action)


def _is_damaged(group: Group) -> bool:
    return group.kind == BATTLESHIP and group.has("damaged") and not group.has("repairing")


def _damaged(board: Board, power: Seat, zone: str) -> int:
    return count(group for group in own_units(board, power, zone) if _is_damaged(group))


def _yard(board: Board, power: Seat, zone: str) -> bool:
    """6.9: a friendly land with a factory at the zone, held since the turn began."""
    return any(
        land in board.factories and was_held(board, power, land) for land in atlas().coasts(zone)
    )


def _put_into_dock(course: Course, power: Seat, action: Repair) -> None:
    left = action.number
    for group in own_units(course.board, power, action.zone):
        if left and _is_damaged(group):
            number = min(left, group.count)
            course.take(action.zone, group, number)
            course.put(action.zone, mark(replace(group, count=number), "repairing"))
            left -= number


def finish_repairs(course: Course) -> None:
    """6.9: sound again at placement, wherever the ship is; the simple rule repairs all for free."""
    power, is_simple = course.active, course.board.variant.simple_battleships

    def repaired(group: Group) -> Group:
        is_due = group.has("repairing") or (is_simple and group.has("damaged"))
        return unmark(group, "damaged", "repairing") if group.owner == power and is_due else group

    course.set_units(change_all(course.board.units, repaired))


VERBS = (BuyVerb(), RepairVerb())
