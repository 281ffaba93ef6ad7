"""One link, many presses: exactly one is applied, whoever is faster."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem import store
from pbem.errors import Stale
from pbem.services import turns
from pbem.services.records import get_match
from tests.services.people import NOW, Sitting, letters, turn_of

PRESSES = 200


def press(turn: int) -> str:
    with store.connected():
        try:
            turns.submit(turn, ["first usa"], NOW)
        except Stale:
            return "stale"
        return "applied"


def test_of_two_hundred_presses_one_is_applied(sitting: Sitting) -> None:
    turn = turn_of(sitting.match).id
    before = len(letters())
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(press, [turn] * PRESSES))
    assert sorted(set(results)) == ["applied", "stale"]
    assert results.count("applied") == 1
    assert get_match(sitting.match).head_seq == 1
    assert [kind for kind, _, _ in letters()[before:]] == ["turn", "receipt"]


def test_a_writer_with_an_old_head_is_refused(sitting: Sitting) -> None:
    old = get_match(sitting.match)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    with pytest.raises(Stale, match="moved on meanwhile"), store.writing():
        turns.note(old, "note", "moderator", "too late", NOW)
