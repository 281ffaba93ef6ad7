"""Turn words: a machine that presses every button does nothing, who reads the letter does all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from engine.chance import QuickDice
from pbem.app import create_app
from pbem.config import ALWAYS, OFFERED, Config
from pbem.db import store
from pbem.errors import ConfigError
from pbem.key_ring import ring
from pbem.links import ConfirmLink, Links, TurnLink, YouLink
from pbem.services.letters import outbox
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.match import joining, match_log, matches, messages
from pbem.services.match.joining import Joining
from pbem.services.operations import health
from pbem.services.players import accounts, turn_words
from pbem.services.players.turn_words import ALPHABET, LENGTH, MOST_WRONG
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import leaving, live_links, loans, stand_ins
from pbem.services.self_service import preferences, revocation
from pbem.web.player.turn_word import COMPOSING
from tests.mail.posting import WORKER, Bag, html_of, text_of
from tests.pbem.visiting import NOW, Clock, Form, everything, forms
from tests.services.people import (
    ANN,
    BOB,
    EVE,
    Sitting,
    an_order,
    id_of,
    letters,
    sit_down,
    turn_of,
    wanted,
)

HOUR = 3_600
LINK = re.compile(r"https?://\S+(?=\s|$)")
WORD = re.compile(r"Your code word: (\w+)\.|Dein Codewort: (\w+)\.|Votre mot de code\s*: (\w+)\.")
FILLERS = ("word", "Ann", "YES", "12345", "bcdfg")


@pytest.fixture
def always(config: Config, clock: Clock) -> Iterator[FlaskClient]:
    """A site that asks everybody for the word."""
    yield create_app(replace(config, turn_word=ALWAYS), now=clock).test_client()
    turn_words.settings.demands_words = False
    if not store.database.is_closed():
        store.database.close()


def posted(config: Config, now: int) -> list[EmailMessage]:
    """The letters that leave now."""
    bag = Bag()
    links = Links(config.secret_keys, config.base_url)
    office = MailSettings(links, "pbem@play.example", "play.example", b"key", bag, lambda: 0.5)
    with store.connected():
        outbox.drain(office, WORKER, now, stopwatch=lambda: 0.0)
    return bag.letters


def to(letters: list[EmailMessage], address: str, kind: str) -> EmailMessage:
    return [one for one in letters if one["To"] == address and one["X-PBEM-Kind"] == kind][-1]


def word_in(letter: EmailMessage) -> str:
    """The one word of a letter; it stands in both of its bodies."""
    word: str
    (word,) = {next(filter(None, groups)) for groups in WORD.findall(text_of(letter))}
    assert word in html_of(letter)
    assert word not in str(letter["Subject"])
    return word


def links_in(letter: EmailMessage, path: str = "") -> list[str]:
    """The ways of the links, without the site."""
    found = [urlsplit(url) for url in LINK.findall(text_of(letter))]
    ways = [url.path + (f"?{url.query}" if url.query else "") for url in found]
    return [way for way in ways if way.startswith(path)]


# --- the machine ----------------------------------------------------------------------------------


class Robot:
    """Opens every link of a letter, fills every field, presses every button, keeps cookies."""

    def __init__(self, client: FlaskClient) -> None:
        self.client, self.presses = client, 0

    def read(self, letter: EmailMessage) -> None:
        for number, way in enumerate(links_in(letter)):
            if not way.startswith(("/mute/", "/report/")):  # they only stop letters, or write some
                self._press_all(way, self.client.get(way), FILLERS[number % len(FILLERS)])

    def _press_all(self, way: str, page: TestResponse, filler: str, depth: int = 2) -> None:
        for form in forms(page.text):
            if form.method.lower() == "post":
                for button in form.buttons or [("", "")]:
                    target = (form.action or way).partition("#")[0]
                    answer = self.client.post(target, data=self._filled(form, button, filler))
                    self.presses += 1
                    if depth:
                        self._press_all(target, answer, filler, depth - 1)

    def _filled(self, form: Form, button: tuple[str, str], filler: str) -> dict[str, str]:
        fields = {name: value or filler for name, value in form.fields.items()}
        return {**fields, **({button[0]: button[1]} if button[0] else {})}


def state_of_play() -> list[object]:
    """All that a press could change for a player; not the letters that ask for the word again."""
    tables = ("match", "seat", "turn", "entry", "message", "loan", "absence", "address_change")
    with store.connected():
        found: list[object] = [store.rows(f"SELECT * FROM {name} ORDER BY 1, 2") for name in tables]
        columns = "id, name, language, confirmed_at, epoch, news, turn_word"
        return [*found, store.rows(f"SELECT {columns} FROM player ORDER BY id")]


@pytest.mark.whole
def test_a_machine_joins_and_plays_nothing_where_words_are_demanded(
    config: Config, always: FlaskClient
) -> None:
    robot = Robot(always)
    with store.connected():
        match = matches.create(wanted(), NOW)
    confirm = to(posted(config, NOW), ANN, "confirm")
    before = state_of_play()
    robot.read(confirm)
    assert state_of_play() == before
    with store.connected():
        joining.confirmed(id_of(ANN), NOW)
    invitation = to(posted(config, NOW), BOB, "invitation")
    before = state_of_play()
    robot.read(invitation)
    assert state_of_play() == before
    with store.connected():
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
        eve = accounts.known_or_new(EVE, NOW)
        stand_ins.give_up(match, 0, EVE, NOW)
    letters = posted(config, NOW)
    before = state_of_play()
    for letter in letters:
        robot.read(letter)
    assert state_of_play() == before
    assert {"started", "turn", "stand_in"} <= {str(one["X-PBEM-Kind"]) for one in letters}
    assert eve.id
    assert robot.presses > 60


def test_without_words_the_same_machine_joins_and_plays(
    config: Config, client: FlaskClient
) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    Robot(client).read(to(posted(config, NOW), ANN, "confirm"))
    Robot(client).read(to(posted(config, NOW), BOB, "invitation"))
    with store.connected():
        sitting = get_match(match)
        assert {seat.status for seat in sitting.seats} == {"joined"}
        store.execute("UPDATE player SET language = 'en'")
    for letter in posted(config, NOW):
        if letter["X-PBEM-Kind"] == "turn":  # others let it renew the links before it plays
            Robot(client).read(letter)
    with store.connected():
        assert len(match_log.entries(match)) > 1


# --- the reader -----------------------------------------------------------------------------------


def test_who_reads_the_letters_confirms_joins_and_plays(
    config: Config, always: FlaskClient, clock: Clock
) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    confirm = to(posted(config, NOW), ANN, "confirm")
    (way,) = links_in(confirm, "/confirm/")
    assert 'name="word"' in always.get(way).text
    assert always.post(way, data={"word": word_in(confirm).upper()}).status_code == 200
    invitation = to(posted(config, NOW), BOB, "invitation")
    (way,) = links_in(invitation, "/join/")
    form = {"do": "accept", "name": "Bob", "language": "en", "word": f" {word_in(invitation)} "}
    always.post(way, data=form)
    turn = to(posted(config, NOW), BOB, "turn")
    orders = links_in(turn, "/o/")
    page = always.get(orders[0]).text
    assert 'name="word"' in page
    assert word_in(turn) not in page
    assert always.post(orders[0], data={"word": word_in(turn)}).status_code == 303
    with store.connected():
        assert get_match(match).head_seq == 1
    assert always.get(f"/match/{match}").text.count('name="word"') == 0


@pytest.fixture
def demanding(client: FlaskClient, config: Config) -> Sitting:
    """Bob, who is asked, has chosen to be asked for words; Ann has not."""
    with store.connected():
        sitting = sit_down(NOW)
        posted(config, NOW)
        store.execute("UPDATE player SET turn_word = ? WHERE id = ?", True, sitting.bob)
        bob = get_player(sitting.bob)
        wished = preferences.from_fields(bob, {"turn_word": "on", "news": "on", "language": "en"})
        store.execute("UPDATE player SET turn_word = ? WHERE id = ?", False, sitting.bob)
        preferences.save(sitting.bob, wished, NOW + 60)
    return sitting


def test_who_starts_to_demand_words_gets_what_waits_once_more(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    fresh = posted(config, NOW + 60)
    assert {(str(one["To"]), str(one["X-PBEM-Kind"])) for one in fresh} == {
        (BOB, "turn"),
        (BOB, "you"),
    }
    turn, own = to(fresh, BOB, "turn"), to(fresh, BOB, "you")
    assert word_in(turn) != word_in(own)
    (way,) = links_in(own, "/you/")
    assert client.post(way, data={"do": "settings", "name": "Rob"}).status_code == 403
    for letter in (turn, own):
        done = client.post(way, data={"do": "renew_not", "word": word_in(letter)})
        assert done.status_code == 400, "the word was right, the button is not known"


def test_a_page_keeps_what_was_pressed_until_the_word_is_right(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    turn = to(posted(config, NOW + 60), BOB, "turn")
    way = links_in(turn, "/t/")[0].partition("?")[0]
    before = state_of_play()
    asked = client.post(way, data={"orders": "first usa\r\n", "do": "orders", "sent": "0"})
    assert asked.status_code == 403
    assert state_of_play() == before
    form = forms(asked.text)[0]
    assert form.fields == {"orders": "first usa\r\n", "do": "orders", "sent": "0", "word": ""}
    wrong = client.post(way, data={**form.fields, "word": "kkkkk"})
    assert wrong.status_code == 403
    assert "not the word of the newest letter" in wrong.text
    right = client.post(way, data={**forms(wrong.text)[0].fields, "word": word_in(turn)})
    assert right.status_code == 303
    with store.connected():
        assert match_log.entries(demanding.match)[-1].text == "first usa"


def test_composing_needs_no_word_and_sending_does(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    turn = to(posted(config, NOW + 60), BOB, "turn")
    way = links_in(turn, "/t/")[0].partition("?")[0]
    add = {"do": "add", "order": "first usa", "composed": "0"}
    assert client.post(way, data=add).status_code == 303
    send = {"do": "submit", "sent": "0", "draft": "first usa"}
    assert client.post(way, data=send).status_code == 403
    assert client.post(way, data={**send, "word": word_in(turn)}).status_code == 303


def test_the_link_of_an_order_composes_nothing_so_it_always_needs_the_word(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    way = links_in(to(posted(config, NOW + 60), BOB, "turn"), "/o/")[0]
    before = state_of_play()
    for do in COMPOSING:
        assert client.post(way, data={"do": do}).status_code == 403, do
    assert state_of_play() == before


def seat_way(links: Links, match: MatchRecord, seat: int) -> str:
    with store.connected():
        return f"/seat/{links.sign('act', live_links.to_seat(match, match.seat(seat)))}"


def test_seats_and_own_pages_of_others_ask_for_nothing(
    client: FlaskClient, links: Links, demanding: Sitting
) -> None:
    with store.connected():
        match, ann = get_match(demanding.match), get_player(demanding.ann)
    seat = seat_way(links, match, 0)
    own = f"/you/{links.sign('you', YouLink(ann.id, ann.epoch, 0))}"
    assert client.post(f"{seat}/draw").status_code == 303
    assert client.post(own, data={"name": "Ann", "language": "en"}).status_code == 200
    bob = seat_way(links, match, 1)
    for act in ("", "/draw", "/resign", "/revoke", "/pause", "/give_up", "/standing"):
        assert client.post(bob + act, data={"text": "hi"}).status_code == 403, act


def test_five_wrong_words_shut_a_link_for_an_hour(
    config: Config, client: FlaskClient, clock: Clock, demanding: Sitting
) -> None:
    turn = to(posted(config, NOW + 60), BOB, "turn")
    first, second = links_in(turn, "/o/")[:2]
    for _ in range(MOST_WRONG):
        assert client.post(first).status_code == 403, "no word is no guess"
    for number in range(MOST_WRONG):
        assert client.post(first, data={"word": f"bbbb{number}"}).status_code == 403
    shut = client.post(first, data={"word": word_in(turn)})
    assert shut.status_code == 429
    assert "try again in an hour" in shut.text
    assert client.post(second, data={"word": "bbbbb"}).status_code == 403, "another link is open"
    clock.now += HOUR
    assert client.post(first, data={"word": "zzzzz"}).status_code == 403
    assert client.post(first, data={"word": word_in(turn)}).status_code == 303
    with store.connected():
        assert len(store.rows("SELECT * FROM wrong_word")) == 2
        health.prune(clock.now + HOUR)
        assert store.rows("SELECT * FROM wrong_word") == []


def test_a_fresh_letter_brings_the_word_at_most_once_an_hour(
    config: Config, always: FlaskClient, links: Links
) -> None:
    """As on a site that has begun to ask for words while matches were being played."""
    with store.connected():
        sitting = sit_down(NOW)
        turn, match = turn_of(sitting.match), get_match(sitting.match)
    store.execute("UPDATE outbox SET state = 'sent', sent_at = ?", NOW)
    link = TurnLink(match.id, 1, turn.id, match.seat(1).epoch)
    before = len(letters())
    for _ in range(3):
        page = always.post(f"/t/{links.sign('turn', link)}", data={"word_by_letter": "yes"})
        assert page.status_code == 200
    assert [kind for kind, _, _ in letters()[before:]] == ["turn"]
    assert word_in(to(posted(config, NOW), BOB, "turn"))
    seat = seat_way(links, match, 0) + "/resign"
    always.post(seat, data={"word_by_letter": "yes"})
    own = to(posted(config, NOW), ANN, "you")
    assert always.post(seat, data={"word": word_in(own)}).status_code == 303
    with store.connected():
        assert get_match(match.id).status == "over"


def test_a_machine_that_asks_for_words_without_end_fills_no_mailbox(
    config: Config, always: FlaskClient, clock: Clock
) -> None:
    """Each letter that it makes come is one more to press in."""
    with store.connected():
        matches.create(wanted(), NOW)
        joining.confirmed(id_of(ANN), NOW)
    (way,) = links_in(to(posted(config, NOW), BOB, "invitation"), "/join/")
    clock.now += 16 * HOUR  # the day begins
    for _ in range(23):
        always.post(way, data={"word_by_letter": "yes"})
        clock.now += HOUR
    assert [kind for kind, _, _ in letters()].count("invitation") == 1 + 12


def test_links_that_are_dead_say_so_and_bring_no_letters(
    client: FlaskClient, links: Links, demanding: Sitting
) -> None:
    with store.connected():
        match, bob = get_match(demanding.match), get_player(demanding.bob)
        invitation = live_links.to_invitation(match, match.seat(1), bob)
        revocation.by_player(bob.id, NOW + 60)
    dead = [
        f"/you/{links.sign('you', live_links.to_own_page(bob))}",
        f"/join/{links.sign('join', invitation)}",
        f"/confirm/{links.sign('confirm', ConfirmLink(bob.id, bob.epoch, match.id))}",
    ]
    before = everything()
    for way in dead:
        for form in ({}, {"word": "bcdfg"}, {"word_by_letter": "yes"}):
            assert client.post(way, data=form).status_code == 410, (way, form)
    assert everything() == before


def test_the_word_can_be_typed_where_a_letter_leads(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    with store.connected():
        leaving.ask(demanding.match, 1, NOW, None, EVE, NOW)
    letter = to(posted(config, NOW + 60), BOB, leaving.LETTER)
    (way,) = links_in(letter, "/leave/")
    (form,) = forms(client.get(way).text)
    assert client.post(way, data=form.fields).status_code == 403
    assert client.post(way, data={**form.fields, "word": word_in(letter)}).status_code == 200
    assert "word" in form.fields
    with store.connected():
        assert loans.pending(demanding.match, 1) is not None


def test_who_is_no_player_yet_gets_the_first_letter_once_more(
    config: Config, always: FlaskClient
) -> None:
    with store.connected():
        match = matches.create(wanted(), NOW)
    (way,) = links_in(to(posted(config, NOW), ANN, "confirm"), "/confirm/")
    for _ in range(2):
        always.post(way, data={"word_by_letter": "yes"})
    (again,) = posted(config, NOW)
    assert (again["To"], again["X-PBEM-Kind"], links_in(again, "/confirm/")) == (
        ANN,
        "confirm",
        [way],
    )
    assert always.post(way, data={"word": word_in(again)}).status_code == 200
    (way,) = links_in(to(posted(config, NOW), BOB, "invitation"), "/join/")
    for _ in range(2):
        always.post(way, data={"word_by_letter": "yes"})
    (again,) = posted(config, NOW)
    assert (again["To"], links_in(again, "/join/")) == (BOB, [way])
    always.post(way, data={"do": "accept", "zone": "UTC", "word": word_in(again)})
    with store.connected():
        assert get_match(match).status == "live"


def test_programs_send_the_word_along(
    config: Config, client: FlaskClient, demanding: Sitting
) -> None:
    turn = to(posted(config, NOW + 60), BOB, "turn")
    way = "/api/v1/turn/" + links_in(turn, "/t/")[0].removeprefix("/t/").partition("?")[0]
    assert client.get(way).get_json()["word_needed"] is True
    for body in ({}, {"word": ""}, {"word": "bbbbb"}, {"word": "Äffin"}):
        answer = client.post(way, json={"orders": ["first usa"], **body})
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "word_needed")
    with store.connected():
        assert get_match(demanding.match).head_seq == 0
    done = client.post(way, json={"orders": ["first usa"], "word": word_in(turn)})
    assert done.get_json()["accepted"] is True


def order(client: FlaskClient, links: Links, match: str, seed: bytes, **fields: str) -> int:
    """Send a random order of whoever is asked; the status of the answer."""
    with store.connected():
        (turn, text), record = an_order(match, QuickDice(seed)), get_match(match)
    link = TurnLink(match, turn.seat, turn.id, record.seat(turn.seat).epoch)
    path = f"/t/{links.sign('turn', link)}"
    return client.post(path, data={"do": "orders", "orders": text, **fields}).status_code


def test_every_turn_has_another_word_and_old_ones_are_dead(
    config: Config, always: FlaskClient, links: Links
) -> None:
    with store.connected():
        match, words, tried = sit_down(NOW).match, dict[int, str](), set[int]()
    for step in range(12):
        for letter in posted(config, NOW):
            if letter["X-PBEM-Kind"] == "turn":
                words[int(letter["X-PBEM-Turn"])] = word_in(letter)
        with store.connected():
            turn = turn_of(match).id
        for old in [] if turn in tried else list(words.values())[-3:-1]:
            assert order(always, links, match, b"old %d" % step, word=old) == 403
        tried.add(turn)
        assert order(always, links, match, b"new %d" % step, word=words[turn]) == 303
    assert len(set(words.values())) == len(words) >= 4


def test_a_word_follows_from_its_scope_and_any_key_we_have() -> None:
    ring.use(lambda: ("one",))
    word = turn_words.word(("turn", "m", 0, 1, 2))
    assert len(word) == LENGTH
    assert set(word) <= set(ALPHABET)
    assert not set(ALPHABET) & set("aeiouyl0123456789")
    others = {turn_words.word(("turn", "m", 0, turn, 2)) for turn in range(500)}
    assert len(others) > 490
    ring.use(lambda: ("one", "two"))
    assert turn_words.word(("turn", "m", 0, 1, 2)) != word
    assert turn_words._fits(word.upper(), [("turn", "m", 0, 1, 2)])
    ring.use(lambda: ("two",))
    assert not turn_words._fits(word, [("turn", "m", 0, 1, 2)])


def test_the_setting_is_one_of_two_words() -> None:
    keys = {"PBEM_SECRET_KEYS": "k" * 40}
    assert Config.from_env(keys).turn_word == OFFERED
    assert Config.from_env({**keys, "PBEM_TURN_WORD": "always"}).demands_words
    with pytest.raises(ConfigError, match="PBEM_TURN_WORD is 'sometimes'; it may be always or"):
        Config.from_env({**keys, "PBEM_TURN_WORD": "sometimes"})


# --- offered --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("after", "is_offered"), [(10, True), (11, False)])
def test_words_are_offered_when_moves_come_within_seconds(
    config: Config, client: FlaskClient, clock: Clock, links: Links, after: int, is_offered: bool
) -> None:
    with store.connected():
        sitting = sit_down(NOW)
        store.execute("UPDATE player SET language = 'en'")
    for step in range(8):
        posted(config, clock.now)
        with store.connected():
            clock.now = (turn_of(sitting.match).started_at or 0) + after
        assert order(client, links, sitting.match, b"quick %d" % step) == 303
    with store.connected():
        asked = get_player(get_match(sitting.match).seat(turn_of(sitting.match).seat).player)
        messages.say(sitting.match, 1 if asked.id == sitting.ann else 0, "hello", clock.now)
    letter = to(posted(config, clock.now), asked.address, "message")
    assert ("as if a mail scanner had pressed" in " ".join(text_of(letter).split())) is is_offered
    own = f"/you/{links.sign('you', YouLink(asked.id, asked.epoch, 0))}"
    assert ("as if a mail scanner had pressed" in client.get(own).text) is is_offered
    client.post(own, data={"do": "settings", "name": asked.name, "language": "en"})
    assert "as if a mail scanner had pressed" not in client.get(own).text


def test_nothing_is_asked_and_nothing_printed_by_default(
    config: Config, client: FlaskClient
) -> None:
    with store.connected():
        sit_down(NOW)
    before = everything()
    for letter in posted(config, NOW):
        assert not WORD.search(text_of(letter))
        for way in links_in(letter, "/o/") + links_in(letter, "/t/"):
            assert 'name="word"' not in client.get(way).text
    assert before["wrong_word"] == []
