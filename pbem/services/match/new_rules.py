"""A match whose rules were changed while it was played: how it goes on, or that it waits.

Where nothing would have gone otherwise, it goes on as if nothing had happened. Else an entry of the
log says that it follows the new rules from its present position on, and fresh turns begin.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any, Final

from msgspec.structs import replace
from peewee import fn

from engine.core import GameError
from engine.log import MODERATOR, Entry
from engine.registry import GAMES
from pbem.db import models
from pbem.db.reading import column
from pbem.db.store import hold_matches, writing
from pbem.errors import Refused, Stale
from pbem.services.match import match_log, move_rows, turns
from pbem.services.match.match_log import kept_state
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import LIVE, MatchRecord, open_turns
from pbem.services.time import clocks

KIND: Final = "rules"
"""Of the entry, and of the letter that tells of it."""


def waiting(status: str = LIVE, after: str = "", most: int = 1_000) -> list[str]:
    """Matches that do not follow the rules as they are here, by their ids."""
    match = models.Match
    found = match.select(match.id).where(_waits(status), match.id > after)
    return column(found.order_by(match.id).limit(most))


def count_waiting(most: int) -> int:
    """How many of those that are played; in no order, so that only these are looked at."""
    return int(models.Match.select().where(_waits(LIVE)).limit(most).count())


def _waits(status: str) -> Any:
    match = models.Match
    version = fn.COALESCE(match.adopted_version, match.rules_version)
    versions = {name: game.rules_version for name, game in GAMES.items()}
    others = [(match.game == name) & (version != here) for name, here in versions.items()]
    return (match.status == status) & reduce(or_, others)


def hold_waiting(now: int) -> None:
    """Note since when matches wait: their clocks get it back."""
    match = models.Match
    with writing():
        found = waiting()
        hold_matches(found)
        match.update(held_at=now).where(match.id.in_(found), match.held_at.is_null()).execute()


def adopt_silently(match: MatchRecord, now: int) -> None:
    """Nothing goes otherwise under the new rules: all goes on, with the time that was lost."""
    _adopt(match)
    for turn in open_turns(match.id) if match.held_at is not None else ():
        if turn.since is not None:
            lost = now - max(turn.since, match.held_at or now)
            clocks.run_from(turn, turn.since + lost, turn.allowed, now)


def go_on(match: MatchRecord, now: int, is_told: bool = False) -> None:
    """The match follows the new rules from its present position on; all are told, or were."""
    state, before = position(match), match.plays_version
    seq, adopted = match.head_seq + 1, _adopt(match)
    text = str(adopted.plays_version)
    match_log.append(adopted, [Entry(seq, KIND, MODERATOR, text)], now)
    match_log.keep_snapshot(adopted, seq, state)
    told = {"before": before, "after": adopted.plays_version, "seq": seq}
    letter_queue.queue([] if is_told else _letters(match, str(seq), told), now)
    opened = turns.begin_anew(adopted, state, seq, now)
    asked = letter_queue.after_step(match, None, opened, seq, seq)
    letter_queue.queue([letter for letter in asked if letter.kind == "turn"], now)


def wait_for_moderator(match: MatchRecord, now: int) -> None:
    """The match stays as it is, with all its clocks, and all are told; once for each version."""
    rows = models.Match
    rows.update(held_at=now).where(rows.id == match.id, rows.held_at.is_null()).execute()
    told = {"before": match.plays_version, "after": match.game.rules_version, "waits": True}
    letter_queue.queue(_letters(match, f"waits:{match.game.rules_version}", told), now)


def position(match: MatchRecord) -> Any:
    """Where a match stands, as the new rules read it; Refused when nobody could play on there.

    Orders of a turn that is not over are played again as far as the new rules allow them.
    """
    if match.status != LIVE or not match.is_outdated:
        raise Stale("the match follows the present rules")
    game, kept = match.game, move_rows.newest_snapshot(match.id)
    try:
        assert kept is not None, "a match that is played has a snapshot of its deal"
        state = _further(match, kept_state(match, kept), kept.seq)
        is_sound = not game.check(state) and bool(game.waiting_on(state))
    except Exception as error:  # whatever a game does with a state of older rules
        raise Refused("its position cannot be read under the new rules") from error
    if not is_sound:
        raise Refused("from its position nobody could play on under the new rules")
    return state


def _further(match: MatchRecord, state: Any, after: int) -> Any:
    for entry in match_log.entries(match.id, after + 1, match.head_seq):
        try:
            state = match_log.step(match, state, entry).state
        except GameError:
            break
    return state


def _adopt(match: MatchRecord) -> MatchRecord:
    version = match.game.rules_version
    models.Match.update(adopted_version=version, held_at=None).where(
        models.Match.id == match.id
    ).execute()
    return replace(match, adopted_version=version, held_at=None)


def _letters(match: MatchRecord, key: str, told: dict[str, Any]) -> list[letter_queue.QueuedLetter]:
    """They wait for no other letter: one about a turn may be kept back."""
    return [
        letter._replace(stream=f"{KIND}/{letter.stream}")
        for letter in letter_queue.to_all_seats(match, KIND, key, **told)
    ]
