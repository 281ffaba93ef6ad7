"""Seats that the stand-in player of a game plays: from the start, or for who does not come."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest.mock import patch

import pytest
from peewee import OperationalError

from engine.abilities import Sparring, StandIns
from engine.core import Seat
from engine.iron_curtain.view import View
from engine.registry import GAMES
from engine.sparring import Strengths
from pbem.db.store import execute, rows
from pbem.deadlines import DAY, Clock
from pbem.errors import Refused
from pbem.services.letters import outbox
from pbem.services.match import joining, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.operations import machine_players, replay_check
from pbem.services.records.match_rows import (
    LIVE,
    MACHINE,
    OVER,
    VACANT,
    get_match,
    newest_turn,
    open_turns,
)
from pbem.services.seats import stand_ins
from pbem.services.self_service import guests
from pbem.services.self_service.guests import Trial
from tests.kit.quartet import Quartet
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.people import ANN, ASKER, NOW, id_of, wanted
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import Days, hand_over, kinds

GAME = "east_and_west"
NATO = frozenset({"we", "uk", "usa"})


def begun(machines: frozenset[str] = NATO, **change: Any) -> str:
    """A match of Ann, who is the USSR unless told otherwise, and of machines."""
    plan = wanted(
        game=GAME, addresses={"ussr": ANN}, machines=machines, creator=None, name="", phrase=""
    )
    with patch("secrets.token_bytes", lambda size: bytes(size)):
        match = matches.create(plan._replace(**change), NOW)
    for seat in get_match(match).seats:
        if seat.player is not None:
            says = Joining(f"Player {seat.number}", "en", "UTC", "")
            joining.accept(match, seat.number, seat.player, says, NOW)
    return match


def play(now: int = NOW) -> int:
    """Machines play what waits for them, with all the time they want."""
    return machine_players.play_all(lambda: now, lambda: 0.0)


def asked(match: str) -> str:
    (turn,) = open_turns(match)
    return get_match(match).seat(turn.seat).name


def end_turn(match: str, power: str = "ussr") -> None:
    while get_match(match).status == LIVE and asked(match) == power:
        (turn,) = open_turns(match)
        turns.submit(turn.id, ["done"], NOW)


def test_a_match_begins_when_all_people_have_sat_down(stored: str) -> None:
    match = get_match(begun())
    assert match.status == LIVE
    assert [seat.status for seat in match.seats] == ["joined", *[MACHINE] * 3]


def test_machines_play_their_turns_and_people_get_the_letters(stored: str) -> None:
    match = begun()
    end_turn(match)
    assert asked(match) == "we"
    assert play() > 3
    assert asked(match) == "ussr"
    played = {entry.actor for entry in match_log.entries(match) if entry.kind == "action"}
    assert played == {"ussr", *NATO}
    assert {player for (player,) in rows("SELECT DISTINCT player_id FROM outbox")} == {id_of(ANN)}
    assert replay_check.replayed(get_match(match)).fault is None


@pytest.mark.whole
def test_a_person_and_three_machines_play_to_the_end(stored: str) -> None:
    match = begun(setup={"rounds": "2"})
    for _ in range(20):
        end_turn(match)
        play()
    assert get_match(match).status == OVER
    assert replay_check.replayed(get_match(match)).fault is None


def test_nothing_is_played_for_people_or_in_a_pause(stored: str) -> None:
    match = begun()
    assert play() == 0
    end_turn(match)
    execute("UPDATE match SET paused_at = ? WHERE id = ?", NOW, match)
    assert play() == 0


def test_what_happened_meanwhile_is_not_overwritten(stored: str) -> None:
    match = begun()
    end_turn(match)
    (turn,) = open_turns(match)
    record = get_match(match)
    turns.advance(record, turn.seat, ["done"], NOW)
    assert machine_players._send(record, turn, ["done"], NOW) == 0


def test_a_machine_that_errs_leaves_its_turn_to_the_usual_order(
    stored: str, caplog: pytest.LogCaptureFixture
) -> None:
    match = begun()
    end_turn(match)
    with patch.object(GAMES[GAME], "stand_in", lambda seed: _Wrong()):
        assert play() > 0
    assert asked(match) == "ussr"
    assert "refused" in caplog.text


class _Wrong:
    """Wants to buy more than anybody can pay."""

    def choose(self, game: Any, view: Any, seat: Seat) -> Any:
        return game.parse("buy 99 battleship")


def test_a_machine_that_fails_stops_no_other(stored: str, caplog: pytest.LogCaptureFixture) -> None:
    first, second = begun(), begun()
    end_turn(first)
    end_turn(second)
    real = machine_players._step

    def step(turn: int, *more: Any) -> int:
        if turn == newest_turn_of(first):
            raise RuntimeError("a secret")
        return real(turn, *more)

    with patch.object(machine_players, "_step", step):
        play()
    assert (asked(first), asked(second)) == ("we", "ussr")
    assert "RuntimeError" in caplog.text and "a secret" not in caplog.text


def test_a_database_that_is_away_is_no_fault_of_a_machine(stored: str) -> None:
    """The worker says so, and the turn is tried again; nothing is held against the match."""
    end_turn(begun())

    def step(turn: int, *more: Any) -> int:
        raise OperationalError("the database is away")

    with patch.object(machine_players, "_step", step), pytest.raises(OperationalError):
        play()


def test_turns_whose_machine_fails_do_not_crowd_others_out(stored: str) -> None:
    first, second = begun(), begun()
    end_turn(first)
    end_turn(second)
    real, resting = machine_players._step, machine_players.Resting()
    bad, tried = newest_turn_of(first), list[int]()

    def step(turn: int, *more: Any) -> int:
        tried.append(turn)
        if turn == bad:
            raise RuntimeError
        return real(turn, *more)

    with patch.object(machine_players, "_step", step), patch.object(machine_players, "AT_ONCE", 1):
        for now in (NOW, NOW + 1, NOW + machine_players.REST):
            machine_players.play_all(partial(int, now), resting=resting)
    assert asked(second) == "ussr"
    assert tried.count(bad) == 2, "left alone for a while, then tried again"


class Watch:
    """A stopwatch that moves on whenever a machine thinks."""

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds = 0.0, seconds

    def __call__(self) -> float:
        return self.now

    def thinking(self, partner: Sparring) -> Sparring:
        class Slow:
            def choose(_, game: Any, view: Any, seat: Seat) -> Any:
                self.now += self.seconds
                return partner.choose(game, view, seat)

        return Slow()


@pytest.mark.whole
def test_thinking_has_an_end_for_a_turn_and_for_one_go(stored: str) -> None:
    found = [begun() for _ in range(4)]
    for match in found:
        end_turn(match)
    game, watch = GAMES[GAME], Watch(machine_players.LONGEST_THOUGHT)
    assert isinstance(game, StandIns)
    real = game.stand_in
    with patch.object(game, "stand_in", lambda seed: watch.thinking(real(seed))):
        given = machine_players.play_all(lambda: NOW, watch)
    assert given == 3, "one order of each turn, until the go is over"
    assert watch.now < machine_players.LONGEST_GO + machine_players.LONGEST_THOUGHT
    assert play() > 3, "what was sent so far is played on from the next time"
    assert {asked(match) for match in found} == {"ussr"}


def test_the_machine_of_a_guest_comes_first(stored: str) -> None:
    match = begun()
    end_turn(match)
    guest = guests.start(Trial("iron_curtain", {}, "usa", "easy"), ASKER, NOW + 60)
    first, second = machine_players.waiting()
    assert (first, second) == (open_turns(guest)[0].id, open_turns(match)[0].id)


def test_a_machine_plays_as_strong_as_was_agreed_and_sees_its_own_view_alone(stored: str) -> None:
    game, asked_for, seen = GAMES["iron_curtain"], list[str](), list[Any]()
    assert isinstance(game, Strengths)
    real = game.partner

    class Watched:
        def __init__(self, partner: Sparring) -> None:
            self.partner = partner

        def choose(self, game: Any, view: Any, seat: Seat) -> Any:
            seen.append(view)
            return self.partner.choose(game, view, seat)

    def partner(seed: str, strength: str) -> Sparring:
        asked_for.append(strength)
        return Watched(real(seed, strength))

    guest = guests.start(Trial("iron_curtain", {}, "usa", "easy"), ASKER, NOW)
    with patch.object(game, "partner", partner):
        play()
    assert set(asked_for) == {"easy"}
    assert seen and {type(view) for view in seen} == {View}
    assert {view.seat for view in seen} == {"ussr"}
    hidden = match_log.current(get_match(guest)).hand("usa")
    assert all(set(hidden).isdisjoint(dict(view.known).values()) for view in seen)


def newest_turn_of(match: str) -> int:
    turn = newest_turn(match, 1)
    assert turn is not None
    return turn.id


# --- for who does not come -----------------------------------------------------------------------


@pytest.mark.whole
def test_after_the_grace_the_machine_plays_until_somebody_comes(stored: str) -> None:
    clock = Clock(per_move=DAY, grace=DAY, policy="machine")
    addresses: dict[str, str | None] = {"ussr": ANN, "we": "we@example.org"}
    match = begun(frozenset({"uk", "usa"}), addresses=addresses, clock=clock)
    hand_over(NOW)
    without_vacation()
    end_turn(match)
    hand_over(NOW)
    days = Days(NOW)
    days.passes(2 * DAY + 900)
    assert get_match(match).seat(1).status == VACANT
    assert "stand_in" in kinds()
    assert play(days.now) > 0
    assert asked(match) == "ussr"

    (loan,) = rows("SELECT id FROM loan")
    stand_ins.accept(loan[0], id_of("we@example.org"), days.now)
    end_turn(match)
    assert play(days.now) == 0
    assert asked(match) == "we"


def test_a_computer_claims_no_win(stored: str) -> None:
    clock = Clock(per_move=DAY, grace=DAY, policy="claim")
    match = begun(frozenset({"usa"}), game="iron_curtain", addresses={"ussr": ANN}, clock=clock)
    hand_over(NOW)
    without_vacation()
    Days(NOW).passes(2 * DAY + 900)
    assert get_match(match).status == LIVE
    assert {entry.kind for entry in match_log.entries(match)} == {"setup", "timeout"}


# --- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machines": frozenset({"ussr", *NATO}), "addresses": {}}, "every seat"),
        ({"machines": frozenset({"ussr"})}, "cannot both have the seat “ussr”"),
        ({"machines": frozenset({"china"})}, "no seat “china”"),
        ({"strength": "hard"}, "cannot play “hard” in this game"),
        (
            {"game": "iron_curtain", "machines": frozenset({"usa"}), "strength": "best"},
            "choose from easy, medium, hard",
        ),
    ],
)
def test_who_cannot_be_a_machine(stored: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        begun(**change)


def test_a_game_without_a_player_of_its_own_has_no_machines(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "quartet", Quartet())
    with pytest.raises(Refused, match="cannot play this game"):
        begun(frozenset({"north"}), game="quartet", addresses={"east": ANN})
    with pytest.raises(Refused, match="“machine” for late players is not available"):
        begun(frozenset(), game="quartet", addresses={"east": ANN}, clock=Clock(policy="machine"))


def test_letters_say_that_a_machine_plays(stored: str) -> None:
    begun()
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW, stopwatch=lambda: 0.0)
    texts = [" ".join(text_of(letter).split()) for letter in bag.letters]
    assert any("Computer (Western Europe), Computer (United Kingdom)" in text for text in texts)
