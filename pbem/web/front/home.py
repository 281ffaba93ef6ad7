"""The first page: what this is in one look, and the ways in.

A friend is invited with two addresses. What else has to be agreed is usual, and whoever was invited
begins: then the first move needs no third letter.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from engine.chance import QuickDice
from engine.core import GameError, Leaflet, Seat
from engine.registry import GAMES, AnyGame
from engine.text import printable
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.match import matches
from pbem.services.match.matches import Wanted
from pbem.services.players import accounts, names
from pbem.services.records.match_rows import PUBLIC
from pbem.services.self_service import sign_up
from pbem.services.time import clock_settings
from pbem.web.front import showcase
from pbem.web.public import lobby, match_form
from pbem.web.public.match_form import address_typed
from pbem.web.shared.context import asker, now, refused
from pbem.web.shared.match_terms import public_terms, visibilities
from pbem.web.shared.rule_links import Fault

pages = Blueprint("front", __name__)

FRIEND, ME, LOT = "friend", "me", "lot"
"""Who begins."""


class GameShown(NamedTuple):
    """A game among others."""

    name: str
    title: str
    leaflet: Leaflet | None
    fewest: int
    most: int
    """How many people play it."""


@pages.get("/")
def home() -> str:
    return _home(request.args)


def _home(asked: Mapping[str, str], refusal: Fault | None = None) -> str:
    """`asked` is the address of the page, or what was typed and refused."""
    shown = showcase.shown()
    return render_template(
        "web/front/home.html",
        shown=shown,
        shown_title=shown.game.title.in_(spoken()),
        games_shown=[_game_shown(game) for game in GAMES.values()],
        for_two=[name for name in GAMES if two_seats(name) is not None],
        time=match_form.time_offered(),
        open_matches=public_terms(matches.open_matches(), now()),
        visibilities=visibilities(),
        refusal=refusal,
        typed=asked,
    )


def _game_shown(game: AnyGame) -> GameShown:
    counts = {len(game.seats({}))} | {
        len(game.seats({choice.name: value}))
        for choice in game.seatings()
        for value, _ in choice.values
    }
    title, leaflet = game.title.in_(spoken()), game.leaflet(spoken())
    return GameShown(game.name, title, leaflet, min(counts), max(counts))


# --- inviting a friend ----------------------------------------------------------------------------


@pages.post("/invite")
def invite() -> ResponseReturnValue:
    """A match of two, if everything fits; what was typed stays where it does not."""
    try:
        wanted = _wanted()
        if not request.form.get("website"):  # a field that only robots see
            sign_up.start(wanted, asker(), now())
    except (Refused, GameError) as refusal:
        return refused(_home(request.form, lobby.fault_in_form(refusal)), refusal)
    return lobby.started(wanted)


def _wanted() -> Wanted:
    form = request.form
    game, begins = form.get("game", ""), form.get("begins", FRIEND)
    two = two_seats(game) if game in GAMES else None
    if two is None:
        raise matches.no_game(game)
    if begins not in (FRIEND, ME, LOT):
        raise Refused(
            "“%(who)s” cannot begin; choose from %(known)s",
            who=printable(begins[:20]),
            known=", ".join((FRIEND, ME, LOT)),
        )
    own, friend = address_typed("address"), address_typed("friend")
    people = (own, friend) if begins == ME else (friend, own)
    clock = clock_settings.clock_from({"pace": form.get("pace", clock_settings.USUAL_PACE)}, 2)
    return Wanted(
        game=game,
        setup=two.setup,
        pace=clock.pace,
        addresses=dict(zip(two.seats, people, strict=True)),
        creator=own,
        name=names.checked_for_player(form.get("name", "")),
        language=accounts.checked_language(form.get("language", spoken())),
        clock=clock,
        by_lot=begins == LOT,
        zone=_guessed_zone(),
        visibility=form.get("visibility", PUBLIC),
    )


def _guessed_zone() -> str:
    """What the browser says; nobody has typed it, so nobody is bothered with a wrong one."""
    try:
        return accounts.checked_zone(request.form.get("zone", ""))
    except Refused:
        return ""


class TwoSeats(NamedTuple):
    """A game as two people play it."""

    setup: dict[str, Any]
    seats: tuple[Seat, Seat]
    """The one that is asked first stands first."""


@cache
def two_seats(name: str) -> TwoSeats | None:
    """None for a game that two people cannot play."""
    game = GAMES[name]
    choices = [{choice.name: value} for choice in game.seatings() for value, _ in choice.values]
    for setup in ({}, *choices):
        seats = game.seats(setup)
        if len(seats) == 2:
            asked = game.waiting_on(game.new_game(setup, QuickDice(b"front")).state)
            first, second = sorted(seats, key=lambda seat: seat not in asked)
            return TwoSeats(setup, (first, second))
    return None
