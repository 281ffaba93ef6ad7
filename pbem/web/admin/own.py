"""A moderator's own way in: showing again who one is, passkeys, sessions, logging out."""

from __future__ import annotations

from flask import Blueprint, Response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.errors import Refused
from pbem.services.staff import logins, passkeys
from pbem.web.admin import door
from pbem.web.admin.door import current, needs_step_up
from pbem.web.admin.login import asked
from pbem.web.shared.context import in_words, now

pages = Blueprint("own", __name__)

LARGEST_ID = 2**31 - 1


# --- showing again who one is ---------------------------------------------------------------------


@pages.route("/step-up", methods=["GET", "POST"])
def step_up() -> ResponseReturnValue:
    if request.method != "POST":
        return _step_up()
    try:
        token = logins.step_up_by_code(current(), request.form.get("code", ""), now())
    except Refused as refusal:
        return _step_up(in_words(refusal)), 403
    return door.with_token(door.go(door.way_on()), token)


@pages.post("/step-up/passkey")
def step_up_by_passkey() -> ResponseReturnValue:
    answer = request.form.get("credential", "")
    try:
        token = logins.step_up_by_passkey(current(), door.browser(), door.site(), answer, now())
    except Refused as refusal:
        return _step_up(in_words(refusal)), 403
    return door.with_token(door.go(door.way_on()), token)


@pages.post("/step-up/challenge")
def step_up_challenge() -> Response:
    return asked(passkeys.ask_to_sign(door.site(), current().moderator.id))


def _step_up(refusal: str = "") -> str:
    moderator = current().moderator
    return render_template(
        "web/admin/step_up.html",
        way_on=door.way_on(),
        has_passkey=door.site().takes_passkeys and bool(passkeys.of(moderator.id)),
        has_codes=moderator.totp_secret != "",
        refusal=refusal,
    )


# --- passkeys -------------------------------------------------------------------------------------


@pages.route("/passkeys", methods=["GET", "POST"])
@needs_step_up
def add_passkey() -> ResponseReturnValue:
    if request.method != "POST":
        return _passkeys()
    answer, name = request.form.get("credential", ""), request.form.get("name", "")
    try:
        logins.add_passkey(current(), door.browser(), door.site(), answer, name, now())
    except Refused as refusal:
        return _passkeys(in_words(refusal)), 400
    return door.go(url_for("admin.own.add_passkey"))


@pages.post("/passkeys/challenge")
@needs_step_up
def passkey_challenge() -> Response:
    return asked(passkeys.ask_to_make(door.site(), current().moderator))


@pages.post("/passkeys/remove")
@needs_step_up
def remove_passkey() -> ResponseReturnValue:
    number = request.form.get("passkey", 0, type=int)
    try:
        logins.remove_passkey(current(), number if 0 < number <= LARGEST_ID else 0, now())
    except Refused as refusal:
        return _passkeys(in_words(refusal)), 400
    return door.go(url_for("admin.own.add_passkey"))


def _passkeys(refusal: str = "") -> str:
    return render_template(
        "web/admin/passkeys.html",
        passkeys=passkeys.of(current().moderator.id),
        takes_passkeys=door.site().takes_passkeys,
        refusal=refusal,
    )


# --- sessions -------------------------------------------------------------------------------------


@pages.post("/logout")
def log_out() -> Response:
    logins.log_out(current(), now())
    return door.without_token(door.go(url_for("admin.login.page")))


@pages.post("/sessions/revoke")
def revoke_sessions() -> Response:
    logins.revoke_sessions(current(), now())
    return door.without_token(door.go(url_for("admin.login.page")))
