"""Browsers in which players have taken seats: a sign when one person sits in two of them.

A cookie has a random number; we keep its hash, for each player who has confirmed, joined or stood
in with it by a link of a letter. Moves are not noted: that a seat was taken in a browser is enough,
and costs nothing while playing.
"""

from __future__ import annotations

import hashlib
import re
import secrets

from pbem.db.store import execute, rows, writing
from pbem.deadlines import DAY

LASTS = 400 * DAY
MOST = 20
"""Browsers of one player that are remembered, the newest ones."""
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    return secrets.token_urlsafe(32)


def is_token(text: str) -> bool:
    return _TOKEN.fullmatch(text) is not None


def note(player: int, token: str, now: int) -> None:
    """A player has taken a seat with the browser of this cookie."""
    with writing():
        execute(
            "INSERT INTO device (player_id, digest, first_at, last_at) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (player_id, digest) DO UPDATE SET last_at = excluded.last_at",
            player,
            hashlib.sha256(token.encode()).hexdigest(),
            now,
            now,
        )
        execute(
            "DELETE FROM device WHERE player_id = ? AND id NOT IN (SELECT id FROM device"
            " WHERE player_id = ? ORDER BY last_at DESC, id DESC LIMIT ?)",
            player,
            player,
            MOST,
        )


def times_of(player: int) -> list[tuple[int, int]]:
    """When each browser of a player was first and last seen."""
    return rows(
        "SELECT first_at, last_at FROM device WHERE player_id = ? ORDER BY first_at, id", player
    )


def move(player: int, to: int) -> None:
    """What is known of one player is known of another; a browser of both is one."""
    execute(
        "DELETE FROM device WHERE player_id = ? AND digest IN"
        " (SELECT digest FROM device WHERE player_id = ?)",
        player,
        to,
    )
    execute("UPDATE device SET player_id = ? WHERE player_id = ?", to, player)


def forget(player: int) -> None:
    execute("DELETE FROM device WHERE player_id = ?", player)


def prune(now: int) -> int:
    """Forget browsers that did not come for long; how many."""
    with writing():
        return execute("DELETE FROM device WHERE last_at <= ?", now - LASTS)
