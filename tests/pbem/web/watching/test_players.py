"""Players' pages: what they tell everybody, and what they never tell."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.services.match import matches, turns
from pbem.services.players import public_results, punctuality
from pbem.services.players.public_results import Tally
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import personal_data, preferences
from tests.pbem.visiting import NOW
from tests.pbem.web.front.test_showcase import play_until
from tests.pbem.web.watching.test_lists import sit_down_as, text_of
from tests.services.people import ANN, BOB, id_of


def page_of(address: str) -> str:
    with store.connected():
        return f"/players/{get_player(id_of(address)).public_id}"


def won_by(seat: int, visibility: str = "public", now: int = NOW) -> str:
    """A match that the other seat has given up."""
    match = sit_down_as(visibility, now)
    play_until(match, 2)
    matches.resign(match, 1 - seat, now + 9)
    return match


def table(page: str, id: str) -> list[list[str]]:
    body = page.split(f'<h2 id="{id}"')[1].split("</table>")[0].split("<tbody>")[1]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("</tr>")[:-1]]
    return [[re.sub("<[^>]+>", "", cell) for cell in row] for row in rows]


def test_results_head_to_head_and_matches_are_told(client: FlaskClient) -> None:
    with store.connected():
        over = [won_by(seat, now=NOW + number) for number, seat in enumerate((0, 0, 1))]
        running = sit_down_as("public", NOW + 20)
    page = text_of(client, page_of(ANN))

    assert "<h1>Ann</h1>" in page
    assert table(page, "results") == [["Iron Curtain", "2", "1", "0"]]
    assert table(page, "head-to-head") == [["Bob", "2", "1", "0"]]
    assert all(f'href="/match/{match}"' in page for match in (*over, running))
    assert "in progress" in page
    assert f'href="{page_of(BOB)}"' in page
    assert f'href="{page_of(BOB)}"' in text_of(client, f"/match/{running}")


def test_anonymous_and_private_matches_change_no_byte(client: FlaskClient) -> None:
    with store.connected():
        won_by(0)
    before = [client.get(page_of(address)).data for address in (ANN, BOB)]
    with store.connected():
        hidden = [won_by(1, kind, NOW + 50) for kind in ("anonymous", "private")]
        known = punctuality.of([id_of(ANN)], NOW + 60, only_public=True)
        assert public_results.by_game(public_results.played_by(id_of(ANN))) == {
            "iron_curtain": Tally(won=1)
        }

    assert known == {}
    assert [client.get(page_of(address)).data for address in (ANN, BOB)] == before
    for match in hidden:
        assert b"/players/" not in client.get(f"/match/{match}").data


def hide(player: int) -> None:
    wished = preferences.from_fields(get_player(player), {"hides_page": "on"})
    preferences.save(player, wished, NOW)


def delete(player: int) -> None:
    personal_data.delete(player, NOW + 99)


@pytest.mark.parametrize("act", [hide, delete])
def test_who_hides_the_page_or_is_deleted_has_none(
    client: FlaskClient, act: Callable[[int], None]
) -> None:
    with store.connected():
        match = won_by(0)
    bobs, anns = page_of(BOB), page_of(ANN)
    assert client.get(bobs).status_code == 200
    with store.connected():
        act(id_of(BOB))

    nobody = client.get("/players/2222222222")
    assert nobody.status_code == client.get(bobs).status_code == 404
    assert client.get(bobs).data == nobody.data.replace(b"/players/2222222222", bobs.encode())
    for path in (anns, f"/match/{match}", "/watch"):
        assert bobs not in text_of(client, path)


def test_who_plays_no_public_match_has_no_page(client: FlaskClient) -> None:
    with store.connected():
        won_by(0, "anonymous")
    assert client.get(page_of(ANN)).status_code == 404


def test_the_address_of_a_page_tells_nothing_of_a_player(client: FlaskClient) -> None:
    with store.connected():
        won_by(0)
        ids = [get_player(id_of(address)).public_id or "" for address in (ANN, BOB)]
    page = text_of(client, page_of(ANN))

    assert all(re.fullmatch(r"[2-9a-z]{10}", one) for one in ids) and ids[0] != ids[1]
    assert "example.org" not in page
    assert client.get(f"/players/{get_id(ANN)}").status_code == 404


def get_id(address: str) -> int:
    with store.connected():
        return id_of(address)


def test_what_seats_say_in_advance_changes_no_byte(client: FlaskClient) -> None:
    with store.connected():
        match = sit_down_as("public")
        play_until(match, 2)
    before = client.get(page_of(ANN)).data
    with store.connected():
        turns.give_any_time(match, 0, "standing all never", NOW)
        turns.give_any_time(match, 1, "standing all use", NOW)
        assert get_match(match).head_seq > 2
    assert client.get(page_of(ANN)).data == before
