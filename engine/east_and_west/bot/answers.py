"""What a stand-in player answers in the middle of a turn: the default, but it gives up in time."""

from __future__ import annotations

from typing import Any

from engine.east_and_west import queries
from engine.east_and_west.board import Question
from engine.east_and_west.bot.draft import Draft
from engine.east_and_west.bot.offensive import BREAK_OFF, THROWN, is_large
from engine.east_and_west.combat import lineup
from engine.east_and_west.combat.breaking_off import AIR
from engine.east_and_west.odds.calculator import odds, simulated
from engine.east_and_west.orders import options
from engine.east_and_west.verbs.answers import Retreat


def answer(draft: Draft) -> Any:
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
