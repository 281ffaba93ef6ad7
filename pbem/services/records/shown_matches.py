"""Matches for whoever looks around: those with something to see."""

from __future__ import annotations

from peewee import fn

from pbem.db.models import Match, Turn
from pbem.db.reading import column
from pbem.services.records.match_rows import LIVE, OVER, PRIVATE, MatchRecord, get_match


def played_lately(fewest_turns: int, looked_at: int = 25) -> MatchRecord | None:
    """The newest match that has had so many turns, one that runs before one that is over.

    Private ones are not shown.

    Only turns count: entries of the log are also made by what seats say in secret.
    """
    played = Turn.select(fn.COUNT(Turn.id))
    played = played.where(Turn.match == Match.id, Turn.closed_seq.is_null(False))
    for status in (LIVE, OVER):
        is_shown = (Match.status == status) & (Match.visibility != PRIVATE)
        newest = Match.select(Match.id).where(is_shown)
        newest = newest.order_by(Match.created_at.desc()).limit(looked_at)
        enough = Match.select(Match.id).where(Match.id.in_(newest), played >= fewest_turns)
        for match in column(enough.order_by(Match.created_at.desc()).limit(1)):
            return get_match(match)
    return None
