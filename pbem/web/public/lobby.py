"""Getting in: starting a match, confirming an address, taking a seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from babel.lists import format_list
from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine.core import GameError, Seat
from engine.registry import GAMES
from engine.text import printable
from pbem.errors import Refused, Stale
from pbem.i18n import speak, spoken
from pbem.links import JoinLink
from pbem.services.agreements import open_matches
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.players import accounts, names
from pbem.services.records.match_rows import (
    FORMING,
    INVITED,
    JOINED,
    OPEN,
    MatchRecord,
    SeatRecord,
    find_match,
    get_match,
    locked,
)
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import live_links
from pbem.services.self_service import address_changes, requests, sign_up
from pbem.services.self_service.address_changes import Change
from pbem.web.public import match_form
from pbem.web.public.match_form import ZONES, address_typed
from pbem.web.shared.context import asker, hosting, in_words, links, now, outdated, refused
from pbem.web.shared.device import is_known, next_turn, noted
from pbem.web.shared.link_access import player_by
from pbem.web.shared.match_terms import (
    Terms,
    public_terms,
    terms_of,
    terms_with_players,
    visibilities,
)
from pbem.web.shared.match_text import moment
from pbem.web.shared.rule_links import Fault, fault_of
from pbem.web.shared.shortcuts import SeeOther

pages = Blueprint("lobby", __name__)

# --- starting a match ----------------------------------------------------------------------------


@pages.get("/start")
def forms() -> str:
    """All that can be agreed before a match, for each game."""
    return _forms(request.args)


def _forms(asked: Mapping[str, str], refusal: Fault | None = None) -> str:
    """`asked` is the address of the page, or what was typed and refused."""
    return render_template(
        "web/lobby/start.html",
        forms=[match_form.offered(name, _for_game(name, asked)) for name in GAMES],
        time=match_form.time_offered(),
        visibilities=visibilities(),
        refusal=refusal,
        typed=asked if refusal else {},
    )


def _for_game(name: str, asked: Mapping[str, str]) -> Mapping[str, str]:
    return asked if asked.get("game") == name else {}


@pages.post("/start")
def start() -> ResponseReturnValue:
    """A new match, if everything fits; what was typed stays where it does not."""
    try:
        wanted = match_form.wanted()
        if not request.form.get("website"):  # a field that only robots see
            sign_up.start(wanted, asker(), now())
    except (Refused, GameError) as refusal:
        return refused(_forms(request.form, fault_in_form(refusal)), refusal)
    return started(wanted)


def fault_in_form(refusal: Exception) -> Fault:
    """What was wrong with the match that was asked for, with the rule of its game."""
    game = GAMES.get(request.form.get("game", ""))
    return fault_of(refusal, game)._replace(words=in_words(refusal, game))


def started(wanted: Wanted) -> str:
    """What happens next; the same whether or not anybody of them is known here."""
    return render_template(
        "web/lobby/started.html",
        address=wanted.creator,
        invited=[mail for mail in wanted.addresses.values() if mail and mail != wanted.creator],
        has_open_seat=None in wanted.addresses.values(),
        open_days=hosting().config.open_days,
    )


# --- confirming an address -----------------------------------------------------------------------


@pages.route("/confirm/<token>", methods=["GET", "POST"])
def confirm(token: str) -> ResponseReturnValue:
    """One form, one button; pressing it twice changes nothing more.

    A browser is noted by the press that confirms: a link that was passed on later makes none known.
    """
    link, player = player_by("confirm", token)
    if player.epoch != link.epoch:
        return outdated(why="renewed")
    change = None if link.match else address_changes.at(player.id)
    if change is not None:
        return _new_address(change, player)
    if request.method != "POST":
        return _confirm_page(link.match, player)
    is_asked = _is_asked(link.match, player)
    sign_up.confirm(player.id, link.match, request.form.get("zone", player.zone), now())
    player = get_player(player.id)
    page = _confirm_page(link.match, player, is_known(player.id))
    return noted(page, player.id) if is_asked else page


def _new_address(change: Change, at: PlayerRecord) -> ResponseReturnValue:
    """The letters of a player shall go to this address; nothing of the player is shown before."""
    if not change.waits(now()):
        return outdated(why="renewed")
    is_asked = change.confirmed_at is None
    if request.method == "POST":
        address_changes.confirm(change.id, now())
        change = address_changes.find(change.id) or change
    begins = moment(address_changes.expected_at(change, now()), at.zone, now())
    page = render_template(
        "web/lobby/new_address.html", address=at.address, change=change, begins=begins
    )
    return noted(page, change.player) if request.method == "POST" and is_asked else page


def _is_asked(match_id: str, player: PlayerRecord) -> bool:
    """Whether an address has still to be confirmed, or a match to be vouched for."""
    waits = [match for match in _unvouched(match_id, player) if match.status == FORMING]
    return not player.confirmed_at or bool(waits)


def _unvouched(match_id: str, player: PlayerRecord) -> list[MatchRecord]:
    started = [found for found in (find_match(match_id),) if match_id and found]
    return [m for m in started if m.creator == player.id and not joining.is_vouched_for(m)]


def _confirm_page(match_id: str, player: PlayerRecord, is_known: bool = False) -> str:
    """Who was known by the browser before is shown what waits in any match."""
    started = [m for m in matches.matches_of(player.id) if m.creator == player.id]
    return render_template(
        "web/lobby/confirm.html",
        player=player,
        is_asked=_is_asked(match_id, player),
        asked=[(match, terms_of(match)) for match in _unvouched(match_id, player)],
        matches=[(match, terms_of(match)) for match in started],
        zones=ZONES,
        is_known=is_known,
        next_turn=next_turn(player.id) if is_known else None,
        checkup=_checkup(player),
    )


def _checkup(player: PlayerRecord) -> str:
    """Where to try out how boards look in letters, for whoever has just pressed the button."""
    if request.method != "POST":
        return ""
    return links().url("boards", live_links.to_checkup(player))


# --- taking a seat -------------------------------------------------------------------------------


@pages.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> ResponseReturnValue:
    """An invitation: what is played, a form with defaults, accept or decline.

    Whoever accepts and is asked first goes on to that turn; no letter is waited for. Only the press
    that takes the seat leads there, and notes the browser: the link may be passed on later.
    """
    link, player = player_by("join", token)
    match = find_match(link.match)
    if match is None or link.seat >= len(match.seats):
        abort(404)
    refusal, has_sat_down = "", False
    if request.method == "POST":
        try:
            has_sat_down = _answer(link)
        except Refused as wrong:
            refusal = in_words(wrong)
        speak(request.form.get("language", player.language))
        match, player = get_match(link.match), get_player(player.id)
    begins = next_turn(player.id, match.id) if has_sat_down else None
    page = SeeOther(begins.path) if begins else _join_page(link, match, player, refusal)
    return noted(page, player.id) if has_sat_down else page


def _answer(link: JoinLink) -> bool:
    """Accept or decline; whether a seat was taken by it.

    A press that comes again, or too late, leaves things as they are.
    """
    form = request.form
    act = form.get("do", "accept")
    if act not in ("accept", "decline"):
        raise Refused(
            "“%(answer)s” is not an answer to an invitation; accept or decline it",
            answer=printable(act[:20]),
        )
    says = Joining(
        name=names.checked_for_player(form.get("name", "")),
        language=accounts.checked_language(form.get("language", spoken())),
        zone=accounts.checked_zone(form.get("zone", "UTC")),
        phrase=accounts.checked_phrase(form.get("phrase", "")),
    )
    try:
        with locked(link.match):
            match = get_match(link.match)
            if not live_links.invitation_is_open(link, match, get_player(link.player)):
                return False
            if act == "accept":
                number = _chosen_seat(match, link)
                joining.accept(link.match, number, link.player, says, now())
            else:
                joining.decline(link.match, link.seat, link.player, now())
    except Stale:
        return False  # the page tells how things stand now
    return act == "accept"


def _held(match: MatchRecord, player: PlayerRecord) -> list[SeatRecord]:
    """The seats that a player has in a match."""
    return [seat for seat in match.seats if (seat.player, seat.status) == (player.id, JOINED)]


def _on_offer(match: MatchRecord, link: JoinLink) -> list[SeatRecord]:
    """The seat of an invitation; an open one stands for all that are open."""
    seat = match.seat(link.seat)
    if seat.status == INVITED and seat.player == link.player:
        return [seat]
    return [seat for seat in match.seats if seat.status == OPEN]


def _chosen_seat(match: MatchRecord, link: JoinLink) -> int:
    """Of several seats on offer the one that was chosen; without a word, that of the link."""
    chosen = request.form.get("seat", "")
    on_offer = {seat.name: seat.number for seat in _on_offer(match, link)}
    if chosen and chosen not in on_offer:
        raise Refused(
            "“%(seat)s” is not free; choose from %(seats)s",
            seat=printable(chosen[:20]),
            seats=", ".join(on_offer),
        )
    return on_offer.get(Seat(chosen), link.seat)


def _join_page(
    link: JoinLink, match: MatchRecord, player: PlayerRecord, refusal: str
) -> ResponseReturnValue:
    (terms,) = terms_with_players([match], now())
    seat = next(iter(_held(match, player)), match.seat(link.seat))
    on_offer = _on_offer(match, link)
    values = {"terms": terms, "match": match, "player": player}
    values["seat_title"] = _sides(terms, _held(match, player) or [seat])
    values["on_offer"] = [
        (one.name, _sides(terms, joining.answered_with(match, one))) for one in on_offer
    ]
    is_open = live_links.invitation_is_open(link, match, player)
    if is_open and seat.status == JOINED and seat.player == player.id:
        values["is_known"] = is_known(player.id)
        values["next_turn"] = next_turn(player.id) if values["is_known"] else None
        values["checkup"] = _checkup(player)
        return render_template("web/lobby/joined.html", **values)
    if not is_open or match.status != FORMING or not on_offer:
        return outdated("web/lobby/too_late.html", declined=_declined(seat, player), **values)
    if refusal or request.method != "POST":
        values |= {"zones": ZONES, "refusal": refusal, "typed": request.form}
        return render_template("web/lobby/join.html", **values), 400 if refusal else 200
    return render_template("web/lobby/too_late.html", declined=True, **values)  # an open seat


def _sides(terms: Terms, seats: Iterable[SeatRecord]) -> str:
    return format_list([terms.seats[seat.number].title for seat in seats], locale=spoken())


def _declined(seat: SeatRecord, player: PlayerRecord) -> bool:
    return seat.status == "declined" and seat.player == player.id


@pages.route("/open/<match_id>", methods=["GET", "POST"])
def open_match(match_id: str) -> ResponseReturnValue:
    """An open seat: whoever wants it leaves an address, and a letter brings the invitation."""
    match, _ = sign_up.open_seat(match_id)
    asked = request.method == "POST"
    if asked:
        language = accounts.checked_language(request.form.get("language", spoken()))
        if not request.form.get("website"):
            requests.ask_to_join(match.id, address_typed("address"), language, asker(), now())
    (terms,) = public_terms([match], now())
    free, lapses = sum(seat.status == OPEN for seat in match.seats), open_matches.lapses_at(match)
    ends = moment(lapses, "UTC", now()) if lapses is not None else None
    return render_template("web/lobby/open.html", terms=terms, free=free, asked=asked, ends=ends)
