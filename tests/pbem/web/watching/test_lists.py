"""Lists of matches to watch: what stands in them, what does not, and their pages."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from unittest.mock import patch

import pytest
from flask.testing import FlaskClient

from engine.registry import GAMES
from pbem.db import store
from pbem.links import JoinLink, Links
from pbem.services.match import joining, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.records import shown_matches, watch_lists
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.records.watch_lists import FINISHED, RUNNING, WatchKey
from pbem.services.self_service import preferences
from tests.kit.stores import on_sqlite
from tests.pbem.visiting import NOW, forms
from tests.pbem.web.front.test_showcase import play_until
from tests.services.people import ANN, BOB, id_of, play_to_the_end, sit_down, turn_of, wanted
from tests.services.powers import people_at_powers


def sit_down_as(visibility: str, now: int = NOW) -> str:
    """Ann and Bob at a match that may be seen so."""
    match = matches.create(wanted(visibility=visibility), now)
    joining.confirmed(id_of(ANN), now)
    joining.accept(match, 1, id_of(BOB), Joining("Bob", "de", "UTC", ""), now)
    return match


def text_of(client: FlaskClient, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return unescape(answer.text)


def test_running_and_finished_matches_are_listed_with_sides_turns_and_picture(
    client: FlaskClient,
) -> None:
    with store.connected():
        running, over = sit_down_as("public"), sit_down_as("public", NOW + 1)
        play_until(running, 3)
        play_to_the_end(over, NOW)
        winner = get_match(over).result
        record = get_match(running)
        view = record.game.view(match_log.current(record), None)
    page = text_of(client, "/watch?lang=en")
    first, second = page.split('id="finished"')

    assert f'href="/match/{running}"' in first and f'href="/match/{over}"' in second
    assert f'href="/match/{over}"' not in first
    come_to = "Round 1 · 3 turns played, the last one just now"
    for words in ("Iron Curtain", "USA: Ann", "USSR: Bob", come_to):
        assert words in re.sub("</?a[^>]*>", "", first)
    assert second.count("<b>won</b>") == (winner != "draw")
    picture = client.get(f"/watch/{running}.svg?lang=en")
    assert picture.mimetype == "image/svg+xml"
    assert picture.text == record.game.draw(view, "en")
    listed = re.compile(r'href="/match/(\w+)"')
    assert listed.findall(text_of(client, "/matches")) == listed.findall(page)


def test_who_plays_a_public_match_is_linked(client: FlaskClient) -> None:
    with store.connected():
        sit_down_as("public")
        ann, bob = (get_player(id_of(address)) for address in (ANN, BOB))
        preferences.save(bob.id, preferences.from_fields(bob, {"hides_page": "on"}), NOW)
    page = text_of(client, "/watch")

    assert f'<a href="/players/{ann.public_id}">Ann</a>' in page
    assert "USSR: Bob" in page and f"/players/{bob.public_id}" not in page
    with store.connected():
        store.execute("UPDATE match SET visibility = 'anonymous'")
    assert "/players/" not in text_of(client, "/watch")


@pytest.mark.parametrize("game", ["iron_curtain", "east_and_west"])
def test_the_round_is_told_in_the_words_of_the_game(client: FlaskClient, game: str) -> None:
    with store.connected():
        if game == "iron_curtain":
            match = sit_down_as("public")
        else:
            match = people_at_powers(2)
            turns.submit(turn_of(match).id, ["done"], NOW)
        turns.give_any_time(match, 0, STANDING[game], NOW)
    assert "Round 1 · " in text_of(client, "/watch")
    assert "Runde 1 · " in unescape(client.get("/watch", headers={"Accept-Language": "de"}).text)


STANDING = {"iron_curtain": "standing all use", "east_and_west": "standing ask west-germany on"}


def test_twelve_matches_are_read_with_as_many_questions_as_one(client: FlaskClient) -> None:
    def asked() -> int:
        with patch.object(store, "_ask", wraps=store._ask) as ask:
            text_of(client, "/watch")
        return ask.call_count

    with store.connected():
        sit_down_as("public")
        of_one = asked()
        for number in range(11):
            sit_down_as("public", NOW + number)
        assert asked() == of_one


def test_an_anonymous_match_tells_nobody_who_plays(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("anonymous")
        play_until(match, 3)
    api = client.get(f"/api/v1/match/{match}")

    assert api.get_json()["visibility"] == "anonymous"
    assert [seat["name"] for seat in api.get_json()["seats"]] == ["Player A", "Player B"]
    for path in ("/", "/watch", f"/match/{match}", f"/match/{match}/feed.atom"):
        page = text_of(client, path)
        assert "Ann" not in page and "Bob" not in page, path
    for path in ("/watch", f"/match/{match}"):
        assert "Player A" in text_of(client, path)
        assert "Player B" in text_of(client, path)


def test_the_host_of_an_anonymous_match_is_not_named_where_seats_are_free(
    client: FlaskClient,
) -> None:
    with store.connected():
        free = {"usa": ANN, "ussr": None}
        match = matches.create(wanted(visibility="anonymous", addresses=free), NOW)
        joining.confirmed(id_of(ANN), NOW)
    for path in ("/", f"/open/{match}", f"/match/{match}"):
        page = text_of(client, path)
        assert "/open/" in page and "Ann" not in page, path
    assert "Someone is looking for an opponent." in text_of(client, "/")


def test_a_private_match_is_in_no_list_and_its_address_opens_it(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("private")
        over = sit_down_as("private", NOW + 1)
        play_until(match, 8)
        play_to_the_end(over, NOW)
        assert shown_matches.played_lately(6) is None
    for path in ("/", "/watch", "/front/board.svg"):
        page = text_of(client, path)
        assert match not in page and over not in page, path

    assert client.get(f"/watch/{match}.svg").status_code == 404
    assert "Ann" in text_of(client, f"/match/{match}")


def test_a_free_seat_of_a_private_match_is_not_on_the_first_page(client: FlaskClient) -> None:
    with store.connected():
        free = {"usa": ANN, "ussr": None}
        match = matches.create(wanted(visibility="private", addresses=free), NOW)
        joining.confirmed(id_of(ANN), NOW)
        assert matches.open_matches() == []
    assert client.get(f"/open/{match}").status_code == 200, "who knows it may take the seat"


def test_a_match_of_a_guest_is_private(client: FlaskClient) -> None:
    client.post("/try/iron_curtain")
    with store.connected():
        (match,) = matches.all_matches()
    assert match.has_guest and match.visibility == "private"
    assert match.id not in text_of(client, "/watch")


def test_what_has_not_begun_or_was_called_off_is_not_listed(client: FlaskClient) -> None:
    with store.connected():
        forming = matches.create(wanted(), NOW)
        gone = sit_down(NOW + 1).match
        matches.cancel(gone, "moderator", NOW + 2)
    page = text_of(client, "/watch")

    assert forming not in page and gone not in page
    assert "Nobody plays at the moment." in page and "No match has ended yet." in page
    assert client.get(f"/watch/{forming}.svg").status_code == 404


def test_pages_go_on_where_the_last_one_ended(client: FlaskClient) -> None:
    with store.connected():
        made = [sit_down_as("public", NOW + number // 2) for number in range(14)]
        play_until(made[0], 1)
    first = text_of(client, "/watch")
    (more,) = re.findall(r'rel="next" href="([^"]+)"', first)
    second = text_of(client, more)
    listed = [re.findall(r'<h3[^>]*><a href="/match/(\w+)"', page) for page in (first, second)]

    assert [len(page) for page in listed] == [12, 2]
    assert sorted(listed[0] + listed[1]) == sorted(made)
    assert 'rel="next"' not in second and "Finished matches" not in second


def test_one_game_can_be_asked_for(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down(NOW).match
    assert match in text_of(client, "/watch?game=iron_curtain")
    assert match not in text_of(client, "/watch?game=east_and_west")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("game=chess", ", ".join(GAMES)),
        ("of=lost", "running, finished"),
        ("of=running&after=x", "begin with its first one"),
        ("of=running&after=1-a'--", "begin with its first one"),
    ],
)
def test_what_is_asked_wrongly_is_answered_with_what_would_be_right(
    client: FlaskClient, query: str, said: str
) -> None:
    answer = client.get(f"/watch?{query}")
    assert answer.status_code == 400
    assert said in unescape(answer.text)


def test_what_seats_say_in_advance_changes_no_byte(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
        play_until(match, 3)
        before = [client.get(path).data for path in ("/watch", f"/watch/{match}.svg")]
        for number, word in enumerate(("use", "never") * 3):
            turns.give_any_time(match, number % 2, f"standing all {word}", NOW + number)

    assert [client.get(path).data for path in ("/watch", f"/watch/{match}.svg")] == before


# --- choosing it ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/invite", "/start"])
def test_the_forms_ask_who_may_watch(client: FlaskClient, path: str) -> None:
    page = client.get("/" if path == "/invite" else path).text
    form = next(one for one in forms(page) if "visibility" in one.fields)
    assert form.fields["visibility"] == "public"
    typed = {"game": "iron_curtain", "address": ANN, "friend": BOB, "opponent": BOB}
    client.post(path, data={**form.fields, **typed, "visibility": "anonymous"})
    refused = client.post(path, data={**form.fields, **typed, "visibility": "secret"})

    with store.connected():
        (match,) = matches.all_matches()
    assert match.visibility == "anonymous"
    assert refused.status_code == 400
    assert "choose from public, anonymous, private" in refused.text


def test_who_is_invited_is_told_who_may_watch(client: FlaskClient, links: Links) -> None:
    with store.connected():
        match = get_match(matches.create(wanted(visibility="anonymous"), NOW))
        joining.confirmed(id_of(ANN), NOW)
        invited = JoinLink(match.id, 1, id_of(BOB), match.seat(1).epoch)
    page = text_of(client, links.url("join", invited))

    assert "Anyone can watch, but not see who plays" in page
    assert "Ann" in page, "who is to sit down knows with whom"


@on_sqlite  # which tells its plan in words; the indexes of both are the same
@pytest.mark.parametrize("after", [None, WatchKey(NOW, "m")])
@pytest.mark.parametrize("which", [RUNNING, FINISHED])
def test_each_list_is_read_in_the_order_of_an_index_of_its_own(
    client: FlaskClient, which: str, after: WatchKey | None
) -> None:
    asked = list[tuple[str, tuple[object, ...]]]()

    def listening(sql: str, *values: object) -> list[tuple[Any, ...]]:
        asked.append((sql, values))
        return store.rows(sql, *values)

    with store.connected(), patch.object(watch_lists, "rows", listening):
        watch_lists.page(which, after=after)
        sql, values = asked[0]
        plan = " ".join(str(row[-1]) for row in store.rows(f"EXPLAIN QUERY PLAN {sql}", *values))
    assert f"match_{which}" in plan and "TEMP B-TREE" not in plan
