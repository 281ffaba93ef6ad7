"""What a seat says in advance, so that nobody has to wait for it; hidden from all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from engine.core import Seat

GENERAL = ""
"""Stands for every space that has no order of its own."""
DAMAGE = "damage"
"""Stands in an order of losses for the first hit on a battleship."""
CARRIER_FIRST = "carrier"
"""Stands in a list of landing places for any carrier in the zone; 8.8."""

Consent = Literal["always", "never", "ask"]
Target = Literal["aircraft", "armor", "number", "value"]
Dive = Literal["stay", "submerge-after", "submerge-alone", "retreat"]


class Diving(Struct, frozen=True, omit_defaults=True):
    """7.10: what submarines do at the end of a round."""

    order: Dive
    rounds: int = 1
    """submerge-after: so many rounds are fought first."""
    zone: str = ""
    """retreat: where to."""

    def in_words(self) -> str:
        """As it is ordered."""
        if self.order == "submerge-after":
            return f"submerge-after {self.rounds}"
        return f"retreat {self.zone}" if self.order == "retreat" else self.order


class Plan(Struct, frozen=True, omit_defaults=True):
    """14.1: how an attack is to be fought. Any one of its rules is enough for a retreat."""

    losses: tuple[str, ...] = ()
    """Which kinds go first."""
    first: int = 0
    """7.1: fought before others, from 1; 0: when the alphabet says so."""
    after: int = 0
    """Retreat after so many rounds."""
    below_units: int = 0
    """Retreat when fewer units than this are left."""
    below_power: int = 0
    """Retreat when the numbers they hit with add up to less than this."""
    odds: int = 0
    """Retreat when the chance to win, in percent, falls below this."""
    strafe: int | None = None
    """Retreat when the defender has no more than so many units."""
    asks: bool = False
    """Ask after each round."""
    to: str = ""
    """Where to retreat."""
    keeps_ground: bool = False
    """A ground unit is lost last."""
    submarines: Diving | None = None
    holds_fire: bool = False
    """No bombardment from the sea."""
    air_leaves: bool = False
    """In a landing, where ground units cannot retreat, aircraft break off alone."""

    @property
    def may_retreat(self) -> bool:
        """Whether there is any rule by which the battle may be broken off."""
        rules = self.after or self.below_units or self.below_power or self.odds or self.asks
        return bool(rules) or self.strafe is not None


NO_PLAN = Plan()


class DelayedOrder(Struct, frozen=True, omit_defaults=True):
    """14.1: an order for a later stop of the own turn, perhaps under a condition."""

    order: str
    condition: str = ""


class Standing(Struct, frozen=True, omit_defaults=True):
    losses: Mapping[str, tuple[str, ...]] = {}
    """By space: which kinds go first."""
    strike_losses: Mapping[str, tuple[str, ...]] = {}
    """By space: the same under an atomic bomb."""
    guns: Mapping[str, Target] = {}
    """By land: what they fire at; 7.5."""
    submarines: Mapping[str, Diving] = {}
    """By zone: what they do in defence."""
    havens: Mapping[str, tuple[str, ...]] = {}
    """By zone: where fighters land whose carrier was sunk; 8.8."""
    spares_chinese: bool = False
    """14.4: neutral troops beside the own ones are lost last, not first."""
    heeds_protests: bool = False
    """11.4: the USSR does not make use of its right to ignore a complication."""
    share: Mapping[Seat, Consent] = {}
    refuge: Mapping[str, str] = {}
    """By alliance: to which land expelled units go among equals; 13.8."""
    asks: tuple[str, ...] = ()
    """14.5: spaces in which the owner wants to decide."""
    plans: Mapping[str, Plan] = {}
    """By space, for the own turn."""
    later: tuple[DelayedOrder, ...] = ()


NONE = Standing()


def with_orders(
    said: Mapping[Seat, Standing], seat: Seat, orders: Standing
) -> dict[Seat, Standing]:
    """What all have said, with the orders of one seat; who has said nothing is not there."""
    others = {other: own for other, own in said.items() if other != seat}
    return others if orders == NONE else {**others, seat: orders}
