"""Signs that one person plays as two. Signs, not verdicts: people share households and browsers."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal, NamedTuple

from peewee import Case, Value, fn

from pbem.db.models import AddressChange, Device, Loan, MatchSeat, Player
from pbem.db.reading import every
from pbem.services.records.match_rows import MatchRecord
from pbem.services.seats.loans import RETURNED, RUNNING

Sign = Literal["address", "device"]


class PlayerHint(NamedTuple):
    """Another player who has something in common with one."""

    player: int
    name: str
    address: str
    sign: Sign
    at: int
    """When both were known so: the later of two beginnings."""


def of_player(player: int) -> list[PlayerHint]:
    """Players with the same canonical address, or with a browser in common."""
    found = [*every(_same_address(player), PlayerHint), *every(_same_browser(player), PlayerHint)]
    return sorted(found, key=lambda alike: (alike.player, alike.sign))


def _same_address(player: int) -> Any:
    """Rows that are known to be of one person, after a change of address, are no sign."""
    own, other = Player.alias(), Player.alias()
    known = AddressChange.select(AddressChange.id).where(
        ~AddressChange.is_merger,
        ((AddressChange.player == own.id) & (AddressChange.other == other.id))
        | ((AddressChange.player == other.id) & (AddressChange.other == own.id)),
    )
    return (
        own.select(
            other.id.alias("player"),
            other.name,
            other.address,
            Value("address").alias("sign"),
            _later(own.created_at, other.created_at).alias("at"),
        )
        .join(other, on=(other.canonical_address == own.canonical_address) & (other.id != own.id))
        .where(own.id == player, own.canonical_address != "", ~fn.EXISTS(known))
    )


def _same_browser(player: int) -> Any:
    own, theirs = Device.alias(), Device.alias()
    at = fn.MAX(_later(own.first_at, theirs.first_at))
    return (
        own.select(
            Player.id.alias("player"),
            Player.name,
            Player.address,
            Value("device").alias("sign"),
            at.alias("at"),
        )
        .join(theirs, on=(theirs.digest == own.digest) & (theirs.player != own.player))
        .join(Player, on=Player.id == theirs.player)
        .where(own.player == player)
        .group_by(Player.id, Player.name, Player.address)
    )


def _later(one: Any, other: Any) -> Any:
    return Case(None, [(one > other, one)], other)


class SeatsHint(NamedTuple):
    """Two seats of a match whose players have something in common."""

    seats: tuple[int, int]
    players: tuple[int, int]
    sign: Sign
    at: int


def of_match(match: MatchRecord) -> list[SeatsHint]:
    """Signs between whoever holds or has held different seats of a match."""
    holders = _holders(match.id)
    alike = {player: of_player(player) for player in {holder.player for holder in holders}}
    return [
        SeatsHint((one.seat, other.seat), (one.player, other.player), hint.sign, hint.at)
        for one, other in combinations(holders, 2)
        if one.seat != other.seat
        for hint in alike[one.player]
        if hint.player == other.player
    ]


class _Holder(NamedTuple):
    """A seat, and who holds it or has held it once."""

    seat: int
    player: int


def _holders(match: str) -> list[_Holder]:
    seats = MatchSeat.select(MatchSeat.number.alias("seat"), MatchSeat.player)
    owners = Loan.select(Loan.seat, Loan.owner.alias("player"))
    stand_ins = Loan.select(Loan.seat, Loan.stand_in.alias("player"))
    found = {
        *every(seats.where(MatchSeat.match == match, MatchSeat.player.is_null(False)), _Holder),
        *every(owners.where(Loan.match == match, Loan.owner.is_null(False)), _Holder),
        *every(
            stand_ins.where(
                Loan.match == match,
                Loan.state.in_((RUNNING, RETURNED)),
                Loan.stand_in.is_null(False),
            ),
            _Holder,
        ),
    }
    return sorted(found)
