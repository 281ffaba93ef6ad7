"""Running and finished matches for everybody, newest first, and paged by key; no private ones.

Read with statements written by hand, as the lists of moderators are. Both lists have an index of
their own, whose condition the statements repeat word by word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from pbem.db.store import marks, rows
from pbem.services.records.match_rows import ANONYMOUS, JOINED

A_PAGE = 12
RUNNING, FINISHED = "running", "finished"
_LISTS = {RUNNING: ("started_at", "live"), FINISHED: ("ended_at", "over")}


class WatchKey(NamedTuple):
    """Where a page ends: the next one begins behind it."""

    at: int
    match: str


class WatchedSeat(NamedTuple):
    name: str
    """In the game."""
    status: str
    player: str
    """Who plays; empty in an anonymous match, and where nobody has given a name."""
    page: str
    """Of the public page of who plays; empty: there is none to see from here."""


class Watched(NamedTuple):
    """A match as everybody sees it in a list; turns are counted, not entries.

    Entries are also made by what seats say in secret.
    """

    id: str
    game: str
    is_anonymous: bool
    at: int
    """When it began, or ended if it is over."""
    result: str
    """The seats that won; empty while it runs, and after a draw."""
    seats: list[WatchedSeat]
    turns: int
    moved_at: int | None


class WatchPage(NamedTuple):
    matches: list[Watched]
    following: WatchKey | None


def page(which: str, game: str = "", after: WatchKey | None = None) -> WatchPage:
    """One page; one row more than it holds tells whether there is another."""
    column, status = _LISTS[which]
    terms, values = [f"status = '{status}'", "visibility <> 'private'"], list[object]()
    if game:
        terms.append("game = ?")
        values.append(game)
    if after is not None:
        terms.append(f"({column}, id) < (?, ?)")
        values += after
    found = rows(
        f"SELECT id, game, visibility, {column}, result FROM match WHERE {' AND '.join(terms)}"
        f" ORDER BY {column} DESC, id DESC LIMIT ?",
        *values,
        A_PAGE + 1,
    )
    ids = [match for match, *_ in found[:A_PAGE]]
    seats, moves = _seats(ids), _moves(ids)
    listed = [
        Watched(
            match,
            name,
            visibility == ANONYMOUS,
            at,
            "" if result in (None, "draw") else result,
            _hidden(seats[match]) if visibility == ANONYMOUS else seats[match],
            *moves.get(match, (0, None)),
        )
        for match, name, visibility, at, result in found[:A_PAGE]
    ]
    is_more = len(found) > A_PAGE
    return WatchPage(listed, WatchKey(listed[-1].at, listed[-1].id) if is_more else None)


def _hidden(seats: Sequence[WatchedSeat]) -> list[WatchedSeat]:
    return [seat._replace(player="", page="") for seat in seats]


def _seats(matches: Sequence[str]) -> dict[str, list[WatchedSeat]]:
    """The seats of all matches of a page at once."""
    found = defaultdict[str, list[WatchedSeat]](list)
    for match, seat, status, player, page, hides_page in rows(
        "SELECT s.match_id, s.name, s.status, p.name, p.public_id, p.hides_page FROM seat s"
        " LEFT JOIN player p ON p.id = s.player_id"
        f" WHERE s.match_id IN ({marks(matches)}) ORDER BY s.match_id, s.number",
        *matches,
    ):
        is_known = status == JOINED
        found[match].append(
            WatchedSeat(
                seat,
                status,
                player if is_known and player else "",
                page if is_known and page and not hides_page else "",
            )
        )
    return found


def _moves(matches: Sequence[str]) -> dict[str, tuple[int, int | None]]:
    """How many turns are over, and since when the newest is."""
    found = rows(
        "SELECT match_id, COUNT(*), MAX(closed_at) FROM turn"
        f" WHERE match_id IN ({marks(matches)}) AND closed_seq IS NOT NULL GROUP BY match_id",
        *matches,
    )
    return {match: (count, at) for match, count, at in found}
