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

from engine.core import GameError, Seat
from engine.text import printable
from pbem.errors import Refused, Stale, TooOften
from pbem.i18n import gettext, spoken, translate_error
from pbem.services.match import drafts, match_log, turns
from pbem.services.match.drafts import Preview
from pbem.services.players import turn_words
from pbem.services.records.match_rows import LIVE, OVER, MatchRecord, SeatRecord
from pbem.web.player import seat_page
from pbem.web.shared import board_view, match_text, option_tree
from pbem.web.shared.context import now
from pbem.web.shared.link_access import TurnVisit, acting, for_turn, shown_by
from pbem.web.shared.rule_links import Fault, as_json, fault_of
from pbem.web.shared.shortcuts import Form, SeeOther, posted

pages = Blueprint("play", __name__)
pages.register_blueprint(seat_page.pages)

LONGEST_TEXT = 16_000
MOST_MESSAGES = 5


# --- composing -----------------------------------------------------------------------------------


class Composed(NamedTuple):
    """An order of the draft."""

    order: str
    words: str


class Draft(NamedTuple):
    """The orders composed so far, tried."""

    orders: list[Composed]
    lines: list[str]
    """What they would do."""
    state: Any
    is_final: bool
    is_asked: bool
    fault: Fault
    """Why the draft cannot be, when the match has changed under it."""

    @property
    def text(self) -> str:
        return "\n".join(composed.order for composed in self.orders)

    @property
    def is_ready(self) -> bool:
        return bool(self.orders) and not self.is_asked and not self.fault


def draft_of(match: MatchRecord, at: SeatRecord, orders: Sequence[str]) -> Draft:
    state = match_log.current(match)
    try:
        tried = drafts.preview(match, state, at.name, orders)
    except (GameError, Refused) as error:
        kept = [Composed(order, order) for order in orders]
        return Draft(kept, [], state, False, True, fault_of(error, match.game))
    return Draft(
        [Composed(orders[n], _in_words(match, state, at, orders, n)) for n in range(len(orders))],
        match_text.said(match, tried.events),
        tried.state,
        tried.is_final,
        tried.is_asked,
        Fault(),
    )


def _in_words(
    match: MatchRecord, state: Any, at: SeatRecord, orders: Sequence[str], number: int
) -> str:
    before = drafts.preview(match, state, at.name, orders[:number]).state
    return option_tree.in_words(match, partial(match.game.options, before, at.name), orders[number])


# --- the turn page -------------------------------------------------------------------------------


@pages.get("/t/<token>")
@for_turn("turn")
def turn(visit: TurnVisit) -> ResponseReturnValue:
    if not visit.turn.is_open or visit.match.status != LIVE:
        return closed(visit)
    return show(visit)


def show(visit: TurnVisit, fault: Fault | None = None, typed: str = "") -> str:
    """The page of an open turn; with what was wrong and what was typed, if something was."""
    game = visit.match.game
    orders = drafts.draft_of(visit.turn.id)
    draft = draft_of(visit.match, visit.seat, orders)
    view = game.view(draft.state, visit.seat.name)
    tree = partial(game.options, draft.state, visit.seat.name)
    prefix = option_tree.prefix_of(request.args.get("prefix"))
    is_open = draft.is_asked and not draft.fault
    return render_template(
        "web/play/turn.html",
        **around(visit),
        token=visit.token,
        act_token=visit.act_token,
        messages=_unanswered(visit),
        since=match_text.since_last_turn(visit.match, visit.turn),
        so_far=match_text.in_turn(visit.match, visit.turn, visit.seat.name),
        sent=turns.sent_in(visit.match, visit.turn),
        deadline=match_text.moment(visit.turn.deadline_at, visit.player.zone, now()),
        draft=draft,
        board=board_view.board(game, view),
        scores=board_view.forecast(game, view),
        level=option_tree.level(visit.match, tree, prefix, orders) if is_open else None,
        fault=fault,
        typed=typed,
    )


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
    on, tells no more than everybody may know. No way leads on from here.
    """
    match = visit.match
    state = match_log.kept_or_played(match, match.head_seq)
    at = visit.seat.name if visit.is_newest else None
    shown = around(visit, match.game.waiting_on(state) if match.status == LIVE else ())
    page = render_template(
        "web/play/closed.html",
        **shown,
        orders=match_text.played_in(match, visit.turn, at),
        so_far=match_text.in_turn(match, visit.turn, at),
        asked=[side for side in shown["sides"] if side.is_asked],
        inquiry=match_text.inquiry(match, state, visit.seat.name) if match.status == LIVE else "",
        result=match_text.result_of(match, state) if match.status == OVER else None,
        board=None
        if state is None
        else board_view.board_of(match.game, state, at, match.status != LIVE),
        is_open=visit.turn.is_open,
        wanted=wanted,
    )
    return page, status


@pages.post("/t/<token>")
def act(token: str) -> ResponseReturnValue:
    """One of the buttons of the page; what cannot be leaves everything as it was."""
    request.max_content_length = LONGEST_TEXT * 4
    form = posted()
    do = form.get("do") or ("orders" if "orders" in form else "")
    try:
        press = _press(do)
        with acting("turn", token) as visit:
            press(visit, form)
    except (GameError, Refused) as error:
        return shown_by("turn", token, partial(_not_done, do=do, error=error))
    return back(visit)


def back(visit: TurnVisit) -> ResponseReturnValue:
    """Back to the page of the link, by a GET."""
    return SeeOther(visit.path)


def _not_done(visit: TurnVisit, do: str, error: Exception) -> ResponseReturnValue:
    if isinstance(error, Stale):
        return _too_late(visit)
    status = 429 if isinstance(error, TooOften) else 400
    return _again(visit, fault_of(_at_line(visit, do) or error, visit.match.game), status)


def _too_late(visit: TurnVisit) -> ResponseReturnValue:
    """Pressed twice, or after the end of the turn: then other orders are told from the same."""
    form = posted()
    wanted = [line.lower() for field in ("orders", "draft") for line in _lines(form, field)]
    if visit.turn.is_open or set(wanted) <= set(turns.played_in(visit.match, visit.turn)):
        return back(visit)
    return closed(visit, 409, wanted="; ".join(wanted))


def _again(visit: TurnVisit, fault: Fault, status: int) -> ResponseReturnValue:
    if not visit.turn.is_open or visit.match.status != LIVE:
        return closed(visit, 409)
    typed = posted().get("orders", "")[:LONGEST_TEXT]
    return show(visit, fault, typed), status


def _press(do: str) -> Press:
    if do not in _PRESSES:
        raise Refused("there is no such button here; use one on the page")
    return _PRESSES[do]


def _add(visit: TurnVisit, form: Form) -> None:
    _compose_lines(visit, form, "order")


def _undo(visit: TurnVisit, form: Form) -> None:
    drafts.undo(visit.match, visit.turn, now(), _number(form, "keep"))


def _clear(visit: TurnVisit, form: Form) -> None:
    drafts.undo(visit.match, visit.turn, now(), keep=0)


def _take_out(visit: TurnVisit, form: Form) -> None:
    at = _number(form, "at")
    if at is None:
        raise Refused("choose which order to remove")
    order = " ".join(_lines(form, "order"))
    drafts.take_out(visit.match, visit.turn, at, order, now())


def _submit(visit: TurnVisit, form: Form) -> None:
    """Send the draft, if it is still the one that the page showed."""
    orders, sent = drafts.draft_of(visit.turn.id), _number(form, "sent")
    if sent is not None and sent != turns.sent_in(visit.match, visit.turn):
        return
    if "draft" in form and tuple(_lines(form, "draft")) != orders:
        raise Refused("your orders were changed in another window; check them before you send")
    turns.send(visit.match, visit.turn, orders, now())
    turn_words.note_speed(visit.turn, visit.seat.player, now())


def _orders(visit: TurnVisit, form: Form) -> None:
    lines, sent = _lines(form, "orders"), _number(form, "sent")
    turns.send(visit.match, visit.turn, lines, now(), sent)
    turn_words.note_speed(visit.turn, visit.seat.player, now())


def _compose(visit: TurnVisit, form: Form) -> None:
    _compose_lines(visit, form, "orders")


def _compose_lines(visit: TurnVisit, form: Form, field: str) -> None:
    shown = _number(form, "composed")
    drafts.compose(visit.match, visit.turn, _lines(form, field), shown, now())


Press = Callable[[TurnVisit, Form], None]
"""What a button does, inside the transaction in which its turn was read."""

_PRESSES: dict[str, Press] = {
    "add": _add,
    "undo": _undo,
    "clear": _clear,
    "take_out": _take_out,
    "submit": _submit,
    "orders": _orders,
    "compose": _compose,
}


def _at_line(visit: TurnVisit, do: str) -> Refused | None:
    """Of several lines the first that cannot be, quoted, with what is wrong with it."""
    form = posted()
    if do not in ("orders", "compose") or len(form.get("orders", "")) > LONGEST_TEXT:
        return None
    lines = _lines(form, "orders")
    before = drafts.draft_of(visit.turn.id) if do == "compose" else ()
    state = match_log.current(visit.match)
    for number, line in enumerate(lines[: turns.MOST_ORDERS], 1):
        try:
            drafts.preview(visit.match, state, visit.seat.name, (*before, *lines[:number]))
        except (GameError, Refused) as error:
            quoted = line if len(line) <= turns.LONGEST_ORDER else line[:60] + "…"
            return Refused(
                "line %(number)s, “%(order)s”: %(reason)s",
                number=number,
                order=printable(quoted),
                reason=error,
            )
    return None


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
