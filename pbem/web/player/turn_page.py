"""A player's turn: the page where orders are composed and sent.

GET shows and never changes anything. POST acts once and leads back to a page that can be loaded
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from flask import Blueprint, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from engine.abilities import OrderSheets
from engine.core import GameError, Seat
from engine.text import printable
from pbem.errors import Refused, Stale, TooOften
from pbem.i18n import gettext, spoken, translate_error
from pbem.links import PATHS, TurnLink
from pbem.services.match import drafts, match_log, messages, turns
from pbem.services.match.drafts import Preview
from pbem.services.match.turns import Receipt
from pbem.services.players import turn_words
from pbem.services.records.match_rows import GUEST, LIVE, OVER, newest_turn_id
from pbem.services.self_service import guests
from pbem.web.player import practice, seat_page, sheet_page
from pbem.web.player.accounts import plain_story, retold
from pbem.web.player.sheet_page import Filled
from pbem.web.shared import board_view, device, draft_view, match_text, option_tree
from pbem.web.shared.context import links, now
from pbem.web.shared.draft_view import Answer, Draft
from pbem.web.shared.link_access import TurnVisit, acting, for_turn, guests_way_on, shown_by
from pbem.web.shared.rule_links import Fault, as_json, fault_of
from pbem.web.shared.shortcuts import Form, SeeOther, posted

pages = Blueprint("play", __name__)
pages.register_blueprint(seat_page.pages)

LONGEST_TEXT = 24_000
MOST_MESSAGES = 5


# --- the turn page -------------------------------------------------------------------------------


@pages.get("/t/<token>")
@for_turn("turn")
def turn(visit: TurnVisit) -> ResponseReturnValue:
    if not visit.turn.is_open or visit.match.status != LIVE:
        return _lead_on(visit) or closed(visit)
    return show(visit)


def _lead_on(visit: TurnVisit) -> ResponseReturnValue | None:
    """A guest, who gets no letters, goes on to the turn that waits; everybody else stays."""
    if visit.seat.status != GUEST or guests.open_turn(visit.match) is None:
        return None
    return SeeOther(guests_way_on(visit.match))


class Wrong(NamedTuple):
    """What could not be done, and what was typed."""

    fault: Fault = Fault()
    typed: str = ""
    answers: Sequence[Answer] = ()
    """To the lines that were typed."""
    form: Filled | None = None
    note: str = ""
    """What was to go along with the orders."""


NOTHING = Wrong()


def show(visit: TurnVisit, wrong: Wrong = NOTHING) -> str:
    """The page of an open turn; with what was wrong and what was typed, if something was."""
    game = visit.match.game
    draft = draft_view.draft_of(visit.match, visit.seat.name, visit.turn.id)
    view = game.view(draft.state, visit.seat.name)
    if isinstance(game, OrderSheets):
        template, shown = "web/play/sheet.html", sheet_page.shown(visit, draft, view, wrong.form)
    else:
        template, shown = "web/play/turn.html", _choices(visit, draft, view)
    return render_template(
        template,
        **around(visit),
        **shown,
        token=visit.token,
        act_token=visit.act_token,
        is_lost=visit.player.unreachable_since is not None,
        practice=practice.beside(visit, draft, view),
        messages=_unanswered(visit),
        sent=turns.sent_in(visit.match, visit.turn),
        deadline=match_text.moment(visit.turn.deadline_at, visit.player.zone, now()),
        draft=draft,
        wrong=wrong,
        longest=LONGEST_TEXT,
    )


def _choices(visit: TurnVisit, draft: Draft, view: Any) -> dict[str, Any]:
    """The board, and what can be chosen word by word."""
    game, orders = visit.match.game, [composed.order for composed in draft.orders]
    tree = partial(game.options, draft.state, visit.seat.name)
    prefix = option_tree.prefix_of(request.args.get("prefix"))
    is_open = draft.is_asked and not draft.fault
    return {
        "board": board_view.in_parts(game, view),
        "scores": board_view.forecast(game, view),
        "level": option_tree.level(visit.match, tree, prefix, orders) if is_open else None,
        "story": plain_story(visit.match, visit.turn),
    }


def around(visit: TurnVisit, asked: Iterable[Seat] = ()) -> dict[str, Any]:
    """What every page of a turn shows around its own matter."""
    return {
        "match": visit.match,
        "title": visit.match.game.title.in_(spoken()),
        "own": match_text.seat_title(visit.match, visit.seat.name),
        "seat": visit.seat,
        "sides": match_text.sides(visit.match, asked, visit.player),
        "record_head": match_log.public_head(visit.match),
    }


def _unanswered(visit: TurnVisit) -> list[match_text.Message]:
    """The newest messages of the others, back to one's own last one."""
    messages = match_text.messages(visit.match, visit.seat.number, visit.player.zone, now())
    mine = [number for number, one in enumerate(messages, 1) if one.seat == visit.seat.number]
    return messages[mine[-1] if mine else 0 :][-MOST_MESSAGES:]


def closed(visit: TurnVisit, status: int = 200, wanted: str = "") -> ResponseReturnValue:
    """What was played in a turn that is over, and where the match is now.

    Only the newest turn of the seat still shows what is hidden from others: an old letter, passed
    on, tells no more than everybody may know. No way leads on from here, but for who comes with a
    browser in which this player has taken a seat.
    """
    match, is_known = visit.match, device.is_known(visit.player.id)
    state = match_log.kept_or_played(match, match.head_seq)
    at = visit.seat.name if visit.is_newest else None
    told = match_text.told_in_turn(match, visit.turn, at)
    shown = around(visit, match.game.waiting_on(state) if match.status == LIVE else ())
    page = render_template(
        "web/play/closed.html",
        **shown,
        orders=match_text.played_in(match, visit.turn, at),
        is_late=any(one.entry.kind == "timeout" for one in told),
        told=retold(match, told),
        asked=[side for side in shown["sides"] if side.is_asked],
        inquiry=match_text.inquiry(match, state, visit.seat.name) if match.status == LIVE else "",
        result=match_text.result_of(match, state) if match.status == OVER else None,
        board=None
        if state is None
        else board_view.parts_of(match.game, state, at, match.status != LIVE),
        is_open=visit.turn.is_open,
        wanted=wanted,
        is_known=is_known,
        next_turn=device.next_turn(visit.player.id) if is_known else None,
        practice=practice.waiting(match),
    )
    return page, status


@pages.post("/t/<token>")
def act(token: str) -> ResponseReturnValue:
    """One of the buttons of the page; what cannot be leaves everything as it was."""
    request.max_content_length = LONGEST_TEXT * 4
    form = posted()
    do = form.get("do") or ("orders" if "orders" in form else "")
    if do == "check":
        return shown_by("turn", token, _check)
    try:
        press = _press(do)
        with acting("turn", token) as visit:
            done = press(visit, form)
    except (GameError, Refused) as error:
        return shown_by("turn", token, partial(_not_done, do=do, error=error))
    if isinstance(done, Receipt):
        return onward(visit, done)
    return back(visit, sheet_page.kept_address(form, done or ()))


def onward(visit: TurnVisit, receipt: Receipt) -> ResponseReturnValue:
    """To the turn of the same seat that goes on or begins with these orders, else to their page."""
    if visit.seat.name in receipt.waiting_on:
        return to_turn(visit, newest_turn_id(visit.match.id, visit.seat.number))
    return back(visit)


def to_turn(visit: TurnVisit, turn: int) -> ResponseReturnValue:
    """To the page of a turn of the same seat."""
    link = TurnLink(visit.match.id, visit.seat.number, turn, visit.seat.epoch)
    return SeeOther(PATHS["turn"] + links().sign("turn", link))


def back(visit: TurnVisit, address: str = "") -> ResponseReturnValue:
    """Back to the page of the link, by a GET."""
    return SeeOther(visit.path + address)


def _not_done(visit: TurnVisit, do: str, error: Exception) -> ResponseReturnValue:
    if isinstance(error, Stale):
        return _too_late(visit)
    if do == "fill" and not isinstance(error, TooOften):
        filled = sheet_page.filled(posted(), fault_of(error, visit.match.game))
        return _again(visit, Wrong(form=filled), 400)
    status = 429 if isinstance(error, TooOften) else 400
    answers = _answered(visit, do)
    first = next((answer for answer in answers if answer.error), None)
    if first:
        error = Refused(
            "line %(number)s, “%(order)s”: %(reason)s",
            number=first.number,
            order=first.order,
            reason=first.error,
        )
    fault = fault_of(error, visit.match.game)
    note = posted().get("note", "")[: 2 * messages.LONGEST_MESSAGE]
    return _again(visit, Wrong(fault, _typed(), answers, note=note), status)


def _check(visit: TurnVisit) -> ResponseReturnValue:
    """What each typed line would do behind the draft; nothing is kept."""
    try:
        _lines(posted(), "orders")
    except Refused as error:
        return _not_done(visit, "check", error)
    return _again(visit, Wrong(typed=_typed(), answers=_answered(visit, "check")), 200)


def _too_late(visit: TurnVisit) -> ResponseReturnValue:
    """Pressed twice, or after the end of the turn: then other orders are told from the same."""
    form = posted()
    wanted = [line.lower() for field in ("orders", "draft") for line in _lines(form, field)]
    if visit.turn.is_open or set(wanted) <= set(turns.played_in(visit.match, visit.turn)):
        return back(visit)
    return closed(visit, 409, wanted="; ".join(wanted))


def _again(visit: TurnVisit, wrong: Wrong, status: int) -> ResponseReturnValue:
    if not visit.turn.is_open or visit.match.status != LIVE:
        return closed(visit, 409)
    return show(visit, wrong), status


def _typed() -> str:
    return posted().get("orders", "")[:LONGEST_TEXT]


def _press(do: str) -> Press:
    if do not in _PRESSES:
        raise Refused("there is no such button here; use one on the page")
    return _PRESSES[do]


def _add(visit: TurnVisit, form: Form) -> None:
    _compose_lines(visit, form, _lines(form, "order"))


def _undo(visit: TurnVisit, form: Form) -> None:
    drafts.undo(visit.match, visit.turn, now(), _number(form, "keep"))


def _clear(visit: TurnVisit, form: Form) -> None:
    drafts.undo(visit.match, visit.turn, now(), keep=0)


def _take_out(visit: TurnVisit, form: Form) -> tuple[str, ...]:
    at = _number(form, "at")
    if at is None:
        raise Refused("choose which order to remove")
    order = " ".join(_lines(form, "order"))
    return drafts.take_out(visit.match, visit.turn, at, order, now())


def _fill(visit: TurnVisit, form: Form) -> None:
    """A form of the order sheet."""
    fields, shown = sheet_page.fields_of(form), _number(form, "composed")
    drafts.fill(visit.match, visit.turn, fields, shown, now())


def _is_shown(visit: TurnVisit) -> bool:
    """Whether somebody sees the next page: a machine that presses buttons looks at nothing."""
    return not turn_words.is_quick(visit.turn, now())


def _submit(visit: TurnVisit, form: Form) -> Receipt | None:
    """Send the draft, if it is still the one that the page showed, and the note with it."""
    orders, sent = drafts.draft_of(visit.turn.id), _number(form, "sent")
    if sent is not None and sent != turns.sent_in(visit.match, visit.turn):
        return None
    if "draft" in form and tuple(_lines(form, "draft")) != orders:
        raise Refused("your orders were changed in another window; check them before you send")
    receipt = turns.send(visit.match, visit.turn, orders, now(), is_shown=_is_shown(visit))
    turn_words.note_speed(visit.turn, visit.seat.player, now())
    messages.enclose(receipt, form.get("note", ""), now())
    return receipt


def _orders(visit: TurnVisit, form: Form) -> Receipt:
    lines, sent = _written(visit, form), _number(form, "sent")
    receipt = turns.send(visit.match, visit.turn, lines, now(), sent, is_shown=_is_shown(visit))
    turn_words.note_speed(visit.turn, visit.seat.player, now())
    messages.enclose(receipt, form.get("note", ""), now())
    return receipt


def _compose(visit: TurnVisit, form: Form) -> None:
    _compose_lines(visit, form, _written(visit, form))


def _compose_lines(visit: TurnVisit, form: Form, lines: list[str]) -> None:
    drafts.compose(visit.match, visit.turn, lines, _number(form, "composed"), now())


def _written(visit: TurnVisit, form: Form) -> list[str]:
    """The orders of a typed text."""
    _lines(form, "orders")
    return [order for _, order in sheet_page.numbered(visit.match.game, form.get("orders", ""))]


Press = Callable[[TurnVisit, Form], tuple[str, ...] | Receipt | None]
"""What a button does, inside the transaction in which its turn was read.

It says which orders of the draft are gone because of it, besides the one that was meant; or what
was sent.
"""

_PRESSES: dict[str, Press] = {
    "add": _add,
    "undo": _undo,
    "clear": _clear,
    "take_out": _take_out,
    "fill": _fill,
    "submit": _submit,
    "orders": _orders,
    "compose": _compose,
}


def _answered(visit: TurnVisit, do: str) -> list[Answer]:
    """What became of each typed line; nothing if the draft before them cannot be."""
    text, match, seat = posted().get("orders", ""), visit.match, visit.seat.name
    if do not in ("orders", "compose", "check") or len(text) > LONGEST_TEXT:
        return []
    before = () if do == "orders" else drafts.draft_of(visit.turn.id)
    try:
        done = drafts.preview(match, match_log.current(match), seat, before)
    except (GameError, Refused):
        return []
    lines = sheet_page.numbered(match.game, text)[: turns.MOST_ORDERS + 1]
    return draft_view.answers(match, seat, *drafts.read_lines(match, seat, done, lines))


def _lines(form: Form, field: str) -> list[str]:
    text = form.get(field, "")
    if len(text) > LONGEST_TEXT:
        raise Refused(
            "%(count)s characters are too many; the limit is %(most)s",
            count=len(text),
            most=LONGEST_TEXT,
        )
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if line]


def _number(form: Form, field: str) -> int | None:
    text = form.get(field)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise Refused("“%(number)s” is not a number", number=printable(text[:20]))
    return int(text)


# --- what if -------------------------------------------------------------------------------------


@pages.get("/t/<token>/preview")
@for_turn("turn")
def preview(visit: TurnVisit) -> ResponseReturnValue:
    """What the draft and some more orders would lead to; nothing is kept."""
    if not visit.turn.is_open or visit.match.status != LIVE:
        return _fault(gettext("this turn is over"), 409)
    orders = drafts.draft_of(visit.turn.id)
    if request.args.get("composed", str(len(orders))) != str(len(orders)):
        return jsonify(lines=[], scores=[], svg="", final=False)  # asked before the last press
    more = [" ".join(order.split()) for order in request.args.getlist("order")]
    if len(more) > turns.MOST_ORDERS or any(len(o) > turns.LONGEST_ORDER for o in more):
        return _fault(gettext("that is too much to try at once"), 400)
    match, state, seat_name = visit.match, match_log.current(visit.match), visit.seat.name
    try:
        before = drafts.preview(match, state, seat_name, orders)
        after = drafts.preview(match, state, seat_name, [*orders, *filter(None, more)])
    except (GameError, Refused) as error:
        return _fault(translate_error(error, match.game), 400, as_json(error, match.game))
    return jsonify(_what_if(visit, before, after))


def _what_if(visit: TurnVisit, before: Preview, after: Preview) -> dict[str, Any]:
    match, seat_name = visit.match, visit.seat.name
    then = match.game.view(after.state, seat_name)
    board = board_view.board(match.game, then)
    now_seen = match.game.view(before.state, seat_name)
    known = board_view.board(match.game, now_seen).sentences
    told = tuple(match_text.said(match, after.events[len(before.events) :]))
    return {
        "lines": [
            *told,
            *(s for s in board.sentences if s not in known and not s.startswith(told)),
        ],
        "scores": [
            {"place": score.place, "points": score.points}
            for score in board_view.forecast(match.game, then)
            if score not in board_view.forecast(match.game, now_seen)
        ],
        "svg": board.svg,
        "final": after.is_final,
    }


def _fault(
    message: str, status: int, cited: Mapping[str, str] | None = None
) -> ResponseReturnValue:
    return jsonify(error=message, **(cited or {})), status
