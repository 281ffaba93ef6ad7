"""The log of a match and the states it folds into: current, of any entry, exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace
from peewee import fn

from engine.chance import Draw, RecordedDice, SeededDice, match_key
from engine.core import Seat, Step
from engine.log import REASONS, Entry, chained, genesis, hash_of, short
from engine.replay import FORMAT, DeckRoot, MatchFile, Moment, dealt_decks, replay
from engine.versions import loaded
from pbem.db import models
from pbem.db.reading import value
from pbem.errors import Missing, Refused, RulesChanged, Stale
from pbem.services.match import move_rows
from pbem.services.match.move_rows import Events, Snapshot, newest_snapshot
from pbem.services.records.match_rows import FORMING, LIVE, OVER, MatchRecord
from pbem.services.records.memory import Memory

SNAPSHOTS_EVERY = 50
STATES_REMEMBERED = 64
T = TypeVar("T")

_states = Memory[Any](STATES_REMEMBERED)
_decks = msgspec.json.Decoder(tuple[DeckRoot, ...])
_encode = msgspec.json.Encoder().encode


def key_of(match: MatchRecord) -> bytes:
    """The key of what comes next."""
    return _key(match, match.secret)


def key_at(match: MatchRecord, seq: int) -> bytes:
    """The key that an entry was written under."""
    return _key(match, match.secret_at(seq))


def _key(match: MatchRecord, secret: str) -> bytes:
    phrases = [seat.phrase for seat in match.seats]
    return match_key(match.id, bytes.fromhex(secret), phrases)


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
    """The state after the newest entry: from a snapshot where there is one, else from the log.

    A press and the page that it leads to ask for the same one, and only the first reads it.
    """
    kept = None if match.has_other_rules else newest_snapshot(match.id, match.head_seq)
    if kept is None:
        return state_at(match, match.head_seq)
    key = match.id, match.game_name, match.head, kept
    return _states.answer(
        key, lambda: _gone_on(match, _read(match, kept), kept.seq, match.head_seq)
    )


def state_at(match: MatchRecord, seq: int) -> Any:
    """The state after an entry; of one under older rules, the last that was kept by then."""
    kept = newest_snapshot(match.id, seq)
    if match.has_other_rules:
        check_rules(match)
        begin = rules_begin(match)
        if begin is None or seq < begin:
            return _kept_by_older_rules(match, kept, seq)
        if begin and (kept is None or kept.seq < begin):
            raise Missing("the position after entry %(entry)s was not kept", entry=begin)
        if kept is not None:
            return _gone_on(match, kept_state(match, kept), kept.seq, seq)
    if kept is None:
        return moments(match, seq)[-1].state
    return _gone_on(match, _read(match, kept), kept.seq, seq)


def _read(match: MatchRecord, kept: Snapshot) -> Any:
    return match.game.load(kept.state)


def _gone_on(match: MatchRecord, state: Any, after: int, seq: int) -> Any:
    """The state after an entry, from that after an earlier one."""
    for entry in entries(match.id, after + 1, seq) if after < seq else ():
        if entry.kind == "rewind":
            return moments(match, seq)[-1].state
        state = step(match, state, entry).state
    return state


# --- older rules ---------------------------------------------------------------------------------


def check_rules(match: MatchRecord) -> None:
    """A match that is played waits while these are not its rules."""
    if match.status == LIVE and match.is_outdated:
        raise RulesChanged(
            "the rules of this game were changed during this match; it waits until it is decided"
            " how it continues, and all clocks are stopped meanwhile. You will get an email"
        )


def rules_begin(match: MatchRecord) -> int | None:
    """The entry from which on a match follows these rules; None while it does not."""
    return None if match.is_outdated else _rules_changed(match)


def _rules_changed(match: MatchRecord) -> int:
    """The newest entry at which the rules of a match were changed; 0 where none did."""
    if match.adopted_version is None:
        return 0
    log = models.Entry
    changed = log.select(fn.MAX(log.seq)).where(log.match == match.id, log.kind == "rules")
    return value(changed) or 0


def _version(match: MatchRecord, seq: int) -> int:
    """The version of the rules under which an entry was written."""
    log = models.Entry
    return int(value(log.select(log.rules_version).where(log.match == match.id, log.seq == seq)))


def _kept_by_older_rules(match: MatchRecord, kept: Snapshot | None, seq: int) -> Any:
    if kept is None:
        raise Missing("the position after entry %(entry)s was not kept", entry=seq)
    version = _version(match, kept.seq)
    try:
        return loaded(match.game, kept.state, version)
    except Exception as error:  # `load` and `convert` of a game, of what they have not written
        raise Missing("the position after entry %(entry)s was not kept", entry=seq) from error


def kept_or_played(match: MatchRecord, seq: int) -> Any:
    """The state after an entry; None where older rules have left it and these cannot read that."""
    try:
        return state_at(match, seq)
    except Missing:
        return None


def is_kept(match: MatchRecord, seq: int) -> bool:
    """Whether there is a snapshot after this very entry."""
    kept = newest_snapshot(match.id, seq)
    return kept is not None and kept.seq == seq


def keep_snapshot(match: MatchRecord, seq: int, state: Any) -> None:
    move_rows.keep_snapshot(match.id, Snapshot(seq, match.game.dump(state)))


def is_snapshot_due(match: MatchRecord, seq: int) -> bool:
    """Whether so many entries were added that the state should be kept, though nobody is asked."""
    return seq // SNAPSHOTS_EVERY > match.head_seq // SNAPSHOTS_EVERY


def kept_state(match: MatchRecord, kept: Snapshot) -> Any:
    """What a snapshot holds, as these rules read it."""
    return loaded(match.game, kept.state, _version(match, kept.seq))


def entries(match: str, start: int = 0, stop: int | None = None) -> list[Entry]:
    return move_rows.entries(match, start, move_rows.NEWEST if stop is None else stop)


def append(
    match: MatchRecord, written: Sequence[Entry], now: int, told: Sequence[Events] = ()
) -> None:
    """Chain entries to the newest and add them; whoever has moved the head meanwhile wins.

    What each of them told is kept with it, as secret as the entry itself.
    """
    dated = [replace(entry, at=str(now)) for entry in written]
    log = chained(key_of(match), match.id, match.head or _genesis(match), dated)
    _take_head(match, log[-1])
    move_rows.add_entries(match, log, told or [()] * len(log), now)


def is_linked(match: MatchRecord, previous: str, entry: Entry) -> bool:
    """Whether an entry fits its hash, the hash before it, and as the newest that of the match."""
    right = hash_of(key_at(match, entry.seq), match.id, previous or _genesis(match), entry)
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
    if not move_rows.take_head(match, newest):
        raise Stale("the match has moved on in the meantime; look again")


def public_head(match: MatchRecord, upto: int | None = None) -> str:
    """The head that everybody may see, of all or of the entries up to one; empty before the deal.

    It is that of the newest entry at which somebody was asked anew, or no longer: what is said in
    advance between two such entries must not be noticed, and the next of them covers it.
    """
    digits = move_rows.public_hash(match.id, match.head_seq if upto is None else upto)
    return short(digits) if digits else ""


def replayed_states(match: MatchRecord) -> Iterator[tuple[Entry, Any]]:
    """Each entry with the state after it, by these rules; before a change of rules without."""
    changed = _rules_changed(match)
    if not changed:
        for moment in replayed(match):
            yield moment.entry, moment.state
        return
    kept, state = newest_snapshot(match.id, changed), None
    for entry in entries(match.id):
        if entry.seq > changed:
            state = step(match, state, entry).state
        elif entry.seq == changed and kept is not None:
            state = kept_state(match, kept)
        yield entry, state


def moments(match: MatchRecord, stop: int | None = None) -> list[Moment]:
    """The match entry by entry, replayed from the log."""
    return list(replayed(match, stop))


def replayed(match: MatchRecord, stop: int | None = None) -> Iterator[Moment]:
    """The same, one after the other; GameError at the entry that these rules do not accept."""
    return replay(_file(match, tuple(entries(match.id, 0, stop)), secret="", decks=()))


class Played(NamedTuple):
    """An entry with the state after it and what it told."""

    entry: Entry
    state: Any
    events: Events


def played(
    match: MatchRecord, after: int, upto: int | None = None, state: Any = None
) -> Iterator[Played]:
    """The entries after one up to another, or to the newest, played again from its state.

    Unless that is known, it comes from the nearest snapshot; so this costs what these entries cost.
    Entries under older rules are not played: they have what was kept, or no state.
    """
    stop = match.head_seq if upto is None else upto
    if match.has_other_rules:
        check_rules(match)
        begin = rules_begin(match)
        older = stop if begin is None else min(stop, begin) if begin else -1
        for told in all_told(match, after, older):
            state, after = _exactly_kept(match, told.entry.seq), told.entry.seq
            yield Played(told.entry, state, told.events)
    if after >= stop:
        return
    if state is None and after >= 0:
        state = state_at(match, after)
    for entry in entries(match.id, after + 1, stop):
        done = step(match, state, entry)
        state = done.state
        yield Played(entry, state, done.events)


def _exactly_kept(match: MatchRecord, seq: int) -> Any:
    """The state after an entry, where it was kept and can be read; else None."""
    return kept_or_played(match, seq) if is_kept(match, seq) else None


def step(match: MatchRecord, state: Any, entry: Entry) -> Step[Any]:
    """What an entry does in the state before it, by these rules."""
    if entry.kind == "setup":
        return match.game.new_game(match.setup, RecordedDice(entry.draws))
    if entry.kind in ("action", "timeout"):
        action = match.game.parse(entry.text)
        return match.game.apply(state, Seat(entry.actor), action, RecordedDice(entry.draws))
    return Step(state_at(match, entry.seq) if entry.kind == "rewind" else state)


class Told(NamedTuple):
    """An entry and what it told."""

    entry: Entry
    events: Events

    def heard_by(self, seat: Seat | None) -> Told:
        """As far as a seat may hear it."""
        return Told(self.entry, tuple([e for e in self.events if e.heard_by(seat)]))


def told_since(match: MatchRecord, seat: Seat | None, after: int, upto: int) -> list[Told]:
    """What happened in the entries after one up to another, as that seat may know it."""
    return [told.heard_by(seat) for told in all_told(match, after, upto)]


def all_told(match: MatchRecord, after: int, upto: int) -> list[Told]:
    """The same with all that is hidden: as it was kept, else played again."""
    log = move_rows.kept_entries(match.id, after + 1, upto)
    missing = [entry.seq for entry, kept in log if kept is None and entry.kind in _TELLING]
    if match.has_other_rules:
        begin = rules_begin(match)
        missing = [seq for seq in missing if begin is not None and (seq > begin or begin == 0)]
    again = dict[int, Events]()
    if missing:
        again = {one.entry.seq: one.events for one in played(match, missing[0] - 1, missing[-1])}
    return [Told(entry, again.get(entry.seq, ()) if kept is None else kept) for entry, kept in log]


_TELLING = ("setup", "action", "timeout")
"""The kinds of entries at which something happens by the rules."""


def deck_roots(match: MatchRecord, state: Any, revealed: bool) -> tuple[DeckRoot, ...]:
    """What is published of the shuffled decks: at the deal the root, at the end the cards too."""
    (setup,) = entries(match.id, 0, 0)
    roots = dealt_decks(match.game, state, key_at(match, 0), match.id, setup)
    return roots if revealed else tuple([replace(root, cards=()) for root in roots])


def keep_decks(match: MatchRecord) -> None:
    """Of a match that ends, so that its file can be written when the rules have changed."""
    kept = _encode(deck_roots(match, state_at(match, 0), revealed=True)).decode()
    models.Match.update(decks=kept).where(models.Match.id == match.id).execute()


def _revealed_decks(match: MatchRecord) -> tuple[DeckRoot, ...]:
    if match.decks:
        return _decks.decode(match.decks)
    return deck_roots(match, state_at(match, 0), revealed=True)


def export(match: MatchRecord) -> MatchFile:
    """A finished match as a file that anybody can check."""
    if match.status != OVER:
        raise Refused("a match can only be downloaded once it is over")
    log = tuple(entries(match.id))
    file = _file(match, log, match.secret_at(0), _revealed_decks(match))
    later = (*[old.secret for old in match.earlier_secrets], match.secret)[1:]
    return replace(file, reason=REASONS[log[-1].kind], later_secrets=later)


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
