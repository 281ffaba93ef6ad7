"""The board on the first page: of a match with something to see, as spectators see it."""

from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

from engine.chance import QuickDice
from engine.registry import GAMES
from pbem.db import store
from pbem.services.match import match_log, turns
from pbem.services.records import shown_matches
from pbem.services.records.match_rows import LIVE, OVER, get_match
from pbem.web.front.showcase import FEWEST_TURNS
from tests.pbem.visiting import NOW
from tests.services.people import an_order, play_to_the_end, sit_down


def play_until(match: str, closed: int, seed: bytes = b"some") -> None:
    """Random orders, until so many turns have been played."""
    choice = QuickDice(seed)
    while turns_closed(match) < closed:
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW)


def turns_closed(match: str) -> int:
    closed = "SELECT COUNT(*) FROM turn WHERE match_id = ? AND closed_seq IS NOT NULL"
    ((count,),) = store.rows(closed, match)
    return int(count)


def test_without_a_match_it_shows_how_one_begins(client: FlaskClient) -> None:
    page, picture = client.get("/").text, client.get("/front/board.svg?lang=fr")
    game = GAMES["east_and_west"]
    begun = game.new_game({}, QuickDice(b"any")).state

    assert "East &amp; West: how a match begins." in page
    assert picture.text == game.draw(game.view(begun, None), "fr")


def test_a_match_is_shown_when_there_is_something_to_see(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down(NOW).match
        play_until(match, FEWEST_TURNS - 1)
        assert shown_matches.played_lately(FEWEST_TURNS) is None
        play_until(match, FEWEST_TURNS)
        record = get_match(match)
        view = record.game.view(match_log.current(record), None)
    page = client.get("/").text

    assert "Iron Curtain: a match in progress" in page
    assert f'href="/match/{match}"' in page
    assert client.get("/front/board.svg?lang=de").text == record.game.draw(view, "de")


def test_it_goes_on_with_the_match_and_ends_with_it(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down(NOW).match
        play_until(match, 7)
        before = client.get("/front/board.svg").text
        play_until(match, 9)
        after = client.get("/front/board.svg").text
        play_to_the_end(match, NOW)
        assert get_match(match).status == OVER

    assert before != after
    assert "Iron Curtain: how a match ended." in client.get("/").text
    assert client.get("/front/board.svg").text not in (before, after)


def test_what_runs_is_shown_rather_than_what_is_over(client: FlaskClient) -> None:
    with store.connected():
        running, over = sit_down(NOW).match, sit_down(NOW + 9).match
        play_until(running, 8)
        play_to_the_end(over, NOW)
        shown = shown_matches.played_lately(FEWEST_TURNS)

    assert shown is not None and (shown.id, shown.status) == (running, LIVE)


def test_a_match_that_these_rules_cannot_read_is_not_shown(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down(NOW).match
        play_until(match, 8)
        store.execute("UPDATE match SET rules_version = 99 WHERE id = ?", match)

    page = client.get("/")
    assert page.status_code == 200
    assert "how a match begins" in page.text


def test_what_seats_say_in_advance_changes_no_byte_and_makes_no_match_worth_seeing(
    client: FlaskClient,
) -> None:
    with store.connected():
        quiet, match = sit_down(NOW + 9).match, sit_down(NOW).match
        play_until(match, FEWEST_TURNS)
        before = [client.get(path).data for path in ("/", "/front/board.svg")]
        for number, word in enumerate(("use", "never") * 5):
            for one in (quiet, match):
                turns.give_any_time(one, number % 2, f"standing all {word}", NOW + number)
        assert get_match(quiet).head_seq > FEWEST_TURNS

    assert f"/match/{match}".encode() in before[0]
    assert [client.get(path).data for path in ("/", "/front/board.svg")] == before


def test_it_is_packed_for_whom_takes_it_so_and_kept_for_a_while(client: FlaskClient) -> None:
    plain = client.get("/front/board.svg")
    packed = client.get("/front/board.svg", headers={"Accept-Encoding": "gzip, br"})

    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    for answer in (plain, packed):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Cache-Control"] == "public, max-age=300"


@pytest.mark.parametrize("path", ["/front/chess.svg", "/front/board.png", "/front/"])
def test_there_is_no_other_picture(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404
