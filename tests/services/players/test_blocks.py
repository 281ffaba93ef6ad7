"""Whom a player wants nothing new to do with: what no longer comes, what goes on as before."""

from __future__ import annotations

import pytest

from pbem.errors import Refused, Stale
from pbem.services.agreements import rematches, takebacks
from pbem.services.match import joining, match_log, matches, messages
from pbem.services.match.joining import Joining
from pbem.services.players import blocks
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import personal_data, sign_up
from tests.services.agreements.test_takebacks import play_a_turn
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, id_of, letters, turn_of, wanted
from tests.services.powers import UK, USA, USSR, WE, four_people

LATER = NOW + 100


@pytest.fixture
def apart(sitting: Sitting) -> Sitting:
    """Ann has blocked Bob while they play."""
    blocks.block(sitting.ann, sitting.bob, NOW)
    return sitting


def test_an_invitation_of_the_blocked_does_not_come(apart: Sitting) -> None:
    plan = wanted(addresses={"usa": BOB, "ussr": ANN}, creator=BOB, name="Bob")
    match = matches.create(plan, LATER)
    joining.confirmed(apart.bob, LATER, match)
    assert [kind for kind, _, _ in letters(match)] == []
    assert get_match(match).status == "forming", "to Bob it looks as if nobody answered"


def test_the_other_way_round_all_goes_on(apart: Sitting) -> None:
    match = matches.create(wanted(), LATER)
    joining.confirmed(apart.ann, LATER, match)
    assert letters(match) == [("invitation", apart.bob, 1)]
    joining.accept(match, 1, apart.bob, Joining("Bob", "de", "UTC", ""), LATER)
    assert get_match(match).status == "live"


def test_the_blocked_cannot_take_a_free_seat(apart: Sitting) -> None:
    match = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), LATER)
    joining.confirmed(apart.ann, LATER, match)
    sign_up.ask_to_join(match, BOB, "en", LATER)
    assert letters(match) == []
    with pytest.raises(Stale, match="this seat is no longer free"):
        joining.accept(match, 1, apart.bob, Joining("Bob", "de", "UTC", ""), LATER)
    sign_up.ask_to_join(match, EVE, "en", LATER)
    assert letters(match) == [("invitation", id_of(EVE), 1)]


def test_a_running_match_is_played_as_before(apart: Sitting) -> None:
    messages.say(apart.match, 1, "Your move", LATER)
    assert [said.text for said in messages.of_match(apart.match, 0)] == ["Your move"]
    play_a_turn(apart.match)
    seat = 1 - turn_of(apart.match).seat
    takebacks.ask(apart.match, seat, LATER)
    takebacks.agree(apart.match, 1 - seat, match_log.public_head(get_match(apart.match)), LATER)
    assert get_match(apart.match).timeline == 1


def test_after_the_end_nothing_comes_from_the_blocked_who_does_not_see_that(apart: Sitting) -> None:
    matches.resign(apart.match, 1, LATER)
    before = len(letters(apart.match))
    messages.say(apart.match, 1, "Read this", LATER + 1)
    assert len(letters(apart.match)) == before
    assert messages.of_match(apart.match, 0) == []
    (own,) = messages.of_match(apart.match, 1)
    assert (own.text, own.heard_by) == ("Read this", frozenset())
    messages.say(apart.match, 0, "Goodbye", LATER + 2)
    assert [said.text for said in messages.of_match(apart.match, 1)] == ["Read this", "Goodbye"]


def test_among_four_only_who_has_blocked_does_not_hear(stored: str) -> None:
    match = four_people()
    record = get_match(match)
    blocks.block(record.seat(UK).player or 0, record.seat(USSR).player or 0, NOW)
    matches.resign(match, USSR, LATER)
    messages.say(match, USSR, "Well played", LATER + 1)
    heard = {seat: len(messages.of_match(match, seat)) for seat in (USSR, WE, UK, USA)}
    assert heard == {USSR: 1, WE: 1, UK: 0, USA: 1}
    (own,) = messages.of_match(match, USSR)
    assert own.heard_by == frozenset(), "it looks like one to all"


def test_a_rematch_asked_for_by_the_blocked_brings_no_letter(apart: Sitting) -> None:
    matches.resign(apart.match, 1, LATER)
    new = rematches.ask(apart.match, 1, "", LATER)
    assert letters(new) == []
    assert rematches.prospect(get_match(apart.match), 1).state == rematches.ASKED


def test_unblocked_all_is_as_before(apart: Sitting) -> None:
    blocks.block(apart.ann, apart.bob, LATER)
    blocks.unblock(apart.ann, apart.bob)
    blocks.unblock(apart.ann, apart.bob)
    assert blocks.shown(apart.ann) == []
    assert not blocks.has_blocked(apart.ann, apart.bob)


def test_nobody_blocks_themselves_or_too_many(
    apart: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="yourself"):
        blocks.block(apart.ann, apart.ann, NOW)
    monkeypatch.setattr(blocks, "MOST", 1)
    with pytest.raises(Refused, match="up to 1 player"):
        blocks.block(apart.ann, apart.bob + 100, NOW)


def test_the_list_is_ones_own_data_and_goes_with_it(apart: Sitting) -> None:
    assert personal_data.export(apart.ann)["blocked"] == [{"name": "Bob", "at": NOW}]
    assert personal_data.export(apart.ann, for_moderator=True)["blocked"] == []
    assert "blocked" not in str(personal_data.export(apart.bob)["blocked"])
    matches.resign(apart.match, 1, LATER)
    personal_data.delete(apart.ann, LATER)
    assert blocks.shown(apart.ann) == []
