"""Chapter 9 of RULES.md: the aftermath, the last scoring, the winner."""

import pytest

from engine.iron_curtain.deck import USA, USSR, standard_deck
from engine.iron_curtain.scoring import AftermathScore, score_aftermath
from tests.engine.iron_curtain.tables import GAME, last_turn, play_last, told

DECK = standard_deck()


@pytest.mark.parametrize("edition", ["en", "de", "fr"])
def test_9_1_a_us_card_of_three_and_a_ussr_card_of_one_give_the_us_two_points(
    edition: str,
) -> None:
    """T5; the German rulebook's first aftermath example."""
    done = play_last(last_turn("france", "poland italy", {}, edition=edition))
    assert told(done)[1] == (
        "Aftermath: Poland and Italy are turned up. USA 3 cubes, USSR 1 cube."
        " Track: USA ahead by 2."
    )
    assert done.state.track == 2


@pytest.mark.parametrize(("edition", "track"), [("de", -6), ("en", -3), ("fr", -3)])
@pytest.mark.parametrize(
    ("last", "aside"), [("japan", "vietnam brazil"), ("zaire", "algeria iran")]
)
def test_9_1_two_ussr_cards_worth_six(edition: str, track: int, last: str, aside: str) -> None:
    """T6; the German rulebook's second aftermath example: six points, or three where capped."""
    done = play_last(last_turn(last, aside, {}, edition=edition))
    assert "USA 0 cubes, USSR 6 cubes." in told(done)[1]
    assert f"Track: USSR ahead by {-track}." in told(done)[1]
    assert done.state.track == track


@pytest.mark.parametrize(
    ("cards", "cap", "score"),
    [
        (("poland", "italy"), 3, AftermathScore(3, 1, 2)),
        (("italy", "poland"), None, AftermathScore(3, 1, 2)),
        (("vietnam", "brazil"), 3, AftermathScore(0, 6, -3)),
        (("vietnam", "brazil"), None, AftermathScore(0, 6, -6)),
        (("poland", "west_germany"), 3, AftermathScore(6, 0, 3)),
        (("poland", "west_germany"), None, AftermathScore(6, 0, 6)),
        (("poland", "iran"), 3, AftermathScore(3, 3, 0)),
        (("france", "egypt"), 3, AftermathScore(3, 0, 3)),
        (("france", "vietnam"), 3, AftermathScore(1, 4, -3)),
    ],
)
def test_9_1_the_flags_count_and_not_who_laid_the_cards_aside(
    cards: tuple[str, ...], cap: int | None, score: AftermathScore
) -> None:
    assert score_aftermath(cards, DECK, cap) == score


def test_9_1_the_aftermath_may_end_the_match() -> None:
    position = last_turn("japan", "vietnam brazil", {}, track=-5)
    done = play_last(position)
    assert told(done) == [
        "USA stops here.",
        "Aftermath: Vietnam and Brazil are turned up. USA 0 cubes, USSR 6 cubes."
        " Track: USSR ahead by 8.",
        "The marker has reached the flag of USSR. USSR wins.",
    ]
    assert done.final


CUBES = {
    "europe": "2/1",
    "france": "1/0",
    "egypt": "0/1",
    "japan": "1/0",
    "vietnam": "0/1",
    "algeria": "0/2",
    "brazil": "1/0",
    "cuba": "0/1",
}


def test_9_2_every_region_scores_in_its_order_whether_it_scored_before_or_not() -> None:
    """T22: Europe has five of its six cards and scores with its bonus."""
    position = last_turn("italy", "poland iran", CUBES)
    done = play_last(position)
    assert told(done) == [
        "USSR stops here.",
        "Aftermath: Poland and Iran are turned up. USA 3 cubes, USSR 3 cubes. Track: level.",
        "Final scoring of Europe: USA 5, USSR 0. Track: USA ahead by 5.",
        "Final scoring of Middle East: USA 0, USSR 3. Track: USA ahead by 2.",
        "Final scoring of Asia: USA 1, USSR 1. Track: USA ahead by 2.",
        "Final scoring of Africa: USA 0, USSR 2. Track: level.",
        "Final scoring of South America: USA 2, USSR 0. Track: USA ahead by 2.",
        "Final scoring of Central America: USA 0, USSR 3. Track: USSR ahead by 1.",
        "USSR is ahead after the final scoring. USSR wins.",
    ]
    assert done.state.track == -1
    assert len([c for c in done.state.table if DECK.region_of[c.card] == "europe"]) == 5
    assert done.state.scored == ("asia", "africa", "south_america", "central_america")


def test_9_2_a_region_without_a_card_gives_nothing() -> None:
    """A30: both South America cards are laid aside."""
    done = play_last(last_turn("italy", "chile brazil", {}))
    assert "Final scoring of South America: USA 0, USSR 0. Track: level." in told(done)


def test_9_3_the_first_region_that_brings_the_marker_to_a_flag_ends_the_match() -> None:
    done = play_last(last_turn("italy", "poland iran", CUBES, track=3))
    assert told(done)[2:] == [
        "Final scoring of Europe: USA 5, USSR 0. Track: USA ahead by 8.",
        "The marker has reached the flag of USA. USA wins.",
    ]
    assert done.state.track == 8


@pytest.mark.parametrize("edition", ["en", "de", "fr"])
def test_9_4_a_level_track_goes_to_the_us(edition: str) -> None:
    """T19; section 8.2: in every edition."""
    done = play_last(last_turn("italy", "poland iran", {}, edition=edition))
    assert done.state.track == 0
    assert told(done)[-1] == "The track is level at the end; the tie goes to USA. USA wins."
    outcome = GAME.outcome(done.state)
    assert outcome is not None
    assert outcome.winners == (USA,)
    assert GAME.say(outcome.reason) == "The track is level at the end; the tie goes to USA."


@pytest.mark.parametrize(("track", "side", "name"), [(1, USA, "USA"), (-1, USSR, "USSR")])
def test_9_4_otherwise_the_side_ahead_wins(track: int, side: str, name: str) -> None:
    done = play_last(last_turn("italy", "poland iran", {}, track=track))
    assert told(done)[-1] == f"{name} is ahead after the final scoring. {name} wins."
    outcome = GAME.outcome(done.state)
    assert outcome is not None
    assert outcome.winners == (side,)
    assert done.state.track == track
    assert done.state.stack == ()


def test_9_4_the_end_is_final_and_turns_everything_up() -> None:
    done = play_last(last_turn("italy", "poland iran", {}))
    assert done.final
    for seat in (None, USA, USSR):
        view = GAME.view(done.state, seat)
        assert view.aftermath == ("poland", "iran")
        assert view.asked is None
        assert dict(view.known) == dict(enumerate(done.state.order))
