"""Stand-ins: seats lent for dates, given up, or opened by the clock, and who takes them."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.db.models import Player
from pbem.db.store import writing
from pbem.deadlines import DAY
from pbem.errors import Refused, Stale
from pbem.services.players import accounts, bans, limits, names
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MACHINE,
    VACANT,
    MatchRecord,
    SeatRecord,
    get_match,
    lock_match,
)
from pbem.services.records.player_rows import get_player, player_at
from pbem.services.seats import loans
from pbem.services.seats.changing_hands import (
    ask,
    change_hands,
    put_into_seat,
    tell,
    tell_others,
)
from pbem.services.seats.loans import (
    AGREED,
    OFFERED,
    RETURNED,
    RUNNING,
    WITHDRAWN,
    Loan,
    concerning,
    find_loan,
    get_loan,
    locked_loan,
    pending,
)
from pbem.services.seats.volunteers import MOST_ASKED, may_come, may_take, volunteers
from pbem.services.time import alarms

FARTHEST = 366 * DAY


def check_may_end(match: str, number: int) -> None:
    """A seat that goes back to its owner is played on until then."""
    loan = pending(match, number)
    if loan is not None and loan.state == RUNNING:
        raise Refused("a stand-in for a few days cannot end the match; only the seat's owner can")


# --- offering ------------------------------------------------------------------------------------


def lend(match_id: str, number: int, start: int, end: int, address: str | None, now: int) -> int:
    """Ask for somebody who plays a seat from one instant to another; the number of the offer.

    Without an address the volunteers are asked.
    """
    with writing():
        match = _live(match_id)
        _check_dates(start, end, now)
        return _offer(match, number, start, end, address, now)


def _check_dates(start: int, end: int, now: int) -> None:
    if end <= start:
        raise Refused("the loan must end after it starts")
    if start < now:
        raise Refused("a loan cannot start in the past")
    if end > now + FARTHEST:
        raise Refused("a seat can be lent up to one year ahead")


def give_up(match_id: str, number: int, address: str | None, now: int) -> int:
    """Ask for somebody who takes a seat for good; until then it stays whose it is."""
    with writing():
        return _offer(_live(match_id), number, now, None, address, now)


def foresee(
    match_id: str, number: int, start: int, end: int | None, address: str | None, now: int
) -> int | None:
    """Whether a seat can be offered so, in the caller's transaction; who is asked by name."""
    match = _live(match_id)
    if end is not None:
        _check_dates(start, end, now)
    return _whom(match, number, start, address, now)[0]


def _offer(
    match: MatchRecord, number: int, start: int, end: int | None, address: str | None, now: int
) -> int:
    named, asked = _whom(match, number, start, address, now)
    limits.by_seat("offer", match.id, number, now)
    asked = _willing(asked, now)
    if not asked:
        raise Refused(
            "this address has been asked often enough today; name another, or try again tomorrow"
        )
    loan = loans.add(match, number, match.seat(number).player, named, start, end, OFFERED, now)
    if named is None or may_come(match, number, named):
        ask(loan, asked, now)
    if end is not None:
        alarms.arm(alarms.LOAN, loan.id, start if start > now else end)
    return loan.id


def _whom(
    match: MatchRecord, number: int, start: int, address: str | None, now: int
) -> tuple[int | None, list[int]]:
    """Who is asked by name, and all who are asked."""
    seat = match.seat(number)
    if pending(match.id, number) is not None:
        raise Stale("this seat is already on offer or lent")
    if seat.player is None:
        raise Stale("nobody has this seat")
    named = _named(seat, address, now)
    asked = [named] if named is not None else volunteers(match, number, max(start, now))
    if not asked:
        raise Refused("no volunteer can take this seat now; name someone")
    return named, asked


def _named(seat: SeatRecord, address: str | None, now: int) -> int | None:
    """The player who is asked by name.

    Whoever holds another seat gets no letter, and nobody is told so: it would give an address away.
    """
    if address is None:
        return None
    language = get_player(seat.player).language
    player = accounts.known_or_new(address, now, language).id
    if player == seat.player:
        raise Refused("this is your own address; a stand-in has to be someone else")
    return player


def _willing(asked: Iterable[int], now: int) -> list[int]:
    """Those of them who were not asked too often today."""
    return [one for one in asked if limits.may_write("ask_stand_in", get_player(one).address, now)]


def withdraw(loan_id: int, now: int) -> None:
    """The owner wants the seat back, or has never wanted it to go; what was given up stays so."""
    with writing():
        loan, match = locked_loan(loan_id)
        if loan.state == RUNNING and loan.is_lent:
            _return(match, loan, now)
        elif loan.state in (OFFERED, AGREED) and match.seat(loan.seat).player == loan.owner:
            _drop(loan)
            if loan.state == AGREED and loan.stand_in is not None:
                tell(loan, loan.stand_in, "withdrawn", now)


def give_back(match_id: str, number: int, now: int) -> None:
    """A stand-in does not want to play to the end of the time: the seat goes back at once."""
    with writing():
        match = _live(match_id)
        loan = pending(match.id, number)
        if loan is None or loan.state != RUNNING:
            raise Stale("this seat is not lent")
        _return(match, loan, now)


# --- volunteers ----------------------------------------------------------------------------------


def volunteer(player: int, wanted: bool, now: int) -> None:
    """Whether a player takes over seats of others; who begins to is asked about what is open."""
    with writing():
        Player.update(stands_in=wanted).where(Player.id == player).execute()
        for loan in loans.open_offers(now, MOST_ASKED) if wanted else ():
            match = get_match(loan.match)
            if match.status == LIVE and may_come(match, loan.seat, player):
                ask(loan, [player], now)


def open_seat(match_id: str, number: int, now: int) -> None:
    """Its player has missed too much: a lent seat goes back to its owner, any other is vacant."""
    with writing():
        match = _live(match_id)
        loan = pending(match.id, number)
        if loan is not None and loan.state == RUNNING:
            _return(match, loan, now)
            return
        if loan is not None:
            withdraw(loan.id, now)
        former = match.seat(number).player
        if former is None:
            return
        put_into_seat(match, number, None, VACANT, now)
        match = get_match(match.id)
        loan = loans.add(match, number, former, None, now, None, OFFERED, now)
        ask(loan, [*_willing(volunteers(match, number, now), now), former], now)
        tell_others(match, number, f"vacant:{loan.id}", "vacant", now)


def check_can_be_asked(match: MatchRecord, number: int, address: str) -> None:
    """Whether the owner of an address could play a seat in the place of whoever has it."""
    if match.seat(number).status not in (JOINED, VACANT):
        raise Stale("nobody has taken this seat yet")
    player = player_at(address)
    if player is not None and not may_take(match, number, player.id):
        raise Refused("the owner of this address is already involved in this match")
    if bans.is_refused(address):
        raise Refused("a moderator does not allow %(address)s to join new matches", address=address)


def ask_instead(match_id: str, number: int, address: str, now: int) -> None:
    """A moderator takes a seat from its player and asks somebody by name to play it on."""
    with writing():
        match = _live(match_id)
        check_can_be_asked(match, number, address)
        owner = _take_away(match, number, now)
        named = accounts.known_or_new(address, now).id
        match = get_match(match.id)
        loan = loans.add(match, number, owner, named, now, None, OFFERED, now)
        ask(loan, [named], now)
        tell_others(match, number, f"vacant:{loan.id}", "vacant", now)


def _take_away(match: MatchRecord, number: int, now: int) -> int | None:
    """The seat is nobody's, and whatever was asked or agreed about it is off; whose it was."""
    loan, owner = pending(match.id, number), match.seat(number).player
    if loan is not None:
        owner = loan.owner
        if loan.state == RUNNING:
            loans.end(loan, RETURNED, end_at=now)
        else:
            _drop(loan)
        if loan.state == AGREED and loan.stand_in is not None:
            tell(loan, loan.stand_in, "withdrawn", now)
    put_into_seat(match, number, None, VACANT, now)
    return owner


# --- answering -----------------------------------------------------------------------------------


def may_accept(loan: Loan, match: MatchRecord, player: int, now: int) -> bool:
    """Whether a player can still say yes."""
    is_asked = loan.state == OFFERED and loan.stand_in in (None, player)
    is_late = loan.end is not None and loan.end <= now
    return is_asked and not is_late and match.status == LIVE and _is_there(match, loan, player)


def _is_there(match: MatchRecord, loan: Loan, player: int) -> bool:
    """Whether the seat is still its owner's, or nobody's, and may go to this player."""
    seat = match.seat(loan.seat)
    is_free = seat.status == VACANT or seat.player == loan.owner
    is_welcome = player == loan.owner or not bans.is_kept_out(player)
    return is_free and is_welcome and may_take(match, loan.seat, player)


def accept(loan_id: int, player: int, now: int) -> None:
    """Take a seat that was offered: the first who says so has it. Saying it again changes nothing.

    It changes hands at once, or when its day has come.
    """
    with writing():
        loan, match = locked_loan(loan_id)
        if loan.stand_in == player and loan.state in (AGREED, RUNNING):
            return
        if not may_accept(loan, match, player, now):
            raise Stale("this seat is no longer free")
        names.check_apart(match.id, player, get_player(player).name)
        if not loans.take_offer(loan, player):
            raise Stale("this seat is no longer free")
        accounts.confirm(player, now)
        loan = get_loan(loan.id)
        if loan.start <= now:
            _begin(match, loan, now)
            return
        alarms.arm(alarms.LOAN, loan.id, loan.start)
        if loan.owner is not None:
            tell(loan, loan.owner, "agreed", now)


def decline(loan_id: int, player: int, now: int) -> None:
    """Who was asked by name, or has agreed, says no; a volunteer just does not take the seat."""
    with writing():
        loan, match = locked_loan(loan_id)
        if loan.stand_in == player and loan.state in (OFFERED, AGREED):
            _drop(loan)
            if loan.owner is not None and match.seat(loan.seat).player == loan.owner:
                tell(loan, loan.owner, "declined", now)


# --- changing hands ------------------------------------------------------------------------------


def change_over(loan_id: int, now: int) -> None:
    """The day of a loan has come: it begins, or it ends, or nobody was found for it."""
    with writing():
        if find_loan(loan_id) is None:
            alarms.disarm(alarms.LOAN, loan_id)
            return
        loan, match = locked_loan(loan_id)
        alarms.disarm(alarms.LOAN, loan_id)
        if match.status != LIVE:
            _keep_as_it_is(loan)
        elif loan.state == AGREED:
            _begin(match, loan, now) if loan.start <= now else _wait(loan, loan.start)
        elif loan.end is None or loan.state not in (OFFERED, RUNNING):
            return
        elif loan.end > now:
            _wait_for_somebody(loan, now)
        elif loan.state == RUNNING:
            _return(match, loan, now)
        else:
            _drop(loan)


def _wait(loan: Loan, at: int) -> None:
    alarms.arm(alarms.LOAN, loan.id, at)


def _wait_for_somebody(loan: Loan, now: int) -> None:
    """The time of a loan goes on; an owner for whom nobody stands in yet should know it."""
    if loan.start > now:
        _wait(loan, loan.start)
        return
    assert loan.end is not None, "only what is lent for dates has an alarm"
    _wait(loan, loan.end)
    if loan.state == OFFERED and loan.owner is not None:
        tell(loan, loan.owner, "nobody", now)


def _keep_as_it_is(loan: Loan) -> None:
    """The match is over: whoever sits there has played it to the end."""
    state = RETURNED if loan.state == RUNNING else WITHDRAWN
    loans.change(loan, state=state, end_at=None)


def _drop(loan: Loan) -> None:
    loans.end(loan, WITHDRAWN)


def _begin(match: MatchRecord, loan: Loan, now: int) -> None:
    """The stand-in sits down, unless the seat or the stand-in went elsewhere meanwhile."""
    assert loan.stand_in is not None, "somebody has agreed"
    if not _is_there(match, loan, loan.stand_in):
        _drop(loan)
        tell(loan, loan.stand_in, "withdrawn", now)
        return
    loans.change(loan, state=RUNNING, start_at=now)
    change_hands(match, loan, loan.stand_in, now)
    if loan.owner not in (None, loan.stand_in):
        tell(loan, loan.owner, "taken", now)
    if loan.end is not None:
        _wait(loan, loan.end)


def _return(match: MatchRecord, loan: Loan, now: int) -> None:
    """The owner has the seat again, unless the match is over."""
    loans.end(loan, RETURNED, end_at=now)
    if match.status != LIVE or match.seat(loan.seat).player != loan.stand_in:
        return
    assert loan.owner is not None, "what is lent has an owner"
    change_hands(match, loan, loan.owner, now, is_back=True)
    if loan.stand_in is not None:
        tell(loan, loan.stand_in, "over", now)


def hand_over(match_id: str, number: int, player: int, now: int) -> None:
    """The clock gives a seat to another player of the match, as allies have agreed."""
    with writing():
        match = _live(match_id)
        loan = pending(match.id, number)
        if loan is not None:
            state = RETURNED if loan.state == RUNNING else WITHDRAWN
            loans.end(loan, state, end_at=now)
        former = match.seat(number).player
        loan = loans.add(match, number, former, player, now, None, RUNNING, now)
        change_hands(match, loan, player, now)
        if former is not None:
            tell(loan, former, "taken", now)


def leave_to_machine(match_id: str, number: int, now: int) -> None:
    """Nobody wants a seat: the stand-in player of the game plays it to the end."""
    with writing():
        match = _live(match_id)
        former = match.seat(number).player
        put_into_seat(match, number, None, MACHINE, now)
        match = get_match(match.id)
        loan = loans.add(match, number, former, None, now, None, RUNNING, now)
        tell_others(match, number, f"machine:{loan.id}", "machine", now)


def ask_again(player: int, now: int) -> None:
    """The links of a player were renewed: what waits for an answer comes once more."""
    for loan in concerning(player):
        if loan.state == OFFERED and (loan.stand_in == player or _may_return(loan, player)):
            tell(loan, player, "asked", now)
        elif loan.state == RUNNING and loan.is_lent and loan.owner == player:
            tell(loan, player, "taken", now)


def _may_return(loan: Loan, player: int) -> bool:
    """Whether a seat was opened because its player was late, who may have it again."""
    is_former = loan.owner == player and loan.stand_in is None
    return is_former and get_match(loan.match).seat(loan.seat).player is None


def forget(player: int, now: int) -> None:
    """A player leaves this server: promises are off, and a stand-in keeps what was lent."""
    for loan in concerning(player):
        if loan.stand_in == player:
            decline(loan.id, player, now)
        elif loan.state == RUNNING:
            alarms.disarm(alarms.LOAN, loan.id)
            loans.change(loan, end_at=None)
    loans.forget_player(player)


def _live(match_id: str) -> MatchRecord:
    match = lock_match(match_id)
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return match
