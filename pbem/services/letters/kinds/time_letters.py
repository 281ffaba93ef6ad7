"""Letters about time: reminders, lateness, absences and pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from peewee import fn

from pbem.db.models import Entry, Match, MatchSeat
from pbem.db.reading import every, value
from pbem.errors import Missing
from pbem.links import ReportLink
from pbem.mail import letters, parts, times
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.kinds.answering import answerable
from pbem.services.letters.kinds.kind import LetterKind, Pace, asks, to_player, to_seat
from pbem.services.letters.reader_context import ReaderContext, SeatContext
from pbem.services.match import match_log, messages, timeouts
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    FORMING,
    JOINED,
    LIVE,
    MACHINE,
    VACANT,
    MatchRecord,
    TurnRecord,
    find_turn,
    get_match,
    open_turns,
)
from pbem.services.seats import heirs, live_links, unreachable
from pbem.services.time import clocks

# --- what waits ----------------------------------------------------------------------------------


def _reminder(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    """Everything that waits, whatever it was queued for: the reader need not come twice."""
    is_daily = bool(letter.about["digest"])
    found = [
        (_seat_context(context, t.match, t.seat), t) for t in clocks.running_turns(letter.player)
    ]
    since = int(letter.about.get("since", context.now)) if context.player.news else context.now
    waiting = [_waiting(at, turn, since if is_daily else context.now) for at, turn in found]
    if not (waiting or is_daily):
        raise Missing("nothing is waiting any more")
    asked = {(turn.match, turn.seat) for _, turn in found}
    others = [pair for pair in _seats_of(letter.player) if pair not in asked] if is_daily else []
    only = found[0][0] if len(found) == 1 else None
    composed = letters.reminder(
        only.reader if only else _reader(context, found),
        waiting,
        only.board(match_log.current(only.match), max(0, only.last_turn())) if only else None,
        [_elsewhere(_seat_context(context, *pair), since) for pair in others],
        is_daily,
        letter.notices,
    )
    return answerable(composed, *found[0]) if only else composed


def reminder_letter_current(letter: QueuedLetter) -> bool:
    """Whether one of the turns that a reminder was queued for still runs."""
    if letter.about["digest"]:
        is_wanted = letter.facts.digest_hour is not None
        return is_wanted and bool(letter.about.get("gathered") or _seats_of(letter.player))
    return any(turn.id in letter.about["turns"] for turn in clocks.running_turns(letter.player))


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


def _waiting(context: SeatContext, turn: TurnRecord, since: int) -> parts.Waiting:
    ends = times.deadline(turn.deadline_at, context.now, context.reader)
    grace = turn.deadline_at + context.match.clock.grace
    return parts.Waiting(
        context.table(),
        ends,
        times.deadline(grace, context.now, context.reader) if ends.is_past else None,
        context.turn_url(turn),
        context.reader.word,
        _said(context, max(since, turn.opened_at)),
    )


def _said(context: SeatContext, since: int) -> tuple[parts.Said, ...]:
    """What others have written to the reader after a moment."""
    own = context.seat.number
    heard = messages.of_match(context.match.id, own)
    return tuple([context.said(one) for one in heard if one.seat != own and one.at > since])


def _news(context: SeatContext, since: int) -> tuple[parts.Happening, ...]:
    """What was played after a moment, without the deal and what the last own turn has shown."""
    match = context.match
    seen = value(Entry.select(fn.MAX(Entry.seq)).where(Entry.match == match.id, Entry.at <= since))
    after = max(0, seen or 0, context.last_turn())
    return tuple(context.happened(after, match.head_seq))


def _elsewhere(context: SeatContext, since: int) -> parts.Elsewhere:
    asked = open_turns(context.match.id)
    ends = context.deadline_of(*asked)
    return parts.Elsewhere(
        context.table(),
        ", ".join(context.called(context.match.seat(turn.seat)) for turn in asked) if ends else "",
        ends.local if ends else "",
        _news(context, since),
        _said(context, since),
    )


class _SeatOf(NamedTuple):
    match: str
    seat: int


def _seats_of(player: int) -> list[_SeatOf]:
    """The matches a player is playing, each with the number of the seat."""
    return every(
        MatchSeat.select(MatchSeat.match, MatchSeat.number.alias("seat"))
        .join(Match)
        .where(MatchSeat.player == player, MatchSeat.status == JOINED, Match.status == LIVE)
        .order_by(Match.started_at, MatchSeat.id),
        _SeatOf,
    )


# --- time that runs out, and time that stands still ----------------------------------------------


def _late(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    turn = _turn_of(letter)
    grace, is_own = context.match.clock.grace, turn.seat == context.seat.number
    until = max(turn.deadline_at, context.now) + grace
    composed = letters.late(
        context.reader,
        context.table(),
        context.called(context.match.seat(turn.seat)),
        times.deadline(turn.deadline_at, context.now, context.reader),
        times.deadline(until, context.now, context.reader) if grace else None,
        _then(context.match, turn),
        context.turn_url(turn) if is_own else "",
    )
    return answerable(composed, context, turn) if is_own else composed


def _turn_of(letter: QueuedLetter) -> TurnRecord:
    turn = find_turn(int(letter.about["of"]))
    if turn is None:
        raise Missing("there is no such turn")
    return turn


def _then(match: MatchRecord, turn: TurnRecord) -> str:
    """What happens when the grace of a turn is over, as `lateness` does it."""
    policy, seat = match.clock.policy, match.seat(turn.seat)
    if policy == "machine":
        return policy
    is_opened = seat.missed + 1 >= timeouts.MOST_MISSED
    if len(match.seats) == 2:
        if policy in ("claim", "forfeit"):
            return policy
        if match.game.default_action(match_log.current(match), seat.name) is None:
            return "forfeit"
        return "stand_in" if is_opened else "default"
    if policy == "ally" and heirs.heir_of(match, seat.number) is not None:
        return policy
    return "default" if policy == "default" and not is_opened else "stand_in"


def _claim(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    turn = _turn_of(letter)
    ends = context.now + turn.budget + context.match.clock.grace
    is_unreachable = bool(letter.about.get("unreachable"))
    return letters.claim(
        context.reader,
        context.table(),
        context.called(context.match.seat(turn.seat)),
        times.deadline(turn.deadline_at, context.now, context.reader),
        None if is_unreachable else times.deadline(ends, context.now, context.reader),
    )


def late_letter_current(letter: QueuedLetter) -> bool:
    """Whether somebody is late in this turn, by the deadline that the letter tells of."""
    if letter.facts.match_status != LIVE:
        return False
    turn = find_turn(int(letter.about["of"]))
    if turn is None or not turn.is_open or turn.since is None:
        return False
    return turn.deadline_at == int(letter.about["deadline"])


def _away(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    about, by = letter.about, letter.about["by"]
    seat = None if by is None else context.match.seat(int(by))
    own, shown = context.open_turn(), list[TurnRecord]()
    if about["what"] in ("booked", "cancelled", "floating", "own_floating") and seat is not None:
        shown = [turn for turn in [context.open_turn(seat.number)] if turn is not None]
    elif about["what"] in ("resumed", "given_time"):
        shown = open_turns(context.match.id) if own is None else [own]
    is_filled = about["what"] == "vacant" and seat is not None and context.match.is_machine(seat)
    return letters.away(
        context.reader,
        context.table(),
        what="filled" if is_filled else str(about["what"]),
        who=context.called(seat) if seat else "",
        side=context.side(seat.name) if seat else "",
        start=context.moment(about.get("start")),
        end=context.moment(about.get("end")),
        longest=parts.Length(*times.span(clocks.pause_left(context.match, context.now))),
        waiting=", ".join(context.called(context.match.seat(turn.seat)) for turn in shown),
        deadline=context.deadline_of(*shown),
        url=context.turn_url(own) if own in shown else "",
    )


def away_letter_current(letter: QueuedLetter) -> bool:
    """Whether what the others were to be told is still so."""
    assert letter.match is not None, "a match is told of"
    about, told = letter.about, get_match(letter.match)
    if letter.facts.match_status != (FORMING if about["what"] == "not_invited" else LIVE):
        return False
    seat = None if about["by"] is None else told.seat(int(about["by"]))
    match about["what"]:
        case "wants_pause":
            return told.paused_at is None and seat is not None and seat.pause_wanted
        case "paused":
            return told.paused_at is not None
        case "resumed":
            return told.paused_at is None
        case "vacant":
            return seat is not None and seat.status == VACANT
        case "machine":
            return seat is not None and seat.status == MACHINE
        case "changed_hands":
            return seat is not None and seat.status == JOINED
        case "given_time":
            return any(turn.seat == letter.seat for turn in open_turns(told.id))
        case "unreachable" | "reachable" | "not_invited" as what:
            return seat is not None and unreachable.is_so(what, seat.player)
    return True


NEWS = ("booked", "cancelled", "floating", "changed_hands")
QUESTIONS = ("wants_pause", "not_invited")


def _away_pace(letter: QueuedLetter) -> Pace:
    what = letter.about["what"]
    return "news" if what in NEWS else "asks" if what in QUESTIONS else "by_day"


def _late_pace(letter: QueuedLetter) -> Pace:
    """Who is late is asked for a move; the others only hear of it."""
    return "asks" if _turn_of(letter).seat == letter.seat else "news"


KINDS = (
    LetterKind("reminder", to_player(_reminder), reminder_letter_current),
    LetterKind(
        "late",
        to_seat(_late),
        late_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=_late_pace,
    ),
    LetterKind(
        "claim",
        to_seat(_claim),
        late_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=asks,
    ),
    LetterKind(
        "away",
        to_seat(_away),
        away_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=_away_pace,
    ),
)
