"""Whoever opens a signed link: which seat it belongs to, and in whose language its pages speak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import Any

from flask import abort, request
from flask.typing import ResponseReturnValue
from msgspec import Struct

from pbem.errors import Refused
from pbem.i18n import speak, spoken
from pbem.links import PATHS, ActLink, Purpose, TurnLink
from pbem.services.records.match_rows import (
    GUEST,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_match,
    find_turn_in_match,
    locked,
    newest_turn_id,
)
from pbem.services.records.player_rows import PlayerRecord, find_player, get_player, guest
from pbem.services.seats import live_links
from pbem.services.self_service import guests
from pbem.web.shared.context import links, outdated


class Replaced(Refused):
    """The link was good once; newer ones have been sent."""


class Visit(Struct, frozen=True, dict=True):
    """A seat and its player, come by a link."""

    token: str
    match: MatchRecord
    seat: SeatRecord

    @cached_property
    def player(self) -> PlayerRecord:
        """Looked up when something is shown; who acts and is led on reads nothing.

        A guest is nobody in particular and reads what the browser prefers.
        """
        if self.seat.status == GUEST:
            return guest(spoken())
        return get_player(self.seat.player)

    @property
    def act_token(self) -> str:
        return links().sign("act", live_links.to_seat(self.match, self.seat))


def player_by(purpose: Purpose, token: str) -> tuple[Any, PlayerRecord]:
    """A link that was made for a player, and that player, whose language is spoken from here on."""
    link = links().read(purpose, token)
    player = find_player(link.player) if link else None
    if link is None or player is None:
        abort(404)
    speak(player.language)
    return link, player


class TurnVisit(Visit, frozen=True, dict=True):
    """A visit by the link of a turn, or of one order in it."""

    turn: TurnRecord
    code: str

    @property
    def path(self) -> str:
        """Where the visitor is: the page of the link that was used, and no other."""
        return PATHS["order" if self.code else "turn"] + self.token

    @property
    def is_newest(self) -> bool:
        """Whether this is the link of the whole turn, and the seat has had none since."""
        newest = newest_turn_id(self.match.id, self.seat.number)
        return not self.code and newest == self.turn.id


def visit_turn(purpose: Purpose, token: str) -> TurnVisit:
    """Who comes by a turn's link; 404 for whatever nobody has signed, Replaced for an old one."""
    return _at_turn(token, _turn_link(purpose, token))


@contextmanager
def acting(purpose: Purpose, token: str) -> Iterator[TurnVisit]:
    """Who acts by a turn's link: in one transaction, with all that is read held until its end."""
    link = _turn_link(purpose, token)
    with locked(link.match):
        yield _at_turn(token, link)


def _turn_link(purpose: Purpose, token: str) -> TurnLink:
    link = links().read(purpose, token)
    if not isinstance(link, TurnLink):
        abort(404)
    return link


def _at_turn(token: str, link: TurnLink) -> TurnVisit:
    found = find_turn_in_match(link.turn)
    if found is None:
        abort(404)
    turn, match = found
    if (turn.match, turn.seat) != (link.match, link.seat):
        abort(404)
    return TurnVisit(token, match, _seat(match, link), turn, link.code)


def visit_seat(token: str) -> Visit:
    link = links().read("act", token)
    if link is None:
        abort(404)
    match = find_match(link.match)
    if match is None:
        abort(404)
    seat = _seat(match, link)
    if seat.player is None:  # a guest has a turn and nothing else
        abort(404)
    if not live_links.seat_is_open(link, match):
        raise Replaced("this link was replaced by a newer one")
    return Visit(token, match, seat)


@contextmanager
def acting_at(visit: Visit) -> Iterator[None]:
    """What is done at a seat: in one transaction in which its link still leads there."""
    with locked(visit.match.id):
        visit_seat(visit.token)
        yield


def _seat(match: MatchRecord, link: TurnLink | ActLink) -> SeatRecord:
    """The seat of a link; 404 where nobody sits, Replaced for an old one."""
    if not 0 <= link.seat < len(match.seats):
        abort(404)
    seat = match.seat(link.seat)
    if seat.epoch != link.epoch:
        raise Replaced("this link was replaced by a newer one")
    if seat.player is None and seat.status != GUEST:
        abort(404)
    return seat


TurnPage = Callable[[TurnVisit], ResponseReturnValue]
SeatPage = Callable[[Visit], ResponseReturnValue]


def for_turn(purpose: Purpose) -> Callable[[TurnPage], Callable[[str], ResponseReturnValue]]:
    """A page behind the link of a turn, in the language of its player."""

    def wrap(page: TurnPage) -> Callable[[str], ResponseReturnValue]:
        @wraps(page)
        def shown(token: str) -> ResponseReturnValue:
            return shown_by(purpose, token, page)

        return shown

    return wrap


def shown_by(purpose: Purpose, token: str, page: TurnPage) -> ResponseReturnValue:
    """What a page shows to whom a link belongs now."""
    try:
        visit = visit_turn(purpose, token)
    except Replaced:
        return replaced()
    speak(visit.player.language)
    return page(visit)


def for_seat(page: SeatPage) -> Callable[[str], ResponseReturnValue]:
    """A page behind the link of a seat, in the language of its player."""

    @wraps(page)
    def shown(token: str) -> ResponseReturnValue:
        try:
            visit = visit_seat(token)
            speak(visit.player.language)
            return page(visit)
        except Replaced:
            return replaced()

    return shown


def replaced() -> ResponseReturnValue:
    """What somebody has written meanwhile is shown, to be sent by the newer link."""
    typed = request.form.get("text", "") if request.method == "POST" else ""
    return outdated("web/play/replaced.html", typed=typed)


# --- guests ---------------------------------------------------------------------------------------


def visit_guest(token: str) -> Visit:
    """Who comes by the link of a guest: good for the whole match, until it is kept by mail."""
    link = links().read("guest", token)
    match = find_match(link.match) if link else None
    if link is None or match is None:
        abort(404)
    return Visit(token, match, _seat(match, link))


def guests_way_on(match: MatchRecord) -> str:
    """The page of the turn that waits for the guest; else the one that waits for the computer."""
    turn = guests.open_turn(match)
    if turn is None:
        return guests_page(match)
    return PATHS["turn"] + links().sign("turn", live_links.to_turn(match, turn))


def guests_page(match: MatchRecord) -> str:
    seat = guests.seat_of(match)
    assert seat is not None, "only a guest is led here"
    return PATHS["guest"] + links().sign("guest", live_links.to_guest(match, seat))
