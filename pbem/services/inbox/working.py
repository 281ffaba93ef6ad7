"""Working on what was kept: each mail is read apart, and ends in the transaction that obeys it.

Any number of workers may do so at once: a mail is claimed past those that others have, and only
who still has it may end it. Whatever fails three times is set aside until an operator looks.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from peewee import PeeweeException

from pbem import sealing
from pbem.db.models import Incoming
from pbem.db.reading import changed
from pbem.db.store import execute, rows, unclaimed, writing
from pbem.deadlines import MINUTE
from pbem.errors import whereabouts
from pbem.incoming.mails import IncomingMail, Unreadable
from pbem.return_addresses import BOUNCE
from pbem.services.inbox import arrivals, bounces, replies
from pbem.services.inbox.kept_mails import (
    LEASED,
    QUARANTINED,
    RECEIVED,
    REJECTED,
    Ending,
    KeptMail,
)
from pbem.services.players import staff_alerts
from pbem.services.players.process_settings import settings

log = logging.getLogger(__name__)

LEASE = MINUTE
"""Far longer than reading and obeying one mail may take."""
APART = 10 * MINUTE
"""By how much clocks of several machines may differ."""
PAUSES = (MINUTE, 5 * MINUTE)
"""After a failure; what fails once more than that is set aside."""
_FAILED = re.compile(r"(\d+)x ")
"""How the reason of a mail begins that has failed so often, and waits for the next try."""
MOST_CLAIMS = 100
"""How often a mail may be taken up and not be ended: something in it ends the worker itself."""

Read = Callable[[bytes, str, str], IncomingMail]
"""Reads a mail: its bytes, the sender of its envelope, whose word counts about its sender."""

# What was taken up in vain comes behind all others: a mail that ends its worker holds up none.
_CLAIM = f"""
    WITH ready AS (
        SELECT id FROM incoming WHERE state = '{RECEIVED}' AND next_at <= ?
        ORDER BY attempts, next_at, id LIMIT 1{{unclaimed}}
    )
    UPDATE incoming SET state = '{LEASED}', lease_by = ?, lease_until = ?, attempts = attempts + 1
    WHERE id IN (SELECT id FROM ready) AND state = '{RECEIVED}'
    RETURNING id, recipient, sender, mime, received_at, attempts, reason
"""


class Claimed(NamedTuple):
    """A mail that is this worker's for a while."""

    id: int
    recipient: str
    sender: str
    mime: bytes
    received_at: int
    attempts: int
    """How often it was taken up; also by workers that died over something else."""
    reason: str
    """Of a mail that has failed before: how often, and why at last."""

    @property
    def failures(self) -> int:
        found = _FAILED.match(self.reason)
        return int(found[1]) if found else 0


def work(read: Read, worker: str, now: int, stopwatch: Callable[[], float] = time.monotonic) -> int:
    """Work on what was kept, one mail after another, until nothing is left; how many ended."""
    begun, ended = stopwatch(), 0
    while True:
        moment = now + int(stopwatch() - begun)
        claimed = claim(worker, moment)
        if claimed is None:
            return ended
        ended += _work_on(read, worker, claimed, moment)


def claim(worker: str, now: int) -> Claimed | None:
    """Take the next mail that is ready; nobody else has it now."""
    with writing():
        _let_go(now)
        taken = rows(_CLAIM.format(unclaimed=unclaimed()), now, worker, now + LEASE)
    return next((Claimed(*values) for values in taken), None)


def _let_go(now: int) -> None:
    """Leases that are over, and times that only a wrong clock can have set."""
    execute(
        f"UPDATE incoming SET state = '{RECEIVED}' WHERE id IN (SELECT id FROM incoming"
        f" WHERE state = '{LEASED}' AND (lease_until <= ? OR lease_until > ?){unclaimed()})",
        now,
        now + LEASE + APART,
    )
    execute(
        "UPDATE incoming SET next_at = ? WHERE id IN (SELECT id FROM incoming"
        f" WHERE state = '{RECEIVED}' AND next_at > ?{unclaimed()})",
        now,
        now + PAUSES[-1] + APART,
    )


def _work_on(read: Read, worker: str, claimed: Claimed, now: int) -> bool:
    """Whether the mail has ended, well or not; a mail that cannot be worked on stops no other."""
    try:
        if claimed.attempts > MOST_CLAIMS:
            raise RuntimeError("nobody who took it up has come back")
        mail = _read(read, claimed)
        with writing():
            if not _is_ours(worker, claimed.id):
                return False
            _write_end(claimed.id, _obey(claimed, mail, now), now)
        return True
    except PeeweeException:
        with suppress(PeeweeException):  # a database that is away says nothing about a mail
            _give_back(worker, claimed)
        raise
    except Exception as error:  # whatever is wrong with one mail, the others are worked on
        return _put_off(worker, claimed, error, now)


def _read(read: Read, claimed: Claimed) -> IncomingMail | Unreadable:
    raw = sealing.opened(arrivals.PURPOSE, claimed.id, bytes(claimed.mime))
    if raw is None:
        return Unreadable("its key is gone")
    try:
        return read(raw, claimed.sender, settings.authserv_id)
    except Unreadable as why:
        return why


def _obey(claimed: Claimed, mail: IncomingMail | Unreadable, now: int) -> Ending:
    if isinstance(mail, Unreadable):
        return Ending(REJECTED, str(mail))
    address = arrivals.return_address(claimed.recipient)
    if address is None:
        return Ending(REJECTED, "no address of ours any more")
    kept = KeptMail(claimed.id, address, claimed.recipient, claimed.sender, claimed.received_at)
    take = bounces.take if address.use == BOUNCE else replies.take
    return take(kept, mail, now)


# --- what is written into the row ----------------------------------------------------------------


def _ours(worker: str, number: int) -> Any:
    """That a mail is still this worker's."""
    return (Incoming.id == number) & (Incoming.state == LEASED) & (Incoming.lease_by == worker)


def _is_ours(worker: str, number: int) -> bool:
    """Whether no other worker has claimed it since; none can before this transaction is over."""
    held = Incoming.update(lease_by=Incoming.lease_by).where(_ours(worker, number))
    return changed(held) == 1


def _write_end(number: int, ending: Ending, now: int) -> None:
    Incoming.update(
        state=ending.state,
        reason=ending.reason[:40],
        player=ending.player,
        match=ending.match,
        done_at=now,
    ).where(Incoming.id == number).execute()


def _give_back(worker: str, claimed: Claimed) -> None:
    with writing():
        back = Incoming.update(state=RECEIVED, attempts=Incoming.attempts - 1)
        back.where(_ours(worker, claimed.id)).execute()


def _put_off(worker: str, claimed: Claimed, error: Exception, now: int) -> bool:
    """Try again later, or never; whether that was the end."""
    failures, why = claimed.failures + 1, whereabouts(error)
    is_end = failures > len(PAUSES) or claimed.attempts > MOST_CLAIMS
    log.error("cannot work on a mail id=%s failures=%s why=%s", claimed.id, failures, why)
    with writing():
        Incoming.update(
            state=QUARANTINED if is_end else RECEIVED,
            reason=(why if is_end else f"{failures}x {why}")[:40],
            next_at=now if is_end else now + PAUSES[failures - 1],
            done_at=now if is_end else None,
        ).where(_ours(worker, claimed.id)).execute()
        if is_end:
            staff_alerts.tell_of_quarantine(now)
    return is_end
