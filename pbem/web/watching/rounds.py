"""How far the matches of a list have come, as in `round 2`: read at once, not one by one.

A position is read again only when the match has gone on. One whose newest entry has no snapshot
(something was said in advance) is read by itself, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from engine.core import Text
from engine.registry import GAMES, AnyGame
from pbem.i18n import spoken
from pbem.services.match import move_rows
from pbem.services.match.move_rows import NewestPosition
from pbem.services.records.match_rows import get_match
from pbem.web.public.pictures import readable_state

KEPT = 256
"""Positions of which it is known."""


def of(matches: Sequence[str]) -> dict[str, str]:
    """By match, in the reader's language; empty where a game has no word for it."""
    kept = move_rows.newest_positions(matches)
    return {match: _said(match, kept.get(match)) for match in matches}


def _said(match: str, kept: NewestPosition | None) -> str:
    if kept is not None and kept.rules_version == GAMES[kept.game].rules_version:
        game, come_to = GAMES[kept.game], _kept(kept.game, kept.state)
    else:
        record = get_match(match)
        game, come_to = record.game, _played(match, record.timeline, record.head_seq)
    said = "" if come_to is None else game.say(come_to, spoken())
    return said[:1].upper() + said[1:]


@lru_cache(maxsize=KEPT)
def _kept(game: str, state: str) -> Text | None:
    return _seen(GAMES[game], GAMES[game].load(state))


@lru_cache(maxsize=KEPT)
def _played(match: str, timeline: int, seq: int) -> Text | None:
    """All that it depends on is named; None, too, where older rules have left it unreadable."""
    record = get_match(match)
    state = readable_state(record, seq)
    return None if state is None else _seen(record.game, state)


def _seen(game: AnyGame, state: Any) -> Text | None:
    return game.stands_at(game.view(state, None))
