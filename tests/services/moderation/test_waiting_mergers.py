"""Mergers wait: who goes has three days to object, for all that is hidden goes along."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, writing
from pbem.deadlines import HOUR
from pbem.errors import Stale
from pbem.services.letters import outbox as office
from pbem.services.match import joining, matches
from pbem.services.moderation import merging, same_person_hints
from pbem.services.moderation.player_acts import ACTS, Params, foresee
from pbem.services.records import audit_log
from pbem.services.records.announcements import unpacked
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes, personal_data
from pbem.services.self_service.address_changes import WAITS, Change
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.services.judging import perform, told
from tests.services.people import BOB, EVE, NOW, Sitting, id_of, wanted
from tests.services.waiting import Days, armed, hand_over, newest_letter

LATER = NOW + HOUR
REFUSED = (
    "UPDATE outbox SET state = 'dead', message_id = 'x', last_error = '550 no such user'"
    " WHERE player_id = ? AND state <> 'superseded'"
)


@pytest.fixture
def eve(sitting: Sitting) -> int:
    """Eve, whose own match waits for somebody; Bob, who plays, shall go into hers."""
    match = matches.create(wanted(creator=EVE, addresses={"usa": EVE, "ussr": None}), NOW)
    joining.confirmed(id_of(EVE), NOW, match)
    hand_over(NOW)
    return id_of(EVE)


def ask(sitting: Sitting, eve: int) -> None:
    """A moderator has Bob go into Eve."""
    perform(eve, "merge", Params(other=sitting.bob), LATER)


def waiting(sitting: Sitting) -> Change:
    change = address_changes.waiting(sitting.bob, LATER)
    assert change is not None
    return change


def holder(sitting: Sitting) -> int | None:
    return get_match(sitting.match).seat(1).player


def test_nothing_goes_before_who_goes_has_had_three_days(sitting: Sitting, eve: int) -> None:
    """From the letter, not from when a moderator pressed: the mail may stand still."""
    days = Days(LATER)
    before = get_player(sitting.bob), get_player(eve), get_match(sitting.match)
    ask(sitting, eve)
    assert (get_player(sitting.bob), get_player(eve), get_match(sitting.match)) == before
    while days.now < LATER + WAITS + 5 * HOUR:
        days.leap()
    assert holder(sitting) == sitting.bob, "its letter has not left yet"
    told_at, newest = days.now, newest_letter()
    hand_over(told_at)
    while holder(sitting) == sitting.bob and days.now < told_at + 2 * WAITS:
        days.leap()

    assert days.now == told_at + WAITS
    assert holder(sitting) == eve
    assert [entry.act for entry in audit_log.newest(2)] == ["merged", "merge"]
    assert {one["player"] for one in told(newest)} == {sitting.bob, eve}
    assert armed("address") == {}


def test_only_the_letter_to_who_goes_can_stop_it(sitting: Sitting, eve: int) -> None:
    """Both read until when; neither learns the address of the other."""
    ask(sitting, eve)
    bag = Bag()
    office.drain(office_with(bag), WORKER, LATER, stopwatch=lambda: 0.0)
    letters = {str(one["To"]): one for one in bag.letters if one["X-PBEM-Kind"] == "account"}
    read = {to: " ".join(text_of(letter).split()) for to, letter in letters.items()}

    assert read.keys() == {BOB, EVE}
    for body in (text_of, html_of):
        assert "/keep/" in body(letters[BOB])
        assert "/keep/" not in body(letters[EVE])
    assert "on Monday, 18 January 2027, 09:00 UTC at the earliest" in read[EVE]
    assert "frühestens am Montag, 18. Januar 2027, 10:00" in read[BOB]
    assert EVE not in str(letters[BOB]) + read[BOB]
    assert BOB not in str(letters[EVE]) + read[EVE]


@pytest.mark.parametrize("by", ["moderator", "player"])
def test_a_merger_is_called_off(sitting: Sitting, eve: int, by: str) -> None:
    before = get_player(sitting.bob), get_player(eve), get_match(sitting.match)
    ask(sitting, eve)
    hand_over(LATER)
    newest = newest_letter()
    change = waiting(sitting)
    if by == "moderator":
        perform(sitting.bob, "keep_apart", now=LATER + WAITS - 1)
    else:
        for _ in range(2):
            address_changes.object_to(sitting.bob, LATER + WAITS - 1)
        assert [entry.act for entry in audit_log.newest(2)] == ["merger_objected", "merge"]
    assert armed("address") == {}
    with writing():
        merging.come_into_force(change.id, LATER + WAITS)

    assert (get_player(sitting.bob), get_player(eve), get_match(sitting.match)) == before
    assert {one["player"] for one in told(newest)} == {
        eve,
        *([sitting.bob] if by == "moderator" else []),
    }
    assert all(unpacked(one["words"]) == address_changes.APART for one in told(newest))
    ask(sitting, eve)
    assert waiting(sitting).id != change.id


def test_an_address_that_refuses_letters_is_not_waited_for(sitting: Sitting, eve: int) -> None:
    """The words say so beforehand, and the log keeps them."""
    execute(REFUSED, sitting.bob)
    newest = newest_letter()
    foreseen = foresee(get_player(eve), ACTS["merge"], Params(other=sitting.bob), LATER)
    ask(sitting, eve)

    assert holder(sitting) == eve
    assert "no waiting period" in foreseen.message
    assert "refuses emails" in audit_log.newest(1)[0].words
    assert [unpacked(one["words"]) for one in told(newest)] == [foreseen] * 2
    assert armed("address") == {}


def test_a_letter_that_is_refused_lets_it_happen_in_time(sitting: Sitting, eve: int) -> None:
    """Nobody could read it; yet nothing happens before the day that was told."""
    days = Days(LATER)
    ask(sitting, eve)
    execute(REFUSED, sitting.bob)
    while holder(sitting) == sitting.bob and days.now < LATER + 2 * WAITS:
        days.leap()

    assert days.now == LATER + WAITS
    assert "refuses emails" in audit_log.newest(1)[0].detail


def test_asked_again_once_letters_are_refused_it_is_done(sitting: Sitting, eve: int) -> None:
    """What was waiting is done then, not called off."""
    ask(sitting, eve)
    with pytest.raises(Stale, match="already waiting"):
        ask(sitting, eve)
    execute(REFUSED, sitting.bob)
    newest = newest_letter()
    ask(sitting, eve)
    assert holder(sitting) == eve
    assert address_changes.APART not in [unpacked(one["words"]) for one in told(newest)]
    Days(LATER + WAITS).tick()
    assert armed("address") == {}


def test_who_meets_in_a_match_meanwhile_stays_two(sitting: Sitting, eve: int) -> None:
    ask(sitting, eve)
    hand_over(LATER)
    change = waiting(sitting)
    match = matches.create(wanted(addresses={"usa": EVE, "ussr": BOB}, creator=EVE), LATER)
    joining.confirmed(eve, LATER, match)
    before, newest = get_match(sitting.match), newest_letter()
    with writing():
        merging.come_into_force(change.id, LATER + WAITS)

    assert get_match(sitting.match) == before
    entry = audit_log.newest(1)[0]
    assert (entry.act, entry.subject) == ("merger_dropped", f"player {sitting.bob}")
    assert f"both are or were involved in match {match}" in entry.detail
    assert {one["player"] for one in told(newest)} == {sitting.bob, eve}
    assert armed("address") == {}


def test_a_newer_wish_takes_the_place_of_a_merger(sitting: Sitting, eve: int) -> None:
    ask(sitting, eve)
    merger = waiting(sitting)
    perform(sitting.bob, "change_address", Params(address="bob@new.example"), LATER)
    hand_over(LATER)
    with writing():
        merging.come_into_force(merger.id, LATER + WAITS)
    assert holder(sitting) == sitting.bob
    assert not waiting(sitting).is_merger


def test_a_merger_that_waits_says_nothing_about_addresses(sitting: Sitting, eve: int) -> None:
    """Who is alike stays so, and what belongs to who stays is left alone."""
    execute("UPDATE player SET plain = 'same' WHERE id IN (?, ?)", sitting.bob, eve)
    ask(sitting, eve)
    kept = get_player(eve)

    assert [one.player for one in same_person_hints.of_player(eve)] == [sitting.bob]
    assert address_changes.others_of(sitting.bob) == []
    assert personal_data.export(sitting.bob)["other_addresses"] == []
    assert address_changes.at(eve) is None
    matches.resign(sitting.match, 1, LATER)
    personal_data.delete(sitting.bob, LATER)
    assert get_player(eve) == kept
    Days(LATER + WAITS).tick()
    assert (get_player(eve), armed("address")) == (kept, {})
