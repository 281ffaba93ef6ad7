"""Absences: booked ahead, or burnt when time runs out; an absent player's clocks stand still.

Rows of one player never overlap, so that no second is counted twice. What a running turn has been
given is not taken away again, and therefore not given back to the allowance either: whoever could
book, cancel and book again would never run out of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from math import ceil
from typing import NamedTuple

from pbem.db import models
from pbem.db.models import Match, MatchSeat
from pbem.db.reading import every
from pbem.db.store import hold_players, writing
from pbem.deadlines import DAY, Span
from pbem.errors import Refused
from pbem.plural import Counted
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MatchRecord,
    get_match,
    hold_all_of,
)
from pbem.services.time import clocks

ALLOWANCE = 30 * DAY
"""Seconds of a calendar year (UTC) in which a player may be absent, booked and burnt together."""
FARTHEST = 366 * DAY
STEP = DAY
"""What is burnt at once when a match would time out."""


_rows = models.Absence


class Absence(NamedTuple):
    id: int
    player: int
    start: int
    end: int
    is_floating: bool

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def of(player: int) -> list[Absence]:
    """All absences of a player, those that are over too, in order."""
    found = _rows.select(
        _rows.id,
        _rows.player,
        _rows.start_at.alias("start"),
        _rows.end_at.alias("end"),
        _rows.is_floating,
    )
    return every(found.where(_rows.player == player).order_by(_rows.start_at), Absence)


# --- the allowance -------------------------------------------------------------------------------


def left(player: int, year: int) -> int:
    """Seconds of a year's allowance that are neither booked nor burnt."""
    return ALLOWANCE - _within(year, clocks.absences_of(player))


def year_of(at: int) -> int:
    return datetime.fromtimestamp(at, UTC).year


def _within(year: int, spans: Sequence[Span]) -> int:
    """How many seconds of these spans lie in a year."""
    begin, end = (int(datetime(y, 1, 1, tzinfo=UTC).timestamp()) for y in (year, year + 1))
    return sum(max(0, min(span.end, end) - max(span.start, begin)) for span in spans)


def _short_in(player: int, wanted: Span, replaced: Sequence[Span] = ()) -> int | None:
    """The first year whose allowance does not reach for a span that takes the place of others."""
    for year in range(year_of(wanted.start), year_of(wanted.end - 1) + 1):
        if _within(year, [wanted]) - _within(year, replaced) > left(player, year):
            return year
    return None


# --- booking -------------------------------------------------------------------------------------


def book(player: int, start: int, end: int, now: int) -> None:
    """A player will be away; what overlaps with an earlier booking becomes one with it."""
    with writing():
        hold(player)
        _check_dates(start, end, now)
        met = [one for one in of(player) if one.start < end and start < one.end]
        if any(one.start <= start and end <= one.end for one in met):
            return
        whole = Span(min([start, *(a.start for a in met)]), max([end, *(a.end for a in met)]))
        _check_allowance(player, whole, [one.span for one in met])
        limits.by_player("absence", player, now)
        absence = _keep(player, whole, met, now)
        _announce(player, f"{absence}:{whole.start}:{whole.end}", "booked", whole, now)
        clocks.rereckon_player(player, now)


def hold(player: int) -> None:
    """Others who book or burn for this player wait, and so do the clocks of all his matches."""
    hold_all_of(player, unfinished=True)


def _check_dates(start: int, end: int, now: int) -> None:
    if end <= start:
        raise Refused("vacation must end after it starts")
    if start < now:
        raise Refused("vacation cannot start in the past")
    if end > now + FARTHEST:
        raise Refused("vacation can be booked up to one year ahead")


def _check_allowance(player: int, wanted: Span, replaced: list[Span]) -> None:
    year = _short_in(player, wanted, replaced)
    if year is not None:
        raise Refused(
            Counted(
                "this would take %(num)s vacation day in %(year)s; you have %(left)s left",
                "this would take %(num)s vacation days in %(year)s; you have %(left)s left",
            ),
            num=ceil((_within(year, [wanted]) - _within(year, replaced)) / DAY),
            year=year,
            left=max(0, left(player, year)) // DAY,
        )


def _keep(player: int, span: Span, met: list[Absence], now: int) -> int:
    """One row for the whole span; the first of those it met keeps its number."""
    if not met:
        return _insert(player, span, False, now)
    first, *others = met
    _rows.delete().where(_rows.id.in_([one.id for one in others])).execute()
    _change(first.id, start_at=span.start, end_at=span.end, is_floating=False)
    return first.id


def _change(absence: int, **columns: int | bool) -> None:
    _rows.update(**columns).where(_rows.id == absence).execute()


def _insert(player: int, span: Span, is_floating: bool, now: int) -> int:
    new = _rows.insert(
        player=player,
        start_at=span.start,
        end_at=span.end,
        is_floating=is_floating,
        created_at=now,
    )
    return int(new.execute())


def cancel(absence: int, player: int, now: int) -> None:
    """Come back earlier: what has not begun, and what no running turn counts on, is free again."""
    with writing():
        hold_players([player])
        found = next((one for one in of(player) if one.id == absence), None)
        if found is None or found.end <= now:
            return
        cut = kept_until(found, now)
        if cut >= found.end:
            raise Refused("one of your turns already uses this vacation; play it first")
        if cut <= found.start:
            _rows.delete().where(_rows.id == absence).execute()
        else:
            _change(absence, end_at=cut)
        dropped = Span(max(cut, found.start), found.end)
        _announce(player, f"{absence}:{dropped.start}", "cancelled", dropped, now)


def kept_until(absence: Absence, now: int) -> int:
    """Up to when an absence stands: until now, or as far as a running turn was lengthened by it."""
    counted = [turn.deadline_at for turn in clocks.running_turns(absence.player)]
    return max([now, *(at for at in counted if at > absence.start)])


# --- floating ------------------------------------------------------------------------------------


def burn_floating(player: int, at: int, now: int) -> int:
    """A turn of a player ran out at an instant: burn vacation from then on, in all matches at once.

    How many seconds were burnt: none where the allowance or the limit of the match is used up.
    Runs inside the transaction of whoever has called `hold`.
    """
    expired = [turn for turn in clocks.running_turns(player) if turn.deadline_at <= at]
    helped = [t for t in expired if clocks.pause_left(get_match(t.match), now) > 0]
    end = _burnt_until(player, at, now) if helped else at
    if end <= now:
        return 0
    absence = _insert(player, Span(at, end), True, now)
    for turn in helped:
        clocks.run_from(turn, at, 1, now)  # one second is left, for after the absence
    clocks.rereckon_player(player, now)
    _announce(player, str(absence), "floating", Span(at, end), now)
    return end - at


def _burnt_until(player: int, at: int, now: int) -> int:
    """The end of as many steps from an instant on as lead beyond now, if the allowance has them."""
    known, end = clocks.absences_of(player), at
    while end <= now and not any(span.start <= end < span.end for span in known):
        stop = min([end + STEP, *(span.start for span in known if span.start > end)])
        if _short_in(player, Span(at, stop)) is not None:
            break
        end = stop
    return end


# --- telling -------------------------------------------------------------------------------------


class _Seated(NamedTuple):
    match: str
    number: int


def _announce(player: int, key: str, what: str, span: Span, now: int) -> None:
    """Tell the others of each match from when to when, and never why."""
    seats = MatchSeat.select(MatchSeat.match, MatchSeat.number).join(Match)
    seats = seats.where(
        MatchSeat.player == player, MatchSeat.status == JOINED, Match.status == LIVE
    )
    for seated in every(seats.order_by(MatchSeat.id), _Seated):
        match, number = get_match(seated.match), seated.number
        owed = [
            letter_queue.to_seat(
                match,
                seat,
                "away",
                f"{what}:{number}:{key}",
                by=number,
                what=what,
                start=span.start,
                end=span.end,
            )
            for seat in match.seats
            if seat.player not in (None, player) and seat.status == JOINED
        ]
        if what == "floating":
            owed.append(_burnt(match, number, key, span))
        letter_queue.queue(owed, now)


def _burnt(match: MatchRecord, number: int, key: str, span: Span) -> letter_queue.QueuedLetter:
    """Whose vacation is used without a word of theirs is told so."""
    about = {"by": number, "what": "own_floating", "start": span.start, "end": span.end}
    return letter_queue.to_seat(match, match.seat(number), "away", f"burnt:{key}", None, **about)
