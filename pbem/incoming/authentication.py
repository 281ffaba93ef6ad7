"""What our own mail server found out about the sender of a mail (RFC 8601, DMARC).

Anybody can write `Authentication-Results`, also with our name in it. So the operator's mail server

- must take those away that come with its own name (RFC 8601, 5): in Postfix a line in
  `header_checks`, `/^Authentication-Results:\\s*mx\\.example\\b/ IGNORE`, does it even while a
  milter is out of order;
- must write one of its own with the clause `dmarc=` and `header.from=`, above all others of its
  name: OpenDMARC as the last milter does, or rspamd, which writes one for all checks.

Of what then arrives only the topmost with our name counts, and only above the lines of `Received`
by which other servers handed the mail on: the first one of all is that of our own server. Some
milters write above it and some below.
"""

from __future__ import annotations

import re

from authres import FeatureContext, dmarc
from authres.core import AuthResError
from authres.dmarc import DMARCAuthenticationResult

from pbem.incoming.mails import Authentication
from pbem.incoming.parsing import Headers

LONGEST = 2_000
_WITH_DMARC = FeatureContext(dmarc)
_NAME = re.compile(r"\s*\"?([^\s;\"()]+)")
_BY = re.compile(r"\bby\s+([^\s;()]+)", re.IGNORECASE)
_HERE = {"localhost", "localhost.localdomain", "127.0.0.1", "[127.0.0.1]", "::1"}


def judge(headers: Headers, sender: str, authserv_id: str) -> Authentication:
    """Whether the domain of the sender stands for the mail, in the words of our own server."""
    said = _topmost(headers, authserv_id.casefold())
    if said is None or not sender:
        return "none"
    try:
        results = _WITH_DMARC.parse_value(said[:LONGEST]).results
    except (AuthResError, RecursionError, ValueError, AttributeError):
        return "none"
    found = [one for one in results if getattr(one, "method", "") == "dmarc"]
    return _verdict(found, sender) if len(found) == 1 else "none"


def _verdict(found: list[DMARCAuthenticationResult], sender: str) -> Authentication:
    [result] = found
    if result.result == "pass":
        return "pass" if _domain_of(result) == sender.rpartition("@")[2] else "fail"
    return "fail" if result.result == "fail" else "none"


def _domain_of(result: DMARCAuthenticationResult) -> str:
    return str(getattr(result, "header_from", None) or "").casefold()


def _topmost(headers: Headers, ours: str) -> str | None:
    """What our own server has said, where it can have said it."""
    passed = 0
    for name, value in headers:
        if name == "received":
            passed += 1
            if passed > 1 and not _is_ours(value, ours):
                return None
        elif name == "authentication-results" and ours and _name(value) == ours:
            return value
    return None


def _name(value: str) -> str:
    found = _NAME.match(value)
    return found[1].casefold() if found else ""


def _is_ours(received: str, ours: str) -> bool:
    """Whether a server of ours has written it: one on this machine, or under our name."""
    found = _BY.search(received)
    return found is not None and found[1].casefold() in {ours, *_HERE}
