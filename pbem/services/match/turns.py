"""Turns: orders sent, turns closed and opened, matches taken back.

`advance` is the only writer of orders to the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from engine.abilities import Inquiries
from engine.core import Event, Seat
from engine.game import Game
from engine.log import MODERATOR as MODERATOR
from engine.log import Entry, EntryKind, decided
from engine.replay import won
from pbem import deadlines
from pbem.db.models import Match, Turn
from pbem.db.store import hold_match, writing
from pbem.errors import Missing, Refused, Stale
from pbem.services.match import match_log, move_rows
from pbem.services.match.move_rows import Events
from pbem.services.players import limits
from pbem.services.records import alliances, letter_queue
from pbem.services.records.match_rows import (
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn,
    find_turn_in_match,
    lock_match,
    open_turns,
)
from pbem.services.seats import unreachable
from pbem.services.time import clocks

LOST: tuple[EntryKind, ...] = ("resign", "forfeit")
"""What ends a match for a seat, and for all who stand together with it."""
MOST_ORDERS = 200
"""At once: room for a turn with a hundred moves and twenty battles."""
LONGEST_ORDER = 300


Asked = Mapping[Seat, bool]
"""Whom a match waits for; True: in the middle of the turn of another seat."""


def asked_in(game: Game[Any, Any, Any], state: Any) -> Asked:
    """Whom a state waits for, and how."""
    awaited = game.waiting_on(state)
    if not isinstance(game, Inquiries):
        return dict.fromkeys(awaited, False)
    return {seat: game.inquiry(state, seat) is not None for seat in awaited}


# --- sending -------------------------------------------------------------------------------------


def check_open(match: MatchRecord, turn: TurnRecord) -> None:
    """Stale for a turn in which nothing can be ordered any more."""
    if not turn.is_open or match.status != LIVE:
        raise Stale("this turn is over")


def checked_lines(orders: Sequence[str]) -> list[str]:
    """Orders as lines: not too many, not too long, no empty ones."""
    lines = [" ".join(order.split()) for order in orders]
    lines = [line for line in lines if line]
    if not lines:
        raise Refused("there are no orders; write one on each line")
    check_number(len(lines))
    for line in lines:
        if len(line) > LONGEST_ORDER:
            raise Refused("an order of %(count)s characters is too long", count=len(line))
    return lines


def check_number(count: int) -> None:
    if count > MOST_ORDERS:
        raise Refused(
            "%(count)s orders are too many; you can send %(most)s at once",
            count=count,
            most=MOST_ORDERS,
        )


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
    state: Any = None,
    is_shown: bool = False,
) -> Receipt:
    """The same inside the caller's transaction; `match` was held and `turn` read in it.

    So was the state, if it is given. `is_shown`: the sender sees on the next page what came of it.
    """
    lines = checked_lines(orders)
    check_open(match, turn)
    if sent is not None and sent != sent_in(match, turn):
        raise Stale("you have already sent these orders")
    receipt = advance(match, turn.seat, lines, now, turn=turn, state=state, is_shown=is_shown)
    if match.seat(turn.seat).name in receipt.waiting_on:
        limits.by_seat("order", match.id, turn.seat, now, len(lines))
    if turn.has_draft:
        move_rows.delete_draft(turn.id)
    unreachable.reached(match.seat(turn.seat).player, now)
    return receipt


def give_any_time(match_id: str, seat: int, order: str, now: int) -> Receipt:
    """An order that may be given at any time, such as a standing order."""
    (line,) = checked_lines([order])
    with writing():
        match = lock_match(match_id)
        if match.status != LIVE:
            raise Stale("the match is not in progress")
        return advance(match, seat, [line], now)


def advance(
    match: MatchRecord,
    mover: int,
    orders: Sequence[str],
    now: int,
    kind: EntryKind = "action",
    turn: TurnRecord | None = None,
    state: Any = None,
    is_shown: bool = False,
) -> Receipt:
    """Apply orders, write them to the log, close and open turns, queue the letters.

    Runs inside the caller's transaction; `match` was read in it, and so were the mover's turn and
    the state where they are given.
    """
    game, seat = match.game, match.seat(mover).name
    state = match_log.current(match) if state is None else state
    before = asked_in(game, state)
    seq, written, told, final = match.head_seq, list[Entry](), list[Events](), False
    for order in orders:
        if final:
            last = written[-1].text
            raise Refused("nothing can follow “%(order)s” until it is sent", order=last)
        seq += 1
        dice = match_log.LiveDice(match, seq)
        action = game.parse(order)
        step = game.apply(state, seat, action, dice)
        state, final = step.state, step.final
        written.append(Entry(seq, kind, seat, game.notate(action), dice.draws))
        told.append(step.events)
    after, result = asked_in(game, state), won(game.outcome(state))
    if result:
        written[-1] = replace(written[-1], result=result)
    match_log.append(match, written, now, told)
    if after != before or result or match_log.is_snapshot_due(match, seq):
        match_log.keep_snapshot(match, seq, state)
    opened = _turn_over(match, before, after, seq, now, kind == "timeout", turn)
    if result:
        finish(match, result, seq, now)
    elif after != before:
        if not before.get(seat):  # an answer in the middle of another's turn is no playing on
            _play_on(match, mover, now)
        first = written[0].seq
        owed = letter_queue.after_step(match, mover, opened, first, seq, is_shown)
        letter_queue.queue(owed, now)
    return Receipt(
        match.id,
        mover,
        written[0].seq,
        seq,
        tuple(entry.text for entry in written),
        tuple([event for events in told for event in events if event.heard_by(seat)]),
        tuple(sorted(after)),
    )


def _play_on(match: MatchRecord, mover: int, now: int) -> None:
    """Who plays on has declined the draw that others offered; not who has agreed to it.

    Nor has a machine, which nobody asks.
    """
    own = match.seat(mover).player
    willing = {seat.player for seat in match.seats if seat.draw_offered}
    if own is None or not willing or own in willing:
        return
    if len(match.seats) == 2:  # the next letter to the other one says it all
        move_rows.let_offers_lapse(match.id)
    else:
        let_draw_lapse(match, mover, now)


def let_draw_lapse(match: MatchRecord, decliner: int, now: int) -> None:
    """No draw is on offer any more; who wanted it is told who does not."""
    move_rows.let_offers_lapse(match.id)
    told = {seat.player: seat for seat in match.seats if seat.draw_offered}
    told.pop(match.seat(decliner).player, None)
    letter_queue.queue(
        [
            letter_queue.to_seat(
                match, seat, "message", f"no draw:{decliner}:{now}", by=decliner, draw="declined"
            )
            for seat in told.values()
        ],
        now,
    )


def _turn_over(
    match: MatchRecord,
    before: Asked,
    after: Asked,
    seq: int,
    now: int,
    by_clock: bool = False,
    known: TurnRecord | None = None,
) -> dict[int, int]:
    """Close the turns of seats that are no longer asked, open those of seats newly asked.

    Whoever is first asked in the middle of the turn of another seat and then has a turn of its own
    has two turns of ours, each with its own clock.
    """
    opened = {}
    for seat in match.seats:
        was, becomes = before.get(seat.name), after.get(seat.name)
        if was == becomes:
            continue
        if was is not None:
            turn = known if known and known.seat == seat.number else None
            if not by_clock:
                clocks.turn_closed(match, seat, now, turn)
            move_rows.close_turn(match.id, seat.number, seq, by_clock, now, turn)
        if becomes is not None:
            opened[seat.number] = _open(match, seat, seq, becomes, now)
    return opened


def _open(match: MatchRecord, seat: SeatRecord, seq: int, is_inquiry: bool, now: int) -> int:
    """A turn whose clock waits for its letter; where nobody sits, it runs at once."""
    budget = time_for(match, seat, is_inquiry)
    turn = move_rows.open_turn(match.id, seat.number, seq, budget, now, is_inquiry)
    if seat.player is None and (opened := find_turn(turn)) is not None:
        clocks.start_clock(match, opened, now)
    return turn


def time_for(match: MatchRecord, seat: SeatRecord, is_inquiry: bool) -> int:
    """The seconds of a turn that begins."""
    clock = match.clock
    return deadlines.time_to_answer(clock) if is_inquiry else deadlines.budget(clock, seat.bank)


def end(match: MatchRecord, kind: EntryKind, actor: str, text: str, now: int) -> None:
    """The match is over by an entry that changes no state: given up, agreed, decided."""
    lost = [ally.name for ally in alliances.allies(match, Seat(actor))] if kind in LOST else []
    entry = Entry(match.head_seq + 1, kind, actor, " ".join([text, *lost]))
    result = decided(entry, [seat.name for seat in match.seats])
    if not match.is_outdated:  # so that it can be shown when the rules have changed
        match_log.keep_snapshot(match, entry.seq, match_log.current(match))
    match_log.append(match, [replace(entry, result=result)], now)
    finish(match, result, entry.seq, now)


def finish(match: MatchRecord, winners: str, seq: int, now: int) -> None:
    """The match is over: result, no open turns, a last letter to everybody."""
    if not match.is_outdated:
        match_log.keep_decks(match)
    Match.update(status=OVER, ended_at=now, result=winners).where(Match.id == match.id).execute()
    close_all(match, seq, now)
    letter_queue.queue(letter_queue.to_all_seats(match, "finished", str(seq), seq=seq), now)


def close_all(match: MatchRecord, seq: int, now: int) -> None:
    """No turn of a match is open any more."""
    still_open = (Turn.match == match.id) & Turn.closed_seq.is_null()
    Turn.update(closed_seq=seq, closed_at=now).where(still_open).execute()


def note(match: MatchRecord, kind: EntryKind, actor: str, text: str, now: int) -> int:
    """Write an entry that changes no state and decides nothing."""
    seq = match.head_seq + 1
    match_log.append(match, [Entry(seq, kind, actor, text)], now)
    return seq


def open_first(match: MatchRecord, state: Any, now: int) -> dict[int, int]:
    """The first turns of a match that has just been dealt."""
    return _turn_over(match, {}, asked_in(match.game, state), 0, now)


class Rewind(NamedTuple):
    """What a match goes back to; `plan_rewind` alone makes one."""

    entry: Entry
    """The last one that counts."""
    state: Any
    """After it."""
    asked: Asked
    """Whose turn it is then."""


def plan_rewind(match: MatchRecord, to: int) -> Rewind:
    """Taking a match back to how it stood after an entry; Refused says why that cannot be.

    All of the rule is here. Of a match that is over the secret is open: whoever has it knows all
    throws to come. Under rules that are gone nobody can play on.
    """
    if match.status == OVER:
        raise Stale(
            "the match is over and its secret is published, so anyone could predict the "
            "dice; it cannot be taken back"
        )
    if match.status != LIVE:
        raise Stale("only a match in progress can be taken back")
    if not 0 <= to < match.head_seq:
        raise Refused(
            "there is no entry %(entry)s to go back to; the latest is %(newest)s",
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
    return Rewind(entry, state, asked_in(match.game, state))


def rewind(match_id: str, to: int, actor: str, now: int) -> int:
    """Go back to the state after an entry: a new entry, a new timeline, fresh turns and letters."""
    with writing():
        match = lock_match(match_id)
        plan = plan_rewind(match, to)
        seq = match.head_seq + 1
        match_log.append(match, [Entry(seq, "rewind", actor, str(to))], now)
        match_log.keep_snapshot(match, seq, plan.state)
        Match.update(timeline=Match.timeline + 1).where(Match.id == match.id).execute()
        opened = begin_anew(match, plan.state, seq, now)
        letter_queue.queue(letter_queue.after_step(match, None, opened, seq, seq), now)
        return seq


def begin_anew(match: MatchRecord, state: Any, seq: int, now: int) -> dict[int, int]:
    """Close all turns and open those that a state asks for; the new ones by their seats."""
    for turn in open_turns(match.id):
        clocks.keep_used_absence(match, turn, now)
    close_all(match, seq, now)
    return _turn_over(match, {}, asked_in(match.game, state), seq, now)


def sent_in(match: MatchRecord, turn: TurnRecord) -> int:
    """How many orders a seat gave in a turn, so far or until it was over."""
    stop = match.head_seq if turn.closed_seq is None else turn.closed_seq
    if stop == turn.opened_seq:
        return 0
    return move_rows.count_orders(match.id, match.seat(turn.seat).name, turn.opened_seq, stop)


def played_in(match: MatchRecord, turn: TurnRecord) -> tuple[str, ...]:
    """The orders a seat gave in a turn, so far or until it was over."""
    return tuple([entry.text for entry in entries_in(match, turn)])


def entries_in(match: MatchRecord, turn: TurnRecord) -> list[Entry]:
    """What a seat gave in a turn, as the log has it."""
    name = match.seat(turn.seat).name
    stop = match.head_seq if turn.closed_seq is None else turn.closed_seq
    return [
        entry
        for entry in match_log.entries(turn.match, turn.opened_seq + 1, stop)
        if entry.actor == name and entry.kind in ("action", "timeout")
    ]
