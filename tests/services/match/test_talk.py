"""Words between seats: to all, to the allies, to one; and plans that allies show each other."""

from __future__ import annotations

import pytest

from pbem.db.store import rows
from pbem.errors import Refused
from pbem.services.letters import outbox
from pbem.services.match import messages
from pbem.services.records.match_rows import JOINED, get_match
from pbem.services.seats import changing_hands, open_plans
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import NOW, Sitting, id_of
from tests.services.powers import UK, USA, USSR, WE, four_people


@pytest.fixture
def match(stored: str) -> str:
    return four_people()


def heard(match: str, seat: int) -> list[str]:
    return [said.text for said in messages.of_match(match, seat)]


def to_whom(kind: str) -> set[int]:
    return {seat for (seat,) in rows("SELECT seat FROM outbox WHERE kind = ?", kind)}


@pytest.mark.parametrize(
    ("by", "to", "hear"),
    [
        (WE, "all", {USSR, WE, UK, USA}),
        (WE, "allies", {WE, UK, USA}),
        (USA, "allies", {WE, UK, USA}),
        (WE, "ussr", {USSR, WE}),
        (USSR, "uk", {USSR, UK}),
        (UK, "usa", {UK, USA}),
    ],
)
def test_only_those_hear_it_whom_it_is_for(match: str, by: int, to: str, hear: set[int]) -> None:
    messages.say(match, by, "psst", NOW, to)
    assert {seat for seat in range(4) if heard(match, seat)} == hear
    assert to_whom("message") == hear - {by}


def test_who_has_no_allies_cannot_write_to_them(match: str) -> None:
    with pytest.raises(Refused, match="cannot go to “allies” here; it can go to all, we, uk, usa"):
        messages.say(match, USSR, "psst", NOW, "allies")
    assert heard(match, USSR) == []


@pytest.mark.parametrize("to", ["", "nobody", "ussr", "<b>", "x" * 5_000])
def test_nobody_else_can_be_written_to(match: str, to: str) -> None:
    with pytest.raises(Refused, match="it can go to all"):
        messages.say(match, USSR, "psst", NOW, to)


def test_of_two_the_other_is_meant_anyway(sitting: Sitting) -> None:
    match = get_match(sitting.match)
    assert [one.word for one in messages.addressees(match, 0)] == ["all"]


def test_the_letter_says_whom_it_is_for(match: str) -> None:
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    bag.parcels.clear()
    messages.say(match, USA, "Land in Libya, please", NOW, "allies")
    messages.say(match, USA, "Good luck to all", NOW)
    outbox.drain(office_with(bag), WORKER, NOW + 60, stopwatch=lambda: 0.0)
    letters = {str(letter["To"]): " ".join(text_of(letter).split()) for letter in bag.letters}
    assert sorted(letters) == ["uk@example.org", "ussr@example.org", "we@example.org"]
    assert "Dee (USA) wrote to Western Europe, United Kingdom on" in letters["uk@example.org"]
    assert "Libya" not in letters["ussr@example.org"]
    assert "Good luck to all" in letters["ussr@example.org"]


# --- plans ---------------------------------------------------------------------------------------


def test_plans_are_closed_until_their_owner_opens_them(match: str) -> None:
    assert open_plans.opened_to(get_match(match), UK) == []
    open_plans.open_or_close(match, WE, True)
    found = get_match(match)
    assert [seat.name for seat in open_plans.opened_to(found, UK)] == ["we"]
    assert open_plans.opened_to(found, USSR) == []
    open_plans.open_or_close(match, WE, False)
    assert open_plans.opened_to(get_match(match), UK) == []


def test_who_stands_alone_opens_nothing(match: str) -> None:
    with pytest.raises(Refused, match="no allies in this match"):
        open_plans.open_or_close(match, USSR, True)


def test_whoever_takes_a_seat_over_opens_the_plans_anew(match: str) -> None:
    open_plans.open_or_close(match, WE, True)
    changing_hands.put_into_seat(get_match(match), WE, id_of("uk@example.org"), JOINED, NOW)
    assert not get_match(match).seat(WE).is_open_to_allies
