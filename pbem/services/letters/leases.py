"""Leases: letters stay one worker's while they are on the way, or become anybody's again.

A lease is short and renewed while its letter is on the way, so that what a dead worker had is taken
up within a minute.
"""

from __future__ import annotations

from collections.abc import Sequence

from peewee import Expression

from pbem.db.models import Outbox
from pbem.services.letters.claims import LEASE
from pbem.services.records.letter_queue import LEASED, QUEUED


def renew(worker: str, letters: Sequence[int], now: int) -> None:
    """Letters that are still on the way stay ours."""
    if letters:
        Outbox.update(lease_until=now + LEASE).where(ours(worker), Outbox.id.in_(letters)).execute()


def give_back(worker: str, letters: Sequence[int]) -> None:
    """Letters that were not tried are anybody's again."""
    if letters:
        Outbox.update(state=QUEUED).where(ours(worker), Outbox.id.in_(letters)).execute()


def ours(worker: str) -> Expression:
    """That no other worker has claimed a letter since."""
    return (Outbox.state == LEASED) & (Outbox.lease_by == worker)
