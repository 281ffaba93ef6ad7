"""Both sides in numbers, turn by turn."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.chance import QuickDice
from engine.core import LANGUAGES, Seat
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.state import State
from engine.terminal.rehearsal import random_order
from tests.engine.iron_curtain.tables import GAME, new_match, play, state, waiting


def amounts(position: State) -> dict[str, tuple[int, ...]]:
    return {figure.key: figure.amounts for figure in GAME.figures(GAME.view(position, None))}


def title(position: State) -> str:
    return GAME.say(GAME.turn_of(GAME.view(position, None)).title)


def test_figures_name_the_ussr_first_as_the_track_does() -> None:
    assert [party.sign for party in GAME.parties()] == ["S", "U"]
    position = state("poland s18 2/1", "italy t18 0/2", "japan s20 1/0", track=-3)
    assert amounts(position) == {
        "track": (3, 0),
        "cubes": (1 + 1 + 2, 1 + 2 + 1),
        "cards": (1, 2),
        "regions": (0, 1),
    }
    assert amounts(replace(position, track=5))["track"] == (0, 5)


def test_cards_are_counted_by_region() -> None:
    position = state("poland s18 2/1", "italy t18 0/2", "japan s20 1/0")
    (table,) = GAME.tables(GAME.view(position, None))
    assert table.heads[0] == "Side"
    assert [row[0] for row in table.rows] == ["USSR", "USA"]
    by_region = {head: [row[at] for row in table.rows] for at, head in enumerate(table.heads)}
    assert by_region["Europe"] == ["1", "1"]
    assert by_region["Asia"] == ["0", "1"]
    assert by_region["Africa"] == ["0", "0"]


def test_a_turn_is_that_of_the_side_that_plays_its_card() -> None:
    position = new_match().state
    assert title(position) == "Round 1: who goes first"
    position = play(position, "first usa")
    assert title(position) == "Round 1, turn 1: USA"
    assert title(state("poland s18", mover=USSR)) == "Round 1, turn 2: USSR"


@pytest.mark.parametrize("seed", [b"one", b"two"])
def test_turns_are_counted_through_without_a_gap(seed: bytes) -> None:
    dice = QuickDice(seed)
    position, numbers = GAME.new_game({}, dice).state, list[int]()
    while position.result is None:
        turn = GAME.turn_of(GAME.view(position, None))
        assert (turn.round, turn.number) == (position.round, max([turn.number, *numbers[-1:]]))
        numbers.append(turn.number)
        seat = waiting(position)
        order = random_order(GAME, position, seat, dice)
        position = GAME.apply(position, seat, GAME.parse(order), dice).state
    assert sorted(set(numbers)) == list(range(numbers[-1] + 1))
    assert GAME.turn_of(GAME.view(position, None)).number == numbers[-1]


@pytest.mark.parametrize("seat", [USA, USSR])
def test_figures_and_turns_are_the_same_whatever_is_hidden(seat: Seat) -> None:
    position = state("poland s18 2/1", "italy t18 0/2", usa="egypt iran", mover=USA)
    other = GAME.resample_hidden(position, seat, QuickDice(b"other"))
    assert other.hands != position.hands
    for language in LANGUAGES:
        seen, beside = (GAME.view(one, None) for one in (position, other))
        assert GAME.figures(seen) == GAME.figures(beside)
        assert GAME.tables(seen, language) == GAME.tables(beside, language)
        assert GAME.turn_of(seen) == GAME.turn_of(beside)
