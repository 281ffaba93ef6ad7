"""The sparring partners: legal, fair, told by their seed, and worth playing against."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from engine.abilities import Prospects, Sparring
from engine.chance import QuickDice, digest
from engine.core import NotYourTurn, Seat
from engine.iron_curtain.deck import SIDES, USA, USSR
from engine.iron_curtain.prospect import prospect
from engine.iron_curtain.state import State
from engine.sparring import Greedy, Planner, Random, leaves
from tests.engine.iron_curtain.tables import GAME, state
from tests.kit.quartet import SEATS, Quartet


def quick_planner(seed: str) -> Planner:
    return Planner(seed, looks=100, horizon=1)


PARTNERS: tuple[Callable[[str], Sparring], ...] = (Random, Greedy, quick_planner)


def dice(*labels: str | int) -> QuickDice:
    return QuickDice(digest("test_sparring", *labels))


def asked_seat(position: State) -> Seat:
    (seat,) = GAME.waiting_on(position)
    return seat


def match(number: int, usa: Sparring, ussr: Sparring) -> Iterator[State]:
    """Every position of a match between two partners, the last one over."""
    chance = dice("deal", number)
    position = GAME.new_game({}, chance).state
    while position.result is None:
        yield position
        seat = asked_seat(position)
        partner = usa if seat == USA else ussr
        action = partner.choose(GAME, GAME.view(position, seat), seat)
        position = GAME.apply(position, seat, action, chance).state
    yield position


def positions(matches: int, every: int) -> list[State]:
    """Positions of random matches that are not over, some of each."""
    found: list[State] = []
    for number in range(matches):
        met = list(match(number, Random(f"usa {number}"), Random(f"ussr {number}")))
        found += met[number % every : -1 : every]
    return found


@pytest.mark.parametrize("partner", PARTNERS)
def test_a_partner_gives_a_legal_order(partner: Callable[[str], Sparring]) -> None:
    for position in positions(matches=6, every=7):
        seat = asked_seat(position)
        action = partner("legal").choose(GAME, GAME.view(position, seat), seat)
        assert action in leaves(GAME, position, seat)


@pytest.mark.parametrize("partner", PARTNERS)
def test_a_partner_does_not_move_for_the_other_side(partner: Callable[[str], Sparring]) -> None:
    position = state(mover=USA)
    with pytest.raises(NotYourTurn, match="nothing is asked of ussr"):
        partner("wrong seat").choose(GAME, GAME.view(position, USSR), USSR)


@pytest.mark.parametrize("partner", PARTNERS)
def test_what_is_hidden_does_not_change_the_choice(partner: Callable[[str], Sparring]) -> None:
    for number, position in enumerate(positions(matches=4, every=9)):
        seat = asked_seat(position)
        other = GAME.resample_hidden(position, seat, dice("hidden", number))
        assert GAME.view(other, seat) == GAME.view(position, seat)
        chosen = [
            partner("fair").choose(GAME, GAME.view(one, seat), seat) for one in (position, other)
        ]
        assert chosen[0] == chosen[1]


def test_there_was_something_hidden() -> None:
    """The test above says something: most of its positions do get other hidden cards."""
    met = positions(matches=4, every=9)
    others = [
        GAME.resample_hidden(position, asked_seat(position), dice("hidden", number))
        for number, position in enumerate(met)
    ]
    differing = sum(one.hands != other.hands for one, other in zip(met, others, strict=True))
    assert differing > len(met) / 2


@pytest.mark.whole
@pytest.mark.parametrize("partner", PARTNERS)
def test_the_seed_tells_every_choice(partner: Callable[[str], Sparring]) -> None:
    games = [list(match(1, partner("a"), partner("b")))[-1] for _ in range(2)]
    assert games[0] == games[1]


def test_random_plays_differently_with_another_seed() -> None:
    games = [list(match(1, Random(seed), Random(seed)))[-1] for seed in ("a", "b")]
    assert games[0].table != games[1].table


# --- the prospect --------------------------------------------------------------------------------


def test_the_prospect_is_certain_at_the_end() -> None:
    for number in range(4):
        *_, last = match(number, Random("usa"), Random("ussr"))
        assert last.result is not None
        (winner,) = last.result.winners
        assert [prospect(last, seat) for seat in SIDES] == [1 if s == winner else -1 for s in SIDES]


def test_what_is_good_for_one_side_is_as_bad_for_the_other() -> None:
    for position in positions(matches=6, every=3):
        assert prospect(position, USA) == -prospect(position, USSR)
        assert -1 < prospect(position, USA) < 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (state(track=2), state(track=1)),
        (state("france s18 1/0"), state("france s18 0/0")),
        (state("france s18 2/0"), state("france s18 1/0")),
        (state("panama s18 1/0", usa="cuba"), state("panama s18 0/1", usa="cuba")),
        (state("panama s18 1/0", usa="cuba"), state("panama s18 1/0", ussr="cuba")),
        (state("france s18 0/0", "europe s19 1/1"), state("france s18 0/0", "europe s19 0/1")),
    ],
)
def test_the_prospect_knows_better_from_worse(better: State, worse: State) -> None:
    assert prospect(better, USA) > prospect(worse, USA)


# --- strength ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "position",
    [
        pytest.param(
            state("poland s18", mover=USSR, ussr="vietnam italy brazil", track=-7), id="an event"
        ),
        pytest.param(
            state("panama s18 2/0", mover=USA, usa="poland cuba chile", track=5), id="a region"
        ),
    ],
)
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_the_planner_wins_at_once_when_it_can(position: State, seed: str) -> None:
    seat, partner = asked_seat(position), quick_planner(seed)
    while position.result is None and seat in GAME.waiting_on(position):
        action = partner.choose(GAME, GAME.view(position, seat), seat)
        position = GAME.apply(position, seat, action, dice("win")).state
    assert position.result is not None and position.result.winners == (seat,)
    assert position.turn == 2


@pytest.mark.whole
def test_the_planner_beats_chance() -> None:
    wins = 0
    for number in range(10):
        side = SIDES[number % 2]
        planner, random = quick_planner(f"{number}"), Random(f"{number}")
        usa, ussr = (planner, random) if side == USA else (random, planner)
        *_, last = match(number // 2, usa, ussr)
        wins += last.result is not None and side in last.result.winners
    assert wins >= 8


@pytest.mark.parametrize("partner", [Greedy, quick_planner])
def test_in_a_game_that_judges_no_position_a_partner_still_sees_a_win(
    partner: Callable[[str], Sparring],
) -> None:
    game = Quartet()
    position = game.new_game({"goal": 3}, dice("quartet")).state
    assert not isinstance(game, Prospects)
    assert partner("goal").choose(game, position, SEATS[0]) == 3
