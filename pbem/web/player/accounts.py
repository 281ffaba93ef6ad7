"""What was told on the page of a turn, with each battle to be unfolded.

It stays as it is while orders are composed; so it is read and set once, not after every press.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from flask import get_template_attribute
from markupsafe import Markup

from engine.abilities import Battles
from engine.core import BattleAccount, Event
from engine.text import repeated
from pbem.i18n import spoken
from pbem.services.match.match_log import Told
from pbem.services.records.match_rows import MatchRecord, TurnRecord
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting
from pbem.web.shared.match_text import Happening


class Story(NamedTuple):
    """What a seat was told before and in its turn, as HTML."""

    since: Markup
    """Since its last turn."""
    latest: Markup
    """In this turn, by the last entry or, where there are no battles, by all."""
    earlier: Markup
    """In this turn before that."""


def story(match: MatchRecord, turn: TurnRecord) -> Story:
    """What is told with battles to be unfolded; nothing of it changes while the head does not."""
    return _told_once("battles", match, turn, _with_battles)


def plain_story(match: MatchRecord, turn: TurnRecord) -> Story:
    """The same line by line."""
    return _told_once("plain", match, turn, _plain)


def _told_once(
    how: str,
    match: MatchRecord,
    turn: TurnRecord,
    work: Callable[[MatchRecord, TurnRecord], Story],
) -> Story:
    key = how, match.id, match.head, turn.id, match.seat(turn.seat).name, spoken()
    found = hosting().stories.answer(key, lambda: work(match, turn))
    assert isinstance(found, Story)
    return found


def _with_battles(match: MatchRecord, turn: TurnRecord) -> Story:
    account = get_template_attribute("web/play/_told.html", "account")
    seat = match.seat(turn.seat).name
    since = accounts(match, match_text.told_since_last_turn(match, turn))
    so_far = accounts(match, match_text.told_in_turn(match, turn, seat))
    return Story(
        account(since, "since"),
        account(so_far[-1:], "now", True) if so_far else Markup(),
        account(so_far[:-1], "earlier") if len(so_far) > 1 else Markup(),
    )


def retold(match: MatchRecord, told: Sequence[Told]) -> Markup:
    """What was told in a turn that is over, with its battles to be unfolded if it has any."""
    if isinstance(match.game, Battles):
        account = get_template_attribute("web/play/_told.html", "account")
        return Markup(account(accounts(match, told), "played"))
    lines = get_template_attribute("web/play/_parts.html", "story")
    return Markup(lines(match_text.happenings(match, told)))


def _plain(match: MatchRecord, turn: TurnRecord) -> Story:
    lines = get_template_attribute("web/play/_parts.html", "story")
    so_far = match_text.in_turn(match, turn, match.seat(turn.seat).name)
    since = match_text.since_last_turn(match, turn)
    return Story(lines(since), lines(so_far) if so_far else Markup(), Markup())


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
        happening = match_text.happening(match, Told(one.entry, ()))
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
