"""The first page of moderators: what needs a person now, then how the server does."""

from __future__ import annotations

from typing import Any, NamedTuple

from flask import Blueprint, render_template, url_for

from pbem.services.operations import alerts as needed
from pbem.services.operations import backups, statistics
from pbem.services.operations.alerts import Alert, AlertKind
from pbem.services.records import addresses
from pbem.services.staff import admin_sessions, passkeys
from pbem.services.staff.moderators import OPERATOR
from pbem.web.admin import plots
from pbem.web.admin.door import current, for_moderator
from pbem.web.shared.context import now

pages = Blueprint("dashboard", __name__)

REFUSING_SHOWN = 10


class Way(NamedTuple):
    """Where one acts."""

    endpoint: str
    values: dict[str, Any] = {}
    anchor: str | None = None


WAYS: dict[AlertKind, Way] = {
    "clock": Way("admin.operations.clock"),
    "held": Way("admin.operations.clock"),
    "silent": Way("admin.operations.page", anchor="clock"),
    "maintenance": Way("admin.operations.maintenance"),
    "reports": Way("admin.reports.page"),
    "stuck": Way("admin.matches.page", {"late": "stuck"}),
    "late": Way("admin.matches.page", {"late": "yes"}),
    "rules": Way("admin.matches.page", {"state": "live"}),
    "dead": Way("admin.operations.letters", {"state": "dead"}),
    "troubled": Way("admin.operations.letters", {"state": "queued"}),
    "refusing": Way("admin.players.page"),
    "unread": Way("admin.operations.page", anchor="clock"),
    "quarantined": Way("admin.operations.page", anchor="mail"),
    "backup": Way("admin.operations.page", anchor="backup"),
    "rehearsal": Way("admin.operations.page", anchor="rehearsal"),
}


@pages.get("/")
@for_moderator()
def page() -> str:
    session, shown = current(), statistics.figures(now())
    return render_template(
        "web/admin/dashboard.html",
        session=session,
        passkeys=passkeys.of(session.moderator.id),
        sessions=admin_sessions.of(session.moderator, now()),
        refusing=addresses.refusing(REFUSING_SHOWN),
        needs=[(need, _way(need)) for need in needed.active(now())],
        figures=shown,
        turns=plots.bars(shown.turns, 1),
        pace=plots.bars(shown.pace, plots.HOUR),
        backup=backups.newest(),
    )


def _way(need: Alert) -> str:
    """The address where one acts; empty for who may not."""
    way = WAYS[need.what]
    if way.endpoint.startswith("admin.operations.") and current().moderator.role != OPERATOR:
        return ""
    return url_for(way.endpoint, _anchor=way.anchor, **way.values)
