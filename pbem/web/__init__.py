"""The pages: they read requests and show answers, and leave deciding to others."""

from __future__ import annotations

from flask import Blueprint

from pbem.web import admin
from pbem.web.api import routes
from pbem.web.player import away, leaving, order_page, own_page, reports
from pbem.web.public import dev_mailbox, feeds, health, lobby, match_page, rules, verify


def pages(in_production: bool) -> list[Blueprint]:
    """Every page there is; the mailbox of this machine only while developing."""
    playing = (lobby, order_page, away, leaving, match_page, feeds, routes, own_page)
    everywhere = (*playing, reports, rules, verify, health, admin)
    return [
        module.pages for module in (everywhere if in_production else (*everywhere, dev_mailbox))
    ]
