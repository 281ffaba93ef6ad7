"""The computer as an opponent: remarks, waiting for it, an address left, seats it may take."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from flask import Blueprint, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from engine.abilities import OrderSheets
from engine.core import Seat
from engine.sparring import Lessons
from pbem.errors import Refused, Stale
from pbem.i18n import speak, spoken, step_by_step
from pbem.links import PATHS, JoinLink
from pbem.services.match import link_orders, match_log
from pbem.services.match.joining import Joining
from pbem.services.players import accounts, names
from pbem.services.records.match_rows import (
    FORMING,
    GUEST,
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    find_match,
    get_match,
    locked,
    open_turns,
)
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import live_links
from pbem.services.self_service import free_seats, guests, requests
from pbem.web.public.match_form import ZONES, address_typed
from pbem.web.shared import board_view, match_text, option_tree
from pbem.web.shared.context import asker, in_words, links, now, outdated, refused
from pbem.web.shared.device import noted
from pbem.web.shared.draft_view import Draft
from pbem.web.shared.link_access import (
    Replaced,
    TurnVisit,
    Visit,
    acting,
    guests_page,
    guests_way_on,
    player_by,
    replaced,
    visit_guest,
)
from pbem.web.shared.match_text import Moment
from pbem.web.shared.shortcuts import SeeOther

pages = Blueprint("practice", __name__)

FEW = 4
"""Whole orders that are worth a button of their own."""


# --- beside the board -----------------------------------------------------------------------------


class Quick(NamedTuple):
    """An order that one press sends."""

    order: str
    label: str


class Shown(NamedTuple):
    """What a page of a match against the computer shows besides."""

    remarks: tuple[str, ...] = ()
    quick: tuple[Quick, ...] = ()
    ends: Moment | None = None
    """When the match of a guest would be called off."""
    page: str = ""
    """That of a guest, for the whole match."""
    is_thinking: bool = False


def beside(visit: TurnVisit, draft: Draft, view: Any) -> Shown:
    """Beside the board of an open turn."""
    match, game = visit.match, visit.match.game
    remarks: tuple[str, ...] = ()
    if match.has_remarks and isinstance(game, Lessons):
        remarks = tuple(game.say(text, spoken()) for text in game.lessons(view))
    quick = _quick(visit, draft) if remarks and not draft.orders else ()
    return _of_guest(match)._replace(remarks=remarks, quick=quick)


def _quick(visit: TurnVisit, draft: Draft) -> tuple[Quick, ...]:
    """All orders where they are few, else the usual one: a beginner need not compose anything."""
    match, seat, game = visit.match, visit.seat.name, visit.match.game
    level = option_tree.level(match, partial(game.options, draft.state, seat), ())
    leaves = [*level.leaves, *(leaf for branch in level.branches for leaf in branch.leaves)]
    if len(leaves) <= FEW and all(branch.leaves for branch in level.branches):
        return tuple(Quick(leaf.order, leaf.label) for leaf in leaves)
    usual = game.default_action(draft.state, seat)
    if usual is None:
        return ()
    order = game.notate(usual)
    return (Quick(order, _in_words(match, draft.state, seat, order)),)


def _in_words(match: MatchRecord, state: Any, seat: Seat, order: str) -> str:
    game = match.game
    if isinstance(game, OrderSheets):
        return game.say(game.in_words(state, seat, order), spoken())
    found = [one.path for one in link_orders.choices(match, state, seat) if one.notation == order]
    return step_by_step(game.say(word.label, spoken()) for word in found[0]) if found else order


def waiting(match: MatchRecord) -> Shown:
    """Where nothing is asked at the moment."""
    is_guests = guests.seat_of(match) is not None
    return _of_guest(match)._replace(is_thinking=is_guests and match.status == LIVE)


def _of_guest(match: MatchRecord) -> Shown:
    if guests.seat_of(match) is None:
        return Shown()
    ends = match_text.moment(guests.ends_at(match), "UTC", now())
    return Shown(ends=ends, page=guests_page(match))


@pages.post("/t/<token>/remarks")
def stop_remarks(token: str) -> ResponseReturnValue:
    """No more remarks in this match."""
    try:
        with acting("turn", token) as visit:
            guests.stop_remarks(visit.match.id)
    except Replaced:
        return replaced()
    return SeeOther(visit.path)


# --- the page of a guest --------------------------------------------------------------------------


@pages.get("/guest/<token>")
def guest(token: str) -> ResponseReturnValue:
    """To the turn that waits; where the computer thinks, the board as it is now."""
    try:
        visit = visit_guest(token)
    except Replaced:
        return replaced()
    if guests.open_turn(visit.match) is not None:
        return SeeOther(guests_way_on(visit.match))
    return _board_page(visit)


def _board_page(visit: Visit, fault: str = "") -> str:
    match, game = visit.match, visit.match.game
    state = match_log.kept_or_played(match, match.head_seq)
    return render_template(
        "web/play/guest.html",
        match=match,
        title=game.title.in_(spoken()),
        own=match_text.seat_title(match, visit.seat.name),
        seat=visit.seat,
        sides=match_text.sides(match),
        practice=waiting(match),
        result=match_text.result_of(match, state) if match.status == OVER else None,
        board=None
        if state is None
        else board_view.board_of(game, state, visit.seat.name, match.status != LIVE),
        fault=fault,
        asked="asked" in request.args,
    )


@pages.get("/guest/<token>/waits")
def waits(token: str) -> ResponseReturnValue:
    """For the script of a page that waits: whether the computer still thinks."""
    try:
        visit = visit_guest(token)
    except Replaced:
        return jsonify(waits=False)
    is_asked = any(turn.seat == visit.seat.number for turn in open_turns(visit.match.id))
    return jsonify(waits=visit.match.status == LIVE and not is_asked)


@pages.post("/guest/<token>/keep")
def leave_address(token: str) -> ResponseReturnValue:
    """A letter to the address, by which the match goes on by mail; all are told the same."""
    try:
        visit = visit_guest(token)
    except Replaced:
        return replaced()
    try:
        if not request.form.get("website"):
            mail = address_typed("address")
            requests.ask_to_keep(visit.match.id, mail, spoken(), asker(), now())
    except Refused as refusal:
        return refused(_kept_page(visit, in_words(refusal)), refusal)
    return _kept_page(visit)


def _kept_page(visit: Visit, fault: str = "") -> str:
    return render_template(
        "web/play/address_left.html",
        title=visit.match.game.title.in_(spoken()),
        practice=_of_guest(visit.match),
        fault=fault,
        typed=request.form.get("address", ""),
    )


# --- going on by mail -----------------------------------------------------------------------------


@pages.route("/go-on/<token>", methods=["GET", "POST"])
def go_on(token: str) -> ResponseReturnValue:
    """The owner of the address takes the seat of the guest: one form, one button."""
    link, player = player_by("kept", token)
    match = find_match(link.match)
    if match is None or link.seat >= len(match.seats):
        abort(404)
    if request.method != "POST":
        return _go_on_page(link, match, player)
    try:
        _keep(link, match, player)
    except Stale:
        return _go_on_page(link, get_match(match.id), player)
    except Refused as refusal:
        return refused(_form(link, match, player, in_words(refusal)), refusal)
    return noted(_after_keeping(get_match(match.id), link.seat), player.id)


def _keep(link: JoinLink, match: MatchRecord, player: PlayerRecord) -> None:
    form = request.form
    says = Joining(
        name=names.checked_for_player(form.get("name", player.name)),
        language=accounts.checked_language(form.get("language", player.language)),
        zone=accounts.checked_zone(form.get("zone", player.zone)),
        phrase="",
    )
    if not live_links.invitation_is_open(link, match, player):
        raise Stale("this match cannot be kept any more")
    guests.keep(match.id, link.seat, player.id, says, now())


def _after_keeping(match: MatchRecord, number: int) -> ResponseReturnValue:
    """To the turn, if it is open; who opens the link once more is led nowhere."""
    turn = next((turn for turn in open_turns(match.id) if turn.seat == number), None)
    if turn is None:
        return _kept(match, match.seat(number))
    return SeeOther(PATHS["turn"] + links().sign("turn", live_links.to_turn(match, turn)))


def _go_on_page(link: JoinLink, match: MatchRecord, player: PlayerRecord) -> ResponseReturnValue:
    seat = match.seat(link.seat)
    if seat.player == player.id and match.status == LIVE:
        return _kept(match, seat)
    is_open = live_links.invitation_is_open(link, match, player)
    if seat.status != GUEST or match.status != LIVE or not is_open:
        return outdated("web/play/not_kept.html", game=match.game_name)
    return _form(link, match, player)


def _form(link: JoinLink, match: MatchRecord, player: PlayerRecord, refusal: str = "") -> str:
    return render_template(
        "web/play/go_on.html",
        match=match,
        title=match.game.title.in_(spoken()),
        own=match_text.seat_title(match, match.seat(link.seat).name),
        player=player,
        zones=ZONES,
        refusal=refusal,
        typed=request.form,
    )


def _kept(match: MatchRecord, seat: SeatRecord) -> str:
    """No way leads on from here but by the letter: this page may be opened again by anybody."""
    return render_template(
        "web/play/kept.html",
        title=match.game.title.in_(spoken()),
        is_asked=any(turn.seat == seat.number for turn in open_turns(match.id)),
    )


# --- free seats -----------------------------------------------------------------------------------


@pages.route("/computer/<token>", methods=["GET", "POST"])
def free_seat(token: str) -> ResponseReturnValue:
    """Whether the computer shall take the seats that are free: one question, one button."""
    link = links().read("computer", token)
    match = find_match(link.match) if link else None
    if link is None or match is None or not 0 <= link.seat < len(match.seats):
        abort(404)
    seat = match.seat(link.seat)
    if seat.player is None or not live_links.seat_is_open(link, match):
        return replaced()
    speak(get_player(seat.player).language)
    if request.method == "POST":
        with locked(match.id):
            if live_links.seat_is_open(link, get_match(match.id)):
                _want(match.id, seat.number)
    match = get_match(match.id)
    is_late = request.method != "POST" and match.status != FORMING
    return _free_seat_page(match, seat.number), 410 if is_late else 200


def _want(match: str, number: int) -> None:
    """A press that comes again, or too late, leaves things as they are."""
    if free_seats.may_want(get_match(match), get_match(match).seat(number)):
        free_seats.want(match, number, now())


def _free_seat_page(match: MatchRecord, number: int) -> str:
    return render_template(
        "web/play/free_seats.html",
        match=match,
        title=match.game.title.in_(spoken()),
        free=[match_text.seat_title(match, seat.name) for seat in free_seats.free(match)],
        is_host=match.seat(number).player == match.creator,
        is_wanted=match.seat(number).machine_wanted,
        may_want=free_seats.may_want(match, match.seat(number)),
    )
