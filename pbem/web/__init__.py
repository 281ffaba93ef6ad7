"""The pages: they read requests and show answers, and leave deciding to others."""

from __future__ import annotations

from flask import Blueprint

from pbem.web import admin
from pbem.web.api import api
from pbem.web.player import away, leaving, play, reports, you
from pbem.web.public import dev, feeds, health, lobby, match, rules, verify


def pages(in_production: bool) -> list[Blueprint]:
    """Every page there is; the mailbox of this machine only while developing."""
    playing = (lobby, play, away, leaving, match, feeds, api, you)
    everywhere = (*playing, reports, rules, verify, health, admin)
    return [module.pages for module in (everywhere if in_production else (*everywhere, dev))]
