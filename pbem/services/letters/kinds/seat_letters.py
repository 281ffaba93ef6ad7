"""Letters about who sits where: invitations, what became of them, seats lent and given up."""

from __future__ import annotations

from collections.abc import Sequence

from babel.lists import format_list

from engine.abilities import Briefings, StandIns
from engine.core import Json, Text
from pbem.deadline_text import clock_in_words
from pbem.errors import Missing
from pbem.i18n import labelled
from pbem.links import StandLink
from pbem.mail import letters
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.kinds.kind import (
    LetterKind,
    Pace,
    asks,
    by_day,
    is_for_player_epoch,
    is_for_seat_epoch,
    to_seat,
)
from pbem.services.letters.reader_context import SeatContext
from pbem.services.match import joining, match_log, messages
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    DECLINED,
    FORMING,
    GUEST,
    INVITED,
    LIVE,
    OPEN,
    VACANT,
    find_match,
)
from pbem.services.records.player_rows import find_player
from pbem.services.seats import heirs, leaving, live_links, loans
from pbem.services.self_service import free_seats

MOST_OPTIONS = 6
"""Of a game with more options an invitation names only the unusual ones."""
MOST_SAID = 10
"""Messages that a newcomer to a seat reads."""


# --- before a match begins ------------------------------------------------------------------------


def _invitation(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    match, seat = context.match, context.seat
    creator = find_player(match.creator) if match.creator is not None else None
    link = live_links.to_invitation(match, seat, context.player)
    is_new = context.player.confirmed_at is None
    return letters.invitation(
        context.reader_of(link),
        context.table(),
        inviter=creator.name if creator and creator.id != context.player.id else "",
        options=_options(context),
        clock=clock_in_words(match.clock, match.asks_back),
        fairness=context.fairness(),
        url=context.links.url("join", link),
        about=context.about_game() if is_new else [],
        by_lot=match.by_lot,
        free=_free(context) if seat.status == OPEN else [],
        is_rematch=match.rematch_of is not None,
        sides=_sides(context),
    )


def _sides(context: SeatContext) -> str:
    """All that one answer is for."""
    seats = joining.answered_with(context.match, context.seat)
    return format_list([context.side(seat.name) for seat in seats], locale=context.language)


def _keep_match(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """To an address that may be anybody's: nothing of the seat is in it."""
    link = live_links.to_invitation(context.match, context.seat, context.player)
    return letters.keep_match(
        context.reader_of(link),
        context.table(),
        clock=clock_in_words(context.match.clock, context.match.asks_back),
        url=context.links.url("kept", link),
    )


def keep_letter_current(letter: QueuedLetter) -> bool:
    """Whether the match is still that of a guest."""
    is_guests = letter.facts.seat_status == GUEST and letter.facts.match_status == LIVE
    return is_guests and is_for_seat_epoch(letter)


def _computer(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    link = live_links.to_seat(context.match, context.seat)
    url = context.links.url("computer", link)
    free = format_list(_free(context), locale=context.language)
    return letters.computer(context.reader_of(link), context.table(), free, url)


def computer_letter_current(letter: QueuedLetter) -> bool:
    """Whether the match still has a free seat, and its reader has not agreed yet."""
    match = find_match(letter.match or "")
    if match is None or letter.seat is None or not is_for_seat_epoch(letter):
        return False
    seat = match.seat(letter.seat)
    return free_seats.may_want(match, seat) and not seat.machine_wanted


def _free(context: SeatContext) -> list[str]:
    """The sides that are open to everybody."""
    return [context.side(seat.name) for seat in context.match.seats if seat.status == OPEN]


def invitation_letter_current(letter: QueuedLetter) -> bool:
    """Whether the seat can still be taken by its reader."""
    facts = letter.facts
    if facts.match_status != FORMING or not is_for_seat_epoch(letter):
        return False
    mine = facts.seat_status == INVITED and facts.seat_player == letter.player
    return mine or facts.seat_status == OPEN


def _options(context: SeatContext) -> list[str]:
    """What the setup says, in words; of many options those that are not as usual."""
    setup, choices = context.match.setup, context.game.choices()
    seatings = [choice.name for choice in context.game.seatings()]
    return [
        labelled(context.say(choice.label), _value(context, setup.get(choice.name), choice.values))
        for choice in choices
        if len(choices) <= MOST_OPTIONS
        or choice.name in seatings
        or setup.get(choice.name, choice.values[0][0]) != choice.values[0][0]
    ]


def _value(context: SeatContext, chosen: Json, values: Sequence[tuple[str, Text]]) -> str:
    if chosen is None:
        return context.say(values[0][1])
    for word, label in values:
        if word == chosen:
            return context.say(label)
    return str(chosen.get("name", "")) if isinstance(chosen, dict) else str(chosen)


def _declined(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    match, by = context.match, context.match.seat(int(letter.about["by"]))
    host = find_player(match.creator) if match.creator is not None else None
    return letters.declined(
        context.reader,
        context.table(),
        "" if match.by_lot else context.side(by.name),
        host=host.name if host else "",
        is_host=context.player.id == match.creator,
        is_off=match.status != FORMING,
    )


def declined_letter_current(letter: QueuedLetter) -> bool:
    """Whether nobody else was asked meanwhile."""
    match = find_match(letter.match or "")
    return match is not None and match.seat(int(letter.about["by"])).status == DECLINED


def _cancelled(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    return letters.cancelled(context.reader, context.table(), str(letter.about.get("why", "")))


# --- seats lent and given up ----------------------------------------------------------------------


def _stand_in(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """To somebody who does not hold the seat, or not for long: nothing of the seat is in it."""
    loan, what = _loan_of(letter), str(letter.about["what"])
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
        clock=clock_in_words(context.match.clock, context.match.asks_back),
        board=context.public_board() if is_asked else None,
        url=context.links.url("stand", link),
        about=context.about_game() if is_asked and player.confirmed_at is None else [],
        is_volunteer=loan.stand_in is None,
    )


def _loan_of(letter: QueuedLetter) -> loans.Loan:
    loan = loans.find_loan(int(letter.about["loan"]))
    if loan is None:
        raise Missing("there is no such offer")
    return loan


def _name_of(player: int | None) -> str:
    found = find_player(player) if player is not None else None
    return found.name if found else ""


_STATES = {
    "asked": loans.OFFERED,
    "nobody": loans.OFFERED,
    "agreed": loans.AGREED,
    "taken": loans.RUNNING,
}
"""Of a loan while a letter about it is true; what is not here stays true."""


def loan_letter_current(letter: QueuedLetter) -> bool:
    """Whether a letter about a lent seat still tells how things are."""
    if not is_for_player_epoch(letter):
        return False
    about = letter.about
    loan = loans.find_loan(int(about["loan"]))
    if loan is None:
        return False
    if about["what"] not in _STATES:
        return True
    is_meant = about["what"] != "asked" or loan.stand_in in (None, letter.player)
    is_live = letter.facts.match_status == LIVE
    return is_meant and is_live and loan.state == _STATES[about["what"]]


def _briefing(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """All that the seat has been told; whoever sits there now was not there then."""
    match, loan = context.match, _loan_of(letter)
    state, turn = match_log.current(match), context.open_turn()
    is_back, seen = bool(letter.about["back"]), _seen_by_seat(context)
    before = loan.stand_in if is_back else loan.owner
    return letters.briefing(
        context.reader,
        context.table(),
        who=_name_of(before) if before != context.player.id else "",
        is_back=is_back or before == context.player.id,
        start=context.moment(loan.start),
        end=context.moment(loan.end),
        happened=context.happened(seen, match.head_seq),
        board=context.board(state, seen),
        is_all=seen < 0,
        said=[context.said(message) for message in _heard(context)[-MOST_SAID:]],
        waiting=context.waiting(state),
        deadline=context.deadline_of(turn) if turn else context.other_deadline(),
        url=context.turn_url(turn) if turn else "",
        inherited=_handed_on_to(context),
    )


def _handed_on_to(context: SeatContext) -> str:
    """Who would get a seat that has come from an ally, if its player does not want it."""
    match, number = context.match, context.seat.number
    if not heirs.is_inherited(match, number):
        return ""
    if heirs.heir_of(match, number) is not None:
        return "ally"
    return "machine" if isinstance(match.game, StandIns) else "stand_in"


def _seen_by_seat(context: SeatContext) -> int:
    """What need not be told again where all would be too much: all before the seat's last turn."""
    if not isinstance(context.game, Briefings):
        return -1
    return context.last_turn()


def briefing_letter_current(letter: QueuedLetter) -> bool:
    return letter.facts.match_status == LIVE


def _leave(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """The question whether it was really the player who lends the seat or gives it up."""
    link = leaving.link_of(context.match, context.seat, letter.about)
    asked = find_player(link.to) if link.to is not None else None
    return letters.leave(
        context.reader,
        context.table(),
        who=asked.address if asked else "",
        start=context.moment(link.start if link.start > context.now else None),
        end=context.moment(link.end),
        url=context.links.url("leave", link),
        until=context.moment(link.asked_at + leaving.LASTS),
    )


def leave_letter_current(letter: QueuedLetter) -> bool:
    return letter.facts.match_status == LIVE and is_for_seat_epoch(letter)


def _heard(context: SeatContext) -> list[messages.Said]:
    return messages.of_match(context.match.id, context.seat.number)


def _declined_pace(letter: QueuedLetter) -> Pace:
    """The host may ask somebody else; the others only wait."""
    match = find_match(letter.match or "")
    return "asks" if match is not None and match.creator == letter.player else "by_day"


def _stand_in_pace(letter: QueuedLetter) -> Pace:
    return "asks" if letter.about["what"] == "asked" else "by_day"


KINDS = (
    LetterKind(
        "invitation",
        to_seat(_invitation),
        invitation_letter_current,
        is_open=True,
        is_unasked=True,
        pace=asks,
    ),
    LetterKind(
        "keep_match",
        to_seat(_keep_match),
        keep_letter_current,
        is_open=True,
        is_unasked=True,
    ),
    LetterKind(
        "computer",
        to_seat(_computer),
        computer_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=asks,
    ),
    LetterKind(
        "declined",
        to_seat(_declined),
        declined_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=_declined_pace,
    ),
    LetterKind("cancelled", to_seat(_cancelled), is_for_holder=True, is_open=True, pace=by_day),
    LetterKind(
        "stand_in", to_seat(_stand_in), loan_letter_current, is_unasked=True, pace=_stand_in_pace
    ),
    LetterKind(
        "briefing", to_seat(_briefing), briefing_letter_current, is_for_holder=True, pace=asks
    ),
    LetterKind(leaving.LETTER, to_seat(_leave), leave_letter_current, is_for_holder=True),
)
