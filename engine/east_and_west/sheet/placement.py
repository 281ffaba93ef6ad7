"""9.2-9.7: what was bought: where it may stand, and how much of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.abilities import SheetField, SheetForm, SheetLink
from engine.chance import SealedDice
from engine.core import BadNotation, Text
from engine.east_and_west.course import neutrals, placement
from engine.east_and_west.course.neutrals import Reinforce
from engine.east_and_west.course.placement import Place
from engine.east_and_west.data.arsenal import SPY
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.execution import Course
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    Values,
    choice,
    nothing,
    number,
    space_text,
    spaces,
    units,
    units_text,
)


def parts(desk: Desk) -> Iterator[Part]:
    board = desk.board
    hand = {kind: held for kind, held in board.powers[desk.power].hand.items() if kind != SPY}
    open_spaces = {
        space: placement.placeable(board, desk.power, space)
        for space in placement.places(board, desk.power)
    }
    lines = [Text("To place: {units}", {"units": units_text(sorted(hand.items()))})]
    if hand:
        lines.append(
            Text("What you do not place yourself is placed where there is most room.")
        )
    offers = [_spreading(desk)] if open_spaces else []
    if desk.at in open_spaces:
        offers.insert(0, _placing(desk, desk.at, open_spaces[desk.at]))
    yield Part(
        "placement",
        Text("Placement"),
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

    def orders(values: Values) -> list[Any]:
        chosen = values.numbers(able)
        if not chosen:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return [Place(space, chosen, values.chosen("factory"))]

    return Offer(form, orders)


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
        Text("Send Chinese infantry to North Korea"),
        Text("Send"),
        (number("count", Text("Chinese infantry"), most, most),),
    )

    def orders(values: Values) -> list[Any]:
        if not values.number("count"):
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return [Reinforce(values.number("count"))]

    yield Offer(form, orders)
