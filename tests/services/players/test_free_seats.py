"""Free seats of ordinary matches: the computer takes them when all who sit there agree."""

from __future__ import annotations

import pytest

from engine.registry import GAMES
from pbem.db.store import rows
from pbem.errors import Refused, Stale, TooOften
from pbem.services.letters import outbox
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.players import accounts
from pbem.services.records.match_rows import FORMING, LIVE, MACHINE, OPEN, get_match
from pbem.services.self_service import free_seats
from tests.kit.quartet import Quartet
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import ANN, BOB, NOW, id_of, wanted
from tests.services.waiting import kinds, newest_letter


def formed(with_bob: bool = True) -> str:
    """Ann has started a match for four, Bob may have joined, the rest is open."""
    seats = {"ussr": ANN, "we": BOB if with_bob else None, "uk": None, "usa": None}
    match = matches.create(wanted(game="east_and_west", addresses=seats), NOW)
    joining.confirmed(id_of(ANN), NOW)
    if with_bob:
        joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    return match


def statuses(match: str) -> list[str]:
    return [seat.status for seat in get_match(match).seats]


def test_who_sits_alone_begins_at_once(stored: str) -> None:
    match = formed(with_bob=False)
    assert free_seats.want(match, 0, NOW)
    assert get_match(match).status == LIVE
    assert statuses(match) == ["joined", *[MACHINE] * 3]
    assert not get_match(match).listed


def test_all_who_sit_there_are_asked_and_have_to_agree(stored: str) -> None:
    match, before = formed(), newest_letter()
    assert not free_seats.want(match, 0, NOW)
    assert (get_match(match).status, statuses(match)[2:]) == (FORMING, [OPEN, OPEN])
    assert kinds(before) == ["computer"]
    assert rows("SELECT player_id FROM outbox WHERE kind = 'computer'") == [(id_of(BOB),)]

    assert free_seats.want(match, 1, NOW)
    assert get_match(match).status == LIVE
    assert statuses(match) == ["joined", "joined", MACHINE, MACHINE]


def test_who_is_invited_is_still_waited_for(stored: str) -> None:
    seats = {"ussr": ANN, "we": BOB, "uk": None, "usa": None}
    match = matches.create(wanted(game="east_and_west", addresses=seats), NOW)
    joining.confirmed(id_of(ANN), NOW)
    assert free_seats.want(match, 0, NOW)
    assert get_match(match).status == FORMING
    joining.accept(match, 1, id_of(BOB), Joining("Bob", "en", "UTC", ""), NOW)
    assert get_match(match).status == LIVE


def test_who_joins_after_the_offer_is_asked_at_once(stored: str) -> None:
    match = formed()
    free_seats.want(match, 0, NOW)
    cy, dee = (accounts.known_or_new(f"{who}@example.org", NOW).id for who in ("cy", "dee"))
    before = newest_letter()
    joining.accept(match, 2, cy, Joining("Cy", "en", "UTC", ""), NOW + 1)
    asked = "SELECT player_id FROM outbox WHERE kind = 'computer' AND id > ?"
    assert rows(asked, before) == [(cy,)]

    before = newest_letter()
    joining.accept(match, 3, dee, Joining("Dee", "en", "UTC", ""), NOW + 2)
    assert get_match(match).status == LIVE
    assert rows(asked, before) == [], "no seat is free any more"


def test_who_joins_without_an_offer_is_asked_nothing(stored: str) -> None:
    formed()
    assert "computer" not in kinds()


def test_only_the_host_offers_it_and_only_players_agree(stored: str) -> None:
    match = formed()
    for number in (1, 2):
        with pytest.raises(Refused, match="only players"):
            free_seats.want(match, number, NOW)
    assert statuses(match)[2:] == [OPEN, OPEN]


def test_a_match_that_has_begun_has_no_free_seat(stored: str) -> None:
    match = formed(with_bob=False)
    free_seats.want(match, 0, NOW)
    with pytest.raises(Stale):
        free_seats.want(match, 0, NOW)


def test_a_game_that_the_computer_cannot_play_offers_nothing(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "quartet", Quartet())
    seats = {"north": ANN, "east": None, "south": None, "west": None}
    match = matches.create(wanted(game="quartet", addresses=seats), NOW)
    joining.confirmed(id_of(ANN), NOW)
    assert free_seats.free(get_match(match)) == []


def test_the_host_asks_three_times_a_day(stored: str) -> None:
    match = formed()
    for second in range(3):
        free_seats.want(match, 0, NOW + second)
    with pytest.raises(TooOften):
        free_seats.want(match, 0, NOW + 3)


def test_the_letter_names_the_sides_and_is_not_sent_to_who_has_agreed(stored: str) -> None:
    match = formed()
    free_seats.want(match, 0, NOW)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    (text,) = [text_of(one) for one in bag.letters if "/computer/" in text_of(one)]
    assert "still has free sides: United Kingdom and USA." in " ".join(text.split())

    free_seats.want(match, 0, NOW + 1)
    free_seats.want(match, 1, NOW + 1)
    again = Bag()
    outbox.drain(office_with(again), WORKER, NOW + 2, stopwatch=lambda: 0.0)
    assert not [one for one in again.letters if "/computer/" in text_of(one)]
