"""Who may take part in nothing new: players who are banned, and addresses on a list.

Both start and join no match; what is being played goes on. A banned player writes no messages
either, and was told why. Nobody else is told: to others an address that is kept out looks like one
whose owner does not answer.
"""

from __future__ import annotations

from typing import NamedTuple

from email_validator import EmailNotValidError, validate_email

from engine.text import printable
from pbem.db.models import AddressRule, Player
from pbem.db.reading import changed, every, first, value
from pbem.errors import Missing, Refused, Stale
from pbem.services.records.addresses import TOO_LONG, canonical_address
from pbem.services.records.player_rows import PlayerRecord, get_player, player_at

# --- asking ---------------------------------------------------------------------------------------


def is_banned(player: int | None) -> bool:
    return player is not None and banned_since(player) is not None


def banned_since(player: int) -> int | None:
    since: int | None = value(Player.select(Player.banned_at).where(Player.id == player))
    return since


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
            "by decision of a moderator this address can start and join no matches here;"
            " those that are being played go on"
        )


def check_may_write(player: int | None) -> None:
    if is_banned(player):
        raise Refused("by decision of a moderator you can write no messages; play goes on")


# --- players --------------------------------------------------------------------------------------


def ban(player: PlayerRecord, now: int) -> None:
    banned = Player.update(banned_at=now, stands_in=False).where(
        Player.id == player.id, Player.banned_at.is_null()
    )
    if not changed(banned):
        raise Stale("this player is banned already")


def lift(player: PlayerRecord) -> None:
    lifted = Player.update(banned_at=None).where(
        Player.id == player.id, Player.banned_at.is_null(False)
    )
    if not changed(lifted):
        raise Stale("this player is not banned")


# --- the list -------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """An address or a domain that is kept out, or let in although something wider is kept out."""

    id: int
    pattern: str
    is_allowed: bool
    reason: str
    created_at: int


_COLUMNS = [getattr(AddressRule, name) for name in Rule._fields]


def rules() -> list[Rule]:
    return every(AddressRule.select(*_COLUMNS).order_by(AddressRule.pattern), Rule)


def find_rule(rule: int) -> Rule | None:
    return first(AddressRule.select(*_COLUMNS).where(AddressRule.id == rule), Rule)


def is_listed(mail: str) -> bool:
    """Whether the list keeps an address out; of what fits it, the narrowest rule counts."""
    patterns = _fitting(mail)
    fitting = every(AddressRule.select(*_COLUMNS).where(AddressRule.pattern.in_(patterns)), Rule)
    verdicts = {rule.pattern: rule.is_allowed for rule in fitting}
    return not next((verdicts[pattern] for pattern in patterns if pattern in verdicts), True)


def _fitting(mail: str) -> list[str]:
    """What a rule about an address can look like, the narrowest first."""
    whole = canonical_address(mail)
    labels = whole.rpartition("@")[2].split(".")
    return [whole, *(f"@{'.'.join(labels[start:])}" for start in range(len(labels) - 1))]


def checked_pattern(text: str, test_names: bool = False) -> str:
    """An address, or a domain behind an @, in canonical form."""
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
    whole = canonical_address(found.normalized)
    return whole.removeprefix("somebody") if typed.startswith("@") else whole


def concerned(pattern: str) -> int:
    """How many players we know whose addresses fit a pattern."""
    fits = Player.canonical_address == pattern
    if pattern.startswith("@"):
        inside = f".{pattern[1:]}"
        fits = Player.canonical_address.endswith(pattern)
        fits |= Player.canonical_address.endswith(inside)
    return int(Player.select().where(fits).count())


def put(pattern: str, is_allowed: bool, reason: str, now: int) -> None:
    """Set the one rule for a pattern."""
    known = value(AddressRule.select(AddressRule.is_allowed).where(AddressRule.pattern == pattern))
    if known == is_allowed:
        raise Stale("the list says so already")
    rule = AddressRule.insert(pattern=pattern, is_allowed=is_allowed, reason=reason, created_at=now)
    rule.on_conflict(
        conflict_target=[AddressRule.pattern],
        preserve=[AddressRule.is_allowed, AddressRule.reason, AddressRule.created_at],
    ).execute()


def remove(rule: int) -> Rule:
    """Strike a rule off the list; Missing when somebody was faster."""
    found = find_rule(rule)
    if found is None:
        raise Missing("there is no such entry on the list")
    AddressRule.delete().where(AddressRule.id == found.id).execute()
    return found
