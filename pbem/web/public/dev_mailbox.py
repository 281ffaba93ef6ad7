"""While developing: the letters this server would have sent, to read and to click."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, abort, make_response, render_template

from pbem.mail import mailbox_folder
from pbem.web.shared.context import hosting
from pbem.web.shared.match_text import moment

pages = Blueprint("dev", __name__)
pages.add_app_template_filter(lambda at: moment(at, "UTC", at).local, "in_utc")

LETTER_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"
)
FRAME_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
OUT_OF_THE_FRAME = '<base target="_top">'


@pages.get("/dev/mailbox")
def mailbox() -> str:
    return render_template("web/dev/mailbox.html", letters=mailbox_folder.list_letters(_folder()))


@pages.get("/dev/mailbox/<name>")
def letter(name: str) -> Response:
    found = mailbox_folder.read_letter(_folder(), name)
    if found is None:
        abort(404)
    answer = make_response(render_template("web/dev/letter.html", letter=found))
    answer.headers["Content-Security-Policy"] = FRAME_POLICY
    return answer


@pages.get("/dev/mailbox/<name>/html")
def letter_html(name: str) -> Response:
    """The HTML part alone, in a box that can do nothing but be read and have its links followed."""
    found = mailbox_folder.read_letter(_folder(), name)
    if found is None or not found.html:
        abort(404)
    answer = Response(_links_leave(found.html), mimetype="text/html")
    answer.headers["Content-Security-Policy"] = LETTER_POLICY
    return answer


def _folder() -> Path:
    return hosting().config.mailbox


def _links_leave(html: str) -> str:
    head, tag, rest = html.partition("<head>")
    return f"{head}{tag}{OUT_OF_THE_FRAME}{rest}" if tag else OUT_OF_THE_FRAME + html
