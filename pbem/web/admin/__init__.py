"""The pages of moderators, all under /admin; every one of them lies behind the door."""

from __future__ import annotations

from flask import Blueprint

from pbem.web.admin import (
    audit,
    break_glass,
    dashboard,
    door,
    lists,
    login,
    matches,
    operations,
    own,
    players,
    reports,
    setup,
)

pages = Blueprint("admin", __name__, url_prefix="/admin")
pages.before_request(door.guard)
pages.context_processor(door.for_templates)
for room in (
    login,
    setup,
    own,
    dashboard,
    audit,
    matches,
    break_glass,
    reports,
    players,
    lists,
    operations,
):
    pages.register_blueprint(room.pages)
