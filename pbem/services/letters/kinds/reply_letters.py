"""Letters that answer a reply: what came of it, or whether it was the player's own."""

from __future__ import annotations

from typing import Any

from engine.abilities import Maps
from pbem.i18n import gettext
from pbem.links import ReplyLink
from pbem.mail import parts, reply_letters
from pbem.mail.rendering import ComposedLetter
from pbem.mail.reply_letters import Answer, Asked
from pbem.services.letters.kinds.answering import answerable, numbered
from pbem.services.letters.kinds.choices import choice_groups
from pbem.services.letters.kinds.kind import LetterKind, is_for_seat_epoch, to_seat
from pbem.services.letters.reader_context import SeatContext
from pbem.services.match import drafts, link_orders, match_log, messages
from pbem.services.match.link_orders import Listed
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, TurnRecord

LONGEST_HISTORY = 40
"""Entries that a reader is told once more."""
WHETHER_OWN = ("stranger", "unsure")


def _reply(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    about = letter.about
    if about["what"] in WHETHER_OWN:
        return _whether_own(context, letter)
    match, seat = context.match, context.seat.name
    current, turn = match_log.current(match), context.open_turn()
    state = _foreseen(context, current, turn)
    is_asked = turn is not None and seat in context.game.waiting_on(state)
    listed = link_orders.listed(match, state, seat) if is_asked else None
    composed = reply_letters.reply(
        context.reader,
        context.table(current),
        _answer(context, about),
        context.happened(about["from"] - 1, about["seq"]) if "seq" in about else (),
        _history(context) if "history" in about["looks"] else (),
        _board(context, state, about),
        _asked(context, turn, listed),
        context.waiting(current) if match.status == LIVE else "",
    )
    if turn is None or listed is None:
        return composed
    return answerable(composed, context, turn, listed)


def _whether_own(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    link = ReplyLink(
        int(letter.about["mail"]), context.match.id, context.seat.number, context.seat.epoch
    )
    return reply_letters.whether_own(
        context.reader,
        context.table(),
        letter.about["lines"],
        letter.about["what"] == "stranger",
        context.links.url("reply", link),
    )


def _foreseen(context: SeatContext, current: Any, turn: TurnRecord | None) -> Any:
    """The position behind the draft, where orders wait."""
    if turn is None or not turn.has_draft:
        return current
    kept = drafts.draft_of(turn.id)
    return drafts.preview(context.match, current, context.seat.name, kept).state


def _answer(context: SeatContext, about: dict[str, Any]) -> Answer:
    seats = map(context.match.seat, about.get("heard_by", ()))
    return Answer(
        about["what"],
        tuple(about["lines"]),
        about["reason"],
        about["trouble"],
        about["at"],
        tuple(about["orders"]),
        tuple(about["did"]),
        about.get("is_only", True),
        tuple(about["unread"]),
        _help(context) if "help" in about["looks"] or about["what"] == "unclear" else (),
        about.get("said", ""),
        context.listed(seats),
        context.moment(about.get("start")),
        context.moment(about.get("end")),
    )


def _help(context: SeatContext) -> tuple[str, ...]:
    """All that can be written in a reply."""
    is_of_many = len(messages.addressees(context.match, context.seat.number)) > 1
    return (
        gettext("orders, one on each line, as on the turn page; or the number of a listed choice"),
        gettext("SAY text: a message to the others; SAY ALLIES text, SAY UK text to some of them")
        if is_of_many
        else gettext("SAY text: a message to your opponent"),
        gettext("BOARD, MAP, HISTORY: the board, the map, what has happened")
        if isinstance(context.game, Maps)
        else gettext("BOARD, HISTORY: the board, what has happened"),
        gettext("UNDO: take back the last order of an unfinished turn"),
        gettext("DRAW: offer a draw, or accept one; RESIGN: you get a link"),
        gettext("VACATION 2027-07-01 2027-07-14: you are away on these days"),
        gettext("HELP: this list"),
    )


def _history(context: SeatContext) -> list[parts.Happening]:
    head = context.match.head_seq
    return context.happened(max(-1, head - LONGEST_HISTORY), head)


def _board(context: SeatContext, state: Any, about: dict[str, Any]) -> parts.Board | None:
    """Where orders have changed it, or who wrote wants to see it; its picture if it is a map."""
    wanted = {"board", "map"}.intersection(about["looks"])
    if not wanted and about["what"] not in ("sent", "drafted", "undone"):
        return None
    is_over = context.match.status != LIVE
    return context.board(state, is_over=is_over, pictured="map" in wanted)


def _asked(context: SeatContext, turn: TurnRecord | None, listed: Listed | None) -> Asked | None:
    if turn is None or listed is None:
        return None
    url = context.turn_url(turn)
    groups = choice_groups(context, turn, listed.choices, url)
    return Asked(numbered(groups), listed.example, url, context.deadline_of(turn))


KINDS = (LetterKind("reply", to_seat(_reply), is_for_seat_epoch, is_for_holder=True),)
