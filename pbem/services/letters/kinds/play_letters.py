"""Letters about play: the beginning, turns, receipts, news, messages, the end."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.abilities import DeckProofs, Inquiries, Inquiry
from engine.chance import DeckTree
from pbem.db.models import Entry
from pbem.db.reading import value
from pbem.deadline_text import clock_in_words, end_in_words, long
from pbem.deadlines import HOUR
from pbem.errors import Missing
from pbem.i18n import gettext
from pbem.mail import parts, play_letters
from pbem.mail.rendering import ComposedLetter
from pbem.services.agreements import rematches
from pbem.services.letters.kinds.answering import answerable, numbered
from pbem.services.letters.kinds.choices import answer_links, choice_groups
from pbem.services.letters.kinds.kind import (
    LetterKind,
    Pace,
    asks,
    by_day,
    is_for_seat_epoch,
    news,
    to_seat,
)
from pbem.services.letters.reader_context import SeatContext
from pbem.services.match import link_orders, match_log, messages
from pbem.services.players.process_settings import settings
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import (
    LIVE,
    OVER,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    find_turn,
    get_match,
    is_turn_continued,
    newest_turn,
    turn_before,
    whole_turn_before,
)
from pbem.services.seats import draw_offers

MOST_MESSAGES = 20
"""Messages in one letter; those behind them are on the page of the seat."""
DRAW = "draw"
MOVES = ("action", "timeout")


# --- turns ----------------------------------------------------------------------------------------


def _started(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """The first letter of a match, to who does not begin, or has begun before it was sent."""
    state = match_log.state_at(context.match, 0)
    asked = context.game.waiting_on(state)
    begins = ", ".join(context.called(seat) for seat in context.match.seats if seat.name in asked)
    return play_letters.started(
        context.reader, context.table(), context.board(state), _beginning(context), begins
    )


def _beginning(context: SeatContext) -> parts.Beginning:
    """What was agreed, and what the reader can check the shuffle with."""
    match, fairness = context.match, context.fairness()
    openings = _openings(context, match_log.state_at(match, 0))
    return parts.Beginning(
        tuple(clock_in_words(match.clock, match.asks_back)),
        msgspec.structs.replace(fairness, openings=openings),
        match.by_lot,
    )


def _openings(context: SeatContext, state: Any) -> tuple[parts.Opening, ...]:
    """The proofs of the cards this seat may have opened, from the tree of its deck."""
    match, game = context.match, context.game
    if not isinstance(game, DeckProofs):
        return ()
    (setup,) = match_log.entries(match.id, 0, 0)
    shuffles = [draw for draw in setup.draws if draw.kind == "shuffle"]
    if len(shuffles) != 1:
        return ()
    tree = DeckTree(match_log.key_at(match, 0), match.id, 0, shuffles[0].why, game.deck(state))
    opened = [tree.opening(place) for place in sorted(game.known_deck(state, context.seat.name))]
    return tuple([parts.Opening(o.position, o.card, o.salt, o.path) for o in opened])


def _turn(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    match, turn = context.match, find_turn(letter.turn or 0)
    if turn is None:
        raise Missing("there is no such turn")
    before = turn_before(turn)
    state = match_log.current(match)
    url = context.turn_url(turn)
    if isinstance(context.game, Inquiries) and turn.is_inquiry:
        asked = context.game.inquiry(state, context.seat.name)
        assert asked is not None, "its turn is open"
        return _inquiry(context, turn, state, asked, _told_up_to(letter, before))
    is_continued = False
    if isinstance(context.game, Inquiries):
        before = whole_turn_before(turn)
        is_continued = before is not None and is_turn_continued(before, turn)
    seen = _told_up_to(letter, before) - is_continued
    happened = context.happened(seen, match.head_seq)
    listed = link_orders.listed(match, state, context.seat.name)
    composed = play_letters.turn(
        context.reader,
        context.table(state),
        happened,
        context.board(state, max(0, seen)),
        context.situation(state),
        numbered(choice_groups(context, turn, listed.choices, url)),
        example=listed.example,
        url=url,
        deadline=context.deadline_of(turn),
        clock=_what_bears_on(match, turn),
        said=_said_between(context, before.opened_at if before else -1, turn.opened_at),
        draw=_draw(context),
        is_first=before is None,
        is_continued=is_continued,
        beginning=_beginning(context) if "begins" in letter.about else None,
        news=happened[-1].by_others if happened else "",
    )
    return answerable(composed, context, turn, listed)


def _inquiry(
    context: SeatContext, turn: TurnRecord, state: Any, asked: Inquiry, seen: int
) -> ComposedLetter:
    """A question in the middle of the turn of another seat: the usual answer first."""
    match = context.match
    listed = link_orders.listed(match, state, context.seat.name)
    shown = answer_links(context, turn, listed.choices, state)
    by = match.seat_named(asked.by)
    composed = play_letters.inquiry(
        context.reader,
        context.table(state),
        by=context.called(by) if by is not None else "",
        about=context.say(asked.about),
        happened=context.happened(seen, match.head_seq),
        board=context.board(state, max(0, seen)),
        answers=numbered([parts.ChoiceGroup("", tuple(shown))]),
        usual=shown[0].label if shown and shown[0].notation == listed.example else "",
        is_all=listed.is_all,
        url=context.turn_url(turn),
        deadline=context.deadline_of(turn),
    )
    return answerable(composed, context, turn, listed)


def turn_letter_current(letter: QueuedLetter) -> bool:
    """Whether the turn is still open and the match goes on."""
    is_asked = letter.facts.turn_closed is None and letter.facts.match_status == LIVE
    return is_asked and is_for_seat_epoch(letter)


def _what_bears_on(match: MatchRecord, turn: TurnRecord) -> list[str]:
    """What was agreed about the end of a turn, and what there is in the bank."""
    if not match.clock.is_banked:
        return end_in_words(match.clock)
    bank = gettext(
        "You have %(time)s in your time bank for this turn; what you do not use stays there"
    )
    hours = turn.budget - turn.budget % HOUR
    return [bank % {"time": long(hours or turn.budget)}, *end_in_words(match.clock)]


def _told_up_to(letter: QueuedLetter, before: TurnRecord | None) -> int:
    """The newest entry the reader has seen: the last of the turn before, if nothing undid it.

    Of a turn that the clock ended, its player has seen the beginning.
    """
    seen = -1
    if before is not None and before.closed_seq is not None:
        seen = before.opened_seq if before.missed else before.closed_seq
    return min(seen, int(letter.about.get("from", 0)) - 1)


def _said_between(context: SeatContext, after: int, upto: int) -> list[parts.Said]:
    """What others have written since the turn letter before."""
    return [
        context.said(message)
        for message in messages.of_match(context.match.id, context.seat.number)
        if message.seat != context.seat.number and after < message.at <= upto
    ]


def _receipt(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    last = int(letter.about["seq"])
    first = _began(context.match, context.seat, last, int(letter.about["from"]))
    state = match_log.state_at(context.match, last)
    log = match_log.entries(context.match.id, first, last)
    own = [entry for entry in log if entry.actor == context.seat.name]
    return play_letters.receipt(
        context.reader,
        context.table(match_log.kept_or_played(context.match, first - 1)),
        [entry.text for entry in own],
        any(entry.kind == "timeout" for entry in own),
        context.happened(first - 1, last),
        context.board(state, first - 1, pictured=False),
        context.waiting(state),
        context.other_deadline(),
    )


def _began(match: MatchRecord, mover: SeatRecord, last: int, otherwise: int) -> int:
    """The first entry of the turn that an entry closed; it may have come in several pieces."""
    turn = newest_turn(match.id, mover.number, closed=last)
    return otherwise if turn is None else turn.opened_seq + 1


def receipt_letter_current(letter: QueuedLetter) -> bool:
    """Whether it tells what no page has shown, or its reader wants every receipt."""
    return letter.facts.receipts or not letter.about.get("shown")


def _receipt_pace(letter: QueuedLetter) -> Pace:
    """Whoever wants no news is still told when the clock has played in his place."""
    found = value(
        Entry.select(Entry.kind).where(
            Entry.match == letter.match, Entry.seq == int(letter.about["seq"])
        )
    )
    return "by_day" if found == "timeout" else "echo"


def _moved(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    match, first, last = context.match, int(letter.about["from"]), int(letter.about["seq"])
    (newest,) = match_log.entries(match.id, last, last)
    mover = match.seat_named(newest.actor)
    first = first if mover is None else _began(match, mover, last, first)
    state = match_log.state_at(match, last)
    before = state if mover is None else match_log.kept_or_played(match, first - 1)
    return play_letters.moved(
        context.reader,
        context.table(before),
        context.happened(first - 1, last),
        context.board(state, first - 1, pictured=False),
        context.waiting(state),
        context.other_deadline(),
        "" if mover is None or newest.kind not in MOVES else context.called_then(mover),
    )


def untold_letter_current(letter: QueuedLetter) -> bool:
    """Whether no other letter of its stream tells the same."""
    return not letter.facts.is_told


# --- the end, and words ---------------------------------------------------------------------------


def _finished(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    match, last = context.match, int(letter.about["seq"])
    state = match_log.state_at(match, last)
    outcome = context.game.outcome(state)
    winners = [] if match.result == DRAW else (match.result or "").split()
    seen = _seen_before_the_end(context, last)
    return play_letters.finished(
        context.reader,
        context.table(),
        context.happened(seen, last),
        context.board(state, seen, is_over=True),
        context.listed(seat for seat in match.seats if seat.name in winners),
        context.seat.name in winners,
        context.say(outcome.reason) if outcome is not None else "",
        match.secret_at(0),
        context.fairness(),
        new_url=f"{context.links.base_url}/start?game={match.game_name}#start-{match.game_name}",
        has_rematch=rematches.is_possible(match),
    )


def _seen_before_the_end(context: SeatContext, last: int) -> int:
    """What the newest turn letter told; for a turn that was still open, all before it."""
    own = newest_turn(context.match.id, context.seat.number)
    if own is None:
        return -1
    closed = last if own.closed_seq is None else own.closed_seq
    return closed if closed < last and not own.missed else own.opened_seq


def finished_letter_current(letter: QueuedLetter) -> bool:
    return letter.facts.match_status == OVER


def _message(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """Words of others; a reply to them comes in by the newest turn of the reader, open or not."""
    turn = newest_turn(context.match.id, context.seat.number)
    is_answerable = turn is not None and settings.takes_mail
    composed = _words_of_others(context, letter, is_answerable)
    return composed if turn is None else answerable(composed, context, turn)


def _words_of_others(
    context: SeatContext, letter: QueuedLetter, is_answerable: bool
) -> ComposedLetter:
    if letter.about.get("draw") == "declined":
        by = context.called(context.match.seat(int(letter.about["by"])))
        return play_letters.draw_declined(context.reader, context.table(), by)
    if letter.about.get("draw"):
        draw = _draw(context)
        assert draw is not None, "it is on offer"
        return play_letters.draw_offer(context.reader, context.table(), draw)
    found = [
        message
        for message in messages.of_match(
            context.match.id, context.seat.number, int(letter.about["message"]) - 1
        )
        if message.seat != context.seat.number
    ]
    said = [context.said(message) for message in found[:MOST_MESSAGES]]
    more = len(found) - len(said)
    return play_letters.message(context.reader, context.table(), said, more, is_answerable)


def _draw(context: SeatContext) -> parts.DrawOffer | None:
    """The draw that others have agreed to; None where nobody has."""
    offer, reader = draw_offers.draw_offer(context.match), context.player.id
    by, missing = offer.agreed_but(reader), offer.missing_but(reader)
    if not by:
        return None
    has_agreed = len(by) < len(offer.agreed)
    return parts.DrawOffer(context.listed(by), len(by), context.listed(missing), has_agreed)


def message_letter_current(letter: QueuedLetter) -> bool:
    """Of a draw, while it can be accepted: it lapses with play."""
    if "draw" not in letter.about:
        return True
    assert letter.match is not None, "draws are offered in a match"
    match = get_match(letter.match)
    is_offered = match.seat(int(letter.about["by"])).draw_offered
    return match.status == LIVE and (is_offered or letter.about["draw"] == "declined")


def _message_pace(letter: QueuedLetter) -> Pace:
    return "asks" if letter.about.get("draw") not in (None, "declined") else "news"


KINDS = (
    LetterKind(
        "started", to_seat(_started), untold_letter_current, is_for_holder=True, pace=by_day
    ),
    LetterKind("turn", to_seat(_turn), turn_letter_current, is_for_holder=True, pace=asks),
    LetterKind(
        "receipt",
        to_seat(_receipt),
        receipt_letter_current,
        is_for_holder=True,
        pace=_receipt_pace,
    ),
    LetterKind("moved", to_seat(_moved), untold_letter_current, is_for_holder=True, pace=news),
    LetterKind(
        "finished", to_seat(_finished), finished_letter_current, is_for_holder=True, pace=by_day
    ),
    LetterKind(
        "message", to_seat(_message), message_letter_current, is_for_holder=True, pace=_message_pace
    ),
)
