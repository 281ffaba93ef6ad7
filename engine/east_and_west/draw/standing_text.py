"""What a seat has said in advance, written as the orders that say it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.east_and_west.standing import NONE, Plan, Standing
from engine.east_and_west.view import View


def own_orders(view: View) -> tuple[str, ...]:
    """All that the reader has said in advance: for all his powers, then for one of them."""
    lines = {power: order_lines(view.said.get(power, NONE)) for power in view.powers}
    if len(lines) < 2:
        return order_lines(view.standing)
    said = [(power, line) for power, own in lines.items() for line in own]
    shared = {
        line: None
        for _, line in said
        if line.startswith("standing ") and all(line in own for own in lines.values())
    }
    return (*shared, *(_named(power, line) for power, line in said if line not in shared))


def _named(power: str, line: str) -> str:
    """A plan needs no name: it is for the battles of this turn."""
    return line if line.startswith("plan ") else f"for {power} {line}"


def order_lines(standing: Standing) -> tuple[str, ...]:
    """Standing orders, battle plans, and what waits for later; each line could be typed."""
    return (*_standing(standing), *_plans(standing), *_later(standing))


def _standing(orders: Standing) -> Iterator[str]:
    """14.2"""
    for topic, by_place in (
        ("losses", orders.losses),
        ("strike-losses", orders.strike_losses),
        ("carrier", orders.havens),
    ):
        for place, kinds in by_place.items():
            yield _joined("standing", topic, place, *kinds)
    for land, target in orders.guns.items():
        yield _joined("standing aa", land, target)
    for zone, diving in orders.submarines.items():
        yield _joined("standing subs", zone, diving.in_words())
    for power, consent in orders.share.items():
        yield _joined("standing share", power, consent)
    for alliance, land in orders.refuge.items():
        yield _joined("standing refuge", alliance, land)
    if orders.spares_chinese:
        yield "standing chinese last"
    if orders.heeds_protests:
        yield "standing complications heed"
    for space in orders.asks:
        yield f"standing ask {space} on"


def _plans(orders: Standing) -> Iterator[str]:
    """14.1"""
    for space, plan in orders.plans.items():
        for clause in _clauses(plan):
            yield f"plan {space} {clause}"


def _clauses(plan: Plan) -> Iterator[str]:
    if plan.losses:
        yield _joined("losses", *plan.losses)
    for words, number in (("after", plan.after), ("odds", plan.odds)):
        if number:
            yield f"retreat {words} {number}"
    for words, number in (("units", plan.below_units), ("power", plan.below_power)):
        if number:
            yield f"retreat below {number} {words}"
    if plan.strafe is not None:
        yield f"retreat strafe {plan.strafe}"
    if plan.asks:
        yield "retreat ask"
    if plan.to:
        yield f"to {plan.to}"
    if plan.keeps_ground:
        yield "keep ground"
    if plan.submarines is not None:
        yield f"subs {plan.submarines.in_words()}"
    if plan.holds_fire:
        yield "no bombardment"
    if plan.air_leaves:
        yield "air leaves"
    if plan.first:
        yield "first"


def _later(orders: Standing) -> Iterator[str]:
    """14.1"""
    for later in orders.later:
        yield f"then {f'if {later.condition} ' if later.condition else ''}{later.order}"


def _joined(*words: str) -> str:
    return " ".join(word for word in words if word)
