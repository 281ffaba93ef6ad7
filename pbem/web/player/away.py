"""Being away: seats lent and given up, pauses, the question to a stand-in, booked absences.

Each act has a page that says in words what will happen; GET changes nothing, and what is pressed
twice is done once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.text import printable
from pbem.deadline_text import clock_in_words, long
from pbem.deadlines import DAY, HOUR, Span
from pbem.errors import Refused, Stale
from pbem.i18n import spoken, translate_error
from pbem.services.match import match_log
from pbem.services.players import accounts
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MatchRecord,
    TurnRecord,
    get_match,
    open_turns,
)
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.services.seats import leaving, loans, stand_ins, volunteers
from pbem.services.seats.loans import AGREED, OFFERED, RUNNING, Loan
from pbem.services.time import absences, clocks, pauses
from pbem.web.player import seat_page
from pbem.web.shared import board_view, match_text
from pbem.web.shared.context import hosting, now, outdated, refused
from pbem.web.shared.device import noted
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat, player_by

pages = Blueprint("away", __name__)

LARGEST_FORM = 16_000


# --- lending a seat, giving it up ----------------------------------------------------------------


class LoanShown(NamedTuple):
    """What is offered or agreed about a seat, as one of the people concerned may read it."""

    state: str
    is_lent: bool
    start: match_text.Moment
    end: match_text.Moment | None
    owner: str
    stand_in: str
    """The address of who was asked, the name of who has agreed; empty: volunteers, or no name."""
    has_begun: bool


def _loan(loan: Loan | None, zone: str) -> LoanShown | None:
    if loan is None:
        return None
    owner = find_player(loan.owner) if loan.owner is not None else None
    asked = find_player(loan.stand_in) if loan.stand_in is not None else None
    return LoanShown(
        loan.state,
        loan.is_lent,
        match_text.moment(loan.start, zone, now()),
        match_text.moment(loan.end, zone, now()) if loan.end is not None else None,
        owner.name if owner else "",
        _called(asked, loan.state) if asked else "",
        loan.start <= now(),
    )


def _called(asked: PlayerRecord, state: str) -> str:
    """As whoever asks knows them: by what was typed, and by name once they have agreed."""
    return asked.address if state == OFFERED else asked.name


@pages.get("/seat/<token>/lend")
@for_seat
def ask_lend(visit: Visit) -> ResponseReturnValue:
    return _leave_page(visit, "lend")


@pages.post("/seat/<token>/lend")
@for_seat
def lend(visit: Visit) -> ResponseReturnValue:
    return _leave(visit, "lend")


@pages.get("/seat/<token>/give_up")
@for_seat
def ask_give_up(visit: Visit) -> ResponseReturnValue:
    return _leave_page(visit, "give_up")


@pages.post("/seat/<token>/give_up")
@for_seat
def give_up(visit: Visit) -> ResponseReturnValue:
    return _leave(visit, "give_up")


def _leave_page(visit: Visit, what: str, refusal: Refused | None = None) -> ResponseReturnValue:
    """The question whether to leave a seat, for a time or for good, or how that stands."""
    if visit.match.status != LIVE:
        return _to_seat(visit)
    page = render_template(
        "web/seat/leave.html",
        **seat_page.around(visit),
        what=what,
        loan=_loan(loans.pending(visit.match.id, visit.seat.number), visit.player.zone),
        volunteers=len(volunteers.volunteers(visit.match, visit.seat.number, now())),
        zone=visit.player.zone,
        fault=translate_error(refusal) if refusal else "",
    )
    return refused(page, refusal) if refusal else page


def _leave(visit: Visit, what: str) -> ResponseReturnValue:
    request.max_content_length = LARGEST_FORM
    match, number, form = visit.match.id, visit.seat.number, request.form
    loan = loans.pending(match, number)
    try:
        if form.get("do") == "withdraw":
            if loan is not None and loan.state in (OFFERED, AGREED):
                with acting_at(visit):
                    stand_ins.withdraw(loan.id, now())
        elif form.get("do") == "give_back":
            with acting_at(visit):
                stand_ins.give_back(match, number, now())
            return render_template("web/seat/given_back.html", **seat_page.around(visit))
        elif what == "lend":
            days = _days_typed(form, visit.player.zone, now())
            return _asked(visit, days.start, days.end)
        else:
            return _asked(visit, now(), None)
    except Replaced:
        raise
    except Stale:
        pass  # pressed twice, or too late: the page shows how things stand
    except Refused as error:
        return _leave_page(visit, what, error)
    return redirect(url_for(f"away.ask_{what}", token=visit.token), 303)


def _asked(visit: Visit, start: int, end: int | None) -> ResponseReturnValue:
    """Whoever holds a letter could press here; it is the player's word that counts, by letter."""
    address = _address_typed()
    with acting_at(visit):
        leaving.ask(visit.match.id, visit.seat.number, start, end, address, now())
    return render_template(
        "web/seat/leave_asked.html", **seat_page.around(visit), is_lent=bool(end)
    )


def _address_typed() -> str | None:
    typed = request.form.get("address", "")
    return accounts.address(typed, not hosting().config.in_production) if typed.strip() else None


def _to_seat(visit: Visit) -> ResponseReturnValue:
    return redirect(url_for("play.seat.show", token=visit.token), 303)


# --- pauses --------------------------------------------------------------------------------------


@pages.get("/seat/<token>/pause")
@for_seat
def ask_pause(visit: Visit) -> ResponseReturnValue:
    return _pause_page(visit)


def _pause_page(visit: Visit, refusal: Refused | None = None) -> ResponseReturnValue:
    match = visit.match
    if match.status != LIVE:
        return _to_seat(visit)
    others = [s for s in match.seats if s.number != visit.seat.number and s.status == JOINED]
    left = clocks.pause_left(match, now())
    page = render_template(
        "web/seat/pause.html",
        **seat_page.around(visit),
        others=[match_text.seat_title(match, s.name) for s in others if not s.pause_wanted],
        left=long(_rounded_down(left)) if left else "",
        fault=translate_error(refusal) if refusal else "",
    )
    return refused(page, refusal) if refusal else page


def _rounded_down(seconds: int) -> int:
    """To whole days, or hours where it is less than a day."""
    return seconds // DAY * DAY or seconds // HOUR * HOUR or seconds


@pages.post("/seat/<token>/pause")
@for_seat
def pause(visit: Visit) -> ResponseReturnValue:
    """Wish for a pause, agree to one, take back the wish, or end it."""
    request.max_content_length = LARGEST_FORM
    match, number = visit.match, visit.seat.number
    try:
        with acting_at(visit):
            if request.form.get("do") == "end":
                pauses.end_pause(match.id, number, now())
            else:
                pauses.want_pause(match.id, number, now())
    except Replaced:
        raise
    except Stale:
        pass  # pressed twice, or the match is over: the page shows how things stand
    except Refused as error:
        return _pause_page(visit, error)
    return redirect(url_for("away.ask_pause", token=visit.token), 303)


# --- the question to a stand-in ------------------------------------------------------------------


class Concerned(NamedTuple):
    """Somebody whom a loan concerns, come by a letter about it."""

    token: str
    loan: Loan
    match: MatchRecord
    player: PlayerRecord

    @property
    def role(self) -> str:
        """asked, agreed, playing, offering or lending; empty when it is no matter any more."""
        loan, match, player = self.loan, self.match, self.player.id
        if stand_ins.may_accept(loan, match, player, now()):
            return "asked"
        if match.status != LIVE:
            return ""
        if player == loan.stand_in and loan.state in (AGREED, RUNNING):
            return "agreed" if loan.state == AGREED else "playing"
        if player == loan.owner and loan.state == RUNNING and loan.is_lent:
            return "lending"
        is_held = match.seat(loan.seat).player == player == loan.owner
        return "offering" if is_held and loan.state in (OFFERED, AGREED) else ""


@pages.get("/stand/<token>")
def stand(token: str) -> ResponseReturnValue:
    """What the seat is, without anything that only the seat may know."""
    concerned = _concerned(token)
    return outdated() if concerned is None else _stand_page(concerned)


def _concerned(token: str) -> Concerned | None:
    """Who has come; None when the player's links were renewed since. Speaks their language."""
    link, player = player_by("stand", token)
    loan = loans.find_loan(link.loan)
    if loan is None:
        abort(404)
    if player.epoch != link.epoch:
        return None
    return Concerned(token, loan, get_match(loan.match), player)


def _stand_page(concerned: Concerned) -> ResponseReturnValue:
    role, values = concerned.role, _about_loan(concerned)
    if not role:
        return outdated("web/stand/gone.html", **values)
    match = concerned.match
    state, turn = match_log.current(match), _turn(concerned)
    return render_template(
        "web/stand/stand.html",
        **values,
        role=role,
        token=concerned.token,
        sides=match_text.sides(match, match.game.waiting_on(state)),
        clock=clock_in_words(match.clock, match.asks_back),
        deadline=_deadline(concerned, turn) if turn else None,
        is_whole=turn is not None and not loans.changes_in(turn),
        board=board_view.board_of(match.game, state, None),
    )


def _about_loan(concerned: Concerned) -> dict[str, Any]:
    match, loan = concerned.match, concerned.loan
    return {
        "match": match,
        "title": match.game.title.in_(spoken()),
        "side": match_text.seat_title(match, match.seat(loan.seat).name),
        "loan": _loan(loan, concerned.player.zone),
        "record_head": match_log.public_head(match),
    }


def _turn(concerned: Concerned) -> TurnRecord | None:
    """What is asked of the seat; None when it changes hands later, or the clocks stand still."""
    match, loan = concerned.match, concerned.loan
    if loan.start > now() or match.paused_at is not None:
        return None
    return next((turn for turn in open_turns(match.id) if turn.seat == loan.seat), None)


def _deadline(concerned: Concerned, turn: TurnRecord) -> match_text.Moment:
    ends = clocks.expected_deadline(concerned.match, turn, now())
    return match_text.moment(ends, concerned.player.zone, now())


@pages.post("/stand/<token>")
def answer(token: str) -> ResponseReturnValue:
    """Accept, decline, or take the offer back; a press that comes too late changes nothing."""
    request.max_content_length = LARGEST_FORM
    concerned = _concerned(token)
    if concerned is None:
        return outdated()
    loan, player, act = concerned.loan, concerned.player.id, request.form.get("do", "")
    if act == "decline":
        stand_ins.decline(loan.id, player, now())
        return render_template("web/stand/declined.html", **_about_loan(concerned))
    if act == "accept":
        back = redirect(url_for("away.stand", token=token), 303)
        return noted(back, player) if _accept(loan, player) else back
    if act != "withdraw":
        raise Refused("this page cannot do “%(act)s”", act=printable(act[:20]))
    if concerned.role in ("offering", "lending"):
        stand_ins.withdraw(loan.id, now())
    return redirect(url_for("away.stand", token=token), 303)


def _accept(loan: Loan, player: int) -> bool:
    try:
        stand_ins.accept(loan.id, player, now())
    except Stale:
        return False  # somebody was faster; the page says so
    return True


# --- booked absences, on a player's own page -----------------------------------------------------


class AbsenceShown(NamedTuple):
    id: int
    start: match_text.Moment
    end: match_text.Moment
    is_floating: bool
    can_cancel: bool


class AbsencesShown(NamedTuple):
    """The absences that are not over, and how many days of the year's allowance are left."""

    list: Sequence[AbsenceShown]
    left_days: int
    year: int


def shown(player: PlayerRecord, at: int) -> AbsencesShown:
    year = absences.year_of(at)
    return AbsencesShown(
        [
            AbsenceShown(
                one.id,
                match_text.moment(one.start, player.zone, at),
                match_text.moment(one.end, player.zone, at),
                one.is_floating,
                absences.kept_until(one, at) < one.end,
            )
            for one in absences.of(player.id)
            if one.end > at
        ],
        max(0, absences.left(player.id, year)) // DAY,
        year,
    )


def book_from_form(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    """Book whole days of the player's own zone; the first of them may have begun."""
    days = _days_typed(form, player.zone, at)
    absences.book(player.id, days.start, days.end, at)


def cancel_from_form(player: PlayerRecord, form: Mapping[str, str], at: int) -> None:
    number = form.get("absence", "")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise Refused("choose which vacation to cancel")
    absences.cancel(int(number), player.id, at)


def _days_typed(form: Mapping[str, str], zone: str, at: int) -> Span:
    """From the beginning of one day to the end of another; today has begun already."""
    first, last = _day(form.get("first", "")), _day(form.get("last", ""))
    is_today = first == datetime.fromtimestamp(at, ZoneInfo(zone)).date()
    start = at if is_today else _midnight(first, zone)
    return Span(start, _midnight(last + timedelta(1), zone))


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        day = date.min
    if not 2_000 < day.year < 3_000:
        raise Refused(
            "“%(date)s” is not a date; write it like 2027-01-31", date=printable(text.strip()[:20])
        )
    return day


def _midnight(day: date, zone: str) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).timestamp())
