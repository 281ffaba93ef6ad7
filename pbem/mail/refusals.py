"""What a refusal means: whether a letter is refused for good, and what is kept of the words."""

from __future__ import annotations

import re
import smtplib
from typing import Literal

Permanence = Literal["permanent", "temporary"]

CLOSING = 421
OWN_FAULTS = {CLOSING, 530, 534, 535, 538}
"""Codes that are about the connection or the login: the letter is not to blame."""
TOO_LARGE = 552
PASSING = {"5.2.2", "5.3.1", "5.3.2", "5.4.4"}
"""Refusals that a few days may mend: mailbox full, system full, not accepting, no route."""
_ENHANCED = re.compile(rb"\s*(5\.\d{1,3}\.\d{1,3})\b")
_ADDRESSES = re.compile(r"\S+@\S+")


def permanence(error: Exception) -> Permanence:
    """Whether the letter itself was refused for good; whatever may pass is temporary."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            judged = {_by_code(code, words) for code, words in refused.values()}
            return "permanent" if judged == {"permanent"} else "temporary"
        case smtplib.SMTPSenderRefused(smtp_code=code):  # our sender, our settings
            return "permanent" if code == TOO_LARGE else "temporary"
        case smtplib.SMTPConnectError() | smtplib.SMTPHeloError():
            return "temporary"
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=words):
            return _by_code(code, words if isinstance(words, bytes) else words.encode())
    return "temporary"


def _by_code(code: int, words: bytes) -> Permanence:
    enhanced = _ENHANCED.match(words)
    passing = enhanced is not None and enhanced[1].decode() in PASSING
    final = 500 <= code < 600 and code not in OWN_FAULTS and not passing
    return "permanent" if final else "temporary"


def in_words(error: Exception) -> str:
    """What went wrong, fit to be kept: no address, no more than a line."""
    match error:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            return "; ".join(cleaned(code, words) for code, words in refused.values())
        case smtplib.SMTPResponseException(smtp_code=code, smtp_error=words):
            return cleaned(code, words if isinstance(words, bytes) else words.encode())
    return f"{type(error).__name__}: {error}"[:150]


def cleaned(code: int, words: bytes) -> str:
    line = " ".join(words.decode("ascii", "replace").split())
    return f"{code} {_ADDRESSES.sub('(address)', line)}"[:150]
