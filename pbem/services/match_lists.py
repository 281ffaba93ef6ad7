"""Lists of matches for moderators, and what became of the letters of one; paged by key in SQL."""

from __future__ import annotations

from typing import NamedTuple

from pbem.services.records import LIVE, MatchRecord, get_match
from pbem.store import rows

A_PAGE = 50
MOST_PLAYERS = 50
"""Players whose matches are shown for one search."""


class Wanted(NamedTuple):
    """What a list shows; what is empty does not matter."""

    player: str = ""
    """The beginning of a name or of an address, or the id of a match."""
    game: str = ""
    status: str = ""
    late: bool = False
    oldest_first: bool = False


class Key(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    created_at: int
    match: str


class Page(NamedTuple):
    matches: list[MatchRecord]
    following: Key | None


def page(wanted: Wanted, after: Key | None, now: int) -> Page:
    """One page; one row more than it holds tells whether there is another."""
    terms, values = _terms(wanted, now)
    order, sign = ("ASC", ">") if wanted.oldest_first else ("DESC", "<")
    if after is not None:
        terms.append(f"(m.created_at, m.id) {sign} (?, ?)")
        values += [after.created_at, after.match]
    where = f"WHERE {' AND '.join(terms)} " if terms else ""
    found = rows(
        f"SELECT m.created_at, m.id FROM match m {where}"
        f"ORDER BY m.created_at {order}, m.id {order} LIMIT ?",
        *values,
        A_PAGE + 1,
    )
    shown = [Key(*values) for values in found[:A_PAGE]]
    return Page([get_match(key.match) for key in shown], shown[-1] if len(found) > A_PAGE else None)


def _terms(wanted: Wanted, now: int) -> tuple[list[str], list[object]]:
    terms, values = list[str](), list[object]()
    if wanted.game:
        terms.append("m.game = ?")
        values.append(wanted.game)
    if wanted.status:
        terms.append("m.status = ?")
        values.append(wanted.status)
    if wanted.late:
        terms.append(
            "m.status = ? AND m.id IN (SELECT t.match_id FROM turn t WHERE t.closed_seq IS NULL"
            " AND t.since IS NOT NULL AND t.deadline_at < ?)"
        )
        values += [LIVE, now]
    if wanted.player:
        players = _players(wanted.player)
        marks = ", ".join(["?"] * len(players)) or "NULL"
        terms.append(
            f"(m.id = ? OR m.id IN (SELECT s.match_id FROM seat s WHERE s.player_id IN ({marks})))"
        )
        values += [wanted.player, *players]
    return terms, values


def _players(text: str) -> list[int]:
    """Whose name or address begins so; a sign that SQL reads as a wildcard is itself here."""
    start = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
    found = rows(
        "SELECT id FROM player WHERE LOWER(name) LIKE ? ESCAPE '!' OR address LIKE ? ESCAPE '!'"
        " ORDER BY id LIMIT ?",
        start,
        start,
        MOST_PLAYERS,
    )
    return [player for (player,) in found]


class Posted(NamedTuple):
    """A letter and what became of it; never what it says."""

    id: int
    kind: str
    seat: int | None
    to: str
    state: str
    attempts: int
    created_at: int
    next_at: int
    sent_at: int | None
    last_error: str


def letters_of(match: str, most: int = 200) -> list[Posted]:
    """The newest letters of a match, newest first."""
    found = rows(
        "SELECT o.id, o.kind, o.seat, p.address, o.state, o.attempts, o.created_at, o.next_at,"
        " o.sent_at, o.last_error FROM outbox o JOIN player p ON p.id = o.player_id"
        " WHERE o.match_id = ? ORDER BY o.id DESC LIMIT ?",
        match,
        most,
    )
    return [Posted(*values) for values in found]
