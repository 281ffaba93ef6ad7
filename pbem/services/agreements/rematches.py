"""Once more: a match that is over is played again with the sides swapped, when all agree.

Who asks makes the new match, with its commitment, and sits down; the others are invited. All
addresses are known, so nobody has to confirm one. Who asks while invited agrees. Who has played
several seats does so again, and answers once for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.core import Seat
from pbem.db.models import Match
from pbem.db.reading import column, value
from pbem.db.store import writing
from pbem.errors import Stale
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.players import bans, blocks, limits
from pbem.services.records import alliances
from pbem.services.records.match_rows import (
    CANCELLED,
    DECLINED,
    FORMING,
    INVITED,
    JOINED,
    MACHINE,
    OVER,
    MatchRecord,
    SeatRecord,
    find_match,
    get_match,
    hold_found,
)
from pbem.services.records.player_rows import get_player

FREE, ASKED, INVITING = "free", "asked", "inviting"
BEGUN, REFUSED, IMPOSSIBLE = "begun", "refused", "impossible"


_WAITING = {JOINED: ASKED, INVITED: INVITING}
"""What a rematch that has not begun is for a player whose seat in it has this status."""


class Prospect(NamedTuple):
    """How a rematch stands for one seat of the match before."""

    state: str
    """free (may be asked for), asked (by this seat), inviting, begun, refused or impossible."""
    match: MatchRecord | None = None
    """The new one, once somebody has asked."""


def prospect(match: MatchRecord, number: int) -> Prospect:
    """What a seat of a match that is over can do about a rematch."""
    player, new = match.seat(number).player, find(match.id)
    if match.status != OVER or player is None:
        return Prospect(IMPOSSIBLE)
    if new is not None and new.status not in (FORMING, CANCELLED):
        return Prospect(BEGUN, new)
    own = _seat_of(new, player) if new is not None else None
    if new is not None and new.status == FORMING:
        if blocks.has_blocked(player, new.creator):
            return Prospect(IMPOSSIBLE)
        return Prospect(_WAITING.get(own.status if own is not None else DECLINED, REFUSED), new)
    if new is not None and any(s.status == DECLINED and s.player != player for s in new.seats):
        return Prospect(REFUSED, new)
    return Prospect(FREE if is_possible(match) else IMPOSSIBLE)


def find(match_id: str) -> MatchRecord | None:
    """The newest rematch of a match."""
    made = Match.select(Match.id).where(Match.rematch_of == match_id)
    newest = value(made.order_by(Match.created_at.desc(), Match.id.desc()).limit(1))
    return find_match(newest) if newest is not None else None


def is_possible(match: MatchRecord) -> bool:
    """Whether each seat has a person, or the computer, and all of them can change seats."""
    has_person = any(seat.status == JOINED for seat in match.seats)
    is_whole = all(seat.status in (JOINED, MACHINE) for seat in match.seats)
    return match.status == OVER and has_person and is_whole and _is_fair(match, swapped(match))


def _seat_of(match: MatchRecord, player: int) -> SeatRecord | None:
    return next((seat for seat in match.seats if seat.player == player), None)


# --- asking and answering -------------------------------------------------------------------------


def ask(match_id: str, number: int, phrase: str, now: int) -> str:
    """Ask for a rematch, or agree to the one that another seat asked for; the id of the new match.

    Asking again changes nothing.
    """
    with writing():
        match = _locked(match_id)
        found = prospect(match, number)
        if found.state == INVITING and found.match is not None:
            _sit_down(found.match, match.seat(number), phrase, now)
        if found.match is not None and found.state in (ASKED, INVITING, BEGUN):
            return found.match.id
        if found.state == REFUSED:
            raise Stale("a rematch was declined; only those who declined can ask for one now")
        if found.state != FREE:
            raise Stale("this match cannot be played again with the same players")
        asker = match.seat(number).player
        assert asker is not None, "there is a prospect only for a person"
        bans.check(asker)
        limits.by_seat("rematch", match.id, number, now)
        return _make(match, asker, phrase, now)


def _locked(match_id: str) -> MatchRecord:
    """The match, and those that were made after it, for this transaction alone."""
    after = Match.select(Match.id).where(Match.rematch_of == match_id).order_by(Match.id)
    hold_found(lambda: [match_id, *column(after)])
    return get_match(match_id)


def _sit_down(new: MatchRecord, before: SeatRecord, phrase: str, now: int) -> None:
    assert before.player is not None, "somebody asks"
    person, own = get_player(before.player), _seat_of(new, before.player)
    assert own is not None, "that player was invited"
    says = Joining(person.name, person.language, person.zone, phrase)
    joining.accept(new.id, own.number, person.id, says, now)


def decline(match_id: str, number: int, now: int) -> None:
    """No rematch; whoever asked is told."""
    with writing():
        match = _locked(match_id)
        found, player = prospect(match, number), match.seat(number).player
        if found.state != INVITING or found.match is None or player is None:
            raise Stale("nobody is asking you for a rematch any more")
        own = _seat_of(get_match(found.match.id), player)
        assert own is not None, "that player was invited"
        joining.decline(found.match.id, own.number, player, now)


# --- the new match --------------------------------------------------------------------------------


def _make(match: MatchRecord, asker: int, phrase: str, now: int) -> str:
    """The same game, options and clock; who asks has sat down in it already."""
    seats = swapped(match)
    addresses: dict[str, str | None] = {
        name: get_player(before.player).address
        for name, before in seats.items()
        if before.player is not None
    }
    return matches.create(
        Wanted(
            game=match.game_name,
            setup=match.setup,
            pace=match.pace,
            addresses=addresses,
            creator=get_player(asker).address,
            phrase=phrase,
            clock=match.clock,
            machines=frozenset(name for name, seat in seats.items() if seat.status == MACHINE),
            visibility=match.visibility,
            rematch_of=match.id,
        ),
        now,
    )


def swapped(match: MatchRecord) -> dict[Seat, SeatRecord]:
    """Who sits where in a rematch: each seat with one that its player had before.

    All move on by so many seats that everybody changes sides, or by the fewest where that cannot
    be. Where somebody would play against himself so, each side goes to who played against it.
    """
    shifts = range(1, len(match.seats))
    fair = [moved for by in shifts if _is_fair(match, moved := _moved_on(match, by))]
    ways = fair or [_handed_over(match)]
    return next((seats for seats in ways if _changes_all_sides(match, seats)), ways[0])


def _moved_on(match: MatchRecord, by: int) -> dict[Seat, SeatRecord]:
    seats = match.seats
    return {seats[(before.number + by) % len(seats)].name: before for before in seats}


def _handed_over(match: MatchRecord) -> dict[Seat, SeatRecord]:
    seats = match.seats
    return {seat.name: next(iter(alliances.opponents(match, seat.name)), seat) for seat in seats}


def _is_fair(match: MatchRecord, seats: Mapping[Seat, SeatRecord]) -> bool:
    """Whether everybody has a seat, and nobody plays against himself."""
    people = {seat.player for seat in match.seats}
    if people != {before.player for before in seats.values()}:
        return False
    return not any(
        seats[seat.name].player == seats[foe.name].player is not None
        for seat in match.seats
        for foe in alliances.opponents(match, seat.name)
    )


def _changes_all_sides(match: MatchRecord, seats: Mapping[Seat, SeatRecord]) -> bool:
    return all(before.name not in alliances.together(match, name) for name, before in seats.items())
