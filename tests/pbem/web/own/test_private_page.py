"""Private notes and blocked players at a seat: seen by one person, kept from all others."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from pbem.db import store
from pbem.links import Links
from pbem.services.match import matches
from pbem.services.players import blocks
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import revocation
from tests.pbem.table import HOSTILE, Table
from tests.pbem.visiting import everything, forms
from tests.services.people import NOW

ANN, BOB = 0, 1
CANARY = "zqcanary & <b>plan</b>"


@pytest.fixture
def table(client: FlaskClient, links: Links) -> Table:
    return Table(client, links)


def player(table: Table, seat: int) -> int:
    with store.connected():
        return get_match(table.id).seat(seat).player or 0


def test_a_note_is_shown_to_its_author_alone(table: Table) -> None:
    path = f"{table.seat_path(ANN)}/notes"
    assert path in table.client.get(table.seat_path(ANN)).text
    answer = table.client.post(path, data={"text": CANARY}, follow_redirects=True)
    assert "zqcanary &amp; &lt;b&gt;plan&lt;/b&gt;" in answer.text
    others = [
        f"{table.seat_path(BOB)}/notes",
        table.seat_path(BOB),
        table.turn_path(),
        f"/match/{table.id}",
        f"/match/{table.id}/feed.atom",
    ]
    for other in others:
        assert "zqcanary" not in table.client.get(other).text


def test_looking_changes_nothing(table: Table) -> None:
    before = everything()
    for page in ("notes", "block"):
        assert table.client.get(f"{table.seat_path(ANN)}/{page}").status_code == 200
    assert everything() == before


def test_what_is_too_long_stays_in_the_form(table: Table) -> None:
    path = f"{table.seat_path(ANN)}/notes"
    answer = table.client.post(path, data={"text": "long " * 1_000})
    assert answer.status_code == 400
    (form,) = [form for form in forms(answer.text) if "text" in form.fields]
    assert form.fields["text"].startswith("long long")
    assert "up to 4000 characters" in answer.text


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_are_kept_as_text_or_refused(table: Table, words: str) -> None:
    sent, path = words.encode("utf-8", "surrogatepass"), table.seat_path(ANN)
    assert table.client.post(f"{path}/notes", data={"text": sent}).status_code in (303, 400)
    assert "<script>alert" not in table.client.get(f"{path}/notes").text
    answer = table.client.post(f"{path}/block", data={"do": sent or b"?", "seat": "ussr"})
    assert answer.status_code == 400
    answer = table.client.post(f"{path}/block", data={"do": "block", "seat": sent})
    assert answer.status_code == 400
    with store.connected():
        assert blocks.blocked_by(player(table, ANN)) == set()


def test_blocked_and_unblocked_by_a_press_each(table: Table) -> None:
    path = f"{table.seat_path(ANN)}/block"
    for act, expected in (("block", {player(table, BOB)}), ("unblock", set[int]())):
        for _ in range(2):
            table.client.post(path, data={"do": act, "seat": "ussr"})
        with store.connected():
            assert blocks.blocked_by(player(table, ANN)) == expected


def test_the_blocked_sees_the_same_pages_as_before(table: Table) -> None:
    """Byte for byte, before and after the end."""
    with store.connected():
        matches.resign(table.id, BOB, NOW)
    pages = [table.seat_path(BOB), f"{table.seat_path(BOB)}/block", f"/match/{table.id}"]
    before = [table.client.get(page).data for page in pages]
    table.client.post(f"{table.seat_path(ANN)}/block", data={"do": "block", "seat": "ussr"})
    assert [table.client.get(page).data for page in pages] == before


def test_a_revoked_link_opens_nothing(table: Table) -> None:
    path = table.seat_path(ANN)
    table.client.post(f"{path}/notes", data={"text": CANARY})
    with store.connected():
        revocation.by_player(player(table, ANN), NOW)
    for page in ("notes", "block"):
        assert table.client.get(f"{path}/{page}").status_code == 410
        assert table.client.post(f"{path}/{page}", data={"text": "x"}).status_code == 410


# --- remarks --------------------------------------------------------------------------------------


def test_a_remark_is_public_only_when_its_author_says_so(table: Table) -> None:
    with store.connected():
        matches.resign(table.id, BOB, NOW)
    path = table.seat_path(ANN)
    assert 'name="public"' in table.client.get(path).text
    table.client.post(path, data={"text": "between us"})
    table.client.post(path, data={"text": "a fine <i>match</i>", "public": "on"})
    page = table.client.get(f"/match/{table.id}").text
    assert "a fine &lt;i&gt;match&lt;/i&gt;" in page
    assert "between us" not in page
    assert "between us" in table.client.get(table.seat_path(BOB)).text


def test_nothing_is_public_while_it_is_played(table: Table) -> None:
    path = table.seat_path(ANN)
    assert 'name="public"' not in table.client.get(path).text
    answer = table.client.post(path, data={"text": "hold Poland", "public": "on"})
    assert answer.status_code == 400
    assert "only when the match is over" in answer.text
    assert "hold Poland" not in table.client.get(f"/match/{table.id}").text
