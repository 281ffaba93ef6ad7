"""Setting up a way in, by the link of a letter: a passkey, or a password with codes."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from pbem.errors import Refused
from pbem.links import ModeratorLink
from pbem.services.records.moderator_rows import ModeratorRecord
from pbem.services.staff import logins, moderators, one_time_codes, passkeys
from pbem.services.staff.logins import Typed
from pbem.web.admin import door
from pbem.web.admin.login import asked
from pbem.web.shared.context import in_words, links, now, outdated

pages = Blueprint("setup", __name__)

OUTDATED = "web/admin/outdated.html"


@pages.route("/setup/<token>", methods=["GET", "POST"])
def page(token: str) -> ResponseReturnValue:
    link = _link(token)
    owner = moderators.to_set_up(link, now())
    if owner is None:
        return outdated(OUTDATED)
    if request.method != "POST":
        return _page(token, owner)
    try:
        session = _set_up(link)
    except Refused as refusal:
        return _page(token, owner, in_words(refusal))
    return door.with_token(door.go(door.HOME), session)


@pages.post("/setup/<token>/challenge")
def challenge(token: str) -> ResponseReturnValue:
    owner = moderators.to_set_up(_link(token), now())
    if owner is None:
        return outdated(OUTDATED)
    return asked(passkeys.ask_to_make(door.site(), owner))


def _link(token: str) -> ModeratorLink:
    link = links().read("moderator", token)
    if link is None:
        abort(404)
    assert isinstance(link, ModeratorLink)
    return link


def _set_up(link: ModeratorLink) -> str:
    form, browser = request.form, door.browser()
    if "credential" in form:
        answer, name = form["credential"], form.get("name", "")
        return logins.set_up_passkey(link, browser, door.site(), answer, name, now())
    typed = Typed(form.get("password", ""), form.get("code", ""))
    return logins.set_up_password(link, browser, typed, form.get("secret", ""), now())


def _page(token: str, owner: ModeratorRecord, refusal: str = "") -> Response:
    """The page; its secret for codes is kept nowhere until a code has shown that it arrived."""
    typed = request.form.get("secret", "")
    secret = typed if one_time_codes.is_secret(typed) else one_time_codes.new_secret()
    uri = one_time_codes.uri(secret, owner.address, door.site().host)
    return door.at_the_door(
        "web/admin/setup.html",
        400 if refusal else 200,
        token=token,
        owner=owner,
        secret=secret,
        uri=uri,
        picture=Markup(one_time_codes.picture(uri)),
        takes_passkeys=door.site().takes_passkeys,
        refusal=refusal,
    )
