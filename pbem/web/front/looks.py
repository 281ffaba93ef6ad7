"""Light or dark: what somebody chose for this browser, kept in a cookie that says nothing else.

The switch posts to the page it stands on, with `?look`: so no page has to repeat its own address,
which may hold a token. Such a POST does nothing else, whatever page it is.
"""

from __future__ import annotations

from flask import Response, current_app, request

from engine.text import printable
from pbem.errors import Refused
from pbem.web.shared.context import hosting
from pbem.web.shared.shortcuts import SeeOther

QUERY = "look"
COOKIE = "pbem-look"
LASTS = 400 * 86_400
"""As long as browsers keep a cookie at most, in seconds."""
CHOICES = ("light", "dark")
"""What can be chosen; the empty word means: as the device is."""


def chosen() -> str:
    held = request.cookies.get(COOKIE, "")
    return held if held in CHOICES else ""


def choose() -> Response | None:
    """Before any page: keep the choice and show the page from which it came; else None."""
    if request.method != "POST" or request.query_string != QUERY.encode():
        return None
    look = request.form.get("look", "")
    if look and look not in CHOICES:
        raise Refused(
            "pages cannot be shown “%(look)s”; choose light or dark, or leave it empty",
            look=printable(look[:20]),
        )
    answer = SeeOther(_this_page())
    _keep(answer, look)
    return answer


def _this_page() -> str:
    """The path of the request, if there is something to show at it; else the first page."""
    adapter = current_app.create_url_adapter(request)
    is_shown = adapter is not None and adapter.test(request.path, "GET")
    is_plain = request.path.isascii() and request.path.isprintable()
    return request.path if is_shown and is_plain and "\\" not in request.path else "/"


def _keep(answer: Response, look: str) -> None:
    secure = hosting().config.base_url.startswith("https:")
    if look:
        answer.set_cookie(COOKIE, look, max_age=LASTS, secure=secure, httponly=True, samesite="Lax")
    elif COOKIE in request.cookies:
        answer.delete_cookie(COOKIE, secure=secure, httponly=True, samesite="Lax")
