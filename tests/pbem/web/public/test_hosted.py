"""East & West behind every page that a match has, for four people and for two."""

from __future__ import annotations

from typing import Any

import pytest
from flask.testing import FlaskClient

from engine.audit import audit
from engine.replay import read_match
from pbem.links import Links, TurnLink
from pbem.services.match import match_log, matches, turns
from pbem.services.records.match_rows import LIVE, get_match
from tests.pbem.visiting import NOW
from tests.pbem.web.public.test_many_seats import seated
from tests.services.people import ANN, BOB, turn_of

TWO: dict[str, Any] = {"ussr": ANN, "nato": BOB}
both = pytest.mark.parametrize("people", [4, 2])


def hosted(people: int) -> str:
    if people == 4:
        return seated()
    return seated(setup={"nato": "we+uk+usa"}, addresses=TWO)


def play(match: str, *orders: str) -> None:
    for order in orders:
        turns.submit(turn_of(match).id, [order], NOW)


@both
def test_pages_json_and_feed(client: FlaskClient, links: Links, people: int) -> None:
    match = hosted(people)
    record, turn = get_match(match), turn_of(match)
    token = links.sign("turn", TurnLink(match, turn.seat, turn.id, record.seat(0).epoch))
    for path in (
        f"/match/{match}",
        f"/match/{match}/feed.atom",
        f"/api/v1/match/{match}",
        f"/api/v1/turn/{token}",
        f"/t/{token}",
        "/rules/east_and_west",
    ):
        assert client.get(path).status_code == 200, path


def test_one_turn_for_all_powers_of_one_person(client: FlaskClient) -> None:
    """The USSR ends its mobilisation and its turn; then NATO has one turn for three powers."""
    match = hosted(2)
    play(match, *["done"] * 4)
    first = turn_of(match)
    play(match, *["done"] * 8)
    assert turn_of(match) == first
    assert get_match(match).seat(first.seat).name == "nato"
    play(match, "done")
    assert get_match(match).seat(turn_of(match).seat).name == "ussr"


@both
def test_a_rewind_and_the_file_of_the_match(client: FlaskClient, people: int) -> None:
    match = hosted(people)
    play(match, "done", "done")
    turns.rewind(match, 1, turns.MODERATOR, NOW)
    play(match, "done")
    assert get_match(match).status == LIVE
    matches.resign(match, 0, NOW)
    file = read_match(client.get(f"/match/{match}/download").data)
    audit(file)
    assert file.result == ("we uk usa" if people == 4 else "nato")
    assert match_log.entries(match)[-1].text == "resign"
