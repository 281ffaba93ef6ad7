"""Mails as they were kept, and what becomes of them.

received --claim--> leased --worked on--> applied, asked, rejected or ignored
  ^                   |--failed, later again
  |--lease is over----|--failed three times--> quarantined, until an operator looks
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from pbem.return_addresses import ReturnAddress
from pbem.services.records.incoming_mails import LEASED, QUARANTINED, RECEIVED

__all__ = ["LEASED", "QUARANTINED", "RECEIVED"]

EndState = Literal["applied", "asked", "rejected", "ignored"]
APPLIED: EndState = "applied"
"""It did something, at the latest when its writer has confirmed what."""
ASKED: EndState = "asked"
"""Its writer was asked to confirm it, or which of several things it means."""
REJECTED: EndState = "rejected"
IGNORED: EndState = "ignored"


class KeptMail(NamedTuple):
    """A mail for one recipient, as it lies in its row; what it says was read apart."""

    id: int
    address: ReturnAddress
    """What the recipient says; whether its code is true is for who acts on it to find out."""
    recipient: str
    sender: str
    """Of the envelope; empty: no answer is wanted."""
    received_at: int
    """When it counts as come, however late it is worked on."""


class Ending(NamedTuple):
    """What became of a mail; written into its row in the transaction that did it."""

    state: EndState
    reason: str = ""
    """In a word or two, at most 40 letters, and none of the mail's."""
    player: int | None = None
    match: str | None = None
