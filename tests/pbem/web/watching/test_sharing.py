"""Matches on other sites: what a link to one shows, its picture, the page that may be framed."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from engine.audit import audit
from engine.chance import QuickDice
from engine.replay import read_match
from pbem.db import store
from pbem.links import Links
from pbem.mail import pictures
from pbem.services.match import joining, match_log, matches, messages, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import notes
from pbem.services.self_service import personal_data
from pbem.web.public import pictures as board_pictures
from pbem.web.watching import rounds, sharing
from pbem.web.watching.sharing import MOST_A_MINUTE, Pace
from tests.pbem.four_powers import FourPowers
from tests.pbem.table import Table, canary_deck
from tests.pbem.test_app import paths
from tests.pbem.visiting import NOW, Clock, forms
from tests.pbem.web.front.test_showcase import play_until
from tests.pbem.web.watching.test_lists import sit_down_as, text_of
from tests.services.people import ANN, BOB, id_of, play_to_the_end, wanted
from tests.services.powers import people_at_powers

SITE = "http://127.0.0.1:8000"
SHARED = ("/picture.png", "/embed")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Ids of matches are the same in many tests."""
    sharing._drawn.cache_clear()


def over_as(visibility: str, now: int = NOW) -> str:
    """A match that the USSR has given up."""
    match = sit_down_as(visibility, now)
    play_until(match, 2)
    matches.resign(match, 1, now + 9)
    return match


def tags(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"', page)
    return {name: unescape(content) for name, content in found}


# --- what a link shows ----------------------------------------------------------------------------


def test_the_page_of_a_finished_match_tells_other_sites_who_played_and_how_it_ended(
    client: FlaskClient,
) -> None:
    with store.connected():
        match = over_as("public")
    found = tags(client.get(f"/match/{match}").text)

    assert found["og:title"] == "Iron Curtain: USA (Ann), USSR (Bob)"
    assert found["og:description"] == "The match is over: USA won. USSR has resigned."
    assert found["og:url"] == f"{SITE}/match/{match}"
    assert found["og:image"] == f"{SITE}/match/{match}/picture.png?lang=en"
    assert (found["og:image:width"], found["og:image:height"]) == ("1200", "630")
    assert found["twitter:card"] == "summary_large_image"


def test_of_a_running_match_they_are_told_how_far_it_is(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
    german = client.get(f"/match/{match}", headers={"Accept-Language": "de"}).text

    said = tags(client.get(f"/match/{match}").text)["og:description"]
    assert said == "The match is in progress: round 1."
    assert tags(german)["og:image"].endswith("?lang=de")
    assert "Runde 1" in tags(german)["og:description"]


def test_of_an_anonymous_match_nobody_is_named(client: FlaskClient) -> None:
    with store.connected():
        match = over_as("anonymous")
    found = tags(client.get(f"/match/{match}").text)
    frame = text_of(client, f"/match/{match}/embed")

    assert found["og:title"] == "Iron Curtain: USA (Player A), USSR (Player B)"
    assert "Player A" in frame
    for text in (*found.values(), frame):
        assert "Ann" not in text and "Bob" not in text


def test_a_private_match_is_shown_nowhere_else(client: FlaskClient) -> None:
    with store.connected():
        shut = [sit_down_as("private"), over_as("private", NOW + 1)]
        forming = matches.create(wanted(), NOW + 2)
        gone = sit_down_as("public", NOW + 3)
        matches.cancel(gone, "moderator", NOW + 4)
    for match in (*shut, forming, gone):
        page = client.get(f"/match/{match}").text
        assert tags(page) == {} and "iframe" not in page
        for path in SHARED:
            assert client.get(f"/match/{match}{path}").status_code == 404
    for match in shut:
        assert '<meta name="robots" content="noindex">' in client.get(f"/match/{match}").text
    assert "noindex" not in client.get(f"/match/{forming}").text


def test_no_page_without_its_address_tells_of_a_private_match(app: Flask) -> None:
    client = app.test_client()
    with store.connected():
        public = over_as("public")
        shut = [sit_down_as("private", NOW + 1), over_as("private", NOW + 2)]
        players = [get_player(id_of(address)).public_id for address in (ANN, BOB)]
    for path in [
        *(rule for rule in paths(app) if "1" not in rule),
        *("/watch?of=running", "/watch?of=finished", "/watch?game=iron_curtain"),
        *(f"/players/{player}" for player in players),
        *(f"/match/{public}{part}" for part in ("", "/feed.atom", "/embed", "/download")),
        *("/robots.txt", "/sitemap.xml"),
    ]:
        with client.get(path) as answer:
            assert not [match for match in shut if match.encode() in answer.data], path


# --- the picture ----------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("game", ["iron_curtain", "east_and_west"])
def test_the_picture_has_the_size_that_other_sites_show(client: FlaskClient, game: str) -> None:
    with store.connected():
        match = over_as("public") if game == "iron_curtain" else people_at_powers(2)
    answer = client.get(f"/match/{match}/picture.png")

    assert (answer.status_code, answer.mimetype) == (200, "image/png")
    assert Image.open(BytesIO(answer.data)).size == (1200, 630)
    assert len(answer.data) <= sharing.MOST_BYTES


def drawn_as_svg(client: FlaskClient, match: str, query: str = "") -> str:
    """What is drawn, before it becomes a picture."""
    sharing._drawn.cache_clear()
    client.application.extensions[sharing._PACE] = Pace()
    with patch.object(pictures, "png", lambda svg, width, most: svg.encode()):
        answer = client.get(f"/match/{match}/picture.png{query}")
    sharing._drawn.cache_clear()
    assert answer.status_code == 200
    return answer.text


def words(svg: str) -> str:
    """What is written beside the board."""
    beside, _ = svg.split("<svg ", 2)[1:]
    return unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", beside)))


def test_it_shows_the_board_and_says_how_the_match_stands_and_names_nobody(
    client: FlaskClient,
) -> None:
    with store.connected():
        match, running = over_as("public"), sit_down_as("public", NOW + 1)
        record = get_match(match)
        view = record.game.closed(record.game.view(match_log.current(record), None))
        board = re.sub(r"<(title|desc)>[^<]*</\1>", "", record.game.draw_table(view, "de"))
    english, german = drawn_as_svg(client, match), drawn_as_svg(client, match, "?lang=de")

    assert words(english).startswith("Iron Curtain The match is over: USA won. USSR has resigned.")
    assert "127.0.0.1" in words(english)
    assert words(german).startswith("Eiserner Vorhang ")
    assert board.partition(">")[2] in german
    assert "The match is in progress: round 1." in words(drawn_as_svg(client, running))
    assert "Ann" not in english and "Bob" not in english


def test_it_is_drawn_once_and_not_sent_to_who_has_it(client: FlaskClient) -> None:
    with store.connected():
        match = over_as("public")
    first = client.get(f"/match/{match}/picture.png")
    with patch.object(pictures, "png", None):
        again = client.get(f"/match/{match}/picture.png")
        known = client.get(
            f"/match/{match}/picture.png", headers={"If-None-Match": first.headers["ETag"]}
        )

    assert again.data == first.data
    assert (known.status_code, known.data) == (304, b"")
    kept = first.headers["Cache-Control"]
    assert "public" in kept and "max-age=604800" in kept and "immutable" in kept


def test_that_of_a_running_match_is_asked_for_again_after_some_minutes(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
    kept = client.get(f"/match/{match}/picture.png").headers["Cache-Control"]
    assert "max-age=300" in kept and "immutable" not in kept


def test_a_robot_that_wants_all_pictures_gets_some_a_minute(app: Flask, clock: Clock) -> None:
    client = app.test_client()
    with store.connected():
        match = sit_down_as("public")
    for _ in range(MOST_A_MINUTE):
        app.extensions[sharing._PACE].check(NOW)
    clock.now += 50
    early = client.get(f"/match/{match}/picture.png")
    clock.now += 10

    assert (early.status_code, early.headers["Retry-After"]) == (429, "10")
    assert "Too many pictures are being requested right now; try again later." in early.text
    assert client.get(f"/match/{match}/picture.png").status_code == 200


# --- the frame ------------------------------------------------------------------------------------


def test_a_finished_match_may_be_framed_and_holds_nothing_to_press_but_ways_to_us(
    client: FlaskClient,
) -> None:
    with store.connected():
        match = over_as("public")
    answer = client.get(f"/match/{match}/embed?lang=en")
    page = unescape(answer.text)

    for said in ("Iron Curtain", "USA: Ann", "USSR: Bob", "USA won. USSR has resigned."):
        assert said in page
    assert f'src="/watch/{match}.svg?lang=en"' in page
    assert set(re.findall(r'<a [^>]*href="([^"]+)"', page)) == {f"/match/{match}/replay"}
    assert not re.search(r"<(script|form|button|input|iframe)\b", page)
    assert "frame-ancestors *" in answer.headers["Content-Security-Policy"]
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    assert "form-action 'none'" in answer.headers["Content-Security-Policy"]
    assert "Set-Cookie" not in answer.headers and "X-Frame-Options" not in answer.headers


def test_a_running_match_has_no_frame(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
    answer = client.get(f"/match/{match}/embed")
    assert answer.status_code == 404
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "iframe" not in client.get(f"/match/{match}").text


def test_every_other_page_refuses_to_be_framed(app: Flask) -> None:
    client = app.test_client()
    with store.connected():
        match = over_as("public")
    ours = {"/dev/mailbox/1/html"}
    for path in paths(app):
        asked = path.replace("/match/1", f"/match/{match}")
        with client.get(asked) as answer:
            policy = answer.headers["Content-Security-Policy"]
        is_framed = path.endswith("/embed")
        assert ("frame-ancestors *" in policy) == is_framed, asked
        assert is_framed or path in ours or "frame-ancestors 'none'" in policy, asked


def test_the_code_to_copy_stands_on_the_page_of_a_finished_match(client: FlaskClient) -> None:
    with store.connected():
        match = over_as("public")
    page = client.get(f"/match/{match}").text
    (field,) = re.findall(r'<textarea id="embed"[^>]*readonly[^>]*>([^<]*)</textarea>', page)
    code = unescape(field)

    assert code.startswith(f'<iframe src="{SITE}/match/{match}/embed?lang=en" title="Iron Curtain"')
    assert code.endswith("></iframe>")
    (slider,) = forms(page)
    assert (slider.method, list(slider.fields)) == ("get", ["turn"]), "it is copied, not sent"


def test_who_is_deleted_is_named_no_more(client: FlaskClient) -> None:
    with store.connected():
        match = over_as("public")
        personal_data.delete(id_of(ANN), NOW + 99)
    for text in (tags(client.get(f"/match/{match}").text)["og:title"], embedded(client, match)):
        assert "Ann" not in text and "Bob" in text


def embedded(client: FlaskClient, match: str) -> str:
    return text_of(client, f"/match/{match}/embed")


# --- what is hidden -------------------------------------------------------------------------------


def shown_elsewhere(client: FlaskClient, match: str) -> dict[str, str]:
    """All that strangers can see of a running match without opening its page."""
    rounds._played.cache_clear()
    board_pictures.position.cache_clear()
    with store.connected():
        player = get_player(get_match(match).seat(0).player or 0)
    paths = ("/watch", f"/watch/{match}.svg", f"/players/{player.public_id}")
    told = tags(client.get(f"/match/{match}").text)
    return {
        **{path: client.get(path).text for path in paths},
        "picture": drawn_as_svg(client, match),
        "tags": "\n".join(told.values()),
    }


def test_no_hidden_card_is_shown_elsewhere(client: FlaskClient, links: Links) -> None:
    """Every hidden card has a name that stands nowhere else."""
    table, choice = Table(client, links, {"deck": canary_deck()}), QuickDice(b"eve")
    seen = set[str]()
    for number in range(24):
        offered = table.offered()
        table.send(offered[choice.below(len(offered))])
        if number % 8 == 7:
            state = table.state
            hidden = {*state.hands[0], *state.hands[1], *state.reserve, *state.aftermath}
            for place, text in shown_elsewhere(client, table.id).items():
                assert not [card for card in hidden if card in text.lower()], place
            seen |= {card for card in state.deck.cards if card in drawn_as_svg(client, table.id)}
    assert seen, "open cards are shown, so that a hidden one would be found"


def test_what_players_write_and_plan_is_shown_nowhere_else(
    client: FlaskClient, links: Links
) -> None:
    table = Table(client, links)
    table.send("first ussr")
    before = shown_elsewhere(client, table.id)
    seat, canary = table.turn.seat, "zqcanary"
    with store.connected():
        messages.say(table.id, 0, canary, NOW)
        notes.write(table.id, 1, id_of(BOB), canary, NOW)
        turns.give_any_time(table.id, 1 - seat, "standing all never", NOW)
    table.press("add", order=table.offered()[0])

    assert table.draft(), "something is planned"
    assert shown_elsewhere(client, table.id) == before
    assert not [place for place, text in before.items() if canary in text]


def test_what_a_power_says_in_advance_is_shown_nowhere_else(
    client: FlaskClient, links: Links
) -> None:
    table = FourPowers(client, links)
    before = shown_elsewhere(client, table.id)
    with store.connected():
        turns.give_any_time(table.id, 1, "standing ask west-germany on", NOW)
        assert get_match(table.id).head_seq > 0

    assert shown_elsewhere(client, table.id) == before


def test_what_seats_say_in_advance_changes_no_byte(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
        play_until(match, 2)
    before = client.get(f"/match/{match}/picture.png")
    with store.connected():
        for number, word in enumerate(("use", "never") * 3):
            turns.give_any_time(match, number % 2, f"standing all {word}", NOW + number)
    after = client.get(f"/match/{match}/picture.png")

    assert (after.data, after.headers["ETag"]) == (before.data, before.headers["ETag"])


def test_the_file_of_an_anonymous_match_names_nobody_and_can_be_checked(
    client: FlaskClient,
) -> None:
    """Ann has typed her name as her phrase."""
    with store.connected():
        match = matches.create(wanted(visibility="anonymous", phrase="Ann of Aix"), NOW)
        joining.confirmed(id_of(ANN), NOW)
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "de", "UTC", "Bob of Bath"), NOW)
        play_to_the_end(match, NOW)
    file = client.get(f"/match/{match}/download").data

    for hidden in (b"Ann", b"Bob", b"example.org"):
        assert hidden not in file
    assert len(audit(read_match(file))) > 20
