"""Matches on other sites: a picture of each for links to it, and a page to be framed.

Only of matches that stand in lists. The framed page is the only one that another site may frame:
it shows what everybody may see, and nothing can be pressed on it but ways to our pages.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from threading import Lock

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    render_template,
    request,
    url_for,
)
from flask.blueprints import BlueprintSetupState
from flask.typing import ResponseReturnValue

from engine.core import Language
from pbem.deadlines import DAY, MINUTE
from pbem.errors import Missing, TooOften
from pbem.i18n import speak, spoken
from pbem.mail import pictures
from pbem.services.records.match_rows import OVER, MatchRecord, find_match, get_match
from pbem.web.public.pictures import KEPT_FOR, language_asked, readable_state
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting, now
from pbem.web.watching import poster

pages = Blueprint("sharing", __name__)

KEPT_AT_THE_END = 7 * DAY
"""Seconds for which a browser keeps the picture of a match that is over."""
MOST_BYTES = 250_000
"""Of a picture; other sites give up on large ones."""
MOST_A_MINUTE = 20
"""Pictures that a process draws, each in half a second at most; all others wait or were kept."""
FRAMED = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors *"
)


# --- the picture ----------------------------------------------------------------------------------


@pages.get("/match/<match_id>/picture.png")
def picture(match_id: str) -> ResponseReturnValue:
    """The board as spectators see it and how the match stands, for links on other sites."""
    match = _shared(match_id)
    speak(language_asked())
    drawn = _drawn(match.id, match.timeline, match.head_seq, match.status, spoken())
    if drawn is None:
        abort(404)
    answer = Response(drawn, mimetype="image/png")
    answer.cache_control.public = True
    answer.cache_control.max_age = KEPT_AT_THE_END if match.status == OVER else KEPT_FOR
    answer.cache_control.immutable = match.status == OVER
    answer.vary.add("Accept-Language")
    answer.add_etag()  # of nothing but its bytes: entries are also made in secret
    return answer.make_conditional(request)


@lru_cache(maxsize=64)
def _drawn(match_id: str, timeline: int, seq: int, status: str, language: Language) -> bytes | None:
    """The picture of a match after an entry; all that it depends on is named.

    None where these rules cannot read what older ones have left.
    """
    _pace().check(now())
    match = get_match(match_id)
    state = readable_state(match, seq)
    if state is None:
        return None
    view = match.game.view(state, None)
    if status == OVER:
        view = match.game.closed(view)
    svg = poster.svg(
        match.game.draw_table(view, language),
        match.game.title.in_(language),
        match_text.stands(match, state),
        f"pbem · {hosting().config.host}",
    )
    with _pace().one_at_a_time:
        return pictures.png(svg, poster.WIDE, MOST_BYTES)


class Pace:
    """How many pictures a process draws: a robot that wants all of them must not stop the rest."""

    def __init__(self) -> None:
        self._lately, self._lock = deque[int](maxlen=MOST_A_MINUTE), Lock()
        self.one_at_a_time = Lock()

    def check(self, now: int) -> None:
        with self._lock:
            wait = self._lately[0] + MINUTE - now if len(self._lately) == MOST_A_MINUTE else 0
            if wait > 0:
                raise TooOften(
                    "too many pictures are being requested right now; try again later", wait=wait
                )
            self._lately.append(now)


_PACE = "pbem.sharing"


@pages.record
def _begin(setup: BlueprintSetupState) -> None:
    setup.app.extensions[_PACE] = Pace()


def _pace() -> Pace:
    found = current_app.extensions[_PACE]
    assert isinstance(found, Pace)
    return found


# --- the frame ------------------------------------------------------------------------------------


@pages.get("/match/<match_id>/embed")
def embed(match_id: str) -> Response:
    """A finished match for a frame of another site."""
    match = _shared(match_id)
    if match.status != OVER:
        raise Missing("a match can be shown on other sites once it is over")
    speak(language_asked())
    sides = match_text.public_sides(match)
    state = readable_state(match, match.head_seq)
    answer = make_response(
        render_template(
            "web/watching/embed.html",
            match=match,
            title=match.game.title.in_(spoken()),
            headline=match_text.headline(match, sides),
            sides=sides,
            said=match_text.stands(match, state),
            replay=url_for("replay.show", match_id=match.id),
        )
    )
    answer.headers["Content-Security-Policy"] = FRAMED
    return answer


def _shared(match_id: str) -> MatchRecord:
    match = find_match(match_id)
    if match is None or not match.is_for_all:
        abort(404)
    return match
