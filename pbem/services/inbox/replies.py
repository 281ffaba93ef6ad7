"""Replies to the letters of a turn."""

from __future__ import annotations

from pbem.incoming.mails import IncomingMail
from pbem.services.inbox.kept_mails import REJECTED, Ending, KeptMail


def take(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
    """Do what a reply says, inside the transaction that writes its end."""
    return Ending(REJECTED, "not understood")
