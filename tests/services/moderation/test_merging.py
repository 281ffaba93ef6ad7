"""Two players who are one person become one, with everything, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.db import models
from pbem.db.store import execute, rows
from pbem.errors import Refused
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.moderation import merging, same_person_hints
from pbem.services.moderation.player_acts import Params
from pbem.services.players import accounts, bans, devices
from pbem.services.records import addresses
from pbem.services.records.match_rows import FORMING, LIVE, TurnRecord, get_match, open_turns
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.seats import loans, stand_ins
from pbem.services.time import absences, clocks
from tests.mail.posting import outbox
from tests.services.judging import perform, told
from tests.services.people import ANN, BOB, DAY, EVE, NOW, Sitting, id_of, wanted
from tests.services.waiting import armed, hand_over, kinds, let_merge, newest_letter

BOB2 = "bob@second.example"
LATER = NOW + 60


@pytest.fixture
def second(sitting: Sitting) -> int:
    """Bob's second self plays Eve, and is invited by Ann elsewhere."""
    match = matches.create(
        wanted(creator=EVE, addresses={"usa": EVE, "ussr": BOB2}, phrase=""), NOW - DAY
    )
    joining.confirmed(id_of(EVE), NOW, match)
    joining.accept(match, 1, id_of(BOB2), Joining("Robert", "fr", "UTC", ""), NOW)
    invited = matches.create(wanted(addresses={"usa": ANN, "ussr": BOB2}), NOW)
    joining.confirmed(sitting.ann, NOW, invited)
    hand_over(NOW)
    return id_of(BOB2)


def merge(sitting: Sitting, other: int) -> None:
    """Asked for, and waited for."""
    perform(sitting.bob, "merge", Params(other=other), LATER)
    let_merge(other, LATER)


def test_everything_that_names_one_player_names_the_other(sitting: Sitting, second: int) -> None:
    own = matches.create(wanted(creator=BOB2, addresses={"usa": BOB2, "ussr": None}), NOW)
    joining.confirmed(second, NOW, own)
    third = matches.create(wanted(addresses={"usa": ANN, "ussr": EVE}), NOW)
    joining.confirmed(sitting.ann, NOW, third)
    joining.accept(third, 1, id_of(EVE), Joining("Eve", "en", "UTC", ""), NOW)
    stand_ins.lend(third, 1, NOW, NOW + DAY, BOB2, NOW)
    devices.note(second, "s" * 43, NOW)
    absences.book(second, NOW + DAY, NOW + 2 * DAY, NOW)

    merge(sitting, second)

    for field in merging.references():
        if field.model is not models.Outbox:
            assert not field.model.select().where(field == second).exists(), field
    assert outbox("kind", "player_id = ?", second) == ["account"]
    assert rows("SELECT player_id FROM device") == [(sitting.bob,)]
    assert [one.player for one in absences.of(sitting.bob)] == [sitting.bob]
    assert get_match(own).creator == sitting.bob
    assert [loan.stand_in for loan in loans.concerning(sitting.bob)] == [sitting.bob]


def test_every_column_that_names_a_player_is_looked_after() -> None:
    named = {
        (model, field.name)
        for model in models.TABLES
        for field, other in model._meta.refs.items()
        if other is models.Player
    }
    apart = {(model, name) for model, name in named if model in merging.MOVED_APART}

    assert {(field.model, field.name) for field in merging.references()} == named - apart
    assert {model for model, _ in apart} == set(merging.MOVED_APART)
    seat, match, loan = models.MatchSeat, models.Match, models.Loan
    assert {(seat, "player"), (match, "creator"), (loan, "owner")} <= named


def test_seats_have_new_links_and_letters_go_to_who_stays(sitting: Sitting, second: int) -> None:
    (match, invited) = [
        match.id
        for match in reversed(matches.matches_of(second))
        if match.status in (LIVE, FORMING)
    ]
    before, newest = get_match(match), newest_letter()
    own = get_match(sitting.match)
    execute("UPDATE outbox SET state = 'queued', mime = ? WHERE match_id = ?", b"To: 2", match)
    merge(sitting, second)

    seat = get_match(match).seat(1)
    assert (seat.player, get_match(match).status) == (sitting.bob, LIVE)
    assert seat.epoch > before.seat(1).epoch
    assert get_match(match).seat(0) == before.seat(0)
    assert get_match(sitting.match) == own
    (turn,) = open_turns(match)
    fresh = outbox("kind, player_id, match_id, turn", "id > ? AND kind <> 'account'", newest)
    expected: list[tuple[Any, ...]] = [("invitation", sitting.bob, invited, None)]
    if turn.seat == 1:
        expected.append(("turn", sitting.bob, match, turn.id))
    assert sorted(fresh) == sorted(expected)
    states = outbox("state", "match_id = ? AND player_id = ?", match, sitting.bob)
    assert set(states) == {"superseded", *(["queued"] if turn.seat == 1 else [])}


def test_both_addresses_are_told_and_neither_learns_the_other(
    sitting: Sitting, second: int
) -> None:
    """When it is asked for, and when it is done."""
    for step in (
        lambda: perform(sitting.bob, "merge", Params(other=second), LATER),
        lambda: let_merge(second, LATER),
    ):
        before = newest_letter()
        step()
        read = told(before)
        assert [one["player"] for one in read] == [sitting.bob, second]
        assert read[0]["words"] == read[1]["words"]
        assert read[0]["words"]["params"]["live"] == 1
        assert read[0]["words"]["params"]["matches"] == 2
        assert "example" not in str(read)


def test_the_row_that_goes_keeps_only_its_address(sitting: Sitting, second: int) -> None:
    old = get_player(second)
    merge(sitting, second)
    gone, kept = get_player(second), get_player(sitting.bob)

    assert (gone.address, gone.name, gone.confirmed_at) == (BOB2, "", None)
    assert gone.epoch > old.epoch
    assert (kept.name, kept.address, kept.language) == ("Bob", BOB, "de")
    assert kept.created_at == old.created_at < NOW
    assert same_person_hints.of_player(sitting.bob) == []
    with pytest.raises(Refused, match="nothing to merge"):
        merge(sitting, second)


def test_absences_that_overlap_become_one(sitting: Sitting, second: int) -> None:
    for player, start, end in [
        (sitting.bob, 1, 3),
        (second, 2, 5),
        (second, 7, 8),
        (sitting.bob, 10, 11),
    ]:
        absences.book(player, NOW + start * DAY, NOW + end * DAY, NOW)
    merge(sitting, second)

    spans = [((one.start - NOW) // DAY, (one.end - NOW) // DAY) for one in absences.of(sitting.bob)]
    assert spans == [(1, 5), (7, 8), (10, 11)]


def test_running_turns_end_no_earlier(sitting: Sitting, second: int) -> None:
    (own,) = _running(sitting.bob)
    (other,) = _running(second)
    absences.book(second, NOW + DAY // 2, NOW + DAY, NOW)
    merge(sitting, second)
    after = {turn.id: turn.deadline_at for turn in _running(sitting.bob)}

    assert after.keys() == {own.id, other.id}
    assert after[own.id] == own.deadline_at + DAY // 2
    assert after[other.id] == other.deadline_at + DAY // 2
    assert armed().keys() >= {str(turn) for turn in after}


def _running(*players: int) -> list[TurnRecord]:
    return [turn for player in players for turn in clocks.running_turns(player)]


def test_a_browser_of_both_is_one(sitting: Sitting, second: int) -> None:
    for player in (sitting.bob, second):
        devices.note(player, "b" * 43, NOW)
    devices.note(second, "c" * 43, NOW)
    assert [one.sign for one in same_person_hints.of_player(sitting.bob)] == ["device"]
    merge(sitting, second)

    assert len(devices.times_of(sitting.bob)) == 2
    assert devices.times_of(second) == []


def test_a_ban_of_one_is_a_ban_of_both(sitting: Sitting, second: int) -> None:
    perform(second, "ban")
    merge(sitting, second)
    assert bans.is_banned(sitting.bob)
    assert not bans.is_banned(second)


def test_turns_count_for_who_stays(sitting: Sitting, second: int) -> None:
    """Punctuality is reckoned from the letters that told of turns."""
    of_both = outbox("turn", "kind = 'turn' AND player_id IN (?, ?)", sitting.bob, second)
    merge(sitting, second)

    assert len(of_both) >= 2
    assert set(of_both) <= set(outbox("turn", "kind = 'turn' AND player_id = ?", sitting.bob))


# --- what is refused ------------------------------------------------------------------------------


def test_who_sits_in_one_match_twice_stays_two(sitting: Sitting) -> None:
    for match_state in ("live", "over"):
        before = newest_letter()
        with pytest.raises(Refused, match=f"both are or were involved in match {sitting.match}"):
            merge(sitting, sitting.ann)
        assert newest_letter() == before
        if match_state == "live":
            matches.resign(sitting.match, 0, NOW)


def test_who_has_stood_in_against_the_other_stays_two(sitting: Sitting, second: int) -> None:
    loan = stand_ins.lend(sitting.match, 0, NOW, NOW + DAY, BOB2, NOW)
    stand_ins.accept(loan, second, NOW)
    stand_ins.give_back(sitting.match, 0, NOW + 1)
    with pytest.raises(Refused, match="both are or were involved"):
        merge(sitting, second)


def test_one_player_is_not_two(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="these are the same player"):
        merge(sitting, sitting.bob)
    with pytest.raises(Refused, match="no such player"):
        merge(sitting, 999)


def test_an_address_that_was_never_confirmed_does_not_stay(sitting: Sitting, second: int) -> None:
    execute("UPDATE player SET confirmed_at = NULL WHERE id = ?", sitting.bob)
    with pytest.raises(Refused, match="never confirmed"):
        merge(sitting, second)


def test_the_address_that_went_can_be_used_anew(sitting: Sitting, second: int) -> None:
    merge(sitting, second)
    match = matches.create(wanted(creator=None, addresses={"usa": ANN, "ussr": BOB2}), LATER)

    assert get_match(match).seat(1).player == second
    assert addresses.state_of(sitting.bob).arrival == "fine"
    assert accounts.known_or_new(BOB2, LATER) == player_at(BOB2)
    assert kinds()[-1] == "invitation"
