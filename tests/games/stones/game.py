"""Stones behind the promises of a game: rules first, then what people see."""

from __future__ import annotations

import tomllib
from importlib import resources

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine import text as words
from engine.core import (
    BadNotation,
    BadSetup,
    Dice,
    Event,
    Language,
    Name,
    NotYourTurn,
    Option,
    Outcome,
    Seat,
    Setup,
    Step,
    Text,
)
from engine.game import Game

SEATS = RED, BLUE = Seat("red"), Seat("blue")
NAMES = {RED: Name("Red", "Rot", "Rouge"), BLUE: Name("Blue", "Blau", "Bleu")}
HERE = resources.files(__package__)
TEXTS = tomllib.loads((HERE / "texts.toml").read_text("utf-8"))
ROUNDS = 3


class Board(Struct, frozen=True):
    """What lies open."""

    played: int = 0
    points: tuple[int, int] = (0, 0)
    has_hidden: tuple[bool, bool] = (False, False)
    news: tuple[Text, ...] = ()

    def waiting_on(self) -> frozenset[Seat]:
        hidden = self.has_hidden if self.played < ROUNDS else (True, True)
        return frozenset(seat for seat, done in zip(SEATS, hidden, strict=True) if not done)


class State(Struct, frozen=True):
    board: Board
    fists: tuple[int, int] = (0, 0)
    """The stones of Red and of Blue; 0 before they are hidden."""


class View(Struct, frozen=True):
    board: Board
    seat: Seat | None
    own: int = 0
    is_closed: bool = False


class Hide(Struct, frozen=True):
    stones: int


class Stones(Game[State, Hide, View]):
    name = "stones"
    title = Name("Stones", "Steine", "Cailloux")
    rules_version = 1
    style = "text{font:16px sans-serif;fill:#222}circle{fill:#555}rect{fill:#fff}"

    def seats(self, setup: Setup) -> tuple[Seat, ...]:
        return SEATS

    def seat_name(self, seat: Seat) -> Name:
        return NAMES[seat]

    def new_game(self, setup: Setup, dice: Dice) -> Step[State]:
        if setup:
            raise BadSetup("there are no options")
        return Step(State(Board()))

    def waiting_on(self, state: State) -> frozenset[Seat]:
        return state.board.waiting_on()

    def options(
        self, state: State, seat: Seat, prefix: tuple[str, ...] = ()
    ) -> tuple[Option[Hide], ...]:
        if seat not in self.waiting_on(state) or prefix not in ((), ("hide",)):
            return ()
        if not prefix:
            return (Option("hide", Text("hide stones")),)
        return tuple(
            Option(str(n), Text("in the fist: {stones}", {"stones": n}), Hide(n)) for n in (1, 2, 3)
        )

    def apply(self, state: State, seat: Seat, action: Hide, dice: Dice) -> Step[State]:
        if seat not in (asked := self.waiting_on(state)):
            raise NotYourTurn("you have hidden your stones" if asked else "the match is over")
        red, blue = state.fists
        fists = (action.stones, blue) if seat == RED else (red, action.stones)
        told = (Event(Text("{side} has hidden some stones.", {"side": NAMES[seat]})),)
        if 0 in fists:
            board = replace(state.board, has_hidden=(fists[0] > 0, fists[1] > 0))
            return Step(State(board, fists), told)
        (die,) = dice.roll(6, 1, "round")
        shown = Text(
            "Red hid {red}, Blue hid {blue}, the die shows {die}.",
            {"red": fists[0], "blue": fists[1], "die": die},
        )
        board = Board(state.board.played + 1, _scored(state, fists, die), news=(shown,))
        return Step(State(board), (*told, Event(shown)), final=True)

    def default_action(self, state: State, seat: Seat) -> Hide | None:
        return Hide(1) if seat in self.waiting_on(state) else None

    def outcome(self, state: State) -> Outcome | None:
        if self.waiting_on(state):
            return None
        red, blue = state.board.points
        if red == blue:
            return Outcome((), Text("Both have the same points."))
        winner = RED if red > blue else BLUE
        return Outcome((winner,), Text("{side} has more points.", {"side": NAMES[winner]}))

    def view(self, state: State, seat: Seat | None) -> View:
        return View(state.board, seat, state.fists[SEATS.index(seat)] if seat in SEATS else 0)

    def closed(self, view: View) -> View:
        return replace(view, is_closed=True)

    def imagine(self, view: View, dice: Dice) -> State:
        guessed = dice.roll(3, 2, "imagined")
        fists = [n if done else 0 for n, done in zip(guessed, view.board.has_hidden, strict=True)]
        if view.seat in SEATS:
            fists[SEATS.index(view.seat)] = view.own
        return State(view.board, (fists[0], fists[1]))

    def notate(self, action: Hide) -> str:
        return f"hide {action.stones}"

    def parse(self, text: str) -> Hide:
        match text.lower().split():
            case ["hide", "1" | "2" | "3" as stones]:
                return Hide(int(stones))
        raise BadNotation("'{order}' is no order; write: hide 1, hide 2 or hide 3", order=text)

    def dump(self, state: State) -> str:
        return msgspec.json.encode(state).decode()

    def load(self, text: str) -> State:
        return msgspec.json.decode(text, type=State)

    def essence(self, state: State) -> State:
        return State(replace(state.board, news=()), state.fists)

    def say(self, text: Text, language: Language = "en") -> str:
        return words.say(text, language, TEXTS)

    def render(
        self, view: View, width: int = 72, language: Language = "en", news: bool = True
    ) -> str:
        told = [words.plain(self.say(fact, language)) for fact in _facts(view, news)]
        return "\n".join(line for fact in told for line in words.wrap(fact, width))

    def narrate(self, view: View, language: Language = "en", news: bool = True) -> str:
        return "\n".join(self.say(fact, language) for fact in _facts(view, news))

    def draw(self, view: View, language: Language = "en") -> str:
        lines = self.narrate(view, language).splitlines()
        told = "".join(f'<text x="8" y="{24 * n}">{s}</text>' for n, s in enumerate(lines, 1))
        fists = "".join(f'<circle cx="{440 + 24 * n}" cy="18" r="8"/>' for n in range(view.own))
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 150" role="img">'
            f"<style>{self.style}</style>"
            f'<rect width="520" height="150"/>{told}{fists}</svg>'
        )

    def about(self) -> tuple[Text, ...]:
        return (Text("Both hide stones; a die says whether more or fewer of them win."),)

    def rules_text(self, language: Language = "en") -> str:
        return words.rules_in(__package__, language)


def _scored(state: State, fists: tuple[int, int], die: int) -> tuple[int, int]:
    """Rule 3: on 4 to 6 the greater number wins, else the smaller one."""
    difference = fists[0] - fists[1] if die > 3 else fists[1] - fists[0]
    red, blue = state.board.points
    return red + max(0, difference), blue + max(0, -difference)


def _facts(view: View, news: bool) -> list[Text]:
    board, (red, blue) = view.board, view.board.points
    asked = () if view.is_closed else sorted(board.waiting_on(), reverse=True)
    number = min(board.played + 1, ROUNDS)
    facts = [
        Text("Round {round} of {rounds}", {"round": number, "rounds": ROUNDS}),
        Text("Points: Red {red}, Blue {blue}", {"red": red, "blue": blue}),
    ]
    facts += board.news if news else ()
    facts += [Text("You have hidden {stones}.", {"stones": view.own})] if view.own else []
    question = "{side} is to hide one, two or three stones."
    facts += [Text(question, {"side": NAMES[seat]}) for seat in asked]
    return facts if asked else [*facts, Text("The match is over.")]
