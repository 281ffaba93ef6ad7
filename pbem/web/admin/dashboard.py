"""The first page of moderators."""

from __future__ import annotations

from flask import Blueprint, render_template

from pbem.services import admin_sessions, passkeys
from pbem.web.admin.door import current, for_moderator
from pbem.web.hosting import now

pages = Blueprint("dashboard", __name__)


@pages.get("/")
@for_moderator()
def page() -> str:
    session = current()
    return render_template(
        "web/admin/dashboard.html",
        session=session,
        passkeys=passkeys.of(session.moderator.id),
        sessions=admin_sessions.of(session.moderator, now()),
    )
