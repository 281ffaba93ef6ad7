"""What a player does at a seat without the others: private notes, players to be left alone by."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.text import printable
from pbem.errors import Refused
from pbem.services.players import blocks
from pbem.services.seats import notes
from pbem.web.player.seat_page import LARGEST_FORM, around
from pbem.web.shared import match_text
from pbem.web.shared.context import now, refused
from pbem.web.shared.link_access import Replaced, Visit, acting_at, for_seat
from pbem.web.shared.rule_links import fault_of

pages = Blueprint("private", __name__)


@pages.get("/seat/<token>/notes")
@for_seat
def show_notes(visit: Visit) -> ResponseReturnValue:
    return _notes_page(visit)


def _notes_page(visit: Visit, wrong: Exception | None = None, typed: str | None = None) -> str:
    return render_template(
        "web/seat/notes.html",
        **around(visit),
        text=notes.of(visit.match.id, visit.player.id) if typed is None else typed,
        longest=notes.LONGEST,
        saved="saved" in request.args,
        fault=fault_of(wrong, visit.match.game) if wrong else None,
    )


@pages.post("/seat/<token>/notes")
@for_seat
def write_notes(visit: Visit) -> ResponseReturnValue:
    """Keep what was typed; what cannot be kept stays in the form."""
    request.max_content_length = 2 * LARGEST_FORM
    text, player = request.form.get("text", ""), visit.player.id
    try:
        with acting_at(visit):
            notes.write(visit.match.id, visit.seat.number, player, text, now())
    except Replaced:
        raise
    except Refused as error:
        return refused(_notes_page(visit, error, text[: 2 * notes.LONGEST]), error)
    return redirect(url_for("private.show_notes", token=visit.token, saved=1), 303)


# --- players to be left alone by ------------------------------------------------------------------


@pages.get("/seat/<token>/block")
@for_seat
def show_blocks(visit: Visit) -> ResponseReturnValue:
    return _blocks_page(visit)


def _blocks_page(visit: Visit, wrong: Exception | None = None) -> str:
    """Those who play here too, and whether they are blocked."""
    blocked = blocks.blocked_by(visit.player.id)
    return render_template(
        "web/seat/block.html",
        **around(visit),
        others=[
            (side, visit.match.seat(side.number).player in blocked)
            for side in match_text.sides(visit.match)
            if visit.match.seat(side.number).player not in (None, visit.player.id)
        ],
        fault=fault_of(wrong, visit.match.game) if wrong else None,
    )


@pages.post("/seat/<token>/block")
@for_seat
def change_blocks(visit: Visit) -> ResponseReturnValue:
    act, seat = request.form.get("do", ""), visit.match.seat_named(request.form.get("seat", ""))
    try:
        other = seat.player if seat is not None else None
        if other is None:
            raise Refused("choose one of the players of this match")
        with acting_at(visit):
            if act == "block":
                blocks.block(visit.player.id, other, now())
            elif act == "unblock":
                blocks.unblock(visit.player.id, other)
            else:
                raise Refused("this page cannot do “%(act)s”", act=printable(act[:20]))
    except Replaced:
        raise
    except Refused as error:
        return refused(_blocks_page(visit, error), error)
    return redirect(url_for("private.show_blocks", token=visit.token), 303)
