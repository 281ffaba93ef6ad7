"""With whose eyes a match is looked back on: a spectator's, and once it is over any seat's."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engine.core import Seat
from pbem.errors import Missing, Refused
from pbem.i18n import gettext
from pbem.services.records.match_rows import OVER, MatchRecord
from pbem.web.shared.match_text import seat_title

ALL = "all"


class Eyes(NamedTuple):
    key: str
    """In addresses; empty: a spectator's."""
    title: str
    seat: Seat | None
    """Who sees the board like this; None: everybody."""
    hands: tuple[Seat, ...]
    """Whose hands lie open beside it."""


def eyes_asked(match: MatchRecord, key: str) -> Eyes:
    """Those that an address asks for; what is hidden stays so until the match is over."""
    known = eyes_of(match)
    for eyes in known:
        if eyes.key == key:
            return eyes
    if match.status != OVER:
        raise Refused("hands are shown once the match is over; until then, watch as a spectator")
    raise Missing(
        "nobody in this match is called that; there are: %(known)s",
        known=", ".join(eyes.key for eyes in known if eyes.key),
    )


def eyes_of(match: MatchRecord) -> list[Eyes]:
    """All that may be chosen from now."""
    spectator = Eyes("", gettext("Spectator"), None, ())
    if match.status != OVER:
        return [spectator]
    seats = [seat.name for seat in match.seats]
    own = [Eyes(seat, seat_title(match, seat), seat, (seat,)) for seat in seats]
    return [spectator, *own, Eyes(ALL, gettext("All sides"), None, tuple(seats))]


class EyesLink(NamedTuple):
    title: str
    address: str
    is_current: bool


def eyes_links(match: MatchRecord, current: Eyes, address: Callable[[Eyes], str]) -> list[EyesLink]:
    """The same as links; none where there is no choice."""
    known = eyes_of(match)
    links = [EyesLink(eyes.title, address(eyes), eyes.key == current.key) for eyes in known]
    return links if len(links) > 1 else []
