"""The pages: they read requests and show answers, and leave deciding to others.

    admin     the pages of moderators, all behind one door
    api       turns and matches for programs, as JSON
    own       pages of a person: matches, preferences, notes, reports
    player    pages behind the links of letters
    front     the first page, and how all pages look
    watching  lists of matches to watch, players' pages, replays, matches on other sites
    public    pages for everybody
    shared    what several of them need

Each may import those below it, but `admin` and `api` do not know each other, nor do `player`,
`front` and `watching`. All ask services, and never the database: `pbem.db` is not imported here.
"""

from __future__ import annotations

from flask import Blueprint

from pbem.web import admin
from pbem.web.api import routes
from pbem.web.front import home, showcase
from pbem.web.own import boards, own_page, private_page, reports
from pbem.web.player import (
    allies_page,
    asking_page,
    away,
    inviting,
    leaving,
    order_page,
    practice,
    reply_page,
    way_back,
)
from pbem.web.public import (
    dev_mailbox,
    feeds,
    health,
    lobby,
    match_page,
    rules,
    try_machine,
    verify,
)
from pbem.web.watching import lists, players, replay, sharing, step_page


def pages(in_production: bool) -> list[Blueprint]:
    """Every page there is; the mailbox of this machine only while developing."""
    everywhere = (
        home,
        showcase,
        lobby,
        try_machine,
        practice,
        order_page,
        allies_page,
        asking_page,
        inviting,
        way_back,
        away,
        leaving,
        reply_page,
        match_page,
        lists,
        players,
        sharing,
        replay,
        step_page,
        feeds,
        routes,
        boards,
        own_page,
        private_page,
        reports,
        rules,
        verify,
        health,
        admin,
    )
    return [
        module.pages for module in (everywhere if in_production else (*everywhere, dev_mailbox))
    ]
