"""Matches that wait for players: withdrawn, lapsed, for reliable ones, told to who wants it."""

from __future__ import annotations

import pytest

from pbem.db.models import SeatAlert
from pbem.db.store import execute, rows
from pbem.errors import Refused, Stale
from pbem.services.agreements import open_matches
from pbem.services.letters.kinds import registry
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.operations.ticking import HANDLERS
from pbem.services.players import accounts, blocks, punctuality, seat_alerts
from pbem.services.players.punctuality import Punctuality
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import sign_up
from pbem.services.time import alarms
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of, letters, wanted
from tests.services.powers import POWERS

EVE_SAYS = Joining("Eve", "en", "UTC", "")
LATER = NOW + 100


@pytest.fixture
def waiting(sitting: Sitting) -> str:
    """A match of Ann's with a free seat; Bob and Eve play here too."""
    accounts.confirm(accounts.known_or_new(EVE, NOW).id, NOW)
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
    joining.confirmed(sitting.ann, NOW, match)
    return match


def kinds(match: str) -> list[tuple[str, int]]:
    return [(kind, player) for kind, player, _ in letters(match)]


# --- withdrawn ------------------------------------------------------------------------------------


def test_the_host_withdraws_once(waiting: str) -> None:
    open_matches.withdraw(waiting, id_of(ANN), LATER)
    assert get_match(waiting).status == "cancelled"
    assert matches.open_matches() == []
    assert kinds(waiting) == [], "the host knows"
    with pytest.raises(Stale, match="no longer waits"):
        open_matches.withdraw(waiting, id_of(ANN), LATER)


def test_nobody_else_withdraws_it(waiting: str) -> None:
    with pytest.raises(Refused, match="only its host"):
        open_matches.withdraw(waiting, id_of(BOB), LATER)
    assert get_match(waiting).status == "forming"


def test_what_has_begun_is_not_withdrawn(sitting: Sitting) -> None:
    with pytest.raises(Stale):
        open_matches.withdraw(sitting.match, sitting.ann, LATER)
    assert get_match(sitting.match).status == "live"


def test_who_has_sat_down_is_told(stored: str) -> None:
    addresses: dict[str, str | None] = {**dict.fromkeys(POWERS), "ussr": ANN}
    match = matches.create(wanted(game="east_and_west", addresses=addresses), NOW)
    joining.confirmed(id_of(ANN), NOW)
    bob = accounts.known_or_new(BOB, NOW).id
    joining.accept(match, 1, bob, Joining("Bob", "en", "UTC", ""), NOW)
    open_matches.withdraw(match, id_of(ANN), LATER)
    assert kinds(match) == [("cancelled", bob)]


# --- lapsed ---------------------------------------------------------------------------------------


def test_it_lapses_when_it_was_told_to_and_the_host_is_told(waiting: str) -> None:
    at = open_matches.lapses_at(get_match(waiting))
    assert at == NOW + 30 * DAY
    alarms.ring(at - 1, HANDLERS)
    assert get_match(waiting).status == "forming"
    alarms.ring(at, HANDLERS)
    assert get_match(waiting).status == "cancelled"
    assert kinds(waiting) == [("cancelled", id_of(ANN))]
    alarms.ring(at + DAY, HANDLERS)
    assert len(kinds(waiting)) == 1


def test_a_match_that_begins_does_not_lapse(waiting: str) -> None:
    joining.accept(waiting, 1, id_of(EVE), EVE_SAYS, LATER)
    assert open_matches.lapses_at(get_match(waiting)) is None
    assert alarms.armed_at(alarms.LAPSE, waiting) is None
    open_matches.lapse(waiting, LATER)
    assert get_match(waiting).status == "live"


def test_what_is_gone_does_not_lapse(stored: str) -> None:
    open_matches.lapse("nothing", NOW)
    assert letters() == []


# --- for reliable players -------------------------------------------------------------------------


@pytest.mark.parametrize(("in_time", "is_welcome"), [(9, True), (8, False)])
def test_nine_of_ten_turns_make_a_player_reliable(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch, in_time: int, is_welcome: bool
) -> None:
    plan = wanted(addresses={"usa": ANN, "ussr": None}, reliable_only=True)
    match = matches.create(plan, NOW)
    joining.confirmed(sitting.ann, NOW, match)
    known = {sitting.bob: Punctuality(10, in_time, 60)}
    monkeypatch.setattr(punctuality, "of", lambda players, now: known)
    sign_up.ask_to_join(match, BOB, "en", LATER)
    assert kinds(match) == ([("invitation", sitting.bob)] if is_welcome else [])
    says = Joining("Bob", "de", "UTC", "")
    if is_welcome:
        joining.accept(match, 1, sitting.bob, says, LATER)
    else:
        with pytest.raises(Stale, match="no longer free"):
            joining.accept(match, 1, sitting.bob, says, LATER)
    assert (get_match(match).status == "live") == is_welcome


def test_newcomers_are_not_known_to_be_reliable(sitting: Sitting) -> None:
    plan = wanted(addresses={"usa": ANN, "ussr": None}, reliable_only=True)
    match = matches.create(plan, NOW)
    joining.confirmed(sitting.ann, NOW, match)
    for mail in (BOB, EVE):
        sign_up.ask_to_join(match, mail, "en", LATER)
    assert kinds(match) == []
    assert rows("SELECT COUNT(*) FROM player WHERE address = ?", EVE) == [(0,)]


def test_who_is_invited_by_name_need_not_be_known(stored: str) -> None:
    match = matches.create(wanted(reliable_only=True), NOW)
    joining.confirmed(id_of(ANN), NOW)
    joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    assert get_match(match).status == "live"


# --- told to who wants to know --------------------------------------------------------------------


def open_another(now: int, game: str = "iron_curtain") -> str:
    match = matches.create(wanted(game=game, addresses={"usa": ANN, "ussr": None}), now)
    joining.confirmed(id_of(ANN), now, match)
    return match


def alerts() -> list[tuple[int, int]]:
    """Letters about free seats that are owed: to whom, and from when on."""
    return rows("SELECT player_id, next_at FROM outbox WHERE kind = 'seat_alert' ORDER BY id")


def test_one_letter_a_day_tells_of_all_free_seats(waiting: str) -> None:
    eve = id_of(EVE)
    seat_alerts.choose(eve, ["iron_curtain"])
    assert alerts() == [], "who begins to listen has the page"
    open_another(LATER)
    open_another(LATER + 1)
    assert alerts() == [(eve, LATER)]
    execute("UPDATE outbox SET state = 'sent' WHERE kind = 'seat_alert'")
    open_another(LATER + 2)
    open_another(LATER + 3)
    tomorrow = (NOW // DAY + 1) * DAY
    assert alerts() == [(eve, LATER), (eve, tomorrow)]


def test_other_games_the_host_and_who_is_kept_out_hear_nothing(waiting: str) -> None:
    seat_alerts.choose(id_of(EVE), ["east_and_west"])
    seat_alerts.choose(id_of(ANN), ["iron_curtain"])
    seat_alerts.choose(id_of(BOB), ["iron_curtain"])
    blocks.block(id_of(BOB), id_of(ANN), NOW)
    open_another(LATER)
    assert alerts() == []


def test_a_match_for_invited_people_is_no_news(waiting: str) -> None:
    seat_alerts.choose(id_of(EVE), ["iron_curtain"])
    match = matches.create(wanted(), LATER)
    joining.confirmed(id_of(ANN), LATER, match)
    assert alerts() == []


def test_a_private_match_alerts_nobody(waiting: str) -> None:
    seat_alerts.choose(id_of(EVE), ["iron_curtain"])
    free = {"usa": ANN, "ussr": None}
    match = matches.create(wanted(visibility="private", addresses=free), LATER)
    joining.confirmed(id_of(ANN), LATER, match)
    assert alerts() == []


def test_fewer_letters_means_these_too(waiting: str) -> None:
    seat_alerts.choose(id_of(EVE), ["iron_curtain", "east_and_west"])
    accounts.mute(id_of(EVE))
    assert SeatAlert.select().count() == 0


def test_its_link_stops_these_letters_and_no_others() -> None:
    assert registry.stop_of("seat_alert") == "hush"
    assert {registry.stop_of(kind) for kind in registry.KINDS if kind != "seat_alert"} == {"mute"}
