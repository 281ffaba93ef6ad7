"""Mail addresses: their canonical form, and whether letters arrive there.

What became of letters is known from the outbox alone; whoever wants to know asks here. A letter
counts against an address when a mail server has answered about it. One that could not be written,
or met a closed way, does not; nor does what was written to an address before it was changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Literal, NamedTuple

from pbem.db.store import rows

TOO_LONG = 255
"""Letters of an address that no mail server takes; more need not be looked at, which takes long."""
GMAIL = ("gmail.com", "googlemail.com")
"""Where dots in a name mean nothing."""
OWN_FAULTS = ("421", "530", "534", "535", "538")
"""Replies that are about our connection or login, and about no address."""

Arrival = Literal["fine", "deferring", "bouncing"]


def canonical_address(address: str) -> str:
    """An address without what one person can vary: case, a tag behind a plus, dots at Gmail."""
    name, _, domain = address.strip().lower().rpartition("@")
    name = name.partition("+")[0]
    if domain in GMAIL:
        return f"{name.replace('.', '')}@{GMAIL[0]}"
    return f"{name}@{domain}"


class Trouble(NamedTuple):
    """A letter that a mail server has refused, or has put off; never what it says."""

    letter: int
    kind: str
    state: str
    attempts: int
    created_at: int
    error: str
    refusals: int


class AddressState(NamedTuple):
    """Whether letters arrive at a player's address, with what says so, newest first."""

    arrival: Arrival
    trouble: tuple[Trouble, ...] = ()
    arrived_at: int | None = None
    """When a letter was last taken."""


_ANSWERED = (
    "o.message_id IS NOT NULL AND o.last_error >= '4' AND o.last_error < '6'"
    f" AND SUBSTR(o.last_error, 1, 3) NOT IN ({', '.join(repr(code) for code in OWN_FAULTS)})"
    " AND o.created_at >= COALESCE((SELECT MAX(c.ended_at) FROM address_change c"
    "  WHERE c.is_done AND o.player_id IN (c.player_id, c.other_id)), 0)"
)
"""A server has answered about this letter, at the address that the player has now."""


_FAILED = (
    "CASE o.state WHEN 'dead' THEN 1 WHEN 'queued' THEN o.attempts"
    " WHEN 'leased' THEN o.attempts ELSE 0 END"
)
"""Above zero for letters tried in vain; so written that rows are looked up by their player."""


_REFUSED = "(o.state = 'dead' OR (o.state IN ('queued', 'leased') AND o.refusals > 0))"
"""Given up, or refused for good and still tried again."""


def state_of(player: int) -> AddressState:
    return states_of([player])[player]


def states_of(players: Collection[int]) -> dict[int, AddressState]:
    """How it stands with the addresses of these players.

    It bounces where a letter was refused for good, or put off until it was given up, and none has
    arrived since; it defers where one waits after a try.
    """
    if not players:
        return {}
    marks = ", ".join(["?"] * len(players))
    found = rows(
        "SELECT n.player_id, n.newest, o.sent_at FROM (SELECT player_id,"
        "  MAX(CASE WHEN state = 'sent' THEN id END) AS newest FROM outbox"
        f" WHERE player_id IN ({marks}) GROUP BY player_id) n JOIN outbox o ON o.id = n.newest",
        *players,
    )
    arrived = {player: (newest, at) for player, newest, at in found}
    letters = defaultdict[int, list[Trouble]](list)
    for player, *values in rows(
        "SELECT o.player_id, o.id, o.kind, o.state, o.attempts, o.created_at, o.last_error,"
        " o.refusals"
        f" FROM outbox o WHERE o.player_id IN ({marks}) AND {_FAILED} > 0 AND {_ANSWERED}"
        " ORDER BY o.id DESC",
        *players,
    ):
        if values[0] > arrived.get(player, (0, None))[0]:
            letters[player].append(Trouble(*values))
    return {
        player: AddressState(
            _judged(letters[player]), tuple(letters[player]), arrived.get(player, (0, None))[1]
        )
        for player in players
    }


def _judged(trouble: list[Trouble]) -> Arrival:
    if any(one.state == "dead" or one.refusals for one in trouble):
        return "bouncing"
    return "deferring" if trouble else "fine"


class Refusing(NamedTuple):
    """A player whose address takes no letters."""

    player: int
    name: str
    address: str
    since: int
    """When the first letter was written that did not arrive."""
    error: str


def refusing(most: int) -> list[Refusing]:
    """Players whose addresses bounce, the newest first."""
    found: list[tuple[Any, ...]] = rows(
        "SELECT p.id, p.name, p.address, MIN(o.created_at), MAX(o.id) FROM outbox o"
        f" JOIN player p ON p.id = o.player_id WHERE {_REFUSED} AND {_ANSWERED}"
        " AND NOT EXISTS (SELECT 1 FROM outbox s WHERE s.player_id = o.player_id"
        "  AND s.state = 'sent' AND s.id > o.id)"
        " GROUP BY p.id, p.name, p.address ORDER BY MAX(o.id) DESC LIMIT ?",
        most,
    )
    return [
        Refusing(player, name, address, since, _error_of(newest))
        for player, name, address, since, newest in found
    ]


def _error_of(letter: int) -> str:
    ((error,),) = rows("SELECT last_error FROM outbox WHERE id = ?", letter)
    return str(error)
