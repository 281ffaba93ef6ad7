"""Links of single orders: the order and one button.

GET shows and never changes anything. POST plays the order once. The pages stand beside those of the
turn in one blueprint.
"""

from __future__ import annotations

from typing import Any

from flask import render_template, url_for
from flask.typing import ResponseReturnValue

from engine.core import GameError
from pbem.errors import Refused
from pbem.i18n import spoken, step_by_step
from pbem.links import PATHS
from pbem.services.match import drafts, link_orders, match_log
from pbem.services.match.link_orders import Choice
from pbem.services.players import turn_words
from pbem.services.records.match_rows import LIVE
from pbem.services.seats import live_links
from pbem.web.player.turn_page import around, back, closed
from pbem.web.player.turn_page import pages as pages
from pbem.web.shared import board_view, match_text
from pbem.web.shared.context import links, now
from pbem.web.shared.link_access import TurnVisit, acting, for_turn, shown_by
from pbem.web.shared.shortcuts import SeeOther


@pages.get("/o/<token>")
@for_turn("order")
def order(visit: TurnVisit) -> ResponseReturnValue:
    return order_page(visit)


def order_page(visit: TurnVisit) -> ResponseReturnValue:
    """The order of the link and one button; what became of it, when it cannot be pressed."""
    match, code = visit.match, visit.code
    if link_orders.played_with(match, visit.turn, code) is not None:
        return closed(visit)
    if not visit.turn.is_open or match.status != LIVE:
        meant = link_orders.coded_then(match, visit.turn, code)
        return closed(visit, 409, wanted=meant.notation if meant else "")
    state = match_log.current(match)
    choice = link_orders.order_with_code(match, visit.turn, state, code)
    if choice is None:
        return _cannot(visit)
    return _offer(visit, choice, state)


def _offer(visit: TurnVisit, choice: Choice, state: Any) -> str:
    tried = drafts.preview(visit.match, state, visit.seat.name, [choice.notation])
    return render_template(
        "web/play/order.html",
        **around(visit),
        action=url_for("play.press", token=visit.token),
        order=choice.notation,
        words=step_by_step(visit.match.game.say(o.label, spoken()) for o in choice.path),
        lines=match_text.said(visit.match, tried.events),
        is_final=tried.is_final,
        drafted=drafts.draft_of(visit.turn.id),
        deadline=match_text.moment(visit.turn.deadline_at, visit.player.zone, now()),
        board=board_view.board_of(visit.match.game, state, None),
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
    """Play it; whoever has done so and is asked to go on gets to the page of the turn."""
    try:
        with acting("order", token) as visit:
            receipt = link_orders.play_coded(visit.match, visit.turn, visit.code, now())
            turn_words.note_speed(visit.turn, visit.seat.player, now())
    except (GameError, Refused):
        return shown_by("order", token, _pressed_in_vain)
    if receipt is None or visit.seat.name not in receipt.waiting_on:
        return back(visit)
    link = live_links.to_turn(visit.match, visit.turn)
    return SeeOther(PATHS["turn"] + links().sign("turn", link))


def _pressed_in_vain(visit: TurnVisit) -> ResponseReturnValue:
    """Pressed twice it was played all the same."""
    if link_orders.played_with(visit.match, visit.turn, visit.code) is None:
        return order_page(visit)
    return back(visit)
