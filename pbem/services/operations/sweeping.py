"""What strangers have left: matches and players that nobody has ever confirmed are dropped.

So are matches that guests have deserted, with their logs: nobody else has played in them.
Whatever else refers to a row keeps it: only its seats and its letters go with it. So a table that
is added later is safe without a word here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from peewee import ForeignKeyField, Model, fn

from pbem.db.models import (
    TABLES,
    Draft,
    Entry,
    Match,
    MatchSeat,
    Moderator,
    Outbox,
    Player,
    Sending,
    Snapshot,
    Turn,
)
from pbem.db.reading import column, every
from pbem.db.store import has_row_locks, hold_matches, hold_players, writing
from pbem.deadlines import DAY
from pbem.services.records.letter_queue import LEASED, QUEUED
from pbem.services.records.match_rows import CANCELLED, FORMING, GUEST, JOINED
from pbem.services.self_service.personal_data import DELETED_DOMAIN
from pbem.services.time import alarms

KEEP_MATCHES = 7 * DAY
KEEP_DESERTED = 30 * DAY
"""After the end; until then the page of the guest says what has become of the match."""
OF_MATCH = (MatchSeat, Entry, Snapshot, Turn)
"""What a match of a guest consists of, beside what hangs on its turns."""
KEEP_PLAYERS = 30 * DAY
"""After the last letter to them; until then the link in it may be pressed."""
AT_ONCE = 200


def sweep(now: int) -> int:
    """Drop what is old and was never confirmed, some rows at a time; how many."""
    dropped = 0
    for some in (_drop_matches, _drop_deserted, _drop_players):
        while count := some(now):
            dropped += count
    return dropped


def _drop_matches(now: int) -> int:
    """Matches that their creator has not vouched for; nobody was invited to them yet."""
    with writing():
        found = _unconfirmed_matches(now)
        hold_matches(match.id for match in found)
        for match in found:
            if has_row_locks() and not _unconfirmed_matches(now, match.id):
                continue  # confirmed at this very moment
            Outbox.delete().where(Outbox.match == match.id).execute()
            confirms = Outbox.dedupe.startswith(f"confirm:{match.creator}:{match.id}")
            Outbox.delete().where(Outbox.player == match.creator, confirms).execute()
            MatchSeat.delete().where(MatchSeat.match == match.id).execute()
            alarms.disarm(alarms.LAPSE, match.id)
            Match.delete().where(Match.id == match.id).execute()
        return len(found)


def _drop_deserted(now: int) -> int:
    """Matches that a guest has left unfinished; of those that were played to the end all stays."""
    guests = MatchSeat.select(MatchSeat.id).where(
        MatchSeat.match == Match.id, MatchSeat.status == GUEST
    )
    found = Match.select(Match.id).where(
        Match.status == CANCELLED,
        Match.ended_at <= now - KEEP_DESERTED,
        fn.EXISTS(guests),
        *_not_referred_to(Match, (*OF_MATCH, Outbox)),
    )
    with writing():
        dropped = column(found.order_by(Match.id).limit(AT_ONCE))
        hold_matches(dropped)
        for match in dropped:
            turns = Turn.select(Turn.id).where(Turn.match == match)
            Draft.delete().where(Draft.turn.in_(turns)).execute()
            Sending.delete().where(Sending.turn.in_(turns)).execute()
            for table in (Outbox, *OF_MATCH):
                table.delete().where(table.match == match).execute()
            Match.delete().where(Match.id == match).execute()
        return len(dropped)


class _Unconfirmed(NamedTuple):
    """A match, and who has begun it."""

    id: str
    creator: int


def _unconfirmed_matches(now: int, match: str | None = None) -> list[_Unconfirmed]:
    """Those that can go; of one match alone, if it is one of them."""
    joined = MatchSeat.select(MatchSeat.id).where(
        MatchSeat.match == Match.id, MatchSeat.status == JOINED
    )
    found = Match.select(Match.id, Match.creator).where(
        Match.status.in_((FORMING, CANCELLED)),
        Match.started_at.is_null(),
        Match.creator.is_null(False),
        Match.created_at <= now - KEEP_MATCHES,
        ~fn.EXISTS(joined),
        *_not_referred_to(Match, (MatchSeat, Outbox)),
    )
    if match is not None:
        found = found.where(Match.id == match)
    return every(found.order_by(Match.id).limit(AT_ONCE), _Unconfirmed)


def _drop_players(now: int) -> int:
    """Players who have never confirmed and have nothing; not moderators, to whom letters go too.

    The newest row stays: SQLite would give its number to somebody else, with the links it is in.
    """
    with writing():
        found = _unconfirmed_players(now)
        hold_players(found, alone=True)
        for player in found:
            alarms.disarm(alarms.DIGEST, player)
            Outbox.delete().where(Outbox.player == player).execute()
            Player.delete().where(Player.id == player).execute()
        return len(found)


def _unconfirmed_players(now: int) -> list[int]:
    other, long_ago = Player.alias(), now - KEEP_PLAYERS
    moderates = Moderator.select(Moderator.id).where(Moderator.address == Player.address)
    written_to = Outbox.select(Outbox.id).where(
        Outbox.player == Player.id,
        (Outbox.created_at > long_ago) | Outbox.state.in_((QUEUED, LEASED)),
    )
    found = Player.select(Player.id).where(
        Player.confirmed_at.is_null(),
        Player.banned_at.is_null(),
        Player.created_at <= long_ago,
        Player.id < other.select(fn.MAX(other.id)),
        ~Player.address.endswith(f"@{DELETED_DOMAIN}"),
        ~fn.EXISTS(moderates),
        ~fn.EXISTS(written_to),
        *_not_referred_to(Player, (Outbox,)),
    )
    return column(found.order_by(Player.id).limit(AT_ONCE))


def _not_referred_to(kind: type[Model], but: Sequence[type[Model]]) -> list[Any]:
    """The conditions that no row of another table refers to one, except in these."""
    return [
        ~fn.EXISTS(table.select(field).where(field == kind._meta.primary_key))
        for table in TABLES
        if table not in but
        for field in _fields_to(table, kind)
    ]


def _fields_to(table: type[Model], kind: type[Model]) -> list[ForeignKeyField]:
    fields = table._meta.sorted_fields
    return [
        field for field in fields if isinstance(field, ForeignKeyField) and field.rel_model is kind
    ]
