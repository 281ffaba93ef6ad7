"""A stand-in player: legal, sensible orders for a power that nobody plays.

It defends its capitals, attacks where the odds are good and the gain pays, by land, from the sea
and from the air, buys what fits and sends it to the front. It knows the view alone, throws no dice,
and the same view gives the same orders.
"""

from __future__ import annotations

from typing import Any

from engine.core import NotYourTurn, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Board, Question
from engine.east_and_west.bot import (
    airborne,
    assault,
    atomic,
    intelligence,
    offensive,
    redeployment,
    supply,
)
from engine.east_and_west.bot.draft import ALL_SKILLS, Draft, Skill
from engine.east_and_west.bot.offensive import BREAK_OFF, THROWN, is_large
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.breaking_off import AIR
from engine.east_and_west.odds.calculator import odds, simulated
from engine.east_and_west.orders import options
from engine.east_and_west.secrecy import imagine
from engine.east_and_west.verbs.answers import Retreat
from engine.east_and_west.verbs.done import Done
from engine.east_and_west.view import View


def orders(view: View, seat: Seat, skills: frozenset[Skill] = ALL_SKILLS) -> list[Any]:
    """All orders up to the end of the stop, or the answer to a question."""
    return _finished(_drafted(view, seat, skills))


def _finished(draft: Draft) -> list[Any]:
    if draft.board.questions:
        return [_answer(draft)]
    return [*draft.orders, Done()]


def _drafted(view: View, seat: Seat, skills: frozenset[Skill] = ALL_SKILLS) -> Draft:
    if view.asked is None or view.asked not in view.powers:
        raise NotYourTurn("nothing is asked of {seat}", seat=seat)
    draft = Draft(imagine(view), view.asked, skills)
    if draft.board.questions:
        return draft
    match draft.board.turn.stop:
        case "mobilisation":
            supply.buy(draft)
            supply.place(draft)
        case "intelligence":
            intelligence.intelligence(draft)
        case "operations":
            supply.buy(draft, _fight(draft))
        case "logistics":
            atomic.deploy(draft)
            redeployment.redeploy(draft)
            supply.place(draft)
    return draft


def _fight(draft: Draft) -> frozenset[str]:
    """Everything that leads to dice, the surest first; the spaces that are attacked."""
    attacked = offensive.attack(draft)
    attacked |= assault.land(draft, attacked)
    attacked |= airborne.drop(draft, attacked)
    attacked |= atomic.strike(draft)
    airborne.raid(draft)
    return attacked


# --- questions in the middle of a turn ------------------------------------------------------------


def _answer(draft: Draft) -> Any:
    """14.5: losses, guns and submarines as by default; an attack that fails is broken off."""
    question = draft.board.questions[-1]
    if question.kind == "retreat" and _fails(draft, question):
        return Retreat(_way_out(draft, question))
    return options.default_action(draft.state, draft.seat)


def _fails(draft: Draft, question: Question) -> bool:
    fight = draft.state.combat.fight if draft.state.combat else None
    assert fight is not None
    battle = lineup.describe(draft.board, draft.seat, question.space, round=fight.round + 1)
    found = simulated(battle, THROWN) if is_large(battle) else odds(battle)
    return found.wins * 100 < BREAK_OFF


def _way_out(draft: Draft, question: Question) -> str:
    """Where most own units are, or the aircraft alone."""
    ways = question.data["ways"]
    assert isinstance(ways, tuple)

    def rank(way: str) -> tuple[int, str]:
        own = () if way == AIR else queries.own_units(draft.board, draft.seat, way)
        return -sum(group.count for group in own), way

    return min(ways, key=rank)


# --- one order after another ----------------------------------------------------------------------


class StandIn:
    """The same one order after another, as a sparring partner; it needs no seed."""

    def __init__(self, seed: str = "") -> None:
        self._left: list[Any] = []
        self._next: list[Board] = []
        """The board at which each order that is left was thought out."""

    def choose(self, game: Any, view: Any, seat: Seat) -> Any:
        power = view.power or seat
        if not self._next or self._next[0] != view.board or view.asked != power:
            self._think(view, power)
        self._next.pop(0)
        return self._left.pop(0)

    def _think(self, view: View, seat: Seat) -> None:
        draft = _drafted(view, seat)
        self._left = _finished(draft)
        self._next = [view.board, *(state.board for state in draft.after)]
