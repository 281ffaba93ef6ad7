"""Letters side by side: a hung domain delays only itself, nothing is doubled or out of order."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from random import Random

import pytest

from pbem.db.store import rows, writing
from pbem.errors import TransportError
from pbem.mail import lanes as module
from pbem.mail.lanes import LANES, PER_DOMAIN, PER_RIDE, Done, Lanes
from pbem.mail.parcels import Parcel
from pbem.mail.smtp_client import Timeouts
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import delivery, verdicts
from pbem.services.letters.claims import LEASE, claim
from pbem.services.letters.leases import renew
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.verdicts import Drained
from tests.kit.smtp_sink import Act, Cut, SmtpSink
from tests.mail.posting import WORKER, office_with, owe_you
from tests.mail.posting import outbox as held
from tests.mail.test_outbox import assert_in_order
from tests.services.people import NOW

pytestmark = pytest.mark.whole

QUICK = 0.2
"""Seconds after which a lane is slow in these tests."""
HASTE = Timeouts(5, 5, 5, 5, 8)


def office_of(sink: SmtpSink, slow: float = QUICK) -> MailSettings:
    def open_way() -> SmtpTransport:
        return SmtpTransport(sink.url, "play.example", HASTE)

    return office_with(open_way())._replace(lanes=Lanes(open_way, slow))


def drain(office: MailSettings, now: int = NOW) -> Drained:
    return delivery.drain(office, WORKER, now)


@pytest.fixture
def office(stored: str, smtp_sink: SmtpSink) -> Iterator[MailSettings]:
    office = office_of(smtp_sink)
    yield office
    office.close()


# --- over a real server ---------------------------------------------------------------------------


def when_received(sink: SmtpSink, count: int) -> Callable[[], float]:
    """How many seconds from now on the server has so many letters."""
    begun, seen = time.monotonic(), list[float]()

    def watch() -> None:
        sink.wait_for(count, seconds=30)
        seen.append(time.monotonic() - begun)

    thread = threading.Thread(target=watch)
    thread.start()

    def told() -> float:
        thread.join()
        return seen[0]

    return told


@pytest.mark.whole
def test_domains_that_hang_hold_up_no_other(office: MailSettings, smtp_sink: SmtpSink) -> None:
    """Sending, to a thirtieth: a tenth hangs for 200 s, 95 % of the others leave within 60 s."""
    domains, hung, scale = 60, 6, 30
    for number in range(domains):
        owe_you(f"ann@d{number}.example", 1, NOW)
        if number % (domains // hung) == 0:
            smtp_sink.to[f"ann@d{number}.example"] = Act(delay=200 / scale / 3)
    others = domains - hung
    told = when_received(smtp_sink, round(0.95 * others))
    drain(office)
    took = told()
    for _ in range(100):
        drain(office)
        if not office.lanes or not office.lanes.out():
            break
        time.sleep(0.1)

    assert took < 60 / scale
    assert Counter(held("state")) == {"sent": domains}
    assert len(smtp_sink.received) == domains


def test_through_lanes_streams_stay_in_order(office: MailSettings, smtp_sink: SmtpSink) -> None:
    dice = Random(5)
    for number in range(12):
        owe_you(f"ann@d{number}.example", 4, NOW)
    moods = [Act(), Act(), Act(rcpt="450 4.2.1 busy"), Act(data="451 4.3.0 later")]
    moods += [Act(cut=Cut.IN_THE_DATA), Act(rcpt="421 4.3.2 closing")]
    smtp_sink.script(*dice.choices(moods, k=60))
    now = NOW
    while set(held("state")) != {"sent"}:
        drain(office, now)
        now += 1_800
        assert now < NOW + verdicts.GIVE_UP

    assert len(smtp_sink.received) == 48
    assert_in_order([Parcel(one.sender, one.recipients[0], one.data) for one in smtp_sink.received])


def test_through_lanes_a_cut_after_the_dot_makes_one_copy_more(
    office: MailSettings, smtp_sink: SmtpSink
) -> None:
    cuts = 6
    for number in range(20):
        owe_you(f"ann@d{number}.example", 1, NOW)
    smtp_sink.script(*[act for _ in range(cuts) for act in (Act(), Act(cut=Cut.AFTER_THE_DOT))])
    now = NOW
    while set(held("state")) != {"sent"}:
        drain(office, now)
        now += 600
    copies = Counter(str(letter.message["Message-ID"]) for letter in smtp_sink.received)

    assert len(copies) == 20
    assert sum(copies.values()) == 20 + cuts


def test_a_closed_way_costs_one_try(stored: str, smtp_sink: SmtpSink) -> None:
    office = office_of(smtp_sink, slow=5)
    for number in range(30):
        owe_you(f"ann@d{number}.example", 1, NOW)
    with smtp_sink.refusing():
        drain(office)
    tried = Counter(held("attempts"))
    drain(office, NOW + 600)
    office.close()

    assert tried == {0: 29, 1: 1}
    assert set(held("state")) == {"sent"}


def test_a_letter_on_the_way_stays_ours_and_is_collected_later(
    office: MailSettings, smtp_sink: SmtpSink
) -> None:
    """A slow answer outlasts many leases; no other worker gets the letter meanwhile."""
    owe_you("ann@slow.example", 1, NOW)
    smtp_sink.to["ann@slow.example"] = Act(delay=0.7)
    now, looks = NOW, 0
    while held("state") != ["sent"]:
        drain(office, now)
        if held("state") != ["sent"]:
            assert claim("another", now + LEASE - 1) == []
            looks += 1
            time.sleep(0.1)
        now += LEASE // 2

    assert looks >= 2
    assert len(smtp_sink.received) == 1
    assert held("attempts") == [1]


def test_what_a_dead_worker_had_is_taken_up_within_a_minute(stored: str) -> None:
    owe_you("ann@example.org", 1, NOW)
    assert len(claim("killed", NOW)) == 1

    assert claim(WORKER, NOW + 59) == []
    assert len(claim(WORKER, NOW + 60)) == 1


def test_who_stops_writes_down_what_is_on_the_way(
    office: MailSettings, smtp_sink: SmtpSink
) -> None:
    owe_you("ann@slow.example", 1, NOW)
    smtp_sink.to["ann@slow.example"] = Act(delay=0.7)
    drain(office)
    assert held("state") == ["leased"]
    delivery.settle(office, WORKER, NOW + 2)

    assert held("state, attempts") == [("sent", 1)]


def test_a_letter_has_no_more_than_its_time(stored: str, smtp_sink: SmtpSink) -> None:
    """Each phase is in time, the letter is not."""
    smtp_sink.otherwise = Act(delay=0.4)
    way = SmtpTransport(smtp_sink.url, "play.example", Timeouts(5, 5, 5, 5, 0.6))
    begun = time.monotonic()
    (problem,) = way.deliver([Parcel("a@play.example", "b@x.example", b"To: b\r\n\r\nx\r\n")])
    way.close()

    assert problem is not None and not problem.permanent
    assert time.monotonic() - begun < 1.1


# --- the lanes alone ------------------------------------------------------------------------------


def load(*addresses: str) -> list[tuple[str, Parcel]]:
    """Letters that are known by their addresses, each with its parcel."""
    return [(address, Parcel("pbem@play.example", address, b"")) for address in addresses]


class Road:
    """Counts who travels at the same time, and lets nobody arrive before it is told to."""

    def __init__(self) -> None:
        self.now, self.most = Counter[str](), Counter[str]()
        self.gates: dict[str, threading.Event] = defaultdict(threading.Event)
        self._lock = threading.Lock()

    def deliver(self, parcels: Sequence[Parcel]) -> Generator[TransportError | None]:
        for parcel in parcels:
            domain = parcel.recipient.partition("@")[2]
            with self._lock:
                self.now[domain] += 1
                self.now["all"] += 1
                self.most |= self.now
            self.gates[domain].wait(10)
            with self._lock:
                self.now[domain] -= 1
                self.now["all"] -= 1
            yield None

    def cut(self) -> None:
        pass

    def close(self) -> None:
        pass


def everything_from(lanes: Lanes[str]) -> list[Done[str]]:
    back = list[Done[str]]()
    while lanes.out():
        back += lanes.finished(1)
    return back


def test_a_domain_has_few_lanes_and_hung_ones_leave_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SLOW_LANES", 3)
    road, clock = Road(), [0.0]
    lanes: Lanes[str] = Lanes(lambda: road, slow=5.0, stopwatch=lambda: clock[0])
    for _ in range(PER_DOMAIN):
        assert lanes.full() == []
        lanes.start(load("x@a"))
    assert lanes.full() == ["a"]
    assert lanes.room() == LANES - PER_DOMAIN

    clock[0] = 6.0  # both are slow by now
    assert lanes.room() == LANES
    assert not lanes.is_busy()
    for domain in ("b", "c"):
        lanes.start(load(f"x@{domain}"))
    assert lanes.is_busy()
    clock[0] = 12.0
    assert lanes.room() == LANES - 1, "three may be slow; the fourth holds up others"
    assert lanes.full() == ["a", "b", "c"]

    for gate in "abc":
        road.gates[gate].set()
    back = everything_from(lanes)
    assert sorted(done.letter for done in back) == ["x@a", "x@a", "x@b", "x@c"]
    assert lanes.out() == []
    assert lanes.full() == [], "slow lanes are free again"
    road.gates["a"].clear()
    lanes.start(load("y@a"))
    assert lanes.full() == ["a"], "who was slow has one lane"
    road.gates["a"].set()
    everything_from(lanes)


def test_letters_behind_a_slow_one_go_back_untried() -> None:
    road, clock = Road(), [0.0]
    lanes: Lanes[str] = Lanes(lambda: road, slow=5.0, stopwatch=lambda: clock[0])
    lanes.start(load(*(f"{number}@a" for number in range(3))))
    clock[0] = 6.0
    road.gates["a"].set()
    back = everything_from(lanes)

    tried = {done.letter: done.was_tried for done in back}
    assert tried == {"0@a": True, "1@a": False, "2@a": False}


def test_letters_behind_a_slow_one_are_called_back_while_it_is_on_the_way() -> None:
    """But not the next one: its envelope may have gone with it."""
    road, clock = Road(), [0.0]
    lanes: Lanes[str] = Lanes(lambda: road, slow=5.0, stopwatch=lambda: clock[0])
    road.gates["b"].set()
    lanes.start(load("1@a", "2@b", "3@b", "4@c"))
    assert lanes.finished(0) == []
    clock[0] = 6.0
    back = lanes.finished(0)
    assert [(done.letter, done.was_tried) for done in back] == [("3@b", False), ("4@c", False)]
    assert lanes.out() == ["1@a", "2@b"]

    road.gates["a"].set()
    back = everything_from(lanes)
    assert [(done.letter, done.was_tried) for done in back] == [("1@a", True), ("2@b", False)]


def sent_by(lanes: Lanes[str], *addresses: str) -> None:
    lanes.start(load(*addresses))
    everything_from(lanes)


def planned(lanes: Lanes[str], *addresses: str) -> list[list[str]]:
    return lanes.planned([(module.domain_of(one), one) for one in addresses])


def test_only_domains_that_were_quick_share_a_ride() -> None:
    road, clock = Road(), [0.0]
    lanes: Lanes[str] = Lanes(lambda: road, slow=5.0, stopwatch=lambda: clock[0])
    for gate in "abc":
        road.gates[gate].set()
    sent_by(lanes, "1@a")
    sent_by(lanes, "1@b")

    assert planned(lanes, "2@a", "2@new", "2@b", "3@new") == [["2@a", "2@b"], ["2@new", "3@new"]]
    clock[0] = module.REMEMBERED
    assert planned(lanes, "2@a", "2@b") == [["2@a"], ["2@b"]], "that was long ago"


def test_a_domain_that_was_slow_shares_no_ride() -> None:
    road, clock = Road(), [0.0]
    lanes: Lanes[str] = Lanes(lambda: road, slow=5.0, stopwatch=lambda: clock[0])
    road.gates["a"].set()
    sent_by(lanes, "1@a")
    road.gates["a"].clear()
    lanes.start(load("2@a"))
    clock[0] = 6.0
    road.gates["a"].set()
    everything_from(lanes)
    road.gates["b"].set()
    sent_by(lanes, "1@b")

    assert planned(lanes, "3@a", "2@b") == [["2@b"], ["3@a"]]


def test_rides_that_are_shared_leave_room_for_domains_that_nobody_knows() -> None:
    road = Road()
    lanes: Lanes[str] = Lanes(lambda: road)
    road.gates["a"].set()
    sent_by(lanes, "1@a")
    many = [f"{number}@a" for number in range(3 * PER_RIDE)]
    rides = planned(lanes, *many, *(f"1@new{number}" for number in range(LANES)))

    assert [len(ride) for ride in rides] == [PER_RIDE, *[1] * (LANES - 1)]
    assert planned(lanes, *many) == [many[:PER_RIDE]], "a domain has one ride at a time"


def test_no_more_domains_are_remembered_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_QUICK", 2)
    road = Road()
    lanes: Lanes[str] = Lanes(lambda: road)
    for domain in "abc":
        road.gates[domain].set()
        sent_by(lanes, f"1@{domain}")

    assert planned(lanes, "2@a", "2@b", "2@c") == [["2@b", "2@c"], ["2@a"]]


def test_leases_of_nobody_are_not_renewed(stored: str) -> None:
    owe_you("ann@example.org", 1, NOW)
    claim("another", NOW)
    with writing():
        renew(WORKER, [1], NOW + 30)

    assert rows("SELECT lease_until FROM outbox") == [(NOW + LEASE,)]
