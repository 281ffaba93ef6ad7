"""Letters and a clock that is set: none is lost, none doubled, all leave soon after it is right."""

from __future__ import annotations

from collections import Counter

import pytest

from pbem import worker
from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.errors import TransportError
from pbem.services.letters.claims import LEASE, claim
from pbem.services.letters.verdicts import BACKOFF, MOST_TRIES
from pbem.services.operations.disk_space import Room
from pbem.services.records.letter_queue import PUT_OFF
from pbem.services.time.steady_time import SteadyTime
from tests.mail.posting import WORKER, Bag, office_with, owe_you
from tests.mail.posting import outbox as held
from tests.services.people import NOW, sit_down, turn_of

pytestmark = pytest.mark.whole

LATER = TransportError("451 4.3.0 later")
NEVER = TransportError("550 5.7.1 blocked, try later", permanent=True)
SETTLED = round(1.2 * BACKOFF[-1])
"""By then every letter has been tried once more, however long it was put off."""


class Machine:
    """A worker with a clock that can be set, and one that cannot."""

    def __init__(self, bag: Bag) -> None:
        self.now, self.passed, self.bag = NOW, 1_000.0, bag
        self.office = office_with(bag, jitter=1.0)
        self.begin()

    def begin(self) -> None:
        """The worker starts, or starts again."""
        rhythm, room = worker.RHYTHM["production"], Room("sqlite:///:memory:", 0)
        jobs = worker.jobs(self.office, rhythm, room, lambda: self.now, lambda: self.passed)
        (self.tick, _), (self.drain, _), *_ = jobs

    def runs(self, seconds: int) -> None:
        for second in range(0, seconds, 5):
            if second % 20 == 0:
                self.tick()
            self.drain()
            self.now, self.passed = self.now + 5, self.passed + 5


@pytest.fixture
def machine(stored: str, bag: Bag) -> Machine:
    return Machine(bag)


def refused(bag: Bag, problem: TransportError) -> None:
    bag.trouble = lambda parcel: problem


def test_a_letter_that_is_meant_to_wait_for_days_waits(machine: Machine, bag: Bag) -> None:
    owe_you("ann@example.org", 1, machine.now)
    store.execute("UPDATE outbox SET stream = ?, next_at = ?", f"{PUT_OFF}x", machine.now + 3 * DAY)
    machine.runs(60)
    assert bag.parcels == []

    store.execute("UPDATE outbox SET next_at = ?", machine.now + 400 * DAY)
    machine.runs(60)
    assert_all_left_once(machine, 1)


def assert_all_left_once(machine: Machine, letters: int) -> None:
    assert Counter(held("state")) == {"sent": letters}
    assert len(machine.bag.parcels) == len({parcel.mime for parcel in machine.bag.parcels})
    assert all(sent <= machine.now for sent in held("sent_at"))


@pytest.mark.parametrize("problem", [LATER, NEVER])
@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY, HOUR, -HOUR, 10 * DAY])
def test_a_clock_that_is_wrong_for_half_a_minute_costs_no_letter(
    machine: Machine, bag: Bag, jump: int, problem: TransportError
) -> None:
    for number in range(4):
        owe_you(f"old{number}@example.org", 1, machine.now)
    refused(bag, problem)
    machine.runs(300)
    machine.now += jump
    for number in range(4):
        owe_you(f"new{number}@example.org", 1, machine.now)
    machine.runs(30)
    assert "dead" not in held("state")
    machine.now -= jump
    bag.trouble = lambda parcel: None
    machine.runs(SETTLED if problem is LATER else SETTLED + HOUR)

    assert_all_left_once(machine, 8)


@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY])
def test_a_worker_that_starts_with_a_wrong_clock_loses_none(
    machine: Machine, bag: Bag, jump: int
) -> None:
    refused(bag, LATER)
    owe_you("ann@example.org", 1, machine.now)
    machine.runs(60)
    machine.now += jump
    machine.begin()
    owe_you("bob@example.org", 1, machine.now)
    machine.runs(60)
    machine.now -= jump
    bag.trouble = lambda parcel: None
    machine.runs(SETTLED)

    assert_all_left_once(machine, 2)


def test_a_sawtooth_burns_no_tries(machine: Machine, bag: Bag) -> None:
    """To and fro by an hour every few seconds, as two quarrelling time servers would set it."""
    refused(bag, LATER)
    owe_you("ann@example.org", 1, machine.now)
    machine.runs(60)
    for tooth in range(120):
        machine.now += HOUR if tooth % 2 else -HOUR
        machine.runs(10)
    tried = len(bag.offered)
    bag.trouble = lambda parcel: None
    machine.runs(SETTLED)

    assert tried <= 10 < MOST_TRIES, "as many as fit into twenty minutes"
    assert_all_left_once(machine, 1)


def test_ten_days_of_downtime_are_no_ten_days_of_tries(machine: Machine, bag: Bag) -> None:
    owe_you("ann@example.org", 1, machine.now)
    refused(bag, LATER)
    machine.runs(30)
    machine.now, machine.passed = machine.now + 10 * DAY, machine.passed + 10 * DAY
    machine.begin()
    machine.runs(300)
    bag.trouble = lambda parcel: None
    machine.runs(SETTLED)

    assert_all_left_once(machine, 1)


def test_the_clock_of_a_turn_does_not_start_at_a_wrong_time(machine: Machine, bag: Bag) -> None:
    """Its letter leaves between a jump and the tick that notices it."""
    sitting = sit_down(machine.now)
    refused(bag, LATER)
    machine.runs(60)
    bag.trouble = lambda parcel: None
    machine.now += 400 * DAY
    store.execute("UPDATE outbox SET next_at = ?", machine.now)
    machine.drain()
    machine.now -= 400 * DAY
    machine.runs(60)

    since = turn_of(sitting.match).since
    assert since is not None and since <= machine.now
    assert all(sent <= machine.now for sent in held("sent_at", "state = 'sent'"))


@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY, HOUR])
def test_a_lease_that_a_wrong_clock_has_dated_is_over(stored: str, jump: int) -> None:
    owe_you("ann@example.org", 1, NOW)
    store.execute("UPDATE outbox SET next_at = ?", NOW - 500 * DAY)
    assert len(claim("killed", NOW + jump)) == 1

    assert len(claim(WORKER, NOW + LEASE)) == 1


def test_clocks_of_two_machines_may_differ_a_little(stored: str) -> None:
    owe_you("ann@example.org", 1, NOW)
    claim("ahead", NOW + 300)

    assert claim(WORKER, NOW) == []


def test_steady_time_follows_a_clock_that_was_found_right(stored: str) -> None:
    """Somebody sets the clock right by an hour, and the ticker believes it after a while."""
    wall, passed = [NOW], [0.0]
    steady = SteadyTime(lambda: wall[0], lambda: passed[0])
    assert steady() == NOW
    store.execute("INSERT INTO heartbeat (id, ticked_at, why) VALUES (1, ?, '')", NOW)
    wall[0], passed[0] = NOW + HOUR + 10, 10.0
    assert steady() == NOW + 10
    store.execute("UPDATE heartbeat SET ticked_at = ?", NOW + HOUR)

    assert steady() == NOW + HOUR + 10
