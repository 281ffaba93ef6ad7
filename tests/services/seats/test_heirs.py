"""Allies go on for who resigns: they are told, and hand the seat on; the last one to a machine."""

from __future__ import annotations

import pytest

from engine import registry
from pbem.db.store import rows
from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Stale
from pbem.services.letters import outbox
from pbem.services.match import matches, turns
from pbem.services.operations import machine_players
from pbem.services.records.match_rows import JOINED, LIVE, MACHINE, OVER, VACANT, get_match
from pbem.services.seats import heirs, seat_history, stand_ins
from tests.kit.quartet import Quartet
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.match.test_timeouts import begun, four_sit_down
from tests.services.people import NOW, Sitting, id_of, turn_of
from tests.services.powers import UK, USA, USSR, WE, address_of, four_people
from tests.services.waiting import hand_over


@pytest.fixture
def match(stored: str) -> str:
    made = four_people()
    hand_over(NOW)
    return made


def told(kind: str) -> dict[str, str]:
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW + 10)
    return {
        letter["To"].addresses[0].username: " ".join(text_of(letter).split())
        for letter in bag.letters
        if letter["X-PBEM-Kind"] == kind
    }


def players(match: str) -> list[str]:
    """Whose address is at each seat."""
    found = rows(
        "SELECT player.address FROM seat LEFT JOIN player ON player.id = seat.player_id"
        " WHERE seat.match_id = ? ORDER BY seat.number",
        match,
    )
    return [(address or "").partition("@")[0] for (address,) in found]


def test_the_nearest_ally_is_told_and_can_hand_it_on(match: str) -> None:
    matches.resign(match, WE, NOW)
    assert players(match) == ["ussr", "uk", "uk", "usa"]
    letter = told("briefing")["uk"]
    assert "You now play Western Europe in a match of East & West against Ann (USSR)" in letter
    assert "The seat has come to you because you are the nearest ally" in letter
    assert "hand it on to the next ally. Hand the seat on: https://play.example/seat/" in letter


def test_each_ally_is_asked_once_and_then_the_computer_plays(match: str) -> None:
    matches.resign(match, WE, NOW)
    heirs.hand_on(match, WE, NOW)
    assert players(match) == ["ussr", "usa", "uk", "usa"]
    assert "leave it to the computer." in told("briefing")["usa"]
    heirs.hand_on(match, WE, NOW)
    record = get_match(match)
    assert (record.status, record.seat(WE).status) == (LIVE, MACHINE)
    assert players(match) == ["ussr", "", "uk", "usa"]
    letters = told("away")
    assert letters.keys() == {"ussr", "uk", "usa"}
    for letter in letters.values():
        assert "From now on the computer plays Western Europe in your match" in letter


def test_the_match_goes_on_with_the_computer(match: str) -> None:
    matches.resign(match, WE, NOW)
    for _ in range(2):
        heirs.hand_on(match, WE, NOW)
    while turn_of(match).seat == USSR:
        turns.submit(turn_of(match).id, ["done"], NOW)
    assert turn_of(match).seat == WE
    assert machine_players.play_all(lambda: NOW) > 0
    assert turn_of(match).seat == UK


def test_a_seat_that_came_from_an_ally_is_handed_on_by_resigning_it(match: str) -> None:
    for _ in range(3):
        matches.resign(match, WE, NOW)
    assert (get_match(match).status, get_match(match).seat(WE).status) == (LIVE, MACHINE)
    matches.resign(match, UK, NOW)
    assert players(match) == ["ussr", "", "usa", "usa"]
    matches.resign(match, USA, NOW)
    assert (get_match(match).status, get_match(match).result) == (OVER, "ussr")


def test_who_has_one_seat_has_inherited_nothing(match: str) -> None:
    for number in range(4):
        with pytest.raises(Stale, match="has not come to you from an ally"):
            heirs.hand_on(match, number, NOW)


def test_without_a_program_that_plays_a_stand_in_is_sought(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.GAMES, "quartet", Quartet())
    match = four_sit_down()
    matches.resign(match, 0, NOW)
    assert get_match(match).seat(0).player == get_match(match).seat(2).player
    assert "then we look for a stand-in." in " ".join(told("briefing").values())
    matches.resign(match, 0, NOW)
    assert (get_match(match).status, get_match(match).seat(0).status) == (LIVE, VACANT)


def test_who_is_late_on_an_inherited_seat_does_not_inherit_it_again(stored: str) -> None:
    """The clock hands the seat to each ally once, then others may have it."""
    match = four_people()
    while turn_of(match).seat == USSR:
        turns.submit(turn_of(match).id, ["done"], NOW)
    days = begun(match, per_move=6 * HOUR, grace=HOUR, policy="ally")
    days.passes(24 * HOUR)
    held = seat_history.of_seat(get_match(match), WE)
    assert [holder for holder, _ in held] == [id_of(address_of(one)) for one in ("we", "uk", "usa")]
    assert get_match(match).seat(WE).status == VACANT


def test_what_each_may_read_later_ends_with_the_holding(match: str) -> None:
    for _ in range(3):
        matches.resign(match, WE, NOW + 5)
    held = seat_history.of_seat(get_match(match), WE)
    names = ["we", "uk", "usa"]
    assert [holder for holder, _ in held] == [*(id_of(address_of(one)) for one in names), None]


def test_of_two_who_resigns_loses(sitting: Sitting) -> None:
    assert heirs.heir_of(get_match(sitting.match), 0) is None
    matches.resign(sitting.match, 0, NOW)
    assert get_match(sitting.match).status == OVER
    assert get_match(sitting.match).seat(0).status == JOINED


def test_a_seat_opened_for_a_machine_says_so(stored: str) -> None:
    match = four_people(clock=Clock(per_move=DAY, policy="machine"))
    told("turn")
    stand_ins.open_seat(match, WE, NOW)
    assert "until one is found, the computer plays." in told("away")["uk"]
