"""Battles as data: who takes part, who fires at what, who is lost first, and where each one stands.

`Battle` describes a battle without any board, so that it can be computed with; `Fight` and
`Combat` are the battles of a turn while they are fought, so that one can rest while somebody is
asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from engine.core import Seat
from engine.east_and_west.board import Strike
from engine.east_and_west.data.arsenal import SPECIAL_FORCES, SUBMARINE, kinds

Reach = Literal["ships", "no-submarines", "any"]
REACHES: tuple[Reach, ...] = ("ships", "no-submarines", "any")
"""7.8: what a hit may fall on, the narrowest first: hits of submarines, of aircraft, of others."""

Party = Literal["attacker", "defender"]
Salvo = Literal["", "aircraft", "armor"]
SALVO = 1
"""What guns hit with."""


# --- a battle that can be computed with -----------------------------------------------------------


class Force(Struct, frozen=True, order=True, omit_defaults=True):
    """Units of one owner and kind that are alike in everything that counts in a battle."""

    owner: str
    kind: str
    count: int
    number: int
    """Each hits with this or less; 0: it does not fire."""
    opening: int
    """The same in the first round."""
    hits: int = 1
    """How many each can take."""
    worn: int = 0
    """What each hits with when it has been hit once and can take another."""
    is_sheltered: bool = False
    """7.8: aircraft cannot hit it."""

    @property
    def reach(self) -> Reach:
        """7.8: what its hits may fall on."""
        if self.kind == SUBMARINE:
            return "ships"
        return "no-submarines" if kinds()[self.kind].is_air else "any"

    @property
    def sneaks(self) -> bool:
        """7.7a: as attacker it fires first."""
        return self.kind in (SUBMARINE, SPECIAL_FORCES)


class Loss(Struct, frozen=True, order=True, omit_defaults=True):
    """One hit taken: a unit that is gone, or a battleship that is damaged."""

    owner: str
    kind: str
    is_damage: bool = False


class Side(Struct, frozen=True):
    forces: tuple[Force, ...]
    losses: tuple[Loss, ...]
    """Every hit that it can take, in the order in which it takes them."""

    @property
    def count(self) -> int:
        return sum(force.count for force in self.forces)

    @property
    def power(self) -> int:
        return sum(force.number * force.count for force in self.forces)

    def takes(self, reach: Reach) -> tuple[Loss, ...]:
        """The hits of some reach that it can take, in its order."""
        return tuple(loss for loss in self.losses if self.can_be(loss, reach))

    def can_be(self, loss: Loss, reach: Reach) -> bool:
        """7.8: whether a hit may fall there."""
        if reach == "ships":
            return kinds()[loss.kind].is_ship
        if reach == "no-submarines":
            whose = (loss.owner, loss.kind)
            return not any(f.is_sheltered for f in self.forces if (f.owner, f.kind) == whose)
        return True


class Battle(Struct, frozen=True, omit_defaults=True):
    """A battle as it stands before a round; before round 1 salvoes may still be to come."""

    space: str
    attacker: Side
    defender: Side
    round: int = 1
    """The one that comes next."""
    salvo: Salvo = ""
    """What guns or radar will shoot at before round 1, one die each."""
    carrying: tuple[tuple[str, int], ...] = ()
    """Aircraft, by kind, that are shot at without being in the battle."""
    bombardment: tuple[tuple[int, int], ...] = ()
    """Number rolled against and dice, of ships that fire before round 1."""


class Shot(Struct, frozen=True, order=True):
    """Dice of equal units in one volley."""

    number: int
    owner: str
    kind: str
    count: int
    reach: Reach = "any"


def sneak_attack(battle: Battle) -> tuple[Shot, ...]:
    """7.7a"""
    firing = [force for force in battle.attacker.forces if force.sneaks]
    return aimed(_shots(firing, battle.round), battle.defender)


def main_attack(battle: Battle) -> tuple[Shot, ...]:
    """7.7b"""
    firing = [force for force in battle.attacker.forces if not force.sneaks]
    return aimed(_shots(firing, battle.round), battle.defender)


def return_fire(battle: Battle) -> tuple[Shot, ...]:
    """7.7c: of all who are there after the sneak attack; it is aimed when it is fired."""
    return strongest_first(_shots(battle.defender.forces, battle.round))


def aimed(shots: Iterable[Shot], foe: Side) -> tuple[Shot, ...]:
    """Without those that can hit nothing; strongest to weakest."""
    return strongest_first(shot for shot in shots if shot.number and foe.takes(shot.reach))


def strongest_first(shots: Iterable[Shot]) -> tuple[Shot, ...]:
    """14.6: by the number rolled against; equal ones by owner and kind."""
    return tuple(sorted(shots, key=lambda shot: (-shot.number, shot.owner, shot.kind)))


def is_idle(battle: Battle) -> bool:
    """7.11: nobody left can hit anybody; beaten sides cannot either."""
    later = replace(battle, round=max(2, battle.round))
    return not (
        sneak_attack(later) or main_attack(later) or aimed(return_fire(later), later.attacker)
    )


def _shots(forces: Iterable[Force], round: int) -> list[Shot]:
    counts: dict[Shot, int] = {}
    for force in forces:
        number = force.opening if round == 1 else force.number
        alike = Shot(number, force.owner, force.kind, 0, force.reach)
        counts[alike] = counts.get(alike, 0) + force.count
    return [replace(shot, count=count) for shot, count in counts.items()]


# --- a battle that is being fought ----------------------------------------------------------------


class Wounds(Struct, frozen=True):
    """Hits of one reach that nobody has taken yet."""

    reach: Reach
    by: tuple[str, ...]
    """Whose each of them is."""


FightStep = Literal[
    "landing", "guns", "bombardment", "sneak", "attack", "defence", "submarines", "decision", "end"
]
"""7.3, 7.7"""


class Fight(Struct, frozen=True, omit_defaults=True):
    """7.3: one battle; `step` is what comes next when no hits are left to be taken."""

    space: str
    entries: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    """From which units came ashore."""
    step: FightStep = "landing"
    round: int = 1
    victim: Party = "defender"
    wounds: tuple[Wounds, ...] = ()
    returning: tuple[Shot, ...] = ()
    """Dice of the defender in this round, also of those that were hit in the main attack."""
    target: Salvo = ""
    """What the owner of the guns has chosen."""
    asked: tuple[Seat, ...] = ()
    """Who has decided about submarines in this round."""
    lost: tuple[int, int] = (0, 0)
    """Price of what attacker and defender have lost."""
    has_sunk_deck: bool = False
    """8.8: whether a carrier of the defender was sunk."""


class Sortie(Struct, frozen=True, omit_defaults=True):
    """An atomic attack on its way."""

    strike: Strike
    number: int
    """In the order in which they were declared, from 1."""
    is_dud: bool = False
    step: Literal["guns", "bomb", "escape"] = "guns"


class Blast(Struct, frozen=True, omit_defaults=True):
    """11.7: bombs have gone off, and so many units are still to be taken away."""

    space: str
    units: int
    is_accident: bool = False
    """11.4: in the land from which the bomb was to start, before anything has moved."""


TaskKind = Literal[
    "complication", "setting-out", "approach", "overflight", "strike", "raid", "battle"
]
"""setting-out: who has not been called back moves; approach: guns under the way of an atomic
bomber; overflight: under that of other aircraft."""


class Task(Struct, frozen=True, omit_defaults=True):
    kind: TaskKind
    number: int = 0
    """Of a strike or of a flight, from 1."""
    space: str = ""


class Combat(Struct, frozen=True, omit_defaults=True):
    """Phase 5 of a turn: what is being done, and what is still to do."""

    agenda: tuple[Task, ...] = ()
    """The next first."""
    fight: Fight | None = None
    sortie: Sortie | None = None
    blast: Blast | None = None
    sorties: tuple[Sortie, ...] = ()
    """Atomic attacks that nothing has stopped so far."""
    bombarded: tuple[str, ...] = ()
    """Zones whose ships have fired at a shore."""
