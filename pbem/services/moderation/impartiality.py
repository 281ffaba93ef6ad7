"""Who may not act on a match: a moderator who has, or had, a part in it."""

from __future__ import annotations

from pbem.db.models import Loan, Match, MatchSeat, Player
from pbem.db.reading import column
from pbem.errors import Refused
from pbem.services.records.addresses import canonical_address
from pbem.services.records.match_rows import MatchRecord
from pbem.services.records.moderator_rows import ModeratorRecord


def check_apart(moderator: ModeratorRecord, match: MatchRecord) -> None:
    if has_part(moderator, match):
        raise Refused("you have a part in this match; another moderator has to look after it")


def has_part(moderator: ModeratorRecord, match: MatchRecord) -> bool:
    """Whether a moderator sits in a match, has made it, or has held a seat of it once."""
    loans = Loan.match == match.id
    involved = (
        MatchSeat.select(MatchSeat.player)
        .where(MatchSeat.match == match.id)
        .union(Loan.select(Loan.owner).where(loans))
        .union(Loan.select(Loan.stand_in).where(loans))
        .union(Match.select(Match.creator).where(Match.id == match.id))
    )
    addresses = column(Player.select(Player.address).where(Player.id.in_(involved)))
    return canonical_address(moderator.address) in {
        canonical_address(address) for address in addresses
    }
