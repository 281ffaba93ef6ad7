"""A player's own page: matches, preferences, links, data; and the way to stop news."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec
from flask import Blueprint, Response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.registry import GAMES
from engine.text import printable
from pbem.board_shapes import FORMS, WIDTHS
from pbem.deadlines import HOUR
from pbem.errors import Refused
from pbem.i18n import speak, spoken
from pbem.services.agreements import open_matches
from pbem.services.match import joining, matches
from pbem.services.players import accounts, blocks, public_results, seat_alerts, turn_words
from pbem.services.records import alliances
from pbem.services.records.match_rows import (
    DECLINED,
    FORMING,
    INVITED,
    JOINED,
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    open_turns,
)
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.seats import live_links
from pbem.services.self_service import (
    address_changes,
    checkups,
    free_seats,
    personal_data,
    preferences,
    requests,
    revocation,
)
from pbem.services.time import clocks
from pbem.services.time.clock_settings import WEEKDAYS
from pbem.web.player import away
from pbem.web.public.feeds import calendar_address
from pbem.web.public.match_form import ZONES, address_typed, days_ticked, weekdays_by_name
from pbem.web.shared.context import asker, in_words, links, now, outdated, refused
from pbem.web.shared.link_access import player_by
from pbem.web.shared.match_terms import terms_of
from pbem.web.shared.match_text import moment, page_of

pages = Blueprint("you", __name__)

USUAL_DIGEST = 8
"""The hour that the form offers for one letter a day."""


@pages.get("/you")
def ask_page() -> str:
    """Where letters send whoever wants the own page; it comes by a letter of its own."""
    return render_template("web/you/ask.html", is_narrow=False)


@pages.post("/you")
def ask() -> str:
    """Whoever asks gets the same answer; the letter goes to those we know."""
    requests.ask_for_own_page(address_typed("address"), asker(), now())
    return render_template("web/you/asked.html")


class Owner(NamedTuple):
    """Whoever comes to the own page, and by which link."""

    token: str
    player: PlayerRecord
    turn: int
    """The turn whose letter led here, so that the page gives no more than that; 0: all of it."""


@pages.route("/you/<token>", methods=["GET", "POST"])
def own_page(token: str) -> ResponseReturnValue:
    owner = _owner(token)
    if owner is None:
        return outdated(why="renewed")
    if request.method != "POST":
        return _own_page(owner)
    act = request.form.get("do", "settings")
    if act == "renew":
        return _renew(owner.player)
    if act == "send":
        accounts.ask_for_own_page(owner.player.address, now())
        return render_template("web/you/asked.html")
    if act not in _ACTS:
        raise Refused("this page cannot do “%(act)s”", act=printable(act[:20]))
    if owner.turn and act in LASTING:
        return _too_narrow()
    return _act(owner, act)


def _owner(token: str) -> Owner | None:
    """Whose page it is; None when the link is dead. Speaks their language."""
    link, player = player_by("you", token)
    return Owner(token, player, link.turn) if live_links.own_page_is_open(link, player) else None


def _act(owner: Owner, act: str) -> ResponseReturnValue:
    """Do what was pressed, and show the page as it is then, with what was wrong where it was."""
    try:
        _ACTS[act](owner.player, request.form, now())
    except Refused as refusal:
        page = _own_page(owner, failed=act, refusal=in_words(refusal))
        return refused(page, refusal)
    changed = find_player(owner.player.id)
    assert changed is not None, "players are never removed"
    speak(changed.language)
    return _own_page(owner._replace(player=changed), done=act)


def _settle(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    fields = {**form, "days_off": "+".join(days_ticked())}
    preferences.save(player.id, preferences.from_fields(player, fields), at)


def _keep_address(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    address_changes.object_to(player.id, at)


def _withdraw(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    open_matches.withdraw(form.get("match", ""), player.id, at)


def _unblock(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    typed = form.get("player", "")
    if not (typed.isascii() and typed.isdecimal() and len(typed) < 10):
        raise Refused("“%(number)s” is not a number", number=printable(typed[:20]))
    blocks.unblock(player.id, int(typed))


def _send_checkup(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    checkups.send(player, at)


def _choose_alerts(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    seat_alerts.choose(player.id, [game for game in GAMES if f"alert_{game}" in form])


def _change_address(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    address_changes.ask_by_player(player, address_typed("address"), at)


def _address_works(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    address_changes.works_again(player.id, at)


_ACTS: dict[str, Callable[[PlayerRecord, Mapping[str, str], int], None]] = {
    "settings": _settle,
    "book": away.book_from_form,
    "cancel_absence": away.cancel_from_form,
    "keep_address": _keep_address,
    "withdraw": _withdraw,
    "unblock": _unblock,
    "alerts": _choose_alerts,
    "checkup": _send_checkup,
    "change_address": _change_address,
    "works": _address_works,
}
LASTING = ("withdraw", "unblock", "alerts", "change_address")
"""Acts that the link of a turn is not enough for."""


def _renew(player: PlayerRecord) -> str:
    """Kill every link; new ones go to the mailbox, not to whoever presses."""
    revocation.by_player(player.id, now())
    return render_template("web/you/renewed.html")


def _own_page(owner: Owner, *, done: str = "", failed: str = "", refusal: str = "") -> str:
    player = owner.player
    found = [
        (match, seat)
        for match in matches.matches_of(player.id)
        for seat in match.seats
        if seat.player == player.id and _concerns(match, seat)
    ]
    return render_template(
        "web/you/page.html",
        token=owner.token,
        player=player,
        is_narrow=bool(owner.turn),
        groups=_grouped([_seat(match, seat, owner) for match, seat in found]),
        results=_results(player),
        public_page=_public_page(player),
        blocked=blocks.shown(player.id),
        alerts=seat_alerts.games_of(player.id),
        live=[match.id for match, _ in found if match.status == LIVE],
        zones=ZONES,
        weekdays=weekdays_by_name(),
        wished=_wished(player, request.form if failed == "settings" else None),
        absences=away.shown(player, now()),
        calendar="" if owner.turn else calendar_address(player),
        moves=address_changes.waiting(player.id, now()),
        offers_word=turn_words.is_offered(player),
        words_for_all=turn_words.settings.demands_words,
        done=done,
        forms=FORMS,
        widths=WIDTHS,
        refused=failed,
        refusal=refusal,
    )


def _grouped(lines: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """What waits for the player first, then what goes on, what has not begun, what is over."""
    groups: dict[str, list[dict[str, Any]]] = {"yours": [], LIVE: [], FORMING: [], OVER: []}
    for line in lines:
        is_waiting = line["status"] == LIVE and line["is_asked"] and not line["is_paused"]
        status = "yours" if is_waiting or line["is_invited"] else line["status"]
        groups[status if status in groups else OVER].append(line)
    groups["yours"].sort(key=lambda line: (line["ends"] is None, line["ends"]))
    return [(name, group) for name, group in groups.items() if group]


def _results(player: PlayerRecord) -> list[tuple[str, matches.Results]]:
    """How the matches of each game ended that are over."""
    found = matches.results_of(player.id)
    return [(GAMES[name].title.in_(spoken()), found[name]) for name in GAMES if name in found]


def _public_page(player: PlayerRecord) -> str:
    """Where everybody sees the results of a player; empty: nowhere."""
    if player.hides_page or not player.public_id or not public_results.has_played(player.id):
        return ""
    return url_for("players.show", public_id=player.public_id)


def _concerns(match: MatchRecord, seat: SeatRecord) -> bool:
    """Whether a player knows of a match: strangers can type any address, and invite nobody so."""
    is_typed = seat.status == INVITED and seat.player != match.creator
    if is_typed and blocks.has_blocked(seat.player, match.creator):
        return False
    return not is_typed or joining.is_vouched_for(match)


def _wished(player: PlayerRecord, typed: Mapping[str, str] | None) -> dict[str, Any]:
    """The fields of the form as they were typed, or as the player has chosen once."""
    if typed is not None:
        return {name: typed[name] for name in typed}
    begins, ends = player.night or ("", "")
    return {
        "name": player.name,
        "language": player.language,
        "zone": player.zone,
        "reminders": preferences.way_of(player),
        "leads": ", ".join(str(lead // HOUR) for lead in player.leads or ()),
        "digest_hour": USUAL_DIGEST if player.digest_hour is None else player.digest_hour,
        "board_form": player.board_form,
        "board_width": player.board_width,
        "subjects": preferences.ONE if player.one_subject else preferences.TELLING,
        "night_from": begins,
        "night_to": ends,
        **{f"off_{WEEKDAYS[day]}": "on" for day in player.days_off},
        **({"news": "on"} if player.news else {}),
        **({"receipts": "on"} if player.receipts else {}),
        **({"quiet_turns": "on"} if player.quiet_turns else {}),
        **({"stands_in": "on"} if player.stands_in else {}),
        **({"turn_word": "on"} if player.turn_word else {}),
        **({"hides_page": "on"} if player.hides_page else {}),
    }


def _seat(match: MatchRecord, seat: SeatRecord, owner: Owner) -> dict[str, Any]:
    """One line of the list: what is played, how it stands, where to go.

    Who has come from the letter of a turn finds the way to that turn and to no other.
    """
    turn = next((turn for turn in open_turns(match.id) if turn.seat == seat.number), None)
    terms = terms_of(match)
    line: dict[str, Any] = {
        "terms": terms,
        "status": match.status,
        "seat": terms.seats[seat.number].title,
        "others": [
            (
                terms.seats[other.number].name or terms.seats[other.number].title,
                page_of(match, other),
            )
            for other in alliances.opponents(match, seat.name)
        ],
        "is_invited": match.status == FORMING and seat.status == INVITED,
        "is_asked": turn is not None,
        "invitation": "",
        "computer_page": "",
        "declined": seat.status == DECLINED,
        "seat_page": "",
        "turn_page": "",
        "deadline": None,
        "ends": None,
        "lapses": None,
        "is_host": match.status == FORMING and match.creator == owner.player.id,
        "is_paused": match.paused_at is not None,
        "result": match.result,
        "won": seat.name in (match.result or "").split(),
    }
    if turn is not None and match.paused_at is None:
        ends = clocks.expected_deadline(match, turn, now())
        line |= {"ends": ends, "deadline": moment(ends, owner.player.zone, now())}
    lapses = open_matches.lapses_at(match)
    if lapses is not None:
        line["lapses"] = moment(lapses, owner.player.zone, now())
    if owner.turn and (turn is None or turn.id != owner.turn):
        return line
    if line["is_invited"]:
        invitation = live_links.to_invitation(match, seat, owner.player)
        line["invitation"] = links().url("join", invitation)
    if free_seats.may_want(match, seat):
        line["computer_page"] = links().url("computer", live_links.to_seat(match, seat))
    if turn is not None:
        line["turn_page"] = links().url("turn", live_links.to_turn(match, turn))
    is_host = match.creator == owner.player.id and seat.status == JOINED
    if match.status in (LIVE, OVER) or (match.status == FORMING and is_host):
        line["seat_page"] = links().url("act", live_links.to_seat(match, seat))
    return line


# --- one's own data ------------------------------------------------------------------------------


@pages.get("/you/<token>/data")
def data(token: str) -> ResponseReturnValue:
    """Everything stored about the player, as a file."""
    owner = _owner(token)
    if owner is None:
        return outdated(why="renewed")
    if owner.turn:
        return _too_narrow()
    player = owner.player
    document = msgspec.json.format(msgspec.json.encode(personal_data.export(player.id)), indent=2)
    answer = Response(document + b"\n", mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="pbem-my-data.json"'
    return answer


@pages.route("/you/<token>/delete", methods=["GET", "POST"])
def delete(token: str) -> ResponseReturnValue:
    owner = _owner(token)
    if owner is None:
        return outdated(why="renewed")
    if owner.turn:
        return _too_narrow()
    player = owner.player
    live = personal_data.live_matches(player.id)
    if request.method == "POST" and not live:
        personal_data.delete(player.id, now())
        return render_template("web/you/deleted.html")
    page = render_template("web/you/delete.html", token=token, player=player, live=len(live))
    return page, 409 if request.method == "POST" else 200


def _too_narrow() -> ResponseReturnValue:
    """The link of a turn does not open what lasts longer."""
    return render_template("web/you/ask.html", is_narrow=True), 403


# --- an address that stays --------------------------------------------------------------------


@pages.route("/keep/<token>", methods=["GET", "POST"])
def keep(token: str) -> ResponseReturnValue:
    """Stop a change of address or a merger, for who reads the old one; one form, one button."""
    link, player = player_by("keep", token)
    change = address_changes.find(link.change)
    if change is None or player.epoch != link.epoch:
        return outdated(why="renewed")
    newest = address_changes.waiting(player.id, now())  # this one, or one since
    waits = newest is not None
    if request.method == "POST" and waits:
        address_changes.object_to(player.id, now())
        waits = False
    elif not waits and (change.is_done or change.ended_at is None):
        return outdated(why="renewed")
    return render_template(
        "web/you/keep.html", address=player.address, change=newest or change, is_stopped=not waits
    )


# --- no more news --------------------------------------------------------------------------------


@pages.route("/mute/<token>", methods=["GET", "POST"])
def mute(token: str) -> str:
    """Stop letters that ask for nothing; also by one press in a mail program (RFC 8058).

    Works with a link of any age: it can only ever make fewer letters.
    """
    link, player = player_by("mute", token)
    if request.method == "POST":
        accounts.mute(player.id)
    done = request.method == "POST" or not (player.news or player.reminders)
    return render_template("web/you/mute.html", done=done)


@pages.route("/hush/<token>", methods=["GET", "POST"])
def hush(token: str) -> str:
    """Stop letters about free seats, as `mute` stops news."""
    link, player = player_by("hush", token)
    if request.method == "POST":
        seat_alerts.choose(player.id, ())
    return render_template("web/you/hush.html", done=not seat_alerts.games_of(player.id))
