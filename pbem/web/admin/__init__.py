"""The pages of moderators, all under /admin; every one of them lies behind the door."""

from __future__ import annotations

from flask import Blueprint

from pbem.web.admin import audit, dashboard, door, login, matches, own, setup

pages = Blueprint("admin", __name__, url_prefix="/admin")
pages.before_request(door.guard)
pages.context_processor(door.for_templates)
for room in (login, setup, own, dashboard, audit, matches):
    pages.register_blueprint(room.pages)
