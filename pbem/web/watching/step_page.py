"""One step of a match: its board, and links from the first step to the last."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, abort, render_template, request, url_for

from pbem.errors import Missing
from pbem.services.records.match_rows import MatchRecord
from pbem.web.public.looking_back import LookingBack
from pbem.web.public.match_page import PublicStep, around, public_steps, the_match
from pbem.web.shared import board_view
from pbem.web.shared.context import hosting
from pbem.web.watching import frames
from pbem.web.watching.eyes import Eyes, eyes_asked, eyes_links
from pbem.web.watching.frames import Hand

pages = Blueprint("step", __name__)


class Ways(NamedTuple):
    """Where to go from a step; empty: nowhere."""

    earlier: str
    later: str
    earlier_turn: str
    """To the beginning of the turn; from there to that of the one before."""
    later_turn: str


@pages.get("/match/<match_id>/step/<int:number>")
def show(match_id: str, number: int) -> str:
    match = the_match(match_id)
    steps = public_steps(match)
    if not steps:
        abort(404)
    if number >= len(steps):
        raise Missing(
            "there is no such step; steps have numbers from 0 to %(last)s", last=len(steps) - 1
        )
    step, eyes = steps[number], eyes_asked(match, request.args.get("eyes", ""))
    return render_template(
        "web/match/step.html",
        **around(match, step.entry),
        number=number,
        last=len(steps) - 1,
        step=step,
        board=_board_after(match, step, eyes),
        hands=_hands_after(match, step, eyes),
        ways=_ways(match, number, len(steps), eyes),
        eyes=eyes,
        choices=eyes_links(match, eyes, lambda one: _address(match, number, one)),
    )


def _board_after(match: MatchRecord, step: PublicStep, eyes: Eyes) -> board_view.Board | None:
    """The board of a step; None where the rules have changed since and it was not kept."""
    return None if step.state is None else board_view.board_of(match.game, step.state, eyes.seat)


def _hands_after(match: MatchRecord, step: PublicStep, eyes: Eyes) -> list[Hand]:
    """Hands that the board does not show."""
    if step.state is None:
        return []
    return [
        frames.hand(match, seat, match.game.view(step.state, seat))
        for seat in eyes.hands
        if seat != eyes.seat
    ]


def _ways(match: MatchRecord, number: int, count: int, eyes: Eyes) -> Ways:
    turns = LookingBack(match, hosting().public_logs.of(match), "").turns
    firsts = [turn.steps[0].number for turn in turns]
    earlier = [first for first in firsts if first < number]
    later = [first for first in firsts if first > number]
    return Ways(
        _address(match, number - 1, eyes) if number else "",
        _address(match, number + 1, eyes) if number + 1 < count else "",
        _address(match, earlier[-1], eyes) if earlier else "",
        _address(match, later[0], eyes) if later else "",
    )


def _address(match: MatchRecord, number: int, eyes: Eyes) -> str:
    return url_for("step.show", match_id=match.id, number=number, eyes=eyes.key or None)
