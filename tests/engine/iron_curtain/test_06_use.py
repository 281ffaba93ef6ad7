"""Chapter 6 of RULES.md: event or command, and whose decision it is."""

import pytest

from engine.core import Seat
from engine.iron_curtain.board import Answer, CommandCard, Commanding, PlayCard, UseCard
from engine.iron_curtain.deck import USA, USSR
from tests.engine.iron_curtain.tables import (
    GAME,
    asked,
    cubes,
    held,
    labels,
    play,
    refuses,
    state,
    step,
    told,
    words,
)


def test_6_1_a_card_of_the_own_flag_gives_event_or_command() -> None:
    position = play(state("europe s19 1/0", mover=USA, usa="poland"), "play poland t19")
    assert position.stack == (UseCard(USA, "poland", True),)
    assert words(position, USA) == ["event", "command"]
    assert words(position, USA, "event") == []
    assert labels(position, USA) == [
        "Use the event of Poland: "
        "The US gains 1 point for each card next to Poland on which it dominates.",
        "Command up to 3 cubes with Poland",
    ]
    assert words(position, USSR) == []


def test_6_1_the_event_takes_the_place_of_the_command() -> None:
    position = play(state("europe s19 1/0", mover=USA, usa="poland"), "play poland t19")
    done = step(position, "event")
    assert told(done) == [
        "USA uses the event of Poland.",
        "USA gains 1 point from Poland. Track: USA ahead by 1.",
    ]
    assert asked(done.state) == PlayCard(USSR)


def test_6_1_the_command_takes_the_place_of_the_event() -> None:
    position = play(state("europe s19 1/0", mover=USA, usa="poland"), "play poland t19")
    done = step(position, "command")
    assert told(done) == ["USA commands up to 3 cubes with Poland."]
    assert done.state.stack == (Commanding(USA, "poland", 3, ("europe", "poland")),)
    after = play(done.state, "done")
    assert after.track == 0
    assert asked(after) == PlayCard(USSR)


@pytest.mark.parametrize("line", ["decline", "done", "cube europe", "first usa", "play japan s18"])
def test_6_1_nothing_else_is_asked_on_an_own_card(line: str) -> None:
    position = play(state("europe s19 1/0", mover=USA, usa="poland japan"), "play poland t19")
    refuses(position, line, f"{line!r} is not asked now; write: event or command")


def test_6_2_on_the_opponents_card_the_opponent_decides_first() -> None:
    position = play(state(mover=USA, usa="vietnam"), "play vietnam t19")
    assert position.stack == (CommandCard(USA, "vietnam"), Answer(USSR, "vietnam"))
    assert GAME.waiting_on(position) == {USSR}
    assert words(position, USSR) == ["event", "decline"]
    assert words(position, USSR, "decline") == []
    assert labels(position, USSR)[1] == "Decline the event"
    assert words(position, USA) == []


def test_6_2_the_opponent_declines_and_the_player_commands() -> None:
    position = play(state(mover=USA, usa="vietnam"), "play vietnam t19")
    done = step(position, "decline")
    assert told(done) == [
        "USSR declines the event of Vietnam.",
        "USA commands up to 4 cubes with Vietnam.",
    ]
    assert done.state.stack == (Commanding(USA, "vietnam", 4, ("europe", "vietnam")),)


def test_6_2_the_opponent_uses_the_event_with_his_own_cubes_before_the_command() -> None:
    position = play(state(mover=USA, usa="vietnam"), "play vietnam t19")
    position = play(position, "event", "cube vietnam", "cube europe")
    assert cubes(position, "vietnam", "europe") == ["0/1", "1/2"]
    assert asked(position) == Commanding(USA, "vietnam", 4, ("europe", "vietnam"))


@pytest.mark.parametrize("line", ["command", "done", "cube europe", "relocate europe s18"])
def test_6_2_the_opponent_can_only_use_the_event_or_decline(line: str) -> None:
    position = play(state(mover=USA, usa="vietnam"), "play vietnam t19")
    refuses(position, line, f"{line!r} is not asked now; write: event or decline")


def test_6_2_the_opponent_answers_after_the_region_has_scored() -> None:
    position = state("egypt t19 1/0", mover=USA, usa="iran")
    done = step(position, "play iran u19")
    assert told(done) == [
        "USA plays Iran on u19.",
        "Middle East is complete and scores: USA 3, USSR 0. Track: USA ahead by 3.",
    ]
    assert asked(done.state) == Answer(USSR, "iran")


def test_6_3_an_opponents_event_that_can_do_nothing_is_skipped_and_told() -> None:
    """T12: Brazil without Cuba on the table asks nobody."""
    done = step(state(mover=USA, usa="brazil"), "play brazil t19")
    assert told(done) == [
        "USA plays Brazil on t19.",
        "The event of Brazil would have no effect and is skipped.",
        "USA commands up to 2 cubes with Brazil.",
    ]
    assert asked(done.state) == Commanding(USA, "brazil", 2, ("europe", "brazil"))


def test_6_3_an_own_event_that_can_do_nothing_leaves_only_the_command() -> None:
    position = play(state(mover=USSR, ussr="brazil"), "play brazil t19")
    assert position.stack == (UseCard(USSR, "brazil", False),)
    assert words(position, USSR) == ["command"]
    refuses(position, "event", "the event of brazil can do nothing now; write: command")


@pytest.mark.parametrize(
    ("card", "countries"),
    [
        ("poland", ("europe s19 1/1",)),
        ("west_germany", ("europe s19 0/1",)),
        ("egypt", ("europe s19 1/0",)),
        ("pakistan", ("europe s19 1/0",)),
        ("japan", ("europe s19 1/1",)),
        ("panama", ("europe s19 1/1",)),
        ("chile", ("europe s19 0/1",)),
        ("south_africa", ("europe s19 0/2",)),
    ],
)
def test_6_3_events_of_the_us_that_can_do_nothing(card: str, countries: tuple[str, ...]) -> None:
    position = play(state(*countries, mover=USA, usa=card), f"play {card} t19")
    assert words(position, USA) == ["command"]


@pytest.mark.parametrize(
    ("card", "countries"),
    [
        ("east_germany", ("europe s19 0/1",)),
        ("algeria", ("europe s19 1/0",)),
        ("zaire", ("europe s19 1/1", "cuba s22")),
        ("cuba", ("europe s19 1/1",)),
        ("brazil", ("europe s19 1/1",)),
    ],
)
def test_6_3_events_of_the_ussr_that_can_do_nothing(card: str, countries: tuple[str, ...]) -> None:
    position = play(state(*countries, mover=USSR, ussr=card), f"play {card} t19")
    assert words(position, USSR) == ["command"]


@pytest.mark.parametrize(
    ("side", "card"),
    [
        (USA, "france"),
        (USA, "nigeria"),
        (USSR, "italy"),
        (USSR, "vietnam"),
        (USSR, "iran"),
    ],
)
def test_6_3_some_events_can_always_do_something(side: Seat, card: str) -> None:
    position = state("europe s19 0/0", mover=side, **held(side, card))
    assert words(play(position, f"play {card} t19"), side) == ["event", "command"]


def test_6_5_a_match_won_by_the_opponents_event_ends_before_the_command() -> None:
    """T14: the US plays Italy at -7, the USSR takes its point."""
    position = play(state(mover=USA, usa="italy", track=-7), "play italy t19")
    assert asked(position) == Answer(USSR, "italy")
    done = step(position, "event")
    assert told(done) == [
        "USSR uses the event of Italy.",
        "USSR gains 1 point from Italy. Track: USSR ahead by 8.",
        "The marker has reached the flag of USSR. USSR wins.",
    ]
    assert (done.state.track, done.state.stack) == (-8, ())
    assert done.state.result is not None
    assert done.state.result.winners == (USSR,)
    assert done.final
