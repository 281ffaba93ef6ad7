"""Links of single orders: the order and one button.

GET shows and never changes anything. POST plays the order once. The pages stand beside those of the
turn in one blueprint.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import render_template, url_for
from flask.typing import ResponseReturnValue

from engine.core import GameError
from pbem.errors import Refused
from pbem.i18n import spoken, step_by_step
from pbem.services.match import link_orders, match_log, messages
from pbem.services.match.link_orders import Drafted, Meant
from pbem.services.match.turns import Receipt
from pbem.services.players import turn_words
from pbem.services.records.match_rows import LIVE
from pbem.web.player.turn_page import around, back, closed, onward, to_turn
from pbem.web.player.turn_page import pages as pages
from pbem.web.shared import board_view, match_text
from pbem.web.shared.context import now, refused
from pbem.web.shared.link_access import TurnVisit, acting, for_turn, shown_by
from pbem.web.shared.rule_links import fault_of
from pbem.web.shared.shortcuts import posted


@pages.get("/o/<token>")
@for_turn("order")
def order(visit: TurnVisit) -> ResponseReturnValue:
    return order_page(visit)


def order_page(visit: TurnVisit, error: Exception | None = None) -> ResponseReturnValue:
    """The order of the link and one button; what became of it, when it cannot be pressed.

    After a press that was refused it says why, where it can be pressed still.
    """
    match, code = visit.match, visit.code
    if link_orders.played_with(match, visit.turn, code) is not None:
        return closed(visit)
    if not visit.turn.is_open or match.status != LIVE:
        then = link_orders.coded_then(match, visit.turn, code)
        return closed(visit, 409, wanted=then.notation if then else "")
    state = match_log.current(match)
    meant = link_orders.meant_by(match, visit.turn, state, code)
    if meant is None:
        return _cannot(visit)
    page = _offer(visit, meant, state, error)
    return refused(page, error) if error else page


def _offer(visit: TurnVisit, meant: Meant, state: Any, error: Exception | None) -> str:
    choice, tried = meant.choice, meant.tried
    return render_template(
        "web/play/order.html",
        **around(visit),
        action=url_for("play.press", token=visit.token),
        order=choice.notation,
        words=step_by_step(visit.match.game.say(o.label, spoken()) for o in choice.path),
        lines=match_text.said(visit.match, tried.tried[-1].events),
        is_final=tried.is_final,
        is_drafted=meant.is_drafted,
        is_half=tried.is_asked or len(tried.orders) > 1,
        dropped=meant.dropped,
        fault=fault_of(error, visit.match.game) if error else None,
        note=posted().get("note", "") if error else "",
        deadline=match_text.moment(visit.turn.deadline_at, visit.player.zone, now()),
        board=board_view.parts_of(visit.match.game, state, None),
    )


def _cannot(visit: TurnVisit) -> ResponseReturnValue:
    meant = link_orders.coded_then(visit.match, visit.turn, visit.code)
    page = render_template(
        "web/play/cannot.html",
        **around(visit),
        wanted=meant.notation if meant else "",
        orders=match_text.played_in(visit.match, visit.turn, None),
    )
    return page, 409


@pages.post("/o/<token>")
def press(token: str) -> ResponseReturnValue:
    """Play it; an order that only begins a turn is kept in the draft, to be sent with the rest.

    Who has just done so gets to the page of the turn; who presses again has to know its own link.
    """
    try:
        with acting("order", token) as visit:
            seen = not turn_words.is_quick(visit.turn, now())
            done = link_orders.play_coded(visit.match, visit.turn, visit.code, now(), seen)
            if not isinstance(done, Drafted):
                turn_words.note_speed(visit.turn, visit.seat.player, now())
            if isinstance(done, Receipt):
                messages.enclose(done, posted().get("note", ""), now())
    except (GameError, Refused) as error:
        return shown_by("order", token, partial(_pressed_in_vain, error=error))
    if isinstance(done, Drafted):
        return to_turn(visit, visit.turn.id) if done.is_new else back(visit)
    return back(visit) if done is None else onward(visit, done)


def _pressed_in_vain(visit: TurnVisit, error: Exception) -> ResponseReturnValue:
    """Pressed twice it was played all the same."""
    if link_orders.played_with(visit.match, visit.turn, visit.code) is None:
        return order_page(visit, error)
    return back(visit)
