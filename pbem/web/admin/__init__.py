"""The pages of moderators, all under /admin; every one of them lies behind the door.

    door           who is inside, with which rights, by which form
    login          logging in, by passkey or by password and code
    setup          setting up a way in, by the link of a letter
    own            a moderator's own passkeys and sessions, showing again who one is, logging out
    dashboard      the first page: what needs a person now, then how the server does
    plots          small plots: bars of a row of figures
    matches        matches found, looked at from outside, and acted on
    break_glass    looking at what is hidden, with a reason, once
    players        players found, looked at, and acted on
    lists          addresses and domains that are kept out, or let in all the same
    reports        reports of players, to answer and close
    operations     for operators: letters, keys, the clock, maintenance, replay checks, backups
    audit          the log of acts, with its check

May import the rooms `player`, `public` and `shared` of the pages, and services; no database.
"""

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
