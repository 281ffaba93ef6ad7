"""Letters to the moderators are queued here; what they say is written in the room of letters.

They go through the outbox like any other: a moderator is a person known by an address, and so is a
player. That a moderator has such a row gives no seat anywhere.
"""

from __future__ import annotations

from typing import Any, Literal

from pbem.db.models import AuditHead
from pbem.db.reading import returned
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.services.players import accounts
from pbem.services.records import letter_queue
from pbem.services.records.audit_log import Head
from pbem.services.records.moderator_rows import all_moderators
from pbem.services.records.restorations import Restoration

KIND = "moderator"
Alert = Literal["credential", "step_up", "break_glass"]


def alert(what: Alert, who: str, entry: int, now: int, words: str = "") -> None:
    """Owe every moderator a letter about an entry of the log, in the transaction of the act."""
    for moderator in all_moderators():
        if moderator.disabled_at is None:
            tell(moderator.address, f"{what}:{entry}", now, what=what, who=who, at=now, words=words)


def tell_head(now: int) -> bool:
    """Owe every moderator the head of the log, once a day if it has grown; whether it was so.

    Whoever rewrites the log later cannot rewrite those letters.
    """
    with writing():
        today = now // DAY
        noted = AuditHead.update(told_day=today, told_seq=AuditHead.seq).where(
            AuditHead.id == 1, AuditHead.told_day != today, AuditHead.told_seq < AuditHead.seq
        )
        head = returned(noted.returning(AuditHead.seq, AuditHead.hash), Head)
        if head is None:
            return False
        for moderator in all_moderators():
            if moderator.disabled_at is None:
                key = f"head:{head.seq}"
                tell(moderator.address, key, now, what="head", seq=head.seq, hash=head.hash, at=now)
        return True


def tell_of_unreachable(now: int) -> None:
    """Owe every moderator a letter that players cannot be reached; one a day says it of all."""
    for moderator in all_moderators():
        if moderator.disabled_at is None:
            tell(moderator.address, f"unreachable:{now // DAY}", now, what="unreachable", at=now)


def tell_of_quarantine(now: int) -> None:
    """Owe every moderator a letter that mails cannot be worked on; one a day says it of all."""
    for moderator in all_moderators():
        if moderator.disabled_at is None:
            tell(moderator.address, f"quarantined:{now // DAY}", now, what="quarantined", at=now)


def tell_of_restore(restoration: Restoration, now: int) -> None:
    """Owe every moderator a letter that the server went back, and what to look at."""
    for moderator in all_moderators():
        if moderator.disabled_at is None:
            key = f"restored:{restoration.mark}"
            tell(moderator.address, key, now, what="restored", at=restoration.back_to)


def tell(address: str, key: str, now: int, **about: Any) -> None:
    """Queue a letter to one moderator."""
    player = accounts.known_or_new(address, now)
    letter_queue.queue([letter_queue.to_player(player.id, player.epoch, KIND, key, **about)], now)
