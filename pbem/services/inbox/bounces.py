"""Letters that come back: what mail servers report about them."""

from __future__ import annotations

from pbem.incoming.mails import IncomingMail
from pbem.services.inbox.kept_mails import REJECTED, Ending, KeptMail


def take(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
    """Note what a report says of a letter, inside the transaction that writes its end."""
    return Ending(REJECTED, "not understood")
