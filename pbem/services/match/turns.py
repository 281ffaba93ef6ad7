"""Turns: composing orders, sending them, and `advance`, the only writer of the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from engine.chance import SealedDice, SealedThrow
from engine.core import Event, Option, Seat, Step
from engine.log import MODERATOR as MODERATOR
from engine.log import Entry, EntryKind, decided
from engine.replay import won
from pbem import deadlines
from pbem.db.store import execute, hold_match, insert, row, writing
from pbem.errors import Missing, Refused, Stale
from pbem.links import order_code
from pbem.services.match import match_log
from pbem.services.match.match_log import Events
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn,
    find_turn_in_match,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.seats import unreachable
from pbem.services.time import clocks

MOST_ORDERS = 60
LONGEST_ORDER = 200


# --- composing -----------------------------------------------------------------------------------


class Preview(NamedTuple):
    """Orders tried with sealed dice: what they lead to, as far as that may be known beforehand."""

    orders: tuple[str, ...]
    state: Any
    """After the last order that is not final."""
    events: tuple[Event, ...]
    is_final: bool
    """The last order throws a die or opens a secret; only sending shows what comes of it."""
    is_asked: bool
    """Whether the seat still has something to decide before sending."""


def preview(match: MatchRecord, seat: Seat, orders: Sequence[str]) -> Preview:
    """What orders would do; GameError or Refused names the first that cannot be."""
    state, told = match_log.current(match), list[Event]()
    for number, order in enumerate(orders, 1):
        step = _tried(match, state, seat, order)
        if step is None or step.final:
            if number < len(orders):
                raise Refused("nothing can follow “%(order)s” before it is sent", order=order)
            return Preview(tuple(orders), state, tuple(told), True, False)
        state = step.state
        told += [event for event in step.events if event.heard_by(seat)]
    asked = seat in match.game.waiting_on(state)
    return Preview(tuple(orders), state, tuple(told), False, asked)


def _tried(match: MatchRecord, state: Any, seat: Seat, order: str) -> Step[Any] | None:
    """What one order would do; None if a die decides that."""
    try:
        return match.game.apply(state, seat, match.game.parse(order), SealedDice())
    except SealedThrow:
        return None


def draft_of(turn: int) -> tuple[str, ...]:
    found = row("SELECT orders FROM draft WHERE turn_id = ?", turn)
    return tuple(msgspec.json.decode(found[0], type=list[str])) if found else ()


def add_to_draft(turn: int, orders: Sequence[str], now: int) -> Preview:
    """Put orders behind those composed already, if all of them together can be."""
    with writing():
        match, record, seat = _asked(turn)
        _first_press(record, now)
        composed = (*draft_of(turn), *_checked(orders))
        _check_number(len(composed))
        tried = preview(match, seat, composed)
        _keep_draft(turn, composed, now)
        return tried


def undo_draft(turn: int, now: int, keep: int | None = None) -> tuple[str, ...]:
    """Take back the last composed order, or all behind the first `keep`."""
    with writing():
        _, record, _ = _asked(turn)
        _first_press(record, now)
        composed = draft_of(turn)
        left = composed[:-1] if keep is None else composed[:keep]
        _keep_draft(turn, left, now)
        return left


def _first_press(turn: TurnRecord, now: int) -> None:
    """Whoever composes knows of his turn: its clock runs, though its letter may be on the way."""
    if turn.started_at is None:
        clocks.start(turn.id, now)


def _keep_draft(turn: int, orders: Sequence[str], now: int) -> None:
    execute(
        "INSERT INTO draft (turn_id, orders, updated_at) VALUES (?, ?, ?)"
        " ON CONFLICT (turn_id) DO UPDATE SET orders = excluded.orders,"
        " updated_at = excluded.updated_at",
        turn,
        msgspec.json.encode(list(orders)).decode(),
        now,
    )


def _asked(turn: int) -> tuple[MatchRecord, TurnRecord, Seat]:
    """The match and seat of a turn that is still open."""
    match, record = held(turn)
    _check_asked(match, record)
    return match, record, match.seat(record.seat).name


def _check_asked(match: MatchRecord, turn: TurnRecord) -> None:
    if not turn.is_open or match.status != LIVE:
        raise Stale("this turn is over")


def _checked(orders: Sequence[str]) -> list[str]:
    """Orders as lines: not too many, not too long, no empty ones."""
    lines = [" ".join(order.split()) for order in orders]
    lines = [line for line in lines if line]
    if not lines:
        raise Refused("there is no order; write one on each line")
    _check_number(len(lines))
    for line in lines:
        if len(line) > LONGEST_ORDER:
            raise Refused("an order of %(count)s characters is too long", count=len(line))
    return lines


def _check_number(count: int) -> None:
    if count > MOST_ORDERS:
        raise Refused(
            "%(count)s orders are too many; %(most)s can be sent at once",
            count=count,
            most=MOST_ORDERS,
        )


# --- choices -------------------------------------------------------------------------------------


class Choice(NamedTuple):
    """A whole legal order, with what each of its words says."""

    notation: str
    path: tuple[Option[Any], ...]


def choices(match: MatchRecord, state: Any, seat: Seat, most: int = 400) -> list[Choice]:
    """Every order the seat can give now; at most `most` of them."""
    found: list[Choice] = []
    _gather(match, state, seat, (), found, most)
    return found


def _gather(
    match: MatchRecord,
    state: Any,
    seat: Seat,
    path: tuple[Option[Any], ...],
    found: list[Choice],
    most: int,
) -> None:
    words = tuple(option.word for option in path)
    for option in match.game.options(state, seat, words):
        if len(found) >= most:
            return
        longer = (*path, option)
        if option.action is None:
            _gather(match, state, seat, longer, found, most)
        else:
            found.append(Choice(" ".join((*words, option.word)), longer))


def order_with_code(match: MatchRecord, turn: int, state: Any, code: str) -> Choice | None:
    """The legal order that a code in a link stands for, in the state of its turn."""
    record = find_turn(turn)
    assert record is not None, "codes belong to turns"
    seat = match.seat(record.seat).name
    for choice in choices(match, state, seat):
        if order_code(match.secret, turn, choice.notation) == code:
            return choice
    return None


# --- sending -------------------------------------------------------------------------------------


class Receipt(NamedTuple):
    """What was accepted, and how it went on."""

    match: str
    seat: int
    first_seq: int
    last_seq: int
    orders: tuple[str, ...]
    events: tuple[Event, ...]
    waiting_on: tuple[Seat, ...]


def submit(turn: int, orders: Sequence[str], now: int, sent: int | None = None) -> Receipt:
    """Send orders for a turn: all of them are accepted or none.

    `sent` is how many the sender believes to have sent in it before.
    """
    with writing():
        match, record = held(turn)
        return send(match, record, orders, now, sent)


def held(turn: int) -> tuple[MatchRecord, TurnRecord]:
    """A turn and its match, read while nobody else can write to it.

    Otherwise somebody who says something in advance at the same moment would make this fail, and
    thereby tell that something was said.
    """
    found = find_turn_in_match(turn)
    if found is not None and hold_match(found[0].match):
        found = find_turn_in_match(turn)
    if found is None:
        raise Missing("there is no such turn")
    record, match = found
    return match, record


def send(
    match: MatchRecord,
    turn: TurnRecord,
    orders: Sequence[str],
    now: int,
    sent: int | None = None,
) -> Receipt:
    """The same inside the caller's transaction; `match` was held and `turn` read in it."""
    lines = _checked(orders)
    _check_asked(match, turn)
    if sent is not None and sent != _sent_in(match, turn):
        raise Stale("these orders were sent already")
    receipt = advance(match, turn.seat, lines, now, turn=turn)
    if match.seat(turn.seat).name in receipt.waiting_on:
        limits.by_seat("order", match.id, turn.seat, now, len(lines))
    if turn.has_draft:
        execute("DELETE FROM draft WHERE turn_id = ?", turn.id)
    unreachable.reached(match.seat(turn.seat).player, now)
    return receipt


def submit_draft(turn: int, now: int) -> Receipt:
    return submit(turn, draft_of(turn), now)


def give_any_time(match_id: str, seat: int, order: str, now: int) -> Receipt:
    """An order that may be given at any time, such as a standing order."""
    (line,) = _checked([order])
    with writing():
        match = lock_match(match_id)
        if match.status != LIVE:
            raise Stale("the match is not being played")
        return advance(match, seat, [line], now)


def advance(
    match: MatchRecord,
    mover: int,
    orders: Sequence[str],
    now: int,
    kind: EntryKind = "action",
    turn: TurnRecord | None = None,
) -> Receipt:
    """Apply orders, write them to the log, close and open turns, owe the letters.

    Runs inside the caller's transaction; `match` was read in it, and the mover's turn if known.
    """
    game, seat = match.game, match.seat(mover).name
    state = match_log.current(match)
    before = game.waiting_on(state)
    seq, written, told, final = match.head_seq, list[Entry](), list[Events](), False
    for order in orders:
        if final:
            last = written[-1].text
            raise Refused("nothing can follow “%(order)s” before it is sent", order=last)
        seq += 1
        dice = match_log.LiveDice(match, seq)
        action = game.parse(order)
        step = game.apply(state, seat, action, dice)
        state, final = step.state, step.final
        written.append(Entry(seq, kind, seat, game.notate(action), dice.draws))
        told.append(step.events)
    after, result = game.waiting_on(state), won(game.outcome(state))
    written[-1] = replace(written[-1], result=result)
    match_log.append(match, written, now, told)
    if after != before or result or match_log.is_snapshot_due(match, seq):
        match_log.keep_snapshot(match, seq, state)
    opened = _turn_over(match, before, after, seq, now, kind == "timeout", turn)
    if result:
        finish(match, result, seq, now)
    elif after != before:
        _let_offers_lapse(match, mover)
        first = written[0].seq
        letter_queue.queue(letter_queue.after_step(match, mover, opened, first, seq), now)
    return Receipt(
        match.id,
        mover,
        written[0].seq,
        seq,
        tuple(entry.text for entry in written),
        tuple([event for events in told for event in events if event.heard_by(seat)]),
        tuple(sorted(after)),
    )


def _let_offers_lapse(match: MatchRecord, mover: int) -> None:
    """Who plays on has declined the draw that the others offered."""
    if any(seat.draw_offered for seat in match.seats if seat.number != mover):
        execute(
            "UPDATE seat SET draw_offered = ? WHERE match_id = ? AND number <> ?",
            False,
            match.id,
            mover,
        )


def _turn_over(
    match: MatchRecord,
    before: frozenset[Seat],
    after: frozenset[Seat],
    seq: int,
    now: int,
    by_clock: bool = False,
    known: TurnRecord | None = None,
) -> dict[int, int]:
    """Close the turns of seats that are no longer asked, open those of seats newly asked."""
    opened = {}
    for seat in match.seats:
        if seat.name in before and seat.name not in after:
            if not by_clock:
                turn = known if known and known.seat == seat.number else None
                clocks.turn_closed(match, seat, now, turn)
            execute(
                "UPDATE turn SET closed_seq = ?, closed_at = ?, missed = ?"
                " WHERE match_id = ? AND seat = ? AND closed_seq IS NULL",
                seq,
                now,
                by_clock,
                match.id,
                seat.number,
            )
        elif seat.name in after and seat.name not in before:
            opened[seat.number] = _open(match, seat, seq, now)
    return opened


def _open(match: MatchRecord, seat: SeatRecord, seq: int, now: int) -> int:
    """A turn whose clock waits for its letter; where nobody sits, it runs at once."""
    budget = deadlines.budget(match.clock, seat.bank)
    turn = insert(
        "INSERT INTO turn (match_id, seat, opened_seq, opened_at, deadline_at, budget, allowed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        match.id,
        seat.number,
        seq,
        now,
        now + budget,
        budget,
        budget,
    )
    if seat.player is None:
        clocks.start(turn, now)
    return turn


def end(match: MatchRecord, kind: EntryKind, actor: str, text: str, now: int) -> None:
    """The match is over by an entry that changes no state: given up, agreed, decided."""
    entry = Entry(match.head_seq + 1, kind, actor, text)
    result = decided(entry, [seat.name for seat in match.seats])
    if not match.is_outdated:  # so that it can be shown when the rules have changed
        match_log.keep_snapshot(match, entry.seq, match_log.current(match))
    match_log.append(match, [replace(entry, result=result)], now)
    finish(match, result, entry.seq, now)


def finish(match: MatchRecord, winners: str, seq: int, now: int) -> None:
    """The match is over: result, no open turns, a last letter to everybody."""
    if not match.is_outdated:
        match_log.keep_decks(match)
    execute(
        "UPDATE match SET status = ?, ended_at = ?, result = ? WHERE id = ?",
        OVER,
        now,
        winners,
        match.id,
    )
    execute(
        "UPDATE turn SET closed_seq = ?, closed_at = ? WHERE match_id = ? AND closed_seq IS NULL",
        seq,
        now,
        match.id,
    )
    letter_queue.queue(letter_queue.to_all_seats(match, "finished", str(seq), seq=seq), now)


def note(match: MatchRecord, kind: EntryKind, actor: str, text: str, now: int) -> int:
    """Write an entry that changes no state and decides nothing."""
    seq = match.head_seq + 1
    match_log.append(match, [Entry(seq, kind, actor, text)], now)
    return seq


def open_first(match: MatchRecord, state: Any, now: int) -> dict[int, int]:
    """The first turns of a match that has just been dealt."""
    return _turn_over(match, frozenset(), match.game.waiting_on(state), 0, now)


class Rewind(NamedTuple):
    """What a match goes back to; `plan_rewind` alone makes one."""

    entry: Entry
    """The last one that counts."""
    state: Any
    """After it."""
    awaited: frozenset[Seat]
    """Whose turn it is then."""


def plan_rewind(match: MatchRecord, to: int) -> Rewind:
    """Taking a match back to how it stood after an entry; Refused says why that cannot be.

    All of the rule is here. Of a match that is over the secret is open: whoever has it knows all
    throws to come. Under rules that are gone nobody can play on.
    """
    if match.status == OVER:
        raise Stale(
            "the match is over and its secret is published, so everybody could compute the dice to"
            " come; nobody can take it back"
        )
    if match.status != LIVE:
        raise Stale("only a match that is being played can be taken back")
    if not 0 <= to < match.head_seq:
        raise Refused(
            "there is no entry %(entry)s to go back to; the newest is %(newest)s",
            entry=to,
            newest=match.head_seq,
        )
    match_log.check_rules(match)
    begin = match_log.rules_begin(match) or 0
    if to < begin:
        raise Refused(
            "the rules were changed at entry %(entry)s; the match cannot be taken back behind that",
            entry=begin,
        )
    (entry,) = match_log.entries(match.id, to, to)
    state = match_log.state_at(match, to)
    return Rewind(entry, state, match.game.waiting_on(state))


def rewind(match_id: str, to: int, actor: str, now: int) -> int:
    """Go back to the state after an entry: a new entry, a new timeline, fresh turns and letters."""
    with writing():
        match = lock_match(match_id)
        plan = plan_rewind(match, to)
        seq = match.head_seq + 1
        match_log.append(match, [Entry(seq, "rewind", actor, str(to))], now)
        match_log.keep_snapshot(match, seq, plan.state)
        execute(
            "UPDATE match SET timeline = timeline + 1 WHERE id = ?",
            match.id,
        )
        opened = begin_anew(match, plan.state, seq, now)
        letter_queue.queue(letter_queue.after_step(match, None, opened, seq, seq), now)
        return seq


def begin_anew(match: MatchRecord, state: Any, seq: int, now: int) -> dict[int, int]:
    """Close all turns and open those that a state asks for; the new ones by their seats."""
    for turn in open_turns(match.id):
        clocks.keep_used_absence(match, turn, now)
        execute("UPDATE turn SET closed_seq = ?, closed_at = ? WHERE id = ?", seq, now, turn.id)
    return _turn_over(match, frozenset(), match.game.waiting_on(state), seq, now)


def seat_of_turn(turn: TurnRecord) -> Seat:
    return get_match(turn.match).seat(turn.seat).name


def _sent_in(match: MatchRecord, turn: TurnRecord) -> int:
    """How many orders a seat has given so far in its open turn."""
    if match.head_seq == turn.opened_seq:
        return 0
    found = row(
        "SELECT COUNT(*) FROM entry WHERE match_id = ? AND seq > ? AND actor = ?"
        " AND kind IN ('action', 'timeout')",
        turn.match,
        turn.opened_seq,
        match.seat(turn.seat).name,
    )
    assert found is not None, "counting gives a number"
    return int(found[0])


def played_in(turn: TurnRecord) -> tuple[str, ...]:
    """The orders a seat gave in a turn, so far or until it was over."""
    return tuple([entry.text for entry in entries_in(get_match(turn.match), turn)])


def entries_in(match: MatchRecord, turn: TurnRecord) -> list[Entry]:
    """What a seat gave in a turn, as the log has it."""
    name = match.seat(turn.seat).name
    stop = match.head_seq if turn.closed_seq is None else turn.closed_seq
    return [
        entry
        for entry in match_log.entries(turn.match, turn.opened_seq + 1, stop)
        if entry.actor == name and entry.kind in ("action", "timeout")
    ]
