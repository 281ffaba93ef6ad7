"""Histories: many act at once, and the store holds what they were told; see `histories`."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.registry import GAMES
from pbem.db import store
from pbem.services.inbox import working
from pbem.services.letters import claims
from pbem.services.match import turns
from pbem.services.operations.ticking import HANDLERS
from pbem.services.time import alarms
from tests.kit import lock_order
from tests.services.match.histories import (
    ACCEPTED,
    LEASE,
    STONES,
    Clock,
    Done,
    Fault,
    act_at_random,
    faults_of,
    set_up,
)

SHORT, LONG = 300, 10_000
PROCESSES = 2


@pytest.fixture
def begun(store_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Matches of three games; on PostgreSQL, locks are taken in our order."""
    for room in (claims, working):
        for name in ("LEASE", "APART"):
            monkeypatch.setattr(room, name, LEASE)
    store.open_database(lock_order.traced(store_url), pooled=True)
    monkeypatch.setitem(GAMES, STONES.name, STONES)
    with lock_order.watching(store_url) if store.has_row_locks() else nullcontext():
        with store.connected():
            set_up()
        yield
    opened: Any = store.database.obj
    opened.close_all()  # the connections of all threads


@pytest.fixture
def clock() -> Clock:
    return Clock(time.monotonic())


def checked(history: list[Done], clock: Clock) -> list[Fault]:
    """After a last tick, as a worker would make it."""
    with store.connected():
        alarms.ring(clock(), HANDLERS)
        return faults_of(history)


def test_a_short_history_gives_the_stored_state(begun: None, clock: Clock) -> None:
    history = act_at_random(clock, "short", SHORT)
    assert checked(history, clock) == []
    accepted = Counter(one.name for one in history if one.answer == ACCEPTED)
    assert accepted["send_orders"] + accepted["press_link"] > SHORT // 20, accepted


def test_orders_for_a_turn_that_is_over_are_noticed(
    begun: None, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check can fail: nobody looks any more whether the turn of an order is open."""
    monkeypatch.setattr(turns, "check_open", lambda match, turn: None)
    found = checked(act_at_random(clock, "short", SHORT), clock)
    assert "stale" in {fault.what for fault in found}


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", ["first", "second"])
def test_a_long_history_of_several_processes_gives_the_stored_state(
    begun: None, clock: Clock, store_url: str, tmp_path: Path, seed: str
) -> None:
    files = [tmp_path / f"{share}.json" for share in range(PROCESSES)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.services.match.histories"]
            + [store_url, str(clock.begun), seed, f"{share}/{PROCESSES}", str(LONG), str(file)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for share, file in enumerate(files)
    ]
    assert [process.wait() for process in running] == [0] * PROCESSES
    shares = [msgspec.json.decode(file.read_bytes(), type=list[Done]) for file in files]
    history = [one for share in shares for one in share]
    assert checked(history, clock) == []
    print(Counter((one.name, one.answer) for one in history))
