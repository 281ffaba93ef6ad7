"""Somebody else may have a player's letters: everything they led to is shut, and comes anew.

Whoever reads one letter of a mailbox may have read all of them, and what one opened may have shown
the way to another. So there is one revocation for all of a player's links, wherever it is asked
for; fresh ones go to the registered address and are shown to nobody who asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.db.models import Match, MatchSeat
from pbem.db.reading import column, every
from pbem.db.store import writing
from pbem.services.match import matches
from pbem.services.players import accounts, limits
from pbem.services.records import epochs
from pbem.services.records.match_rows import hold_all_of
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins


def by_player(player: int, now: int) -> None:
    """A player, or whoever has one of the player's links, has pressed the button."""
    with writing():
        hold(player)
        limits.by_player("renew", player, now)
        renew(player, now)


def renew(player: int, now: int) -> None:
    """Every link of a player is dead; what waits comes by letter, and so does the own page."""
    with writing():
        hold(player)
        epochs.raise_player(player, now)
        for seat in seats_of(player):
            matches.revoke_links(seat.match, seat.number, now)
        matches.ask_again(player, now)
        stand_ins.ask_again(player, now)
        accounts.owe_own_page(get_player(player), now)


def hold(*players: int, also: Sequence[str] = ()) -> None:
    """All that is a player's is this transaction's alone: the matches, then the player."""
    hold_all_of(*players, also=also)


def touched_by(player: int) -> list[str]:
    """Matches in which a player has no seat, but a word: begun for others, or lent by others."""
    begun = Match.select(Match.id).where(Match.creator == player)
    return [*column(begun), *(loan.match for loan in loans.concerning(player))]


class SeatOfPlayer(NamedTuple):
    match: str
    number: int


def seats_of(player: int) -> list[SeatOfPlayer]:
    taken = MatchSeat.select(MatchSeat.match, MatchSeat.number).where(MatchSeat.player == player)
    return every(taken.order_by(MatchSeat.match, MatchSeat.number), SeatOfPlayer)
