"""What was told on the page of a turn, with each battle to be unfolded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.abilities import Battles
from engine.core import BattleAccount, Event
from engine.text import repeated
from pbem.i18n import spoken
from pbem.services.match.match_log import Told
from pbem.services.records.match_rows import MatchRecord
from pbem.web.shared import match_text
from pbem.web.shared.match_text import Happening


class Line(NamedTuple):
    text: str
    times: int
    """How often it was told in a row."""


class Part(NamedTuple):
    """Such as a round."""

    heading: str
    lines: list[str]


class Battle(NamedTuple):
    number: int
    """Among those of the page."""
    summary: str
    opening: str
    """Empty where the summary says it already; so is the result."""
    parts: list[Part]
    result: list[str]


class Account(NamedTuple):
    """One entry of the log: what it was, and all that it told."""

    happening: Happening
    told: list[Line | Battle]

    @property
    def battles(self) -> list[Battle]:
        return [item for item in self.told if isinstance(item, Battle)]


def accounts(match: MatchRecord, told: Sequence[Told]) -> list[Account]:
    """Entries that told something. A battle that several have told stands with the last of them."""
    events = [event for one in told for event in one.events]
    battles = match.game.battles(events) if isinstance(match.game, Battles) else ()
    reader = _Reader(match, events, battles)
    found, start = list[Account](), 0
    for one in told:
        stop = start + len(one.events)
        happening = match_text.happening(match, one)._replace(lines=[])
        found.append(Account(happening, reader.items(start, stop)))
        start = stop
    return [one for one in found if one.told or one.happening.kind != "action"]


class _Reader:
    """Knows which battle each event belongs to."""

    def __init__(
        self, match: MatchRecord, events: Sequence[Event], battles: Sequence[BattleAccount]
    ) -> None:
        self._said = match_text.said(match, events)
        self._match = match
        self._in_battle = {place for battle in battles for place in _places(battle)}
        self._ending = {
            max(_places(battle)): (number, battle) for number, battle in enumerate(battles, 1)
        }

    def items(self, start: int, stop: int) -> list[Line | Battle]:
        found, loose = list[Line | Battle](), list[str]()
        for place in range(start, stop):
            if place not in self._in_battle:
                loose.append(self._said[place])
            elif place in self._ending:
                found += [Line(*line) for line in repeated(loose)]
                found.append(self._battle(*self._ending[place]))
                loose = []
        return [*found, *(Line(*line) for line in repeated(loose))]

    def _battle(self, number: int, battle: BattleAccount) -> Battle:
        opening = self._said[battle.opening]
        result = [self._said[place] for place in battle.result]
        parts = [
            Part(
                "" if part.heading is None else self._said[part.heading],
                [self._said[place] for place in part.told],
            )
            for part in battle.parts
        ]
        if battle.story is None:
            return Battle(number, "; ".join([opening, *result]), "", parts, [])
        story = self._match.game.say(battle.story, spoken())
        return Battle(number, story, opening, parts, result)


def _places(battle: BattleAccount) -> list[int]:
    headings = [part.heading for part in battle.parts if part.heading is not None]
    told = [place for part in battle.parts for place in part.told]
    return [battle.opening, *headings, *told, *battle.result]
