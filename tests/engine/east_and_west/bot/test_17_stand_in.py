"""The stand-in player: legal, careful, told by the view alone, and better than chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

import pytest

from engine.abilities import Sparring
from engine.chance import QuickDice, SealedDice, digest
from engine.core import NotYourTurn, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board
from engine.east_and_west.bot import guess
from engine.east_and_west.bot.appraisal import Appraisal
from engine.east_and_west.bot.guess import Arm
from engine.east_and_west.bot.stand_in import StandIn, orders
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.scenario import arranged
from engine.east_and_west.course.setup import new_board
from engine.east_and_west.data.arsenal import TRANSPORTS, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, POWERS, UK, USA, USSR, WE, are_friends, side
from engine.east_and_west.game import CHOICES
from engine.east_and_west.odds.calculator import odds
from engine.east_and_west.standing import DelayedOrder, Standing
from engine.east_and_west.state import State
from engine.east_and_west.verbs.done import Done
from engine.east_and_west.verbs.moves import Move
from engine.sparring import Greedy, Planner, Random
from engine.terminal import hotseat
from tests.engine.east_and_west.kit import GAME, income, order, play, state

pytestmark = pytest.mark.whole

KEPT = ("nato", "rounds", "fast_game")
EVERYTHING = {choice.name: "on" for choice in CHOICES if choice.name not in KEPT}

Player = Literal["stand-in"] | Sparring


class Stopped(NamedTuple):
    """A stop of a match, with all that was ordered in it."""

    before: State
    seat: Seat
    lines: tuple[str, ...]
    declared: State
    """Just before `done`."""
    after: State


def stops(seed: str, setup: dict[str, str], players: dict[Seat, Player]) -> Iterator[Stopped]:
    """A match stop by stop; whoever is no player of it passes."""
    dice = QuickDice(digest("test_17_stand_in", seed))
    now = GAME.new_game(setup, dice).state
    while waiting := GAME.waiting_on(now):
        (seat,) = waiting
        before, declared, lines = now, now, list[str]()
        player = players.get(seat)
        for action in _given(player, now, seat):
            lines.append(GAME.notate(action))
            declared, now = now, GAME.apply(now, seat, action, dice).state
        assert GAME.check(now) == []
        yield Stopped(before, seat, tuple(lines), declared, now)


def _given(player: Player | None, now: State, seat: Seat) -> list[Any]:
    if player is None:
        return [GAME.default_action(now, seat)]
    if player == "stand-in":
        return orders(GAME.view(now, seat), seat)
    return [player.choose(GAME, GAME.view(now, seat), seat)]


@cache
def matches() -> tuple[Stopped, ...]:
    """Two short matches of stand-in players, one of them with every option."""
    all_four: dict[Seat, Player] = dict.fromkeys(POWERS, "stand-in")
    return (
        *stops("usual", {"rounds": "3"}, all_four),
        *stops("everything", {"rounds": "2", **EVERYTHING}, all_four),
    )


def lines(position: State, seat: str) -> list[str]:
    """What the stand-in player orders at a position."""
    return [GAME.notate(a) for a in orders(GAME.view(position, Seat(seat)), Seat(seat))]


# --- whole matches --------------------------------------------------------------------------------


def test_17_every_order_is_legal_and_every_stop_ends() -> None:
    """Playing them has applied each order; a refused one would have failed there."""
    played = matches()
    assert len(played) == 3 * 4 * 3 + 1 + 2 * 4 * 3 + 1
    assert all(stop.lines[-1] == "done" for stop in played)
    verbs = {line.split()[0] for stop in played for line in stop.lines}
    assert {"spy", "research", "buy", "move", "place", "load", "land", "plan"} <= verbs


def test_17_orders_are_written_as_they_are_read() -> None:
    for stop in matches():
        assert all(GAME.notate(GAME.parse(line)) == line for line in stop.lines)


def test_17_no_attack_is_declared_below_the_threshold() -> None:
    fought = 0
    for stop in matches():
        if stop.before.board.turn.stop != "operations":
            continue
        for attack in stop.declared.board.turn.attacks:
            battle = lineup.describe(
                stop.declared.board, stop.seat, attack.space, zones=attack.landings
            )
            assert odds(battle).wins >= 0.7, f"{stop.seat} in {attack.space}"
            fought += 1
    assert fought > 20


def test_17_capitals_are_not_left_empty() -> None:
    for stop in matches():
        for land, space in atlas().spaces.items():
            if space.capital == stop.seat and stop.after.board.owners[land] == stop.seat:
                assert has_troops(stop.after.board, land), f"{land} after {stop.lines}"


def has_troops(board: Board, land: str) -> bool:
    return any(
        kinds()[group.kind].is_ground and kinds()[group.kind].fights for group in board.at(land)
    )


def test_17_no_empty_transport_is_sent_to_the_enemy() -> None:
    for stop in matches():
        if stop.before.board.turn.stop != "operations":
            continue
        for line in stop.lines:
            action = GAME.parse(line)
            if isinstance(action, Move) and any(kind in TRANSPORTS for kind, _ in action.units):
                landing = [said for said in stop.lines if said.startswith(f"land {action.target}")]
                assert landing, f"{line} without a landing"


def test_17_aircraft_are_not_lost_for_want_of_a_place_to_land() -> None:
    for stop in matches():
        if stop.before.board.turn.stop == "logistics":
            flying = sum(
                group.count
                for groups in stop.before.board.units.values()
                for group in groups
                if group.owner == stop.seat and kinds()[group.kind].is_air
            )
            bought = stop.before.board.powers[stop.seat].hand
            left = stop.after.board.powers[stop.seat].hand
            new = sum(n - left.get(kind, 0) for kind, n in bought.items() if kinds()[kind].is_air)
            landed = sum(
                group.count
                for groups in stop.after.board.units.values()
                for group in groups
                if group.owner == stop.seat and kinds()[group.kind].is_air
            )
            assert landed == flying + new


def test_17_against_a_passive_alliance_the_ussr_gains_lands() -> None:
    *_, last = stops("passive", {"rounds": "6"}, {USSR: "stand-in"})
    assert last.after.board.result is not None
    assert income(last.after, USSR) >= 75
    assert queries.income(last.after.board, WE) < 20


@pytest.mark.whole
@pytest.mark.parametrize("chosen", [(USSR,), NATO])
def test_17_it_beats_chance(chosen: tuple[Seat, ...]) -> None:
    """Its side has a better income after two rounds than it began with, the other a worse one."""
    players: dict[Seat, Player] = {
        power: "stand-in" if power in chosen else Random(f"{power}") for power in POWERS
    }
    *_, last = stops("chance", {"rounds": "2"}, players)
    start = new_board(last.after.board.variant)

    def gain(powers: tuple[Seat, ...]) -> int:
        return sum(queries.income(last.after.board, p) - queries.income(start, p) for p in powers)

    other = NATO if chosen == (USSR,) else (USSR,)
    assert gain(chosen) > gain(other)
    assert gain(chosen) > 0


# --- what it knows --------------------------------------------------------------------------------


def test_17_the_same_view_gives_the_same_orders() -> None:
    for stop in matches()[1:20:3]:
        again = tuple(lines(stop.before, stop.seat))
        assert again == stop.lines


def test_17_what_others_have_said_in_advance_changes_nothing() -> None:
    for stop in matches()[2:12:3]:
        said = {
            power: Standing(later=(DelayedOrder("done"),)) for power in POWERS if power != stop.seat
        }
        whispered = State(stop.before.board, stop.before.combat, said)
        assert tuple(lines(whispered, stop.seat)) == stop.lines


def test_17_one_order_after_another_it_plays_the_same() -> None:
    partner = StandIn("any seed")
    for stop in matches()[:5]:
        now, said = stop.before, list[str]()
        while said[-1:] != ["done"]:
            action = partner.choose(GAME, GAME.view(now, stop.seat), stop.seat)
            said.append(GAME.notate(action))
            if not isinstance(action, Done):
                now = GAME.apply(now, stop.seat, action, SealedDice()).state
        assert tuple(said) == stop.lines


def test_17_it_does_not_play_for_others() -> None:
    with pytest.raises(NotYourTurn, match="nothing is asked of we"):
        orders(GAME.view(state(), WE), WE)
    with pytest.raises(NotYourTurn, match="nothing is asked of we"):
        StandIn().choose(GAME, GAME.view(state(), WE), WE)


def test_17_a_question_is_answered_by_default() -> None:
    position = state(
        "poland ussr 3 infantry",
        "east-germany ussr 3 armor",
        "west-germany we 2 infantry 1 armor",
        standing={"we": Standing(asks=("west-germany",))},
    )
    position = play(position, "ussr", "move east-germany west-germany 3 armor")
    asked = order(position, "ussr", "done", faces=[1, 6, 6]).state
    assert GAME.waiting_on(asked) == {WE}
    assert lines(asked, "we") == [GAME.notate(GAME.default_action(asked, WE))]


# --- single decisions -----------------------------------------------------------------------------


def test_17_a_hopeless_attack_is_not_made() -> None:
    position = state(
        "east-germany ussr 3 infantry", "west-germany we 8 infantry 2 armor", cash={"ussr": 0}
    )
    assert lines(position, "ussr") == ["done"]


def test_17_a_good_attack_is_made_and_broken_off_when_it_fails() -> None:
    position = state(
        "east-germany ussr 6 infantry 4 armor",
        "west-germany we 1 infantry",
        "russia ussr 3 infantry",
        cash={"ussr": 0},
        owners={"norway": "ussr", "turkey": "ussr", "greece": "ussr"},
    )
    ordered = lines(position, "ussr")
    assert any(line.startswith("move east-germany west-germany") for line in ordered)
    assert "plan west-germany retreat odds 30" in ordered


def test_17_an_attack_takes_no_more_than_it_needs() -> None:
    position = state(
        "east-germany ussr 12 infantry 8 armor 4 fighter",
        "west-germany we 1 infantry",
        cash={"ussr": 0},
    )
    (attack,) = [line for line in lines(position, "ussr") if line.startswith("move east-germany w")]
    assert "fighter" not in attack and "12 infantry" not in attack


def test_17_an_empty_land_is_taken_by_the_cheapest() -> None:
    position = state("east-germany ussr 5 infantry", "orel ussr 1 heavy-armor", cash={"ussr": 0})
    assert "move east-germany west-germany 1 infantry" in lines(position, "ussr")


def test_17_armor_blitzes_through_an_empty_land() -> None:
    position = state("east-germany ussr 5 infantry 2 armor", cash={"ussr": 0})
    assert "move east-germany france 1 armor" in lines(position, "ussr")


def test_17_a_threatened_capital_keeps_what_it_needs() -> None:
    sight = Appraisal(state("russia ussr 8 infantry 1 fighter", power="ussr").board, USSR)
    assert sight.spare("russia")["infantry"] == 6
    threatened = state(
        "russia ussr 8 infantry 1 fighter", "orel we 7 infantry 2 armor", owners={"orel": "we"}
    )
    assert sum(Appraisal(threatened.board, USSR).spare("russia").values()) <= 1
    lost = state("russia ussr 3 infantry", "orel we 9 infantry 5 armor", owners={"orel": "we"})
    assert not Appraisal(lost.board, USSR).spare("russia")


def test_17_infantry_is_bought_and_placed_where_it_is_lacking() -> None:
    position = state(
        "west-germany we 1 infantry",
        "east-germany ussr 5 infantry",
        power="we",
        cash={"we": 12},
        owners={"poland": "we", "yugoslavia": "we"},
    )
    ordered = lines(position, "we")
    assert "buy 4 infantry" in ordered
    placing = state(
        "west-germany we 1 infantry",
        "east-germany ussr 5 infantry",
        power="we",
        stop="logistics",
        hand={"we": {"infantry": 4}},
        owners={"poland": "we", "yugoslavia": "we"},
    )
    assert any(line.startswith("place west-germany") for line in lines(placing, "we"))


def test_17_reserves_go_to_the_front() -> None:
    position = state("russia ussr 6 infantry", "east-germany ussr 4 infantry", stop="logistics")
    (move,) = [line for line in lines(position, "ussr") if line.startswith("move russia")]
    front = Appraisal(position.board, USSR).front
    assert front[move.split()[2]] < front["russia"]
    assert move.endswith("4 infantry")


def test_17_aircraft_leave_a_land_in_danger() -> None:
    position = state(
        "east-germany ussr 1 fighter 1 infantry",
        "west-germany we 6 infantry 3 armor",
        "russia ussr 6 infantry",
        "poland ussr 12 infantry",
        stop="logistics",
    )
    (move,) = [line for line in lines(position, "ussr") if line.endswith("1 fighter")]
    sight = Appraisal(position.board, USSR)
    goal = move.split()[2]
    assert sight.risk(goal, sight.garrison(goal)) < 0.25


def test_17_a_spy_courts_where_most_is_to_be_gained() -> None:
    near = state(stop="intelligence", spies={"ussr": 2}, influence={"china": 3})
    assert lines(near, "ussr")[:2] == ["spy diplomacy china", "spy diplomacy china"]
    done = state(
        "spain neutral 4 infantry 1 armor 1 fighter",
        stop="intelligence",
        spies={"ussr": 2},
        influence={"china": 4},
    )
    assert lines(done, "ussr")[0] == "spy diplomacy spain"
    assert lines(done, "ussr")[1] != "spy diplomacy spain"


def test_17_the_free_attempt_is_used_and_gifts_are_taken() -> None:
    assert "research free armor" in lines(state(power="usa", stop="intelligence"), "usa")
    gift = state(
        power="uk",
        stop="intelligence",
        techs={"usa": {"armor": 2}},
        firsts={"armor 1": USA},
    )
    assert "accept armor" in lines(gift, "uk")
    assert UK in side(USA) and are_friends(UK, USA)


# --- guesses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"infantry": 4}, {"infantry": 2}),
        ({"infantry": 5, "armor": 3}, {"infantry": 4, "armor": 1}),
        ({"infantry": 10, "armor": 4, "fighter": 2}, {"infantry": 12, "fighter": 1}),
        ({"armor": 6}, {"infantry": 9}),
        ({"fighter": 3, "infantry": 2}, {"infantry": 3}),
    ],
)
def test_17_a_guess_is_near_the_exact_odds(ours: dict[str, int], theirs: dict[str, int]) -> None:
    exact = odds(arranged(WE, ours, USSR, theirs)).wins
    attackers = [Arm(kinds()[k].cost, kinds()[k].attack, n) for k, n in ours.items()]
    defenders = [Arm(kinds()[k].cost, kinds()[k].defence, n) for k, n in theirs.items()]
    assert guess.chance(attackers, defenders) == pytest.approx(exact, abs=0.15)


def test_17_nobody_is_beaten_by_nobody() -> None:
    assert guess.chance([], []) == 0.0
    assert guess.chance([Arm(3, 1, 1)], []) == 1.0
    assert guess.chance([], [Arm(3, 2, 1)]) < 0.5


# --- in a terminal --------------------------------------------------------------------------------


def test_17_it_fills_all_other_seats_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["done", "done", "done", "done", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    table = hotseat.Table(
        GAME, {}, b"s" * 32, "en", narrated=False, partner=hotseat.STAND_IN, seat="ussr"
    )
    assert hotseat.play(table, None) == 0
    told = capsys.readouterr().out
    assert "* Round 1: USA" in told and "* Round 2: USSR" in told
    assert "* Western Europe places" in told


# --- the partners that know no game ---------------------------------------------------------------


def quick_planner(seed: str) -> Planner:
    return Planner(seed, looks=60, horizon=1)


@pytest.mark.parametrize("partner", [Random, Greedy, quick_planner])
def test_17_partners_that_know_no_game_give_legal_orders(
    partner: Callable[[str], Sparring],
) -> None:
    for stop in matches()[1:4]:
        action = partner("legal").choose(GAME, GAME.view(stop.before, stop.seat), stop.seat)
        GAME.apply(stop.before, stop.seat, action, QuickDice(b"legal"))


@pytest.mark.parametrize("partner", [Greedy, quick_planner])
def test_17_partners_that_know_no_game_do_not_go_round_in_circles(
    partner: Callable[[str], Sparring],
) -> None:
    """14.2 no. 8: to take allies on board and not to changes nothing, as often as it is said."""
    now, player, said = state(power="we", stop="intelligence"), partner("circle"), list[str]()
    while said[-1:] != ["done"]:
        action = player.choose(GAME, GAME.view(now, WE), WE)
        said.append(GAME.notate(action))
        now = GAME.apply(now, WE, action, QuickDice(b"circle")).state
    assert len(said) < 20
