"""Ways in: the link that leads to a thing now, and whether one that was sent still leads there.

A letter carries no more than it needs: what it opens dies with its turn, or when the seat has its
next one. Only the letter that somebody has asked for holds a way to the own page without an end.
"""

from __future__ import annotations

from pbem.links import ActLink, BoardLink, JoinLink, TurnLink, YouLink
from pbem.services.records.match_rows import (
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn_in_match,
    newest_turn_id,
    open_turns,
)
from pbem.services.records.player_rows import PlayerRecord


def to_turn(match: MatchRecord, turn: TurnRecord) -> TurnLink:
    return TurnLink(match.id, turn.seat, turn.id, match.seat(turn.seat).epoch)


def to_seat(match: MatchRecord, seat: SeatRecord) -> ActLink:
    """The page of a seat, until its next turn."""
    return ActLink(match.id, seat.number, seat.epoch, newest_turn_id(match.id, seat.number))


def to_guest(match: MatchRecord, seat: SeatRecord) -> ActLink:
    """The match of a guest, all of it: there are no letters that could bring newer links."""
    return ActLink(match.id, seat.number, seat.epoch)


def to_own_page(player: PlayerRecord) -> YouLink:
    """All of the own page, until the links are renewed."""
    return YouLink(player.id, player.epoch, turn=0)


def from_turn(player: PlayerRecord, match: MatchRecord, turn: TurnRecord) -> YouLink:
    """What of the own page a letter about a turn needs, as long as that is open."""
    return YouLink(player.id, player.epoch, turn.id, match.seat(turn.seat).epoch)


def from_seat(player: PlayerRecord, match: MatchRecord, seat: SeatRecord) -> YouLink | None:
    """The same from a letter to a seat; None where nothing is asked of the player there."""
    if seat.player != player.id or match.status != LIVE:
        return None
    turns = [turn for turn in open_turns(match.id) if turn.seat == seat.number]
    return from_turn(player, match, turns[0]) if turns else None


def to_checkup(player: PlayerRecord) -> BoardLink:
    """Where to try out how boards look in letters."""
    return BoardLink(player.id, player.epoch)


def to_invitation(match: MatchRecord, seat: SeatRecord, player: PlayerRecord) -> JoinLink:
    return JoinLink(match.id, seat.number, player.id, seat.epoch, player.epoch)


# --- whether they are open ------------------------------------------------------------------------


def seat_is_open(link: ActLink, match: MatchRecord) -> bool:
    is_of_seat = match.seat(link.seat).epoch == link.epoch
    return is_of_seat and newest_turn_id(match.id, link.seat) == link.turn


def own_page_is_open(link: YouLink, player: PlayerRecord) -> bool:
    if link.epoch != player.epoch or link.turn is None:
        return False
    if link.turn == 0:
        return True
    found = find_turn_in_match(link.turn)
    if found is None:
        return False
    turn, match = found
    seat = match.seat(turn.seat)
    is_asked = turn.is_open and match.status == LIVE and seat.player == player.id
    return is_asked and seat.epoch == link.seat_epoch


def invitation_is_open(link: JoinLink, match: MatchRecord, player: PlayerRecord) -> bool:
    is_players = link.player_epoch in (None, player.epoch)
    return is_players and match.seat(link.seat).epoch == link.epoch
