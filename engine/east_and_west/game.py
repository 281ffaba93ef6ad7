"""East & West behind the Game protocol: each method hands over to the room that knows."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import text as words
from engine.abilities import (
    Alliances,
    Battles,
    Briefings,
    Chapter,
    Chronicles,
    Heard,
    Inquiries,
    Inquiry,
    Maps,
    Odds,
    OrderSheets,
    Picture,
    PlannedBattle,
    Preset,
    Presets,
    Prospects,
    Sheet,
    StandingOrders,
    StandIns,
    Zoom,
    nothing_heard,
)
from engine.core import (
    BadSetup,
    BattleAccount,
    Choice,
    Dice,
    Event,
    Figure,
    Illustration,
    Json,
    Language,
    Leaflet,
    Name,
    Option,
    Outcome,
    Party,
    PlayedTurn,
    Seat,
    Setup,
    Step,
    Table,
    Text,
)
from engine.east_and_west.board import Variant
from engine.east_and_west.bot.prospect import prospect
from engine.east_and_west.bot.stand_in import StandIn
from engine.east_and_west.briefing import (
    battle_log,
    changes,
    chronicle,
    figures,
    lessons,
    report,
    situation,
)
from engine.east_and_west.check import faults
from engine.east_and_west.combat import scenario
from engine.east_and_west.course.setup import new_board
from engine.east_and_west.data import seating
from engine.east_and_west.data.chart import WORLD, part_with, parts
from engine.east_and_west.draw import ascii, html, narrate, standing_text, svg
from engine.east_and_west.draw.illustrations import POSTER, illustrations, leaflet
from engine.east_and_west.draw.reference import reference
from engine.east_and_west.orders import by_seat, registry, rules
from engine.east_and_west.secrecy import imagine, view
from engine.east_and_west.sheet import assembly
from engine.east_and_west.state import State
from engine.east_and_west.view import View
from engine.game import Game
from engine.sparring import Lessons

Action = Any
"""The struct of one of the verbs in registry.VERBS."""


class EastAndWest(
    Game[State, Action, View],
    StandingOrders[State, Action],
    Inquiries[State],
    Alliances[View],
    Battles,
    Briefings[View],
    Chronicles[View],
    Lessons[View],
    Maps[View],
    Odds,
    OrderSheets[State],
    Presets,
    Prospects[State],
    StandIns,
):
    name = "east_and_west"
    title = Name("East & West", "East & West", "East & West")
    rules_version = 3
    style = svg.STYLE

    def choices(self) -> tuple[Choice, ...]:
        return CHOICES

    def presets(self) -> tuple[Preset, ...]:
        return PRESETS

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return seating.seats(variant(setup).nato)

    def seat_name(self, seat: Seat) -> Name:
        return seating.SEAT_NAMES[seat]

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        return rules.new_game(variant(setup))

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return by_seat.waiting_on(state)

    def outcome(self, state: State) -> Outcome | None:
        return seating.ended(state.board.variant.nato, state.board.result)

    def options(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Action], ...]:
        return by_seat.options(state, seat, prefix)

    def any_time(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Action], ...]:
        return by_seat.any_time(state, seat, prefix)

    def is_any_time(self, action: Action) -> bool:
        return registry.is_any_time(action)

    def apply(self, state: State, seat: Seat, action: Action, dice: Dice) -> Step[State]:
        return by_seat.apply(state, seat, action, dice)

    def inquiry(self, state: State, seat: Seat) -> Inquiry | None:
        by = seating.seat_of(state.board.variant.nato, state.board.turn.power)
        if seat not in self.waiting_on(state) or by == seat:
            return None
        return Inquiry(by, narrate.asked_for(state.board))

    def allies(self, seat: Seat) -> tuple[Seat, ...]:
        return seating.allies(seat)

    def plans(self, view: View) -> tuple[str, ...]:
        return standing_text.own_orders(view)

    def default_action(self, state: State, seat: Seat) -> Action | None:
        return by_seat.default_action(state, seat)

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def closed(self, view: View) -> View:
        return replace(view, is_closed=view.board.result is None)

    def imagine(self, view: View, dice: Dice) -> State:
        return imagine(view)

    def prospect(self, state: State, seat: Seat) -> float:
        return prospect(state.board, seating.powers(state.board.variant.nato, seat)[0])

    def stand_in(self, seed: str) -> StandIn:
        return StandIn(seed)

    def lessons(self, view: View) -> tuple[Text, ...]:
        return lessons.lessons(view)

    def odds(self, battle: PlannedBattle) -> tuple[str, ...]:
        return scenario.told_odds(battle)

    def sheet(
        self, state: State, seat: Seat, asks: Mapping[str, str] = {}, heard: Heard = nothing_heard
    ) -> Sheet:
        return assembly.sheet(state, seat, asks, heard)

    def compose(
        self,
        state: State,
        seat: Seat,
        fields: Mapping[str, str],
        heard: Heard = nothing_heard,
    ) -> tuple[str, ...]:
        return assembly.compose(state, seat, fields, heard)

    def in_words(self, state: State, seat: Seat, order: str) -> Text:
        return assembly.in_words(state, order)

    def doubts(self, state: State, seat: Seat) -> Mapping[str, Text]:
        return assembly.doubts(state, seat)

    def pasted(self, text: str) -> tuple[tuple[int, str], ...]:
        return assembly.pasted(text)

    def render(
        self, view: View, width: int = 72, language: Language = "en", news: bool = True
    ) -> str:
        return ascii.render(view, width, language, self.say, news)

    def markup(self, view: View, language: Language = "en") -> str:
        return html.markup(view, language, self.say)

    def narrate(self, view: View, language: Language = "en", news: bool = True) -> str:
        return narrate.narrate(view, language, self.say, news)

    def draw(self, view: View, language: Language = "en") -> str:
        return svg.draw(view, self.picture(view), language, self.say)

    def zooms(self, language: Language = "en") -> tuple[Zoom, ...]:
        return tuple(
            Zoom("" if key == WORLD else key, part.title.in_(language))
            for key, part in parts().items()
        )

    def zoom_on(self, spaces: frozenset[str]) -> str:
        key = part_with(spaces)
        return "" if key == WORLD else key

    def picture(self, view: View, earlier: View | None = None) -> Picture:
        return svg.picture(view, earlier)

    def draw_map(self, view: View, picture: Picture, language: Language = "en") -> str:
        return svg.draw(view, picture, language, self.say)

    def stands_at(self, view: View) -> Text | None:
        return narrate.round_only(view)

    def headline(self, view: View) -> Text:
        return narrate.headline(view)

    def retold(self, before: View | None, events: Sequence[Event]) -> tuple[Chapter, ...]:
        return chronicle.retold(before, events)

    def parties(self) -> tuple[Party, ...]:
        return figures.PARTIES

    def turn_of(self, view: View) -> PlayedTurn:
        return figures.turn_of(view.board)

    def figures(self, view: View) -> tuple[Figure, ...]:
        return figures.figures(view)

    def tables(self, view: View, language: Language = "en") -> tuple[Table, ...]:
        return figures.tables(view, language, self.say)

    def battles(self, events: Sequence[Event]) -> tuple[BattleAccount, ...]:
        return battle_log.battles(events)

    def situation(self, view: View) -> tuple[Chapter, ...]:
        return situation.situation(view)

    def changed(self, view: View, earlier: View | None) -> tuple[frozenset[str], ...]:
        return changes.changed(view, earlier)

    def report(
        self, view: View, earlier: View | None, width: int = 72, language: Language = "en"
    ) -> str:
        return report.text(view, earlier, width, language, self.say)

    def report_markup(self, view: View, earlier: View | None, language: Language = "en") -> str:
        return report.markup(view, earlier, language, self.say)

    def report_told(self, view: View, earlier: View | None, language: Language = "en") -> str:
        return report.sentences(view, earlier, language, self.say)

    def say(self, text: Text, language: Language = "en") -> str:
        return words.say(text, language, catalogue())

    def notate(self, action: Action) -> str:
        return registry.notate(action)

    def parse(self, text: str) -> Action:
        return registry.parse(text)

    def dump(self, state: State) -> str:
        return _encoder.encode(state).decode()

    def load(self, text: str) -> State:
        return _decoder.decode(text)

    def essence(self, state: State) -> State:
        result = state.board.result
        board = replace(state.board, headlines=(), result=result and result.wordless)
        return replace(state, board=board)

    def check(self, state: State) -> list[str]:
        return faults(state)

    def rules_text(self, language: Language = "en") -> str:
        return words.rules_in(__package__, language)

    def rule_of(self, refusal: Text) -> str:
        return words.citations(__package__).get(refusal.msgid, "")

    def leaflet(self, language: Language = "en") -> Leaflet:
        view = View(None, new_board(Variant()))
        return leaflet(self.draw_map(view, POSTER, language), language, self.say)

    def illustrations(self, language: Language = "en") -> tuple[Illustration, ...]:
        start = new_board(Variant())
        return illustrations(start, self.draw(View(None, start), language), language, self.say)

    def reference(self, language: Language = "en") -> tuple[Table, ...]:
        return reference(new_board(Variant()), language, self.say)


# --- 17: what can be agreed before a match --------------------------------------------------------

SEATING = "nato"
_PEOPLE: dict[str, Text] = {
    "we,uk,usa": Text("4 people: one for each power"),
    "we+uk,usa": Text("3 people: one for Western Europe and the United Kingdom"),
    "we+usa,uk": Text("3 people: one for Western Europe and the USA"),
    "we,uk+usa": Text("3 people: one for the United Kingdom and the USA"),
    "we+uk+usa": Text("2 people: one for all of NATO"),
}
ROUNDS = "rounds"
"""Other numbers than those on offer are possible, too."""
_LENGTHS = ("30", "20", "15", "10")
_MOST_ROUNDS = 99
_SWITCHES: dict[str, Text] = {
    "fast_game": Text("Fast game: other conditions of victory"),
    "simple_battleships": Text("Battleships are repaired free of charge, anywhere"),
    "nuclear_winter": Text("Nuclear winter: cheap bombs without complications"),
    "spy_vs_spy": Text("Spies succeed on 1 and 2, and there are twice as many"),
    "revolts": Text("Spies can stir up revolts in enemy lands worth 1"),
    "tech_war": Text("Research: a full step on 1 and 2, half a step on 3 and 4"),
    "ussr_start_52": Text("The USSR begins with 52 IPC instead of 48"),
    "china_any_nato": Text("Every NATO power may influence China"),
    "aa_overflight": Text("Guns fire at aircraft that fly over on their way to a battle"),
    "carrier_zone_free": Text("Entering your carrier's zone to land costs no movement"),
    "baltic_strait": Text("The Baltic is a strait held by West Germany"),
    "bomber_airlift": Text("Bombers may carry infantry to friendly lands"),
    "ignore_subs": Text("Ships need not stop in zones that hold only submarines"),
}
_HINTS: dict[str, Text] = {
    "fast_game": Text(
        "NATO wins by holding two Soviet factories for a turn, the USSR with a capital of NATO or "
        "an income of 72."
    ),
    "simple_battleships": Text("Otherwise a repair costs 10 IPC, in a zone at a factory."),
    "nuclear_winter": Text("The USSR can build bombs from the start; nobody protests."),
    "spy_vs_spy": Text("Otherwise only a 1 succeeds."),
    "revolts": Text("The troops there leave the game, and the land falls to the power of the spy."),
    "aa_overflight": Text("Otherwise guns fire only where the battle is."),
    "baltic_strait": Text("Whoever holds it opens and closes the Baltic to surface ships."),
    "ignore_subs": Text("Otherwise any enemy ship stops them."),
}
"""Where the label does not say all."""
_ON, _OFF = ("on", Text("yes")), ("off", Text("no"))
_USUAL = Variant()

CHOICES = (
    Choice(SEATING, Text("How many people play"), tuple(_PEOPLE.items())),
    Choice(
        ROUNDS,
        Text("Rounds after which the match is a draw"),
        tuple(
            (length, Text("{rounds:# round|# rounds}", {"rounds": int(length)}))
            for length in _LENGTHS
        ),
    ),
    *(
        Choice(
            name,
            label,
            (_ON, _OFF) if getattr(_USUAL, name) else (_OFF, _ON),
            _HINTS.get(name),
        )
        for name, label in _SWITCHES.items()
    ),
)
PRESETS = (
    Preset(
        "fast",
        Text("A fast game: sooner won, and a draw after 15 rounds"),
        {"fast_game": "on", ROUNDS: "15"},
    ),
)


def variant(setup: Setup) -> Variant:
    """What a setup agrees on; BadSetup says what would have been right."""
    unknown = sorted(set(setup) - {choice.name for choice in CHOICES})
    if unknown:
        raise BadSetup(
            "no option {unknown}; there are {options}",
            unknown=", ".join(unknown),
            options=", ".join(choice.name for choice in CHOICES),
        )
    switches = {name: _switch(name, setup) for name in _SWITCHES}
    return Variant(_nato(setup), rounds=_rounds(setup.get(ROUNDS, _USUAL.rounds)), **switches)


def _switch(name: str, setup: Setup) -> bool:
    value = setup.get(name, "on" if getattr(_USUAL, name) else "off")
    if value not in ("on", "off"):
        raise BadSetup("{option} is {value}; it can be on or off", option=name, value=repr(value))
    return bool(value == "on")


def _nato(setup: Setup) -> str:
    value = setup.get(SEATING, _USUAL.nato)
    if value not in tuple(seating.SEATINGS):
        raise BadSetup(
            "{option} is {value}; it can be {values}",
            option=SEATING,
            value=repr(value),
            values=", ".join(map(repr, seating.SEATINGS)),
        )
    return str(value)


def _rounds(value: Json) -> int:
    """One of those on offer, or any other number of rounds."""
    number = str(value)
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= _MOST_ROUNDS):
        raise BadSetup(
            "rounds is {value}; it can be a number from 1 to {most}",
            value=repr(value),
            most=_MOST_ROUNDS,
        )
    return int(number)


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(State)


@cache
def catalogue() -> words.Catalogue:
    text = (resources.files(__package__) / "texts.toml").read_text("utf-8")
    return tomllib.loads(text)
