"""A draw among several, from their seat pages."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.links import Links
from pbem.services.records.match_rows import LIVE, OVER
from tests.pbem.four_powers import FourPowers
from tests.services.powers import UK, USA, USSR, WE


@pytest.fixture
def table(client: FlaskClient, links: Links) -> FourPowers:
    return FourPowers(client, links)


def said(table: FourPowers, seat: int, what: str = "") -> str:
    return " ".join(table.client.get(table.seat_path(seat) + what).text.split())


def answer(table: FourPowers, seat: int, **fields: str) -> int:
    return table.client.post(f"{table.seat_path(seat)}/draw", data=fields).status_code


def test_each_page_says_who_offers_and_who_is_missing(table: FourPowers) -> None:
    assert "The match is drawn once all of them have accepted" in said(table, USSR, "/draw")
    assert answer(table, USSR) == answer(table, UK) == 303

    page = said(table, WE)
    assert "USSR and United Kingdom offer a draw." in page
    assert "Everyone has to agree to a draw. Not heard from yet: USA." in page
    asked = said(table, WE, "/draw")
    assert "USSR and United Kingdom offer a draw." in asked
    assert "If you accept, the match goes on until these have agreed too: USA." in asked
    assert "You have agreed to a draw, as USSR did." in said(table, UK)

    assert answer(table, WE) == 303
    assert table.match.status == LIVE
    assert "If you accept, the match ends at once, and nobody wins." in said(table, USA, "/draw")
    assert answer(table, USA) == 303
    assert (table.match.status, table.match.result) == (OVER, "draw")
    assert "The players agree to a draw." in table.client.get(f"/match/{table.id}").text


def test_one_declines_for_all(table: FourPowers) -> None:
    for seat in (USSR, WE):
        answer(table, seat)
    for _ in range(2):
        assert answer(table, USA, do="decline") == 303
    for seat in (USSR, WE, UK, USA):
        assert not table.match.seat(seat).draw_offered
        assert "Offer a draw" in said(table, seat)


def test_an_answer_that_is_none_is_refused(table: FourPowers) -> None:
    assert answer(table, USA, do="perhaps") == 400
    assert not table.match.seat(USA).draw_offered
