"""A match as frames: the board after each step, with somebody's eyes, and what was told.

A page holds all of them, so there may not be too many: of a long match there is one for each turn,
and its steps can be asked for in parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup
from msgspec.structs import replace

from engine.abilities import Alliances, Briefings, Maps
from engine.core import Event, Seat
from pbem.i18n import spoken
from pbem.services.match import match_log
from pbem.services.match.match_log import Told
from pbem.services.records.match_rows import LIVE, MatchRecord
from pbem.web.public.looking_back import CountedStep, LookingBack, counting, thinned
from pbem.web.shared import board_view, match_text
from pbem.web.shared.public_log import Noticed
from pbem.web.watching.eyes import Eyes

MOST_DRAWN = 12_000_000
"""Characters that are drawn for one page, in a second or two; what differs is much less."""
FEWEST, MOST = 12, 250
"""Frames that there is always room for, and never more, however small they are."""
PART = 24
"""Steps of a part; the last one may be shorter."""


class Hand(NamedTuple):
    side: str
    cards: tuple[board_view.Held, ...]
    said: tuple[str, ...]
    """What the seat had said in advance, as orders."""


class Chosen(NamedTuple):
    """A step that gets a frame."""

    step: CountedStep
    turn: int
    """The place of its turn in `Reel.turns`."""


class Frame(NamedTuple):
    number: int
    """Of its step."""
    turn: int
    told: match_text.Happening
    board: Markup
    hands: list[Hand]


class TurnMark(NamedTuple):
    number: int
    title: str


class Reel(NamedTuple):
    frames: list[Frame]
    turns: list[TurnMark]
    steps: list[int]
    """That there are to choose from; more than frames: some have none."""


class Extent(NamedTuple):
    """How much of a match is wanted."""

    turn: int | None
    """The place of one turn; None: all of them."""
    part: int | None
    """The place of one part of these steps; None: as many steps of all as there is room for."""


def reel(
    match: MatchRecord, noticed: Sequence[Noticed], eyes: Eyes, extent: Extent, zoom: str
) -> Reel:
    back = LookingBack(match, noticed, zoom)
    marks = [TurnMark(one.played.number, back.title(one)) for one in back.turns]
    steps = [
        Chosen(step, place)
        for place, one in enumerate(back.turns)
        for step in one.steps
        if extent.turn in (None, place)
    ] or [Chosen(step, 0) for step in counting(noticed)]
    artist = _Artist(match, eyes, back.zoom, noticed)
    drawn = artist.thinned(steps) if extent.part is None else artist.part(steps, extent.part)
    return Reel(list(drawn), marks, [one.step.number for one in steps])


def _kept(steps: list[Chosen], room: int) -> list[Chosen]:
    """As many as there is room for: the first, then the ends of turns, where these are several."""
    if len(steps) <= room:
        return steps
    ends = [
        one
        for one, later in zip(steps, [*steps[1:], None], strict=True)
        if later is None or later.turn != one.turn
    ]
    chosen = ends if len(ends) > 1 else steps[1:]
    return [steps[0], *(chosen[place] for place in thinned(len(chosen), room - 1))]


class _Artist:
    """Draws the frames of one page."""

    def __init__(
        self, match: MatchRecord, eyes: Eyes, zoom: str, noticed: Sequence[Noticed]
    ) -> None:
        self.match, self.game, self.eyes, self.zoom = match, match.game, eyes, zoom
        self.newest = noticed[-1]
        self.heard = _heard(match, eyes.seat)

    def thinned(self, steps: list[Chosen]) -> Iterator[Frame]:
        """As many of them as there is room for."""
        if not steps:
            return iter(())
        view = self._view(steps[0], self.eyes.seat)
        room = min(MOST, max(FEWEST, MOST_DRAWN // len(self._board(view, view))))
        return self._frames(steps, _kept(steps, room), None)

    def part(self, steps: list[Chosen], place: int) -> Iterator[Frame]:
        """All of one part of them."""
        start = PART * place
        part = steps[start : start + PART]
        before = self._view(steps[start - 1], self.eyes.seat) if part and start else None
        return self._frames(part, part, before)

    def _frames(
        self, steps: Sequence[Chosen], kept: Sequence[Chosen], before: Any
    ) -> Iterator[Frame]:
        """Of those kept; each tells what has happened since the one before it."""
        numbers = {one.step.number for one in kept}
        passed = list[CountedStep]()
        for chosen in steps:
            passed.append(chosen.step)
            if chosen.step.number not in numbers:
                continue
            view = self._view(chosen, self.eyes.seat)
            yield Frame(
                chosen.step.number,
                chosen.turn,
                self._told(before, passed),
                Markup(self._board(view, view if before is None else before)),
                [hand(self.match, seat, self._view(chosen, seat)) for seat in self.eyes.hands],
            )
            before, passed = view, []

    def _told(self, before: Any, steps: Sequence[CountedStep]) -> match_text.Happening:
        """The last of some steps; of several, all of them in short, where the game can do that."""
        entry = steps[-1].noticed.entry
        happening = match_text.happening(self.match, Told(entry, self._events(steps[-1])))
        if len(steps) == 1 or not isinstance(self.game, Briefings):
            return happening
        events = [event for step in steps for event in self._events(step)]
        told = [line for part in self.game.retold(before, events) for line in part.lines]
        return happening._replace(lines=[(self.game.say(line, spoken()), 1) for line in told])

    def _events(self, step: CountedStep) -> tuple[Event, ...]:
        return self.heard.get(step.noticed.entry.seq, step.noticed.events)

    def _view(self, chosen: Chosen, seat: Seat | None) -> Any:
        view = self.game.view(chosen.step.noticed.state, seat)
        is_end = chosen.step.noticed is self.newest and self.match.status != LIVE
        return self.game.closed(view) if is_end else view

    def _board(self, view: Any, before: Any) -> str:
        """Drawn with what has changed since the frame before it, where the game marks that."""
        if not isinstance(self.game, Maps):
            return self.game.draw_table(view, spoken())
        picture = replace(self.game.picture(view, before), zoom=self.zoom)
        return str(self.game.draw_map(view, picture, spoken()))


def hand(match: MatchRecord, seat: Seat, view: Any) -> Hand:
    """What a seat held and had said in advance, of its own view."""
    game = match.game
    said = game.plans(view) if isinstance(game, Alliances) else ()
    return Hand(match_text.seat_title(match, seat), board_view.held(game, view), said)


def _heard(match: MatchRecord, seat: Seat | None) -> Mapping[int, tuple[Event, ...]]:
    """What a seat was told, by entry; empty for spectators, whose steps know it already."""
    if seat is None:
        return {}
    told = match_log.told_since(match, seat, -1, match.head_seq)
    return {one.entry.seq: one.events for one in told}
