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

from authres import AuthenticationResultsHeader
from authres.core import AuthenticationResult, AuthResError

from pbem.incoming.mails import Authentication
from pbem.incoming.parsing import Headers

LONGEST = 2_000
_NAME = re.compile(r"[ \t]*([A-Za-z0-9.-]+)(?=[ \t;])")
"""Written plainly: a name that is quoted or encoded could pass by a rule that looks for ours."""
_BY = re.compile(r"\bby\s+([^\s;()]+)", re.IGNORECASE)
_HERE = {"localhost", "localhost.localdomain", "127.0.0.1", "[127.0.0.1]", "::1"}


def judge(headers: Headers, sender: str, authserv_id: str) -> Authentication:
    """Whether the domain of the sender stands for the mail, in the words of our own server."""
    said = _topmost(headers, authserv_id.lower())
    if said is None or not sender:
        return "none"
    try:
        results = AuthenticationResultsHeader.parse_value(said[:LONGEST]).results
    except (AuthResError, RecursionError, ValueError, AttributeError):
        return "none"
    found = [one for one in results if getattr(one, "method", "") == "dmarc"]
    return _verdict(found[0], sender) if len(found) == 1 else "none"


def _verdict(result: AuthenticationResult, sender: str) -> Authentication:
    if result.result == "pass":
        return "pass" if _domains(result) == {sender.rpartition("@")[2]} else "fail"
    return "fail" if result.result == "fail" else "none"


def _domains(result: AuthenticationResult) -> set[str]:
    """What it says of the sender's domain."""
    return {
        str(found.value).lower()
        for found in result.properties
        if (found.type, found.name) == ("header", "from")
    }


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
    return found[1].lower() if found else ""


def _is_ours(received: str, ours: str) -> bool:
    """Whether a server of ours has written it: one on this machine, or under our name."""
    found = _BY.search(received)
    return found is not None and found[1].lower() in {ours, *_HERE}
