"""Who may take part in nothing new: players who are banned, and addresses on a list.

Both start and join no match; what is being played goes on. A banned player writes no messages
either, and was told why. Nobody else is told: to others an address that is kept out looks like one
whose owner does not answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from email_validator import EmailNotValidError, validate_email

from engine.text import printable
from pbem.db.store import execute, row, rows
from pbem.errors import Missing, Refused, Stale
from pbem.services.records.addresses import TOO_LONG, plain
from pbem.services.records.records import PlayerRecord, get_player, player_at

UNASKED = ("confirm", "invitation", "stand_in", "you")
"""Letters that anybody can make come to an address; a listed one gets none of them."""


# --- asking ---------------------------------------------------------------------------------------


def is_banned(player: int | None) -> bool:
    return player is not None and banned_since(player) is not None


def banned_since(player: int) -> int | None:
    found = row("SELECT banned_at FROM player WHERE id = ?", player)
    return found[0] if found else None


def is_kept_out(player: int) -> bool:
    """Whether a player may take part in nothing new, by name or by address."""
    return is_banned(player) or is_listed(get_player(player).address)


def is_refused(mail: str) -> bool:
    """The same of an address, whether we know its owner or not."""
    known = player_at(mail)
    return is_listed(mail) or (known is not None and is_banned(known.id))


def check(player: int) -> None:
    if is_kept_out(player):
        raise Refused(
            "by a moderator's decision this address cannot start or join matches here; "
            "matches in progress go on"
        )


def check_may_write(player: int | None) -> None:
    if is_banned(player):
        raise Refused("by a moderator's decision you cannot write messages; you can still play")


# --- players --------------------------------------------------------------------------------------


def ban(player: PlayerRecord, now: int) -> None:
    if not execute(
        "UPDATE player SET banned_at = ?, stands_in = ? WHERE id = ? AND banned_at IS NULL",
        now,
        False,
        player.id,
    ):
        raise Stale("this player is already banned")


def lift(player: PlayerRecord) -> None:
    if not execute(
        "UPDATE player SET banned_at = NULL WHERE id = ? AND banned_at IS NOT NULL", player.id
    ):
        raise Stale("this player is not banned")


# --- the list -------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """An address or a domain that is kept out, or let in although something wider is kept out."""

    id: int
    pattern: str
    is_allowed: bool
    reason: str
    created_at: int


_RULE = "SELECT id, pattern, is_allowed, reason, created_at FROM address_rule"


def rules() -> list[Rule]:
    return [_rule(values) for values in rows(f"{_RULE} ORDER BY pattern")]


def find_rule(rule: int) -> Rule | None:
    found = row(f"{_RULE} WHERE id = ?", rule)
    return _rule(found) if found else None


def _rule(values: tuple[Any, ...]) -> Rule:
    rule = Rule(*values)
    return rule._replace(is_allowed=bool(rule.is_allowed))


def is_listed(mail: str) -> bool:
    """Whether the list keeps an address out; of what fits it, the narrowest rule counts."""
    patterns = _fitting(mail)
    marks = ", ".join(["?"] * len(patterns))
    verdicts = dict(
        rows(f"SELECT pattern, is_allowed FROM address_rule WHERE pattern IN ({marks})", *patterns)
    )
    return not next((verdicts[pattern] for pattern in patterns if pattern in verdicts), True)


def _fitting(mail: str) -> list[str]:
    """What a rule about an address can look like, the narrowest first."""
    whole = plain(mail)
    labels = whole.rpartition("@")[2].split(".")
    return [whole, *(f"@{'.'.join(labels[start:])}" for start in range(len(labels) - 1))]


def checked_pattern(text: str, test_names: bool = False) -> str:
    """An address, or a domain behind an @, in plain form."""
    typed = text.strip().lower()[:TOO_LONG]
    try:
        found = validate_email(
            f"somebody{typed}" if typed.startswith("@") else typed,
            check_deliverability=False,
            allow_smtputf8=False,
            test_environment=test_names,
        )
    except EmailNotValidError:
        raise Refused(
            "“%(pattern)s” is neither an address nor a domain; write ann@example.org or"
            " @example.org",
            pattern=printable(text.strip()[:80]),
        ) from None
    whole = plain(found.normalized)
    return whole.removeprefix("somebody") if typed.startswith("@") else whole


def concerned(pattern: str) -> int:
    """How many players we know whose addresses fit a pattern."""
    if not pattern.startswith("@"):
        found = row("SELECT COUNT(*) FROM player WHERE plain = ?", pattern)
    else:
        domain = pattern[1:].replace("!", "!!").replace("%", "!%").replace("_", "!_")
        found = row(
            "SELECT COUNT(*) FROM player WHERE plain LIKE ? ESCAPE '!' OR plain LIKE ? ESCAPE '!'",
            f"%@{domain}",
            f"%@%.{domain}",
        )
    return int(found[0]) if found else 0


def put(pattern: str, is_allowed: bool, reason: str, now: int) -> None:
    """Set the one rule for a pattern; letters that wait for who is kept out do not leave."""
    known = row("SELECT is_allowed FROM address_rule WHERE pattern = ?", pattern)
    if known is not None and bool(known[0]) == is_allowed:
        raise Stale("the list already says so")
    execute(
        "INSERT INTO address_rule (pattern, is_allowed, reason, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (pattern) DO UPDATE SET is_allowed = excluded.is_allowed,"
        " reason = excluded.reason, created_at = excluded.created_at",
        pattern,
        is_allowed,
        reason,
        now,
    )
    _hold_letters_back()


def remove(rule: int) -> Rule:
    """Strike a rule off the list; Missing when somebody was faster."""
    found = find_rule(rule)
    if found is None:
        raise Missing("there is no such entry on the list")
    execute("DELETE FROM address_rule WHERE id = ?", found.id)
    _hold_letters_back()
    return found


def _hold_letters_back() -> None:
    marks = ", ".join(["?"] * len(UNASKED))
    waiting = rows(
        "SELECT DISTINCT p.id, p.address FROM outbox o JOIN player p ON p.id = o.player_id"
        f" WHERE o.state IN ('queued', 'leased') AND o.kind IN ({marks})",
        *UNASKED,
    )
    for player, address in waiting:
        if is_listed(address):
            execute(
                "UPDATE outbox SET state = 'superseded', mime = NULL,"
                " last_error = 'the address is kept out'"
                f" WHERE player_id = ? AND state IN ('queued', 'leased') AND kind IN ({marks})",
                player,
                *UNASKED,
            )
