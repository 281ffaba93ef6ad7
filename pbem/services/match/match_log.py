"""The log of a match and the states it folds into: current, of any entry, exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from engine.chance import DeckTree, Draw, RecordedDice, SeededDice, match_key
from engine.core import Event, Seat
from engine.log import REASONS, Entry, chained, genesis, hash_of, short
from engine.replay import FORMAT, DeckRoot, MatchFile, Moment, replay
from pbem.db.store import execute, row, rows
from pbem.errors import Refused, Stale
from pbem.services.records.records import FORMING, LIVE, OVER, MatchRecord

SNAPSHOTS_EVERY = 50
T = TypeVar("T")

_draws = msgspec.json.Decoder(tuple[Draw, ...])
_encode = msgspec.json.Encoder().encode


def key_of(match: MatchRecord) -> bytes:
    phrases = [seat.phrase for seat in match.seats]
    return match_key(match.id, bytes.fromhex(match.secret), phrases)


class LiveDice:
    """Live dice for one entry; the key is derived only when something is thrown."""

    def __init__(self, match: MatchRecord, seq: int) -> None:
        self._match, self._seq = match, seq
        self._seeded: SeededDice | None = None

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._seeded.draws) if self._seeded else ()

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        return self._awake().roll(sides, count, why)

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        return self._awake().shuffle(items, why)

    def _awake(self) -> SeededDice:
        if self._seeded is None:
            match = self._match
            self._seeded = SeededDice(key_of(match), match.id, match.timeline, self._seq)
        return self._seeded


def current(match: MatchRecord) -> Any:
    """The state after the newest entry: from a snapshot where there is one, else from the log."""
    return state_at(match, match.head_seq)


def state_at(match: MatchRecord, seq: int) -> Any:
    found = row(
        "SELECT seq, state FROM snapshot WHERE match_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
        match.id,
        seq,
    )
    if found is None:
        return moments(match, seq)[-1].state
    state = match.game.load(found[1])
    for entry in entries(match.id, found[0] + 1, seq) if found[0] < seq else ():
        if entry.kind == "rewind":
            return moments(match, seq)[-1].state
        if entry.kind in ("action", "timeout"):
            dice = RecordedDice(entry.draws)
            action = match.game.parse(entry.text)
            state = match.game.apply(state, Seat(entry.actor), action, dice).state
    return state


def keep_snapshot(match: MatchRecord, seq: int, state: Any) -> None:
    text = match.game.dump(state)
    execute("INSERT INTO snapshot (match_id, seq, state) VALUES (?, ?, ?)", match.id, seq, text)


def is_snapshot_due(match: MatchRecord, seq: int) -> bool:
    """Whether so many entries were added that the state should be kept, though nobody is asked."""
    return seq // SNAPSHOTS_EVERY > match.head_seq // SNAPSHOTS_EVERY


class Snapshot(NamedTuple):
    seq: int
    state: str
    """JSON, as it was kept."""


def newest_snapshot(match: str) -> Snapshot | None:
    found = row(
        "SELECT seq, state FROM snapshot WHERE match_id = ? ORDER BY seq DESC LIMIT 1", match
    )
    return Snapshot(*found) if found else None


def entries(match: str, start: int = 0, stop: int | None = None) -> list[Entry]:
    found = rows(
        "SELECT seq, kind, actor, text, draws, at, result, hash FROM entry"
        " WHERE match_id = ? AND seq >= ? AND seq <= ? ORDER BY seq",
        match,
        start,
        2**31 - 1 if stop is None else stop,
    )
    return [
        Entry(seq, kind, actor, text, _draws.decode(draws), str(at), result, digits)
        for seq, kind, actor, text, draws, at, result, digits in found
    ]


def append(match: MatchRecord, written: Sequence[Entry], now: int) -> None:
    """Chain entries to the newest and add them; whoever has moved the head meanwhile wins."""
    dated = [replace(entry, at=str(now)) for entry in written]
    log = chained(key_of(match), match.id, match.head or _genesis(match), dated)
    _take_head(match, log[-1])
    values: list[Any] = []
    for entry in log:
        values += match.id, entry.seq, now, entry.actor, entry.kind, entry.text
        values += _encode(entry.draws).decode(), match.rules_version, entry.result, entry.hash
    execute(
        "INSERT INTO entry"
        " (match_id, seq, at, actor, kind, text, draws, rules_version, result, hash) VALUES "
        + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"] * len(log)),
        *values,
    )


def is_linked(match: MatchRecord, previous: str, entry: Entry) -> bool:
    """Whether an entry fits its hash, the hash before it, and as the newest that of the match."""
    right = hash_of(key_of(match), match.id, previous or _genesis(match), entry)
    return right == entry.hash and (entry.seq != match.head_seq or right == match.head)


def _genesis(match: MatchRecord) -> str:
    """The hash before the first entry."""
    return genesis(
        match.id,
        match.game_name,
        match.rules_version,
        match.setup,
        match.commitment,
        [seat.name for seat in match.seats],
        [seat.phrase for seat in match.seats],
    )


def _take_head(match: MatchRecord, newest: Entry) -> None:
    """The lock: only one writer can move the head from where it was read, and none at the end."""
    if match.status not in (FORMING, LIVE):
        raise Stale("the match is not in progress")
    moved = execute(
        "UPDATE match SET head_seq = ?, head = ? WHERE id = ? AND head_seq = ? AND status = ?",
        newest.seq,
        newest.hash,
        match.id,
        match.head_seq,
        match.status,
    )
    if moved != 1:
        raise Stale("the match has moved on in the meantime; look again")


def public_head(match: MatchRecord, upto: int | None = None) -> str:
    """The head that everybody may see, of all or of the entries up to one; empty before the deal.

    It is that of the newest entry at which somebody was asked anew, or no longer: what is said in
    advance between two such entries must not be noticed, and the next of them covers it.
    """
    found = row(
        "SELECT hash FROM entry WHERE match_id = ? AND seq = (SELECT MAX(seq) FROM"
        " (SELECT opened_seq AS seq FROM turn WHERE match_id = ?"
        " UNION ALL SELECT closed_seq FROM turn WHERE match_id = ?) turned WHERE seq <= ?)",
        match.id,
        match.id,
        match.id,
        match.head_seq if upto is None else upto,
    )
    return short(found[0]) if found else ""


def moments(match: MatchRecord, stop: int | None = None) -> list[Moment]:
    """The match entry by entry, replayed from the log."""
    return list(replayed(match, stop))


def replayed(match: MatchRecord, stop: int | None = None) -> Iterator[Moment]:
    """The same, one after the other; GameError at the entry that these rules do not accept."""
    return replay(_file(match, tuple(entries(match.id, 0, stop)), secret="", decks=()))


def moments_after(match: MatchRecord, last: Moment) -> list[Moment]:
    """Those that came since, in the same timeline."""
    found, state = list[Moment](), last.state
    for entry in entries(match.id, last.entry.seq + 1, match.head_seq):
        events: tuple[Event, ...] = ()
        if entry.kind in ("action", "timeout"):
            action = match.game.parse(entry.text)
            step = match.game.apply(state, Seat(entry.actor), action, RecordedDice(entry.draws))
            state, events = step.state, step.events
        found.append(Moment(entry, last.timeline, state, events))
    return found


class Told(NamedTuple):
    """What one entry told, as far as a seat may hear it."""

    entry: Entry
    events: tuple[Event, ...]


def told_since(match: MatchRecord, seat: Seat | None, after: int, upto: int) -> list[Told]:
    """What happened in the entries after one up to another, as that seat may know it."""
    return [
        Told(moment.entry, tuple(e for e in moment.events if e.heard_by(seat)))
        for moment in moments(match, upto)
        if moment.entry.seq > after
    ]


def deck_roots(match: MatchRecord, state: Any, revealed: bool) -> tuple[DeckRoot, ...]:
    """What is published of the shuffled decks: at the deal the root, at the end the cards too."""
    cards = match.game.deck(state)
    key = key_of(match)
    (setup,) = entries(match.id, 0, 0)
    return tuple(
        DeckRoot(
            timeline=0,
            deck=draw.why,
            leaves=draw.size,
            root=DeckTree(key, match.id, 0, draw.why, cards).root,
            cards=cards if revealed else (),
        )
        for draw in setup.draws
        if draw.kind == "shuffle"
    )


def export(match: MatchRecord) -> MatchFile:
    """A finished match as a file that anybody can check."""
    if match.status != OVER:
        raise Refused("a match can only be downloaded once it is over")
    log = tuple(entries(match.id))
    state = state_at(match, 0)
    file = _file(match, log, match.secret, deck_roots(match, state, revealed=True))
    return replace(file, reason=REASONS[log[-1].kind])


def _file(
    match: MatchRecord, log: tuple[Entry, ...], secret: str, decks: tuple[DeckRoot, ...]
) -> MatchFile:
    return MatchFile(
        format=FORMAT,
        match=match.id,
        game=match.game_name,
        rules_version=match.rules_version,
        setup=match.setup,
        commitment=match.commitment,
        secret=secret,
        phrases=tuple(seat.phrase for seat in match.seats),
        entries=log,
        decks=decks,
        result=match.result or "",
        seats=tuple(seat.name for seat in match.seats),
        head=match.head,
    )
