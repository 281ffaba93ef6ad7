"""The same turns and matches for programs, as JSON; `/api/v1/openapi.json` describes it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
from flask import Blueprint, abort, jsonify, request
from flask.typing import ResponseReturnValue

from engine.core import GameError, Seat, examine
from engine.text import plain
from pbem.errors import Refused, Stale, TooOften
from pbem.i18n import speak, spoken
from pbem.links import TurnLink
from pbem.services.match import api_orders, match_log, turns
from pbem.services.match.api_orders import KeyUsed, Sending
from pbem.services.players import turn_words
from pbem.services.records.match_rows import LIVE, OVER, MatchRecord, find_match
from pbem.services.time import clocks
from pbem.web.api.openapi import DOCUMENT
from pbem.web.shared import match_text, option_tree
from pbem.web.shared.context import hosting, now
from pbem.web.shared.link_access import Replaced, TurnVisit, acting, visit_turn
from pbem.web.shared.rule_links import as_json

pages = Blueprint("api", __name__, url_prefix="/api/v1")

LARGEST_BODY = 64_000
MOST_SENT = 1_000_000
LONGEST_KEY = 255


class Orders(msgspec.Struct):
    """What a program sends; `sent` is how many orders it has sent in this turn before."""

    orders: tuple[str, ...]
    sent: Annotated[int, msgspec.Meta(ge=0, le=MOST_SENT)] | None = None
    word: str = ""
    """That of the letter, where it is demanded."""
    note: str = ""
    """What the other seats read with these orders."""


# --- turns ---------------------------------------------------------------------------------------


@pages.get("/turn/<token>")
def turn(token: str) -> ResponseReturnValue:
    visit = visit_turn("turn", token)
    speak(visit.player.language)
    if not visit.turn.is_open or visit.match.status != LIVE:
        return _turn_over(visit)
    return _turn(visit)


def _turn(visit: TurnVisit) -> ResponseReturnValue:
    match, seat = visit.match, visit.seat.name
    state = match_log.current(match)
    prefix = option_tree.prefix_of(request.args.get("prefix"))
    options = match.game.options(state, seat, prefix)
    if not options:
        return error(400, "no_such_prefix", "no order begins with these words")
    ends = clocks.expected_deadline(match, visit.turn, now())
    return jsonify(
        match=match.id,
        game=match.game_name,
        seat=seat,
        turn=visit.turn.id,
        deadline=datetime.fromtimestamp(ends, UTC).isoformat(),
        sent=turns.sent_in(match, visit.turn),
        head=match_log.public_head(match),
        word_needed=turn_words.is_demanded(visit.player),
        **_seen(match, state, seat),
        options=[
            {
                "word": option.word,
                "label": match.game.say(option.label, spoken()),
                "leaf": option.action is not None,
            }
            for option in options
        ],
    )


def _seen(match: MatchRecord, state: Any, seat: Seat | None) -> dict[str, Any]:
    """A view for programs and for people; a deck, which the rules page lists, is only named."""
    view = match.game.view(state, seat)
    view = view if match.status == LIVE else match.game.closed(view)
    return {
        "board": plain(match.game.render(view, language=spoken())),
        "narration": match.game.narrate(view, spoken()),
        "view": msgspec.to_builtins(view, enc_hook=_told),
    }


def _told(value: Any) -> Any:
    """What is no plain value: a row of things as it is, a deck by its name."""
    return tuple(value) if isinstance(value, Sequence) else str(value.name)


@pages.post("/turn/<token>")
def submit(token: str) -> ResponseReturnValue:
    visit = visit_turn("turn", token)
    request.max_content_length = LARGEST_BODY
    speak(visit.player.language)
    try:
        body = msgspec.json.decode(request.get_data(), type=Orders)
        sending = Sending(body.orders, body.sent, _key(), body.note)
        _check_word(visit, body.word)
        with acting("turn", token) as visit:
            receipt = api_orders.play_once(visit.match, visit.turn, sending, now(), visit.is_newest)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return error(400, "bad_request", 'the body must look like {"orders": ["…"]}')
    except BadKey:
        return error(400, "bad_key", "an Idempotency-Key has 1 to 255 printable ASCII characters")
    except KeyUsed as problem:
        return error(422, "key_used", str(problem))
    except turn_words.WordNeeded as refusal:
        status = 429 if isinstance(refusal, turn_words.TooManyWords) else 403
        return error(status, "word_needed", str(refusal))
    except Stale:
        return _turn_over(visit_turn("turn", token))
    except (TooOften, Replaced):
        raise
    except (GameError, Refused) as problem:
        cited = as_json(problem, visit.match.game, hosting().config.base_url)
        return error(422, "illegal_order", str(problem), **cited)
    return jsonify(
        accepted=True,
        events=match_text.said(visit.match, receipt.events),
        waiting_on=list(receipt.waiting_on),
    )


class BadKey(Refused):
    """What should tell one sending from another has not the form of a key."""


def _key() -> str:
    """What the program calls this sending; empty when it does not say."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return ""
    if not (0 < len(key) <= LONGEST_KEY and key.isascii() and key.isprintable()):
        raise BadKey("this is no key")
    return key


def _check_word(visit: TurnVisit, typed: str) -> None:
    """As the pages ask for it, with the same count of wrong ones."""
    player = visit.player
    if turn_words.is_demanded(player):
        link = TurnLink(visit.match.id, visit.seat.number, visit.turn.id, visit.seat.epoch)
        scopes = turn_words.scopes_of(link, player)
        turn_words.check(visit.token, typed, scopes, now())


def _turn_over(visit: TurnVisit) -> ResponseReturnValue:
    if visit.turn.is_open and visit.match.status == LIVE:
        sent = turns.sent_in(visit.match, visit.turn)
        return error(409, "stale", f"orders sent in this turn so far: {sent}; look again")
    match, at = visit.match, visit.seat.name if visit.is_newest else None
    played = "; ".join(match_text.played_in(match, visit.turn, at)) or "nothing"
    return error(409, "turn_over", f"this turn is over; played in it: {played}")


# --- matches -------------------------------------------------------------------------------------


@pages.get("/match/<match_id>")
def match(match_id: str) -> ResponseReturnValue:
    record = find_match(match_id)
    if record is None:
        abort(404)
    state = match_log.current(record) if record.head_seq >= 0 else None
    seen = {"board": "", "narration": "", "view": None}
    return jsonify(
        match=record.id,
        game=record.game_name,
        status=record.status,
        visibility=record.visibility,
        pace=record.pace,
        clock=msgspec.structs.asdict(record.clock),
        commitment=record.commitment,
        head=match_log.public_head(record) or None,
        seats=[
            {"seat": side.seat, "name": side.player, "status": side.status}
            for side in match_text.public_sides(record)
        ],
        waiting_on=sorted(record.game.waiting_on(state)) if record.status == LIVE else [],
        result=record.result if record.status == OVER else None,
        **(_seen(record, state, None) if state is not None else seen),
    )


# --- for all of it -------------------------------------------------------------------------------


@pages.get("/openapi.json")
def openapi() -> ResponseReturnValue:
    return jsonify(DOCUMENT)


def error(status: int, code: str, message: str, **more: str) -> ResponseReturnValue:
    return jsonify(error={"code": code, "message": message, **more}), status


@pages.errorhandler(Replaced)
def replaced(problem: Replaced) -> ResponseReturnValue:
    return error(410, "link_replaced", "this link was replaced; the newest letter has another")


examine(Orders)
