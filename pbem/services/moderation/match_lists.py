"""Lists of matches for moderators, filtered, and paged by key.

The list itself is read with statements written by hand, their columns named by the types that hold
them: built by peewee, a cheap page takes 9 to 12 times its bare SQL, by hand less than twice
(`make bench`, rows "list of matches").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pbem.db.store import marks, row, rows
from pbem.deadlines import DAY
from pbem.services.records.match_rows import LIVE

A_PAGE = 50
STUCK_AFTER = DAY
"""How long the clock of a turn may wait to begin before somebody has to look."""
MOST_PLAYERS = 50
"""Players whose matches are shown for one search."""


class MatchFilter(NamedTuple):
    """What a list shows; what is empty does not matter."""

    player: str = ""
    """The beginning of a name or of an address, or the id of a match."""
    game: str = ""
    status: str = ""
    late: bool = False
    stuck: bool = False
    oldest_first: bool = False


class MatchKey(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    created_at: int
    match: str


class ListedSeat(NamedTuple):
    """A seat of a match, by its name in the game, and who has it."""

    name: str
    player: str


class ListedMatch(NamedTuple):
    """A match as a list shows it."""

    id: str
    game: str
    status: str
    created_at: int
    is_paused: bool
    seats: list[ListedSeat]
    deadlines: list[int]
    """Of the turns whose clock runs."""


class MatchPage(NamedTuple):
    rows: list[ListedMatch]
    following: MatchKey | None


def page(wanted: MatchFilter, after: MatchKey | None, now: int) -> MatchPage:
    """One page; one row more than it holds tells whether there is another."""
    terms, values = _terms(wanted, now)
    order, sign = ("ASC", ">") if wanted.oldest_first else ("DESC", "<")
    by_age = "+m.created_at" if wanted.late or wanted.stuck else "m.created_at"  # few: no index
    if after is not None:
        terms.append(f"(m.created_at, m.id) {sign} (?, ?)")
        values += after
    found = rows(
        "SELECT m.id, m.game, m.status, m.created_at, m.paused_at FROM match m"
        f" {_where(terms)}ORDER BY {by_age} {order}, m.id {order} LIMIT ?",
        *values,
        A_PAGE + 1,
    )
    ids = [match for match, *_ in found[:A_PAGE]]
    seats, deadlines = _seats(ids), _deadlines(ids)
    listed = [
        ListedMatch(match, game, status, at, paused_at is not None, seats[match], deadlines[match])
        for match, game, status, at, paused_at in found[:A_PAGE]
    ]
    is_more = len(found) > A_PAGE
    return MatchPage(listed, MatchKey(listed[-1].created_at, listed[-1].id) if is_more else None)


def _seats(matches: Sequence[str]) -> dict[str, list[ListedSeat]]:
    """The seats of all matches of a page at once."""
    found = defaultdict[str, list[ListedSeat]](list)
    for match, seat, player in rows(
        "SELECT s.match_id, s.name, p.name FROM seat s LEFT JOIN player p ON p.id = s.player_id"
        f" WHERE s.match_id IN ({marks(matches)}) ORDER BY s.match_id, s.number",
        *matches,
    ):
        found[match].append(ListedSeat(seat, player or ""))
    return found


def _deadlines(matches: Sequence[str]) -> dict[str, list[int]]:
    found = defaultdict[str, list[int]](list)
    for match, at in rows(
        "SELECT match_id, deadline_at FROM turn"
        f" WHERE match_id IN ({marks(matches)}) AND closed_seq IS NULL AND since IS NOT NULL",
        *matches,
    ):
        found[match].append(at)
    for deadlines in found.values():  # put in order by SQLite it would walk all open turns
        deadlines.sort()
    return found


def count(wanted: MatchFilter, most: int, now: int) -> int:
    """How many matches such a list holds; nobody counts further than `most`."""
    terms, values = _terms(wanted, now)
    counted = f"SELECT 1 FROM match m {_where(terms)}LIMIT ?"
    found = row(f"SELECT COUNT(*) FROM ({counted}) AS counted", *values, most)
    return int(found[0]) if found else 0


def _where(terms: Sequence[str]) -> str:
    return f"WHERE {' AND '.join(terms)} " if terms else ""


_LATE = (
    "SELECT t.match_id FROM turn t JOIN match l ON l.id = t.match_id WHERE t.closed_seq IS NULL"
    " AND t.since IS NOT NULL AND t.deadline_at < ? AND l.status = ?"
)
_STUCK = (
    "SELECT t.match_id FROM turn t JOIN match l ON l.id = t.match_id WHERE t.closed_seq IS NULL"
    " AND t.since IS NULL AND t.opened_at < ? AND l.status = 'live' AND l.paused_at IS NULL"
    " UNION SELECT l.id FROM seat s CROSS JOIN turn t CROSS JOIN match l"
    " WHERE s.player_id IS NULL AND t.match_id = s.match_id AND t.seat = s.number"
    " AND t.closed_seq IS NULL AND l.id = t.match_id AND l.status = 'live'"
    " UNION SELECT l.id FROM match l WHERE l.status = 'live' AND NOT EXISTS"
    " (SELECT 1 FROM turn t WHERE t.match_id = l.id AND t.closed_seq IS NULL)"
)
"""Whose clock has not begun for long, whose turn is nobody's, who asks for nothing.

SQLite keeps the order of a CROSS JOIN, and seats without a player are few.
"""


def _terms(wanted: MatchFilter, now: int) -> tuple[list[str], list[object]]:
    terms, values = list[str](), list[object]()
    if wanted.game:
        terms.append("m.game = ?")
        values.append(wanted.game)
    if wanted.status:
        terms.append("m.status = ?")
        values.append(wanted.status)
    if wanted.late:
        terms.append(f"m.id IN ({_LATE})")
        values += [now, LIVE]
    if wanted.stuck:
        terms.append(f"m.id IN ({_STUCK})")
        values.append(now - STUCK_AFTER)
    if wanted.player:
        players = _players(wanted.player)
        terms.append(
            "(m.id = ? OR m.id IN"
            f" (SELECT s.match_id FROM seat s WHERE s.player_id IN ({marks(players)})))"
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
