"""Three hundred random matches as digests, so that a faster engine is held to the slower one.

Every order, state and refusal of a match goes into two digests: one of the rules, one of all words
that were told, offered and shown. After rewording a message the second ones change, after a change
of rules both. Write the file anew, and say in the commit why it differs:
python -m tests.engine.iron_curtain.recording
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from engine.chance import QuickDice, SealedDice
from engine.core import GameError, Json, Option, Seat
from engine.iron_curtain.deck import SIDES, Deck
from engine.iron_curtain.game import IronCurtain
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from tests.engine.iron_curtain.tables import deck_document

FILE = Path(__file__).parent / "recorded_matches.txt"
MATCHES = 300
LOOKS = 4
"""One of so many decisions is looked at from all sides."""
GAME = IronCurtain()
PLACES = ("here", "neighbours", "elsewhere", "europe", "africa", "asia", "middle_east", "cuba")


def recorded(number: int) -> str:
    """The line of one match."""
    digests = _Digests()
    dice = QuickDice(b"recorded %d" % number)
    setup = _setup(number, dice)
    step, given, done = GAME.new_game(setup, dice), ["play poland s18", "cube Europa"], 0
    digests.step(step)
    while GAME.waiting_on(step.state):
        (seat,) = GAME.waiting_on(step.state)
        if (done + number) % LOOKS == 0:
            digests.look(step.state)
            for line in _tried(given, dice):
                digests.refusal(step.state, SIDES[dice.below(2)], line)
        if dice.below(12) == 0:
            line = _drawn(list(_lines(GAME.any_time, step.state, SIDES[dice.below(2)])), dice)
            digests.refusal(step.state, SIDES[dice.below(2)], line)
            step = _said_in_advance(step.state, line) or step
        line = _drawn(list(_lines(GAME.options, step.state, seat)), dice)
        step, done = GAME.apply(step.state, seat, GAME.parse(line), dice), done + 1
        given.append(line)
        digests.rules(line)
        digests.step(step)
    digests.look(step.state)
    return f"{number} {done} {digests}"


def _setup(number: int, dice: QuickDice) -> dict[str, Json]:
    """Every edition, maps that may fall apart or not; every second deck has events of its own."""
    setup: dict[str, Json] = {
        "edition": ("en", "de", "fr")[number % 3],
        "connected": "on" if number % 5 == 0 else "off",
    }
    return {**setup, "deck": _odd_deck(dice)} if number % 2 else setup


def _odd_deck(dice: QuickDice) -> Json:
    document = deck_document()
    document["name"] = "odd"
    for card in document["cards"]:
        card["command"] = 1 + dice.below(4)
        if card["id"] != "iran":
            card["event"] = [_effect(dice) for _ in range(1 + dice.below(2))]
    return document


def _effect(dice: QuickDice) -> Json:
    where = sorted({PLACES[dice.below(len(PLACES))] for _ in range(1 + dice.below(2))})
    few = 1 + dice.below(5)
    effects: list[dict[str, Json]] = [
        {"do": "gain", "points": 1 + dice.below(2)},
        {"do": "gain_each", "where": where},
        {"do": "command", "cubes": few, "where": where},
        {"do": "infiltrate", "where": where, "each": 1 + dice.below(3)},
        {"do": "infiltrate", "where": where, "each": 2, "total": few, "unless": "led"},
        {"do": "infiltrate", "where": where, "each": 1, "unless": "locked"},
        {"do": "remove", "cubes": few, "where": where},
        {"do": "clear", "where": where},
        {"do": "gather", "whose": "own", "cubes": few, "where": where},
        {"do": "gather", "whose": "opponent", "cubes": few, "where": where},
    ]
    return effects[dice.below(len(effects))]


def _drawn(lines: list[str], dice: QuickDice) -> str:
    """Any of the lines; who can go on seldom stops, so that supplies run out."""
    line = lines[dice.below(len(lines))]
    return lines[dice.below(len(lines))] if line == "done" and dice.below(5) else line


def _tried(given: list[str], dice: QuickDice) -> Iterator[str]:
    """Orders that were right at another time, and some that seldom are."""
    cards = tuple(deck_document_cards())
    card, other = cards[dice.below(len(cards))], cards[dice.below(len(cards))]
    cell = cell_name((dice.below(7) - 3, dice.below(7) - 3))
    yield given[dice.below(len(given))]
    yield (
        f"play {card} {cell}",
        f"cube {card}",
        f"shift {card} to {other}",
        f"remove {card}",
        f"relocate {card} {cell}",
        "event",
        "command",
        "decline",
        "done",
        f"standing {card} use",
    )[dice.below(10)]


def deck_document_cards() -> Iterator[str]:
    """Ids, and names of some of the cards in other languages."""
    for card in deck_document()["cards"]:
        yield card["id"]
        yield card["name"]["de"]


def _said_in_advance(state: State, line: str) -> Any:
    for seat in SIDES:
        try:
            return GAME.apply(state, seat, GAME.parse(line), SealedDice())
        except GameError:
            continue
    return None


def _lines(tree: Any, state: State, seat: Seat, words: tuple[str, ...] = ()) -> Iterator[str]:
    for option in tree(state, seat, words):
        path = (*words, option.word)
        if option.action is None:
            yield from _lines(tree, state, seat, path)
        else:
            yield " ".join(path)


class _Digests:
    """What the rules did, and what was said about it."""

    def __init__(self) -> None:
        self._rules, self._words = hashlib.blake2b(digest_size=8), hashlib.blake2b(digest_size=8)

    def __str__(self) -> str:
        return f"{self._rules.hexdigest()} {self._words.hexdigest()}"

    def rules(self, *facts: Any) -> None:
        self._rules.update(_written(facts))

    def words(self, *said: Any) -> None:
        self._words.update(_written(said))

    def step(self, step: Any) -> None:
        self.rules(GAME.dump(GAME.essence(step.state)), step.final)
        self.words(GAME.dump(step.state), step.events)

    def look(self, state: State) -> None:
        """The state as each seat may see it, and what each may do."""
        assert GAME.load(GAME.dump(state)) == state
        self.rules(sorted(GAME.waiting_on(state)), GAME.check(state))
        for seat in (*SIDES, None):
            view = GAME.view(state, seat)
            self.rules(sorted(GAME.known_deck(state, seat).items()))
            self.words(view, GAME.forecast(view))
        for seat in SIDES:
            usual = GAME.default_action(state, seat)
            self.rules(usual and GAME.notate(usual))
            for tree in (GAME.options, GAME.any_time):
                self.offered(tree, state, seat)

    def offered(self, tree: Any, state: State, seat: Seat, words: tuple[str, ...] = ()) -> None:
        option: Option[Any]
        for option in tree(state, seat, words):
            path = (*words, option.word)
            self.rules(path, option.action and GAME.notate(option.action))
            self.words(option.label)
            if option.action is None:
                self.offered(tree, state, seat, path)

    def refusal(self, state: State, seat: Seat, line: str) -> None:
        try:
            self.step(GAME.apply(state, seat, GAME.parse(line), SealedDice()))
        except GameError as error:
            self.rules(type(error).__name__)
            self.words(error.text)


def _written(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=_written_deck)


def _written_deck(value: Any) -> Json:
    if isinstance(value, Tableau):
        return value.countries
    assert isinstance(value, Deck), type(value)
    return value.name


def main() -> None:
    FILE.write_text("\n".join(map(recorded, range(MATCHES))) + "\n", "utf-8")


if __name__ == "__main__":
    main()
