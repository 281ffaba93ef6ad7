"""A player's own page: matches, settings, links, data; and the way to stop news."""

from __future__ import annotations

from typing import Any

import msgspec
from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine.text import printable
from pbem.errors import Refused
from pbem.links import ActLink, JoinLink, TurnLink
from pbem.services import matches, own_data, people
from pbem.services.records import (
    DECLINED,
    FORMING,
    INVITED,
    MatchRecord,
    PlayerRecord,
    SeatRecord,
    find_player,
    open_turns,
)
from pbem.web.hosting import in_words, links, now, outdated
from pbem.web.lobby import ZONES, address_typed
from pbem.web.telling import moment
from pbem.web.terms import terms_of
from pbem.words import speak

pages = Blueprint("you", __name__)


@pages.post("/you")
def ask() -> str:
    """Whoever asks gets the same answer; the letter goes to those we know."""
    people.ask_for_own_page(address_typed("address"), now())
    return render_template("web/you/asked.html")


@pages.route("/you/<token>", methods=["GET", "POST"])
def own_page(token: str) -> ResponseReturnValue:
    player = _owner(token)
    if player is None:
        return outdated(why="renewed")
    if request.method != "POST":
        return _own_page(token, player)
    act = request.form.get("do", "settings")
    if act == "settings":
        return _settle(token, player)
    if act == "renew":
        return _renew(player)
    raise Refused("“%(act)s” is nothing that this page can do", act=printable(act[:20]))


def _owner(token: str) -> PlayerRecord | None:
    """Whose page it is; None when the link was renewed since. Speaks their language."""
    link = links().read("you", token)
    player = find_player(link.player) if link else None
    if link is None or player is None:
        abort(404)
    speak(player.language)
    return player if player.epoch == link.epoch else None


def _settle(token: str, player: PlayerRecord) -> ResponseReturnValue:
    form = request.form
    try:
        own_data.settle(
            player.id,
            name=form.get("name", player.name),
            language=form.get("language", player.language),
            zone=form.get("zone", player.zone),
            news="news" in form,
        )
    except Refused as refusal:
        return _own_page(token, player, refusal=in_words(refusal)), 400
    changed = find_player(player.id)
    assert changed is not None, "players are never removed"
    speak(changed.language)
    return _own_page(token, changed, saved=True)


def _renew(player: PlayerRecord) -> str:
    """Kill every link to this page; the new one goes to the mailbox, not to whoever presses."""
    people.renew_links(player.id, now())
    people.ask_for_own_page(player.address, now())
    return render_template("web/you/renewed.html")


def _own_page(token: str, player: PlayerRecord, *, saved: bool = False, refusal: str = "") -> str:
    found = [
        (match, seat)
        for match in matches.matches_of(player.id)
        for seat in match.seats
        if seat.player == player.id
    ]
    return render_template(
        "web/you/page.html",
        token=token,
        player=player,
        seats=[_seat(match, seat, player) for match, seat in found],
        zones=ZONES,
        saved=saved,
        refusal=refusal,
    )


def _seat(match: MatchRecord, seat: SeatRecord, player: PlayerRecord) -> dict[str, Any]:
    """One line of the list: what is played, how it stands, where to go."""
    turn = next((turn for turn in open_turns(match.id) if turn.seat == seat.number), None)
    terms = terms_of(match)
    line: dict[str, Any] = {
        "terms": terms,
        "status": match.status,
        "seat": terms.seats[seat.number][0],
        "others": [
            name or title for n, (title, name) in enumerate(terms.seats) if n != seat.number
        ],
        "invitation": "",
        "declined": seat.status == DECLINED,
        "seat_page": links().url("act", ActLink(match.id, seat.number, seat.epoch)),
        "turn_page": "",
        "deadline": None,
        "result": match.result,
        "won": seat.name in (match.result or "").split(),
    }
    if match.status == FORMING and seat.status == INVITED:
        invitation = JoinLink(match.id, seat.number, player.id, seat.epoch)
        line["invitation"] = links().url("join", invitation)
    if turn is not None:
        link = TurnLink(match.id, seat.number, turn.id, seat.epoch)
        line["turn_page"] = links().url("turn", link)
        line["deadline"] = moment(turn.deadline_at, player.zone, now())
    return line


# --- one's own data ------------------------------------------------------------------------------


@pages.get("/you/<token>/data")
def data(token: str) -> ResponseReturnValue:
    """Everything stored about the player, as a file."""
    player = _owner(token)
    if player is None:
        return outdated(why="renewed")
    document = msgspec.json.format(msgspec.json.encode(own_data.export(player.id)), indent=2)
    answer = Response(document + b"\n", mimetype="application/json")
    answer.headers["Content-Disposition"] = 'attachment; filename="pbem-my-data.json"'
    return answer


@pages.route("/you/<token>/delete", methods=["GET", "POST"])
def delete(token: str) -> ResponseReturnValue:
    player = _owner(token)
    if player is None:
        return outdated(why="renewed")
    live = own_data.live_matches(player.id)
    if request.method == "POST" and not live:
        own_data.delete(player.id, now())
        return render_template("web/you/deleted.html")
    page = render_template("web/you/delete.html", token=token, player=player, live=len(live))
    return page, 409 if request.method == "POST" else 200


# --- no more news --------------------------------------------------------------------------------


@pages.route("/mute/<token>", methods=["GET", "POST"])
def mute(token: str) -> str:
    """Stop letters that ask for nothing; also by one press in a mail program (RFC 8058).

    Works with a link of any age: it can only ever make fewer letters.
    """
    link = links().read("mute", token)
    player = find_player(link.player) if link else None
    if link is None or player is None:
        abort(404)
    speak(player.language)
    if request.method == "POST":
        people.set_news(player.id, False)
    done = request.method == "POST" or not player.news
    return render_template("web/you/mute.html", done=done)
