"""Signs of one person in two seats: shown with their kind, and only where there are some."""

from __future__ import annotations

from pbem.db.store import execute, rows, writing
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.moderation import same_person_hints
from pbem.services.moderation.same_person_hints import SeatsHint
from pbem.services.players import accounts, devices
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from pbem.services.self_service import address_changes
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of, wanted
from tests.services.waiting import confirm_address

BROWSER, OTHER = "b" * 43, "o" * 43


def test_two_strangers_have_nothing_in_common(sitting: Sitting) -> None:
    devices.note(sitting.ann, BROWSER, NOW)
    devices.note(sitting.bob, OTHER, NOW)

    assert same_person_hints.of_match(get_match(sitting.match)) == []
    assert same_person_hints.of_player(sitting.ann) == []


def test_one_browser_in_both_seats_is_a_sign(sitting: Sitting) -> None:
    devices.note(sitting.ann, BROWSER, NOW)
    devices.note(sitting.bob, BROWSER, NOW + 5)
    devices.note(sitting.bob, OTHER, NOW + 9)

    assert same_person_hints.of_match(get_match(sitting.match)) == [
        SeatsHint((0, 1), (sitting.ann, sitting.bob), "device", NOW + 5)
    ]
    ((one),) = same_person_hints.of_player(sitting.bob)
    assert (one.player, one.address, one.sign, one.at) == (sitting.ann, ANN, "device", NOW + 5)


def test_one_address_in_two_spellings_is_a_sign(stored: str) -> None:
    one, other = "a.nn@gmail.com", "ann+2@googlemail.com"
    match = matches.create(
        wanted(creator=one, addresses={"usa": one, "ussr": other}, phrase=""), NOW
    )
    assert same_person_hints.of_match(get_match(match)) == [
        SeatsHint((0, 1), (id_of(one), id_of(other)), "address", NOW)
    ]
    assert [alike.player for alike in same_person_hints.of_player(id_of(one))] == [id_of(other)]


def test_who_has_held_a_seat_counts_too(sitting: Sitting) -> None:
    loan = stand_ins.lend(sitting.match, 1, NOW, NOW + DAY, EVE, NOW)
    stand_ins.accept(loan, id_of(EVE), NOW)
    stand_ins.give_back(sitting.match, 1, NOW + 1)
    devices.note(id_of(EVE), BROWSER, NOW)
    devices.note(sitting.ann, BROWSER, NOW)

    (both,) = same_person_hints.of_match(get_match(sitting.match))
    assert both.seats == (0, 1)
    assert set(both.players) == {sitting.ann, id_of(EVE)}


def test_players_who_never_met_are_named_on_their_pages_alone(sitting: Sitting) -> None:
    with writing():
        eve = accounts.known_or_new(EVE, NOW).id
    devices.note(eve, BROWSER, NOW)
    devices.note(sitting.ann, BROWSER, NOW)

    assert same_person_hints.of_match(get_match(sitting.match)) == []
    assert [one.player for one in same_person_hints.of_player(eve)] == [sitting.ann]


def test_the_other_address_of_a_player_is_no_sign(sitting: Sitting) -> None:
    with writing():
        bob = get_player(sitting.bob)
        change = address_changes.ask(bob, "bob+games@example.org", "asked for", NOW)
    confirm_address(change, NOW)

    assert same_person_hints.of_player(sitting.bob) == []
    assert same_person_hints.of_player(id_of(BOB)) == []


def test_a_browser_is_kept_as_a_hash_once_and_for_four_hundred_days(sitting: Sitting) -> None:
    for at in (NOW, NOW + DAY):
        devices.note(sitting.ann, BROWSER, at)
    ((player, digest, first, last),) = rows(
        "SELECT player_id, digest, first_at, last_at FROM device"
    )
    assert (player, first, last) == (sitting.ann, NOW, NOW + DAY)
    assert BROWSER not in digest
    assert devices.prune(NOW + DAY + devices.LASTS - 1) == 0
    assert devices.prune(NOW + DAY + devices.LASTS) == 1
    assert devices.times_of(sitting.ann) == []


def test_only_what_we_have_made_is_a_token() -> None:
    assert devices.is_token(devices.new_token())
    assert devices.new_token() != devices.new_token()
    for text in ("", "x", "x" * 44, "x" * 42 + "!", "x" * 43 + "\n"):
        assert not devices.is_token(text)


def test_names_make_nobody_alike(sitting: Sitting) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW)
    joining.confirmed(sitting.ann, NOW, match)
    joining.accept(match, 1, id_of(EVE), Joining("Anna", "en", "UTC", ""), NOW)
    execute("UPDATE player SET name = 'Ann'")  # as it could be before names had to differ
    assert same_person_hints.of_match(get_match(match)) == []
