"""New rules adopted for all matches at once, as an operator has chosen.

A match whose replay is the same goes on silently, whatever was chosen. One that would have gone
otherwise goes on from its present position, or waits for a moderator. Those that are over stay as
they are: their pages and files show what was kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from pbem.db.store import writing
from pbem.errors import Refused
from pbem.services.match import new_rules
from pbem.services.operations import replay_check
from pbem.services.records import audit_log
from pbem.services.records.audit_log import COMMAND_LINE
from pbem.services.records.match_rows import LIVE, OVER, lock_match

How = Literal["go-on", "pause"]
Became = Literal["same", "changed", "waits", "stuck", "over"]
AT_ONCE = 100


def adopt_all(how: How, now: int) -> Counter[Became]:
    """Adopt the rules as they are here; how many matches became what."""
    found = Counter[Became]()
    for status in (LIVE, OVER):
        found.update(adopt(match, how, now) for match in _waiting(status))
    return found


def _waiting(status: str) -> Iterator[str]:
    last = ""
    while found := new_rules.waiting(status, last, AT_ONCE):
        yield from found
        last = found[-1]


def adopt(match_id: str, how: How, now: int) -> Became:
    """One match, in a transaction of its own."""
    with writing():
        match = lock_match(match_id)
        if replay_check.is_same(match):
            new_rules.adopt_silently(match, now)
            return "same"
        if match.status != LIVE:
            return "over"
        became: Became = "waits"
        if how == "go-on":
            try:
                new_rules.go_on(match, now)
                became = "changed"
            except Refused:
                became = "stuck"
        if became != "changed":
            new_rules.wait_for_moderator(match, now)
        detail = {"from": match.plays_version, "to": match.game.rules_version, "became": became}
        audit_log.record(COMMAND_LINE, "adopt_rules", f"match {match.id}", "", "", detail, now)
        return became
