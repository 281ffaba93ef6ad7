"""What pages tell of a match: who plays, what happened, how it ended, when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from string import ascii_uppercase
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from babel.dates import format_timedelta
from babel.lists import format_list

from engine.abilities import Inquiries
from engine.core import Event, Seat
from engine.text import repeated
from pbem.deadline_text import date_in_words
from pbem.i18n import gettext, labelled, sentence, spoken
from pbem.services.match import match_log
from pbem.services.match import messages as written
from pbem.services.match.match_log import Told
from pbem.services.records.match_rows import (
    ANONYMOUS,
    FORMING,
    GUEST,
    JOINED,
    LIVE,
    OVER,
    PUBLIC,
    VACANT,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    turn_before,
)
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import unreachable


class Moment(NamedTuple):
    """An instant as its reader's clock shows it, and how far away it is."""

    local: str
    utc: str
    iso: str
    distance: str
    """As in `in 3 days`, `2 hours ago`."""
    is_past: bool

    @property
    def both(self) -> str:
        """As the reader's clock shows it, with UTC beside it where that differs."""
        return self.local if self.local.endswith("UTC") else f"{self.local} ({self.utc})"


def moment(at: int, zone: str, now: int) -> Moment:
    instant, language = datetime.fromtimestamp(at, UTC), spoken()
    local = instant.astimezone(ZoneInfo(zone))
    away = timedelta(seconds=at - now)
    return Moment(
        local=_clock(local, date_in_words(local, "full", language)),
        utc=_clock(instant, date_in_words(instant, "medium", language)),
        iso=instant.isoformat(),
        distance=_distance(away),
        is_past=at <= now,
    )


def _distance(away: timedelta) -> str:
    if -timedelta(minutes=1) < away <= timedelta(0):
        return gettext("just now")
    return format_timedelta(away, add_direction=True, locale=spoken())


def _clock(at: datetime, day: str) -> str:
    """A day with the time and its distance from UTC, as in `…, 09:00 UTC+01:00`."""
    offset = at.strftime("%z")
    return f"{day}, {at:%H:%M} UTC" + (f"{offset[:3]}:{offset[3:5]}" if at.utcoffset() else "")


class Side(NamedTuple):
    """A seat as everybody may see it."""

    number: int
    seat: Seat
    title: str
    player: str
    status: str
    is_asked: bool
    is_unreachable: bool
    """Whether letters to its player do not arrive at present."""
    page: str = ""
    """Of the public page of its player, where that may be seen from here."""


def inquiry(match: MatchRecord, state: Any, seat: Seat) -> str:
    """What somebody else has to decide in the middle of the turn of a seat; empty if nothing."""
    if not isinstance(match.game, Inquiries):
        return ""
    asked = [match.game.inquiry(state, other) for other in match.game.waiting_on(state)]
    about = [one.about for one in asked if one is not None and one.by == seat]
    return match.game.say(about[0], spoken()) if about else ""


def sides(
    match: MatchRecord, asked: Iterable[Seat] = (), reader: PlayerRecord | None = None
) -> list[Side]:
    """All seats of a match; the reader of the page, if it is one of its players, is known."""
    names = _names(match, reader)
    lost = unreachable.among(match) if match.status in (FORMING, LIVE) else set[int]()
    return [
        Side(
            seat.number,
            seat.name,
            seat_title(match, seat.name),
            _called(match, seat, names),
            seat.status,
            seat.name in asked,
            seat.number in lost,
        )
        for seat in match.seats
    ]


def public_sides(match: MatchRecord, asked: Iterable[Seat] = ()) -> list[Side]:
    """All seats of a match as everybody may see them, without names if it is anonymous."""
    return [
        side._replace(
            player=public_name(match, side.number, side.player),
            page=page_of(match, match.seat(side.number)),
        )
        for side in sides(match, asked)
    ]


def page_of(match: MatchRecord, seat: SeatRecord) -> str:
    """The public page of who plays, where everybody may see who that is; else empty."""
    if match.visibility != PUBLIC or match.status == FORMING or seat.status != JOINED:
        return ""
    player = get_player(seat.player)
    return "" if player.hides_page else player.public_id or ""


def public_name(match: MatchRecord, seat: int, name: str) -> str:
    """As in `Player A`, where nobody is to know who plays; computers are no secret."""
    is_hidden = match.visibility == ANONYMOUS and match.seat(seat).status in (JOINED, VACANT)
    if not is_hidden or match.is_machine(match.seat(seat)):
        return name
    return player_letter(seat)


def player_letter(seat: int) -> str:
    return gettext("Player %(letter)s") % {"letter": ascii_uppercase[seat]}


def _called(match: MatchRecord, seat: SeatRecord, names: Mapping[int | None, str]) -> str:
    if match.is_machine(seat):
        return gettext("Computer")
    return gettext("Guest") if seat.status == GUEST else names.get(seat.player, "")


def seat_title(match: MatchRecord, seat: str) -> str:
    return match.game.seat_name(Seat(seat)).in_(spoken())


def _names(match: MatchRecord, reader: PlayerRecord | None) -> dict[int | None, str]:
    """Who plays, not who was only invited; a row that was read is not read again."""
    names: dict[int | None, str] = {reader.id: reader.name} if reader else {}
    for seat in match.seats:
        if seat.status == JOINED and seat.player is not None and seat.player not in names:
            names[seat.player] = get_player(seat.player).name
    return names


class Happening(NamedTuple):
    """One entry of the log in words; lines that repeat themselves come with their number."""

    kind: str
    by: str
    order: str
    lines: list[tuple[str, int]]


def happenings(match: MatchRecord, told: Iterable[Told]) -> list[Happening]:
    """Entries that told something; what only changed a hidden thing is left out."""
    found = [happening(match, one) for one in told]
    return [one for one in found if one.lines or one.kind != "action"]


def happening(match: MatchRecord, told: Told) -> Happening:
    actor = match.seat_named(told.entry.actor)
    return Happening(
        told.entry.kind,
        seat_title(match, actor.name) if actor else "",
        told.entry.text,
        repeated(said(match, told.events)),
    )


def said(match: MatchRecord, events: Iterable[Event]) -> list[str]:
    return [match.game.say(event.text, spoken()) for event in events]


class Result(NamedTuple):
    """How a match ended."""

    winners: str
    """The sides, as a sentence names them."""
    is_draw: bool
    reason: str
    resigned: str
    out_of_time: str
    """The side that lost by the clock."""

    @property
    def verdict(self) -> str:
        if self.is_draw:
            return gettext("The match is over: a draw.")
        return gettext("The match is over: %(sides)s won.") % {"sides": self.winners}

    @property
    def why(self) -> list[str]:
        """How it came about, in sentences."""
        said = list[str]()
        if self.resigned:
            said.append(gettext("%(side)s has resigned.") % {"side": self.resigned})
        if self.out_of_time:
            said.append(gettext("%(side)s has run out of time.") % {"side": self.out_of_time})
        return [*said, sentence(self.reason)] if self.reason else said

    @property
    def in_words(self) -> str:
        return " ".join([self.verdict, *self.why])


def result_of(match: MatchRecord, state: Any) -> Result:
    """The end of a match that is over."""
    outcome = match.game.outcome(state) if state is not None else None
    winners = [seat.name for seat in match.seats if seat.name in (match.result or "").split()]
    last = match_log.entries(match.id, match.head_seq, match.head_seq)[-1]
    return Result(
        winners=format_list([seat_title(match, seat) for seat in winners], locale=spoken()),
        is_draw=not winners,
        reason=match.game.say(outcome.reason, spoken()) if outcome else "",
        resigned=seat_title(match, last.actor) if last.kind == "resign" else "",
        out_of_time=seat_title(match, last.actor) if last.kind == "forfeit" else "",
    )


def stands(match: MatchRecord, state: Any) -> str:
    """How a match ended, or how far it has come, in words for everybody."""
    if match.status == OVER:
        return result_of(match, state).in_words
    at = None if state is None else match.game.stands_at(match.game.view(state, None))
    if at is None:
        return gettext("The match is in progress.")
    words = gettext("The match is in progress: %(round)s.")
    return words % {"round": match.game.say(at, spoken())}


def headline(match: MatchRecord, sides: Iterable[Side]) -> str:
    """The game and who plays, each side with its player in brackets."""
    people = [f"{side.title} ({side.player})" if side.player else side.title for side in sides]
    return labelled(match.game.title.in_(spoken()), ", ".join(people))


def since_last_turn(match: MatchRecord, turn: TurnRecord) -> list[Happening]:
    """What the seat has not been told when its last turn was over, in words."""
    return happenings(match, told_since_last_turn(match, turn))


def told_since_last_turn(match: MatchRecord, turn: TurnRecord) -> list[Told]:
    """What the seat has not been told when its last turn was over.

    Of a turn that the clock ended, its player has seen the beginning.
    """
    earlier, after = turn_before(turn), -1
    if earlier is not None and earlier.closed_seq is not None:
        after = earlier.opened_seq if earlier.missed else earlier.closed_seq
    seat = match.seat(turn.seat).name
    return match_log.told_since(match, seat, after, turn.opened_seq)


def in_turn(match: MatchRecord, turn: TurnRecord, seat: Seat | None) -> list[Happening]:
    return happenings(match, told_in_turn(match, turn, seat))


def told_in_turn(match: MatchRecord, turn: TurnRecord, seat: Seat | None) -> list[Told]:
    """What happened in a turn, so far or until it was over, as somebody may know it."""
    upto = match.head_seq if turn.closed_seq is None else turn.closed_seq
    return match_log.told_since(match, seat, turn.opened_seq, upto)


def played_in(match: MatchRecord, turn: TurnRecord, seat: Seat | None) -> list[str]:
    """The orders of a turn; for who is not its seat, those that everybody could notice.

    What a seat says in advance is nobody's matter, and it may hold still.
    """
    upto = match.head_seq if turn.closed_seq is None else turn.closed_seq
    name, orders = match.seat(turn.seat).name, list[str]()
    before = match_log.kept_or_played(match, turn.opened_seq)
    seen = None if before is None else match.game.view(before, None)
    for one in match_log.played(match, turn.opened_seq, upto, before):
        entry, view = one.entry, seen
        if one.state is not None:
            view = match.game.view(one.state, None)
        is_told = any(event.heard_by(seat) for event in one.events) or view != seen
        seen = view
        is_own = entry.actor == name and entry.kind in ("action", "timeout")
        if is_own and (is_told or seat == name):
            orders.append(entry.text)
    return orders


class Message(NamedTuple):
    """What somebody wrote to the others."""

    seat: int
    by: str
    to: str
    """The sides that it is for; empty: all."""
    at: Moment
    text: str


class Afterword(NamedTuple):
    """What a side has said for everybody about a match that is over."""

    by: str
    at: Moment
    text: str


def afterwords(match: MatchRecord, now: int) -> list[Afterword]:
    return [
        Afterword(
            seat_title(match, match.seat(one.seat).name), moment(one.at, "UTC", now), one.text
        )
        for one in written.afterwords(match)
    ]


def messages(match: MatchRecord, seat: int, zone: str, now: int) -> list[Message]:
    """What a seat has said and heard."""
    return [
        Message(
            one.seat,
            seat_title(match, match.seat(one.seat).name),
            ", ".join(
                seat_title(match, match.seat(number).name)
                for number in sorted(one.heard_by - {one.seat})
            ),
            moment(one.at, zone, now),
            one.text,
        )
        for one in written.of_match(match.id, seat)
    ]
