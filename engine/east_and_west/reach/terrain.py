"""The board as the power at turn sees it when it moves: what is open, blocked, hostile to it."""

from __future__ import annotations

from functools import cached_property

from engine.core import Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Group
from engine.east_and_west.data.arsenal import SUBMARINE, kinds
from engine.east_and_west.data.atlas import CANALS, Passage, atlas
from engine.east_and_west.data.powers import ARAB, USSR, foes, is_power, side
from engine.east_and_west.state import State

STRAITS: dict[Passage, str] = {
    "dardanelles": "turkey",
    "gibraltar": "gibraltar",
    "oresund": "west-germany",
    "panama": "panama",
}
"""8.12: who holds this land since the start of the turn may pass; Suez has rules of its own."""
SUEZ_LANDS = ("egypt", "jordan")


class Terrain:
    """A board as the power at turn sees it when it moves; each question is answered once."""

    def __init__(self, state: State, power: Seat) -> None:
        self.state, self.power = state, power
        self.board: Board = state.board
        self.is_combat = self.board.turn.stop == "operations"
        self.foes = frozenset(foes(power))
        self._movement: dict[tuple[str, str], int] = {}

    # --- lands ------------------------------------------------------------------------------------

    @cached_property
    def broken(self) -> frozenset[str]:
        """Alliances that are attacked in this turn: nobody passes any more; 19 on 13.4."""
        spaces = atlas().spaces
        return frozenset(spaces[land].owner for land in self.board.turn.attacked)

    @cached_property
    def welcoming(self) -> frozenset[str]:
        """8.6, 13.3: whose lands are open: the own side's, and those of alliances that pay it."""
        board, power = self.board, self.power
        paying = {held for held in board.influence if queries.pays_power(board, power, held)}
        return frozenset(side(power)) | (paying - self.broken)

    @cached_property
    def open_lands(self) -> frozenset[str]:
        """Lands that own units may cross and stay in."""
        return frozenset(land for land, held in self.board.owners.items() if held in self.welcoming)

    @cached_property
    def passable_neutrals(self) -> frozenset[str]:
        """13.3: open lands that belong to an alliance."""
        owners = self.board.owners
        return frozenset(land for land in self.open_lands if not is_power(owners[land]))

    @cached_property
    def assailable(self) -> frozenset[str]:
        """Lands into which a combat move may lead; what is open has to be declared first."""
        board, owners = self.board, self.board.owners
        hostile = {
            held
            for held in {*owners.values()} - self.welcoming
            if queries.may_attack_owner(board, self.power, held)
        }
        return frozenset(land for land, held in owners.items() if held in hostile)

    @cached_property
    def enterable_lands(self) -> frozenset[str]:
        """Where ground units may go in the combat move."""
        return self.open_lands | self.assailable

    def is_defended(self, land: str) -> bool:
        """7.2: combat units, or a battle that was declared already, as by paratroops."""
        return bool(queries.defenders(self.board, self.power, land)) or land in self.declared

    @cached_property
    def declared(self) -> frozenset[str]:
        """Spaces in which there will be a battle."""
        return frozenset(attack.space for attack in self.board.turn.attacks)

    @cached_property
    def struck(self) -> frozenset[str]:
        """11.3: spaces that no conventional attack may enter in this turn."""
        if self.board.variant.nuclear_winter:
            return frozenset()
        targets = {strike.target for strike in self.board.turn.strikes}
        return frozenset(targets | {*self.board.turn.bombed})

    def is_free_of_bombs(self, space: str) -> bool:
        return space not in self.struck

    def may_blitz(self, land: str) -> bool:
        """8.4: enemy land, not neutral land, without combat units."""
        return (
            queries.is_enemy(self.board, self.power, land)
            and not self.is_defended(land)
            and self.is_free_of_bombs(land)
        )

    # --- water ------------------------------------------------------------------------------------

    @cached_property
    def enemy_fleets(self) -> dict[str, list[Group]]:
        """Zones with enemy ships that are not submerged, and those ships."""
        found: dict[str, list[Group]] = {}
        foes, units = self.foes, kinds()
        for zone, groups in self.board.units.items():
            for group in groups:
                if group.owner in foes and units[group.kind].is_ship and not group.has("submerged"):
                    found.setdefault(zone, []).append(group)
        return found

    @cached_property
    def blocked(self) -> frozenset[str]:
        """8.3: zones with ships that stop others."""
        if not self.board.variant.ignore_subs:
            return self.hostile
        return frozenset(
            zone
            for zone, ships in self.enemy_fleets.items()
            if any(ship.kind != SUBMARINE for ship in ships)
        )

    @cached_property
    def hostile(self) -> frozenset[str]:
        """Zones with ships that can be attacked, also those that need stop nobody; 16.26."""
        return frozenset(self.enemy_fleets)

    def passes(self, start: str, zone: str, kind: str) -> bool:
        """8.12: through a canal or strait, or where there is none."""
        passage = atlas().passages.get((start, zone))
        if passage is None or (passage == "oresund" and not self.board.variant.baltic_strait):
            return True
        if kind == SUBMARINE and passage not in CANALS:
            return True
        return self.is_open_passage(passage)

    def is_open_passage(self, passage: Passage) -> bool:
        if passage != "suez":
            return queries.was_held(self.board, self.power, STRAITS[passage])
        return self._likes_the_league or all(
            queries.was_held(self.board, self.power, land) for land in SUEZ_LANDS
        )

    @property
    def _likes_the_league(self) -> bool:
        position = self.board.influence.get(ARAB)
        if position is None:
            return False
        return position >= 0 if self.power == USSR else position <= 0

    def slips(self, kind: str) -> bool:
        """5.9: submarines with a snorkel are stopped by nobody."""
        return kind == SUBMARINE and queries.knows(self.board, self.power, "submarine", 1)

    def may_dive(self, group: Group) -> bool:
        """8.9: nuclear submarines go under the ice, but not back where they began the turn."""
        return (
            group.kind == SUBMARINE
            and queries.knows(self.board, self.power, "submarine", 2)
            and not group.has("surfaced")
        )

    # --- air --------------------------------------------------------------------------------------

    @cached_property
    def airspace(self) -> frozenset[str]:
        """8.13: everything but the ice and the lands of neutrals that do not pay the power."""
        held = self.board.owners.items()
        return atlas().seas | self.open_lands | {land for land, owner in held if is_power(owner)}

    @cached_property
    def enterable_by_air(self) -> frozenset[str]:
        """The same with battles over lands that nobody flies over on the way elsewhere."""
        return self.airspace | self.assailable

    @cached_property
    def guns(self) -> frozenset[str]:
        """7.4: enemy lands whose guns shoot at what flies over them."""
        if not self.board.variant.aa_overflight:
            return frozenset()
        return frozenset(
            land
            for land, held in self.board.owners.items()
            if held in self.foes and queries.has_gun(self.board, land)
        )

    # --- units ------------------------------------------------------------------------------------

    def points(self, group: Group) -> int:
        """Movement points that are left to a unit in this turn."""
        whole = self._movement.get((group.owner, group.kind))
        if whole is None:
            whole = queries.movement(self.board, group.owner, group.kind, not self.is_combat)
            self._movement[group.owner, group.kind] = whole
        return max(0, whole - group.used)
