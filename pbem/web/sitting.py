"""Whoever opens a signed link: which seat it belongs to, and in whose language its pages speak."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple

from flask import abort
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.links import ActLink, Purpose, TurnLink
from pbem.services.records import (
    MatchRecord,
    PlayerRecord,
    SeatRecord,
    TurnRecord,
    find_match,
    find_player,
    find_turn,
)
from pbem.web.hosting import links, outdated
from pbem.words import speak


class Replaced(Refused):
    """The link was good once; newer ones have been sent."""


class Visit(NamedTuple):
    """A seat and its player, come by a link."""

    token: str
    match: MatchRecord
    seat: SeatRecord
    player: PlayerRecord

    @property
    def act_token(self) -> str:
        return links().sign("act", ActLink(self.match.id, self.seat.number, self.seat.epoch))


class TurnVisit(NamedTuple):
    """A visit by the link of a turn, or of one order in it."""

    visit: Visit
    turn: TurnRecord
    code: str

    @property
    def turn_token(self) -> str:
        if not self.code:
            return self.visit.token
        match, seat = self.visit.match, self.visit.seat
        return links().sign("turn", TurnLink(match.id, seat.number, self.turn.id, seat.epoch))


def visit_turn(purpose: Purpose, token: str) -> TurnVisit:
    """Who comes by a turn's link; 404 for whatever nobody has signed, Replaced for an old one."""
    link = links().read(purpose, token)
    turn = find_turn(link.turn) if link else None
    if link is None or turn is None or (turn.match, turn.seat) != (link.match, link.seat):
        abort(404)
    return TurnVisit(_visit(token, link), turn, link.code)


def visit_seat(token: str) -> Visit:
    link = links().read("act", token)
    if link is None:
        abort(404)
    return _visit(token, link)


def _visit(token: str, link: TurnLink | ActLink) -> Visit:
    match = find_match(link.match)
    if match is None or not 0 <= link.seat < len(match.seats):
        abort(404)
    seat = match.seat(link.seat)
    if seat.epoch != link.epoch:
        raise Replaced("this link was replaced by a newer one")
    player = find_player(seat.player) if seat.player is not None else None
    if player is None:
        abort(404)
    return Visit(token, match, seat, player)


TurnPage = Callable[[TurnVisit], ResponseReturnValue]
SeatPage = Callable[[Visit], ResponseReturnValue]


def for_turn(purpose: Purpose) -> Callable[[TurnPage], Callable[[str], ResponseReturnValue]]:
    """A page behind the link of a turn, in the language of its player."""

    def wrap(page: TurnPage) -> Callable[[str], ResponseReturnValue]:
        @wraps(page)
        def shown(token: str) -> ResponseReturnValue:
            try:
                come = visit_turn(purpose, token)
            except Replaced:
                return replaced()
            speak(come.visit.player.language)
            return page(come)

        return shown

    return wrap


def for_seat(page: SeatPage) -> Callable[[str], ResponseReturnValue]:
    """A page behind the link of a seat, in the language of its player."""

    @wraps(page)
    def shown(token: str) -> ResponseReturnValue:
        try:
            visit = visit_seat(token)
        except Replaced:
            return replaced()
        speak(visit.player.language)
        return page(visit)

    return shown


def replaced() -> ResponseReturnValue:
    return outdated("web/play/replaced.html")
