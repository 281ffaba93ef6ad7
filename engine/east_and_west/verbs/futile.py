"""14.1, 14.2: orders in advance that could never have an effect, and why."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core import IllegalAction, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Attack, Group
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.retreats import may_sail
from engine.east_and_west.data.arsenal import SUBMARINE, kinds
from engine.east_and_west.data.atlas import CANALS, ICE_CAP, atlas
from engine.east_and_west.reach.terrain import Terrain
from engine.east_and_west.report import space_name
from engine.east_and_west.standing import DAMAGE, Diving
from engine.east_and_west.state import State

LEAST = {"after": 1, "odds": 1, "below-units": 2, "below-power": 1}
"""Smaller numbers than these are never reached while a battle lasts."""


def why_no_losses(space: str, losses: Iterable[str]) -> IllegalAction | None:
    """Kinds that can never fight in a space."""
    for word in losses:
        if word == DAMAGE:
            if atlas().is_land(space):
                return IllegalAction(
                    "a battleship is damaged at sea; in {space} there is none",
                    space=space_name(space),
                )
        elif not _can_fight(word, space):
            return IllegalAction(
                "{kind} cannot be in the battle of {space}",
                kind=kinds()[word].names,
                space=space_name(space),
            )
    return None


def _can_fight(kind: str, space: str) -> bool:
    unit = kinds()[kind]
    if space == ICE_CAP:
        return kind == SUBMARINE
    return unit.fights and (unit.is_air or unit.is_ship == atlas().is_water(space))


def why_no_number(clause: str, number: int) -> IllegalAction | None:
    """A battle is over before so few are left."""
    least = LEAST.get(clause, 0)
    if number >= least:
        return None
    return IllegalAction(
        "a battle ends by itself when nobody is left; the number must be {least} or more",
        least=least,
    )


def why_no_retreat(state: State, seat: Seat, attack: Attack) -> IllegalAction | None:
    """7.9: nobody in the battle could ever break it off."""
    there = lineup.attackers(state.board, seat, attack.space)
    if any(kinds()[group.kind].is_air for group in there):
        return None
    if attack.landings:
        return IllegalAction(
            "units that come ashore in {space} cannot retreat,"
            " nor can those that fight beside them",
            space=space_name(attack.space),
        )
    if not attack.entries:
        return IllegalAction(
            "nobody has come into {space} from a space to which they could retreat",
            space=space_name(attack.space),
        )
    return None


def why_not_to(state: State, seat: Seat, space: str, target: str) -> IllegalAction | None:
    """8.9, 8.12: a way that none of the ships in the battle could go."""
    ships = [group for group in queries.own_units(state.board, seat, space) if _is_ship(group)]
    terrain = Terrain(state, seat)
    if not ships or any(may_sail(terrain, space, target, ship) for ship in ships):
        return None
    return IllegalAction(
        "none of your ships can sail back from {space} to {target}",
        space=space_name(space),
        target=space_name(target),
    )


def _is_ship(group: Group) -> bool:
    return kinds()[group.kind].is_ship


def why_no_dive(space: str, diving: Diving) -> IllegalAction | None:
    """7.10: submarines fight at sea, and leave for a zone beside it."""
    if space and atlas().is_land(space):
        return IllegalAction("submarines do not fight in {space}", space=space_name(space))
    zone = diving.zone
    if not zone:
        return None
    if atlas().spaces[zone].kind != "sea":
        return IllegalAction(
            "submarines retreat to a sea zone, not to {zone}", zone=space_name(zone)
        )
    if space and zone not in atlas().neighbours[space]:
        return IllegalAction(
            "{zone} does not touch {space}", zone=space_name(zone), space=space_name(space)
        )
    if atlas().passages.get((space, zone)) in CANALS:
        return IllegalAction(
            "submarines do not retreat through a canal, as from {space} to {zone}",
            space=space_name(space),
            zone=space_name(zone),
        )
    return None


def why_no_haven(zone: str, place: str) -> IllegalAction | None:
    """8.8: fighters without a carrier land on an island in their zone."""
    if not atlas().is_land(place) or not atlas().is_island(place):
        return IllegalAction(
            "{land} is no island; fighters land on islands or on a carrier", land=space_name(place)
        )
    if zone and place not in atlas().coasts(zone):
        return IllegalAction(
            "{land} does not lie in {zone}", land=space_name(place), zone=space_name(zone)
        )
    return None


def why_no_refuge(alliance: str, land: str) -> IllegalAction | None:
    """13.8: among equals only lands at the border of an alliance are chosen from."""
    if not atlas().is_land(land):
        return IllegalAction("expelled units go to a land")
    if any(land in atlas().neighbours[member] for member in atlas().members(alliance)):
        return None
    return IllegalAction(
        "{land} does not border on {alliance}; expelled units go to a land that does",
        land=space_name(land),
        alliance=atlas().alliances[alliance].names,
    )
