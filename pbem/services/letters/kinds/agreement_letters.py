"""Letters about what players settle among themselves: a move that is to be taken back."""

from __future__ import annotations

from pbem.mail import letters
from pbem.mail.rendering import ComposedLetter
from pbem.services.agreements import takebacks
from pbem.services.letters.kinds.kind import LetterKind, is_for_seat_epoch, to_seat
from pbem.services.letters.reader_context import SeatContext
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, get_match


def _takeback(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    request = takebacks.find(int(letter.about["request"]))
    assert request is not None, "what was asked is never removed"
    is_asked = letter.about["what"] == takebacks.ASKED
    cost = (
        takebacks.cost_of(context.match, request.seat, request.entry, context.now)
        if is_asked
        else None
    )
    return letters.takeback(
        context.reader,
        context.table(),
        who=context.called(context.match.seat(request.seat)),
        is_asked=is_asked,
        cost=takebacks.in_words(context.match, cost) if cost is not None else [],
    )


def takeback_letter_current(letter: QueuedLetter) -> bool:
    """Whether the question is still open; that it was declined is true as long as it is played."""
    if letter.facts.match_status != LIVE or not is_for_seat_epoch(letter):
        return False
    if letter.about["what"] != takebacks.ASKED:
        return True
    assert letter.match is not None, "it is about a match"
    open_one = takebacks.waiting(get_match(letter.match))
    return open_one is not None and open_one.id == int(letter.about["request"])


KINDS = (
    LetterKind(
        takebacks.LETTER,
        to_seat(_takeback),
        takeback_letter_current,
        is_for_holder=True,
        is_open=True,
    ),
)
