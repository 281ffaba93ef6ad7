"""Positions for the rule tests: a table from a few words, and orders as lines of notation."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any, TypedDict

import pytest

from engine.chance import QuickDice, ScriptedDice, SealedDice
from engine.core import GameError, IllegalAction, Json, Language, Seat, Step
from engine.iron_curtain.board import CUBES, Country, Frame, PlayCard, Variant, opponent
from engine.iron_curtain.deck import USA, USSR, Deck, standard_deck
from engine.iron_curtain.game import IronCurtain
from engine.iron_curtain.grid import cell_name, cell_named
from engine.iron_curtain.scoring import is_complete
from engine.iron_curtain.state import State
from engine.iron_curtain.table import Tableau
from tests.engine.refusals import exactly

GAME = IronCurtain()
STARTER = "europe s19 1/1"


def country(words: str) -> Country:
    """A card on the table: `vietnam s18`, or with US/USSR cubes `vietnam s18 2/1`."""
    card, cell, cubes = [*words.split(), "0/0"][:3]
    usa, ussr = map(int, cubes.split("/"))
    at = cell_named(cell)
    assert at is not None, cell
    return Country(card, at, usa, ussr)


def table(*countries: str, deck: Deck | None = None) -> Tableau:
    """The cards on the table; the starter with a cube of each side unless it is named."""
    found = tuple(map(country, countries))
    named = any(c.card == "europe" for c in found)
    return Tableau.of(deck or standard_deck(), found if named else (country(STARTER), *found))


def state(
    *countries: str,
    mover: Seat = USA,
    usa: str = "",
    ussr: str = "",
    aside: str = "",
    track: int = 0,
    edition: str = "en",
    connected: bool = False,
    deck: Deck | None = None,
) -> State:
    """A sound state in which `mover` has to play a card; named cards are in the hands.

    Up to seven strategy cards on the table make it round 1, more of them round 2. Whatever is not
    named is dealt in printed order.
    """
    deck = deck or standard_deck()
    laid = table(*countries, deck=deck)
    played = [c.card for c in laid if c.card != "europe"]
    late = len(played) >= 8
    turn = len(played) - 8 if late else len(played)
    first = mover if turn % 2 == 0 else opponent(mover)
    holds = {USA: usa.split(), USSR: ussr.split()}
    kept = aside.split()
    named = {*played, *holds[USA], *holds[USSR], *kept}
    rest = [card for card in deck.order if card not in named]
    while late and len(kept) < 2:
        kept.append(rest.pop(0))
    laid_by = {first: (turn + 1) // 2, opponent(first): turn // 2}
    for side in (USA, USSR):
        while len(holds[side]) < (4 if late else 5) - laid_by[side]:
            holds[side].append(rest.pop(0))
    early = (played[:4], played[4:8]) if late else ([], [])
    recent = played[8:] if late else played
    by_usa = recent[: laid_by[USA]]
    dealt = [*by_usa, *holds[USA]], [*recent[len(by_usa) :], *holds[USSR]]
    first_deal = [*early[0], kept[0], *early[1], kept[1]] if late else []
    order = (*first_deal, *dealt[0], *dealt[1], *rest)
    return State(
        variant=Variant(edition, deck, connected),
        order=order,
        hands=(tuple(holds[USA]), tuple(holds[USSR])),
        reserve=tuple(rest),
        aftermath=tuple(kept),
        table=laid,
        supplies=(CUBES - sum(c.usa for c in laid), CUBES - sum(c.ussr for c in laid)),
        track=track,
        round=2 if late else 1,
        turn=turn,
        first=first,
        scored=tuple(r for r in deck.regions if is_complete(laid.layout, r)),
        stack=(PlayCard(mover),),
        news=(),
    )


class Held(TypedDict):
    usa: str
    ussr: str


def held(side: Seat, cards: str) -> Held:
    """The hand of one side, as `state` takes it."""
    return Held(usa=cards, ussr="") if side == USA else Held(usa="", ussr=cards)


def last_turn(
    last: str, aside: str, cubes: dict[str, str], track: int = 0, edition: str = "en"
) -> State:
    """The last turn of a match: all other cards lie in a row, `last` is still to be played."""
    deck = standard_deck()
    cubes = {"europe": "1/1", **cubes}
    laid = ["europe", *(c for c in deck.order if c != last and c not in aside.split())]
    words = [f"{c} {cell_name((i, 0))} {cubes.get(c, '0/0')}" for i, c in enumerate(laid)]
    mover = deck.cards[last].flag
    assert mover is not None, last
    return state(*words, mover=mover, aside=aside, track=track, edition=edition)


def play_last(position: State) -> Step[State]:
    """Play the one card left on its first cell, command nothing: the final scoring follows."""
    seat = waiting(position)
    (card,) = position.hand(seat)
    cell = words(position, seat, "play", card)[0]
    position = play(position, f"play {card} {cell}", "command")
    return step(position, "done")


def new_match(
    *deck: str, edition: str = "en", connected: str = "off", setup: dict[str, Json] | None = None
) -> Step[State]:
    """A new match with these cards on top of the deck."""
    options = {"edition": edition, "connected": connected, **(setup or {})}
    return GAME.new_game(options, ScriptedDice(decks=[deck]))


def waiting(position: State) -> Seat:
    (seat,) = GAME.waiting_on(position)
    return seat


def step(position: State, line: str) -> Step[State]:
    """One order by whoever is asked; what comes of it must be sound and survive being stored."""
    before = GAME.dump(position)
    done = GAME.apply(position, waiting(position), GAME.parse(line), SealedDice())
    assert GAME.dump(position) == before, "the state that was handed in has changed"
    assert GAME.check(done.state) == []
    assert GAME.load(GAME.dump(done.state)) == done.state
    return done


def play(position: State, *lines: str) -> State:
    for line in lines:
        position = step(position, line).state
    return position


def told(done: Step[State], seat: Seat | None = None, language: Language = "en") -> list[str]:
    """What a seat, or a spectator, hears of a step."""
    return [GAME.say(e.text, language) for e in done.events if e.heard_by(seat)]


def news(position: State, seat: Seat | None = None) -> list[str]:
    return [GAME.say(text) for text in GAME.view(position, seat).news]


def refuses(
    position: State, line: str, message: str, error: type[GameError] = IllegalAction
) -> None:
    """The asked seat may not give this order, and is told so in exactly these words."""
    with pytest.raises(error, match=exactly(message)) as caught:
        GAME.apply(position, waiting(position), GAME.parse(line), SealedDice())
    assert type(caught.value) is error


def words(position: State, seat: Seat, *prefix: str) -> list[str]:
    return [option.word for option in GAME.options(position, seat, prefix)]


def labels(position: State, seat: Seat, *prefix: str) -> list[str]:
    return [GAME.say(option.label) for option in GAME.options(position, seat, prefix)]


def asked(position: State) -> Frame:
    return position.stack[-1]


def cubes(position: State, *cards: str) -> list[str]:
    """The cubes on cards, as `usa/ussr`."""
    found = []
    for card in cards:
        there = position.country(card)
        assert there is not None, f"{card} is not on the table"
        found.append(f"{there.usa}/{there.ussr}")
    return found


def lines(position: State, seat: Seat, prefix: tuple[str, ...] = ()) -> Iterator[str]:
    """Every legal order of a seat as notation, from the tree of options."""
    for option in GAME.options(position, seat, prefix):
        path = (*prefix, option.word)
        if option.action is None:
            yield from lines(position, seat, path)
        else:
            yield " ".join(path)


def random_match(seed: bytes, setup: dict[str, Json] | None = None) -> Iterator[Step[State]]:
    """A whole match of legal orders chosen by chance."""
    dice = QuickDice(seed)
    done = GAME.new_game(setup or {}, dice)
    yield done
    while GAME.waiting_on(done.state):
        chosen = list(lines(done.state, waiting(done.state)))
        done = step(done.state, chosen[dice.below(len(chosen))])
        yield done


def deck_document() -> dict[str, Any]:
    """The standard deck as a deck file holds it, free to be changed."""
    path = resources.files("engine.iron_curtain") / "cards.toml"
    return tomllib.loads(path.read_text("utf-8"))


def card_in(document: dict[str, Any], card: str) -> dict[str, Any]:
    found: dict[str, Any] = next(c for c in document["cards"] if c["id"] == card)
    return found
