"""Getting in: the first page, starting a match, confirming an address, taking a seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zoneinfo import available_timezones

from babel.dates import get_day_names
from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine.abilities import Inquiries, OwnDecks
from engine.core import GameError, Json
from engine.registry import GAMES
from engine.text import printable
from pbem.deadline_text import long, policy_in_words
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Refused, Stale
from pbem.i18n import speak, spoken
from pbem.links import JoinLink
from pbem.services.match import joining, matches, uploaded_files
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
from pbem.services.records.player_rows import PlayerRecord, find_player, get_player
from pbem.services.seats import live_links
from pbem.services.self_service import address_changes, requests, sign_up
from pbem.services.self_service.address_changes import Change
from pbem.services.time import clock_settings
from pbem.services.time.clock_settings import PACES, USUAL_PACE, WEEKDAYS
from pbem.web.shared.context import asker, hosting, in_words, links, now, outdated, refused
from pbem.web.shared.device import noted
from pbem.web.shared.match_terms import terms_of, terms_with_players
from pbem.web.shared.match_text import moment

pages = Blueprint("lobby", __name__)

OCEANS = ("Atlantic", "Indian", "Pacific")
CONTINENTS = ("Africa", "America", "Antarctica", "Asia", "Australia", "Europe", *OCEANS)
ZONES = {
    place: sorted(zone for zone in available_timezones() if zone.startswith(f"{place}/"))
    for place in CONTINENTS
}
LENGTHS = {
    "bank": (DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY),
    "increment": (6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY),
    "cap": (2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 60 * DAY),
    "answer": (12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY),
    "grace": (0, 12 * HOUR, DAY, 2 * DAY, 3 * DAY, 7 * DAY, 14 * DAY),
    "most_pause": (0, 7 * DAY, 14 * DAY, 30 * DAY, 60 * DAY, 90 * DAY, 365 * DAY),
}
"""What the form offers of each length of time; other lengths can be had by command."""
OF_A_BANK = ("increment", "cap")


# --- the first page ------------------------------------------------------------------------------


@pages.get("/")
def home() -> str:
    return _home()


def _home(refusal: str = "", typed: Mapping[str, str] | None = None) -> str:
    return render_template(
        "web/home.html",
        open_matches=terms_with_players(matches.open_matches(), now()),
        forms=[_start_form(name) for name in GAMES],
        time=_time_offered(),
        refusal=refusal,
        typed=typed or {},
    )


def _start_form(name: str) -> dict[str, Json]:
    """What the form to start a match of a game offers."""
    game, language = GAMES[name], spoken()
    seats = game.seats({})
    return {
        "game": name,
        "title": game.title.in_(language),
        "seats": [(seat, game.seat_name(seat).in_(language)) for seat in seats],
        "choices": [
            {
                "name": choice.name,
                "label": game.say(choice.label, language),
                "values": [(value, game.say(text, language)) for value, text in choice.values],
            }
            for choice in game.choices()
            if len(choice.values) > 1
        ],
        "takes_deck": isinstance(game, OwnDecks),
        "asks_back": isinstance(game, Inquiries),
        "policies": [(p, policy_in_words(p)) for p in clock_settings.policies_of(game, len(seats))],
    }


def _time_offered() -> dict[str, Any]:
    """What can be chosen about time, and what is chosen already."""
    usual = Clock()
    return {
        "paces": [(text, long(seconds)) for text, seconds in PACES.items()],
        "usual_pace": USUAL_PACE,
        **{
            name: [(f"{seconds // HOUR}h", long(seconds)) for seconds in offered]
            for name, offered in LENGTHS.items()
        },
        "usual_grace": f"{usual.grace // HOUR}h",
        "usual_answer": f"{usual.answer // HOUR}h",
        "usual_most_pause": f"{usual.most_pause // HOUR}h",
        "weekdays": weekdays_by_name(),
        "zones": ["UTC", *(zone for zones in ZONES.values() for zone in zones)],
    }


def weekdays_by_name() -> list[tuple[str, str]]:
    """The word of each day in a form, and its name."""
    names = get_day_names("wide", locale=spoken())
    return [(word, names[number]) for number, word in enumerate(WEEKDAYS)]


# --- starting a match ----------------------------------------------------------------------------


@pages.post("/start")
def start() -> ResponseReturnValue:
    """A new match, if everything fits; what was typed stays where it does not."""
    try:
        wanted = _wanted()
        if not request.form.get("website"):  # a field that only robots see
            sign_up.start(wanted, asker(), now())
    except (Refused, GameError) as refusal:
        game = GAMES.get(request.form.get("game", ""))
        return refused(_home(in_words(refusal, game), request.form), refusal)
    return render_template(
        "web/lobby/started.html",
        address=wanted.creator,
        invited=[mail for mail in wanted.addresses.values() if mail and mail != wanted.creator],
        has_open_seat=None in wanted.addresses.values(),
    )


def _wanted() -> Wanted:
    form = request.form
    name = form.get("game", "")
    if name not in GAMES:
        raise matches.no_game(name)
    own = address_typed("address")
    clock = _clock(len(GAMES[name].seats({})))
    return Wanted(
        game=name,
        pace=clock.pace,
        addresses=_addresses(name, own),
        creator=own,
        name=names.checked_for_player(form.get("name", "")),
        language=accounts.checked_language(form.get("language", spoken())),
        phrase=accounts.checked_phrase(form.get("phrase", "")),
        clock=clock,
        setup=_setup(name),  # the heaviest comes last
    )


def _clock(seats: int) -> Clock:
    """The clock as the form gives it; without a bank, what belongs to one says nothing."""
    form = request.form
    names = [name for name in clock_settings.FIELDS if f"clock_{name}" in form]
    if not form.get("clock_bank"):
        names = [name for name in names if name not in OF_A_BANK]
    fields = {name: form[f"clock_{name}"] for name in names}
    fields["pace"] = form.get("pace", USUAL_PACE)
    fields["days_off"] = "+".join(days_ticked())
    return clock_settings.clock_from(fields, seats)


def days_ticked() -> list[str]:
    """The days of the week whose boxes are ticked, in a form that has a box for each."""
    return [day for day in WEEKDAYS if f"off_{day}" in request.form]


def address_typed(field: str) -> str:
    typed = request.form.get(field, "")
    if not typed.strip():
        raise Refused("enter an email address, so that we can write to you")
    return accounts.address(typed, test_names=not hosting().config.in_production)


def _setup(name: str) -> dict[str, Json]:
    """The options of a match as the form gives them, and a deck file if there is one."""
    setup: dict[str, str] = {}
    game = GAMES[name]
    for choice in game.choices():
        value = request.form.get(f"option_{choice.name}")
        if value is not None:
            if value not in dict(choice.values):
                raise Refused(
                    "%(option)s cannot be “%(value)s”; it can be %(values)s",
                    option=choice.name,
                    value=printable(value[:40]),
                    values=", ".join(word for word, _ in choice.values),
                )
            setup[choice.name] = value
    text = _deck_typed()
    if not text.strip() or not isinstance(game, OwnDecks):
        return setup
    place = hosting().config.database_url
    deck = uploaded_files.deck_of(text, name, setup, place)
    names.check_is_no_site(str(deck.get("name", "")))
    return {**setup, game.deck_option: deck}


def _deck_typed() -> str:
    """The deck file that was typed or uploaded; empty when there is none."""
    upload = request.files.get("deck_file")
    try:
        return request.form.get("deck", "") or (upload.read().decode() if upload else "")
    except UnicodeDecodeError:
        raise Refused("the deck file is not UTF-8 text") from None


def _addresses(name: str, own: str) -> dict[str, str | None]:
    """Who sits where: oneself on the chosen seat, the others in the order they were typed."""
    seats = GAMES[name].seats({})
    chosen = request.form.get("seat", seats[0])
    if chosen not in seats:
        raise matches.no_seat(chosen, seats)
    typed = request.form.getlist("opponent")
    test_names = not hosting().config.in_production
    others = [accounts.address(mail, test_names) if mail.strip() else None for mail in typed]
    free = [seat for seat in seats if seat != chosen]
    if len(others) > len(free):
        raise Refused(
            "give one address for each other seat (other seats: %(seats)s, addresses: "
            "%(addresses)s)",
            seats=len(free),
            addresses=len(others),
        )
    others += [None] * (len(free) - len(others))
    return {chosen: own, **dict(zip(free, others, strict=True))}


# --- confirming an address -----------------------------------------------------------------------


@pages.route("/confirm/<token>", methods=["GET", "POST"])
def confirm(token: str) -> ResponseReturnValue:
    """One form, one button; pressing it twice changes nothing more."""
    link = links().read("confirm", token)
    player = find_player(link.player) if link else None
    if link is None or player is None:
        abort(404)
    speak(player.language)
    if player.epoch != link.epoch:
        return outdated(why="renewed")
    change = None if link.match else address_changes.at(player.id)
    if change is not None:
        return _new_address(change, player)
    if request.method != "POST":
        return _confirm_page(link.match, player)
    sign_up.confirm(player.id, link.match, request.form.get("zone", player.zone), now())
    player = find_player(player.id)
    assert player is not None, "players are never removed"
    return noted(_confirm_page(link.match, player), player.id)


def _new_address(change: Change, at: PlayerRecord) -> ResponseReturnValue:
    """The letters of a player shall go to this address; nothing of the player is shown before."""
    if not change.waits(now()):
        return outdated(why="renewed")
    if request.method == "POST":
        address_changes.confirm(change.id, now())
        change = address_changes.find(change.id) or change
    begins = moment(address_changes.expected_at(change, now()), at.zone, now())
    page = render_template(
        "web/lobby/new_address.html", address=at.address, change=change, begins=begins
    )
    return noted(page, change.player) if request.method == "POST" else page


def _confirm_page(match_id: str, player: PlayerRecord) -> str:
    started = [m for m in matches.matches_of(player.id) if m.creator == player.id]
    asked = [m for m in started if m.id == match_id and not joining.is_vouched_for(m)]
    return render_template(
        "web/lobby/confirm.html",
        player=player,
        is_asked=not player.confirmed_at or any(m.status == "forming" for m in asked),
        asked=[(match, terms_of(match)) for match in asked],
        matches=[(match, terms_of(match)) for match in started],
        zones=ZONES,
    )


# --- taking a seat -------------------------------------------------------------------------------


@pages.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> ResponseReturnValue:
    """An invitation: what is played, a form with defaults, accept or decline."""
    link = links().read("join", token)
    match = find_match(link.match) if link else None
    player = find_player(link.player) if link else None
    if link is None or match is None or player is None or link.seat >= len(match.seats):
        abort(404)
    speak(player.language)
    refusal = ""
    if request.method == "POST":
        try:
            _answer(link)
        except Refused as wrong:
            refusal = in_words(wrong)
        speak(request.form.get("language", player.language))
        match, player = get_match(link.match), find_player(link.player) or player
    page = _join_page(link, match, player, refusal)
    seat = match.seat(link.seat)
    sits = seat.player == player.id and seat.status == JOINED
    is_open = live_links.invitation_is_open(link, match, player)
    return noted(page, player.id) if sits and is_open and request.method == "POST" else page


def _answer(link: JoinLink) -> None:
    """Accept or decline; a press that comes again, or too late, leaves things as they are."""
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
                return
            if act == "accept":
                joining.accept(link.match, link.seat, link.player, says, now())
            else:
                joining.decline(link.match, link.seat, link.player, now())
    except Stale:
        return  # the page tells how things stand now


def _join_page(
    link: JoinLink, match: MatchRecord, player: PlayerRecord, refusal: str
) -> ResponseReturnValue:
    seat, (terms,) = match.seat(link.seat), terms_with_players([match], now())
    values = {"terms": terms, "match": match, "player": player}
    values["seat_title"] = terms.seats[seat.number].title
    is_open = live_links.invitation_is_open(link, match, player)
    if is_open and seat.status == JOINED and seat.player == player.id:
        return render_template("web/lobby/joined.html", **values)
    may_sit = seat.status == OPEN or (seat.status == INVITED and seat.player == player.id)
    if not is_open or match.status != FORMING or not may_sit:
        return outdated("web/lobby/too_late.html", declined=_declined(seat, player), **values)
    if refusal or request.method != "POST":
        values |= {"zones": ZONES, "refusal": refusal, "typed": request.form}
        return render_template("web/lobby/join.html", **values), 400 if refusal else 200
    return render_template("web/lobby/too_late.html", declined=True, **values)  # an open seat


def _declined(seat: SeatRecord, player: PlayerRecord) -> bool:
    return seat.status == "declined" and seat.player == player.id


@pages.route("/open/<match_id>", methods=["GET", "POST"])
def open_match(match_id: str) -> ResponseReturnValue:
    """An open seat: whoever wants it leaves an address, and a letter brings the invitation."""
    match, seat = sign_up.open_seat(match_id)
    asked = request.method == "POST"
    if asked:
        language = accounts.checked_language(request.form.get("language", spoken()))
        if not request.form.get("website"):
            requests.ask_to_join(match.id, address_typed("address"), language, asker(), now())
    (terms,) = terms_with_players([match], now())
    seat_title = terms.seats[seat.number].title
    return render_template("web/lobby/open.html", terms=terms, seat_title=seat_title, asked=asked)
