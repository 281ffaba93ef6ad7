"""What an act on a match is about: the seat, the turn, the entry that it names, looked for."""

from __future__ import annotations

from typing import NamedTuple

from pbem.errors import Missing, Stale
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    open_turns,
)

DRAW = "draw"


class Params(NamedTuple):
    """What an act may be told; each takes those it names."""

    seat: int | None = None
    entry: int | None = None
    hours: int | None = None
    deadline: int | None = None
    address: str | None = None
    result: str | None = None
    """The name of a seat that wins, with its allies, or DRAW."""


def check_live(match: MatchRecord) -> None:
    if match.status != LIVE:
        raise Stale("the match is not in progress")


def seat_of(match: MatchRecord, params: Params) -> SeatRecord:
    if params.seat is None or not 0 <= params.seat < len(match.seats):
        raise Missing("there is no such seat")
    return match.seat(params.seat)


def held_seat(match: MatchRecord, params: Params) -> SeatRecord:
    seat = seat_of(match, params)
    if seat.player is None or seat.status != JOINED:
        raise Stale("nobody has this seat")
    return seat


def open_turn(match: MatchRecord, params: Params) -> TurnRecord:
    check_live(match)
    seat = seat_of(match, params)
    found = next((turn for turn in open_turns(match.id) if turn.seat == seat.number), None)
    if found is None:
        raise Stale("it is not this seat's turn now")
    return found


def running_turn(match: MatchRecord, params: Params) -> TurnRecord:
    turn = open_turn(match, params)
    if turn.since is None:
        raise Stale("the clock of this turn is not running")
    return turn
