"""Letters about time and who sits where: reminders, lateness, absences and pauses, stand-ins."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Seat
from pbem.db.store import rows
from pbem.deadline_text import clock_in_words
from pbem.errors import Missing
from pbem.links import ReportLink, StandLink
from pbem.mail import letters
from pbem.mail.letters import Letter
from pbem.services.letters.reader_context import Desk, Owed, SeatDesk
from pbem.services.match import live_links, match_log, matches, timeouts
from pbem.services.records.records import (
    JOINED,
    LIVE,
    VACANT,
    MatchRecord,
    TurnRecord,
    find_player,
    find_turn,
    get_match,
    open_turns,
)
from pbem.services.seats import stand_ins
from pbem.services.time import clocks

MOST_SAID = 10
"""Messages that a newcomer to a seat reads."""


# --- what waits ----------------------------------------------------------------------------------


def reminder(desk: Desk, owed: Owed) -> Letter:
    """Everything that waits, whatever it was owed for: the reader need not come twice."""
    is_daily = bool(owed.about["digest"])
    found = [(_seat_desk(desk, t.match, t.seat), t) for t in clocks.running_turns(owed.player)]
    waiting = [_waiting(at, turn) for at, turn in found]
    if not (waiting or is_daily):
        raise Missing("nothing is waiting any more")
    asked = {(turn.match, turn.seat) for _, turn in found}
    others = [pair for pair in seats_of(owed.player) if pair not in asked] if is_daily else []
    only = found[0][0] if len(found) == 1 else None
    return letters.reminder(
        only.reader if only else _reader(desk, found),
        desk.site,
        waiting,
        only.board(match_log.current(only.match)) if only else None,
        [_elsewhere(_seat_desk(desk, *pair)) for pair in others],
        is_daily,
    )


def _reader(desk: Desk, found: Sequence[tuple[SeatDesk, TurnRecord]]) -> letters.Reader:
    """Of several turns the first is the one with which the way to the own page dies."""
    if not found:
        return desk.reader
    at, turn = found[0]
    return desk.reader_with(live_links.from_turn(desk.player, at.match, turn))


def _seat_desk(desk: Desk, match: str, seat: int) -> SeatDesk:
    player = desk.player
    report = ReportLink(player.id, desk.report.letter, desk.now, match, seat, player.epoch)
    return SeatDesk(player, desk.links, desk.now, report, get_match(match), seat)


def _waiting(desk: SeatDesk, turn: TurnRecord) -> letters.Waiting:
    ends = letters.deadline(turn.deadline_at, desk.now, desk.reader)
    grace = turn.deadline_at + desk.match.clock.grace
    return letters.Waiting(
        desk.table(),
        ends,
        letters.deadline(grace, desk.now, desk.reader) if ends.is_past else None,
        desk.turn_url(turn),
        desk.reader.word,
    )


def _elsewhere(desk: SeatDesk) -> letters.Elsewhere:
    asked = open_turns(desk.match.id)
    ends = desk.deadline_of(*asked)
    return letters.Elsewhere(
        desk.table(),
        ", ".join(desk.called(desk.match.seat(turn.seat)) for turn in asked) if ends else "",
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


def late(desk: SeatDesk, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    grace = desk.match.clock.grace
    until = max(turn.deadline_at, desk.now) + grace
    return letters.late(
        desk.reader,
        desk.table(),
        desk.called(desk.match.seat(turn.seat)),
        letters.deadline(turn.deadline_at, desk.now, desk.reader),
        letters.deadline(until, desk.now, desk.reader) if grace else None,
        _then(desk.match, turn),
        desk.turn_url(turn) if turn.seat == desk.seat.number else "",
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


def claim(desk: SeatDesk, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    ends = desk.now + turn.budget + desk.match.clock.grace
    is_unreachable = bool(owed.about.get("unreachable"))
    return letters.claim(
        desk.reader,
        desk.table(),
        desk.called(desk.match.seat(turn.seat)),
        letters.deadline(turn.deadline_at, desk.now, desk.reader),
        None if is_unreachable else letters.deadline(ends, desk.now, desk.reader),
    )


def away(desk: SeatDesk, owed: Owed) -> Letter:
    about, by = owed.about, owed.about["by"]
    seat = None if by is None else desk.match.seat(int(by))
    own, shown = desk.open_turn(), list[TurnRecord]()
    if about["what"] in ("booked", "cancelled", "floating", "own_floating") and seat is not None:
        shown = [turn for turn in [desk.open_turn(seat.number)] if turn is not None]
    elif about["what"] in ("resumed", "given_time"):
        shown = open_turns(desk.match.id) if own is None else [own]
    return letters.away(
        desk.reader,
        desk.table(),
        what=str(about["what"]),
        who=desk.called(seat) if seat else "",
        side=desk.side(seat.name) if seat else "",
        start=desk.moment(about.get("start")),
        end=desk.moment(about.get("end")),
        longest=letters.Length(*letters.span(clocks.pause_left(desk.match, desk.now))),
        waiting=", ".join(desk.called(desk.match.seat(turn.seat)) for turn in shown),
        deadline=desk.deadline_of(*shown),
        url=desk.turn_url(own) if own in shown else "",
    )


# --- who sits where ------------------------------------------------------------------------------


def stand_in(desk: SeatDesk, owed: Owed) -> Letter:
    """To somebody who does not hold the seat, or not for long: nothing of the seat is in it."""
    loan, what = _loan_of(owed), str(owed.about["what"])
    is_asked, player = what == "asked", desk.player
    other = loan.owner if player.id != loan.owner else loan.stand_in
    is_by_name = loan.stand_in is not None and desk.seat.status == VACANT  # by a moderator
    turn = desk.open_turn() if is_asked else None
    link = StandLink(loan.id, player.id, player.epoch)
    return letters.stand_in(
        desk.reader_of(link),
        desk.table(),
        what="opened" if is_asked and loan.owner == player.id else what,
        who="" if is_asked and is_by_name else _name_of(other),
        start=desk.moment(loan.start if loan.start > desk.now else None),
        end=desk.moment(loan.end),
        deadline=desk.deadline_of(turn) if turn else None,
        clock=clock_in_words(desk.match.clock),
        board=desk.public_board() if is_asked else None,
        url=desk.links.url("stand", link),
        about=letters.about_game(desk.match.game_name, desk.language)
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


def briefing(desk: SeatDesk, owed: Owed) -> Letter:
    """All that the seat has been told; whoever sits there now was not there then."""
    match, loan = desk.match, _loan_of(owed)
    state, turn = match_log.current(match), desk.open_turn()
    is_back = bool(owed.about["back"])
    before = loan.stand_in if is_back else loan.owner
    return letters.briefing(
        desk.reader,
        desk.table(),
        who=_name_of(before) if before != desk.player.id else "",
        is_back=is_back or before == desk.player.id,
        start=desk.moment(loan.start),
        end=desk.moment(loan.end),
        happened=desk.happened(-1, match.head_seq),
        board=desk.board(state),
        said=[desk.said(message) for message in matches.messages(match.id)[-MOST_SAID:]],
        waiting=desk.waiting(state),
        deadline=desk.deadline_of(turn) if turn else desk.other_deadline(),
        url=desk.turn_url(turn) if turn else "",
    )
