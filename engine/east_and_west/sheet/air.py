"""7.14, 11.3, 11.6, 12: raids, atomic attacks, paratroops and bombs that are flown elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.abilities import SheetForm, SheetValue
from engine.core import BadNotation, Text
from engine.east_and_west.data.arsenal import BOMBER, BOMBS, FIGHTER
from engine.east_and_west.forces import count
from engine.east_and_west.movement.airborne import bomb_targets, bombs_to_fly, drops, raids
from engine.east_and_west.queries import own_units
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.paper import (
    Offer,
    Values,
    amount,
    choice,
    kind_text,
    must_choose,
    space_text,
    spaces,
)
from engine.east_and_west.verbs.aircraft import Drop, FlyBomb, Raid
from engine.east_and_west.verbs.strikes import StrikeOrder, possible_strikes

MISSILE = "missile"


def can_act(desk: Desk, space: str) -> bool:
    """Whether aircraft or bombs of a space may have something else to do than to move."""
    own = own_units(desk.board, desk.power, space)
    return bool(count(own, BOMBER, *BOMBS)) and any(True for _ in offers(desk, space))


def offers(desk: Desk, start: str) -> Iterator[Offer]:
    own = own_units(desk.board, desk.power, start)
    if count(own, BOMBER, FIGHTER):
        for kind in (BOMBER, FIGHTER):
            yield from _dropping(desk, start, kind)
    if desk.context.is_combat and count(own, BOMBER):
        yield from _raiding(desk, start)
    if count(own, *BOMBS):
        yield from _flying_bombs(desk, start)
        if desk.context.is_combat:
            yield from _striking(desk, start)


def _some(values: Values) -> int:
    if not values.number("count"):
        raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
    return values.number("count")


def _dropping(desk: Desk, start: str, kind: str) -> Iterator[Offer]:
    """12.1, 12.5"""
    able = drops(desk.context, start, kind)
    if not able:
        return
    most = max(able.values())
    form = SheetForm(
        f"drop-{kind}",
        Text("Carry infantry by air: {kind}", {"kind": kind_text(kind)}),
        Text("Fly them"),
        (
            amount("count", Text("Aircraft with one infantry each"), most, most),
            must_choose("to", Text("To"), _limits(able), desk.to),
        ),
        is_folded=True,
    )
    yield Offer(form, lambda values: [Drop(start, values.chosen("to"), _some(values), kind)])


def _limits(able: Mapping[str, int]) -> list[SheetValue]:
    return [
        SheetValue(space, space_text(space), Text("up to {most}", {"most": number}))
        for space, number in sorted(able.items())
    ]


def _raiding(desk: Desk, start: str) -> Iterator[Offer]:
    """7.14"""
    able = raids(desk.context, start)
    if not able:
        return
    most = max(able.values())
    form = SheetForm(
        "raid",
        Text("Bomb a factory"),
        Text("Bomb it"),
        (
            amount("count", kind_text(BOMBER), most, most),
            must_choose("to", Text("Factory in"), _limits(able), desk.to),
        ),
        notes=(Text("Guns fire at them; the rest cost the enemy what their dice show."),),
        is_folded=True,
    )
    yield Offer(form, lambda values: [Raid(start, values.chosen("to"), _some(values))])


def _flying_bombs(desk: Desk, start: str) -> Iterator[Offer]:
    """11.2"""
    bombs = bombs_to_fly(desk.context, start)
    lands = bomb_targets(desk.context, start) if bombs else []
    if not lands:
        return
    form = SheetForm(
        "fly-bomb",
        Text("Fly a bomb to a friendly land"),
        Text("Fly it"),
        (
            choice("bomb", Text("Bomb"), [SheetValue(bomb, kind_text(bomb)) for bomb in bombs]),
            must_choose("to", Text("To"), spaces(sorted(lands))),
        ),
        is_folded=True,
    )
    yield Offer(form, lambda values: [FlyBomb(start, values.chosen("to"), values.chosen("bomb"))])


def _striking(desk: Desk, start: str) -> Iterator[Offer]:
    """11.3, 11.6"""
    possible = list(possible_strikes(desk.state, desk.power, start))
    if not possible:
        return
    means = dict.fromkeys((order.bomb, order.by_missile) for order in possible)
    targets = dict.fromkeys(order.target for order in possible)
    form = SheetForm(
        "strike",
        Text("Attack with an atomic weapon"),
        Text("Drop the bomb"),
        (
            choice("means", Text("By"), [_means(bomb, flies) for bomb, flies in means]),
            must_choose("to", Text("On"), spaces(sorted(targets)), desk.to),
        ),
        warning=Text("the world may protest, and a bomb may go off at home"),
        is_folded=True,
    )

    def orders(values: Values) -> list[Any]:
        bomb, *missile = values.chosen("means").split()
        return [StrikeOrder(start, values.chosen("to"), bomb, bool(missile))]

    yield Offer(form, orders)


def _means(bomb: str, by_missile: bool) -> SheetValue:
    if by_missile:
        return SheetValue(
            f"{bomb} {MISSILE}", Text("{bomb}, by missile", {"bomb": kind_text(bomb)})
        )
    return SheetValue(bomb, Text("{bomb}, by bomber", {"bomb": kind_text(bomb)}))
