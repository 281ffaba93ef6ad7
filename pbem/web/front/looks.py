"""Light or dark: what somebody chose for this browser, kept in a cookie that says nothing else."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, Response, request

from engine.text import printable
from pbem.errors import Refused
from pbem.web.shared.context import hosting
from pbem.web.shared.shortcuts import SeeOther

pages = Blueprint("looks", __name__)

COOKIE = "pbem-look"
LASTS = 400 * 86_400
"""As long as browsers keep a cookie at most, in seconds."""
CHOICES = ("light", "dark")
"""What can be chosen; the empty word means: as the device is."""


class Look(NamedTuple):
    """How a page is to look, for its template."""

    chosen: str
    back: str
    """Where the switch leads back to: this page, if it can be asked for once more."""


def look() -> Look:
    chosen = request.cookies.get(COOKIE, "")
    return Look(chosen if chosen in CHOICES else "", _this_page())


def _this_page() -> str:
    rule = request.url_rule
    if rule is not None and "GET" not in (rule.methods or ()):
        return "/"
    query = request.query_string.decode("ascii", "replace")
    return f"{request.path}?{query}" if query and request.method == "GET" else request.path


@pages.post("/look")
def choose() -> Response:
    """Keep the choice, and show the page from which it came."""
    chosen = request.form.get("look", "")
    if chosen and chosen not in CHOICES:
        raise Refused(
            "pages cannot be shown “%(look)s”; choose light or dark, or leave it empty",
            look=printable(chosen[:20]),
        )
    answer = SeeOther(_own_path(request.form.get("back", "")))
    _keep(answer, chosen)
    return answer


def _own_path(asked: str) -> str:
    """A path of this site as it was asked for, or the first page."""
    is_own = asked.startswith("/") and asked[1:2] not in ("/", "\\")
    return asked if is_own and asked.isascii() and asked.isprintable() else "/"


def _keep(answer: Response, chosen: str) -> None:
    secure = hosting().config.base_url.startswith("https:")
    if chosen:
        answer.set_cookie(
            COOKIE, chosen, max_age=LASTS, secure=secure, httponly=True, samesite="Lax"
        )
    elif COOKIE in request.cookies:
        answer.delete_cookie(COOKIE, secure=secure, httponly=True, samesite="Lax")
