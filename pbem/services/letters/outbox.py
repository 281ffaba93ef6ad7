"""The outbox: queued letters become bytes and are handed over, in order, until they have arrived.

    queued --claim--> leased --taken--> sent, its bytes are gone
      ^                 |--refused, link lost--> queued, later, with the same Message-ID
      |--lease is over--|--refused for good six times, tried for five days--> dead
    queued or leased --no longer true--> superseded
    sent --comes back--> returned

Any number of workers may drain at once: a row is claimed by a conditional UPDATE. This module sends
over one connection, one letter after another; `pbem.services.letters.delivery` sends side by side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pbem.db.store import writing
from pbem.mail.parcels import LinkLost, Parcel
from pbem.services.letters.claims import BATCH, LEASE, claim
from pbem.services.letters.composing import prepared
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.recording import record
from pbem.services.letters.verdicts import Batch, Drained, Verdict, judge
from pbem.services.records.letter_queue import QueuedLetter

PATIENCE = LEASE // 2
"""How long a batch may take before what is left of it is given back."""


def drain(
    settings: MailSettings,
    worker: str,
    now: int,
    stopwatch: Callable[[], float] = time.monotonic,
    most: int = BATCH,
) -> Drained:
    """Send what is ready, batch after batch, until nothing is or the way is closed."""
    total, begun, moment = Drained(), stopwatch(), now
    claimed = claim(worker, now, most)
    while claimed:
        batch = send_batch(settings, worker, claimed, moment, stopwatch)
        total = total.and_then(batch.counted())
        moment = now + int(stopwatch() - begun)
        with writing():  # what happened and what comes next, in one commit
            record(worker, batch, moment)
            claimed = claim(worker, moment, most) if batch.is_open else []
    return total


def send_batch(
    settings: MailSettings,
    worker: str,
    claimed: Sequence[QueuedLetter],
    now: int,
    stopwatch: Callable[[], float],
) -> Batch:
    begun, verdicts, is_open = stopwatch(), list[Verdict](), True
    ready = list[tuple[QueuedLetter, Parcel]]()
    for letter, result in prepared(settings, worker, claimed, now):
        if isinstance(result, Verdict):
            verdicts.append(result)
        else:
            ready.append((letter, result))
    tried = 0
    for problem in settings.transport.deliver([parcel for _, parcel in ready]):
        letter, _ = ready[tried]
        verdicts.append(judge(settings, letter, problem, now))
        tried += 1
        is_open = not isinstance(problem, LinkLost)
        if stopwatch() - begun > PATIENCE:
            break
    return Batch(verdicts, [letter.id for letter, _ in ready[tried:]], is_open)
