"""Chapter 5 of RULES.md: a region that is complete scores."""

import pytest

from engine.core import Seat
from engine.iron_curtain.deck import USA, USSR, standard_deck
from engine.iron_curtain.scoring import (
    RegionScore,
    at_flag,
    is_complete,
    moved,
    score_region,
)
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, play, state, step, table, told

DECK = standard_deck()


def example_b(japan: str, track: int = 0) -> State:
    """Example A's table with the cubes of Example B; Vietnam is about to complete Asia."""
    return state(
        "poland t19",
        "pakistan u19 1/0",
        f"japan v19 {japan}",
        "south_africa u20",
        "algeria v20",
        "zaire w20",
        "panama w19",
        mover=USSR,
        ussr="vietnam",
        track=track,
    )


def test_5_2_example_b_the_us_gains_one_card_and_the_bonus_of_asia() -> None:
    """T2; Example B (English, French) and the German scoring example."""
    done = step(example_b("1/1"), "play vietnam u18")
    assert told(done) == [
        "USSR plays Vietnam on u18.",
        "Asia is complete and scores: USA 3, USSR 0. Track: USA ahead by 3.",
    ]
    assert done.state.track == 3
    assert done.state.scored == ("asia",)
    assert not done.final


def test_5_3_one_more_cube_on_japan_would_have_made_it_a_tie() -> None:
    """T2b; the German example's `what if`: 1 - 1 = 0, the marker stays."""
    done = step(example_b("1/2"), "play vietnam u18")
    assert told(done)[1] == "Asia is complete and scores: USA 1, USSR 1. Track: level."
    assert done.state.track == 0


def test_5_4_only_the_difference_moves_the_marker() -> None:
    """T15 as section 8.3 has it: Africa 2 : 1 with its bonus gives 3 - 1 = 2, +5 becomes +7."""
    position = state(
        "south_africa t19 1/0",
        "algeria u19 2/0",
        "zaire v19 0/3",
        mover=USA,
        usa="nigeria",
        track=5,
    )
    done = step(position, "play nigeria w19")
    assert told(done)[1:] == [
        "Africa is complete and scores: USA 3, USSR 1. Track: USA ahead by 7."
    ]
    assert done.state.track == 7
    assert done.state.result is None


def test_5_4_netting_as_arithmetic() -> None:
    """T15: from +6, four points against three make +7."""
    assert RegionScore("africa", 3, 3, 4, 3).net == 1
    assert moved(6, RegionScore("africa", 3, 3, 4, 3).net) == 7


def test_5_6_beyond_the_flag_there_is_nothing() -> None:
    """T16: from +6, Europe gives the US five points: the marker stops at 8, the US wins."""
    position = state(
        "europe s19 1/0",
        "poland t19 1/0",
        "italy u19",
        "france v19",
        "west_germany w19",
        mover=USSR,
        ussr="east_germany",
        track=6,
    )
    done = step(position, "play east_germany x19")
    assert told(done) == [
        "USSR plays East Germany on x19.",
        "Europe is complete and scores: USA 5, USSR 0. Track: USA ahead by 8.",
        "The marker has reached the flag of USA. USA wins.",
    ]
    assert done.state.track == 8
    assert done.state.stack == ()
    outcome = GAME.outcome(done.state)
    assert outcome is not None
    assert outcome.winners == (USA,)
    assert GAME.say(outcome.reason) == "The marker has reached the flag of USA."


def test_5_6_the_ussr_wins_at_its_own_flag() -> None:
    position = state("iran t19 0/1", mover=USA, usa="egypt", track=-5)
    done = step(position, "play egypt u19")
    assert told(done)[1:] == [
        "Middle East is complete and scores: USA 0, USSR 3. Track: USSR ahead by 8.",
        "The marker has reached the flag of USSR. USSR wins.",
    ]
    assert done.state.result is not None
    assert done.state.result.winners == (USSR,)


def test_5_6_a_match_won_by_scoring_is_over_for_good() -> None:
    """A secret comes out with the end of the match, so the step cannot be taken back."""
    position = state("iran t19 0/1", mover=USA, usa="egypt", track=-5)
    assert step(position, "play egypt u19").final


def test_5_5_a_region_may_score_for_the_opponent_of_the_player() -> None:
    position = state("iran t19 0/1", mover=USA, usa="egypt")
    assert play(position, "play egypt u19").track == -3


def test_5_1_a_region_that_is_not_complete_does_not_score() -> None:
    position = state("south_africa t19 1/0", "algeria u19", mover=USA, usa="nigeria")
    done = step(position, "play nigeria v19")
    assert told(done) == ["USA plays Nigeria on v19."]
    assert (done.state.track, done.state.scored) == (0, ())


def test_5_1_only_the_region_of_the_card_just_played_scores() -> None:
    position = state("iran t19 1/0", "egypt u19", "poland r19", mover=USA, usa="japan")
    done = step(position, "play japan v19")
    assert told(done) == ["USA plays Japan on v19."]
    assert done.state.scored == ("middle_east",)
    assert done.state.track == 0


def test_5_1_the_starter_counts_as_the_sixth_card_of_europe() -> None:
    europe = ("poland t19", "italy u19", "france v19", "west_germany w19")
    assert not is_complete(table(*europe).layout, "europe")
    assert is_complete(table(*europe, "east_germany x19").layout, "europe")


@pytest.mark.parametrize(
    ("cubes", "score"),
    [
        (["0/0", "0/0", "0/0", "0/0"], RegionScore("africa", 0, 0, 0, 0)),
        (["1/1", "0/0", "5/5", "0/0"], RegionScore("africa", 0, 0, 0, 0)),
        (["1/0", "0/0", "0/0", "0/0"], RegionScore("africa", 1, 0, 2, 0)),
        (["0/1", "0/0", "0/0", "0/0"], RegionScore("africa", 0, 1, 0, 2)),
        (["2/1", "3/0", "0/1", "0/0"], RegionScore("africa", 2, 1, 3, 1)),
        (["1/2", "0/3", "1/0", "0/0"], RegionScore("africa", 1, 2, 1, 3)),
        (["1/0", "1/0", "1/0", "1/0"], RegionScore("africa", 4, 0, 5, 0)),
    ],
)
def test_5_2_and_5_3_points_of_a_region(cubes: list[str], score: RegionScore) -> None:
    cards = ("south_africa", "algeria", "zaire", "nigeria")
    laid = table(*(f"{c} {x}19 {n}" for c, x, n in zip(cards, "tuvw", cubes, strict=True)))
    assert score_region(laid, "africa") == score
    assert score.net == score.usa - score.ussr


def test_5_3_two_cards_each_in_africa_cancel_without_a_bonus() -> None:
    """T23."""
    laid = table("south_africa t19 1/0", "algeria u19 0/1", "zaire v19 0/2", "nigeria w19 3/0")
    score = score_region(laid, "africa")
    assert score == RegionScore("africa", 2, 2, 2, 2)
    assert score.net == 0


def test_5_2_cards_of_other_regions_do_not_count() -> None:
    laid = table("europe s19 3/0", "south_africa t19 0/1", "japan u19 4/0")
    assert score_region(laid, "africa") == RegionScore("africa", 0, 1, 0, 2)
    assert score_region(laid, "south_america") == RegionScore("south_america", 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("region", "bonus"),
    [
        ("europe", 3),
        ("middle_east", 2),
        ("asia", 2),
        ("africa", 1),
        ("south_america", 1),
        ("central_america", 2),
    ],
)
def test_5_3_one_card_against_none_is_enough_for_the_bonus(region: str, bonus: int) -> None:
    card = next(c.id for c in DECK.document.cards if c.region == region)
    laid = table(f"{card} t19 0/1")
    assert score_region(laid, region).ussr == 1 + bonus


@pytest.mark.parametrize(
    ("track", "net", "after"), [(0, 3, 3), (7, 1, 8), (6, 5, 8), (-7, -1, -8), (-6, -5, -8)]
)
def test_5_6_the_track_ends_at_eight_on_both_sides(track: int, net: int, after: int) -> None:
    assert moved(track, net) == after


@pytest.mark.parametrize(
    ("track", "side"), [(8, USA), (-8, USSR), (7, None), (-7, None), (0, None)]
)
def test_5_6_only_the_last_space_is_a_flag(track: int, side: Seat | None) -> None:
    assert at_flag(track) == side
