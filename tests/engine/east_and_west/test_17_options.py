"""Chapter 17: every option can be agreed for one match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from engine.chance import SealedDice, SeededDice, match_key
from engine.core import BadSetup, Seat
from engine.east_and_west import queries
from engine.east_and_west.board import Variant
from engine.east_and_west.course.espionage import most_spies
from engine.east_and_west.course.research import result
from engine.east_and_west.course.setup import new_board
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.game import CHOICES, variant
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, board, new_match, play, state, words
from tests.engine.refusals import exactly

SWITCHES = [choice.name for choice in CHOICES if choice.name not in ("nato", "rounds")]


def test_17_there_are_the_options_of_the_rules_and_the_number_of_rounds() -> None:
    assert SWITCHES == [
        "fast_game",
        "simple_battleships",
        "nuclear_winter",
        "spy_vs_spy",
        "revolts",
        "tech_war",
        "ussr_start_52",
        "china_any_nato",
        "aa_overflight",
        "carrier_zone_free",
        "baltic_strait",
        "bomber_airlift",
        "ignore_subs",
    ]


def test_17_without_a_word_the_first_value_of_each_choice_holds() -> None:
    first = {choice.name: choice.values[0][0] for choice in GAME.choices()}
    assert variant({}) == variant(first) == Variant()


@pytest.mark.parametrize("name", SWITCHES)
def test_17_each_option_is_switched_for_one_match_alone(name: str) -> None:
    usual = getattr(Variant(), name)
    switched = GAME.new_game({name: "off" if usual else "on"}, SealedDice()).state.board.variant
    changed = [
        f for f in Variant.__struct_fields__ if getattr(switched, f) != getattr(Variant(), f)
    ]
    assert changed == [name]
    assert new_match().board.variant == Variant()


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", ["yes", "", True, None, 1])
def test_17_a_switch_is_on_or_off(name: str, value: Any) -> None:
    with pytest.raises(BadSetup, match=exactly(f"{name} is {value!r}; it can be on or off")):
        variant({name: value})


@pytest.mark.parametrize("rounds", [1, "1", "12", 30, "99"])
def test_17_any_number_of_rounds(rounds: Any) -> None:
    assert variant({"rounds": rounds}).rounds == int(rounds)


@pytest.mark.parametrize("rounds", [0, "0", "100", "ten", "-3", "", None, 2.5, "²", True, [3]])
def test_17_a_number_of_rounds_is_from_1_to_99(rounds: Any) -> None:
    message = f"rounds is {rounds!r}; it can be a number from 1 to 99"
    with pytest.raises(BadSetup, match=exactly(message)):
        variant({"rounds": rounds})


def test_17_an_unknown_option_is_refused_with_those_there_are() -> None:
    known = ", ".join(["nato", "rounds", *SWITCHES])
    message = f"no option aliens, zeppelins; there are {known}"
    with pytest.raises(BadSetup, match=exactly(message)):
        variant({"zeppelins": "on", "rounds": "3", "aliens": "off"})


def test_17_ussr_start_52() -> None:
    assert new_match().board.powers[USSR].cash == 48
    assert new_match(ussr_start_52="on").board.powers[USSR].cash == 52


# --- each option changes what it says -------------------------------------------------------------


def rolled(position: State, seat: str) -> list[str]:
    """What is rolled for when a stop ends."""
    dice = SeededDice(match_key("options", b"secret" * 6, [""]), "m", 0, 1)
    GAME.apply(position, Seat(seat), GAME.parse("done"), dice)
    return [draw.why for draw in dice.draws]


def over_a_gun(variant: Variant) -> Any:
    """Whether a gun in West Germany fires at a fighter on its way to France."""
    position = state(
        "poland ussr 1 fighter", "west-germany we 1 aa-gun", "france we 1 infantry", variant=variant
    )
    position = play(position, "ussr", "move poland france 1 fighter via west-germany")
    return any("overflight" in why for why in rolled(position, "ussr"))


def to_a_carrier(variant: Variant) -> Any:
    """Whether a fighter reaches a carrier in a zone that is five spaces away."""
    far = atlas().distances(["russia"])
    zone = next(z for z, d in far.items() if d == 5 and atlas().spaces[z].kind == "sea")
    position = state(
        "russia ussr 1 fighter", f"{zone} ussr 1 carrier", stop="logistics", variant=variant
    )
    return zone in words(position, "ussr", "move", "russia")


def after_a_turn(variant: Variant) -> Any:
    position = state("black-sea ussr 1 battleship!damaged", stop="logistics", variant=variant)
    (ship,) = play(position, "ussr", "done", faces=[]).board.at("black-sea")
    return ship.marks


def with_paris(variant: Variant) -> Any:
    position = state(power="usa", stop="logistics", owners={"france": "ussr"}, variant=variant)
    return GAME.outcome(play(position, "usa", "done", faces=[])) is not None


def spying(power: str, target: str) -> Callable[[Variant], Any]:
    def offered(variant: Variant) -> Any:
        position = state(power=power, stop="intelligence", spies={power: 1}, variant=variant)
        return target in words(position, power, "spy", "diplomacy")

    return offered


def sailing(start: str, target: str, *others: str) -> Callable[[Variant], Any]:
    def offered(variant: Variant) -> Any:
        position = state(f"{start} ussr 1 cruiser", *others, stop="logistics", variant=variant)
        return target in words(position, "ussr", "move", start)

    return offered


def airlifted(variant: Variant) -> Any:
    position = state("russia ussr 1 bomber 1 infantry", stop="logistics", variant=variant)
    return "drop" in words(position, "ussr")


OBSERVED: dict[str, tuple[Callable[[Variant], Any], Any, Any]] = {
    "fast_game": (with_paris, False, True),
    "simple_battleships": (after_a_turn, ("damaged",), ()),
    "nuclear_winter": (lambda v: queries.price(board(variant=v), USSR, "atomic-bomb"), 20, 10),
    "spy_vs_spy": (lambda v: most_spies(board(variant=v), USSR), 2, 4),
    "revolts": (spying("ussr", "alaska"), False, True),
    "tech_war": (lambda v: result(board(variant=v), 0, 3), 0, 1),
    "ussr_start_52": (lambda v: new_board(v).powers[USSR].cash, 48, 52),
    "china_any_nato": (spying("usa", "china"), False, True),
    "aa_overflight": (over_a_gun, True, False),
    "carrier_zone_free": (to_a_carrier, False, True),
    "baltic_strait": (sailing("baltic-sea", "north-sea"), True, False),
    "bomber_airlift": (airlifted, False, True),
    "ignore_subs": (
        sailing("barents-sea", "north-sea", "north-sea uk 1 submarine"),
        False,
        True,
    ),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_17_each_option_changes_what_it_says(name: str) -> None:
    observe, usual, otherwise = OBSERVED[name]
    assert observe(Variant()) == usual
    assert observe(replace(Variant(), **{name: not getattr(Variant(), name)})) == otherwise
