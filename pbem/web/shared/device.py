"""The cookie of a browser: set when somebody takes a seat by the link of a letter, read only then.

It tells moderators whether two players come with one browser, and nobody anything else.
"""

from __future__ import annotations

from flask import Response, make_response, request
from flask.typing import ResponseReturnValue

from pbem.services.players import devices
from pbem.web.shared.context import hosting, now


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


def _name() -> str:
    """Browsers take a name with this prefix only over TLS, for this host and all its paths."""
    return "__Host-pbem-device" if _is_https() else "pbem-device"


def _is_https() -> bool:
    return hosting().config.base_url.startswith("https:")
