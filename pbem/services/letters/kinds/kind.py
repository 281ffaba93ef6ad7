"""One row of the registry: all that is particular to a kind of letter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from pbem.i18n import speaking
from pbem.links import Links, Purpose, ReportLink
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.reader_context import ReaderContext, SeatContext
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player

Compose = Callable[[QueuedLetter, Links, int], ComposedLetter]


def always(letter: QueuedLetter) -> bool:
    return True


Pace = Literal["at_once", "asks", "by_day", "news", "echo"]
"""When a letter comes, and to whom.

- at once: whatever the hour; its reader has asked for it, or must know it
- asks: so too, unless its reader wants even turns by day only
- by day: not in its reader's night
- news: so too; not to who has stopped news, and to who wants one letter a day in that letter
- echo: news of what its reader has just done, at once or not at all
"""


def at_once(letter: QueuedLetter) -> Pace:
    return "at_once"


def asks(letter: QueuedLetter) -> Pace:
    return "asks"


def by_day(letter: QueuedLetter) -> Pace:
    return "by_day"


def news(letter: QueuedLetter) -> Pace:
    return "news"


class LetterKind(NamedTuple):
    """What the outbox, the moderators and the players' pages know of a kind of letter."""

    name: str
    """That of its folder in `templates/emails`."""
    compose: Compose
    """What it says to its reader: see `to_player` and `to_seat`."""
    current: Callable[[QueuedLetter], bool] = always
    """Whether it is still true when it is to be sent."""
    is_for_holder: bool = False
    """Whether only who still holds the seat may read it."""
    pace: Callable[[QueuedLetter], Pace] = at_once
    is_open: bool = False
    """Whether operators may read its text: it says nothing of boards, hands or private words."""
    is_unasked: bool = False
    """Whether anybody can make it come to an address whose owner has nothing to do with us."""
    stop: Purpose = "mute"
    """The link by which its reader has no more such letters."""


def to_player(compose: Callable[[ReaderContext, QueuedLetter], ComposedLetter]) -> Compose:
    """A letter to a person, composed in the context of that reader."""

    def composed(letter: QueuedLetter, links: Links, now: int) -> ComposedLetter:
        player = get_player(letter.player)
        match = str(letter.about.get("match", ""))
        report = ReportLink(player.id, letter.kind, now, match, epoch=player.epoch)
        with speaking(player.language):
            return compose(ReaderContext(player, links, now, report), letter)

    return composed


def to_seat(compose: Callable[[SeatContext, QueuedLetter], ComposedLetter]) -> Compose:
    """A letter about a seat of a match, which its reader sees from that seat only."""

    def composed(letter: QueuedLetter, links: Links, now: int) -> ComposedLetter:
        assert letter.match is not None, f"{letter.kind} is about a match"
        assert letter.seat is not None, f"{letter.kind} goes to a seat"
        player, match = get_player(letter.player), get_match(letter.match)
        report = ReportLink(player.id, letter.kind, now, match.id, letter.seat, player.epoch)
        upto = letter.about.get("seq")
        with speaking(player.language):
            context = SeatContext(player, links, now, report, match, letter.seat, upto)
            return compose(context, letter)

    return composed


# --- what several kinds ask ----------------------------------------------------------------------


def is_for_player_epoch(letter: QueuedLetter) -> bool:
    """Whether the links of its player were not renewed meanwhile."""
    return letter.facts.player_epoch == letter.epoch


def is_for_seat_epoch(letter: QueuedLetter) -> bool:
    """Whether the links of its seat were not renewed meanwhile."""
    return letter.facts.seat_epoch == letter.epoch
