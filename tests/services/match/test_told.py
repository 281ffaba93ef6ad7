"""What happened: kept with each entry, and never computed again from the beginning of a match."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from playhouse.migrations import Runner

from engine.chance import QuickDice
from engine.registry import GAMES
from pbem.db import store
from pbem.db.store import execute, row, rows
from pbem.links import Links
from pbem.services.letters.kinds import registry
from pbem.services.match import link_orders, match_log, matches, turns
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import get_match, turn_before
from tests.services.people import NOW, Sitting, an_order, sit_down, turn_of, turns_of

LINKS = Links(("k" * 40,), "https://play.example")
GAME = type(GAMES["iron_curtain"])


@pytest.fixture
def sitting(stored: str) -> Sitting:
    """Always the same cards."""
    with (
        patch.object(matches, "new_id", lambda: "told"),
        patch("secrets.token_bytes", lambda size: bytes(size)),
    ):
        return sit_down(NOW)


def play(match: str, orders: int) -> None:
    choice = QuickDice(b"told")
    for number in range(orders):
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + number)


def eventful(sitting: Sitting) -> str:
    """A match that was rewound, in which something was said in advance."""
    play(sitting.match, 20)
    turns.rewind(sitting.match, 7, "moderator", NOW)
    link_orders.say_in_advance(sitting.match, 0, "standing all never", NOW)
    play(sitting.match, 9)
    return sitting.match


@contextmanager
def counted_steps() -> Iterator[list[str]]:
    """Every order that the rules are asked to carry out meanwhile."""
    asked, apply = list[str](), GAME.apply

    def counting(game: Any, state: Any, seat: Any, action: Any, dice: Any) -> Any:
        asked.append(str(action))
        return apply(game, state, seat, action, dice)

    with patch.object(GAME, "apply", counting):
        yield asked


def test_what_is_kept_is_what_a_replay_tells(sitting: Sitting) -> None:
    match = get_match(eventful(sitting))
    replayed = [match_log.Told(one.entry, one.events) for one in match_log.moments(match)]
    assert any(event.audience for told in replayed for event in told.events), "some are hidden"
    with counted_steps() as steps:
        assert match_log.all_told(match, -1, match.head_seq) == replayed
        for seat in (None, *(seat.name for seat in match.seats)):
            heard = [told.heard_by(seat) for told in replayed]
            assert match_log.told_since(match, seat, 4, 12) == heard[5:13]
    assert steps == []


def test_entries_of_older_releases_are_played_again_from_the_nearest_state(
    sitting: Sitting,
) -> None:
    match = get_match(eventful(sitting))
    kept = match_log.all_told(match, -1, match.head_seq)
    execute("UPDATE entry SET events = NULL")
    assert match_log.all_told(match, -1, match.head_seq) == kept
    last = turn_of(match.id).opened_seq
    with counted_steps() as steps:
        assert match_log.all_told(match, last - 1, last) == kept[last : last + 1]
    assert len(steps) <= last - _snapshot_before(match.id, last)


def _snapshot_before(match: str, seq: int) -> int:
    found = row("SELECT MAX(seq) FROM snapshot WHERE match_id = ? AND seq < ?", match, seq)
    assert found is not None
    return int(found[0])


def test_where_only_some_entries_kept_nothing_the_others_are_as_they_were(
    sitting: Sitting,
) -> None:
    """As when a server of an older release plays beside one of this."""
    match = get_match(eventful(sitting))
    kept = match_log.all_told(match, -1, match.head_seq)
    execute("UPDATE entry SET events = NULL WHERE seq % 3 = 1")
    assert match_log.all_told(match, -1, match.head_seq) == kept


def test_the_migration_leaves_older_entries_without(sitting: Sitting) -> None:
    play(sitting.match, 6)
    match = get_match(sitting.match)
    kept = match_log.all_told(match, -1, match.head_seq)
    runner = Runner(store.database.obj, str(store.MIGRATIONS))
    while "0015_events_and_rules" not in runner.down():
        pass
    store.migrate()
    assert rows("SELECT DISTINCT events FROM entry") == [(None,)]
    assert match_log.all_told(match, -1, match.head_seq) == kept


@pytest.mark.parametrize("without_events", [False, True])
def test_a_letter_costs_the_same_however_long_the_match_is(
    sitting: Sitting, without_events: bool
) -> None:
    """It plays nothing again but what lies behind the nearest state."""
    play(sitting.match, 40)
    for number in range(60):
        order = f"standing all {('use', 'never')[number % 2]}"
        link_orders.say_in_advance(sitting.match, 0, order, NOW)
    play(sitting.match, 10)
    if without_events:
        execute("UPDATE entry SET events = NULL")
    match, turn = get_match(sitting.match), turn_of(sitting.match)
    seat = match.seat(turn.seat)
    letter = letter_queue.to_seat(match, seat, "turn", "", turn.id, **{"from": 105})
    with counted_steps() as steps:
        registry.compose(letter, LINKS, NOW)
    told, in_turn = match.head_seq - _told_before(turn.id), match.head_seq - turn.opened_seq
    behind = told + match_log.SNAPSHOTS_EVERY if without_events else 0
    assert len(steps) <= in_turn + behind


def _told_before(turn: int) -> int:
    found = row("SELECT match_id FROM turn WHERE id = ?", turn)
    assert found is not None
    (own,) = [one for one in turns_of(found[0]) if one.id == turn]
    before = turn_before(own)
    assert before is not None
    assert before.closed_seq is not None
    return before.closed_seq


def test_the_turn_before_is_the_one_that_was_closed_last(sitting: Sitting) -> None:
    found = turns_of(eventful(sitting))
    for turn in found:
        earlier = [one for one in found if one.seat == turn.seat and one.id < turn.id]
        assert turn_before(turn) == (earlier[-1] if earlier else None)
