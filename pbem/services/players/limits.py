"""How often anything may be done that makes us write to somebody, or that adds rows.

The table below lists every such act, whether strangers or players do it. Of each it says how often
it may happen in a window of time: for one network of the internet, for one canonical address
(whoever types it), for one player, for one seat, and for the whole site.

What a limit says is counted in the database, in the transaction of the act, so that several
processes count together. Turn letters, reminders and whatever else comes from playing are not
here: they follow from moves, of which there are as many as the rules allow. Nor is what happens
once, such as resigning, joining or declining, nor are links that die by their first press. Reports
make no letters, and have bounds of their own.
"""

from __future__ import annotations

import hashlib
import hmac
from ipaddress import IPv6Address, ip_address
from typing import Literal, NamedTuple

from pbem.db.models import Tally
from pbem.db.reading import changed
from pbem.db.store import execute
from pbem.deadlines import DAY, HOUR
from pbem.errors import TooOften
from pbem.plural import Counted
from pbem.services.records.addresses import canonical_address

Scope = Literal["network", "address", "pair", "player", "seat", "site"]
"""A pair is an address and the network that types it, or the match it is typed for.

So whoever uses somebody's address up does not shut its owner out elsewhere.
"""
MINUTE = 60
LONGEST_DELAY = 6
"""Days by which a letter may be put off."""
AS_SET = 0
"""As many as the setting PBEM_LETTERS_A_DAY says."""


class Limit(NamedTuple):
    """How often an act may happen in each window of so many seconds."""

    scope: Scope
    most: int
    seconds: int


ACTS: dict[str, tuple[Limit, ...]] = {
    # --- strangers, on pages that anybody can open
    "start": (
        Limit("network", 20, HOUR),
        Limit("network", 60, DAY),
        Limit("pair", 5, DAY),
        Limit("address", 10, DAY),
        Limit("site", AS_SET, DAY),
    ),
    "try": (Limit("network", 20, HOUR), Limit("network", 60, DAY)),  # no letter comes of it
    "keep": (
        Limit("network", 20, HOUR),
        Limit("network", 60, DAY),
        Limit("pair", 3, DAY),
        Limit("address", 5, DAY),
        Limit("site", AS_SET, DAY),
    ),
    "start_player": (Limit("pair", 20, DAY), Limit("address", 40, DAY)),  # by who plays here
    "ask_to_join": (
        Limit("network", 20, HOUR),
        Limit("network", 40, DAY),
        Limit("pair", 2, DAY),
        Limit("address", 4, DAY),
        Limit("site", AS_SET, DAY),
    ),
    "own_page": (
        Limit("network", 20, HOUR),
        Limit("address", 3, HOUR),
        Limit("site", AS_SET, DAY),
    ),
    # --- letters to an address that did not ask for them, whoever makes them come
    "invite": (Limit("address", 5, DAY),),  # what is more comes on the days after
    "invite_player": (Limit("address", 20, DAY),),  # the same, to somebody who plays here
    "ask_stand_in": (Limit("address", 5, DAY),),
    "word": (Limit("address", 12, DAY),),  # letters once more, with the word
    # --- players
    "invite_instead": (Limit("seat", 5, DAY),),
    "checkup": (Limit("player", 5, DAY),),
    "renew": (Limit("player", 5, DAY),),
    "absence": (Limit("player", 10, DAY),),
    "leave": (Limit("seat", 5, DAY),),
    "offer": (Limit("seat", 5, DAY),),
    "offer_computer": (Limit("seat", 3, DAY),),
    "pause": (Limit("seat", 5, DAY),),
    "draw": (Limit("seat", 5, DAY),),
    "rematch": (Limit("seat", 3, DAY),),
    "takeback": (Limit("seat", 3, DAY),),
    "address": (Limit("player", 3, DAY),),
    "note": (Limit("seat", 60, HOUR),),
    "say": (Limit("seat", 30, HOUR), Limit("seat", 100, DAY)),
    # --- answers to mail that came in, to the player's own address
    "answer": (Limit("seat", 30, HOUR), Limit("seat", 100, DAY)),
    "answer_unclear": (Limit("seat", 3, DAY),),  # it may be a machine
    "ask_whether_own": (Limit("seat", 5, HOUR), Limit("seat", 10, DAY)),
    # --- entries that change nobody's turn: they make no letters, but the log longer
    "standing": (Limit("seat", 60, HOUR), Limit("seat", 200, DAY)),
    "order": (Limit("seat", 2_000, DAY),),
}


class Asker(NamedTuple):
    """Who asks for something on a page: the network, known by a hash, and what the site allows."""

    network: str
    letters_a_day: int


def network_of(address: str, key: str) -> str:
    """The network of an address on the internet, as nobody can read it without our key.

    Of IPv6 it is what one household has, which is the first half.
    """
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return _sealed(key, address)
    if isinstance(known, IPv6Address):
        if known.ipv4_mapped is not None:
            return _sealed(key, str(known.ipv4_mapped))
        return _sealed(key, known.packed[:8].hex())
    return _sealed(key, str(known))


def _sealed(key: str, text: str) -> str:
    return hmac.digest(key.encode(), f"pbem/network/v1 {text}".encode(), "sha256").hex()


# --- counting -------------------------------------------------------------------------------------


def ask(act: str, asker: Asker, now: int, letters: int = 1) -> None:
    """Count what somebody asks for on a page; TooOften for a network, or when the site is full.

    Neither depends on the address that was typed, so the answer tells nothing about it.
    """
    for limit in ACTS[act]:
        if limit.scope == "network":
            _count_or_refuse(act, limit, asker.network, now)
    for limit in ACTS[act]:
        if limit.scope == "site":
            full = limit._replace(most=asker.letters_a_day)
            if not _fits(_key(act, full, ""), full, now, letters):
                raise TooOften(
                    "this server has sent as many emails to newcomers as it may today; try again "
                    "tomorrow",
                    wait=_wait(full, now),
                )


def may_write(act: str, mail: str, now: int, pair: str = "") -> bool:
    """Count a letter to an address; whether it may be sent. Nobody who asks is told."""
    who = {"address": canonical_address(mail), "pair": f"{canonical_address(mail)} {pair}"}
    return all(
        _fits(_key(act, limit, who[limit.scope]), limit, now)
        for limit in ACTS[act]
        if limit.scope in who
    )


def place(act: str, mail: str, now: int) -> int | None:
    """When a letter to an address may leave: now, or at the beginning of the next day with room.

    None when all days of a week are full.
    """
    (limit,) = ACTS[act]
    today = now - now % limit.seconds
    for at in (now, *(today + limit.seconds * days for days in range(1, LONGEST_DELAY + 1))):
        if _fits(_key(act, limit, canonical_address(mail)), limit, at):
            return at
    return None


def by_player(act: str, player: int, now: int) -> None:
    for limit in ACTS[act]:
        _count_or_refuse(act, limit, str(player), now)


def by_seat(act: str, match: str, seat: int, now: int, times: int = 1) -> None:
    for limit in ACTS[act]:
        _count_or_refuse(act, limit, f"{match}/{seat}", now, times)


def _count_or_refuse(act: str, limit: Limit, who: str, now: int, times: int = 1) -> None:
    if not _fits(_key(act, limit, who), limit, now, times):
        raise too_often(_wait(limit, now))


def too_often(wait: int) -> TooOften:
    minutes = max(1, -(-wait // MINUTE))
    if minutes > 90:
        hours = -(-minutes // 60)
        return TooOften(
            Counted(
                "that was too often; try again in %(num)s hour",
                "that was too often; try again in %(num)s hours",
            ),
            num=hours,
            wait=wait,
        )
    return TooOften(
        Counted(
            "that was too often; try again in %(num)s minute",
            "that was too often; try again in %(num)s minutes",
        ),
        num=minutes,
        wait=wait,
    )


def _wait(limit: Limit, now: int) -> int:
    return limit.seconds - now % limit.seconds


def _key(act: str, limit: Limit, who: str) -> str:
    name = f"{act} {limit.scope} {limit.seconds} {who}"
    return hashlib.sha256(name.encode()).hexdigest()


def _fits(key: str, limit: Limit, now: int, more: int = 1) -> bool:
    """Count in the window of now, unless that would be too many; whether it was counted."""
    if more > limit.most:
        return False
    start = now - now % limit.seconds
    return execute(_COUNT, key, start, start + limit.seconds, more, limit.most) == 1


_COUNT = (
    "INSERT INTO tally (key, begins_at, ends_at, count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (key, begins_at) DO UPDATE SET count = tally.count + excluded.count"
    " WHERE tally.count + excluded.count <= ?"
)
"""By hand: many moves are counted, and peewee takes 14 % of a POST to build it (180 us)."""


def prune(now: int) -> int:
    """Forget windows that are over; how many."""
    return changed(Tally.delete().where(Tally.ends_at <= now))
