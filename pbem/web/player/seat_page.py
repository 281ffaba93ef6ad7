"""A seat's own page: messages, standing orders, and the rare acts, each behind one more button."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from babel.lists import format_list
from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.abilities import StandingOrders, StandIns
from engine.core import GameError
from pbem.errors import Refused, Stale
from pbem.i18n import gettext, spoken
from pbem.links import ReportLink
from pbem.services.agreements import rematches, takebacks
from pbem.services.match import link_orders, match_log, matches, messages, timeouts, turns
from pbem.services.records.match_rows import FORMING, LIVE, OVER, SeatRecord
from pbem.services.seats import deliveries, draw_offers, heirs, loans, open_plans
from pbem.services.seats.deliveries import Delivery
from pbem.services.self_service import reports, revocation
from pbem.web.shared import match_text, option_tree
from pbem.web.shared.context import links, now, refused
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat
from pbem.web.shared.rule_links import Fault, fault_of

pages = Blueprint("seat", __name__)

LARGEST_FORM = 16_000


@pages.get("/seat/<token>")
@for_seat
def show(visit: Visit) -> ResponseReturnValue:
    return seat_page(visit)


def seat_page(visit: Visit, fault: Fault | None = None, typed: str = "") -> str:
    match = visit.match
    return render_template(
        "web/seat/seat.html",
        **around(visit),
        messages=match_text.messages(match, visit.seat.number, visit.player.zone, now()),
        addressees=_addressees(visit),
        has_allies=bool(open_plans.allies_of(match, visit.seat.number)),
        last=_last_message(visit),
        longest=messages.LONGEST_MESSAGE,
        can_write=match.status != FORMING,
        may_invite=match.status == FORMING and match.creator == visit.seat.player,
        takeback=takebacks.waiting(match),
        can_take_back=takebacks.target(match, visit.seat.number) is not None,
        rematch=rematches.prospect(match, visit.seat.number).state,
        has_standing=_standing_tree(visit) is not None,
        is_lost=visit.player.unreachable_since is not None,
        deliveries=_deliveries(visit),
        claimable=_claimable(visit),
        may_find=_may_find(visit),
        loan=loans.pending(match.id, visit.seat.number),
        is_inherited=heirs.is_inherited(match, visit.seat.number),
        draw=_draw(visit),
        report=_report(visit),
        fault=fault,
        typed=typed,
    )


def _report(visit: Visit) -> str:
    player, match, seat = visit.player, visit.match.id, visit.seat.number
    link = ReportLink(player.id, reports.SEAT_PAGE, now(), match, seat, player.epoch)
    return links().url("report", link)


def around(visit: Visit) -> dict[str, Any]:
    """What every page of a seat shows around its own matter."""
    match = visit.match
    state = match_log.kept_or_played(match, match.head_seq) if match.head_seq >= 0 else None
    asked = match.game.waiting_on(state) if match.status == LIVE else ()
    return {
        "match": match,
        "title": match.game.title.in_(spoken()),
        "own": match_text.seat_title(match, visit.seat.name),
        "seat": visit.seat,
        "sides": match_text.sides(match, asked),
        "token": visit.token,
        "record_head": match_log.public_head(match),
        "is_live": match.status == LIVE,
        "result": match_text.result_of(match, state) if match.status == OVER else None,
    }


class DrawShown(NamedTuple):
    """How a draw stands, for one who has a say in it."""

    by: str
    """Who else has agreed to one; empty: nobody."""
    offering: int
    """How many they are."""
    missing: str
    """Who else has not."""
    has_agreed: bool
    """Whether the visitor has."""


def _draw(visit: Visit) -> DrawShown:
    offer, own = draw_offers.draw_offer(visit.match), visit.seat.player
    by, missing = offer.agreed_but(own), offer.missing_but(own)
    return DrawShown(
        _listed(visit, by), len(by), _listed(visit, missing), len(by) < len(offer.agreed)
    )


def _listed(visit: Visit, seats: Iterable[SeatRecord]) -> str:
    titles = [match_text.seat_title(visit.match, seat.name) for seat in seats]
    return format_list(titles, locale=spoken())


class DeliveryShown(NamedTuple):
    """Whether a side is told of its turns, in words."""

    title: str
    text: str


def _deliveries(visit: Visit) -> list[DeliveryShown]:
    """For the players of a match that goes on."""
    if visit.match.status != LIVE:
        return []
    return [
        DeliveryShown(
            match_text.seat_title(visit.match, visit.match.seat(one.seat).name),
            _delivery_text(one, visit.player.zone),
        )
        for one in deliveries.of_match(visit.match)
    ]


def _delivery_text(one: Delivery, zone: str) -> str:
    if one.at is None:
        return gettext("no email at the moment")
    words = {
        "under_way": gettext("on its way since %(time)s"),
        "delivered": gettext("delivered on %(time)s"),
        "delayed": gettext("delayed since %(time)s"),
        "unreachable": gettext("cannot be reached since %(time)s"),
    }
    return words[one.how] % {"time": match_text.moment(one.at, zone, now()).local}


def _addressees(visit: Visit) -> list[tuple[str, str]]:
    """Whom a message can be for: the word of the form, and what people read."""
    own = {
        messages.EVERYBODY: gettext("everyone in this match"),
        messages.ALLIES: gettext("your allies"),
    }
    return [
        (one.word, own.get(one.word) or match_text.seat_title(visit.match, one.word))
        for one in messages.addressees(visit.match, visit.seat.number)
    ]


def _last_message(visit: Visit) -> int:
    """The id of the newest message, by which one written twice is known."""
    found = messages.of_match(visit.match.id, visit.seat.number)
    return found[-1].id if found else 0


@pages.post("/seat/<token>")
@for_seat
def say(visit: Visit) -> ResponseReturnValue:
    """Write to the others; the same form sent twice writes once."""
    request.max_content_length = LARGEST_FORM
    text = request.form.get("text", "")
    try:
        if not _said_already(visit, text):
            with acting_at(visit):
                to = request.form.get("to", messages.EVERYBODY)
                is_public = "public" in request.form
                messages.say(
                    visit.match.id, visit.seat.number, text, now(), to, is_public=is_public
                )
    except Replaced:
        raise
    except Refused as error:
        typed = text[: 2 * messages.LONGEST_MESSAGE]
        page = seat_page(visit, fault=fault_of(error, visit.match.game), typed=typed)
        return refused(page, error)
    return _back(visit)


def _said_already(visit: Visit, text: str) -> bool:
    last = request.form.get("last", "")
    if not (last.isascii() and last.isdecimal() and len(last) < 19):
        return False
    words = messages.checked_message(text)
    newer = messages.of_match(visit.match.id, visit.seat.number, after=int(last))
    return any(one.seat == visit.seat.number and one.text == words for one in newer)


def _back(visit: Visit) -> ResponseReturnValue:
    return redirect(url_for("play.seat.show", token=visit.token), 303)


# --- rare acts -----------------------------------------------------------------------------------


@pages.post("/seat/<token>/resign")
@for_seat
def resign(visit: Visit) -> ResponseReturnValue:
    is_left = _heir(visit) or heirs.is_inherited(visit.match, visit.seat.number)
    if visit.match.status == LIVE:
        _unless_too_late(visit, matches.resign)
    if not is_left:
        return _back(visit)
    return redirect(url_for("match.show", match_id=visit.match.id), 303)  # no seat any more


@pages.post("/seat/<token>/draw")
@for_seat
def draw(visit: Visit) -> ResponseReturnValue:
    """Offer or accept it, or decline what others offer; pressed again, nothing more happens."""
    answer = request.form.get("do", "agree")
    if answer not in ("agree", "decline"):
        raise Refused("agree to a draw, or decline it")
    is_said = answer == "agree" and _draw(visit).has_agreed
    if visit.match.status == LIVE and not is_said:
        _unless_too_late(visit, matches.decline_draw if answer == "decline" else matches.offer_draw)
    return _back(visit)


@pages.post("/seat/<token>/revoke")
@for_seat
def revoke(visit: Visit) -> ResponseReturnValue:
    """Kill the player's links, this one too; what it leads to from now on says so."""
    revocation.by_player(visit.player.id, now())
    return _back(visit)


SeatAct = Callable[[str, int, int], object]
"""What a seat of a match does at a moment."""

PLAIN_ACTS: dict[str, SeatAct] = {
    "accept-draw": matches.accept_draw,  # never an own offer: that of others may have lapsed
    "decline-draw": matches.decline_draw,
    "claim": timeouts.claim_win,
    "wait": timeouts.wait_on,
    "find": timeouts.seek_stand_in,
}
"""Acts that need nothing but a press, by the last word of their address."""


def _do(visit: Visit, act: SeatAct) -> ResponseReturnValue:
    _unless_too_late(visit, act)
    return _back(visit)


def _unless_too_late(visit: Visit, act: SeatAct) -> None:
    try:
        with acting_at(visit):
            act(visit.match.id, visit.seat.number, now())
    except Stale:
        return  # the match ended meanwhile; the page shows how


def _may_answer(visit: Visit) -> bool:
    """Whether others offer a draw that this player has not agreed to."""
    draw = _draw(visit)
    return bool(draw.by) and not draw.has_agreed


def _confirm(visit: Visit, what: str) -> ResponseReturnValue:
    if visit.match.status != LIVE and what != "revoke":
        return seat_page(visit)
    if what in ("claim", "wait") and _claimable(visit) is None:
        return seat_page(visit)
    if what == "find" and not _may_find(visit):
        return seat_page(visit)
    if what.endswith("_draw") and not _may_answer(visit):
        return seat_page(visit)
    return render_template(
        "web/seat/confirm.html",
        **around(visit),
        what=what,
        late=_claimable(visit),
        heir=_heir(visit) if what == "resign" else None,
        is_inherited=heirs.is_inherited(visit.match, visit.seat.number),
        has_machine=isinstance(visit.match.game, StandIns),
        draw=_draw(visit),
    )


def _heir(visit: Visit) -> str | None:
    """The side whose player goes on with this seat, if there is one; else None."""
    heir = heirs.heir_of(visit.match, visit.seat.number)
    return match_text.seat_title(visit.match, heir.name) if heir else None


def _claimable(visit: Visit) -> str | None:
    """The side whose time has run out, so that this seat may claim the win; else None."""
    turn = timeouts.claimable(visit.match, visit.seat.number)
    return match_text.seat_title(visit.match, visit.match.seat(turn.seat).name) if turn else None


def _may_find(visit: Visit) -> bool:
    """Whether somebody else may be sought for the side whose time has run out."""
    turn = timeouts.claimable(visit.match, visit.seat.number)
    return turn is not None and timeouts.may_seek_stand_in(visit.match, turn)


def _add_pages(word: str) -> None:
    """The page that asks whether one is sure, and for an act of the table the press."""
    rule, name = f"/seat/<token>/{word}", word.replace("-", "_")
    asks = for_seat(partial(_confirm, what=name))
    pages.add_url_rule(rule, f"ask_{name}", asks, methods=["GET"])
    if word in PLAIN_ACTS:
        does = for_seat(partial(_do, act=PLAIN_ACTS[word]))
        pages.add_url_rule(rule, name, does, methods=["POST"])


for _word in ("resign", "draw", "revoke", *PLAIN_ACTS):
    _add_pages(_word)


# --- standing orders -----------------------------------------------------------------------------


@pages.get("/seat/<token>/standing")
@for_seat
def standing(visit: Visit) -> ResponseReturnValue:
    return standing_page(visit)


def standing_page(visit: Visit, refusal: Exception | None = None) -> ResponseReturnValue:
    """What the seat can say in advance, level by level; the labels say what holds now."""
    tree = _standing_tree(visit)
    if tree is None:
        return _back(visit)
    prefix = option_tree.prefix_of(request.args.get("prefix"))
    level = option_tree.level(visit.match, tree, prefix)
    page = render_template(
        "web/seat/standing.html",
        **around(visit),
        level=level,
        fault=fault_of(refusal, visit.match.game) if refusal else None,
        typed=request.form.get("order", "")[: turns.LONGEST_ORDER] if refusal else "",
        longest=turns.LONGEST_ORDER,
    )
    return refused(page, refusal) if refusal else page


@pages.post("/seat/<token>/standing")
@for_seat
def stand(visit: Visit) -> ResponseReturnValue:
    request.max_content_length = LARGEST_FORM
    try:
        order = " ".join(request.form.get("order", "").split())
        with acting_at(visit):
            link_orders.say_in_advance(visit.match.id, visit.seat.number, order, now())
    except Replaced:
        raise
    except Stale:
        return _back(visit)
    except (GameError, Refused) as error:
        return standing_page(visit, error)
    return redirect(url_for("play.seat.standing", token=visit.token), 303)


def _standing_tree(visit: Visit) -> option_tree.Tree | None:
    """The orders that this seat may give at any time; None if there are none."""
    game = visit.match.game
    if visit.match.status != LIVE or not isinstance(game, StandingOrders):
        return None
    tree = partial(game.any_time, match_log.current(visit.match), visit.seat.name)
    return tree if tree(()) else None
