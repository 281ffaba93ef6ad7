"""Words of letters, asked for before anything is done by a link: one door in front of all forms.

Where a word is demanded and missing, a page asks for it and keeps what was pressed. No cookie
spares anybody the word: a machine may keep cookies, too.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from flask import g, render_template, request
from flask.typing import ResponseReturnValue

from pbem.i18n import speak
from pbem.links import (
    PATHS,
    ActLink,
    BoardLink,
    ConfirmLink,
    JoinLink,
    KeepLink,
    LeaveLink,
    Purpose,
    ReplyLink,
    StandLink,
    TurnLink,
    YouLink,
)
from pbem.services.players import turn_words
from pbem.services.records.match_rows import seat_holder
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.web.shared.context import in_words, links, now
from pbem.web.shared.shortcuts import Form, posted

GUARDED: tuple[Purpose, ...] = (
    *("turn", "order", "join", "confirm", "act", "leave", "stand", "you", "keep"),
    *("kept", "computer", "reply", "boards"),
)
"""Links that something can be done by; to write fewer letters or to moderators needs no word."""
COMPOSING = ("add", "undo", "clear", "take_out", "compose", "fill", "check")
"""Buttons of a turn that send nothing."""


class Come(NamedTuple):
    """Somebody who has to know the word of a letter."""

    token: str
    link: msgspec.Struct
    player: PlayerRecord


def ask_for_word() -> ResponseReturnValue | None:
    """What a press is answered with that lacks the word; None when it may go on."""
    if request.method != "POST":
        return None
    come = _come()
    if come is None:
        return None
    form = posted()
    if _only_composes(come.link, form):
        return None
    if "word_by_letter" in form:
        turn_words.send(come.link, come.player, now())
        return _page(come, "", is_sent=True), 200
    try:
        scopes = turn_words.scopes_of(come.link, come.player)
        turn_words.check(come.token, form.get("word", ""), scopes, now())
    except turn_words.WordNeeded as refusal:
        status = 429 if isinstance(refusal, turn_words.TooManyWords) else 403
        return _page(come, in_words(refusal) if form.get("word") else ""), status
    return None


def _only_composes(link: msgspec.Struct, form: Form) -> bool:
    """Whether a press sends nothing; that of the link of an order does, whatever it says."""
    is_whole_turn = isinstance(link, TurnLink) and not link.code
    return is_whole_turn and form.get("do") in COMPOSING


def is_wanted() -> bool:
    """Whether forms of this page need a field for the word."""
    if "word_wanted" not in g:
        g.word_wanted = _come() is not None
    return bool(g.word_wanted)


def _page(come: Come, fault: str, is_sent: bool = False) -> str:
    speak(come.player.language)
    kept = [
        (name, value)
        for name, value in request.form.items(multi=True)
        if name not in ("word", "word_by_letter")
    ]
    return render_template("web/word.html", kept=kept, fault=fault, is_sent=is_sent)


def _come() -> Come | None:
    """Who has come by a link whose owner demands words; None for everybody else."""
    purpose, token = _read_path(request.path)
    link = links().read(purpose, token) if purpose else None
    player = _owner(link) if link is not None else None
    if link is None or player is None or not turn_words.is_demanded(player):
        return None
    return Come(token, link, player)


def _read_path(path: str) -> tuple[Purpose | None, str]:
    for purpose in GUARDED:
        if path.startswith(PATHS[purpose]):
            return purpose, path[len(PATHS[purpose]) :].partition("/")[0]
    return None, ""


def _owner(link: msgspec.Struct) -> PlayerRecord | None:
    """Whose word it may be; a link that is dead is told so by its page.

    Who plays without words is not looked up: that would be a tenth of a move.
    """
    if isinstance(link, JoinLink | ConfirmLink | StandLink | YouLink | KeepLink | BoardLink):
        player = find_player(link.player)
        epoch = link.player_epoch if isinstance(link, JoinLink) else link.epoch
        return player if player is not None and epoch in (None, player.epoch) else None
    assert isinstance(link, TurnLink | ActLink | LeaveLink | ReplyLink), (
        "there are no other links that do something"
    )
    holder = seat_holder(link.match, link.seat, link.epoch, turn_words.settings.demands_words)
    return find_player(holder) if holder is not None else None
