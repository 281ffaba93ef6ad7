"""Whatever anybody can press: two hundred presses, one each second, make few letters.

Every page that takes a form is in the list below, with how to press it and how many letters that
may make. A new page has to be entered there, or this fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from engine.iron_curtain.game import IronCurtain
from pbem.db import store
from pbem.db.models import Incoming
from pbem.db.reading import value
from pbem.links import (
    ConfirmLink,
    JoinLink,
    KeepLink,
    Links,
    ReplyLink,
    ReportLink,
    StandLink,
    ThreadLink,
    YouLink,
)
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import leaving, live_links, stand_ins
from pbem.services.self_service import address_changes, free_seats, guests, reports, requests
from pbem.services.self_service.guests import Trial
from tests.pbem.table import Table
from tests.pbem.visiting import NOW, Clock
from tests.pbem.web.public.test_lobby import START
from tests.services.inbox.replying import reply
from tests.services.people import ANN, ASKER, BOB, EVE, id_of, wanted

PRESSES = 200
AGAIN = 20
"""Presses where the first one does all there is to do, or nothing makes a letter."""
ELSEWHERE = {"admin": "for moderators only", "dev": "not in production"}

Press = tuple[str, dict[str, str]]


class Burst(NamedTuple):
    presses: Callable[[Links], Iterator[Press]]
    letters: int
    """How many may follow from two hundred presses."""


def a_table(links: Links) -> Table:
    """Ann and Bob play; who presses what is told by the links."""
    return Table(FlaskClient(Flask("nobody")), links)


# --- what strangers press -------------------------------------------------------------------------


def start_for_tagged(links: Links) -> Iterator[Press]:
    """The same mailbox under many spellings, as somebody who is to be flooded."""
    for number in range(PRESSES):
        yield "/start", {**START, "address": f"victim+{number}@example.org", "opponent": ""}


def start_for_many(links: Links) -> Iterator[Press]:
    for number in range(PRESSES):
        yield "/start", {**START, "address": f"x{number}@x{number}.example.org", "opponent": ""}


def open_for_tagged(links: Links) -> Iterator[Press]:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(id_of(ANN), NOW)
    for number in range(PRESSES):
        yield f"/open/{match}", {"address": f"victim+{number}@example.org"}


def you(links: Links) -> Iterator[Press]:
    a_table(links)
    for _ in range(PRESSES):
        yield "/you", {"address": ANN}


def keep(links: Links) -> Iterator[Press]:
    a_table(links)
    ann = get_player(id_of(ANN))
    change = address_changes.ask(ann, "ann@elsewhere.example.org", "asked for", NOW)
    ann = get_player(ann.id)
    for _ in range(AGAIN):
        yield f"/keep/{links.sign('keep', KeepLink(change, ann.id, ann.epoch))}", {}


# --- what newcomers press -------------------------------------------------------------------------


def confirm(links: Links) -> Iterator[Press]:
    match = matches.create(wanted(), NOW)
    ann = get_player(id_of(ANN))
    token = links.sign("confirm", ConfirmLink(ann.id, ann.epoch, match))
    for _ in range(AGAIN):
        yield f"/confirm/{token}", {"zone": "UTC"}


def join(links: Links) -> Iterator[Press]:
    match = matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    token = links.sign("join", JoinLink(match, 1, id_of(BOB), NOW))
    for number in range(AGAIN):
        yield f"/join/{token}", {"name": "Bob", "do": ("accept", "decline")[number % 2]}


# --- what players press ---------------------------------------------------------------------------


def own_page(links: Links) -> Iterator[Press]:
    """Absences booked and cancelled, links renewed, volunteering begun and ended."""
    a_table(links)
    ann = id_of(ANN)
    for number in range(PRESSES):
        path = f"/you/{links.sign('you', YouLink(ann, get_player(ann).epoch))}"
        if number % 4 == 0:
            day = f"2027-{1 + number % 11:02}-{1 + number % 27:02}"
            yield path, {"do": "book", "first": day, "last": day}
        elif number % 4 == 1:
            found = store.row("SELECT MAX(id) FROM absence")
            yield path, {"do": "cancel_absence", "absence": str(found[0] if found else 0)}
        elif number % 4 == 2:
            yield path, {"do": "settings", "name": "Ann", "stands_in": "on"}
        else:
            yield path, {"do": "renew"}


def seat_acts(name: str, *forms: dict[str, str]) -> Callable[[Links], Iterator[Press]]:
    def presses(links: Links) -> Iterator[Press]:
        path = a_table(links).seat_path(0)
        for number in range(PRESSES):
            form = dict(forms[number % len(forms)])
            if "text" in form:
                form["text"] += str(number)
            if "address" in form:
                form["address"] = form["address"].format(number)
            yield f"{path}{name}", form

    return presses


def standing(links: Links) -> Iterator[Press]:
    table = a_table(links)
    orders = list(any_time_orders(table.match, table.state))
    assert orders
    for number in range(PRESSES):
        yield f"{table.seat_path(0)}/standing", {"order": orders[number % len(orders)]}


def any_time_orders(match: MatchRecord, state: Any, prefix: tuple[str, ...] = ()) -> Iterator[str]:
    """Everything that the first seat can say in advance."""
    for option in IronCurtain().any_time(state, match.seat(0).name, prefix):
        words = (*prefix, option.word)
        if option.action is None:
            yield from any_time_orders(match, state, words)
        else:
            yield " ".join(words)


def stand(links: Links) -> Iterator[Press]:
    table = a_table(links)
    loan = stand_ins.give_up(table.id, 0, EVE, NOW)
    eve = get_player(id_of(EVE))
    token = links.sign("stand", StandLink(loan, eve.id, eve.epoch))
    for number in range(AGAIN):
        yield f"/stand/{token}", {"do": ("accept", "decline", "withdraw")[number % 3]}


def leave(links: Links) -> Iterator[Press]:
    table = a_table(links)
    leaving.ask(table.id, 0, NOW, None, EVE, NOW)
    path = table.word_path(0)
    for _ in range(AGAIN):
        yield path, {}


def reply_word(links: Links) -> Iterator[Press]:
    """A reply whose writer is not certain, and its player who presses and presses."""
    table = a_table(links)
    reply(table.id, "first ussr", sender=EVE)
    turn = table.turn
    mail = value(Incoming.select(Incoming.id).order_by(Incoming.id.desc()).limit(1))
    link = ReplyLink(mail, table.id, turn.seat, table.match.seat(turn.seat).epoch)
    for _ in range(AGAIN):
        yield f"/reply/{links.sign('reply', link)}", {}


def report(links: Links) -> Iterator[Press]:
    table = a_table(links)
    token = links.sign("report", ReportLink(id_of(ANN), "turn", NOW, table.id, 0))
    for number in range(AGAIN):
        yield f"/report/{token}", {"about": "other", "text": f"number {number}"}


def thread(links: Links) -> Iterator[Press]:
    table = a_table(links)
    link = ReportLink(id_of(ANN), "turn", NOW, table.id, 0)
    made = reports.make(link, reports.targets(link)[0].key, "hello", NOW)
    ann = get_player(id_of(ANN))
    token = links.sign("thread", ThreadLink(made.id, ann.id, ann.epoch))
    for number in range(AGAIN):
        yield f"/thread/{token}", {"text": f"number {number}"}


def turn(links: Links) -> Iterator[Press]:
    """Composed and taken out again, and sent with what cannot be."""
    table = a_table(links)
    for number in range(AGAIN):
        yield table.turn_path(), {"do": ("add", "undo", "orders")[number % 3], "orders": "nonsense"}


def order(links: Links) -> Iterator[Press]:
    table = a_table(links)
    path = table.order_path(table.offered()[0])
    for _ in range(AGAIN):
        yield path, {}


def api(links: Links) -> Iterator[Press]:
    table = a_table(links)
    for _ in range(AGAIN):
        yield f"/api/v1/turn/{table.turn_token()}", {}


def mute(links: Links) -> Iterator[Press]:
    a_table(links)
    token = links.sign("mute", YouLink(id_of(ANN), NOW))
    for _ in range(AGAIN):
        yield f"/mute/{token}", {}


def delete(links: Links) -> Iterator[Press]:
    matches.create(wanted(), NOW)
    joining.confirmed(id_of(ANN), NOW)
    ann = get_player(id_of(ANN))
    for _ in range(AGAIN):
        yield f"/you/{links.sign('you', YouLink(ann.id, ann.epoch))}/delete", {}


def hush(links: Links) -> Iterator[Press]:
    a_table(links)
    token = links.sign("hush", YouLink(id_of(ANN), NOW))
    for _ in range(AGAIN):
        yield f"/hush/{token}", {}


def invite_tagged(links: Links) -> Iterator[Press]:
    """From the first page, to many spellings of one mailbox."""
    for number in range(PRESSES):
        yield "/invite", {**START, "address": ANN, "opponent": f"victim+{number}@example.org"}


def invite_many(links: Links) -> Iterator[Press]:
    for number in range(PRESSES):
        yield "/invite", {**START, "address": f"x{number}@x{number}.example.org", "opponent": BOB}


def try_machine(links: Links) -> Iterator[Press]:
    for _ in range(AGAIN):
        yield "/try/iron_curtain", {}


def a_guest(links: Links) -> str:
    match = get_match(guests.start(Trial("iron_curtain", {}, "usa"), ASKER, NOW))
    return links.sign("guest", live_links.to_guest(match, match.seat(0)))


def leave_address(links: Links) -> Iterator[Press]:
    token = a_guest(links)
    for number in range(PRESSES):
        yield f"/guest/{token}/keep", {"address": f"victim+{number}@example.org"}


def go_on(links: Links) -> Iterator[Press]:
    a_table(links)
    match = get_match(guests.start(Trial("iron_curtain", {}, "usa"), ASKER, NOW))
    link = live_links.to_invitation(match, match.seat(0), get_player(id_of(BOB)))
    for _ in range(AGAIN):
        yield f"/go-on/{links.sign('kept', link)}", {"zone": "UTC"}


def stop_remarks(links: Links) -> Iterator[Press]:
    table = a_table(links)
    for _ in range(AGAIN):
        yield f"{table.turn_path()}/remarks", {}


def four_wait(links: Links) -> str:
    """Ann has begun a match of four, and Bob has joined it."""
    seats = {"ussr": ANN, "we": BOB, "uk": None, "usa": None}
    match = matches.create(wanted(game="east_and_west", addresses=seats), NOW)
    joining.confirmed(id_of(ANN), NOW, match)
    joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    return match


def computer(links: Links) -> Iterator[Press]:
    match = four_wait(links)
    free_seats.want(match, 0, NOW)
    waiting = get_match(match)
    path = f"/computer/{links.sign('computer', live_links.to_seat(waiting, waiting.seat(1)))}"
    for _ in range(AGAIN):
        yield path, {}


def checkup(links: Links) -> Iterator[Press]:
    a_table(links)
    path = f"/boards/{links.sign('boards', live_links.to_checkup(get_player(id_of(BOB))))}"
    for _ in range(AGAIN):
        yield path, {}


def invite_instead(links: Links) -> Iterator[Press]:
    waiting = get_match(four_wait(links))
    path = f"/seat/{links.sign('act', live_links.to_seat(waiting, waiting.seat(0)))}/invite"
    for number in range(PRESSES):
        address = f"victim+{number}@example.org"
        yield path, {"do": "invite", "seat": "uk", "address": address}


def way_back(links: Links) -> Iterator[Press]:
    """Other addresses typed, and the old one tried again, by who is marked anew each time."""
    table = a_table(links)
    for number in range(PRESSES):
        store.execute("UPDATE player SET unreachable_since = ? WHERE id = ?", NOW, id_of(ANN))
        form = {"do": ("change", "works")[number % 2], "address": f"victim+{number}@example.org"}
        yield f"{table.seat_path(0)}/address", form


def rematch(links: Links) -> Iterator[Press]:
    table = a_table(links)
    matches.resign(table.id, 0, NOW)
    for number in range(PRESSES):
        yield f"{table.seat_path(0)}/rematch", {"do": ("ask", "withdraw")[number % 2]}


def takeback(links: Links) -> Iterator[Press]:
    """Asked for and withdrawn again and again."""
    table = a_table(links)
    table.send("first usa")
    for number in range(PRESSES):
        yield f"{table.seat_path(1)}/takeback", {"do": ("ask", "withdraw")[number % 2]}


def verify(links: Links) -> Iterator[Press]:
    for _ in range(AGAIN):
        yield "/verify", {"text": "{}"}


TODAY = {"first": "2027-01-15", "last": "2027-01-20"}
BURSTS = {
    "lobby.start": [Burst(start_for_tagged, 5), Burst(start_for_many, 20)],
    "lobby.open_match": [Burst(open_for_tagged, 3)],
    "lobby.confirm": [Burst(confirm, 1)],
    "lobby.join": [Burst(join, 3)],
    "you.ask": [Burst(you, 3)],
    "you.own_page": [Burst(own_page, 10 + 10 + 5)],
    "you.delete": [Burst(delete, 1)],
    "you.mute": [Burst(mute, 0)],
    "you.hush": [Burst(hush, 0)],
    "boards.boards": [Burst(checkup, 5)],
    "front.invite": [Burst(invite_tagged, 5), Burst(invite_many, 20)],
    "try_machine.start": [Burst(try_machine, 0)],
    "practice.leave_address": [Burst(leave_address, 5)],
    "practice.go_on": [Burst(go_on, 2)],
    "practice.stop_remarks": [Burst(stop_remarks, 0)],
    "practice.free_seat": [Burst(computer, 4)],
    "inviting.fill": [Burst(invite_instead, 5)],
    "way_back.act": [Burst(way_back, 3 * 2 + 1)],
    "asking.answer_rematch": [Burst(rematch, 6)],
    "asking.answer_takeback": [Burst(takeback, 6)],
    "private.write_notes": [Burst(seat_acts("/notes", {"text": "note "}), 0)],
    "private.change_blocks": [
        Burst(seat_acts("/block", {"do": "block", "seat": "ussr"}, {"do": "free"}), 0)
    ],
    "play.seat.say": [Burst(seat_acts("", {"text": "hello "}), 1)],
    "play.seat.draw": [Burst(seat_acts("/draw", {}), 1)],
    "play.seat.accept_draw": [Burst(seat_acts("/accept-draw", {}), 0)],
    "play.seat.decline_draw": [Burst(seat_acts("/decline-draw", {}), 0)],
    "play.seat.resign": [Burst(seat_acts("/resign", {}), 2)],
    "play.seat.claim": [Burst(seat_acts("/claim", {}), 0)],
    "play.seat.wait": [Burst(seat_acts("/wait", {}), 0)],
    "play.seat.revoke": [Burst(seat_acts("/revoke", {}), 1)],
    "play.seat.stand": [Burst(standing, 0)],
    "allies.open_or_close": [Burst(seat_acts("/allies", {"do": "open"}), 0)],
    "play.seat.find": [Burst(seat_acts("/find", {}), 5)],
    "away.lend": [
        Burst(
            seat_acts("/lend", {"address": "victim+{0}@example.org", **TODAY}, {"do": "withdraw"}),
            5,
        )
    ],
    "away.give_up": [
        Burst(seat_acts("/give_up", {"address": "x{0}@x{0}.example.org"}, {"do": "withdraw"}), 5)
    ],
    "away.pause": [Burst(seat_acts("/pause", {}, {"do": "end"}), 5)],
    "away.answer": [Burst(stand, 5)],
    "leaving.leave": [Burst(leave, 2)],
    "reply.word": [Burst(reply_word, 1)],
    "reports.report": [Burst(report, 0)],
    "reports.thread": [Burst(thread, 0)],
    "play.act": [Burst(turn, 0)],
    "play.press": [Burst(order, 2)],
    "api.submit": [Burst(api, 0)],
    "verify.verify": [Burst(verify, 0)],
    "you.keep": [Burst(keep, 4)],
}
ALL = [(name, number) for name, bursts in BURSTS.items() for number in range(len(bursts))]


def letters_after(client: FlaskClient, clock: Clock, presses: Iterator[Press]) -> int:
    """How many letters two hundred presses make."""
    known = list[int]()
    for path, form in presses:
        known.append(owed())
        clock.now += 1
        assert client.post(path, data=form).status_code < 500, path
    requests.answer_all(clock.now)
    return owed() - known[0]


def owed() -> int:
    ((letters,),) = store.rows("SELECT COUNT(*) FROM outbox")
    return int(letters)


@pytest.mark.whole
@pytest.mark.parametrize(("name", "number"), ALL)
def test_a_burst_makes_few_letters(
    client: FlaskClient, clock: Clock, links: Links, name: str, number: int
) -> None:
    burst = BURSTS[name][number]
    with store.connected():
        assert letters_after(client, clock, burst.presses(links)) <= burst.letters


def test_every_form_is_in_the_list(app: Flask) -> None:
    takes_forms = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.endpoint.split(".")[0] not in ELSEWHERE
    }

    assert takes_forms == set(BURSTS)
