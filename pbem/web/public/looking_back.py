"""A match looked back on: its turns, the board after each, its battles, and figures over time.

Everything comes from what the public log keeps, in one pass; nothing is played again for a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flask import url_for
from markupsafe import Markup
from msgspec.structs import replace

from engine.abilities import BattleMark, Battles, Chronicles, Maps, Picture
from engine.core import BattleAccount, Event, Figure, PlayedTurn, Table
from pbem.i18n import gettext, spoken
from pbem.services.records.match_rows import LIVE, OVER, MatchRecord
from pbem.web.public import line_chart
from pbem.web.public.line_chart import Chart, Line
from pbem.web.shared import board_view
from pbem.web.shared.map_view import MapShown, map_shown
from pbem.web.shared.public_log import Noticed

MOST_POINTS = 100
MOST_TICKS = 8
LONGEST_NUMBER = 6


class CountedStep(NamedTuple):
    """A step of the course that counts."""

    number: int
    """Among those that spectators can notice."""
    noticed: Noticed


class Turn(NamedTuple):
    """The steps that were taken while it was on."""

    played: PlayedTurn
    steps: list[CountedStep]

    @property
    def state(self) -> Any:
        """After it, or as far as it has come."""
        return self.steps[-1].noticed.state


class TurnLink(NamedTuple):
    number: int
    title: str
    address: str
    battles: int
    is_shown: bool


class Volley(NamedTuple):
    """Lines of a battle that one step told."""

    step: int
    entry: int | None
    """Its number in the file of the match, once that can be had."""
    lines: list[str]


class Part(NamedTuple):
    heading: str
    volleys: list[Volley]


class Battle(NamedTuple):
    title: str
    parts: list[Part]
    result: list[str]


class Shown(NamedTuple):
    """One turn, as `web/match/_past.html` shows it."""

    number: int
    title: str
    is_on: bool
    """Whether it is not over yet."""
    map: MapShown | None
    board: board_view.Board
    battles: list[Battle] | None
    """None: the game has none."""
    earlier: str
    """Where the turn before it is shown; empty: nowhere."""
    later: str
    zoom: str


class Plot(NamedTuple):
    title: str
    svg: Markup


class Legend(NamedTuple):
    sign: str
    name: str
    sample: Markup


class Past(NamedTuple):
    """All turns of a match in short, and figures of all of them."""

    turns: list[TurnLink]
    plots: list[Plot]
    legend: list[Legend]
    tables: tuple[Table, ...]


class LookingBack:
    """A match that has turns to look back on; `turns` is empty where it has none.

    A part of the map that is none is the whole.
    """

    def __init__(self, match: MatchRecord, noticed: Sequence[Noticed], zoom: str) -> None:
        self.match, self.game = match, match.game
        self.turns = _turns(match, noticed)
        self.zoom = zoom if zoom in _zooms(match) else ""

    def find(self, asked: str) -> int | None:
        """The place of the turn that an address asks for, the newest if it asks for none."""
        if not asked:
            return len(self.turns) - 1
        if not (asked.isascii() and asked.isdigit() and len(asked) <= LONGEST_NUMBER):
            return None
        numbers = [turn.played.number for turn in self.turns]
        return numbers.index(int(asked)) if int(asked) in numbers else None

    # --- one turn ---------------------------------------------------------------------------------

    def shown(self, place: int) -> Shown:
        turn = self.turns[place]
        view, is_newest = self._view(turn), place == len(self.turns) - 1
        if is_newest and self.match.status != LIVE:
            view = self.game.closed(view)
        told, events = _told(turn)
        fought = self._fought(events)
        picture = Picture()
        if isinstance(self.game, Maps):
            picture = self.game.picture(view, self._before(place))
            marks = tuple(BattleMark(battle.space) for battle in fought) or picture.battles
            picture = replace(picture, zoom=self.zoom, battles=marks)
        number = turn.played.number
        return Shown(
            number,
            self.title(turn),
            is_newest and self.match.status == LIVE and self._is_on(turn),
            map_shown(self.game, view, picture, lambda key: self._address(number, key)),
            board_view.in_words(self.game, view)
            if isinstance(self.game, Maps)
            else board_view.board(self.game, view),
            [self._battle(battle, told, events) for battle in fought]
            if isinstance(self.game, Battles)
            else None,
            self._address(self.turns[place - 1].played.number, self.zoom) if place else "",
            "" if is_newest else self._address(self.turns[place + 1].played.number, self.zoom),
            self.zoom,
        )

    def _before(self, place: int) -> Any:
        """The view at the beginning of a turn."""
        first = self.turns[place].steps[0].noticed.state
        return self._view(self.turns[place - 1]) if place else self.game.view(first, None)

    def _is_on(self, turn: Turn) -> bool:
        assert isinstance(self.game, Chronicles)
        return bool(self.game.turn_of(self._view(turn)).number == turn.played.number)

    def _view(self, turn: Turn) -> Any:
        return self.game.view(turn.state, None)

    def title(self, turn: Turn) -> str:
        title = self.game.say(turn.played.title, spoken())
        return title[:1].upper() + title[1:]

    def _address(self, number: int, zoom: str) -> str:
        """Without a word of the part that is the whole; a browser without script goes on there."""
        return url_for(
            "match.show", match_id=self.match.id, turn=number, zoom=zoom or None, _anchor="past"
        )

    # --- battles ----------------------------------------------------------------------------------

    def _fought(self, events: Sequence[Event]) -> tuple[BattleAccount, ...]:
        return self.game.battles(events) if isinstance(self.game, Battles) else ()

    def _battle(
        self, battle: BattleAccount, told: Sequence[CountedStep], events: Sequence[Event]
    ) -> Battle:
        def said(place: int) -> str:
            return self.game.say(events[place].text, spoken())

        parts = [
            Part(
                "" if part.heading is None else said(part.heading),
                self._volleys(part.told, told, events),
            )
            for part in battle.parts
        ]
        if not parts:  # the guns that open an account missed
            parts = [Part("", self._volleys((battle.opening,), told, events))]
        return Battle(said(battle.opening), parts, [said(place) for place in battle.result])

    def _volleys(
        self, places: Sequence[int], told: Sequence[CountedStep], events: Sequence[Event]
    ) -> list[Volley]:
        """Lines by the step that told them."""
        found: list[Volley] = []
        for place in places:
            step = told[place]
            if not found or found[-1].step != step.number:
                entry = step.noticed.entry.seq if self.match.status == OVER else None
                found.append(Volley(step.number, entry, []))
            found[-1].lines.append(self.game.say(events[place].text, spoken()))
        return found

    # --- all turns --------------------------------------------------------------------------------

    def past(self, place: int) -> Past:
        game = self.game
        assert isinstance(game, Chronicles)
        links = [
            TurnLink(
                turn.played.number,
                self.title(turn),
                self._address(turn.played.number, self.zoom),
                len(self._fought(_told(turn)[1])),
                number == place,
            )
            for number, turn in enumerate(self.turns)
        ]
        legend = [
            Legend(party.sign, party.name.in_(spoken()), line_chart.sample(number))
            for number, party in enumerate(game.parties())
        ]
        tables = game.tables(self._view(self.turns[-1]), spoken())
        return Past(links, self._plots(), legend, tables)

    def _plots(self) -> list[Plot]:
        """Of the beginning and the ends of turns; of a long match, of some of them."""
        assert isinstance(self.game, Chronicles)
        start = self.game.view(self.turns[0].steps[0].noticed.state, None)
        kept = thinned(len(self.turns), MOST_POINTS)
        views = [start, *(self._view(self.turns[place]) for place in kept)]
        rounds = [0, *(self.turns[place].played.round for place in kept)]
        moments = [self.game.figures(view) for view in views]
        ticks = _ticks(rounds)
        return [self._plot(figures, ticks) for figures in zip(*moments, strict=True)]

    def _plot(self, figures: Sequence[Figure], ticks: Sequence[tuple[int, str]]) -> Plot:
        """One figure, moment by moment."""
        assert isinstance(self.game, Chronicles)
        title = self.game.say(figures[0].title, spoken())
        lines = [
            Line(party.name.in_(spoken()), party.sign, tuple(one.amounts[at] for one in figures))
            for at, party in enumerate(self.game.parties())
        ]
        words = gettext("%(side)s from %(first)s to %(last)s, at most %(most)s")
        said = "; ".join(
            words
            % {
                "side": line.name,
                "first": line.values[0],
                "last": line.values[-1],
                "most": max(line.values),
            }
            for line in lines
        )
        return Plot(title, line_chart.drawn(Chart(figures[0].key, title, said, lines, ticks)))


def _zooms(match: MatchRecord) -> set[str]:
    return {zoom.key for zoom in match.game.zooms()} if isinstance(match.game, Maps) else set()


def _turns(match: MatchRecord, noticed: Sequence[Noticed]) -> list[Turn]:
    """Steps by the turn that was on when they were taken; what was taken back is left out."""
    game = match.game
    if not isinstance(game, Chronicles):
        return []
    turns, on = list[Turn](), None
    for step in counting(noticed):
        now = game.turn_of(game.view(step.noticed.state, None))
        home = now if on is None else on
        if not turns or turns[-1].played.number != home.number:
            turns.append(Turn(home, []))
        turns[-1].steps.append(step)
        on = now
    return turns


def counting(noticed: Sequence[Noticed]) -> list[CountedStep]:
    """Those of the course that counts; without those whose position was not kept."""
    found: list[CountedStep] = []
    for number, one in enumerate(noticed):
        if one.entry.kind == "rewind":
            back = int(one.entry.text)
            found = [step for step in found if step.noticed.entry.seq <= back]
        elif one.state is not None:
            found.append(CountedStep(number, one))
    return found


def _told(turn: Turn) -> tuple[list[CountedStep], list[Event]]:
    """All that was told in a turn, and by which step."""
    pairs = [(step, event) for step in turn.steps for event in step.noticed.events]
    return [step for step, _ in pairs], [event for _, event in pairs]


def thinned(count: int, most: int) -> list[int]:
    """So many places at most, evenly, the last among them."""
    every = -(-count // most)
    return sorted(range(count - 1, -1, -max(1, every)))


def _ticks(rounds: Sequence[int]) -> list[tuple[int, str]]:
    """Where rounds begin, which is the point before the end of their first turn; of many, some."""
    first = {number: place for place, number in reversed(list(enumerate(rounds)))}
    numbers = sorted(set(first) - {0})
    every = -(-len(numbers) // MOST_TICKS)
    return [(max(0, first[number] - 1), str(number)) for number in numbers[:: max(1, every)]]
