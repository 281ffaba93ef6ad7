"""Boards as pictures of their own, as spectators see them.

They are public and hold nothing that was typed into a request, so they may be kept: here in the
memory of the process, packed, and in browsers for some minutes.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Any

from flask import Response, request

from engine.core import LANGUAGES, GameError, Language
from pbem.errors import Refused
from pbem.i18n import as_language, spoken
from pbem.services.match import match_log
from pbem.services.records.match_rows import LIVE, MatchRecord, get_match

KEPT_FOR = 300
"""Seconds for which a browser need not ask again."""


def position_of(match: MatchRecord, language: Language) -> bytes | None:
    return position(match.id, match.timeline, match.head_seq, match.status, language)


@lru_cache(maxsize=64)
def position(
    match_id: str, timeline: int, seq: int, status: str, language: Language
) -> bytes | None:
    """The board of a match after an entry; all that it depends on is named.

    None where these rules cannot read what older ones have left.
    """
    match = get_match(match_id)
    state = readable_state(match, seq)
    if state is None:
        return None
    view = match.game.view(state, None)
    return packed(match.game.draw(view if status == LIVE else match.game.closed(view), language))


def readable_state(match: MatchRecord, seq: int) -> Any:
    """The state after an entry; None where these rules cannot read it, or are not its own."""
    try:
        return match_log.state_at(match, seq)
    except (Refused, GameError):
        return None


def packed(svg: str) -> bytes:
    return gzip.compress(svg.encode(), mtime=0)


def picture(packed: bytes) -> Response:
    takes_packed = bool(request.accept_encodings["gzip"])
    answer = Response(packed if takes_packed else gzip.decompress(packed), mimetype="image/svg+xml")
    if takes_packed:
        answer.content_encoding = "gzip"
    answer.vary.add("Accept-Encoding")
    answer.cache_control.public, answer.cache_control.max_age = True, KEPT_FOR
    return answer


def language_asked() -> Language:
    """What the address of a picture asks for; else the language of the reader."""
    asked = request.args.get("lang", "")
    return as_language(asked) if asked in LANGUAGES else spoken()
