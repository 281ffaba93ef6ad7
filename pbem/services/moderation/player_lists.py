"""Lists of players for moderators: searched, sorted and paged by key in SQL."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pbem.db.store import row, rows
from pbem.services.records import addresses
from pbem.services.records.match_rows import LIVE

A_PAGE = 50


class Wanted(NamedTuple):
    """What a list shows; what is empty does not matter."""

    text: str = ""
    """Any part of a name or an address."""
    by_name: bool = False
    """Sorted by name instead of by age, the newest first."""


class Listed(NamedTuple):
    id: int
    name: str
    address: str
    created_at: int
    confirmed_at: int | None
    banned_at: int | None
    live: int
    """Matches being played."""
    arrival: addresses.Arrival


class Page(NamedTuple):
    players: list[Listed]
    following: int | None
    """The player behind whom the next page begins."""


def page(wanted: Wanted, after: int | None) -> Page:
    """One page; one row more than it holds tells whether there is another."""
    terms, values = ["p.sought <> ''"], list[object]()
    if wanted.text:
        part = wanted.text.casefold().replace("!", "!!").replace("%", "!%").replace("_", "!_")
        terms.append("p.sought LIKE ? ESCAPE '!'")
        values.append(f"%{part}%")
    end = _key(after) if after is not None else None
    if end is not None:
        terms.append("p.sought > ?" if wanted.by_name else "(p.created_at, p.id) < (?, ?)")
        values += [end[2]] if wanted.by_name else end[:2]
    order = "p.sought" if wanted.by_name else "p.created_at DESC, p.id DESC"
    found = rows(
        "SELECT p.id, p.name, p.address, p.created_at, p.confirmed_at, p.banned_at FROM player p"
        f" WHERE {' AND '.join(terms)} ORDER BY {order} LIMIT ?",
        *values,
        A_PAGE + 1,
    )
    shown = found[:A_PAGE]
    ids = [values[0] for values in shown]
    live, states = _live(ids), addresses.states_of(ids)
    players = [
        Listed._make((*values, live.get(values[0], 0), states[values[0]].arrival))
        for values in shown
    ]
    return Page(players, ids[-1] if len(found) > A_PAGE else None)


def _key(player: int) -> tuple[int, int, str] | None:
    """Where a player stands in both orders; None for who is not there."""
    found = row("SELECT created_at, id, sought FROM player WHERE id = ?", player)
    return (found[0], found[1], found[2]) if found else None


def _live(players: Collection[int]) -> dict[int, int]:
    if not players:
        return {}
    marks = ", ".join(["?"] * len(players))
    return dict(
        rows(
            "SELECT s.player_id, COUNT(*) FROM seat s JOIN match m ON m.id = s.match_id"
            f" WHERE s.player_id IN ({marks}) AND m.status = ? GROUP BY s.player_id",
            *players,
            LIVE,
        )
    )
