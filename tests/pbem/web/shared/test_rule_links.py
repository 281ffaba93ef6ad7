"""What a game refuses leads to the rule it rests on, wherever it is refused."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from engine.core import GameError, IllegalAction
from engine.registry import GAMES
from pbem.errors import Refused
from pbem.links import Links
from pbem.web.shared.rule_links import Fault, as_json, fault_of, rule_of
from tests.pbem.table import Table

GAME = GAMES["iron_curtain"]
TOO_MUCH = "your supply is not empty; write: cube {card}"


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def links_of(page: str) -> list[tuple[str, str]]:
    """Address and words of the links that lead to a single rule from outside of the rules."""
    return [
        (unescape(address), words)
        for address, words in re.findall(r'<a [^>]*href="(/rules/[^"]+#[^"]+)">([^<]+)</a>', page)
    ]


def test_a_refusal_of_a_game_has_its_rule_and_where_to_read_it() -> None:
    refusal = IllegalAction(TOO_MUCH, card="iran")

    assert rule_of(refusal, GAME) == "7.6"
    assert as_json(refusal, GAME, "http://play.test") == {
        "rule": "7.6",
        "rule_url": "http://play.test/rules/iron_curtain?lang=en#rule-7-6",
    }


def test_a_refusal_because_of_another_has_the_rule_of_its_reason() -> None:
    reason = IllegalAction(TOO_MUCH, card="iran")
    refusal = Refused("line %(number)s: %(reason)s", number=2, reason=reason)

    assert rule_of(refusal, GAME) == "7.6"


@pytest.mark.parametrize("error", [GameError("the match is over"), Refused("not now")])
def test_what_rests_on_no_rule_has_none(error: Exception) -> None:
    assert fault_of(error, GAME) == Fault(str(error))
    assert as_json(error, GAME) == {}


def test_without_a_game_there_is_no_rule() -> None:
    assert fault_of(GameError("there is no game '{game}'", game="go"), None).rule == ""


def test_a_fault_is_true_when_it_says_something() -> None:
    assert not Fault()
    assert str(Fault("wrong", "7.6")) == "wrong"


# --- on pages -------------------------------------------------------------------------------------


def test_the_turn_page_links_a_refused_order_to_its_rule(table: Table) -> None:
    page = table.press("orders", orders="first usa\nfly moon")

    assert page.status_code == 400
    assert links_of(page.text) == [("/rules/iron_curtain?lang=de#rule-11-4", "Regel 11.4")]


def test_the_link_leads_to_the_rule(table: Table) -> None:
    ((address, _),) = links_of(table.press("orders", orders="fly moon").text)
    path, _, place = address.partition("#")

    assert f'id="{place}"' in table.client.get(path).text


def test_what_is_refused_without_a_rule_has_no_link(table: Table) -> None:
    page = table.press("undo", keep="x")

    assert page.status_code == 400
    assert links_of(page.text) == []


def test_a_preview_names_the_rule(table: Table) -> None:
    answer = table.client.get(f"{table.turn_path()}/preview?order=fly+moon")

    assert answer.status_code == 400
    assert answer.get_json()["rule"] == "11.4"
    assert answer.get_json()["rule_url"] == "/rules/iron_curtain?lang=de#rule-11-4"


def test_a_setup_that_is_refused_links_to_its_rule(client: FlaskClient) -> None:
    form = {"game": "iron_curtain", "address": "ann@play.test", "seat": "usa"}
    page = client.post("/start", data=form | {"deck": "name = 'mine'"})

    assert page.status_code == 400
    assert links_of(page.text) == [("/rules/iron_curtain?lang=en#rule-1-8", "Rule 1.8")]
