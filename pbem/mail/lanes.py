"""Lanes: several connections to the mail server at once, and only a few for any one domain.

A server, or the relay in front of it, may take minutes to answer for one domain. So the first
letters to a domain travel alone; only domains that were quick share a ride, which saves them the
way there and lets one letter follow close behind another. A lane that has been held for a while is
slow and leaves its place to others, letters behind the one that holds it are called back, and a
domain that was slow gets slow lanes only. Threads carry letters and nothing else: what became of
them is collected, and written down, by whoever started them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Sequence
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, Protocol, TypeVar

from pbem.errors import TransportError
from pbem.mail.parcels import Parcel

LANES, SLOW_LANES = 8, 8
PER_DOMAIN = 2
SLOW = 5.0
"""Seconds after which a letter that is on the way holds up others no longer."""
REMEMBERED = 600.0
"""Seconds for which a domain that was slow counts as slow, and one that was quick as quick."""
PER_RIDE = 10
"""Letters that travel together at most."""
MOST_QUICK = 5_000
"""Domains that are remembered as quick."""


class Way(Protocol):
    """A connection, as `pbem.mail.transport` makes them."""

    def deliver(self, parcels: Sequence[Parcel]) -> Generator[TransportError | None]: ...

    def cut(self) -> None: ...

    def close(self) -> None: ...


T = TypeVar("T")
"""A letter, as whoever sends it knows it."""
L = TypeVar("L")
"""The same before it has a parcel."""


class Done(NamedTuple, Generic[T]):
    """A letter that is back from its lane."""

    letter: T
    problem: TransportError | None
    was_tried: bool


class _Ride(Generic[T]):
    """Letters on the way, one after another over one connection."""

    def __init__(self, load: Sequence[tuple[T, Parcel]], now: float) -> None:
        self.letters = [letter for letter, _ in load]
        self.parcels = [parcel for _, parcel in load]
        self.begun = self.moved = now
        self.back = 0
        """How many have come back."""
        self.way: Way | None = None

    @property
    def domain(self) -> str:
        """Where the letter goes that is on the way now."""
        return domain_of(self.parcels[min(self.back, len(self.parcels) - 1)].recipient)

    @property
    def domains(self) -> set[str]:
        """Where it has letters to that are not back."""
        return {domain_of(parcel.recipient) for parcel in self.parcels[self.back :]}

    def call_back(self) -> list[T]:
        """Take out what has not begun: behind a letter the envelope of the next one may travel."""
        begun = self.back + 2
        untried = self.letters[begun:]
        del self.letters[begun:], self.parcels[begun:]
        return untried


def domain_of(address: str) -> str:
    return address.rpartition("@")[2].lower()


class Lanes(Generic[T]):
    def __init__(
        self,
        open_way: Callable[[], Way],
        slow: float = SLOW,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open_way, self._slow_after, self._stopwatch = open_way, slow, stopwatch
        self._lock = threading.Lock()
        self._rides: list[_Ride[T]] = []
        self._idle: list[Way] = []
        self._slow: dict[str, float] = {}
        """Domains that were slow, with when."""
        self._quick: dict[str, float] = {}
        """Those that were quick, those that were so last at the end."""
        self._back: SimpleQueue[Done[T]] = SimpleQueue()
        self._out: list[T] = []

    # --- what there is room for ---

    def room(self) -> int:
        """How many rides can begin now."""
        with self._lock:
            return max(0, LANES - self._held())

    def is_busy(self) -> bool:
        """Whether letters are on the way that will be back soon."""
        with self._lock:
            return len(self._rides) > self._slow_rides()

    def full(self) -> list[str]:
        """The domains whose letters have to wait."""
        with self._lock:
            rides = Counter(domain for ride in self._rides for domain in ride.domains)
            slow = {domain for domain in [*rides, *self._slow] if self._is_slow(domain)}
            no_more = slow if self._slow_rides() >= SLOW_LANES else slow & rides.keys()
            return sorted(no_more | {one for one, count in rides.items() if count >= PER_DOMAIN})

    def planned(self, letters: Sequence[tuple[str, L]]) -> list[list[L]]:
        """Letters, each with its domain, as the rides that there is room for now.

        Those to a domain stay together; domains that were quick share rides, and leave room for
        others.
        """
        by_domain = defaultdict[str, list[L]](list)
        for domain, letter in letters:
            by_domain[domain].append(letter)
        room = self.room()
        with self._lock:
            quick = [load for domain, load in by_domain.items() if self._is_quick(domain)]
            alone = [load for domain, load in by_domain.items() if not self._is_quick(domain)]
        wanted = -(-sum(map(len, quick)) // PER_RIDE)
        shared: list[list[L]] = [[] for _ in range(min(room, wanted, max(1, room - len(alone))))]
        for load in quick if shared else ():
            min(shared, key=len).extend(load)
        rides = [*filter(None, shared), *alone[: room - len(shared)]]
        return [ride[:PER_RIDE] for ride in rides]

    def out(self) -> list[T]:
        """The letters that are on the way, or whose fate was not collected yet."""
        return list(self._out)

    def _held(self) -> int:
        return len(self._rides) - min(SLOW_LANES, self._slow_rides())

    def _slow_rides(self) -> int:
        return sum(self._is_slow(ride.domain) for ride in self._rides)

    def _is_slow(self, domain: str) -> bool:
        """Whether a letter to a domain takes long, or took long not long ago."""
        now = self._stopwatch()
        if any(
            ride.domain == domain and now - ride.moved > self._slow_after for ride in self._rides
        ):
            self._slow[domain] = now
        return now - self._slow.get(domain, -REMEMBERED) < REMEMBERED

    def _is_quick(self, domain: str) -> bool:
        """Whether the last letter to a domain was taken at once, not long ago."""
        return self._stopwatch() - self._quick.get(domain, -REMEMBERED) < REMEMBERED

    # --- carrying ---

    def start(self, load: Sequence[tuple[T, Parcel]]) -> None:
        """Send letters over one connection, each with its parcel."""
        ride = _Ride(load, self._stopwatch())
        self._out += ride.letters
        with self._lock:
            self._rides.append(ride)
            ride.way = self._idle.pop() if self._idle else self._open_way()
        threading.Thread(target=self._carry, args=(ride, ride.way), daemon=True).start()

    def _carry(self, ride: _Ride[T], way: Way) -> None:
        tried = 0
        deliveries = way.deliver(ride.parcels)
        try:
            for problem in deliveries:
                self._back.put(Done(ride.letters[tried], problem, True))
                tried += 1
                if not self._goes_on(ride, problem is None):
                    break
        finally:
            deliveries.close()
            with self._lock:  # from now on nobody waits for more
                for letter in ride.letters[tried:]:
                    self._back.put(Done(letter, None, False))
                self._rides.remove(ride)
                self._idle.append(way)

    def _goes_on(self, ride: _Ride[T], was_taken: bool) -> bool:
        """A letter is back; whether those behind it may use the lane, or others should."""
        now = self._stopwatch()
        with self._lock:
            self._remember(ride.domain, now, now - ride.moved > self._slow_after, was_taken)
            ride.moved, ride.back = now, ride.back + 1
        return now - ride.begun <= self._slow_after

    def _remember(self, domain: str, now: float, was_slow: bool, was_taken: bool) -> None:
        self._quick.pop(domain, None)
        if was_slow:
            self._slow[domain] = now
            return
        self._slow.pop(domain, None)
        if was_taken:
            self._quick[domain] = now
        if len(self._quick) > MOST_QUICK:
            del self._quick[next(iter(self._quick))]

    def _call_back(self) -> None:
        """What is behind a letter that takes long goes another way."""
        now = self._stopwatch()
        with self._lock:  # meanwhile no ride goes on to its next letter
            for ride in self._rides:
                if now - ride.moved > self._slow_after:
                    for letter in ride.call_back():
                        self._back.put(Done(letter, None, False))

    def finished(self, wait: float) -> list[Done[T]]:
        """What has come back; waits for the first one, but not for longer than that."""
        self._call_back()
        found: list[Done[T]] = []
        try:
            found.append(self._back.get(timeout=wait) if wait else self._back.get_nowait())
            while True:
                found.append(self._back.get_nowait())
        except Empty:
            for done in found:
                self._out.remove(done.letter)
            return found

    def close(self) -> None:
        """Hang up; what is still on the way is cut off."""
        with self._lock:
            idle, self._idle = self._idle, []
            ways = [ride.way for ride in self._rides if ride.way is not None]
        for way in idle:
            way.close()
        for way in ways:
            way.cut()
