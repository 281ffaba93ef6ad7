"""What is known of a mail once it was read: plain values, cut to size."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Authentication = Literal["pass", "fail", "none"]
"""What our own mail server found out about the domain of the sender (DMARC)."""
Failure = Literal["hard", "soft", "delayed"]
"""For good, for now, or not yet."""


class DeliveryReport(Struct, frozen=True):
    """What a mail server tells of a letter that it could not deliver."""

    failure: Failure
    status: str
    """As in `5.1.1`; empty where it has none."""
    recipients: tuple[str, ...]


class IncomingMail(Struct, frozen=True):
    """A mail, read."""

    sender: str
    """The one address of its From, in small letters; empty where there is none, or several."""
    authentication: Authentication
    message_id: str
    subject: str
    automatic: str
    """Why no person has written it (auto-submitted, list, no sender, ...); empty: a person has."""
    own_words: tuple[str, ...]
    """The lines that its writer has written anew, without quotes and signature.

    An empty one stands between paragraphs.
    """
    report: DeliveryReport | None = None


class Unreadable(Exception):
    """Nothing can be made of a mail; says which limit or rule it breaks, and none of its words."""


class TooLarge(Exception):
    """A mail has more bytes than anybody's orders have; none of it was kept."""
