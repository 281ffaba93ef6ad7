"""The computer as an opponent, on pages: begun by one button, waited for, kept by mail."""

from __future__ import annotations

import re
from html import unescape
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.core import Seat
from pbem.db import store
from pbem.links import Links
from pbem.services.letters import outbox
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import match_log, matches
from pbem.services.operations import machine_players
from pbem.services.players import accounts
from pbem.services.records.match_rows import (
    LIVE,
    OVER,
    MatchRecord,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import live_links
from pbem.services.self_service import guests, requests
from pbem.services.self_service.guests import PATIENCE
from tests.mail.posting import WORKER, Bag, text_of
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.people import ANN, BOB, id_of
from tests.services.players.test_free_seats import formed

CARDS = "iron_curtain"


def begun(client: FlaskClient, game: str = CARDS, **fields: str) -> str:
    """Somebody presses the button; where that leads."""
    answer = client.post(f"/try/{game}", data=fields)
    assert answer.status_code == 303
    return answer.headers["Location"]


def the_match() -> MatchRecord:
    with store.connected():
        ((match,),) = store.rows("SELECT id FROM match")
        return get_match(match)


def think() -> None:
    with store.connected():
        machine_players.play_all(lambda: NOW)


def press(client: FlaskClient, page: str) -> str:
    """Play the first order that one press sends; where that leads."""
    form = next(form for form in forms(client.get(page).text) if form.fields.get("do") == "orders")
    name, order = form.buttons[0]
    answer = client.post(form.action, data={**form.fields, name: order})
    assert answer.status_code == 303
    return answer.headers["Location"]


# --- begun ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [CARDS, "east_and_west"])
def test_one_press_leads_to_the_turn(client: FlaskClient, game: str) -> None:
    (form, *_) = forms(client.get(f"/try/{game}").text)
    assert (form.method, form.action) == ("post", f"/try/{game}")
    turn = begun(client, game, **form.fields)
    assert turn.startswith("/t/")
    page = client.get(turn)
    assert page.status_code == 200
    assert "You play as a guest" in page.text and "a week after the last move" in page.text
    assert 'class="remark"' in page.text
    assert "/seat/" not in page.text, "a guest has a turn and nothing else"
    assert "Please play by" not in page.text


def test_the_button_alone_is_enough(client: FlaskClient) -> None:
    begun(client)
    match = the_match()
    assert (match.status, match.strength) == (LIVE, "easy")
    assert [seat.status for seat in match.seats] == ["machine", "guest"]


def test_a_short_game_is_the_usual_one_to_try(client: FlaskClient) -> None:
    begun(client, "east_and_west")
    assert the_match().setup["fast_game"] == "on"


def test_what_is_chosen_counts(client: FlaskClient) -> None:
    page = begun(client, seat="usa", strength="hard")
    match = the_match()
    assert [seat.status for seat in match.seats] == ["guest", "machine"]
    assert match.strength == "hard"
    assert page.startswith("/guest/"), "the computer begins"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seat": "china"}, "there is no seat “china”; choose from usa, ussr"),
        ({"strength": "godlike"}, "choose from easy, medium, hard"),
        ({"preset": "slow"}, "preset cannot be “slow”; it can be usual"),
    ],
)
def test_what_cannot_be_is_said(client: FlaskClient, fields: dict[str, str], words: str) -> None:
    before = everything()
    answer = client.post(f"/try/{CARDS}", data=fields)
    assert answer.status_code == 400
    assert words in unescape(answer.text)
    assert everything() == before


def test_unknown_games_are_not_found(client: FlaskClient) -> None:
    assert client.get("/try/chess").status_code == 404
    assert client.post("/try/chess").status_code == 404


def test_looking_changes_nothing(client: FlaskClient) -> None:
    before = everything()
    client.get(f"/try/{CARDS}")
    assert everything() == before


def test_who_starts_too_many_is_told_when_to_come_again(client: FlaskClient) -> None:
    for _ in range(20):
        begun(client)
    answer = client.post(f"/try/{CARDS}")
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0


# --- played ---------------------------------------------------------------------------------------


def test_the_page_waits_for_the_computer_and_goes_on(client: FlaskClient) -> None:
    turn = begun(client)
    closed = press(client, turn)
    page = client.get(closed)
    assert "The computer is thinking" in page.text
    assert 'http-equiv="refresh"' in page.text and "practice.js" in page.text
    (waits,) = re.findall(r'data-waits="([^"]+)"', page.text)
    assert client.get(waits).json == {"waits": True}
    think()
    assert client.get(waits).json == {"waits": False}
    led = client.get(closed)
    assert led.status_code == 303 and led.headers["Location"].startswith("/t/")
    assert led.headers["Location"] != turn
    assert client.get(led.headers["Location"]).status_code == 200
    by_page = client.get(waits.removesuffix("/waits"))
    assert (by_page.status_code, by_page.headers["Location"]) == (303, led.headers["Location"])


def test_who_lets_the_computer_begin_waits_on_a_page_with_the_board(client: FlaskClient) -> None:
    page = begun(client, seat="usa")
    shown = client.get(page)
    assert shown.status_code == 200
    assert "The computer is thinking" in shown.text and "<svg" in shown.text
    think()
    assert client.get(page).headers["Location"].startswith("/t/")


@pytest.mark.whole
def test_a_whole_match_by_single_presses(client: FlaskClient) -> None:
    page = begun(client)
    for _ in range(60):
        match = the_match()
        if match.status == OVER:
            break
        with store.connected():
            (turn,) = open_turns(match.id)
        if match.seat(turn.seat).status == "machine":
            think()
            continue
        page = client.get(page).headers.get("Location", page)
        with store.connected():
            state = match_log.current(match)
            order = match.game.notate(match.game.default_action(state, Seat("ussr")))
        client.post(page, data={"do": "orders", "orders": order})
    shown = client.get(page)
    assert shown.status_code == 200
    assert "The match is over" in shown.text and f'href="/try/{CARDS}"' in shown.text
    assert "We will email you" not in shown.text and "your latest email" not in shown.text


def test_one_press_says_in_words_what_it_plays(client: FlaskClient) -> None:
    page = press(client, begun(client))
    think()
    page = client.get(page).headers["Location"]
    found = re.findall(r'name="orders" value="([^"]+)">([^<]+)</button>', client.get(page).text)
    assert found
    assert all(words[0].isupper() and words != order for order, words in found)


def test_remarks_are_switched_off_by_a_press(client: FlaskClient) -> None:
    turn = begun(client)
    assert client.post(f"{turn}/remarks").headers["Location"] == turn
    page = client.get(turn).text
    assert 'class="remark"' not in page and "You play as a guest" in page


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "als Gast"), ("fr", "sans laisser d'adresse"), ("en", "as a guest")],
)
def test_a_guest_reads_what_the_browser_prefers(
    client: FlaskClient, language: str, words: str
) -> None:
    page = client.get(begun(client), headers={"Accept-Language": language}).text
    assert words in unescape(page)


# --- what nobody else may see ---------------------------------------------------------------------


def test_a_guest_sees_the_own_cards_alone(client: FlaskClient) -> None:
    """With a deal in which no card of the guest names one of the computer's."""
    with (
        patch.object(matches, "new_id", lambda: "match00001"),
        patch("secrets.token_bytes", lambda size: bytes(range(size))),
    ):
        turn = begun(client)
    match = the_match()
    with store.connected():
        state = match_log.current(match)
    titles = {card: state.deck.cards[card].name.en for card in state.order}
    page = unescape(client.get(turn).text)
    assert all(titles[card] in page for card in state.hand(Seat("ussr")))
    assert not [card for card in state.hand(Seat("usa")) if titles[card] in page]


def test_the_links_of_a_guest_are_signed_and_open_nothing_else(
    client: FlaskClient, links: Links
) -> None:
    begun(client)
    match = the_match()
    seat = guests.seat_of(match)
    assert seat is not None
    token = links.sign("guest", live_links.to_guest(match, seat))
    assert client.get(f"/guest/{token}").status_code == 303
    assert client.get(f"/seat/{token}").status_code == 404
    act = links.sign("act", live_links.to_seat(match, seat))
    assert client.get(f"/guest/{act}").status_code == 404
    assert client.get(f"/seat/{act}").status_code == 404
    machine = links.sign("guest", live_links.to_guest(match, match.seat(0)))
    assert client.get(f"/guest/{machine}").status_code == 404, "nobody sits there"


def test_everybody_reads_who_is_the_computer(client: FlaskClient) -> None:
    begun(client)
    page = client.get(f"/match/{the_match().id}").text
    assert "Computer" in page and "Guest" in page


# --- kept -----------------------------------------------------------------------------------------


def left_address(client: FlaskClient, turn: str, mail: str = ANN) -> str:
    (keep,) = re.findall(r'action="(/guest/[^"]+/keep)"', client.get(turn).text)
    answer = client.post(keep, data={"address": mail})
    assert answer.status_code == 200
    return answer.text


def go_on_link(office: Bag) -> str:
    (text,) = [text_of(letter) for letter in office.letters if "go-on" in text_of(letter)]
    (url,) = [word for word in text.split() if "/go-on/" in word]
    return "/go-on/" + url.rpartition("/")[2]


@pytest.fixture
def bag() -> Bag:
    return Bag()


def drained(bag: Bag, links: Links) -> None:
    settings = MailSettings(links, "pbem@play.example", "play.example", b"key", bag, lambda: 0.5)
    with store.connected():
        requests.answer_all(NOW)
        outbox.drain(settings, WORKER, NOW, stopwatch=lambda: 0.0)


def test_a_match_is_kept_by_a_letter_and_the_links_before_are_dead(
    client: FlaskClient, links: Links, bag: Bag
) -> None:
    turn = begun(client)
    assert "Check your email" in left_address(client, turn)
    drained(bag, links)
    path = go_on_link(bag)
    before = everything()
    page = client.get(path)
    assert page.status_code == 200 and "You play USSR against the computer" in page.text
    assert everything() == before, "a look changes nothing"

    answer = client.post(path, data={"name": "Ann", "zone": "Europe/Paris"})
    assert answer.status_code == 303
    fresh = client.get(answer.headers["Location"])
    assert fresh.status_code == 200 and "Please play by" in fresh.text
    assert "You play as a guest" not in fresh.text
    assert client.get(turn).status_code == 410
    assert "goes on by email" in client.get(path).text, "pressed twice, it is told once more"
    drained(bag, links)
    assert [letter["To"] for letter in bag.letters] == [ANN, ANN]


def test_all_addresses_are_answered_alike(client: FlaskClient) -> None:
    with store.connected(), store.writing():
        accounts.confirm(accounts.known_or_new(BOB, NOW).id, NOW)
    turn = begun(client)
    assert left_address(client, turn, ANN) == left_address(client, turn, BOB)


def test_a_wrong_address_is_told_and_can_be_typed_again(client: FlaskClient) -> None:
    turn = begun(client)
    (keep,) = re.findall(r'action="(/guest/[^"]+/keep)"', client.get(turn).text)
    answer = client.post(keep, data={"address": "nobody"})
    assert answer.status_code == 400
    assert "not a usable email address" in answer.text and 'value="nobody"' in answer.text


def test_who_waits_too_long_is_told_that_the_match_is_off(
    client: FlaskClient, links: Links, bag: Bag, clock: Clock
) -> None:
    turn = begun(client)
    left_address(client, turn)
    drained(bag, links)
    with store.connected():
        assert guests.end_deserted(NOW + PATIENCE) == 1
    for page in (turn, re.sub("^/t/.*", _guest_page(links), turn)):
        shown = client.get(page)
        assert shown.status_code == 200
        assert "Nobody played here for a week" in shown.text
        assert f'href="/try/{CARDS}"' in shown.text
    assert client.get(go_on_link(bag)).status_code == 410
    assert client.post(go_on_link(bag)).status_code == 410


def _guest_page(links: Links) -> str:
    match = the_match()
    seat = guests.seat_of(match)
    assert seat is not None
    return "/guest/" + links.sign("guest", live_links.to_guest(match, seat))


# --- free seats of ordinary matches ---------------------------------------------------------------


def test_the_computer_takes_free_seats_when_all_agree(client: FlaskClient, links: Links) -> None:
    with store.connected():
        match = formed()
    hosts, bobs = (_computer_page(links, match, number) for number in (0, 1))
    own = links.sign("you", live_links.to_own_page(get_player(id_of(ANN))))
    assert hosts in client.get(f"/you/{own}").text
    before = everything()
    assert "nobody plays United Kingdom, USA yet" in client.get(hosts).text
    assert forms(client.get(bobs).text)[-1:] == [], "not before the host has offered it"
    assert everything() == before

    assert "You agreed" in client.post(hosts).text
    assert "You agreed" in client.post(hosts).text, "pressed twice"
    assert "the match has begun" in client.post(bobs).text
    with store.connected():
        assert [seat.status for seat in get_match(match).seats[2:]] == ["machine", "machine"]
    assert client.get(hosts).status_code == 410
    assert client.get(hosts.replace("/computer/", "/guest/")).status_code == 404


def _computer_page(links: Links, match: str, number: int) -> str:
    with store.connected():
        record = get_match(match)
        link = live_links.to_seat(record, record.seat(number))
    return "/computer/" + links.sign("computer", link)
