"""9: purchases, with a running total and what would find no place; where new units may stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.abilities import SheetField, SheetForm, SheetLink, SheetValue
from engine.chance import SealedDice
from engine.core import BadNotation, Event, Name, Seat, Text
from engine.east_and_west import report
from engine.east_and_west.board import Group
from engine.east_and_west.course import neutrals, placement
from engine.east_and_west.course.neutrals import Reinforce
from engine.east_and_west.course.placement import Place
from engine.east_and_west.course.production import REPAIR, Buy, Repair, most_to_buy
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.data.arsenal import FACTORY, INFANTRY, SPY, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.orders.foresight import at_stop
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.registry import VERBS
from engine.east_and_west.queries import attack, defence, movement, price
from engine.east_and_west.sheet import ahead
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.outlook import tried
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    Values,
    amount,
    cheapest_first,
    choice,
    count_of,
    flag,
    kind_text,
    nothing,
    space_text,
    spaces,
    units,
    units_text,
)
from engine.east_and_west.state import State

# --- 9.1: buying ----------------------------------------------------------------------------------


def purchases(desk: Desk) -> Iterator[Part]:
    able = {kind: most_to_buy(desk.board, desk.power, kind) for kind in kinds()}
    able = {kind: most for kind, most in able.items() if most}
    filled = desk.filled(able)
    hand = desk.board.powers[desk.power].hand
    lines = [_treasury(desk, filled)]
    if hand:
        lines.append(Text("Bought: {units}", {"units": units_text(sorted(hand.items()))}))
    offers = [_buying(desk, able, filled), *_buying_again(desk)] if able else []
    yield Part(
        "purchases",
        HEADINGS["buy"],
        tuple(lines),
        offers=(*offers, *_repairs(desk)),
        warning=_homeless(desk, filled),
    )


def reminders(desk: Desk) -> Iterator[Text]:
    """9.1: money that could still buy something; it is not lost."""
    left = purse(desk.board)
    if left >= price(desk.board, desk.power, INFANTRY):
        yield Text("{left} IPC are not spent yet.", {"left": left})


def _treasury(desk: Desk, filled: Mapping[str, int]) -> Text:
    cost = _cost(desk, filled)
    if cost:
        return Text(
            "This costs {cost} of the {purse} IPC that you can spend.",
            {"cost": cost, "purse": purse(desk.board)},
        )
    return Text("You can spend {purse} IPC.", {"purse": purse(desk.board)})


def _cost(desk: Desk, units: Mapping[str, int]) -> int:
    return sum(price(desk.board, desk.power, kind) * number for kind, number in units.items())


def _homeless(desk: Desk, filled: Mapping[str, int]) -> Text | None:
    """9.6: what would stay in hand if everything else were placed where there is room."""
    board = desk.board
    hand = dict(board.powers[desk.power].hand)
    for kind, number in filled.items():
        hand[kind] = hand.get(kind, 0) + number
    if not any(hand.values()):
        return None
    power = replace(board.powers[desk.power], hand={k: n for k, n in hand.items() if n})
    state = replace(desk.state, board=replace(board, powers={**board.powers, desk.power: power}))
    if board.turn.stop != "mobilisation":
        state = at_stop(state, desk.power, "logistics")
    course = Course(state, SealedDice())
    placement.place_rest(course)
    left = course.board.powers[desk.power].hand
    homeless = [(kind, number) for kind, number in sorted(left.items()) if kind != SPY]
    if not homeless:
        return None
    return Text("no place for: {units}", {"units": units_text(homeless)})


def _buying(desk: Desk, able: Mapping[str, int], filled: Mapping[str, int]) -> Offer:
    fields = [_field(desk, kind, able[kind], filled.get(kind, 0)) for kind in cheapest_first(able)]
    form = SheetForm("buy", HEADINGS["buy"], Text("Buy these"), tuple(fields), look=Text("Add up"))

    return Offer(form, lambda values: [Buy(values.units(able))])


def _buying_again(desk: Desk) -> Iterator[Offer]:
    """The new units of the last turn once more, as far as money and knowledge go."""
    bought = Buy(tuple(_affordable(desk)))
    if not bought.units:
        return
    form = SheetForm(
        "buy-again",
        Text("As last turn"),
        Text("Buy {units}", {"units": units_text(bought.units)}),
        () if desk.is_ahead else (flag("place", Text("and place them as last turn"), True),),
    )

    def orders(values: Values) -> list[Any]:
        return [bought, *(_placed_later(desk, bought) if values.is_set("place") else ())]

    yield Offer(form, orders)


def _affordable(desk: Desk) -> Iterator[tuple[str, int]]:
    """Kind by kind, the one placed first first; spies are not placed."""
    wanted = Counter[str]()
    for placed in last_placed(desk.told, desk.power):
        wanted[placed.kind] += placed.number
    board, left = desk.board, purse(desk.board)
    for kind, number in wanted.items():
        each = price(board, desk.power, kind)
        count = min(number, most_to_buy(board, desk.power, kind), left // each)
        if count:
            left -= count * each
            yield kind, count


def _placed_later(desk: Desk, bought: Buy) -> list[Any]:
    """14a: at once in the mobilisation; in other turns when it comes to placement."""
    state = tried(desk.state, desk.power, [bought])
    if state is None:
        return []
    if desk.board.turn.stop == "mobilisation":
        return _spread_again(state, desk)
    then = Desk(ahead.foreseen(state, desk.power, "logistics"), desk.power, desk.stage, {})
    places = _spread_again(then.state, desk)
    return list(ahead.noted(state, then, "logistics", places, "")) if places else []


def _spread_again(state: State, desk: Desk) -> list[Place]:
    """What is in hand where it went in the last turn, as far as there is room."""
    course, found = Course(state, SealedDice()), list[Place]()
    for space, kind, number in last_placed(desk.told, desk.power):
        room = placement.placeable(course.board, desk.power, space).get(kind, 0)
        if room:
            order = Place(space, ((kind, min(number, room)),))
            placement.put_down(course, desk.power, order)
            found.append(order)
    return found


def _field(desk: Desk, kind: str, most: int, filled: int) -> SheetField:
    note = Text(
        "costs {price} IPC, {use}",
        {"price": price(desk.board, desk.power, kind), "use": _use(desk, kind)},
    )
    return count_of(kind, kind_text(kind), most, filled, note)


def _use(desk: Desk, kind: str) -> Text:
    """In a few words."""
    unit = kinds()[kind]
    if kind == SPY:
        return Text("works from your next turn on")
    if kind == FACTORY:
        return Text("builds units in a land of yours")
    if unit.group == "special":
        return Text("flown by a bomber")
    if not unit.fights:
        return Text("fires at aircraft, does not fight")
    one = Group(desk.power, kind)
    return Text(
        "attacks {attack}, defends {defence}, moves {movement}",
        {
            "attack": attack(desk.board, one),
            "defence": defence(desk.board, one),
            "movement": movement(desk.board, desk.power, kind),
        },
    )


def _repairs(desk: Desk) -> Iterator[Offer]:
    """6.9"""
    zones = (
        ()
        if desk.board.turn.stop == "mobilisation"
        else tuple(VERBS["repair"].offer(desk.state, desk.power, ()))
    )
    if not zones:
        return
    most = purse(desk.board) // REPAIR
    form = SheetForm(
        "repair",
        HEADINGS["repair"],
        Text("Repair"),
        (
            choice("zone", Text("Where"), [SheetValue(zone.word, zone.label) for zone in zones]),
            amount("count", Text("Battleships"), most, 1),
        ),
        notes=(Text("{price} IPC each", {"price": REPAIR}),),
    )
    yield Offer(
        form, lambda values: [Repair(values.chosen("zone"), max(1, values.number("count")))]
    )


# --- 9.2-9.7: placing -----------------------------------------------------------------------------


def new_units(desk: Desk) -> Iterator[Part]:
    board = desk.board
    hand = {kind: held for kind, held in board.powers[desk.power].hand.items() if kind != SPY}
    open_spaces = {
        space: placement.placeable(board, desk.power, space)
        for space in placement.places(board, desk.power)
    }
    lines = [Text("To place: {units}", {"units": units_text(sorted(hand.items()))})]
    if hand:
        lines.append(Text("What you do not place yourself is placed where there is most room."))
    offers = [*_placing_again(desk), _spreading(desk)] if open_spaces else []
    if desk.at in open_spaces:
        offers.insert(0, _placing(desk, desk.at, open_spaces[desk.at]))
    yield Part(
        "placement",
        HEADINGS["place"],
        tuple(lines),
        links=tuple(_link(desk, space, able) for space, able in open_spaces.items()),
        offers=(*offers, *_reinforcing(desk)),
    )


def _link(desk: Desk, space: str, able: Mapping[str, int]) -> SheetLink:
    return SheetLink(
        space_text(space),
        desk.link(at=space),
        Text("up to {units}", {"units": units_text(sorted(able.items()))}),
        space,
        space == desk.at,
    )


def _placing(desk: Desk, space: str, able: Mapping[str, int]) -> Offer:
    fields: list[SheetField] = units(able, able)
    if atlas().is_water(space):
        yards = spaces(placement.yards(desk.board, space))
        label = Text("Built in")
        fields.append(choice("factory", label, [nothing(Text("whichever has most room")), *yards]))
    form = SheetForm(
        "place",
        Text("Place in {space}", {"space": space_text(space)}),
        Text("Place these"),
        tuple(fields),
    )

    return Offer(form, lambda values: [Place(space, values.units(able), values.chosen("factory"))])


def _placing_again(desk: Desk) -> Iterator[Offer]:
    places = _spread_again(desk.state, desk)
    if places:
        form = SheetForm(
            "place-again",
            Text("As last turn"),
            Text("Spread as last turn"),
            notes=tuple(
                Text(
                    "{space}: {units}",
                    {"space": space_text(order.space), "units": units_text(order.units)},
                )
                for order in places
            ),
        )
        yield Offer(form, lambda values: list(places))


def _spreading(desk: Desk) -> Offer:
    """9.6: what the end of the turn would do, as orders of one's own."""
    form = SheetForm("spread", Text("All at once"), Text("Place all where there is most room"))

    def orders(values: Values) -> list[Any]:
        course = Course(desk.state, SealedDice())
        return list(placement.spread(course))

    return Offer(form, orders)


def _reinforcing(desk: Desk) -> Iterator[Offer]:
    """13.9"""
    most = neutrals.reinforcements(desk.board) if desk.power == USSR else 0
    if desk.board.turn.stop == "mobilisation" or not most:
        return
    form = SheetForm(
        "reinforce",
        HEADINGS["reinforce"],
        Text("Send"),
        (amount("count", Text("Chinese infantry"), most, most),),
    )

    def orders(values: Values) -> list[Any]:
        if not values.number("count"):
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return [Reinforce(values.number("count"))]

    yield Offer(form, orders)


# --- as last turn ---------------------------------------------------------------------------------


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
