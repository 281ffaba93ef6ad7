"""Logging in: by passkey, or by password and code. There is no way to sign up."""

from __future__ import annotations

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.services.players import accounts
from pbem.services.staff import admin_sessions, logins, passkeys
from pbem.services.staff.logins import Typed
from pbem.web.admin import door
from pbem.web.shared.context import hosting, in_words, now

pages = Blueprint("login", __name__)


@pages.get("/login")
def page() -> ResponseReturnValue:
    if door.visitor() is not None:
        return door.go(door.way_on())
    return _page()


@pages.post("/login")
def by_password() -> ResponseReturnValue:
    typed = Typed(request.form.get("password", ""), request.form.get("code", ""))
    try:
        token = logins.by_password(door.browser(), _address(), typed, now())
    except Refused as refusal:
        return _page(in_words(refusal))
    return door.with_token(door.go(door.way_on()), token)


@pages.post("/login/passkey")
def by_passkey() -> ResponseReturnValue:
    answer = request.form.get("credential", "")
    try:
        token = logins.by_passkey(door.browser(), door.site(), answer, now())
    except Refused as refusal:
        return _page(in_words(refusal))
    return door.with_token(door.go(door.way_on()), token)


@pages.post("/login/challenge")
def challenge() -> Response:
    return asked(passkeys.ask_to_sign(door.site()))


def asked(question: passkeys.Asked) -> Response:
    """What a browser is to ask its passkeys; we keep what they have to sign."""
    browser = door.browser()
    admin_sessions.keep_challenge(browser.token, question.challenge, browser.remote, now())
    return Response(question.options, mimetype="application/json")


def _address() -> str:
    """The address as we keep it; what is none is nobody's."""
    try:
        typed = request.form.get("address", "")
        return accounts.address(typed, test_names=not hosting().config.in_production)
    except Refused:
        return ""


def _page(refusal: str = "") -> Response:
    return door.at_the_door(
        "web/admin/login.html",
        403 if refusal else 200,
        way_on=door.way_on(),
        takes_passkeys=door.site().takes_passkeys,
        refusal=refusal,
    )
