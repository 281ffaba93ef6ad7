"""Stand-ins: seats lent for dates, given up, or opened by the clock, and who takes them.

    offered --accept--> agreed --its day has come--> running --its end, or given back--> over
       |                   |
       +--withdrawn, declined, nobody came--> withdrawn

A seat that changes hands has a new epoch, so that every link to it that was mailed before is dead.
What the seat knows stays with the seat: hand, history, messages and standing orders. Whoever has
held another seat of the match, and so knows what that one knows, cannot take this one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pbem.db.store import execute, insert, row, rows, writing
from pbem.deadlines import DAY
from pbem.errors import Missing, Refused, Stale
from pbem.services.players import accounts, bans, limits, names
from pbem.services.records import epochs, letter_queue
from pbem.services.records.records import (
    JOINED,
    LIVE,
    VACANT,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    get_match,
    get_player,
    hold,
    open_turns,
    player_at,
)
from pbem.services.time import clocks

OFFERED, AGREED, RUNNING, RETURNED, WITHDRAWN = "offered", "agreed", "running", "over", "withdrawn"
MOST_ASKED = 20
"""Volunteers who get a letter about one seat."""
FARTHEST = 366 * DAY


class Loan(NamedTuple):
    """A seat lent for a time, or given away when it has no end."""

    id: int
    match: str
    seat: int
    owner: int | None
    """Whose seat it was."""
    stand_in: int | None
    """Nobody yet, while volunteers are being asked."""
    start: int
    end: int | None
    state: str
    created_at: int

    @property
    def is_lent(self) -> bool:
        """Whether the seat goes back to its owner."""
        return self.end is not None


_LOAN = (
    "SELECT id, match_id, seat, owner_id, stand_in_id, start_at, end_at, state, created_at"
    " FROM loan"
)


def find_loan(loan: int) -> Loan | None:
    found = row(f"{_LOAN} WHERE id = ?", loan)
    return Loan(*found) if found else None


def pending(match: str, number: int) -> Loan | None:
    """What was asked or agreed about a seat, or the lending that is running."""
    found = row(
        f"{_LOAN} WHERE match_id = ? AND seat = ?"
        " AND (state IN (?, ?) OR (state = ? AND end_at IS NOT NULL)) ORDER BY id DESC LIMIT 1",
        match,
        number,
        OFFERED,
        AGREED,
        RUNNING,
    )
    return Loan(*found) if found else None


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
    loan = _insert(match, number, match.seat(number).player, named, start, end, OFFERED, now)
    if named is None or _may_come(match, number, named):
        _ask(loan, asked, now)
    if end is not None:
        clocks.arm(clocks.LOAN, loan.id, start if start > now else end)
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


def _insert(
    match: MatchRecord,
    number: int,
    owner: int | None,
    stand_in: int | None,
    start: int,
    end: int | None,
    state: str,
    now: int,
) -> Loan:
    loan = insert(
        "INSERT INTO loan (match_id, seat, owner_id, stand_in_id, start_at, end_at, state,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        match.id,
        number,
        owner,
        stand_in,
        start,
        end,
        state,
        now,
    )
    return _get(loan)


def withdraw(loan_id: int, now: int) -> None:
    """The owner wants the seat back, or has never wanted it to go; what was given up stays so."""
    with writing():
        loan, match = _held(loan_id)
        if loan.state == RUNNING and loan.is_lent:
            _return(match, loan, now)
        elif loan.state in (OFFERED, AGREED) and match.seat(loan.seat).player == loan.owner:
            _drop(loan)
            if loan.state == AGREED and loan.stand_in is not None:
                _tell(loan, loan.stand_in, "withdrawn", now)


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
        execute("UPDATE player SET stands_in = ? WHERE id = ?", wanted, player)
        open_offers = rows(
            f"{_LOAN} WHERE state = ? AND stand_in_id IS NULL AND (end_at IS NULL OR end_at > ?)"
            " ORDER BY id LIMIT ?",
            OFFERED,
            now,
            MOST_ASKED,
        )
        for loan in [Loan(*values) for values in open_offers] if wanted else ():
            match = get_match(loan.match)
            if match.status == LIVE and _may_come(match, loan.seat, player):
                _ask(loan, [player], now)


def volunteers(match: MatchRecord, number: int, at: int) -> list[int]:
    """Players who could take a seat at an instant; those first who were not asked for long."""
    found = rows(
        "SELECT p.id FROM player p WHERE p.stands_in = ? AND p.confirmed_at IS NOT NULL"
        f" AND NOT ({_KNOWS_TOO_MUCH})"
        " AND NOT EXISTS (SELECT 1 FROM absence a"
        "  WHERE a.player_id = p.id AND a.start_at <= ? AND a.end_at > ?)"
        " ORDER BY COALESCE((SELECT MAX(o.created_at) FROM outbox o"
        "  WHERE o.player_id = p.id AND o.kind = 'stand_in'), 0), p.id LIMIT ?",
        True,
        match.id,
        match.id,
        number,
        AGREED,
        RUNNING,
        RETURNED,
        at,
        at,
        MOST_ASKED,
    )
    return [player for (player,) in found if not bans.is_kept_out(player)]


_KNOWS_TOO_MUCH = (
    "EXISTS (SELECT 1 FROM seat s WHERE s.match_id = ? AND s.player_id = p.id)"
    " OR EXISTS (SELECT 1 FROM loan l WHERE l.match_id = ? AND l.seat <> ?"
    "  AND (l.owner_id = p.id OR (l.stand_in_id = p.id AND l.state IN (?, ?, ?))))"
)
"""Whether a player sits in a match, or has held another seat of it than this."""


def _may_take(match: MatchRecord, number: int, player: int) -> bool:
    found = row(
        f"SELECT 1 FROM player p WHERE p.id = ? AND NOT ({_KNOWS_TOO_MUCH})",
        player,
        match.id,
        match.id,
        number,
        AGREED,
        RUNNING,
        RETURNED,
    )
    return found is not None


def _may_come(match: MatchRecord, number: int, player: int) -> bool:
    """Whether somebody who has no seat here may be asked to take one."""
    return _may_take(match, number, player) and not bans.is_kept_out(player)


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
        _seat(match, number, None, VACANT, now)
        match = get_match(match.id)
        loan = _insert(match, number, former, None, now, None, OFFERED, now)
        _ask(loan, [*_willing(volunteers(match, number, now), now), former], now)
        _tell_others(match, number, f"vacant:{loan.id}", "vacant", now)


def check_can_be_asked(match: MatchRecord, number: int, address: str) -> None:
    """Whether the owner of an address could play a seat in the place of whoever has it."""
    if match.seat(number).status not in (JOINED, VACANT):
        raise Stale("nobody has taken this seat yet")
    player = player_at(address)
    if player is not None and not _may_take(match, number, player.id):
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
        loan = _insert(match, number, owner, named, now, None, OFFERED, now)
        _ask(loan, [named], now)
        _tell_others(match, number, f"vacant:{loan.id}", "vacant", now)


def _take_away(match: MatchRecord, number: int, now: int) -> int | None:
    """The seat is nobody's, and whatever was asked or agreed about it is off; whose it was."""
    loan, owner = pending(match.id, number), match.seat(number).player
    if loan is not None:
        owner = loan.owner
        if loan.state == RUNNING:
            execute("UPDATE loan SET state = ?, end_at = ? WHERE id = ?", RETURNED, now, loan.id)
            clocks.disarm(clocks.LOAN, loan.id)
        else:
            _drop(loan)
        if loan.state == AGREED and loan.stand_in is not None:
            _tell(loan, loan.stand_in, "withdrawn", now)
    _seat(match, number, None, VACANT, now)
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
    return is_free and is_welcome and _may_take(match, loan.seat, player)


def accept(loan_id: int, player: int, now: int) -> None:
    """Take a seat that was offered: the first who says so has it. Saying it again changes nothing.

    It changes hands at once, or when its day has come.
    """
    with writing():
        loan, match = _held(loan_id)
        if loan.stand_in == player and loan.state in (AGREED, RUNNING):
            return
        if not may_accept(loan, match, player, now):
            raise Stale("this seat is no longer free")
        names.check_apart(match.id, player, get_player(player).name)
        taken = execute(
            "UPDATE loan SET state = ?, stand_in_id = ? WHERE id = ? AND state = ?",
            AGREED,
            player,
            loan.id,
            OFFERED,
        )
        if taken != 1:
            raise Stale("this seat is no longer free")
        accounts.confirm(player, now)
        loan = _get(loan.id)
        if loan.start <= now:
            _begin(match, loan, now)
            return
        clocks.arm(clocks.LOAN, loan.id, loan.start)
        if loan.owner is not None:
            _tell(loan, loan.owner, "agreed", now)


def decline(loan_id: int, player: int, now: int) -> None:
    """Who was asked by name, or has agreed, says no; a volunteer just does not take the seat."""
    with writing():
        loan, match = _held(loan_id)
        if loan.stand_in == player and loan.state in (OFFERED, AGREED):
            _drop(loan)
            if loan.owner is not None and match.seat(loan.seat).player == loan.owner:
                _tell(loan, loan.owner, "declined", now)


# --- changing hands ------------------------------------------------------------------------------


def change_over(loan_id: int, now: int) -> None:
    """The day of a loan has come: it begins, or it ends, or nobody was found for it."""
    with writing():
        clocks.disarm(clocks.LOAN, loan_id)
        if find_loan(loan_id) is None:
            return
        loan, match = _held(loan_id)
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
    clocks.arm(clocks.LOAN, loan.id, at)


def _wait_for_somebody(loan: Loan, now: int) -> None:
    """The time of a loan goes on; an owner for whom nobody stands in yet should know it."""
    if loan.start > now:
        _wait(loan, loan.start)
        return
    assert loan.end is not None, "only what is lent for dates has an alarm"
    _wait(loan, loan.end)
    if loan.state == OFFERED and loan.owner is not None:
        _tell(loan, loan.owner, "nobody", now)


def _keep_as_it_is(loan: Loan) -> None:
    """The match is over: whoever sits there has played it to the end."""
    state = RETURNED if loan.state == RUNNING else WITHDRAWN
    execute("UPDATE loan SET state = ?, end_at = NULL WHERE id = ?", state, loan.id)


def _drop(loan: Loan) -> None:
    execute("UPDATE loan SET state = ? WHERE id = ?", WITHDRAWN, loan.id)
    clocks.disarm(clocks.LOAN, loan.id)


def _begin(match: MatchRecord, loan: Loan, now: int) -> None:
    """The stand-in sits down, unless the seat or the stand-in went elsewhere meanwhile."""
    assert loan.stand_in is not None, "somebody has agreed"
    if not _is_there(match, loan, loan.stand_in):
        _drop(loan)
        _tell(loan, loan.stand_in, "withdrawn", now)
        return
    execute("UPDATE loan SET state = ?, start_at = ? WHERE id = ?", RUNNING, now, loan.id)
    _change_hands(match, loan, loan.stand_in, now)
    if loan.owner not in (None, loan.stand_in):
        _tell(loan, loan.owner, "taken", now)
    if loan.end is not None:
        _wait(loan, loan.end)


def _return(match: MatchRecord, loan: Loan, now: int) -> None:
    """The owner has the seat again, unless the match is over."""
    execute("UPDATE loan SET state = ?, end_at = ? WHERE id = ?", RETURNED, now, loan.id)
    clocks.disarm(clocks.LOAN, loan.id)
    if match.status != LIVE or match.seat(loan.seat).player != loan.stand_in:
        return
    assert loan.owner is not None, "what is lent has an owner"
    _change_hands(match, loan, loan.owner, now, is_back=True)
    if loan.stand_in is not None:
        _tell(loan, loan.stand_in, "over", now)


def hand_over(match_id: str, number: int, player: int, now: int) -> None:
    """The clock gives a seat to another player of the match, as allies have agreed."""
    with writing():
        match = _live(match_id)
        loan = pending(match.id, number)
        if loan is not None:
            state = RETURNED if loan.state == RUNNING else WITHDRAWN
            execute("UPDATE loan SET state = ?, end_at = ? WHERE id = ?", state, now, loan.id)
            clocks.disarm(clocks.LOAN, loan.id)
        former = match.seat(number).player
        loan = _insert(match, number, former, player, now, None, RUNNING, now)
        _change_hands(match, loan, player, now)
        if former is not None:
            _tell(loan, former, "taken", now)


def _change_hands(
    match: MatchRecord, loan: Loan, player: int, now: int, is_back: bool = False
) -> None:
    """Another player has the seat: old links die, and letters tell all that is needed."""
    _seat(match, loan.seat, player, JOINED, now)
    match = get_match(match.id)
    seat = match.seat(loan.seat)
    key = f"{loan.id}:{seat.epoch}"
    briefing = letter_queue.to_seat(match, seat, "briefing", key, loan=loan.id, back=is_back)
    letter_queue.owe([briefing], now)
    _tell_others(match, seat.number, f"hands:{key}", "changed_hands", now)
    for turn in open_turns(match.id):
        if turn.seat == seat.number:
            _begin_anew(turn, now)
            about = {"from": turn.opened_seq, "seq": match.head_seq}
            letter = letter_queue.to_seat(
                match, seat, "turn", f"{turn.id}:{seat.epoch}", turn.id, **about
            )
            letter_queue.owe([letter], now)


def _seat(match: MatchRecord, number: int, player: int | None, status: str, now: int) -> None:
    """Put somebody into a seat, or nobody. What was composed and not sent goes with who did it."""
    for turn in open_turns(match.id):
        if turn.seat == number:
            clocks.charge_absence(match, turn, now)
    execute(
        "UPDATE seat SET player_id = ?, status = ?, missed = 0, draw_offered = ?, pause_wanted = ?"
        " WHERE match_id = ? AND number = ?",
        player,
        status,
        False,
        False,
        match.id,
        number,
    )
    epochs.raise_seat(match.id, number, now)
    execute(
        "DELETE FROM draft WHERE turn_id IN"
        " (SELECT id FROM turn WHERE match_id = ? AND seat = ? AND closed_seq IS NULL)",
        match.id,
        number,
    )


def _begin_anew(turn: TurnRecord, now: int) -> None:
    """Whoever comes to a turn has all of its time, from the letter on; once in each turn.

    Two friends who pass a seat to and fro do not stop the clock.
    """
    if changes_in(turn) > 1:
        clocks.arm_turn(turn.id, now)
        return
    execute(
        "UPDATE turn SET started_at = NULL, since = NULL, allowed = ?, deadline_at = ?, absent = 0"
        " WHERE id = ?",
        turn.budget,
        now + turn.budget,
        turn.id,
    )
    clocks.disarm(clocks.TURN, turn.id)


def changes_in(turn: TurnRecord) -> int:
    """How often the seat has changed hands since its turn began."""
    found = row(
        "SELECT COALESCE(SUM(CASE WHEN start_at >= ? THEN 1 ELSE 0 END), 0)"
        " + COALESCE(SUM(CASE WHEN state = ? AND end_at >= ? THEN 1 ELSE 0 END), 0)"
        " FROM loan WHERE match_id = ? AND seat = ? AND state IN (?, ?)",
        turn.opened_at,
        RETURNED,
        turn.opened_at,
        turn.match,
        turn.seat,
        RUNNING,
        RETURNED,
    )
    return int(found[0]) if found else 0


# --- telling -------------------------------------------------------------------------------------


def _ask(loan: Loan, players: Iterable[int], now: int) -> None:
    for player in players:
        _tell(loan, player, "asked", now)


def _tell(loan: Loan, player: int, what: str, now: int) -> None:
    """A letter about a loan to somebody who does not hold the seat; nothing of the seat is in it.

    asked, agreed, taken, declined, nobody, withdrawn or over.
    """
    epoch = get_player(player).epoch
    letter = letter_queue.Notice(
        kind="stand_in",
        player=player,
        key=f"stand_in:{loan.id}:{player}:{epoch if what == 'asked' else f'{what}:{epoch}'}",
        stream=f"player/{player}",
        epoch=epoch,
        match=loan.match,
        seat=loan.seat,
        about={"loan": loan.id, "what": what},
    )
    letter_queue.owe([letter], now)


def ask_again(player: int, now: int) -> None:
    """The links of a player were renewed: what waits for an answer comes once more."""
    for loan in concerning(player):
        if loan.state == OFFERED and (loan.stand_in == player or _may_return(loan, player)):
            _tell(loan, player, "asked", now)
        elif loan.state == RUNNING and loan.is_lent and loan.owner == player:
            _tell(loan, player, "taken", now)


def _may_return(loan: Loan, player: int) -> bool:
    """Whether a seat was opened because its player was late, who may have it again."""
    is_former = loan.owner == player and loan.stand_in is None
    return is_former and get_match(loan.match).seat(loan.seat).player is None


def _tell_others(match: MatchRecord, number: int, key: str, what: str, now: int) -> None:
    holder = match.seat(number).player
    owed = [
        letter_queue.to_seat(match, seat, "away", key, by=number, what=what)
        for seat in match.seats
        if seat.player not in (None, holder) and seat.status == JOINED
    ]
    letter_queue.owe(owed, now)


# --- of a seat and of a player -------------------------------------------------------------------


def of_seat(match: str, number: int) -> list[Loan]:
    """Every loan of a seat, by its start."""
    found = rows(f"{_LOAN} WHERE match_id = ? AND seat = ? ORDER BY start_at, id", match, number)
    return [Loan(*values) for values in found]


def concerning(player: int) -> list[Loan]:
    """Every loan that a player has made or stood in for, or was asked for by name."""
    found = rows(f"{_LOAN} WHERE owner_id = ? OR stand_in_id = ? ORDER BY id", player, player)
    return [Loan(*values) for values in found]


def forget(player: int, now: int) -> None:
    """A player leaves this server: promises are off, and a stand-in keeps what was lent."""
    for loan in concerning(player):
        if loan.stand_in == player:
            decline(loan.id, player, now)
        elif loan.state == RUNNING:
            clocks.disarm(clocks.LOAN, loan.id)
            execute("UPDATE loan SET end_at = NULL WHERE id = ?", loan.id)
    execute("UPDATE loan SET owner_id = NULL WHERE owner_id = ?", player)
    execute("UPDATE loan SET stand_in_id = NULL WHERE stand_in_id = ?", player)


# --- reading for writing -------------------------------------------------------------------------


def _get(loan: int) -> Loan:
    found = find_loan(loan)
    if found is None:
        raise Missing("there is no such offer")
    return found


def _held(loan: int) -> tuple[Loan, MatchRecord]:
    """A loan and its match, for this transaction alone."""
    match = hold(_get(loan).match)
    return _get(loan), match


def _live(match_id: str) -> MatchRecord:
    match = hold(match_id)
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return match
