"""The door of the moderators' pages: who is inside, with which rights, by which form.

A page under /admin is shut unless its blueprint is named in OPEN; `for_moderator` asks for a role,
`needs_step_up` for somebody who has just shown again who it is, `current` tells who it is.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeVar, cast

from babel.numbers import format_decimal
from flask import (
    Response,
    abort,
    current_app,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from pbem.deadline_text import date_in_words
from pbem.errors import Refused
from pbem.i18n import gettext, spoken
from pbem.services.staff import admin_sessions, passkeys
from pbem.services.staff.admin_sessions import Session
from pbem.services.staff.logins import Browser
from pbem.services.staff.moderators import MODERATOR, OPERATOR
from pbem.services.staff.passkeys import Site
from pbem.web.shared.context import hosting, now, remote_address
from pbem.web.shared.match_text import Moment, moment

OPEN = ("admin.login", "admin.setup")
"""Where people are who are not inside yet."""
HOME = "/admin/"
SAFE = ("GET", "HEAD", "OPTIONS")
_WAY = re.compile(r"/admin/[\w/?=&.,:@~%+-]*", re.ASCII)

View = TypeVar("View", bound=Callable[..., ResponseReturnValue])


def guard() -> ResponseReturnValue | None:
    """Before every page: know the browser, believe only forms of ours, let only moderators pass."""
    if _comes_from_elsewhere():
        return render_template("web/admin/arrival.html")
    if request.method not in SAFE:
        _check_form()
    if request.blueprint not in OPEN and visitor() is None:
        return go(url_for("admin.login.page", next=way_here()))
    return None


def _comes_from_elsewhere() -> bool:
    """A link on another site: the browser holds the cookie back until it comes from here."""
    site = request.headers.get("Sec-Fetch-Site")
    return request.method == "GET" and site == "cross-site" and token() is None


def _check_form() -> None:
    held, sent = token(), request.form.get("csrf", "")
    fitting = admin_sessions.csrf_of(held) if held else ""
    if not held or not hmac.compare_digest(sent.encode(), fitting.encode()):
        raise Refused("this form is too old; open the page again and press the button again")


# --- who is there ---------------------------------------------------------------------------------


def visitor() -> Session | None:
    """Who is inside with this browser; found once for a request."""
    if "visitor" not in g:
        held = token()
        g.visitor = admin_sessions.find(held, now()) if held else None
        if g.visitor is not None:
            admin_sessions.note_use(g.visitor, now())
    return cast("Session | None", g.visitor)


def current() -> Session:
    """Who is inside, on a page that is shut to others."""
    found = visitor()
    assert found is not None, "this page is behind the door"
    return found


def for_moderator(role: str = MODERATOR) -> Callable[[View], View]:
    """A page for moderators, or for operators only."""

    def limited(view: View) -> View:
        @wraps(view)
        def shown(*args: Any, **kwargs: Any) -> ResponseReturnValue:
            if role == OPERATOR and current().moderator.role != OPERATOR:
                abort(403, gettext("This page is for operators."))
            return view(*args, **kwargs)

        return cast(View, shown)

    return limited


def needs_step_up(view: View) -> View:
    """A page for who has shown within ten minutes who it is; others do that first."""

    @wraps(view)
    def shown(*args: Any, **kwargs: Any) -> ResponseReturnValue:
        if not current().is_stepped_up(now()):
            return go(url_for("admin.own.step_up", next=way_here()))
        return view(*args, **kwargs)

    return cast(View, shown)


# --- the cookie -----------------------------------------------------------------------------------


def token() -> str | None:
    """What the cookie of this browser holds."""
    if "token" not in g:
        held = request.cookies.get(_cookie(), "")
        g.token = held if admin_sessions.is_token(held) else None
    return cast("str | None", g.token)


def browser() -> Browser:
    held = token()
    assert held is not None, "a form was checked by it"
    return Browser(held, remote_address())


def at_the_door(template: str, status: int = 200, **values: Any) -> Response:
    """A page for who is not inside; its forms need a cookie, so it brings one."""
    fresh = token() is None
    if fresh:
        g.token = admin_sessions.new_token()
    answer = make_response(render_template(template, **values), status)
    return with_token(answer, browser().token) if fresh else answer


def with_token(answer: Response, token: str) -> Response:
    answer.set_cookie(_cookie(), token, secure=_is_https(), httponly=True, samesite="Strict")
    return answer


def without_token(answer: Response) -> Response:
    answer.delete_cookie(_cookie(), secure=_is_https(), httponly=True, samesite="Strict")
    return answer


def _cookie() -> str:
    """Browsers take a name with this prefix only over TLS, for this host and all its paths."""
    return "__Host-pbem-admin" if _is_https() else "pbem-admin"


def _is_https() -> bool:
    return hosting().config.base_url.startswith("https:")


# --- ways -----------------------------------------------------------------------------------------


def site() -> Site:
    """What passkeys are bound to: the address of the settings, whatever this request says."""
    return passkeys.site_of(hosting().config.base_url)


def go(way: str) -> Response:
    answer = redirect(way, 303)
    assert isinstance(answer, Response)
    return answer


def way_here() -> str:
    """The page to come back to; of a page that only takes forms, the first one."""
    rule = request.url_rule
    is_page = rule is not None and rule.methods is not None and "GET" in rule.methods
    if not is_page:
        return HOME
    return _checked(request.full_path.rstrip("?") if request.method in SAFE else request.path)


def way_on() -> str:
    """Where somebody wanted to go before the door was shut; never to another site."""
    return _checked(request.values.get("next", HOME))


def _checked(way: str) -> str:
    return way if _WAY.fullmatch(way) and "//" not in way else HOME


def for_templates() -> dict[str, Any]:
    held, inside = token(), visitor()
    return {
        "csrf": admin_sessions.csrf_of(held) if held else "",
        "me": inside.moderator if inside else None,
        "rooms": current_app.view_functions,
        "clock": _clock,
        "day": _day,
        "number": _number,
    }


def _clock(at: int) -> Moment:
    return moment(at, "UTC", now())


def _day(at: int) -> str:
    return date_in_words(datetime.fromtimestamp(at, UTC), "medium", spoken())


def _number(value: float, digits: int = 0) -> str:
    return format_decimal(round(value, digits), locale=spoken())
