"""The list of players: searched by any part of name or address, sorted, paged without gaps."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, writing
from pbem.services.match import matches
from pbem.services.moderation import player_lists
from pbem.services.moderation.player_lists import PlayerFilter
from pbem.services.players import accounts
from pbem.services.self_service import personal_data
from tests.services.judging import perform
from tests.services.people import ANN, BOB, NOW, Sitting

NAMES = {
    "zoe@example.net": "",
    "a_b@example.net": "Änne",
    "c%d@example.net": "Cy",
    "x@q.org": "ann",
}


@pytest.fixture
def known(sitting: Sitting) -> Sitting:
    """Ann and Bob, and four more who came one after another."""
    with writing():
        for number, (mail, name) in enumerate(NAMES.items()):
            player = accounts.known_or_new(mail, NOW + 1 + number // 2)
            accounts.change(player.id, name=name)
    return sitting


def found(text: str = "", by_name: bool = False) -> list[str]:
    page = player_lists.page(PlayerFilter(text, by_name), None)
    assert page.following is None
    return [one.address for one in page.players]


def test_the_newest_come_first_or_names_do(known: Sitting) -> None:
    newest = ["x@q.org", "c%d@example.net", "a_b@example.net", "zoe@example.net", BOB, ANN]
    assert found() == newest
    by_name = found(by_name=True)
    assert sorted(by_name) == sorted(newest)
    plain = [mail for mail in by_name if mail != "a_b@example.net"]  # where Ä stands is local
    assert plain == [ANN, "x@q.org", BOB, "c%d@example.net", "zoe@example.net"]


def test_any_part_of_name_or_address_is_found(known: Sitting) -> None:
    for text, expected in {
        "ann": {ANN, "x@q.org"},
        "ANN": {ANN, "x@q.org"},
        "nn@ex": {ANN},
        "@example.org": {ANN, BOB},
        "änn": {"a_b@example.net"},
        "ÄNNE": {"a_b@example.net"},
        "_": {"a_b@example.net"},
        "%": {"c%d@example.net"},
        "!": set(),
        "nobody": set(),
    }.items():
        assert set(found(text)) == set(found(text, by_name=True)) == expected, text


def test_pages_follow_one_another_without_gaps(
    known: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    for by_name in (False, True):
        whole = found(by_name=by_name)
        monkeypatch.setattr(player_lists, "A_PAGE", 2)
        seen, after = list[str](), None
        for _ in range(3):
            page = player_lists.page(PlayerFilter("", by_name), after)
            seen += [one.address for one in page.players]
            after = page.following
        assert after is None
        assert seen == whole
        monkeypatch.undo()


def test_a_page_behind_nobody_is_the_first(known: Sitting) -> None:
    assert len(player_lists.page(PlayerFilter(), 999_999).players) == 6


def test_a_row_tells_of_matches_letters_and_bans(known: Sitting) -> None:
    execute(
        "UPDATE outbox SET state = 'dead', message_id = 'm' || id, last_error = '550 gone'"
        " WHERE player_id = ?",
        known.bob,
    )
    perform(known.bob, "ban")
    ann, bob = player_lists.page(PlayerFilter("example.org", True), None).players

    assert (ann.name, ann.live, ann.arrival, ann.banned_at) == ("Ann", 1, "fine", None)
    assert (bob.name, bob.live, bob.arrival, bob.banned_at) == ("Bob", 1, "bouncing", NOW)


def test_a_name_is_found_as_it_is_now_and_who_was_deleted_is_not(known: Sitting) -> None:
    accounts.change(known.bob, name="Robert")
    assert found("bob") == [BOB]
    assert found("robert") == [BOB]
    matches.resign(known.match, 0, NOW)
    personal_data.delete(known.bob, NOW)

    assert found("robert") == []
    assert len(found()) == 5
