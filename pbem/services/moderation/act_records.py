"""How an act of a moderator is written down: its reason, its subject, its words in the log."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.text import is_printable
from pbem.errors import Refused
from pbem.i18n import speaking
from pbem.services.records import announcements
from pbem.services.records.announcements import Words
from pbem.services.records.match_rows import MatchRecord

SHORTEST_REASON, LONGEST_REASON = 3, 500


def checked_reason(text: str) -> str:
    """Players read it, so it is one plain line."""
    reason = " ".join(text.split())
    if not SHORTEST_REASON <= len(reason) <= LONGEST_REASON:
        raise Refused(
            "say why, in %(least)s to %(most)s characters; the players read it",
            least=SHORTEST_REASON,
            most=LONGEST_REASON,
        )
    if not is_printable(reason):
        raise Refused("a reason is plain text without control characters")
    return reason


def subject_of(match: str) -> str:
    """How the log names a match."""
    return f"match {match}"


def for_the_log(words: Words, match: MatchRecord | None) -> str:
    with speaking("en"):
        return announcements.said(
            words, match, lambda at: f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
        )
