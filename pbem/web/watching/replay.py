"""A match played again: all its boards on one page, between which a script goes to and fro."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from flask import (
    Blueprint,
    Response,
    abort,
    get_template_attribute,
    jsonify,
    render_template,
    request,
    url_for,
)

from engine.abilities import Maps
from engine.core import Language
from pbem.errors import Missing
from pbem.i18n import gettext, spoken
from pbem.services.records.match_rows import MatchRecord, get_match
from pbem.web.public.looking_back import LONGEST_NUMBER, LookingBack
from pbem.web.public.match_page import around, the_match
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting
from pbem.web.shared.map_view import ZoomLink
from pbem.web.shared.public_log import Noticed
from pbem.web.watching.differences import Differences, applied, differences
from pbem.web.watching.eyes import Eyes, eyes_asked, eyes_links
from pbem.web.watching.frames import PART, Extent, Reel, TurnMark, reel

pages = Blueprint("replay", __name__)

REELS_KEPT = 32
"""Pages and parts whose frames are kept; those that were not asked for go first."""


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
    steps: list[int]
    """That there are; those without a frame are fetched in parts."""

    @property
    def is_whole(self) -> bool:
        return self.numbers == self.steps

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
    noticed, eyes, back, turn = _asked(match)
    step = _step_asked(len(noticed), request.args.get("step", ""))
    packed = _packed(match, noticed, eyes, Extent(turn, None), back.zoom)
    place = packed.place_of(step)
    whose = {"turn": None if turn is None else back.turns[turn].played.number}
    return render_template(
        "web/watching/replay.html",
        **around(match),
        sides=match_text.public_sides(match),
        packed=packed,
        for_script=_for_script(match, packed, step, eyes, back.zoom, whose),
        place=place,
        ways=packed.ways(place),
        turn=turn,
        eyes=eyes,
        choices=eyes_links(match, eyes, lambda one: _address(match, one, back.zoom, **whose)),
        zooms=_zooms(match, eyes, back.zoom, whose),
        zoom=back.zoom,
        here=_address(match, eyes, back.zoom),
    )


@pages.get("/match/<match_id>/replay/part/<int:part>")
def show_part(match_id: str, part: int) -> Response:
    """Frames for the script of a page that has not room for all of them."""
    match = the_match(match_id)
    noticed, eyes, back, turn = _asked(match)
    packed = _packed(match, noticed, eyes, Extent(turn, part), back.zoom)
    if not packed.numbers:
        raise Missing(
            "there is no such part; parts have numbers from 0 to %(last)s",
            last=max(0, len(packed.steps) - 1) // PART,
        )
    return jsonify(packed.for_script())


class Asked(NamedTuple):
    noticed: tuple[Noticed, ...]
    eyes: Eyes
    back: LookingBack
    turn: int | None


def _asked(match: MatchRecord) -> Asked:
    noticed = _noticed(match)
    back = LookingBack(match, noticed, request.args.get("zoom", ""))
    turn = _turn_asked(back, request.args.get("turn", ""))
    return Asked(noticed, eyes_asked(match, request.args.get("eyes", "")), back, turn)


def _packed(
    match: MatchRecord, noticed: tuple[Noticed, ...], eyes: Eyes, extent: Extent, zoom: str
) -> Packed:
    newest = noticed[-1].entry.hash
    return packed_frames(match.id, newest, match.status, eyes.key, extent, zoom, spoken())


def _for_script(
    match: MatchRecord, packed: Packed, step: int, eyes: Eyes, zoom: str, whose: dict[str, Any]
) -> dict[str, Any]:
    """The frames of the page, the step that it is asked for, and where to fetch others."""
    to_fetch = {
        "size": PART,
        "address": url_for(
            "replay.show_part",
            match_id=match.id,
            part=0,
            eyes=eyes.key or None,
            zoom=zoom or None,
            **whose,
        ),
        "failed": gettext("This step could not be fetched. Try again."),
    }
    parts = {} if packed.is_whole else {"parts": to_fetch}
    return packed.for_script() | {"steps": packed.steps, "step": step} | parts


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


def _step_asked(count: int, asked: str) -> int:
    if not asked:
        return 0
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
    extent: Extent,
    zoom: str,
    language: Language,
) -> Packed:
    """All that it depends on is named; `newest` is the hash of the newest entry to be noticed."""
    match = get_match(match_id)
    noticed = _noticed(match)
    found = reel(match, noticed, eyes_asked(match, eyes_key), extent, zoom)
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
