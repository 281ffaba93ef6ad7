"""A player's turn: the page where orders are composed and sent, and links of single orders.

GET shows and never changes anything. POST acts once and leads back to a page that can be loaded
again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from flask import Blueprint, jsonify, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.core import GameError
from engine.text import printable
from pbem.errors import Refused, Stale, TooOften
from pbem.i18n import gettext, spoken, step_by_step, told
from pbem.links import PATHS
from pbem.services.match import link_orders, live_links, match_log, turns
from pbem.services.match.turns import Choice, Preview
from pbem.services.players import turn_words
from pbem.services.records.match_rows import LIVE, OVER, MatchRecord, SeatRecord
from pbem.web.player import seat_page
from pbem.web.shared import board_view, match_text, option_tree
from pbem.web.shared.context import links, now
from pbem.web.shared.link_access import TurnVisit, acting, for_turn, shown_by
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
    fault: str
    """Why the draft cannot be, when the match has changed under it."""

    @property
    def text(self) -> str:
        return "\n".join(composed.order for composed in self.orders)

    @property
    def is_ready(self) -> bool:
        return bool(self.orders) and not self.is_asked and not self.fault


def draft_of(match: MatchRecord, at: SeatRecord, orders: Sequence[str]) -> Draft:
    try:
        tried = turns.preview(match, at.name, orders)
    except (GameError, Refused) as error:
        state = match_log.current(match)
        kept = [Composed(order, order) for order in orders]
        return Draft(kept, [], state, False, True, told(error, match.game))
    return Draft(
        [Composed(order, _in_words(match, at, orders, n)) for n, order in enumerate(orders)],
        match_text.said(match, tried.events),
        tried.state,
        tried.is_final,
        tried.is_asked,
        "",
    )


def _in_words(match: MatchRecord, at: SeatRecord, orders: Sequence[str], number: int) -> str:
    state = turns.preview(match, at.name, orders[:number]).state
    return option_tree.in_words(match, partial(match.game.options, state, at.name), orders[number])


# --- the turn page -------------------------------------------------------------------------------


@pages.get("/t/<token>")
@for_turn("turn")
def turn(come: TurnVisit) -> ResponseReturnValue:
    if not come.turn.is_open or come.visit.match.status != LIVE:
        return closed(come)
    return show(come)


def show(come: TurnVisit, fault: str = "", typed: str = "") -> str:
    """The page of an open turn; with what was wrong and what was typed, if something was."""
    visit, game = come.visit, come.visit.match.game
    orders = turns.draft_of(come.turn.id)
    draft = draft_of(visit.match, visit.seat, orders)
    view = game.view(draft.state, visit.seat.name)
    tree = partial(game.options, draft.state, visit.seat.name)
    prefix = option_tree.prefix_of(request.args.get("prefix"))
    is_open = draft.is_asked and not draft.fault
    return render_template(
        "web/play/turn.html",
        **_around(come),
        token=visit.token,
        act_token=visit.act_token,
        messages=_unanswered(come),
        since=match_text.since_last_turn(visit.match, come.turn),
        so_far=match_text.in_turn(visit.match, come.turn, visit.seat.name),
        sent=len(turns.played_in(come.turn)),
        deadline=match_text.moment(come.turn.deadline_at, visit.player.zone, now()),
        draft=draft,
        board=board_view.board(game, view),
        scores=board_view.forecast(game, view),
        level=option_tree.level(visit.match, tree, prefix, orders) if is_open else None,
        fault=fault,
        typed=typed,
    )


def _around(come: TurnVisit) -> dict[str, Any]:
    """What every page of a turn shows around its own matter."""
    visit = come.visit
    return {
        "match": visit.match,
        "title": visit.match.game.title.in_(spoken()),
        "own": match_text.seat_title(visit.match, visit.seat.name),
        "seat": visit.seat,
        "sides": match_text.sides(visit.match),
        "record_head": match_log.public_head(visit.match),
    }


def _unanswered(come: TurnVisit) -> list[match_text.Message]:
    """The newest messages of the others, back to one's own last one."""
    messages = match_text.messages(come.visit.match, come.visit.player.zone, now())
    mine = [number for number, one in enumerate(messages, 1) if one.seat == come.visit.seat.number]
    return messages[mine[-1] if mine else 0 :][-MOST_MESSAGES:]


def closed(come: TurnVisit, status: int = 200, wanted: str = "") -> ResponseReturnValue:
    """What was played in a turn that is over, and where the match is now.

    Only the newest turn of the seat still shows what is hidden from others: an old letter, passed
    on, tells no more than everybody may know. No way leads on from here.
    """
    visit, match = come.visit, come.visit.match
    state = match_log.kept_or_played(match, match.head_seq)
    at = visit.seat.name if come.is_newest else None
    page = render_template(
        "web/play/closed.html",
        **_around(come),
        orders=match_text.played_in(match, come.turn, at),
        so_far=match_text.in_turn(match, come.turn, at),
        asked=[
            side for side in match_text.sides(match, match.game.waiting_on(state)) if side.is_asked
        ]
        if match.status == LIVE
        else [],
        result=match_text.result_of(match, state) if match.status == OVER else None,
        board=None
        if state is None
        else board_view.board_of(match.game, state, at, match.status != LIVE),
        is_open=come.turn.is_open,
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
        with acting("turn", token) as come:
            press(come, form)
    except (GameError, Refused) as error:
        return shown_by("turn", token, partial(_not_done, do=do, error=error))
    return _back(come)


def _back(come: TurnVisit) -> ResponseReturnValue:
    """Back to the page of the link, by a GET."""
    return SeeOther(come.path)


def _not_done(come: TurnVisit, do: str, error: Exception) -> ResponseReturnValue:
    if isinstance(error, Stale):
        return _too_late(come)
    status = 429 if isinstance(error, TooOften) else 400
    return _again(come, told(_at_line(come, do) or error, come.visit.match.game), status)


def _too_late(come: TurnVisit) -> ResponseReturnValue:
    """Pressed twice, or after the end of the turn: then other orders are told from the same."""
    form = posted()
    wanted = [line.lower() for field in ("orders", "draft") for line in _lines(form, field)]
    if come.turn.is_open or set(wanted) <= set(turns.played_in(come.turn)):
        return _back(come)
    return closed(come, 409, wanted="; ".join(wanted))


def _again(come: TurnVisit, fault: str, status: int) -> ResponseReturnValue:
    if not come.turn.is_open or come.visit.match.status != LIVE:
        return closed(come, 409)
    typed = posted().get("orders", "")[:LONGEST_TEXT]
    return show(come, fault, typed), status


def _press(do: str) -> Press:
    if do not in _PRESSES:
        raise Refused("this button is not known here; use those on the page")
    return _PRESSES[do]


def _add(come: TurnVisit, form: Form) -> None:
    link_orders.compose(come.turn.id, _lines(form, "order"), _number(form, "composed"), now())


def _undo(come: TurnVisit, form: Form) -> None:
    keep = _number(form, "keep")
    if keep is None:
        keep = max(0, len(turns.draft_of(come.turn.id)) - 1)
    turns.undo_draft(come.turn.id, now(), keep)


def _clear(come: TurnVisit, form: Form) -> None:
    turns.undo_draft(come.turn.id, now(), keep=0)


def _take_out(come: TurnVisit, form: Form) -> None:
    at = _number(form, "at")
    if at is None:
        raise Refused("it is not said which order to take out")
    link_orders.take_out(come.turn.id, at, " ".join(_lines(form, "order")), now())


def _submit(come: TurnVisit, form: Form) -> None:
    """Send the draft, if it is still the one that the page showed."""
    orders, sent = turns.draft_of(come.turn.id), _number(form, "sent")
    if sent is not None and sent != len(turns.played_in(come.turn)):
        return
    if "draft" in form and tuple(_lines(form, "draft")) != orders:
        raise Refused("the orders were changed in another window; look again before you send them")
    turns.send(come.visit.match, come.turn, orders, now(), sent)
    turn_words.note_speed(come.turn, come.visit.seat.player, now())


def _orders(come: TurnVisit, form: Form) -> None:
    lines, sent = _lines(form, "orders"), _number(form, "sent")
    turns.send(come.visit.match, come.turn, lines, now(), sent)
    turn_words.note_speed(come.turn, come.visit.seat.player, now())


def _compose(come: TurnVisit, form: Form) -> None:
    link_orders.compose(come.turn.id, _lines(form, "orders"), _number(form, "composed"), now())


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


def _at_line(come: TurnVisit, do: str) -> Refused | None:
    """Of several lines the first that cannot be, quoted, with what is wrong with it."""
    form = posted()
    if do not in ("orders", "compose") or len(form.get("orders", "")) > LONGEST_TEXT:
        return None
    visit, lines = come.visit, _lines(form, "orders")
    before = turns.draft_of(come.turn.id) if do == "compose" else ()
    for number, line in enumerate(lines[: turns.MOST_ORDERS], 1):
        try:
            turns.preview(visit.match, visit.seat.name, (*before, *lines[:number]))
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
            "%(count)s characters are too many; up to %(most)s are read",
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
        raise Refused("“%(number)s” is no number", number=printable(text[:20]))
    return int(text)


# --- what if -------------------------------------------------------------------------------------


@pages.get("/t/<token>/preview")
@for_turn("turn")
def preview(come: TurnVisit) -> ResponseReturnValue:
    """What the draft and some more orders would lead to; nothing is kept."""
    visit = come.visit
    if not come.turn.is_open or visit.match.status != LIVE:
        return _fault(gettext("this turn is over"), 409)
    orders = turns.draft_of(come.turn.id)
    if request.args.get("composed", str(len(orders))) != str(len(orders)):
        return jsonify(lines=[], scores=[], svg="", final=False)  # asked before the last press
    more = [" ".join(order.split()) for order in request.args.getlist("order")]
    if len(more) > turns.MOST_ORDERS or any(len(o) > turns.LONGEST_ORDER for o in more):
        return _fault(gettext("that is too much to try at once"), 400)
    try:
        before = turns.preview(visit.match, visit.seat.name, orders)
        after = turns.preview(visit.match, visit.seat.name, [*orders, *filter(None, more)])
    except (GameError, Refused) as error:
        return _fault(told(error, visit.match.game), 400)
    return jsonify(_what_if(come, before, after))


def _what_if(come: TurnVisit, before: Preview, after: Preview) -> dict[str, Any]:
    match, seat_name = come.visit.match, come.visit.seat.name
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


def _fault(message: str, status: int) -> ResponseReturnValue:
    return jsonify(error=message), status


# --- single orders -------------------------------------------------------------------------------


@pages.get("/o/<token>")
@for_turn("order")
def order(come: TurnVisit) -> ResponseReturnValue:
    return order_page(come)


def order_page(come: TurnVisit) -> ResponseReturnValue:
    """The order of the link and one button; what became of it, when it cannot be pressed."""
    match, code = come.visit.match, come.code
    if link_orders.played_with(match, come.turn, code) is not None:
        return closed(come)
    if not come.turn.is_open or match.status != LIVE:
        meant = link_orders.coded_then(match, come.turn, code)
        return closed(come, 409, wanted=meant.notation if meant else "")
    choice = link_orders.coded_now(match, come.turn, code)
    if choice is None:
        return _cannot(come)
    return _offer(come, choice)


def _offer(come: TurnVisit, choice: Choice) -> str:
    visit = come.visit
    tried = turns.preview(visit.match, visit.seat.name, [choice.notation])
    state = match_log.current(visit.match)
    return render_template(
        "web/play/order.html",
        **_around(come),
        action=url_for("play.press", token=visit.token),
        order=choice.notation,
        words=step_by_step(visit.match.game.say(o.label, spoken()) for o in choice.path),
        lines=match_text.said(visit.match, tried.events),
        is_final=tried.is_final,
        drafted=turns.draft_of(come.turn.id),
        deadline=match_text.moment(come.turn.deadline_at, visit.player.zone, now()),
        board=board_view.board_of(visit.match.game, state, None),
    )


def _cannot(come: TurnVisit) -> ResponseReturnValue:
    meant = link_orders.coded_then(come.visit.match, come.turn, come.code)
    page = render_template(
        "web/play/cannot.html",
        **_around(come),
        wanted=meant.notation if meant else "",
        orders=match_text.played_in(come.visit.match, come.turn, None),
    )
    return page, 409


@pages.post("/o/<token>")
def press(token: str) -> ResponseReturnValue:
    """Play it; whoever has done so and is asked to go on gets to the page of the turn."""
    try:
        with acting("order", token) as come:
            is_played = link_orders.play_coded(come.visit.match, come.turn, come.code, now())
            turn_words.note_speed(come.turn, come.visit.seat.player, now())
    except (GameError, Refused):
        return shown_by("order", token, _pressed_in_vain)
    return shown_by("order", token, _go_on) if is_played else _back(come)


def _go_on(come: TurnVisit) -> ResponseReturnValue:
    match = come.visit.match
    if not come.turn.is_open or match.status != LIVE:
        return _back(come)
    return SeeOther(PATHS["turn"] + links().sign("turn", live_links.to_turn(match, come.turn)))


def _pressed_in_vain(come: TurnVisit) -> ResponseReturnValue:
    """Pressed twice it was played all the same."""
    if link_orders.played_with(come.visit.match, come.turn, come.code) is None:
        return order_page(come)
    return _back(come)
