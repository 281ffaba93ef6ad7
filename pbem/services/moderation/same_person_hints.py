"""Signs that one person plays as two. Signs, not verdicts: people share households and browsers."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

from pbem.db.store import rows
from pbem.services.records.match_rows import MatchRecord
from pbem.services.seats.stand_ins import RETURNED, RUNNING

Sign = Literal["address", "device"]


class Alike(NamedTuple):
    """Another player who has something in common with one."""

    player: int
    name: str
    address: str
    sign: Sign
    at: int
    """When both were known so: the later of two beginnings."""


_ALIKE = (
    "SELECT o.id, o.name, o.address, 'address', CASE WHEN o.created_at > p.created_at"
    "  THEN o.created_at ELSE p.created_at END"
    " FROM player p JOIN player o ON o.plain = p.plain AND o.id <> p.id"
    " WHERE p.id = ? AND p.plain <> '' AND NOT EXISTS (SELECT 1 FROM address_change c"
    "  WHERE NOT c.is_merger AND ((c.player_id = p.id AND c.other_id = o.id)"
    "  OR (c.player_id = o.id AND c.other_id = p.id)))"
    " UNION ALL"
    " SELECT o.id, o.name, o.address, 'device', MAX(CASE WHEN theirs.first_at > own.first_at"
    "  THEN theirs.first_at ELSE own.first_at END)"
    " FROM device own JOIN device theirs ON theirs.digest = own.digest"
    "  AND theirs.player_id <> own.player_id"
    " JOIN player o ON o.id = theirs.player_id WHERE own.player_id = ?"
    " GROUP BY o.id, o.name, o.address"
    " ORDER BY 1, 4"
)
"""Rows that are known to be of one person, after a change of address, are no sign of anything."""


def of_player(player: int) -> list[Alike]:
    return [Alike(*values) for values in rows(_ALIKE, player, player)]


class Both(NamedTuple):
    """Two seats of a match whose players have something in common."""

    seats: tuple[int, int]
    players: tuple[int, int]
    sign: Sign
    at: int


def of_match(match: MatchRecord) -> list[Both]:
    """Signs between whoever holds or has held different seats of a match."""
    found = rows(
        "SELECT number, player_id FROM seat WHERE match_id = ? AND player_id IS NOT NULL"
        " UNION SELECT seat, owner_id FROM loan WHERE match_id = ? AND owner_id IS NOT NULL"
        " UNION SELECT seat, stand_in_id FROM loan WHERE match_id = ? AND state IN (?, ?)"
        "  AND stand_in_id IS NOT NULL ORDER BY 1, 2",
        match.id,
        match.id,
        match.id,
        RUNNING,
        RETURNED,
    )
    alike = {player: of_player(player) for player in {player for _, player in found}}
    return [
        Both((seat, other_seat), (player, other), one.sign, one.at)
        for (seat, player), (other_seat, other) in combinations(found, 2)
        if seat != other_seat
        for one in alike[player]
        if one.player == other
    ]
