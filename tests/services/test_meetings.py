"""Two who act at the same instant on PostgreSQL: they wait for each other, and neither for ever.

One of them is stopped after each statement that locks, in turn, while the other goes on for as far
as it can; then the first goes on. Whoever locked rows in another order than the other would be
found waiting in a circle by the database, which ends such transactions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Event, get_ident
from time import monotonic, sleep
from typing import Any, NamedTuple

import psycopg
import pytest

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused
from pbem.services.letters import recording
from pbem.services.letters.verdicts import Batch, Verdict
from pbem.services.match import turn_alarms, turns
from pbem.services.operations.ticking import HANDLERS
from pbem.services.records.letter_queue import SENT
from pbem.services.time import absences, alarms, pauses
from pbem.services.time.alarms import PAUSE, TURN, Alarm, Rung
from tests.kit.postgres import PostgresServer
from tests.services.people import NOW, Sitting, an_order, sit_down, turn_of
from tests.services.waiting import hand_over

pytestmark = pytest.mark.postgres

IN_A_CIRCLE = "50ms"
"""After which a wait is looked into; a second, as it comes."""


class Two(NamedTuple):
    """Two matches of the same two people, so that one of them may hold what the other needs."""

    one: Sitting
    other: Sitting


Act = Callable[[Two], object]
LOCKS = re.compile(r"^\s*(UPDATE|INSERT|DELETE|WITH)|FOR (NO KEY )?UPDATE")


@pytest.fixture
def impatient(postgres_store: str, postgres_server: PostgresServer) -> Iterator[str]:
    """A store whose database looks quickly into waits."""
    name = postgres_store.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(postgres_store, autocommit=True) as link:
        link.execute(f"ALTER DATABASE {name} SET deadlock_timeout = '{IN_A_CIRCLE}'".encode())
    store.open_database(postgres_store)
    with store.connected():
        yield postgres_store


class Stopping:
    """Stops one thread after so many statements that lock something, until it may go on."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.whom: int | None = None
        self.after = 0
        self.stopped, self.may_go_on = Event(), Event()
        self.count = 0
        opened = store.database.obj
        whole = opened.execute_sql

        def execute(*args: Any, **options: Any) -> Any:
            answer = whole(*args, **options)
            if get_ident() == self.whom and LOCKS.search(args[0]):
                self.count += 1
                if self.count == self.after:
                    self.stopped.set()
                    assert self.may_go_on.wait(30)
            return answer

        patch.setattr(opened, "execute_sql", execute)


def run(act: Act, two: Two, stopping: Stopping | None = None) -> None:
    if stopping is not None:
        stopping.whom = get_ident()
    with store.connected():
        act(two)
    if stopping is not None:
        stopping.stopped.set()  # it is over before it could be stopped


def meet(first: Act, second: Act, two: Two, after: int, watcher: Any) -> bool:
    """Stop the first after a statement, let the second go; whether the first was stopped at all."""
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        stopping = Stopping(patch)
        stopping.after = after
        one = pool.submit(run, first, two, stopping)
        assert stopping.stopped.wait(30)
        was_stopped = not one.done() and stopping.count == after
        other = pool.submit(run, second, two)
        wait_until_stuck_or_done(other, watcher)
        stopping.may_go_on.set()
        one.result(30)
        other.result(30)
        return was_stopped


def circles(server: PostgresServer) -> int:
    """How often the database has found somebody waiting in a circle."""
    return (server.folder / "log").read_text(errors="replace").count("deadlock detected")


def wait_until_stuck_or_done(other: Future[None], watcher: Any) -> None:
    patience = monotonic() + 10
    while not other.done() and monotonic() < patience:
        (stuck,) = watcher.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
        if stuck:
            return
        sleep(0.002)


# --- what they do ---------------------------------------------------------------------------------


LATE = NOW + 3 * DAY


def rings(two: Two) -> None:
    """The worker finds what is due: the time of a turn is over."""
    found = alarms.find_due(LATE + HOUR, [TURN])
    turn_alarms.ring(found, LATE + HOUR, Rung())


def reminds(two: Two) -> None:
    found = alarms.find_due(LATE - HOUR, [TURN])
    turn_alarms.ring(sorted(found, key=lambda alarm: -int(alarm.subject)), LATE - HOUR, Rung())


def books(two: Two) -> None:
    absences.book(two.one.bob, LATE + 2 * HOUR, LATE + 2 * DAY, LATE + HOUR)


def plays(sitting: Sitting) -> None:
    with store.writing():
        match, turn = turns.held(turn_of(sitting.match).id)
        _, order = an_order(sitting.match, QuickDice(b"meeting"))
        turns.send(match, turn, [order], LATE + HOUR)


def plays_one(two: Two) -> None:
    plays(two.one)


def plays_other(two: Two) -> None:
    plays(two.other)


def takes_letters(two: Two) -> None:
    """The worker writes down that a mail server has taken all letters."""
    letters = [number for (number,) in store.rows("SELECT id FROM outbox ORDER BY id DESC")]
    store.execute("UPDATE outbox SET state = 'leased', lease_by = 'me'")
    verdicts = [Verdict(number, SENT, 1, LATE) for number in letters]
    recording.record("me", Batch(verdicts, [], True), LATE + HOUR)


def ends_pause(two: Two) -> None:
    pauses.end_pause(two.one.match, 0, NOW + HOUR)


def pause_rings(two: Two) -> None:
    HANDLERS[PAUSE]([Alarm(PAUSE, two.one.match, at_end_of_pause(two))], LATE, Rung())


def at_end_of_pause(two: Two) -> int:
    at = alarms.armed_at(PAUSE, two.one.match)
    return NOW if at is None else at


# --- what was before ------------------------------------------------------------------------------


def two_running(now: int = NOW) -> Two:
    two = Two(sit_down(now), sit_down(now))
    hand_over(now)
    return two


def two_waiting() -> Two:
    return Two(sit_down(NOW), sit_down(NOW))


def one_paused() -> Two:
    two = two_running()
    pauses.pause(two.one.match, NOW)
    return two


def nobody_told() -> Two:
    """Letters to Bob were refused, and both of his turns have started without him."""
    two = two_running()
    store.execute("UPDATE player SET unreachable_since = ? WHERE id = ?", NOW, two.one.bob)
    store.execute("UPDATE outbox SET state = 'dead' WHERE player_id = ?", two.one.bob)
    return two


def refuse_stale(act: Act) -> Act:
    """Whoever is second may find that the first has done it."""

    def tried(two: Two) -> None:
        with suppress(Refused):
            act(two)

    return tried


MEETINGS: dict[str, tuple[Callable[[], Two], Act, Act]] = {
    "late and absent": (two_running, rings, books),
    "late and played": (two_running, rings, plays_one),
    "reminded and absent": (two_running, reminds, books),
    "both reminded": (two_running, reminds, reminds),
    "letters taken and absent": (two_waiting, takes_letters, books),
    "letters taken and played": (two_waiting, takes_letters, plays_one),
    "the end of a pause": (one_paused, pause_rings, ends_pause),
    "back in two matches": (nobody_told, plays_one, plays_other),
}


QUICK = ("late and absent", "the end of a pause")


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in MEETINGS],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_no_two_wait_for_each_other_in_a_circle(
    impatient: str, postgres_server: PostgresServer, name: str, is_turned: bool
) -> None:
    before, *acts = MEETINGS[name]
    first, second = (refuse_stale(act) for act in (reversed(acts) if is_turned else acts))
    known = circles(postgres_server)
    with psycopg.connect(impatient, autocommit=True) as watcher:
        after, was_stopped = 0, True
        while was_stopped:
            after += 1
            store.execute("UPDATE match SET status = 'over'")
            for table in ("due", "outbox", "absence", "tally"):
                store.execute(f"DELETE FROM {table}")
            was_stopped = meet(first, second, before(), after, watcher)
    assert after > 3, "both do something"
    assert circles(postgres_server) == known, "also those of which only a log tells"
