"""Which of the things that were told belong to which battle, with every die."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import BattleAccount, BattlePart, Event, Name, Text
from engine.east_and_west.briefing.stories import Story
from engine.east_and_west.report import (
    BEGINS,
    CAPTURES,
    ENDS,
    FLAK,
    LOSES,
    ROUND,
    space_called,
)

SHELLING = "Bombardment of {space}"
RAID = "{power} bombs the factory in {land}"
RAIDED = "Bombs on the factory in {land}: {faces}; {power} pays {paid}"
COMPLICATIONS = "{power}, atomic attack on {target}, complications: {faces}"
BOMB = "{power}: {bomb} on {target}"
DUD = "The bomb on {target} does not explode"
STORED = "Bombs stored in {space}, going off on {number}: {faces}"
ESCAPE = "Escape of the bomber, lost on {number}: {faces}"
SHOT_DOWN = "The bomber on its way to {target} is shot down with its bomb"
INTERCEPTED = "The missile on {target} is destroyed"

_PLACE = {
    BEGINS: "space",
    RAID: "land",
    FLAK: "space",
    COMPLICATIONS: "target",
    BOMB: "target",
    DUD: "target",
}
"""What begins an account, and which of its words is the place; guns open one where none is open."""
_HEADINGS = (ROUND, SHELLING)
_RESULTS = (ENDS, RAIDED, SHOT_DOWN, INTERCEPTED)
_OF_SHOTS = (FLAK, LOSES, STORED, ESCAPE)
"""What may be told of guns and bombs, which have no end of their own."""


def battles(events: Sequence[Event]) -> tuple[BattleAccount, ...]:
    """One after the other: no battle begins before another is over."""
    reader = _Reader()
    for number, event in enumerate(events):
        reader.hear(number, event.text)
    return tuple(told.account() for told in reader.found)


class _Told:
    """A battle on its way into the log."""

    def __init__(self, number: int, text: Text) -> None:
        self.opening, self.is_fought = number, text.msgid in (BEGINS, RAID)
        self.place = text.params[_PLACE[text.msgid]]
        self._parts: list[tuple[int | None, list[int]]] = []
        self._result: list[int] = []
        self._story = _story(text)

    @property
    def is_over(self) -> bool:
        return bool(self._result)

    def heading(self, number: int) -> None:
        self._parts.append((number, []))

    def line(self, number: int, text: Text) -> None:
        if not self._parts:
            self._parts.append((None, []))
        self._parts[-1][1].append(number)
        if self._story is not None:
            self._story.hear(text)

    def end(self, number: int, text: Text) -> None:
        """How it ended, and whose the land is then."""
        self._result.append(number)
        if self._story is not None:
            if text.msgid in CAPTURES:
                self._story.result = text
            else:
                self._story.hear(text)

    def account(self) -> BattleAccount:
        assert isinstance(self.place, Name), self.place
        parts = tuple(BattlePart(heading, tuple(told)) for heading, told in self._parts)
        story = None if self._story is None else self._story.sentences()
        return BattleAccount(
            space_called(self.place), self.opening, parts, tuple(self._result), story
        )


def _story(opening: Text) -> Story | None:
    """Of a battle; raids and bombs are told in a line or two anyway."""
    space, power = opening.params.get("space"), opening.params.get("power")
    if opening.msgid != BEGINS or not isinstance(space, Name) or not isinstance(power, Name):
        return None
    story = Story(space, power)
    story.hear(opening)
    return story


class _Reader:
    """Hears one thing after the other, and knows which battle is on."""

    def __init__(self) -> None:
        self.found: list[_Told] = []
        self._now: _Told | None = None

    def hear(self, number: int, text: Text) -> None:
        on = self._now
        if text.msgid in _RESULTS:
            self._end(number, text)
        elif text.msgid in CAPTURES:
            self._conquered(number, text)
        elif text.msgid in _PLACE and not (text.msgid == FLAK and on is not None):
            self._now = _Told(number, text)
            self.found.append(self._now)
        elif on is not None and text.msgid in _HEADINGS:
            on.heading(number)
        elif on is not None and (on.is_fought or text.msgid in _OF_SHOTS):
            on.line(number, text)
        else:
            self._now = None

    def _end(self, number: int, text: Text) -> None:
        """A battle that nobody fought has an end without a beginning."""
        if self._now is not None:
            self._now.end(number, text)
        self._now = None

    def _conquered(self, number: int, text: Text) -> None:
        """The land of a battle that has just ended; others fall by themselves."""
        last = self.found[-1] if self.found else None
        if last is not None and last.is_over and last.place == text.params["land"]:
            last.end(number, text)
