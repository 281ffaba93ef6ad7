"""Mail addresses: their canonical form, and whether letters arrive there.

What became of letters is known from the outbox alone; whoever wants to know asks here. A letter
counts against an address when a mail server has answered about it, or has sent it back. One that
could not be written, or met a closed way, does not; nor does what was written to an address before
it was changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Literal, NamedTuple

from peewee import Case, fn

from pbem.db.models import AddressChange, Outbox, Player
from pbem.db.reading import column, every
from pbem.services.records.letter_queue import DEAD, LEASED, QUEUED, RETURNED

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

    player: int
    letter: int
    kind: str
    state: str
    attempts: int
    created_at: int
    error: str
    refusals: int
    report: str
    """What was reported of one that came back: soft or hard."""


class AddressState(NamedTuple):
    """Whether letters arrive at a player's address, with what says so, newest first."""

    arrival: Arrival
    trouble: tuple[Trouble, ...] = ()
    arrived_at: int | None = None
    """When a letter was last taken."""


_SINCE = AddressChange.select(fn.MAX(AddressChange.ended_at)).where(
    AddressChange.is_done,
    (AddressChange.player == Outbox.player) | (AddressChange.other == Outbox.player),
)
"""When the address of a player was last changed."""
_ANSWERED = (
    Outbox.message_id.is_null(False)
    & (Outbox.last_error >= "4")
    & (Outbox.last_error < "6")
    & fn.SUBSTR(Outbox.last_error, 1, 3).not_in(OWN_FAULTS)
    & (Outbox.created_at >= fn.COALESCE(_SINCE, 0))
)
"""A server has answered about this letter, at the address that the player has now."""
_FAILED = Case(
    Outbox.state,
    [("dead", 1), ("returned", 1), ("queued", Outbox.attempts), ("leased", Outbox.attempts)],
    0,
)
"""Above zero for letters tried in vain; so written that rows are looked up by their player."""
_REFUSED = (Outbox.state == "dead") | (
    Outbox.state.in_(["queued", "leased"]) & (Outbox.refusals > 0)
)
"""Given up, or refused for good and still tried again."""
_NOT_ARRIVED = (DEAD, QUEUED, LEASED, RETURNED)
"""States of letters that have not arrived; few are in them, so that databases look these up."""


def state_of(player: int) -> AddressState:
    return states_of([player])[player]


def states_of(players: Collection[int]) -> dict[int, AddressState]:
    """How it stands with the addresses of these players.

    It bounces where a letter was refused for good, or put off until it was given up, and none has
    arrived since; it defers where one waits after a try, or came back once. Where letters keep
    coming back it means nothing that one was taken since.
    """
    if not players:
        return {}
    arrived, trouble = _arrived(players), defaultdict[int, list[Trouble]](list)
    returning = _returning(players)
    for one in _trouble(players):
        is_newest = one.player not in arrived or one.letter > arrived[one.player].letter
        if is_newest or (one.state == RETURNED and one.player in returning):
            trouble[one.player].append(one)
    return {
        player: AddressState(
            "bouncing" if player in returning else _judged(trouble[player]),
            tuple(trouble[player]),
            arrived[player].at if player in arrived else None,
        )
        for player in players
    }


def _returning(players: Collection[int]) -> set[int]:
    """Those of these players whose letters come back."""
    found = Player.select(Player.id)
    return set(column(found.where(Player.id.in_(players), Player.returns_since.is_null(False))))


def came_back(player: int, after: int) -> int:
    """How many letters to the address that a player has now came back after an instant."""
    found = Outbox.select().where(
        Outbox.player == player,
        Outbox.state == RETURNED,
        Outbox.reported_at > after,
        Outbox.created_at >= fn.COALESCE(_SINCE, 0),
    )
    return int(found.count())


class _Arrived(NamedTuple):
    """The newest letter of a player that was taken."""

    player: int
    letter: int
    at: int | None


def _arrived(players: Collection[int]) -> dict[int, _Arrived]:
    newest = Outbox.select(fn.MAX(Case(None, [(Outbox.state == "sent", Outbox.id)])))
    newest = newest.where(Outbox.player.in_(players)).group_by(Outbox.player)
    found = Outbox.select(Outbox.player, Outbox.id.alias("letter"), Outbox.sent_at.alias("at"))
    return {one.player: one for one in every(found.where(Outbox.id.in_(newest)), _Arrived)}


def _trouble(players: Collection[int]) -> list[Trouble]:
    """Letters tried in vain, newest first."""
    found = Outbox.select(
        Outbox.player,
        Outbox.id.alias("letter"),
        Outbox.kind,
        Outbox.state,
        Outbox.attempts,
        Outbox.created_at,
        Outbox.last_error.alias("error"),
        Outbox.refusals,
        Outbox.report,
    )
    found = found.where(Outbox.player.in_(players), _FAILED > 0, _ANSWERED)
    return every(found.order_by(Outbox.id.desc()), Trouble)


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
    newer = Outbox.alias()
    has_arrived_since = fn.EXISTS(
        newer.select(newer.id).where(
            newer.player == Outbox.player, newer.state == "sent", newer.id > Outbox.id
        )
    )
    refused = Outbox.select(
        fn.MIN(Outbox.created_at).alias("since"), fn.MAX(Outbox.id).alias("newest")
    )
    is_returning = (Outbox.state == RETURNED) & Player.returns_since.is_null(False)
    refused = refused.join(Player).where((_REFUSED & ~has_arrived_since) | is_returning, _ANSWERED)
    refused = refused.where(Outbox.state.in_(_NOT_ARRIVED))
    refused = refused.group_by(Outbox.player)
    newest = Outbox.alias()
    found = (
        newest.select(
            Player.id.alias("player"),
            Player.name,
            Player.address,
            refused.c.since,
            newest.last_error.alias("error"),
        )
        .join_from(newest, refused, on=newest.id == refused.c.newest)
        .join_from(newest, Player)
        .order_by(newest.id.desc())
    )
    return every(found.limit(most), Refusing)
