"""Letters about time and who sits where: reminders, lateness, absences and pauses, stand-ins."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Seat
from pbem.db.store import rows
from pbem.deadline_text import clock_in_words
from pbem.errors import Missing
from pbem.links import ReportLink, StandLink
from pbem.mail import letters, parts, rendering, times
from pbem.mail.rendering import Letter
from pbem.services.letters.reader_context import Owed, ReaderContext, SeatContext
from pbem.services.match import live_links, match_log, matches, timeouts
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    VACANT,
    MatchRecord,
    TurnRecord,
    find_turn,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import find_player
from pbem.services.seats import stand_ins
from pbem.services.time import clocks

MOST_SAID = 10
"""Messages that a newcomer to a seat reads."""


# --- what waits ----------------------------------------------------------------------------------


def reminder(context: ReaderContext, owed: Owed) -> Letter:
    """Everything that waits, whatever it was owed for: the reader need not come twice."""
    is_daily = bool(owed.about["digest"])
    found = [
        (_seat_context(context, t.match, t.seat), t) for t in clocks.running_turns(owed.player)
    ]
    waiting = [_waiting(at, turn) for at, turn in found]
    if not (waiting or is_daily):
        raise Missing("nothing waits any more")
    asked = {(turn.match, turn.seat) for _, turn in found}
    others = [pair for pair in seats_of(owed.player) if pair not in asked] if is_daily else []
    only = found[0][0] if len(found) == 1 else None
    return letters.reminder(
        only.reader if only else _reader(context, found),
        context.site,
        waiting,
        only.board(match_log.current(only.match)) if only else None,
        [_elsewhere(_seat_context(context, *pair)) for pair in others],
        is_daily,
    )


def _reader(
    context: ReaderContext, found: Sequence[tuple[SeatContext, TurnRecord]]
) -> parts.Reader:
    """Of several turns the first is the one with which the way to the own page dies."""
    if not found:
        return context.reader
    at, turn = found[0]
    return context.reader_with(live_links.from_turn(context.player, at.match, turn))


def _seat_context(context: ReaderContext, match: str, seat: int) -> SeatContext:
    player = context.player
    report = ReportLink(player.id, context.report.letter, context.now, match, seat, player.epoch)
    return SeatContext(player, context.links, context.now, report, get_match(match), seat)


def _waiting(context: SeatContext, turn: TurnRecord) -> parts.Waiting:
    ends = times.deadline(turn.deadline_at, context.now, context.reader)
    grace = turn.deadline_at + context.match.clock.grace
    return parts.Waiting(
        context.table(),
        ends,
        times.deadline(grace, context.now, context.reader) if ends.is_past else None,
        context.turn_url(turn),
        context.reader.word,
    )


def _elsewhere(context: SeatContext) -> parts.Elsewhere:
    asked = open_turns(context.match.id)
    ends = context.deadline_of(*asked)
    return parts.Elsewhere(
        context.table(),
        ", ".join(context.called(context.match.seat(turn.seat)) for turn in asked) if ends else "",
        ends.local if ends else "",
    )


def seats_of(player: int) -> list[tuple[str, int]]:
    """The matches a player is playing, each with the number of the seat."""
    return rows(
        "SELECT s.match_id, s.number FROM seat s JOIN match m ON m.id = s.match_id"
        " WHERE s.player_id = ? AND s.status = ? AND m.status = ? ORDER BY m.started_at, s.id",
        player,
        JOINED,
        LIVE,
    )


# --- time that runs out, and time that stands still ----------------------------------------------


def late(context: SeatContext, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    grace = context.match.clock.grace
    until = max(turn.deadline_at, context.now) + grace
    return letters.late(
        context.reader,
        context.table(),
        context.called(context.match.seat(turn.seat)),
        times.deadline(turn.deadline_at, context.now, context.reader),
        times.deadline(until, context.now, context.reader) if grace else None,
        _then(context.match, turn),
        context.turn_url(turn) if turn.seat == context.seat.number else "",
    )


def _turn_of(owed: Owed) -> TurnRecord:
    turn = find_turn(int(owed.about["of"]))
    if turn is None:
        raise Missing("there is no such turn")
    return turn


def _then(match: MatchRecord, turn: TurnRecord) -> str:
    """What happens when the grace of a turn is over, as `lateness` does it."""
    policy, seat = match.clock.policy, match.seat(turn.seat)
    is_opened = seat.missed + 1 >= timeouts.MOST_MISSED
    if len(match.seats) == 2:
        if policy in ("claim", "forfeit"):
            return policy
        if match.game.default_action(match_log.current(match), seat.name) is None:
            return "forfeit"
        return "stand_in" if is_opened else "default"
    if policy == "ally" and any(_sits(match, ally) for ally in match.game.allies(seat.name)):
        return policy
    return "default" if policy == "default" and not is_opened else "stand_in"


def _sits(match: MatchRecord, name: Seat) -> bool:
    seat = match.seat_named(name)
    return seat is not None and seat.status == JOINED


def claim(context: SeatContext, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    ends = context.now + turn.budget + context.match.clock.grace
    is_unreachable = bool(owed.about.get("unreachable"))
    return letters.claim(
        context.reader,
        context.table(),
        context.called(context.match.seat(turn.seat)),
        times.deadline(turn.deadline_at, context.now, context.reader),
        None if is_unreachable else times.deadline(ends, context.now, context.reader),
    )


def away(context: SeatContext, owed: Owed) -> Letter:
    about, by = owed.about, owed.about["by"]
    seat = None if by is None else context.match.seat(int(by))
    own, shown = context.open_turn(), list[TurnRecord]()
    if about["what"] in ("booked", "cancelled", "floating", "own_floating") and seat is not None:
        shown = [turn for turn in [context.open_turn(seat.number)] if turn is not None]
    elif about["what"] in ("resumed", "given_time"):
        shown = open_turns(context.match.id) if own is None else [own]
    return letters.away(
        context.reader,
        context.table(),
        what=str(about["what"]),
        who=context.called(seat) if seat else "",
        side=context.side(seat.name) if seat else "",
        start=context.moment(about.get("start")),
        end=context.moment(about.get("end")),
        longest=parts.Length(*times.span(clocks.pause_left(context.match, context.now))),
        waiting=", ".join(context.called(context.match.seat(turn.seat)) for turn in shown),
        deadline=context.deadline_of(*shown),
        url=context.turn_url(own) if own in shown else "",
    )


# --- who sits where ------------------------------------------------------------------------------


def stand_in(context: SeatContext, owed: Owed) -> Letter:
    """To somebody who does not hold the seat, or not for long: nothing of the seat is in it."""
    loan, what = _loan_of(owed), str(owed.about["what"])
    is_asked, player = what == "asked", context.player
    other = loan.owner if player.id != loan.owner else loan.stand_in
    is_by_name = loan.stand_in is not None and context.seat.status == VACANT  # by a moderator
    turn = context.open_turn() if is_asked else None
    link = StandLink(loan.id, player.id, player.epoch)
    return letters.stand_in(
        context.reader_of(link),
        context.table(),
        what="opened" if is_asked and loan.owner == player.id else what,
        who="" if is_asked and is_by_name else _name_of(other),
        start=context.moment(loan.start if loan.start > context.now else None),
        end=context.moment(loan.end),
        deadline=context.deadline_of(turn) if turn else None,
        clock=clock_in_words(context.match.clock),
        board=context.public_board() if is_asked else None,
        url=context.links.url("stand", link),
        about=rendering.about_game(context.match.game_name, context.language)
        if is_asked and player.confirmed_at is None
        else [],
        is_volunteer=loan.stand_in is None,
    )


def _loan_of(owed: Owed) -> stand_ins.Loan:
    loan = stand_ins.find_loan(int(owed.about["loan"]))
    if loan is None:
        raise Missing("there is no such offer")
    return loan


def _name_of(player: int | None) -> str:
    found = find_player(player) if player is not None else None
    return found.name if found else ""


def briefing(context: SeatContext, owed: Owed) -> Letter:
    """All that the seat has been told; whoever sits there now was not there then."""
    match, loan = context.match, _loan_of(owed)
    state, turn = match_log.current(match), context.open_turn()
    is_back = bool(owed.about["back"])
    before = loan.stand_in if is_back else loan.owner
    return letters.briefing(
        context.reader,
        context.table(),
        who=_name_of(before) if before != context.player.id else "",
        is_back=is_back or before == context.player.id,
        start=context.moment(loan.start),
        end=context.moment(loan.end),
        happened=context.happened(-1, match.head_seq),
        board=context.board(state),
        said=[context.said(message) for message in matches.messages(match.id)[-MOST_SAID:]],
        waiting=context.waiting(state),
        deadline=context.deadline_of(turn) if turn else context.other_deadline(),
        url=context.turn_url(turn) if turn else "",
    )
