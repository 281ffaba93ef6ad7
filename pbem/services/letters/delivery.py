"""Sending side by side: what is ready goes into lanes, what comes back is written down.

One thread claims, writes and records; the lanes only carry. A call ends when nothing but slow
letters is on the way; those stay ours, and the next call collects them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pbem.db.store import writing
from pbem.mail.lanes import LANES, PER_RIDE, Lanes, domain_of
from pbem.mail.parcels import Parcel
from pbem.services.letters import outbox
from pbem.services.letters.claims import LEASE, claim
from pbem.services.letters.composing import prepared
from pbem.services.letters.leases import renew
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.recording import record
from pbem.services.letters.verdicts import Batch, Drained, Verdict, is_way_closed, judge
from pbem.services.records.letter_queue import QueuedLetter

LOOK_EVERY = 1.0
"""Seconds after which new letters are looked for while others are on the way."""
PATIENCE = 10.0
"""Seconds that a worker that stops waits for letters on the way."""


def drain(
    settings: MailSettings, worker: str, now: int, stopwatch: Callable[[], float] = time.monotonic
) -> Drained:
    """Send what is ready until nothing is, or the way is closed."""
    if settings.lanes is None:
        return outbox.drain(settings, worker, now, stopwatch)
    return _Round(settings, settings.lanes, worker, now, stopwatch).run()


def settle(settings: MailSettings, worker: str, now: int, patience: float = PATIENCE) -> None:
    """Write down what became of letters that are on the way, before the worker ends."""
    if settings.lanes is None:
        return
    last = _Round(settings, settings.lanes, worker, now, time.monotonic)
    until = time.monotonic() + patience
    while settings.lanes.out() and time.monotonic() < until:
        last.collect(LOOK_EVERY)


class _Round:
    """One call: the letters that were sent in it, and when it was looked at what."""

    def __init__(
        self,
        settings: MailSettings,
        lanes: Lanes[QueuedLetter],
        worker: str,
        now: int,
        stopwatch: Callable[[], float],
    ) -> None:
        self.settings, self.lanes, self.worker = settings, lanes, worker
        self._now, self._stopwatch, self._begun = now, stopwatch, stopwatch()
        self._is_open = True
        self._most = 2 * LANES
        """How many letters to claim: twice as many as found room the last time."""
        self._total = Drained()

    def run(self) -> Drained:
        self.collect(0)
        self._renew()
        while True:
            waits = self._claim() or self.lanes.is_busy()
            if not self.collect(LOOK_EVERY if waits else 0) and not waits:
                return self._total
            if self._stopwatch() > self._renewed + LEASE / 4:
                self._renew()

    @property
    def moment(self) -> int:
        return self._now + int(self._stopwatch() - self._begun)

    def collect(self, wait: float) -> bool:
        """Write down what has come back, if anything has; whether it has.

        When the way is closed one letter was tried, and the others were not.
        """
        verdicts, untried = list[Verdict](), list[int]()
        for letter, problem, was_tried in self.lanes.finished(wait):
            is_closed = is_way_closed(problem)
            if not was_tried or (is_closed and not self._is_open):
                untried.append(letter.id)
                continue
            self._is_open = self._is_open and not is_closed
            verdicts.append(judge(self.settings, letter, problem, self.moment))
        if verdicts or untried:
            self._write(Batch(verdicts, untried, self._is_open))
        return bool(verdicts or untried)

    def _renew(self) -> None:
        self._renewed = self._stopwatch()
        with writing():
            renew(self.worker, [letter.id for letter in self.lanes.out()], self.moment)

    def _claim(self) -> bool:
        """Begin as many rides as there is room for; whether there was anything to do."""
        most = min(self._most, self.lanes.room() * PER_RIDE) if self._is_open else 0
        claimed = claim(self.worker, self.moment, most, self.lanes.full()) if most else []
        if not claimed:
            return False
        underway, until = {one.id for one in self.lanes.out()}, self._stopwatch() + LEASE / 4
        fresh = [letter for letter in claimed if letter.id not in underway]
        begun = set[int]()
        for ride in self.lanes.planned([(domain_of(one.facts.address), one) for one in fresh]):
            if self._is_open and self._stopwatch() < until:
                self._begin(ride)
                begun |= {letter.id for letter in ride}
                self.collect(0)
        self._most = max(LANES, 2 * len(begun))
        left = [letter.id for letter in fresh if letter.id not in begun]
        if left:
            self._write(Batch([], left, True))
        return True

    def _begin(self, ride: Sequence[QueuedLetter]) -> None:
        """Write letters, and send those that can be written."""
        verdicts, load = list[Verdict](), list[tuple[QueuedLetter, Parcel]]()
        for letter, result in prepared(self.settings, self.worker, ride, self.moment):
            if isinstance(result, Verdict):
                verdicts.append(result)
            else:
                load.append((letter, result))
        if verdicts:
            self._write(Batch(verdicts, [], True))
        if load:
            self.lanes.start(load)

    def _write(self, batch: Batch) -> None:
        record(self.worker, batch, self.moment)
        self._total = self._total.and_then(batch.counted())
