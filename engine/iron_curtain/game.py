"""Iron Curtain behind the Game protocol: each method hands over to the room that knows."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache, partial
from importlib import resources
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine import text as words
from engine.abilities import (
    Chronicles,
    DeckProofs,
    Forecast,
    Forecasts,
    OwnDecks,
    Prospects,
    Rehearsals,
    StandingOrders,
)
from engine.core import (
    BadSetup,
    Choice,
    Dice,
    Figure,
    HeldCard,
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
    examine,
)
from engine.game import Game
from engine.iron_curtain import actions, options, rules, strengths
from engine.iron_curtain.actions import Action, Standing
from engine.iron_curtain.board import Country, Variant
from engine.iron_curtain.changes import UNTOLD
from engine.iron_curtain.check import faults
from engine.iron_curtain.deck import (
    SIDE_NAMES,
    SIDES,
    Deck,
    DeckDocument,
    Edition,
    deck_from,
    editions,
    standard_deck,
)
from engine.iron_curtain.draw import ascii, figures, html, narrate, svg
from engine.iron_curtain.draw.about import ABOUT
from engine.iron_curtain.draw.illustrations import illustrations, leaflet
from engine.iron_curtain.draw.lessons import lessons
from engine.iron_curtain.draw.palette import STYLE
from engine.iron_curtain.draw.reference import reference
from engine.iron_curtain.orders import orders
from engine.iron_curtain.prospect import prospect
from engine.iron_curtain.scoring import forecast
from engine.iron_curtain.secrecy import imagine, known_deck, view
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from engine.iron_curtain.view import View
from engine.sparring import Lessons, Planner, Strength, Strengths

STANDARD = "standard"


class IronCurtain(
    Game[State, Action, View],
    StandingOrders[State, Action],
    DeckProofs[State],
    Forecasts[View],
    Chronicles[View],
    Prospects[State],
    Rehearsals[State, Action],
    OwnDecks,
    Strengths,
    Lessons[View],
):
    name = "iron_curtain"
    title = Name("Iron Curtain", "Eiserner Vorhang", "Iron Curtain")
    rules_version = 1
    style = STYLE
    deck_option = "deck"

    def choices(self) -> tuple[Choice, ...]:
        return CHOICES

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return SIDES

    def seat_name(self, seat: Seat) -> Name:
        return SIDE_NAMES[seat]

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        return rules.new_game(variant(setup), dice)

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return _WAITING[state.stack[-1].seat] if state.result is None else frozenset()

    def outcome(self, state: State) -> Outcome | None:
        return state.result

    def options(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Action], ...]:
        return options.options(state, seat, prefix)

    def any_time(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Action], ...]:
        return options.any_time(state, seat, prefix)

    def is_any_time(self, action: Action) -> bool:
        return isinstance(action, Standing)

    def apply(self, state: State, seat: Seat, action: Action, dice: Dice) -> Step[State]:
        return rules.apply(state, seat, action)

    def orders(self, state: State, seat: Seat) -> Sequence[Action]:
        return orders(state, seat)

    def rehearsed(self, state: State, seat: Seat, action: Action) -> State:
        return rules.carry_out(state, seat, action, UNTOLD)

    def default_action(self, state: State, seat: Seat) -> Action | None:
        return options.default_action(state, seat)

    def view(self, state: State, seat: Seat | None) -> View:
        return view(state, seat)

    def closed(self, view: View) -> View:
        return replace(view, is_closed=view.result is None)

    def imagine(self, view: View, dice: Dice) -> State:
        return imagine(view, dice)

    def prospect(self, state: State, seat: Seat) -> float:
        return prospect(state, seat)

    def stand_in(self, seed: str) -> Planner:
        return strengths.partner(seed, strengths.USUAL)

    def strengths(self) -> tuple[Strength, ...]:
        return strengths.STRENGTHS

    def partner(self, seed: str, strength: str) -> Planner:
        return strengths.partner(seed, strength)

    def lessons(self, view: View) -> tuple[Text, ...]:
        return lessons(view)

    def deck(self, state: State) -> tuple[str, ...]:
        return state.order

    def known_deck(self, state: State, seat: Seat | None) -> dict[int, str]:
        return known_deck(state, seat)

    def render(
        self, view: View, width: int = 72, language: Language = "en", news: bool = True
    ) -> str:
        return ascii.render(view, width, language, self.say, news)

    def markup(self, view: View, language: Language = "en") -> str:
        return html.markup(view, language, self.say)

    def narrate(self, view: View, language: Language = "en", news: bool = True) -> str:
        return narrate.narrate(view, language, self.say, news)

    def draw(self, view: View, language: Language = "en") -> str:
        return svg.draw(view, language, self.say)

    def draw_table(self, view: View, language: Language = "en") -> str:
        return svg.table(view, language, self.say)

    def held(self, view: View, language: Language = "en") -> tuple[HeldCard, ...]:
        return svg.held(view, language, self.say)

    def question(self, view: View) -> Text:
        return narrate.question(view)

    def in_short(self, told: Text, count: int) -> Text | None:
        return narrate.in_short(told, count)

    def stands_at(self, view: View) -> Text:
        return narrate.round_only(view)

    def forecast(self, view: View) -> tuple[Forecast, ...]:
        return forecast(view)

    def parties(self) -> tuple[Party, ...]:
        return figures.PARTIES

    def turn_of(self, view: View) -> PlayedTurn:
        return figures.turn_of(view)

    def figures(self, view: View) -> tuple[Figure, ...]:
        return figures.figures(view)

    def tables(self, view: View, language: Language = "en") -> tuple[Table, ...]:
        return figures.tables(view, language, self.say)

    def say(self, text: Text, language: Language = "en") -> str:
        return words.say(text, language, catalogue())

    def notate(self, action: Action) -> str:
        return actions.notate(action)

    def parse(self, text: str) -> Action:
        return actions.parse(text)

    def dump(self, state: State) -> str:
        return _encoder.encode(state).decode()

    def load(self, text: str) -> State:
        deck = _agreed.decode(text).variant.deck
        return msgspec.json.decode(text, type=State, dec_hook=partial(_read, deck))

    def essence(self, state: State) -> State:
        return replace(state, news=(), result=state.result and state.result.wordless)

    def check(self, state: State) -> list[str]:
        return faults(state)

    def about(self) -> tuple[Text, ...]:
        return ABOUT

    def rules_text(self, language: Language = "en") -> str:
        return words.rules_in(__package__, language)

    def rule_of(self, refusal: Text) -> str:
        return words.citations(__package__).get(refusal.msgid, "")

    def leaflet(self, language: Language = "en") -> Leaflet:
        return leaflet(language, self.say)

    def illustrations(self, language: Language = "en") -> tuple[Illustration, ...]:
        return illustrations(language, self.say)

    def reference(self, language: Language = "en") -> tuple[Table, ...]:
        return reference(standard_deck(), language, self.say)


_WAITING = {seat: frozenset({seat}) for seat in SIDES}

CHOICES = (
    Choice(
        "edition",
        Text("Edition"),
        (
            ("en", Text("English: aftermath at most 3 points")),
            ("de", Text("German: aftermath without a limit")),
            ("fr", Text("French: as English, Central before South America at the end")),
        ),
    ),
    Choice(
        "connected",
        Text("Moved cards must keep the map connected"),
        (("off", Text("no")), ("on", Text("yes"))),
    ),
    Choice(
        IronCurtain.deck_option,
        Text("Deck"),
        ((STANDARD, Text("our reconstruction")),),
    ),
)


def variant(setup: Setup) -> Variant:
    """What a setup agrees on; BadSetup says what would have been right."""
    known = [choice.name for choice in CHOICES]
    unknown = sorted(set(setup) - set(known))
    if unknown:
        raise BadSetup(
            "no option {unknown}; there are {options}",
            unknown=", ".join(unknown),
            options=", ".join(known),
        )
    edition, connected = setup.get("edition", "en"), setup.get("connected", "off")
    if not isinstance(edition, str) or edition not in editions():
        raise BadSetup(
            "no edition {edition}; there are {editions}",
            edition=repr(edition),
            editions=", ".join(editions()),
        )
    if connected not in ("on", "off"):
        raise BadSetup("connected is {value}; it can be on or off", value=repr(connected))
    return Variant(edition, _chosen_deck(setup.get("deck", STANDARD)), connected == "on")


def _chosen_deck(choice: Json) -> Deck:
    if choice == STANDARD:
        return standard_deck()
    if isinstance(choice, dict):
        return deck_from(choice)
    raise BadSetup(
        "deck is {value}; it can be '{standard}' or the contents of a deck file",
        value=repr(choice),
        standard=STANDARD,
    )


@cache
def catalogue() -> words.Catalogue:
    text = (resources.files(__package__) / "texts.toml").read_text("utf-8")
    return tomllib.loads(text)


def _written(value: Any) -> Json:
    """A deck is written as what was chosen, a table as its countries."""
    if isinstance(value, Tableau):
        return value.countries
    assert isinstance(value, Deck), f"no way to write down {type(value)}"
    return STANDARD if value is standard_deck() else msgspec.to_builtins(value.document)


class _Agreed(Struct, frozen=True):
    """What is read of a state first, since the deck tells how to read the rest."""

    variant: Variant


def _read_deck(kind: type, data: Json) -> Deck:
    assert kind is Deck, f"no way to read {kind}"
    return _chosen_deck(data)


def _read(deck: Deck, kind: type, data: Json) -> Deck | Tableau:
    if kind is Deck:
        return deck
    assert kind is Tableau, f"no way to read {kind}"
    return Tableau.of(deck, msgspec.convert(data, tuple[Country, ...]))


_encoder = msgspec.json.Encoder(enc_hook=_written)
_agreed = msgspec.json.Decoder(_Agreed, dec_hook=_read_deck)
examine(State, tuple[Country, ...], DeckDocument, Edition)
