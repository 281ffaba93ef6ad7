"""A match played again: all its boards on one page, between which a script goes to and fro."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from flask import Blueprint, abort, get_template_attribute, render_template, request, url_for

from engine.abilities import Maps
from engine.core import Language
from pbem.errors import Missing
from pbem.i18n import spoken
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.web.public.looking_back import LONGEST_NUMBER, LookingBack
from pbem.web.public.match_page import around, the_match
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting
from pbem.web.shared.map_view import ZoomLink
from pbem.web.shared.public_log import Noticed
from pbem.web.watching.differences import Differences, applied, differences
from pbem.web.watching.eyes import Eyes, eyes_asked, eyes_links
from pbem.web.watching.frames import Reel, TurnMark, reel

pages = Blueprint("replay", __name__)

REELS_KEPT = 16
"""Pages whose frames are kept; those that were not asked for go first."""


class Ways(NamedTuple):
    """The places to go to from a frame; None: there is none."""

    earlier: int | None
    later: int | None
    earlier_turn: int | None
    """The beginning of its turn; from there that of the one before."""
    later_turn: int | None


class Packed(NamedTuple):
    """The frames of a page, ready for it."""

    stages: Differences
    """Their boards and hands."""
    told: list[str]
    numbers: list[int]
    """Their steps."""
    turns: list[int]
    """The places of their turns among the marks."""
    marks: list[TurnMark]
    steps: int

    def stage(self, place: int) -> str:
        return applied(self.stages, place)

    def for_script(self) -> dict[str, Any]:
        return {
            "first": self.stages.first,
            "edits": self.stages.edits,
            "told": self.told,
            "numbers": self.numbers,
            "turns": self.turns,
        }

    def ways(self, place: int) -> Ways:
        starts = [at for at, turn in enumerate(self.turns) if not at or self.turns[at - 1] != turn]
        last = len(self.numbers) - 1
        return Ways(
            place - 1 if place > 0 else None,
            place + 1 if place < last else None,
            max((at for at in starts if at < place), default=None),
            min((at for at in starts if at > place), default=None),
        )

    def place_of(self, step: int) -> int:
        """The frame of a step, or of the nearest one before it."""
        earlier = [place for place, number in enumerate(self.numbers) if number <= step]
        return earlier[-1] if earlier else 0


@pages.get("/match/<match_id>/replay")
def show(match_id: str) -> str:
    match = the_match(match_id)
    noticed = _noticed(match)
    eyes = eyes_asked(match, request.args.get("eyes", ""))
    back = LookingBack(match, noticed, request.args.get("zoom", ""))
    turn = _turn_asked(back, request.args.get("turn", ""))
    step = _step_asked(len(noticed), request.args.get("step", ""))
    newest = noticed[-1].entry.hash
    packed = packed_frames(match.id, newest, match.status, eyes.key, turn, back.zoom, spoken())
    place = packed.place_of(0 if step is None else step)
    whose = {"turn": None if turn is None else back.turns[turn].played.number}
    return render_template(
        "web/watching/replay.html",
        **around(match),
        sides=match_text.public_sides(match),
        packed=packed,
        place=place,
        ways=packed.ways(place),
        turn=turn,
        eyes=eyes,
        choices=eyes_links(match, eyes, lambda one: _address(match, one, back.zoom, **whose)),
        zooms=_zooms(match, eyes, back.zoom, whose),
        zoom=back.zoom,
        here=_address(match, eyes, back.zoom),
    )


def _noticed(match: MatchRecord) -> tuple[Noticed, ...]:
    """What spectators can notice; a match that has not begun has nothing to replay."""
    if match.head_seq < 0:
        abort(404)
    return hosting().public_logs.of(match)


def _turn_asked(back: LookingBack, asked: str) -> int | None:
    if not asked:
        return None
    if not back.turns:
        raise Missing("this match has no turns to choose from")
    place = back.find(asked)
    if place is None:
        numbers = [turn.played.number for turn in back.turns]
        raise Missing(
            "there is no such turn; turns have numbers from %(first)s to %(last)s",
            first=numbers[0],
            last=numbers[-1],
        )
    return place


def _step_asked(count: int, asked: str) -> int | None:
    if not asked:
        return None
    is_number = asked.isascii() and asked.isdigit() and len(asked) <= LONGEST_NUMBER
    if not is_number or int(asked) >= count:
        raise Missing(
            "there is no such step; steps have numbers from 0 to %(last)s", last=count - 1
        )
    return int(asked)


def _address(match: MatchRecord, eyes: Eyes, zoom: str, **others: Any) -> str:
    return url_for(
        "replay.show", match_id=match.id, eyes=eyes.key or None, zoom=zoom or None, **others
    )


def _zooms(match: MatchRecord, eyes: Eyes, zoom: str, others: dict[str, Any]) -> list[ZoomLink]:
    if not isinstance(match.game, Maps):
        return []
    return [
        ZoomLink(one.name, _address(match, eyes, one.key, **others), one.key == zoom)
        for one in match.game.zooms(spoken())
    ]


@lru_cache(maxsize=REELS_KEPT)
def packed_frames(
    match_id: str,
    newest: str,
    status: str,
    eyes_key: str,
    turn: int | None,
    zoom: str,
    language: Language,
) -> Packed:
    """All that it depends on is named; `newest` is the hash of the newest entry to be noticed."""
    match = get_match(match_id)
    noticed = _noticed(match)
    found = reel(match, noticed, eyes_asked(match, eyes_key), turn, zoom)
    stage = get_template_attribute("web/watching/_frame.html", "stage")
    told = get_template_attribute("web/watching/_frame.html", "told")
    return Packed(
        differences([str(stage(frame)) for frame in found.frames] or [""]),
        [str(told(frame, _title(found, frame.turn), len(noticed) - 1)) for frame in found.frames],
        [frame.number for frame in found.frames],
        [frame.turn for frame in found.frames],
        found.turns,
        found.steps,
    )


def _title(found: Reel, turn: int) -> str:
    return found.turns[turn].title if found.turns else ""
