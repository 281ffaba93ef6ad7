"""Matches with their seats, and turns, as plain values.

A move and a letter read them, so they are read with statements of their own: objects of the ORM
make a move 4.2 times a bare durable commit, these 1.6 times (`make bench`, row "move").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from engine.abilities import Inquiries
from engine.core import Seat
from engine.game import Game
from engine.registry import GAMES
from pbem.db.columns import Columns, Decoders
from pbem.db.store import (
    has_row_locks,
    hold_match,
    hold_matches,
    hold_players,
    marks,
    row,
    rows,
    savepoint,
    writing,
)
from pbem.deadlines import Clock
from pbem.errors import Missing

FORMING, LIVE, OVER, CANCELLED = "forming", "live", "over", "cancelled"
OPEN, INVITED, JOINED, DECLINED = "open", "invited", "joined", "declined"
VACANT = "vacant"
"""Of a seat that the clock has taken from its player; anybody who stands in may have it."""
MACHINE = "machine"
"""Of a seat that the stand-in player of the game plays, as was agreed before the match."""
PUBLIC, ANONYMOUS, PRIVATE = "public", "anonymous", "private"
"""Who may see a match: everybody; everybody, but not who plays; who knows its address."""
VISIBILITIES = (PUBLIC, ANONYMOUS, PRIVATE)
GUEST = "guest"
"""Of a seat whose player has left no address: nobody is written to, and no clock runs."""


class SeatRecord(Struct, frozen=True):
    number: int
    name: Seat
    player: int | None
    status: str
    phrase: str
    epoch: int
    draw_offered: bool
    bank: int | None
    missed: int
    pause_wanted: bool
    is_open_to_allies: bool
    """Whether its allies may see its draft and what it says in advance."""
    machine_wanted: bool
    """Whether its player agrees that the computer takes the seats that are still free."""


class EarlierSecret(NamedTuple):
    """What the throws of a match came from before a restore."""

    until: int
    """The entry of the restore, which has the next one."""
    secret: str


class MatchRecord(Struct, frozen=True):
    id: str
    game_name: str
    rules_version: int
    setup: dict[str, Any]
    status: str
    head_seq: int
    timeline: int
    head: str
    """The hash of the newest entry, which counts what is hidden too; see history.public_head."""
    secret: str
    """Of the throws to come; the revealed file shows those before it, too."""
    earlier_secrets: tuple[EarlierSecret, ...]
    """The oldest first; empty where no restore has met the match."""
    commitment: str
    """To the first secret."""
    pace: int
    listed: bool
    creator: int | None
    created_at: int
    started_at: int | None
    ended_at: int | None
    result: str | None
    clock: Clock
    paused_at: int | None
    paused_total: int
    """For how long pauses, and absences in turns that began to run anew, have stopped it."""
    adopted_version: int | None
    held_at: int | None
    """Since when it waits because the rules were changed."""
    decks: str
    """Of a match that is over: its shuffled decks as its file shows them."""
    by_lot: bool
    """Whether its sides are drawn when it begins; before that, nobody has one."""
    strength: str
    """Of its machine players, by the game's own word; empty: as usual."""
    has_remarks: bool
    """Whether the page of a turn explains the first turns to a beginner."""
    rematch_of: str | None
    """The match after whose end its players agreed to play once more."""
    reliable_only: bool
    """Whether its free seats are only for players who are known to answer in time."""
    visibility: str
    """public, anonymous or private."""
    seats: tuple[SeatRecord, ...]

    def is_machine(self, seat: SeatRecord) -> bool:
        """Whether the stand-in player of the game plays a seat, at present or from the start."""
        return seat.status == MACHINE or (seat.status == VACANT and self.clock.policy == "machine")

    @property
    def is_for_all(self) -> bool:
        """Whether it stands in lists and may be shown elsewhere, as a picture or in a frame."""
        return self.visibility != PRIVATE and self.status in (LIVE, OVER)

    @property
    def has_guest(self) -> bool:
        """Whether somebody plays it who has left no address."""
        return any(seat.status == GUEST for seat in self.seats)

    @property
    def asks_back(self) -> bool:
        """Whether players are asked in the middle of the turns of others."""
        return isinstance(self.game, Inquiries)

    @property
    def game(self) -> Game[Any, Any, Any]:
        return GAMES[self.game_name]

    @property
    def plays_version(self) -> int:
        """The version of the rules that it goes on under; `rules_version` is where it began."""
        return self.adopted_version or self.rules_version

    @property
    def has_other_rules(self) -> bool:
        """Whether it began, or goes on, under another version of the rules than is played here."""
        here = self.game.rules_version
        return self.rules_version != here or self.plays_version != here

    @property
    def is_outdated(self) -> bool:
        """Whether the rules were changed since, and nobody has adopted the new ones for it."""
        return self.plays_version != self.game.rules_version

    def secret_at(self, seq: int) -> str:
        """The secret that an entry was written under."""
        return next((old.secret for old in self.earlier_secrets if seq < old.until), self.secret)

    def seat(self, number: int) -> SeatRecord:
        return self.seats[number]

    def seat_named(self, name: str) -> SeatRecord | None:
        return next((seat for seat in self.seats if seat.name == name), None)


class TurnRecord(NamedTuple):
    id: int
    match: str
    seat: int
    opened_seq: int
    closed_seq: int | None
    opened_at: int
    closed_at: int | None
    deadline_at: int
    budget: int
    started_at: int | None
    """When its clock began to run; None while it has not."""
    absent: int
    """How much of the time from `since` to the deadline is absence; in a pause, up to that."""
    since: int | None
    """From when `allowed` seconds count; None while the clock stands still."""
    allowed: int
    missed: bool
    is_inquiry: bool = False
    """Whether the seat is asked in the middle of the turn of another one."""
    has_draft: bool = False

    @property
    def is_open(self) -> bool:
        return self.closed_seq is None


# --- reading -------------------------------------------------------------------------------------

_secrets = msgspec.json.Decoder(tuple[EarlierSecret, ...])


def _earlier_secrets(kept: str) -> tuple[EarlierSecret, ...]:
    return _secrets.decode(kept) if kept else ()


_DECODERS: Decoders = {
    "earlier_secrets": _earlier_secrets,
    "setup": msgspec.json.decode,
    "clock": msgspec.json.Decoder(Clock).decode,
    "listed": bool,
    "by_lot": bool,
    "reliable_only": bool,
    "draw_offered": bool,
    "pause_wanted": bool,
    "is_inquiry": bool,
    "is_open_to_allies": bool,
    "machine_wanted": bool,
    "has_remarks": bool,
}
_OF_MATCH = Columns(
    "match",
    MatchRecord,
    MatchRecord.__struct_fields__[:-1],
    _DECODERS,
    game_name="game",
    creator="creator_id",
)
_OF_SEAT = Columns("seat", SeatRecord, SeatRecord.__struct_fields__, _DECODERS, player="player_id")
_HAS_DRAFT = "EXISTS (SELECT 1 FROM draft WHERE turn_id = turn.id)"
_OF_TURN = Columns(
    "turn",
    TurnRecord,
    TurnRecord._fields,
    _DECODERS,
    match="match_id",
    has_draft=_HAS_DRAFT,
)
_MATCH = f"SELECT {_OF_MATCH.sql} FROM match WHERE id = ?"
_SEATS = f"SELECT {_OF_SEAT.sql} FROM seat WHERE match_id = ? ORDER BY number"
_TURN = f"SELECT {_OF_TURN.sql} FROM turn"
_TURN_IN_MATCH = (
    f"SELECT {_OF_TURN.sql}, {_OF_MATCH.sql} FROM turn"
    " JOIN match ON match.id = turn.match_id WHERE turn.id = ?"
)


def find_match(match: str) -> MatchRecord | None:
    found = row(_MATCH, match)
    return _match(found) if found else None


def _match(found: tuple[Any, ...]) -> MatchRecord:
    (match, *_) = found
    return _OF_MATCH.record(found, _seats(match))


def _seats(match: str) -> tuple[SeatRecord, ...]:
    return tuple([_OF_SEAT.record(found) for found in rows(_SEATS, match)])


def get_match(match: str) -> MatchRecord:
    found = find_match(match)
    if found is None:
        raise Missing("there is no match %(match)s", match=match)
    return found


def lock_match(match: str) -> MatchRecord:
    """The match for writing: nobody else changes it before this transaction is over."""
    hold_match(match)
    return get_match(match)


def hold_found(find: Callable[[], list[str]], players: Sequence[int] = ()) -> None:
    """Make others wait who write to the matches that are found, then to some players.

    Whoever has changed meanwhile what is found is noticed: all is let go of, and held anew.
    """
    while has_row_locks():
        with writing(), savepoint() as begun:
            found = find()
            hold_matches(found)
            hold_players(players, alone=True)
            if find() == found:
                return
            begun.rollback()


def hold_all_of(*players: int, unfinished: bool = False, also: Sequence[str] = ()) -> None:
    """The same for all matches of some players, or those that are not over, and for some others.

    None of the players sits down elsewhere while this lasts.
    """
    hold_found(lambda: [*_matches_of(players, unfinished), *also], players)


def _matches_of(players: Sequence[int], unfinished: bool) -> list[str]:
    statuses = (FORMING, LIVE) if unfinished else (FORMING, LIVE, OVER, CANCELLED)
    found = rows(
        "SELECT DISTINCT match.id FROM seat JOIN match ON match.id = seat.match_id"
        f" WHERE seat.player_id IN ({marks(players)}) AND match.status IN ({marks(statuses)})"
        " ORDER BY match.id",
        *players,
        *statuses,
    )
    return [match for (match,) in found]


def hold_live_matches() -> None:
    """Make all wait who write to a match that is being played: all clocks are about to change."""
    if has_row_locks():
        rows("SELECT id FROM match WHERE status = ? ORDER BY id FOR NO KEY UPDATE", LIVE)


@contextmanager
def locked(match: str) -> Iterator[None]:
    """A transaction in which nobody else changes the match."""
    with writing():
        hold_match(match)
        yield


def seat_holder(match: str, seat: int, epoch: int, demands_word: bool) -> int | None:
    """Who has a seat since that epoch, if that player demands words or all do."""
    found = row(
        "SELECT player.id FROM seat JOIN player ON player.id = seat.player_id"
        " WHERE seat.match_id = ? AND seat.number = ? AND seat.epoch = ?"
        " AND (player.turn_word OR ?)",
        match,
        seat,
        epoch,
        demands_word,
    )
    return found[0] if found else None


def _turn(found: tuple[Any, ...]) -> TurnRecord:
    return _OF_TURN.record(found)


def find_turn(turn: int) -> TurnRecord | None:
    found = row(f"{_TURN} WHERE id = ?", turn)
    return _turn(found) if found else None


def find_turn_in_match(turn: int) -> tuple[TurnRecord, MatchRecord] | None:
    """Both at once, as whoever plays needs them."""
    found = row(_TURN_IN_MATCH, turn)
    if found is None:
        return None
    width = len(TurnRecord._fields)
    return _turn(found[:width]), _match(found[width:])


def open_turns(match: str) -> list[TurnRecord]:
    found = rows(f"{_TURN} WHERE match_id = ? AND closed_seq IS NULL ORDER BY id", match)
    return [_turn(values) for values in found]


def next_turn_of(player: int, match: str = "") -> TurnRecord | None:
    """Of the turns that wait for a player, or of those in one match, the one that ends first."""
    found = row(
        f"{_TURN} JOIN seat ON seat.match_id = turn.match_id AND seat.number = turn.seat"
        " JOIN match ON match.id = turn.match_id"
        " WHERE seat.player_id = ? AND match.status = ? AND turn.closed_seq IS NULL"
        " AND ? IN ('', turn.match_id) ORDER BY turn.deadline_at, turn.id LIMIT 1",
        player,
        LIVE,
        match,
    )
    return _turn(found) if found else None


def turn_before(turn: TurnRecord) -> TurnRecord | None:
    """The turn of the same seat before this one."""
    found = row(
        f"{_TURN} WHERE match_id = ? AND seat = ? AND closed_seq <= ?"
        " ORDER BY closed_seq DESC LIMIT 1",
        turn.match,
        turn.seat,
        turn.opened_seq,
    )
    return _turn(found) if found else None


def whole_turn_before(turn: TurnRecord) -> TurnRecord | None:
    """The turn of the same seat before this one that was no answer in the middle of another's."""
    before = turn_before(turn)
    while before is not None and before.is_inquiry:
        before = turn_before(before)
    return before


def whole_turns_before(turn: TurnRecord) -> Iterator[TurnRecord]:
    """All such turns, the newest first."""
    before = whole_turn_before(turn)
    while before is not None:
        yield before
        before = whole_turn_before(before)


def is_turn_continued(before: TurnRecord, turn: TurnRecord) -> bool:
    """Whether between two turns of a seat others have only answered questions."""
    others = row(
        "SELECT 1 FROM turn WHERE match_id = ? AND seat <> ? AND opened_seq >= ? AND opened_seq < ?"
        " AND is_inquiry = ? LIMIT 1",
        turn.match,
        turn.seat,
        before.closed_seq,
        turn.opened_seq,
        False,
    )
    return others is None


def newest_turn(match: str, seat: int, closed: int | None = None) -> TurnRecord | None:
    """The newest turn of a seat; of those that an entry has closed, if one is named."""
    which, values = ("", ()) if closed is None else (" AND closed_seq = ?", (closed,))
    found = row(
        f"{_TURN} WHERE match_id = ? AND seat = ?{which} ORDER BY id DESC LIMIT 1",
        match,
        seat,
        *values,
    )
    return _turn(found) if found else None


def newest_turn_id(match: str, seat: int) -> int:
    """The id of the newest turn of a seat, open or over; 0 before the first.

    Every letter to a seat needs it: the query builder takes 160 us for it, this 5.
    """
    found = row("SELECT MAX(id) FROM turn WHERE match_id = ? AND seat = ?", match, seat)
    (newest,) = found or (None,)
    return int(newest or 0)
