"""Seats lent and given up, the question to a stand-in, pauses, vacations: seen from outside."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import msgspec
import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from engine.core import Seat
from engine.terminal.rehearsal import random_order
from pbem.db import store
from pbem.links import Links, StandLink, YouLink
from pbem.services.letters.kinds import registry
from pbem.services.match import messages
from pbem.services.players import accounts
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import loans, stand_ins
from pbem.services.seats.loans import Loan
from pbem.services.time import absences
from tests.mail.posting import queued
from tests.pbem.table import HOSTILE, Table, canary_deck
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.people import ANN, BOB, DAY, EVE, id_of

FIRST, SECOND = 0, 1  # Ann's seat and Bob's
DAN = "dan@example.org"
TODAY, TOMORROW, LATER = "2027-01-15", "2027-01-16", "2027-01-20"
CANARY = re.compile(r"zq\d+canary", re.IGNORECASE)


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    """Ann and Bob play; Eve stands in for others. All read English, in UTC."""
    return at_home(Table(client, links))


def at_home(table: Table) -> Table:
    with store.connected(), store.writing():
        store.execute("UPDATE player SET language = 'en', zone = 'UTC'")
        eve = accounts.known_or_new(EVE, NOW)
        accounts.confirm(eve.id, NOW)
        accounts.change(eve.id, name="Eve")
        stand_ins.volunteer(eve.id, True, NOW)
    return table


def number(address: str) -> int:
    with store.connected():
        return id_of(address)


def loan(table: Table, seat: int = SECOND) -> Loan:
    with store.connected():
        (found,) = store.rows("SELECT MAX(id) FROM loan WHERE seat = ?", seat)
        kept = loans.find_loan(found[0])
    assert kept is not None
    return kept


def number_of_loans() -> int:
    with store.connected():
        ((count,),) = store.rows("SELECT COUNT(*) FROM loan")
    return int(count)


def stand_path(table: Table, address: str, of: Loan | None = None) -> str:
    with store.connected():
        player = get_player(id_of(address))
    link = StandLink((of or loan(table)).id, player.id, player.epoch)
    return f"/stand/{table.links.sign('stand', link)}"


def told(address: str) -> list[str]:
    """What letters about lent seats were for."""
    with store.connected():
        found = store.rows(
            "SELECT about FROM outbox WHERE kind = 'stand_in' AND player_id = ? ORDER BY id",
            id_of(address),
        )
    return [msgspec.json.decode(about)["what"] for (about,) in found]


def holder(table: Table, seat: int = SECOND) -> int | None:
    return table.match.seat(seat).player


# --- asking first --------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["lend", "give_up", "pause"])
def test_each_act_is_linked_and_asks_first(table: Table, what: str) -> None:
    path = table.seat_path(FIRST)
    before = everything()
    assert f'href="{path}/{what}"' in table.client.get(path).text
    page = table.client.get(f"{path}/{what}")

    assert page.status_code == 200
    (form,) = forms(page.text)
    assert (form.action, form.method, len(form.buttons)) == (f"{path}/{what}", "post", 1)
    assert everything() == before


def test_looking_changes_nothing(table: Table) -> None:
    seat = table.seat_path(SECOND)
    table.leave(SECOND, "give_up")
    paths = [
        *(f"{seat}/{what}" for what in ("lend", "give_up", "pause")),
        *(stand_path(table, who) for who in (ANN, BOB, EVE)),
        seat,
    ]
    before = everything()
    for path in paths:
        assert table.client.get(path).status_code in (200, 410)
        assert table.client.head(path).status_code in (200, 410)

    assert everything() == before


@pytest.mark.parametrize("what", ["lend", "give_up", "pause"])
def test_after_the_end_there_is_nothing_left_to_ask(table: Table, what: str) -> None:
    path = table.seat_path(FIRST)
    table.client.post(f"{path}/resign")
    before = everything()
    data = {"first": TODAY, "last": LATER}

    assert table.client.get(f"{path}/{what}").status_code == 303
    assert table.client.post(f"{path}/{what}", data=data).status_code == 303
    assert f"{path}/{what}" not in table.client.get(path).text
    assert everything() == before


@pytest.mark.parametrize("what", ["lend", "give_up", "pause"])
def test_a_link_that_was_replaced_does_nothing(table: Table, what: str) -> None:
    path = table.seat_path(FIRST)
    table.client.post(f"{path}/revoke")
    before = everything()

    assert table.client.get(f"{path}/{what}").status_code == 410
    assert table.client.post(f"{path}/{what}").status_code == 410
    assert table.client.post(f"/seat/none/{what}").status_code == 404
    assert everything() == before


# --- lending -------------------------------------------------------------------------------------


def test_a_seat_is_lent_for_whole_days(table: Table) -> None:
    path = f"{table.seat_path(SECOND)}/lend"
    for _ in range(3):
        answer = table.client.post(path, data={"first": TOMORROW, "last": LATER})
        assert answer.status_code == 200
        assert "we have sent you an email" in answer.text
    assert number_of_loans() == 0, "whoever holds a link to the seat cannot give it away"
    for _ in range(3):
        answer = table.client.post(table.word_path(SECOND))
        assert "Your seat as USSR is on offer" in answer.text

    made = loan(table)
    midnight = NOW - NOW % DAY
    assert (made.start, made.end) == (midnight + DAY, midnight + 6 * DAY)
    assert (made.state, made.owner, made.stand_in, number_of_loans()) == (
        "offered",
        number(BOB),
        None,
        1,
    )
    assert told(EVE) == ["asked"]
    page = table.client.get(path).text
    assert "You lend your seat as USSR" in page
    assert "We have emailed the players who volunteer as stand-ins." in page
    assert (
        "You have offered this seat to a stand-in."
        in table.client.get(table.seat_path(SECOND)).text
    )


def test_days_are_those_of_the_players_zone(table: Table) -> None:
    with store.connected():
        accounts.change(number(BOB), zone="Europe/Berlin")
    data = {"first": TOMORROW, "last": TOMORROW}
    table.leave(SECOND, "lend", **data)

    midnight = NOW - NOW % DAY - 3_600
    assert (loan(table).start, loan(table).end) == (midnight + DAY, midnight + 2 * DAY)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({}, "“” is not a date; write it like 2027-01-31"),
        ({"first": TODAY}, "“” is not a date"),
        ({"first": "soon", "last": LATER}, "“soon” is not a date"),
        ({"first": "0001-01-01", "last": LATER}, "“0001-01-01” is not a date"),
        ({"first": TODAY, "last": "9999-12-31"}, "“9999-12-31” is not a date"),
        ({"first": "2027-02-30", "last": LATER}, "“2027-02-30” is not a date"),
        ({"first": LATER, "last": TOMORROW}, "the loan must end after it starts"),
        ({"first": "2027-01-14", "last": LATER}, "a loan cannot start in the past"),
        ({"first": TODAY, "last": "2028-02-01"}, "up to one year ahead"),
        ({"first": TODAY, "last": LATER, "address": "dan"}, "“dan” is not a usable email address"),
        ({"first": TODAY, "last": LATER, "address": BOB}, "this is your own address"),
    ],
)
def test_wrong_days_are_refused_in_words(table: Table, data: dict[str, str], words: str) -> None:
    before = everything()
    answer = table.client.post(f"{table.seat_path(SECOND)}/lend", data=data)

    assert answer.status_code == 400
    assert words in unescape(answer.text)
    for typed in data.values():
        assert f'value="{typed}"' in answer.text, "what was typed is kept"
    assert everything() == before


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_forms_leave_everything_as_it_was(table: Table, text: str) -> None:
    before = everything()
    typed = text.encode("utf-8", "surrogatepass")
    data = {"first": typed, "last": typed, "address": typed, "absence": typed}
    you = f"/you/{table.links.sign('you', YouLink(number(BOB), NOW, 0))}"
    answers = [
        table.client.post(f"{table.seat_path(SECOND)}/lend", data=data),
        table.client.post(you, data={**data, "do": "book"}),
        table.client.post(you, data={**data, "do": "cancel_absence"}),
    ]
    assert {answer.status_code for answer in answers} <= {400, 413}
    assert everything() == before


def test_a_huge_form_is_refused(table: Table) -> None:
    before = everything()
    for what in ("lend", "give_up", "pause"):
        path = f"{table.seat_path(SECOND)}/{what}"
        assert table.client.post(path, data={"address": "x" * 50_000}).status_code == 413
    assert everything() == before


def test_an_offer_can_be_taken_back(table: Table) -> None:
    path = f"{table.seat_path(SECOND)}/lend"
    table.leave(SECOND, "lend", first=TOMORROW, last=LATER)
    (form,) = forms(table.client.get(path).text)
    assert form.buttons == [("do", "withdraw")]
    for _ in range(3):
        assert table.client.post(form.action, data={"do": "withdraw"}).status_code == 303

    assert loan(table).state == "withdrawn"
    assert "Lend your seat as USSR?" in table.client.get(path).text
    assert table.client.get(stand_path(table, EVE)).status_code == 410


def test_without_volunteers_the_page_says_so(table: Table) -> None:
    with store.connected():
        stand_ins.volunteer(number(EVE), False, NOW)
    path = f"{table.seat_path(SECOND)}/give_up"
    assert "so you have to name someone" in table.client.get(path).text
    before = everything()
    answer = table.client.post(path)

    assert answer.status_code == 400
    assert "name someone" in answer.text
    assert everything() == before


# --- the question --------------------------------------------------------------------------------


def test_a_volunteer_takes_a_seat_that_was_given_up(client: FlaskClient, links: Links) -> None:
    table = at_home(Table(client, links))
    seat, turn = table.seat_path(SECOND), table.turn_path()
    order = table.order_path("first usa")
    assert table.leave(SECOND, "give_up").status_code == 200
    for _ in range(3):
        assert client.post(table.word_path(SECOND)).status_code == 200
    assert number_of_loans() == 1
    path = stand_path(table, EVE)
    page = client.get(path).text
    assert "A match is looking for someone to play this seat to the end." in page
    (form,) = forms(page)
    assert form.buttons == [("do", "accept"), ("do", "decline")]
    for _ in range(3):
        assert client.post(form.action, data={"do": "accept"}).status_code == 303

    assert holder(table) == number(EVE)
    assert "You are playing this seat now." in client.get(path).text
    for old in (seat, f"{seat}/give_up", f"{seat}/standing", turn, order):
        assert client.get(old).status_code == 410, "Bob's links are dead"
        assert client.post(old).status_code == 410
    assert client.get(table.seat_path(SECOND)).status_code == 200
    assert client.get(table.turn_path()).status_code == 200
    assert told(BOB) == ["taken"]
    with store.connected():
        found = store.rows(
            "SELECT kind FROM outbox WHERE player_id = ? AND match_id = ? ORDER BY id",
            id_of(EVE),
            table.id,
        )
    assert [kind for (kind,) in found] == ["stand_in", "briefing", "turn"]


def test_the_page_of_a_taken_seat_gives_no_key_to_it(table: Table) -> None:
    """Letters do: they can be switched off."""
    table.leave(SECOND, "give_up")
    path = stand_path(table, EVE)
    table.client.post(path, data={"do": "accept"})
    page = table.client.get(path).text

    assert not re.search(r"/(seat|t|o|you)/", page)


def test_who_comes_second_is_told_so(table: Table) -> None:
    with store.connected(), store.writing():
        dan = accounts.known_or_new(DAN, NOW)
        accounts.confirm(dan.id, NOW)
        stand_ins.volunteer(dan.id, True, NOW)
    table.leave(SECOND, "give_up")
    first, second = stand_path(table, EVE), stand_path(table, DAN)
    assert table.client.get(second).status_code == 200
    table.client.post(first, data={"do": "accept"})
    before = everything()
    answer = table.client.post(second, data={"do": "accept"}, follow_redirects=True)

    assert answer.status_code == 410
    assert "Someone else is playing it now." in answer.text
    assert everything() == before


def test_who_was_asked_by_name_can_decline(table: Table) -> None:
    path = f"{table.seat_path(SECOND)}/give_up"
    table.leave(SECOND, "give_up", address=DAN)
    assert f"{DAN} by email and have no answer yet" in table.client.get(path).text
    assert table.client.get(stand_path(table, EVE)).status_code == 410, "she was not"
    dan = stand_path(table, DAN)
    for _ in range(3):
        answer = table.client.post(dan, data={"do": "decline"})
        assert answer.status_code == 200
        assert "You will not hear about it again." in answer.text

    assert told(BOB) == ["declined"]
    assert loan(table).state == "withdrawn"
    assert table.client.get(dan).status_code == 410


def test_who_has_agreed_can_step_back_and_the_owner_can_withdraw(table: Table) -> None:
    lend = f"{table.seat_path(SECOND)}/lend"
    days = {"first": TOMORROW, "last": LATER}
    table.leave(SECOND, "lend", **days)
    eve, bob = stand_path(table, EVE), stand_path(table, BOB)
    assert "nobody has accepted yet" in table.client.get(bob).text
    table.client.post(eve, data={"do": "accept"})
    assert holder(table) == number(BOB), "not before tomorrow"
    assert "You have agreed to play this seat from" in table.client.get(eve).text
    assert "Eve has agreed." in table.client.get(lend).text
    assert "Eve has agreed to play your seat" in table.client.get(bob).text
    table.client.post(eve, data={"do": "decline"})
    assert loan(table).state == "withdrawn"

    table.leave(SECOND, "lend", **days)
    eve, bob = stand_path(table, EVE), stand_path(table, BOB)
    table.client.post(eve, data={"do": "accept"})
    for _ in range(2):
        assert table.client.post(bob, data={"do": "withdraw"}).status_code == 303
    assert loan(table).state == "withdrawn"
    assert told(EVE)[-1] == "withdrawn"


def test_an_owner_can_have_a_lent_seat_back(table: Table) -> None:
    table.leave(SECOND, "lend", first=TODAY, last=LATER)
    eve, bob = stand_path(table, EVE), stand_path(table, BOB)
    table.client.post(eve, data={"do": "accept"})
    assert holder(table) == number(EVE)
    assert "Eve plays your seat until" in table.client.get(bob).text
    assert table.client.post(eve, data={"do": "withdraw"}).status_code == 303
    assert holder(table) == number(EVE), "only its owner can"
    hers = table.seat_path(SECOND)
    for _ in range(2):
        table.client.post(bob, data={"do": "withdraw"})

    assert holder(table) == number(BOB)
    assert table.client.get(hers).status_code == 410
    assert table.client.get(bob).status_code == 410
    assert "The period it was lent for is over." in table.client.get(eve).text


def test_a_stand_in_gives_a_seat_back_and_cannot_lend_it_on(table: Table) -> None:
    table.leave(SECOND, "lend", first=TODAY, last=LATER)
    table.client.post(stand_path(table, EVE), data={"do": "accept"})
    hers = table.seat_path(SECOND)
    page = table.client.get(hers).text
    assert "You are a stand-in: the seat is lent to you." in page
    for what in ("lend", "resign", "draw"):
        assert f"{hers}/{what}" not in page
    assert "You cannot lend it on." in table.client.get(f"{hers}/lend").text
    for what in ("lend", "give_up"):
        data = {"first": TODAY, "last": TODAY, "address": DAN}
        assert table.client.post(f"{hers}/{what}", data=data).status_code == 303
    assert number_of_loans() == 1
    (form,) = forms(table.client.get(f"{hers}/give_up").text)
    answer = table.client.post(form.action, data=dict(form.buttons))

    assert answer.status_code == 200
    assert "Thank you for standing in!" in answer.text
    assert holder(table) == number(BOB)
    assert table.client.post(form.action, data=dict(form.buttons)).status_code == 410


def test_the_page_of_a_loan_opens_only_by_its_own_link(table: Table) -> None:
    table.leave(SECOND, "give_up")
    before = everything()
    good = StandLink(loan(table).id, number(EVE), NOW)
    for path in (
        f"/stand/{table.links.sign('stand', msgspec.structs.replace(good, loan=99))}",
        f"/stand/{table.links.sign('stand', msgspec.structs.replace(good, player=99))}",
        f"/stand/{table.links.sign('you', YouLink(number(EVE), NOW, 0))}",
        "/stand/none",
    ):
        assert table.client.get(path).status_code == 404
        assert table.client.post(path, data={"do": "accept"}).status_code == 404
    old = f"/stand/{table.links.sign('stand', msgspec.structs.replace(good, epoch=NOW - 1))}"
    assert table.client.get(old).status_code == 410
    assert table.client.post(old, data={"do": "accept"}).status_code == 410
    odd = table.client.post(stand_path(table, EVE), data={"do": "dance"})
    assert odd.status_code == 400
    assert "This page cannot do “dance”" in unescape(odd.text)
    huge = table.client.post(stand_path(table, EVE), data={"do": "x" * 50_000})
    assert huge.status_code == 413
    assert everything() == before


def test_players_of_the_match_are_not_asked_to_stand_in(table: Table) -> None:
    table.leave(SECOND, "give_up")
    page = table.client.get(stand_path(table, ANN))

    assert page.status_code == 410
    assert "someone who has never held another seat" in page.text
    table.client.post(stand_path(table, ANN), data={"do": "accept"})
    assert holder(table) == number(BOB)


def test_an_empty_seat_says_so_and_its_links_are_dead(table: Table) -> None:
    seat, turn = table.seat_path(SECOND), table.turn_path()
    with store.connected():
        stand_ins.open_seat(table.id, SECOND, NOW)

    for old in (seat, turn, table.seat_path(SECOND)):
        assert table.client.get(old).status_code in (404, 410)
    assert "nobody; a stand-in is wanted" in table.client.get(f"/match/{table.id}").text
    assert "nobody; a stand-in is wanted" in table.client.get(table.seat_path(FIRST)).text
    back = table.client.post(stand_path(table, BOB), data={"do": "accept"})
    assert back.status_code == 303
    assert holder(table) == number(BOB)


# --- nothing hidden ------------------------------------------------------------------------------


def in_the_middle(client: FlaskClient, links: Links) -> Table:
    """A match with cards that nobody mistakes, some turns old."""
    table, choice = at_home(Table(client, links, {"deck": canary_deck()})), QuickDice(b"middle")
    for _ in range(40):
        seat = table.match.seat(table.turn.seat).name
        table.send(random_order(table.match.game, table.state, seat, choice))
    assert table.is_live
    return table


def hand(table: Table, seat: int) -> set[str]:
    name: Seat = table.match.seat(seat).name
    cards: tuple[str, ...] = table.match.game.view(table.state, name).hand
    return set(cards)


def cards_in(text: str) -> set[str]:
    return {name.lower() for name in CANARY.findall(text)}


def test_who_is_asked_sees_no_hidden_card(client: FlaskClient, links: Links) -> None:
    table = in_the_middle(client, links)
    hidden = hand(table, FIRST) | hand(table, SECOND)
    assert hand(table, FIRST) and hand(table, SECOND)
    for seat in (FIRST, SECOND):
        table.leave(seat, "give_up")
        asked = client.get(stand_path(table, EVE, loan(table, seat))).text
        public = cards_in(client.get(f"/match/{table.id}").text)

        assert cards_in(asked), "the board is shown"
        assert cards_in(asked) <= public
        assert not cards_in(asked) & hidden


@pytest.mark.whole
@pytest.mark.parametrize("seat", [FIRST, SECOND])
def test_a_newcomer_learns_what_the_seat_knows_and_nothing_of_the_other(
    client: FlaskClient, links: Links, seat: int
) -> None:
    table = in_the_middle(client, links)
    own, other = hand(table, seat), hand(table, 1 - seat)
    table.leave(seat, "give_up")
    client.post(stand_path(table, EVE, loan(table, seat)), data={"do": "accept"})
    path = table.seat_path(seat)
    with store.connected():
        owed = store.rows(
            "SELECT kind, player_id, match_id, seat, turn, about FROM outbox"
            " WHERE player_id = ? AND match_id = ?",
            id_of(EVE),
            table.id,
        )
        written = {
            kind: registry.compose(
                queued(kind, player, match, at, turn, msgspec.json.decode(about)), links, NOW
            )
            for kind, player, match, at, turn, about in owed
        }
    assert {"stand_in", "briefing"} <= written.keys()
    for kind, letter in written.items():
        assert not cards_in(letter.text + letter.html) & other, kind
    assert own <= cards_in(written["briefing"].text)
    assert not cards_in(written["stand_in"].text + written["stand_in"].html) & own
    assert not cards_in(client.get(path).text) & other


# --- pauses --------------------------------------------------------------------------------------


def test_a_pause_needs_all_and_anybody_ends_it(client: FlaskClient, links: Links) -> None:
    table = at_home(Table(client, links))
    ann, bob = (f"{table.seat_path(seat)}/pause" for seat in (FIRST, SECOND))
    assert "Ask for a pause?" in client.get(ann).text
    for _ in range(3):
        assert client.post(ann, data={"do": "want"}).status_code == 303
    assert table.match.paused_at is None
    page = client.get(ann).text
    assert "You have asked for a pause" in page
    assert "It begins when the others agree: USSR." in page
    assert "USA asks for a pause." in client.get(table.seat_path(SECOND)).text
    assert "Agree to the pause?" in client.get(bob).text
    for _ in range(3):
        assert client.post(bob, data={"do": "want"}).status_code == 303

    assert table.match.paused_at == NOW
    for path in (ann, bob):
        assert "End the pause?" in client.get(path).text
    assert "The match is paused" in client.get(table.seat_path(FIRST)).text
    for _ in range(3):
        assert client.post(ann, data={"do": "end"}).status_code == 303
    assert table.match.paused_at is None
    with store.connected():
        found = store.rows("SELECT about FROM outbox WHERE kind = 'away' ORDER BY id")
    whats = [msgspec.json.decode(about)["what"] for (about,) in found]
    assert whats == ["wants_pause", "paused", "paused", "resumed"]


def test_a_wish_can_be_taken_back(table: Table) -> None:
    path = f"{table.seat_path(FIRST)}/pause"
    table.client.post(path, data={"do": "want"})
    (form,) = forms(table.client.get(path).text)
    assert form.buttons == [("do", "end")]
    table.client.post(path, data={"do": "end"})

    assert not table.match.seat(FIRST).pause_wanted


def test_when_no_pause_is_left_the_page_says_so(table: Table) -> None:
    path = f"{table.seat_path(FIRST)}/pause"
    with store.connected():
        store.execute("""UPDATE match SET clock = '{"most_pause": 0}'""")
    page = table.client.get(path)
    assert "No more pauses" in page.text
    assert not forms(page.text)
    before = everything()
    answer = table.client.post(path, data={"do": "want"})

    assert answer.status_code == 400
    assert "it goes on" in answer.text
    assert everything() == before


# --- vacations -----------------------------------------------------------------------------------


@pytest.fixture
def you(table: Table) -> str:
    return f"/you/{table.links.sign('you', YouLink(number(ANN), NOW, 0))}"


def booked(address: str) -> list[tuple[int, int]]:
    with store.connected():
        return [(one.start, one.end) for one in absences.of(id_of(address))]


def test_a_vacation_is_booked_in_whole_days(table: Table, you: str) -> None:
    page = table.client.get(you).text
    assert "You have 30 vacation days left in 2027." in page
    for _ in range(3):
        data = {"do": "book", "first": TOMORROW, "last": LATER}
        answer = table.client.post(you, data=data)
        assert answer.status_code == 200
    midnight = NOW - NOW % DAY

    assert booked(ANN) == [(midnight + DAY, midnight + 6 * DAY)]
    assert "You have 25 vacation days left in 2027." in answer.text
    assert "From Saturday, January 16, 2027, 00:00 UTC to Thursday" in answer.text


def test_today_has_begun_already(table: Table, you: str, clock: Clock) -> None:
    data = {"do": "book", "first": TODAY, "last": TODAY}
    table.client.post(you, data=data)
    clock.now += 60
    table.client.post(you, data=data)

    assert booked(ANN) == [(NOW, NOW - NOW % DAY + DAY)]


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("", "", "“” is not a date; write it like 2027-01-31"),
        ("15.1.2027", LATER, "“15.1.2027” is not a date"),
        (LATER, TOMORROW, "vacation must end after it starts"),
        ("2027-01-01", LATER, "vacation cannot start in the past"),
        ("2028-01-10", "2028-01-20", "vacation can be booked up to one year ahead"),
        (TOMORROW, "2027-02-20", "would take 36 vacation days in 2027; you have 30 left"),
    ],
)
def test_wrong_vacations_are_refused_in_words(
    table: Table, you: str, first: str, last: str, words: str
) -> None:
    before = everything()
    answer = table.client.post(you, data={"do": "book", "first": first, "last": last})

    assert answer.status_code == 400
    assert words in unescape(answer.text)
    assert everything() == before


def test_a_vacation_is_cancelled_once(table: Table, you: str) -> None:
    table.client.post(you, data={"do": "book", "first": TOMORROW, "last": LATER})
    form = next(form for form in forms(table.client.get(you).text) if "absence" in form.fields)
    assert form.buttons == [("do", "cancel_absence")]
    for _ in range(3):
        data = {**form.fields, "do": "cancel_absence"}
        assert table.client.post(you, data=data).status_code == 200

    assert booked(ANN) == []
    with store.connected():
        found = store.rows("SELECT about FROM outbox WHERE kind = 'away' ORDER BY id")
    assert [msgspec.json.decode(about)["what"] for (about,) in found] == ["booked", "cancelled"]


def test_nobody_cancels_the_vacation_of_another(table: Table, you: str) -> None:
    with store.connected():
        absences.book(number(BOB), NOW + DAY, NOW + 2 * DAY, NOW)
        ((absence,),) = store.rows("SELECT id FROM absence")
    table.client.post(you, data={"do": "cancel_absence", "absence": str(absence)})

    assert booked(BOB) == [(NOW + DAY, NOW + 2 * DAY)]


# --- own data ------------------------------------------------------------------------------------


def test_ones_own_data_holds_absences_loans_and_only_the_own_time(
    client: FlaskClient, links: Links, clock: Clock
) -> None:
    table = at_home(Table(client, links))
    with store.connected():
        absences.book(number(BOB), NOW + DAY, NOW + 2 * DAY, NOW)
        messages.say(table.id, SECOND, "hello from Bob", NOW)
    clock.now += 60
    table.leave(SECOND, "give_up")
    client.post(stand_path(table, EVE), data={"do": "accept"})
    with store.connected():
        messages.say(table.id, SECOND, "hello from Eve", NOW + 90)
    table.client.post(table.turn_path(), data={"do": "orders", "orders": "first usa"})
    told_bob, told_eve = (exported(table, address) for address in (BOB, EVE))

    assert told_bob["absences"] == [
        {"start_at": NOW + DAY, "end_at": NOW + 2 * DAY, "is_floating": False}
    ]
    for document, part in ((told_bob, "owner"), (told_eve, "stand_in")):
        (made,) = document["loans"]
        assert made == {
            "match": table.id,
            "seat": "ussr",
            "part": part,
            "start_at": NOW + 60,
            "end_at": None,
            "state": "running",
        }
    (bobs,), (eves,) = told_bob["seats"], told_eve["seats"]
    assert [said["text"] for said in bobs["messages"]] == ["hello from Bob"]
    assert [said["text"] for said in eves["messages"]] == ["hello from Eve"]
    assert (bobs["orders"], [one["text"] for one in eves["orders"]]) == ([], ["first usa"])
    assert (bobs["phrase"], eves["phrase"]) == ("from bob", "")
    assert told_eve["player"]["stands_in"] is True


def exported(table: Table, address: str) -> Any:
    with store.connected():
        player = get_player(id_of(address))
    path = f"/you/{table.links.sign('you', YouLink(player.id, player.epoch, 0))}/data"
    answer = table.client.get(path)
    other = {BOB: EVE, EVE: BOB}[address]
    assert other not in answer.text
    return answer.json


def test_deleting_takes_absences_and_the_own_part_of_loans(
    client: FlaskClient, links: Links, clock: Clock
) -> None:
    table = at_home(Table(client, links))
    with store.connected():
        absences.book(number(BOB), NOW + DAY, NOW + 2 * DAY, NOW)
        messages.say(table.id, SECOND, "hello from Bob", NOW)
    bob = number(BOB)
    you = f"/you/{links.sign('you', YouLink(bob, NOW, 0))}"
    clock.now += 60
    table.leave(SECOND, "lend", first=TODAY, last=LATER)
    assert client.post(f"{you}/delete").status_code == 409, "he still sits there"
    client.post(stand_path(table, EVE), data={"do": "accept"})
    with store.connected():
        messages.say(table.id, SECOND, "hello from Eve", NOW + 90)
        store.execute("UPDATE player SET digest_hour = 8, night = '[22,7]', stands_in = TRUE")
    assert client.post(f"{you}/delete").status_code == 200

    whole = everything()
    assert "hello from Bob" not in repr(whole)
    assert "hello from Eve" in repr(whole)
    assert whole["absence"] == []
    assert [row for row in whole["due"] if row[0] in ("loan", "digest")] == []
    kept = loan(table)
    assert (kept.owner, kept.stand_in, kept.state, kept.end) == (None, number(EVE), "running", None)
    assert holder(table) == number(EVE), "she plays it to the end"
    with store.connected():
        gone = get_player(bob)
    assert (gone.digest_hour, gone.night, gone.stands_in, gone.reminders) == (
        *(None, None, False, False),
    )


def test_who_leaves_takes_back_a_promise(table: Table) -> None:
    table.leave(SECOND, "lend", first=TOMORROW, last=LATER)
    table.client.post(stand_path(table, EVE), data={"do": "accept"})
    eve = number(EVE)
    table.client.post(f"/you/{table.links.sign('you', YouLink(eve, NOW, 0))}/delete")

    assert loan(table).state == "withdrawn"
    assert told(BOB)[-1] == "declined"
    with store.connected():
        assert get_match(table.id).seat(SECOND).player == number(BOB)
