"""The cookie of a browser, set when somebody takes a seat by the link of a letter.

It tells moderators whether two players come with one browser. Who comes with it and with a link of
the same player is led on to the next match; a link alone, which may have been passed on, is not
enough for that.
"""

from __future__ import annotations

from typing import NamedTuple

from flask import Response, make_response, request
from flask.typing import ResponseReturnValue

from pbem.i18n import spoken
from pbem.links import PATHS
from pbem.services.players import devices
from pbem.services.records.match_rows import get_match, next_turn_of
from pbem.services.seats import live_links
from pbem.web.shared.context import hosting, links, now


def noted(answer: ResponseReturnValue, player: int) -> Response:
    """The answer to a press of a player, with the cookie of this browser."""
    held = request.cookies.get(_name(), "")
    token = held if devices.is_token(held) else devices.new_token()
    devices.note(player, token, now())
    response = make_response(answer)
    response.set_cookie(
        _name(),
        token,
        max_age=devices.LASTS,
        secure=_is_https(),
        httponly=True,
        samesite="Lax",
    )
    return response


def is_known(player: int) -> bool:
    """Whether this player has taken a seat with this browser before."""
    held = request.cookies.get(_name(), "")
    return devices.is_token(held) and devices.is_known(player, held)


class NextTurn(NamedTuple):
    """Where a player can go on at once."""

    path: str
    match: str
    title: str


def next_turn(player: int, only: str = "") -> NextTurn | None:
    """The turn that ends first of all that wait for a player, or of one match."""
    turn = next_turn_of(player, only)
    if turn is None:
        return None
    match = get_match(turn.match)
    path = PATHS["turn"] + links().sign("turn", live_links.to_turn(match, turn))
    return NextTurn(path, match.id, match.game.title.in_(spoken()))


def _name() -> str:
    """Browsers take a name with this prefix only over TLS, for this host and all its paths."""
    return "__Host-pbem-device" if _is_https() else "pbem-device"


def _is_https() -> bool:
    return hosting().config.base_url.startswith("https:")
