"""Chapter 10 of RULES.md: where the printed editions differ."""

import pytest

from engine.core import Language
from engine.iron_curtain.deck import USA, editions, standard_deck
from tests.engine.iron_curtain.tables import GAME, last_turn, new_match, play_last, told

WEST = ("europe", "middle_east", "asia", "africa")


def test_10_1_the_table_of_editions() -> None:
    table = {name: (e.aftermath_cap, e.final_order[4:], e.tie) for name, e in editions().items()}
    south_first = ("south_america", "central_america")
    assert table == {
        "en": (3, south_first, USA),
        "de": (None, south_first, USA),
        "fr": (3, south_first[::-1], USA),
    }
    assert all(edition.final_order[:4] == WEST for edition in editions().values())


CUBES = {"brazil": "2/0", "panama": "0/1", "cuba": "1/2"}


@pytest.mark.parametrize(
    ("edition", "scoring"),
    [
        (
            "en",
            [
                "USA 0 cubes, USSR 6 cubes. Track: USSR ahead by 1.",
                "Final scoring of South America: USA 2, USSR 0. Track: USA ahead by 1.",
                "Final scoring of Central America: USA 0, USSR 4. Track: USSR ahead by 3.",
            ],
        ),
        (
            "fr",
            [
                "USA 0 cubes, USSR 6 cubes. Track: USSR ahead by 1.",
                "Final scoring of Central America: USA 0, USSR 4. Track: USSR ahead by 5.",
                "Final scoring of South America: USA 2, USSR 0. Track: USSR ahead by 3.",
            ],
        ),
        (
            "de",
            [
                "USA 0 cubes, USSR 6 cubes. Track: USSR ahead by 4.",
                "Final scoring of South America: USA 2, USSR 0. Track: USSR ahead by 2.",
                "Final scoring of Central America: USA 0, USSR 4. Track: USSR ahead by 6.",
            ],
        ),
    ],
)
def test_10_1_one_final_scoring_in_three_editions(edition: str, scoring: list[str]) -> None:
    done = play_last(last_turn("zaire", "algeria iran", CUBES, track=2, edition=edition))
    heard = told(done)
    assert heard[1] == f"Aftermath: Algeria and Iran are turned up. {scoring[0]}"
    assert heard[6:8] == scoring[1:]
    assert heard[-1] == "USSR is ahead after the final scoring. USSR wins."
    assert len(heard) == 9


@pytest.mark.parametrize(("edition", "track"), [("en", 8), ("de", 8), ("fr", 5)])
def test_10_1_the_order_of_the_americas_changes_the_number_but_not_the_winner(
    edition: str, track: int
) -> None:
    cubes = {"brazil": "1/0", "chile": "1/0", "panama": "0/1", "cuba": "0/1"}
    done = play_last(last_turn("italy", "poland iran", cubes, track=6, edition=edition))
    assert done.state.track == track
    assert done.state.result is not None
    assert done.state.result.winners == (USA,)


@pytest.mark.parametrize("edition", ["en", "de", "fr"])
def test_10_1_the_edition_is_kept_with_the_match(edition: str) -> None:
    start = new_match(edition=edition).state
    assert start.variant.edition == edition
    assert start.variant.rules is editions()[edition]
    assert GAME.load(GAME.dump(start)).variant.edition == edition


def test_10_2_the_words_for_a_lead_of_one_and_of_two_are_swapped_in_german() -> None:
    """Poland and Nigeria look for a lead of one, South Africa for a lead of two."""
    text = {
        card: standard_deck().cards[card].text for card in ("poland", "nigeria", "south_africa")
    }
    words: dict[Language, tuple[str, str]] = {
        "en": ("dominate", "control"),
        "fr": ("domine", "contrôle"),
        "de": ("kontrollier", "dominier"),
    }
    for language, (one, two) in words.items():
        assert one in text["poland"].in_(language)
        assert one in text["nigeria"].in_(language)
        assert two in text["south_africa"].in_(language)
        assert two not in text["poland"].in_(language) + text["nigeria"].in_(language)


def test_10_3_connected_is_off_unless_it_is_chosen() -> None:
    assert new_match().state.variant.connected is False
    assert new_match(connected="on").state.variant.connected is True
