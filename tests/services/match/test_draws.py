"""Draws among several: who has to agree, who is told what, what ends an offer."""

from __future__ import annotations

import pytest

from pbem.errors import Stale
from pbem.services.letters import outbox
from pbem.services.match import matches, turns
from pbem.services.operations import machine_players
from pbem.services.records.match_rows import LIVE, OVER, get_match
from pbem.services.seats import draw_offers, stand_ins
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import NOW, Sitting, id_of, turn_of
from tests.services.powers import UK, USA, USSR, WE, address_of, four_people
from tests.services.waiting import hand_over, kinds, newest_letter


@pytest.fixture
def match(stored: str) -> str:
    made = four_people()
    hand_over(NOW)
    return made


def play_on(match: str) -> None:
    """Whoever is asked plays until somebody else is."""
    seat = turn_of(match).seat
    while turn_of(match).seat == seat:
        turns.submit(turn_of(match).id, ["done"], NOW)


def agreed(match: str) -> list[int]:
    return [seat.number for seat in draw_offers.draw_offer(get_match(match)).agreed]


def told() -> dict[str, str]:
    """The newest letter of each reader, in one line."""
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW + 10)
    return {
        letter["To"].addresses[0].username: " ".join(text_of(letter).split())
        for letter in bag.letters
        if letter["X-PBEM-Kind"] == "message"
    }


def test_a_draw_needs_everybody(match: str) -> None:
    for number in (USSR, WE, UK):
        assert not matches.offer_draw(match, number, NOW)
        assert get_match(match).status == LIVE
    assert matches.offer_draw(match, USA, NOW)
    assert (get_match(match).status, get_match(match).result) == (OVER, "draw")


def test_each_is_told_who_offers_and_who_is_missing(match: str) -> None:
    matches.offer_draw(match, USSR, NOW)
    letters = told()
    assert letters.keys() == {"we", "uk", "usa"}
    assert "Ann (USSR) offers a draw in your match of East & West." in letters["we"]
    missing = "Everyone has to agree to a draw. Not heard from yet: "
    assert f"{missing}Cy (United Kingdom) and Dee (USA)." in letters["we"]
    assert "Accept the draw: https:" in letters["we"] and "Decline it" in letters["we"]

    matches.offer_draw(match, WE, NOW + 1)
    letters = told()
    assert letters.keys() == {"ussr", "uk", "usa"}
    assert "Bob (Western Europe) agrees to a draw in your match of East & West" in letters["ussr"]
    assert "Accept or decline" not in letters["ussr"]
    assert "Ann (USSR) and Bob (Western Europe) offer a draw in your match" in letters["uk"]
    assert f"{missing}Dee (USA)." in letters["uk"]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("de", "Ann (UdSSR) bietet", "Ann (UdSSR) und Bob (Westeuropa) bieten"),
        ("fr", "Ann (URSS) propose", "Ann (URSS) et Bob (Europe de l'Ouest) proposent"),
    ],
)
def test_one_offers_and_several_offer_in_every_language(
    stored: str, language: str, one: str, many: str
) -> None:
    match = four_people(languages=("en", "en", language, "en"))
    matches.offer_draw(match, USSR, NOW)
    assert one in told()["uk"]
    matches.offer_draw(match, WE, NOW + 1)
    assert many in told()["uk"]


def test_the_turn_letter_says_who_offers_a_draw(match: str) -> None:
    for number in (USSR, UK):
        matches.offer_draw(match, number, NOW)
    play_on(match)
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW + 10)
    (letter,) = [one for one in bag.letters if one["X-PBEM-Kind"] == "turn"]
    said = " ".join(text_of(letter).split())
    assert "Ann (USSR) and Cy (United Kingdom) offer a draw. Accept the draw: https:" in said


def test_who_has_agreed_may_play_on(match: str) -> None:
    for number in (USSR, WE):
        matches.offer_draw(match, number, NOW)
    play_on(match)
    play_on(match)
    assert agreed(match) == [USSR, WE]
    play_on(match)
    assert agreed(match) == [], "the United Kingdom has not agreed, and plays on"


def test_who_wanted_a_draw_is_told_who_did_not(match: str) -> None:
    for number in (WE, UK):
        matches.offer_draw(match, number, NOW)
    told()
    play_on(match)
    letters = told()
    assert letters.keys() == {"we", "uk"}
    assert "Ann (USSR) has declined the draw in your match of East & West." in letters["uk"]


def test_a_draw_is_declined_by_a_word(match: str) -> None:
    matches.offer_draw(match, WE, NOW)
    told()
    matches.decline_draw(match, USA, NOW)
    assert agreed(match) == []
    letters = told()
    assert letters.keys() == {"we"}
    assert "Dee (USA) has declined the draw" in letters["we"]
    with pytest.raises(Stale, match="nobody offers a draw any more"):
        matches.decline_draw(match, USA, NOW)


def test_nobody_declines_the_own_offer(match: str) -> None:
    matches.offer_draw(match, WE, NOW)
    with pytest.raises(Stale):
        matches.decline_draw(match, WE, NOW)
    assert agreed(match) == [WE]


def test_who_has_agreed_and_accepts_again_writes_to_nobody(match: str) -> None:
    for number in (WE, USA):
        matches.offer_draw(match, number, NOW)
    before = newest_letter()
    assert not matches.accept_draw(match, USA, NOW + 1)
    assert kinds(before) == []
    assert agreed(match) == [WE, USA]


def test_of_two_who_declines_by_a_word_says_so(sitting: Sitting) -> None:
    matches.offer_draw(sitting.match, 0, NOW)
    before = newest_letter()
    matches.decline_draw(sitting.match, 1, NOW)
    assert kinds(before) == ["message"]


def test_who_holds_two_seats_has_one_voice(match: str) -> None:
    """Bob gives up, and Cy plays Western Europe beside the United Kingdom."""
    stand_ins.hand_over(match, WE, id_of(address_of("uk")), NOW)
    hand_over(NOW)
    before = newest_letter()
    matches.offer_draw(match, USSR, NOW)
    assert len(kinds(before)) == 2, "one to Cy, one to Dee"
    matches.offer_draw(match, UK, NOW)
    play_on(match)
    play_on(match)
    assert agreed(match) == [USSR, UK], "Cy has played on as Western Europe, and agreed before"
    assert matches.offer_draw(match, USA, NOW)


def test_a_machine_is_not_asked_and_declines_nothing(stored: str) -> None:
    match = four_people(machines=frozenset({"we"}))
    matches.offer_draw(match, UK, NOW)
    matches.offer_draw(match, USSR, NOW)
    play_on(match)
    machine_players.play_all(lambda: NOW)
    assert agreed(match) == [USSR, UK]
    assert turn_of(match).seat == UK
    assert matches.offer_draw(match, USA, NOW)
