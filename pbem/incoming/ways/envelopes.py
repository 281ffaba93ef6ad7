"""Envelopes of mails that come without one: out of a mailbox, or through a pipe.

Who put a mail there has noted down its envelope in headers; only those are looked at, and without
reading the mail any further.
"""

from __future__ import annotations

import re

HEAD = 64 * 1024
"""Where the headers of a mail are looked for."""
OF_RECIPIENT = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
OF_SENDER = ("return-path", "from")
MOST = 20
"""Addresses that anybody looks at."""
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(rb"\r?\n(?=[ \t])")
_ADDRESS = re.compile(r"[^\s<>,;:\"()@]{1,64}@[^\s<>,;:\"()@]{1,190}")


def recipients(raw: bytes, domain: str) -> list[str]:
    """The addresses of a domain that a mail may have come to, each once."""
    found = dict.fromkeys(
        address.lower()
        for name, value in _headers(raw)
        if name in OF_RECIPIENT
        for address in _ADDRESS.findall(value)
    )
    return [one for one in found if one.endswith(f"@{domain.lower()}")][:MOST]


def sender(raw: bytes) -> str:
    """The sender of the envelope; where nobody has noted it, who says to have written the mail."""
    headers = _headers(raw)
    for wanted in OF_SENDER:
        values = [value for name, value in headers if name == wanted]
        if values:
            return next(iter(_ADDRESS.findall(values[0])), "")
    return ""


def _headers(raw: bytes) -> list[tuple[str, str]]:
    head = _FOLD.sub(b"", _END_OF_HEAD.split(raw[:HEAD], maxsplit=1)[0])
    lines = [line.decode("latin-1").partition(":") for line in head.splitlines()]
    return [(name.strip().lower(), value) for name, colon, value in lines if colon]
