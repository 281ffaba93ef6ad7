"""Chapter 2 of RULES.md: setting up a match."""

import pytest

from engine.chance import QuickDice, ScriptedDice
from engine.core import BadSetup, Json, Name
from engine.iron_curtain.board import ChooseFirst, Country, Variant
from engine.iron_curtain.deck import USA, USSR, standard_deck
from engine.iron_curtain.game import variant
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from tests.engine.iron_curtain.tables import GAME, new_match, told, words
from tests.engine.refusals import exactly

SHUFFLED = tuple(reversed(standard_deck().order))


def test_2_1_to_2_5_a_new_match() -> None:
    done = new_match(*SHUFFLED)
    assert done.state == State(
        variant=Variant("en", standard_deck(), False),
        order=SHUFFLED,
        hands=(SHUFFLED[0:5], SHUFFLED[5:10]),
        reserve=SHUFFLED[10:18],
        aftermath=(),
        table=Tableau.of(standard_deck(), [Country("europe", (0, 0), 1, 1)]),
        supplies=(23, 23),
        track=0,
        round=1,
        turn=0,
        first=None,
        scored=(),
        stack=(ChooseFirst(USSR),),
        news=done.events,
    )
    assert GAME.check(done.state) == []


def test_2_1_there_are_two_seats() -> None:
    assert GAME.seats({}) == (USA, USSR)
    assert GAME.name == "iron_curtain"
    assert GAME.title == Name("Iron Curtain", "Eiserner Vorhang", "Iron Curtain")
    assert GAME.rules_version == 1


def test_2_4_the_deal_is_final_and_each_side_hears_of_its_own_cards_only() -> None:
    done = new_match(*SHUFFLED)
    everybody = "Each side is dealt five cards."
    assert done.final
    assert told(done) == [everybody]
    assert told(done, USA) == [
        everybody,
        "You are dealt Chile, Brazil, Cuba, Panama, Nigeria.",
    ]
    assert told(done, USSR) == [
        everybody,
        "You are dealt Zaire, Algeria, South Africa, Vietnam, Japan.",
    ]


def test_2_4_the_deck_is_shuffled_once_as_deck_number_one() -> None:
    asked = []

    class Watched(QuickDice):
        def shuffle(self, items, why):  # type: ignore[no-untyped-def]
            asked.append((tuple(items), why))
            return super().shuffle(items, why)

    start = GAME.new_game({}, Watched(b"seed")).state
    assert asked == [(standard_deck().order, "1")]
    assert sorted(start.order) == sorted(standard_deck().order)
    assert start.order != standard_deck().order


def test_2_5_the_ussr_chooses_who_begins() -> None:
    start = new_match(*SHUFFLED).state
    assert GAME.waiting_on(start) == {USSR}
    assert words(start, USSR) == ["first"]
    assert words(start, USSR, "first") == ["usa", "ussr"]
    assert words(start, USA) == []
    assert GAME.outcome(start) is None


def test_2_1_the_choices_of_a_new_match_begin_with_the_usual_one() -> None:
    values = {choice.name: [value for value, _ in choice.values] for choice in GAME.choices()}
    assert values == {
        "edition": ["en", "de", "fr"],
        "connected": ["off", "on"],
        "deck": ["standard"],
    }
    usual = {name: offered[0] for name, offered in values.items()}
    assert variant(usual) == variant({}) == Variant("en", standard_deck(), False)


def test_2_1_a_choice_other_than_the_usual_one() -> None:
    chosen = {"edition": "de", "connected": "on", "deck": "standard"}
    assert variant(chosen) == Variant("de", standard_deck(), True)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"edition": "pl"}, "no edition 'pl'; there are en, de, fr"),
        ({"connected": True}, "connected is True; it can be on or off"),
        ({"speed": 1, "colour": 2}, "no option colour, speed; there are edition, connected, deck"),
        (
            {"deck": "printed"},
            "deck is 'printed'; it can be 'standard' or the contents of a deck file",
        ),
        ({"edition": ["en"]}, "no edition ['en']; there are en, de, fr"),
    ],
)
def test_2_1_a_setup_that_does_not_fit_is_refused(setup: dict[str, Json], message: str) -> None:
    with pytest.raises(BadSetup, match=exactly(message)):
        GAME.new_game(setup, ScriptedDice(decks=[()]))
