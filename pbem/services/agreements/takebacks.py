"""A move taken back by asking: the others say yes or no, and the log keeps it as a rewind.

What goes back is the last turn in which the seat gave orders, with all that came after it. Whoever
decides is told what cannot be undone: dice that fell, cards that came out, turns of others. Who
plays on has declined; who was declined asks again only after another move.
"""

from __future__ import annotations

from typing import NamedTuple

from peewee import fn

from engine.abilities import StandingOrders
from engine.log import OPENS_TIMELINE
from pbem.db.models import Entry, Takeback, Turn
from pbem.db.reading import column, every, first, value
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.i18n import gettext, ngettext
from pbem.services.agreements import exposure
from pbem.services.match import match_log, turns
from pbem.services.players import limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import (
    JOINED,
    LIVE,
    MatchRecord,
    SeatRecord,
    find_turn,
    lock_match,
)

ASKED, AGREED, DECLINED, WITHDRAWN = "asked", "agreed", "declined", "withdrawn"
LETTER = "takeback"


class Request(NamedTuple):
    """What a seat asks for."""

    id: int
    match: str
    seat: int
    entry: int
    """The last entry that would still count."""
    asked_seq: int
    asked_at: int
    agreed_by: str
    state: str

    @property
    def agreed(self) -> set[int]:
        return {int(number) for number in self.agreed_by.split()}


_COLUMNS = [getattr(Takeback, name) for name in Request._fields]


class Cost(NamedTuple):
    """What taking a move back cannot undo, in numbers that everybody may know."""

    dice: int
    shuffles: int
    cards: int
    """Of a hidden deck, that somebody has seen since."""
    turns: int
    """Of other seats, that are undone too."""


def in_words(match: MatchRecord, cost: Cost) -> list[str]:
    """What whoever decides should know, line by line, in the language being spoken."""
    lines = [
        (
            cost.dice,
            ngettext(
                "%(num)s die has been rolled since",
                "%(num)s dice have been rolled since",
                cost.dice,
            ),
        ),
        (
            cost.shuffles,
            ngettext(
                "%(num)s shuffle was made since", "%(num)s shuffles were made since", cost.shuffles
            ),
        ),
        (
            cost.cards,
            ngettext(
                "%(num)s card has been revealed since and cannot be unseen",
                "%(num)s cards have been revealed since and cannot be unseen",
                cost.cards,
            ),
        ),
        (
            cost.turns,
            ngettext(
                "%(num)s turn of another side would be undone too",
                "%(num)s turns of other sides would be undone too",
                cost.turns,
            ),
        ),
    ]
    said = [line % {"num": number} for number, line in lines if number]
    nothing = [] if said else [gettext("No dice have been rolled and no cards revealed since then")]
    also = gettext("Standing orders given since would be undone too")  # said whether or not
    return [*said, *nothing, *([also] if isinstance(match.game, StandingOrders) else [])]


# --- how things stand -----------------------------------------------------------------------------


def find(request: int) -> Request | None:
    return first(Takeback.select(*_COLUMNS).where(Takeback.id == request), Request)


def waiting(match: MatchRecord) -> Request | None:
    """What is asked in a match and not answered yet."""
    asked = Takeback.select(*_COLUMNS).where(Takeback.match == match.id, Takeback.state == ASKED)
    newest = first(asked.order_by(Takeback.id.desc()), Request)
    return newest if newest is not None and _holds(match, newest) else None


def _holds(match: MatchRecord, request: Request) -> bool:
    """Whether nobody has played on; what is said in advance ends no turn, and stays unnoticed."""
    if match.status != LIVE:
        return False
    return (
        not Turn.select()
        .where(Turn.match == match.id, Turn.closed_seq > request.asked_seq)
        .exists()
    )


def deciders(match: MatchRecord, number: int) -> list[SeatRecord]:
    """Who has to agree with a seat: all other people."""
    asker = match.seat(number).player
    return [
        seat for seat in match.seats if seat.status == JOINED and seat.player not in (None, asker)
    ]


def cost_of(match: MatchRecord, number: int, entry: int, now: int) -> Cost:
    """What cannot be undone when a seat takes the match back to an entry."""
    found = exposure.of_rewind(match, entry, now)
    of_others = Turn.select().where(Turn.match == match.id, Turn.seat != number)
    return Cost(
        dice=sum(thrown.times for thrown in found.thrown if not thrown.is_shuffle),
        shuffles=sum(thrown.times for thrown in found.thrown if thrown.is_shuffle),
        cards=(found.open_cards or 0) + sum(learnt.cards for learnt in found.learnt),
        turns=of_others.where(Turn.closed_seq > entry).count(),
    )


def target(match: MatchRecord, number: int) -> int | None:
    """The entry before the last orders of a seat; None where there is nothing to take back."""
    if match.status != LIVE or match.is_outdated:
        return None
    since = Turn.select(Turn.id).where(
        Turn.match == match.id, Turn.seat == number, Turn.opened_seq >= _begun_at(match)
    )
    for turn_id in column(since.order_by(Turn.id.desc()).limit(2)):
        turn = find_turn(turn_id)
        if turn is not None and turns.sent_in(match, turn):
            return turn.opened_seq
    return None


def _begun_at(match: MatchRecord) -> int:
    """With which entry the course began that counts now: the deal, the newest rewind or restore."""
    if not match.timeline:
        return 0
    opened = Entry.select(fn.MAX(Entry.seq)).where(
        Entry.match == match.id, Entry.kind.in_(OPENS_TIMELINE)
    )
    return value(opened) or 0


def was_declined(match: MatchRecord, number: int, entry: int) -> bool:
    """Whether the others have said no to just this."""
    same = Takeback.select(*_COLUMNS).where(
        Takeback.match == match.id,
        Takeback.seat == number,
        Takeback.entry == entry,
        Takeback.state.in_((ASKED, DECLINED)),
    )
    return any(one.state == DECLINED or not _holds(match, one) for one in every(same, Request))


# --- asking ---------------------------------------------------------------------------------------


def ask(match_id: str, number: int, now: int) -> None:
    """Ask to take the last move back; asked again before an answer, nothing changes.

    Where only computers play on the other side, it is done at once if nothing has come out.
    """
    with writing():
        match = _live(match_id)
        open_one = waiting(match)
        if open_one is not None and open_one.seat == number:
            return
        if open_one is not None:
            raise Refused("another player's takeback is waiting for an answer; wait for that first")
        entry = target(match, number)
        if entry is None:
            raise Refused("there is no move of yours to take back")
        turns.plan_rewind(match, entry)
        if was_declined(match, number, entry):
            raise Refused(
                "taking this move back was declined; you can ask again after your next one"
            )
        limits.by_seat("takeback", match.id, number, now)
        request = _insert(match, number, entry, now)
        others = deciders(match, number)
        if not others:
            _go_back_alone(match, request, now)
        letter_queue.queue(
            [
                letter_queue.to_seat(
                    match, seat, LETTER, f"{request.id}:{ASKED}", request=request.id, what=ASKED
                )
                for seat in others
            ],
            now,
        )


def _insert(match: MatchRecord, number: int, entry: int, now: int) -> Request:
    new = Takeback.insert(
        match=match.id,
        seat=number,
        entry=entry,
        asked_seq=match.head_seq,
        asked_at=now,
        state=ASKED,
    )
    found = find(int(new.execute()))
    assert found is not None, "it has just been made"
    return found


def _go_back_alone(match: MatchRecord, request: Request, now: int) -> None:
    cost = cost_of(match, request.seat, request.entry, now)
    if cost.dice or cost.shuffles or cost.cards:
        raise Refused("dice or cards have come out since your move; it cannot be taken back")
    _go_back(match, request, now)


def withdraw(match_id: str, number: int, now: int) -> None:
    """Who asked wants it no more."""
    with writing():
        match = _live(match_id)
        request = waiting(match)
        if request is None or request.seat != number:
            raise Stale("your question is no longer open")
        _end(request, WITHDRAWN, now)


# --- answering ------------------------------------------------------------------------------------


def agree(match_id: str, number: int, seen: str, now: int) -> None:
    """Yes; the last one who says so takes the match back. `seen` is the head the page showed.

    Whoever agrees knows what cannot be undone; has more happened meanwhile, they look again.
    """
    with writing():
        match, request = _asked_of(match_id, number)
        if seen != match_log.public_head(match):
            raise Stale("the match has moved on; look again before you answer")
        agreed = request.agreed | {number}
        if {seat.number for seat in deciders(match, request.seat)} <= agreed:
            _go_back(match, request, now)
            return
        words = " ".join(map(str, sorted(agreed)))
        Takeback.update(agreed_by=words).where(Takeback.id == request.id).execute()


def decline(match_id: str, number: int, now: int) -> None:
    """No: the match goes on, and who asked is told."""
    with writing():
        match, request = _asked_of(match_id, number)
        _end(request, DECLINED, now)
        asker = match.seat(request.seat)
        if asker.player is None:
            return
        key = f"{request.id}:{DECLINED}"
        letter = letter_queue.to_seat(match, asker, LETTER, key, request=request.id, what=DECLINED)
        letter_queue.queue([letter], now)


def _asked_of(match_id: str, number: int) -> tuple[MatchRecord, Request]:
    """What waits for the answer of a seat."""
    match = _live(match_id)
    request = waiting(match)
    if request is None or number not in [s.number for s in deciders(match, request.seat)]:
        raise Stale("nobody is asking you to take a move back any more")
    return match, request


def _go_back(match: MatchRecord, request: Request, now: int) -> None:
    _end(request, AGREED, now)
    turns.rewind(match.id, request.entry, match.seat(request.seat).name, now)


def _end(request: Request, state: str, now: int) -> None:
    ended = Takeback.update(state=state, ended_at=now)
    ended.where(Takeback.id == request.id).execute()


def _live(match_id: str) -> MatchRecord:
    match = lock_match(match_id)
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return match
