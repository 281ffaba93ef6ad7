"""What a side says in advance about the events of its flag, so that nobody has to wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from engine.core import Seat, Text
from engine.iron_curtain.deck import SIDES, Deck

ALL = "all"
"""Stands for the rule of every card that has none of its own."""

Rule = Literal["use", "ask", "never"]
RULES: tuple[Rule, ...] = ("use", "ask", "never")
IN_WORDS: dict[Rule, Text] = {
    "use": Text("use it if it needs no choice"),
    "ask": Text("ask me"),
    "never": Text("decline it"),
}
"""What becomes of an event."""


class StandingOrders(Struct, frozen=True):
    """The rules of one side: in general, and for cards that are not on the table yet."""

    general: Rule = "ask"
    cards: tuple[tuple[str, Rule], ...] = ()
    """In the order of the deck; `ask` only where the general rule is another one."""

    def own_rule(self, card: str) -> Rule | None:
        for named, rule in self.cards:
            if named == card:
                return rule
        return None

    def rule(self, card: str) -> Rule:
        """6.6: a rule for a card beats the general one."""
        return self.own_rule(card) or self.general


NONE = StandingOrders()
Both = tuple[StandingOrders, StandingOrders]
"""Of the USA and of the USSR."""


def of_side(both: Both, side: Seat) -> StandingOrders:
    return both[SIDES.index(side)]


def with_rule(orders: StandingOrders, deck: Deck, card: str, rule: Rule) -> StandingOrders:
    """The orders after one more of them; `card` may be `all`."""
    if card == ALL:
        return _in_order(deck, rule, dict(orders.cards))
    return _in_order(deck, orders.general, {**dict(orders.cards), card: rule})


def _in_order(deck: Deck, general: Rule, cards: Mapping[str, Rule]) -> StandingOrders:
    """Equal rules are written down equally."""
    kept = [card for card in deck.order if card in cards and {general, cards[card]} != {"ask"}]
    return StandingOrders(general, tuple((card, cards[card]) for card in kept))


def without_card(both: Both, card: str) -> Both:
    """The card lies on the table: its event will not come up again."""
    usa, ussr = both
    if not usa.cards and not ussr.cards:
        return both
    return _without(usa, card), _without(ussr, card)


def _without(orders: StandingOrders, card: str) -> StandingOrders:
    return StandingOrders(orders.general, tuple(own for own in orders.cards if own[0] != card))


def is_sound(orders: StandingOrders, deck: Deck, cards: list[str]) -> bool:
    """Whether the orders are for these cards only, and written down as all equal ones are."""
    named = dict(orders.cards)
    return named.keys() <= set(cards) and orders == _in_order(deck, orders.general, named)
