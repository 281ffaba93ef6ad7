"""Once more: asked for, agreed to, declined; the sides are swapped and nobody confirms anything."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, rows
from pbem.errors import Refused, Stale, TooOften
from pbem.services.agreements import rematches
from pbem.services.letters import outbox
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.players import bans, blocks
from pbem.services.records.match_rows import VISIBILITIES, MatchRecord, get_match
from pbem.services.records.player_rows import get_player
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.services.people import ANN, NOW, Sitting, id_of, letters, wanted
from tests.services.powers import UK, USA, USSR, WE, address_of, four_people

LATER = NOW + 100


@pytest.fixture
def over(sitting: Sitting) -> Sitting:
    """Bob (USSR) has resigned."""
    matches.resign(sitting.match, 1, NOW + 50)
    return sitting


def test_one_asks_and_the_other_agrees_and_it_begins_with_the_sides_swapped(over: Sitting) -> None:
    new = rematches.ask(over.match, 0, "ann again", LATER)
    assert letters(new) == [("invitation", over.bob, 0)]
    assert get_match(new).status == "forming"
    assert rematches.ask(over.match, 1, "bob again", LATER + 1) == new
    begun = get_match(new)
    assert begun.status == "live"
    assert [seat.player for seat in begun.seats] == [over.bob, over.ann]
    assert [seat.phrase for seat in begun.seats] == ["bob again", "ann again"]
    assert "confirm" not in [kind for kind, _, _ in letters(new)]
    assert begun.rematch_of == over.match


def test_the_match_is_as_it_was_but_for_the_sides(over: Sitting) -> None:
    before = get_match(over.match)
    new = get_match(rematches.ask(over.match, 1, "", LATER))
    assert (new.game_name, new.setup, new.clock, new.pace) == (
        *(before.game_name, before.setup, before.clock, before.pace),
    )
    assert new.commitment != before.commitment
    assert not new.listed


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_who_may_watch_stays_as_it_was_agreed(over: Sitting, visibility: str) -> None:
    execute("UPDATE match SET visibility = ? WHERE id = ?", visibility, over.match)
    assert get_match(rematches.ask(over.match, 1, "", LATER)).visibility == visibility


def test_the_link_of_the_letter_agrees_too(over: Sitting) -> None:
    new = rematches.ask(over.match, 0, "", LATER)
    bob = get_player(over.bob)
    says = Joining(bob.name, bob.language, bob.zone, "")
    joining.accept(new, 0, over.bob, says, LATER)
    assert get_match(new).status == "live"
    assert rematches.prospect(get_match(over.match), 0).state == rematches.BEGUN
    assert rematches.ask(over.match, 0, "", LATER) == new


def test_asking_twice_asks_once(over: Sitting) -> None:
    new = rematches.ask(over.match, 0, "", LATER)
    assert rematches.ask(over.match, 0, "", LATER + 1) == new
    assert rows("SELECT COUNT(*) FROM match WHERE rematch_of IS NOT NULL") == [(1,)]
    assert len(letters(new)) == 1
    assert rematches.prospect(get_match(over.match), 0).state == rematches.ASKED
    assert rematches.prospect(get_match(over.match), 1).state == rematches.INVITING


def test_who_was_declined_cannot_ask_again_and_who_declined_can(over: Sitting) -> None:
    new = rematches.ask(over.match, 0, "", LATER)
    rematches.decline(over.match, 1, LATER + 1)
    assert get_match(new).status == "cancelled"
    assert letters(new)[-1] == ("declined", over.ann, 1)
    with pytest.raises(Stale, match="declined"):
        rematches.ask(over.match, 0, "", LATER + 2)
    with pytest.raises(Stale, match="nobody is asking"):
        rematches.decline(over.match, 1, LATER + 2)
    another = rematches.ask(over.match, 1, "", LATER + 3)
    assert another != new
    rematches.ask(over.match, 0, "", LATER + 4)
    assert get_match(another).status == "live"


def test_only_what_is_over_is_played_again(sitting: Sitting) -> None:
    with pytest.raises(Stale, match="cannot be played again"):
        rematches.ask(sitting.match, 0, "", LATER)
    matches.cancel(sitting.match, "moderator", LATER)
    with pytest.raises(Stale, match="cannot be played again"):
        rematches.ask(sitting.match, 0, "", LATER)


def test_who_is_kept_out_asks_for_nothing(over: Sitting) -> None:
    bans.ban(get_player(over.ann), NOW)
    with pytest.raises(Refused):
        rematches.ask(over.match, 0, "", LATER)
    assert rematches.find(over.match) is None


def test_asking_and_withdrawing_has_an_end(over: Sitting) -> None:
    for times in range(3):
        new = rematches.ask(over.match, 0, "", LATER + times)
        matches.cancel(new, "", LATER + times)
    with pytest.raises(TooOften):
        rematches.ask(over.match, 0, "", LATER + 3)


@pytest.fixture
def with_an_heir(stored: str) -> MatchRecord:
    """A match of four that is over, in which Cy (UK) has played Western Europe too."""
    match = four_people()
    matches.resign(match, WE, NOW)  # an ally plays on with it
    matches.resign(match, USSR, NOW)
    over = get_match(match)
    assert over.status == "over" and over.seat(WE).player == over.seat(UK).player
    return over


def people_of(match: str) -> list[int | None]:
    return [seat.player for seat in get_match(match).seats]


def test_a_person_with_two_seats_asks_for_both(with_an_heir: MatchRecord) -> None:
    ann, cy, _, dee = (seat.player for seat in with_an_heir.seats)
    new = rematches.ask(with_an_heir.id, UK, "", LATER)
    assert people_of(new) == [dee, ann, cy, cy]
    assert [seat.status for seat in get_match(new).seats][UK:] == ["joined", "joined"]
    for number in (USSR, USA):
        rematches.ask(with_an_heir.id, number, "", LATER)
    assert get_match(new).status == "live"


def test_a_person_with_two_seats_gets_one_letter_and_says_yes_once(
    with_an_heir: MatchRecord,
) -> None:
    ann, cy, _, dee = (seat.player for seat in with_an_heir.seats)
    new = rematches.ask(with_an_heir.id, USSR, "", LATER)
    assert [(kind, player) for kind, player, _ in letters(new)] == [
        *(("invitation", dee), ("invitation", cy)),
    ]
    states = [rematches.prospect(with_an_heir, number).state for number in (WE, UK)]
    assert states == [rematches.INVITING] * 2
    rematches.ask(with_an_heir.id, WE, "cy again", LATER)
    states = [rematches.prospect(with_an_heir, number).state for number in (WE, UK)]
    assert states == [rematches.ASKED] * 2
    rematches.ask(with_an_heir.id, USA, "", LATER)
    assert get_match(new).status == "live"
    assert [seat.phrase for seat in get_match(new).seats] == ["", "", "cy again", "cy again"]


def test_the_letter_names_both_seats(with_an_heir: MatchRecord) -> None:
    rematches.ask(with_an_heir.id, USSR, "", LATER)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, LATER)
    (letter,) = [
        letter
        for letter in bag.letters
        if letter["X-PBEM-Kind"] == "invitation" and address_of("uk") in letter["To"]
    ]
    for words in (text_of(letter), html_of(letter)):
        assert "You play United Kingdom and USA." in words


def test_a_person_with_two_seats_declines_once(with_an_heir: MatchRecord) -> None:
    new = rematches.ask(with_an_heir.id, USSR, "", LATER)
    rematches.decline(with_an_heir.id, UK, LATER)
    assert [seat.status for seat in get_match(new).seats] == [
        *("invited", "joined", "declined", "declined"),
    ]
    assert rematches.prospect(with_an_heir, WE).state == rematches.REFUSED


@pytest.mark.parametrize("given_up", [(WE,), (WE, WE), (USA,), (WE, UK)], ids=str)
def test_nobody_plays_against_himself(stored: str, given_up: tuple[int, ...]) -> None:
    match = four_people()
    for number in given_up:
        matches.resign(match, number, NOW)
    matches.resign(match, USSR, NOW)
    new = get_match(rematches.ask(match, USSR, "", LATER))
    ussr, *nato = (seat.player for seat in new.seats)
    assert ussr not in nato
    assert {ussr, *nato} == set(people_of(match))


def test_two_people_at_four_powers_change_sides(stored: str) -> None:
    match = four_people()
    for number in (WE, USA, USSR):
        matches.resign(match, number, NOW)
    ann, cy, *others = people_of(match)
    assert others == [cy, cy]
    new = rematches.ask(match, UK, "", LATER)
    assert people_of(new) == [cy, ann, ann, ann]
    assert [kind for kind, _, _ in letters(new)] == ["invitation"]
    rematches.ask(match, USSR, "", LATER)
    assert get_match(new).status == "live"


def test_four_people_move_on_by_one_seat_when_all_have_agreed(stored: str) -> None:
    match = four_people()
    matches.resign(match, USSR, NOW)
    before = get_match(match)
    assert before.status == "over"
    new = rematches.ask(match, USSR, "", LATER)
    for number in (WE, UK):
        rematches.ask(match, number, "", LATER)
    assert get_match(new).status == "forming"
    rematches.ask(match, USA, "", LATER)
    begun = get_match(new)
    assert begun.status == "live"
    people = [seat.player for seat in before.seats]
    assert [seat.player for seat in begun.seats] == [people[-1], *people[:-1]]


def test_a_rematch_with_computers_begins_at_once(stored: str) -> None:
    machines = frozenset(("we", "uk", "usa"))
    plan = wanted(
        game="east_and_west",
        addresses={"ussr": ANN},
        machines=machines,
        creator=None,
        name="",
        phrase="",
    )
    match = matches.create(plan, NOW)
    joining.accept(match, USSR, id_of(ANN), Joining("Ann", "en", "UTC", ""), NOW)
    matches.resign(match, USSR, NOW)
    new = get_match(rematches.ask(match, USSR, "", LATER))
    assert new.status == "live"
    assert [seat.status for seat in new.seats] == ["machine", "joined", "machine", "machine"]


def test_one_of_four_who_declines_is_out_and_the_others_wait_on(stored: str) -> None:
    match = four_people()
    matches.resign(match, USSR, NOW)
    new = rematches.ask(match, USSR, "", LATER)
    rematches.decline(match, WE, LATER)
    states = [rematches.prospect(get_match(match), number).state for number in range(4)]
    assert states == [rematches.ASKED, rematches.REFUSED, rematches.INVITING, rematches.INVITING]
    with pytest.raises(Stale, match="declined"):
        rematches.ask(match, WE, "", LATER)
    assert rematches.find(match) == get_match(new)


def test_a_rematch_asked_by_somebody_blocked_is_not_seen_and_the_asker_sees_no_trace(
    over: Sitting,
) -> None:
    blocks.block(over.bob, over.ann, NOW)
    rematches.ask(over.match, 0, "", LATER)
    assert rematches.prospect(get_match(over.match), 0).state == rematches.ASKED
    assert rematches.prospect(get_match(over.match), 1) == (rematches.IMPOSSIBLE, None)
    with pytest.raises(Stale, match="cannot be played again"):
        rematches.ask(over.match, 1, "", LATER)


def test_a_rematch_that_has_begun_is_seen_whoever_was_blocked_since(over: Sitting) -> None:
    rematches.ask(over.match, 0, "", LATER)
    rematches.ask(over.match, 1, "", LATER)
    blocks.block(over.bob, over.ann, LATER)
    assert rematches.prospect(get_match(over.match), 1).state == rematches.BEGUN
