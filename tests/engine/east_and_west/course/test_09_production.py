"""9: production, placement, income; the repair of battleships (6.9)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.east_and_west.board import Fallout, Variant
from engine.east_and_west.data.powers import UK, USA, USSR, WE
from engine.east_and_west.queries import price
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import (
    GAME,
    cash,
    income,
    lines,
    marked,
    new_match,
    order,
    play,
    refuses,
    room,
    state,
    told,
    units,
    words,
)


def placing(*placements: str, power: str = WE, hand: dict[str, int], **changes: Any) -> State:
    """A power in its non-combat move with something to place."""
    return state(*placements, power=power, stop="logistics", hand={power: hand}, **changes)


# --- 9.1: buying ----------------------------------------------------------------------------------


def test_9_1_what_is_bought_is_paid_and_waits_in_hand() -> None:
    position = play(state(power=WE), WE, "buy 4 infantry 1 fighter", "buy 1 infantry")
    assert cash(position, WE) == 50 - 15 - 12
    assert position.board.powers[WE].hand == {"infantry": 5, "fighter": 1}


def test_9_1_no_credit_and_the_rest_is_kept() -> None:
    refuses(state(power=WE), WE, "buy 17 infantry", "this costs 51 and you can spend 50")
    refuses(state(power=WE), WE, "buy 4 fighter 1 infantry", "this costs 51 and you can spend 50")
    assert cash(play(state(power=WE), WE, "buy 16 infantry"), WE) == 2


@pytest.mark.parametrize(
    ("kind", "cost"),
    [
        ("infantry", 3),
        ("special-forces", 6),
        ("armor", 5),
        ("heavy-armor", 7),
        ("howitzer", 4),
        ("aa-gun", 5),
        ("fighter", 12),
        ("bomber", 15),
        ("transport", 8),
        ("large-transport", 10),
        ("submarine", 8),
        ("cruiser", 12),
        ("carrier", 18),
        ("nuclear-carrier", 20),
        ("battleship", 22),
        ("factory", 15),
        ("hydrogen-bomb", 20),
        ("spy", 10),
    ],
)
def test_9_1_prices(kind: str, cost: int) -> None:
    everything: Any = dict.fromkeys(("infantry", "armor", "ship", "nuclear"), 6)
    position = play(state(power=WE, techs={WE: everything}), WE, f"buy 1 {kind}")
    assert cash(position, WE) == 50 - cost


def test_9_1_6_1_soviet_infantry_costs_two() -> None:
    assert cash(play(state(), USSR, "buy 3 infantry"), USSR) == 44


def test_9_1_guide_first_soviet_purchase() -> None:
    position = new_match(ussr_start_52="on")
    position = play(position, USSR, "buy 10 infantry", "done", faces=[])
    position = play(position, USSR, "done", faces=[])
    position = play(position, USSR, "buy 1 spy 2 heavy-armor 14 infantry")
    assert cash(position, USSR) == 0


def test_9_1_11_1_one_bomb_of_either_kind_a_turn() -> None:
    position = state(power=USA, cash={USA: 90}, techs={USA: {"nuclear": 6}})
    message = "you may buy one bomb in a turn, of either kind"
    refuses(position, USA, "buy 2 atomic-bomb", message)
    refuses(position, USA, "buy 1 atomic-bomb 1 hydrogen-bomb", message)
    position = play(position, USA, "buy 1 atomic-bomb")
    assert cash(position, USA) == 78
    refuses(position, USA, "buy 1 hydrogen-bomb", message)
    play(position, USA, "buy 2 infantry")


@pytest.mark.parametrize(
    ("nuclear", "atomic", "hydrogen", "winter"),
    [(2, 20, 20, False), (6, 12, 20, False), (2, 10, 10, True), (6, 6, 10, True)],
)
def test_9_1_11_1_11_8_prices_of_bombs(
    nuclear: int, atomic: int, hydrogen: int, winter: bool
) -> None:
    here = state(
        power=USA, techs={USA: {"nuclear": nuclear}}, variant=Variant(nuclear_winter=winter)
    ).board
    assert price(here, USA, "atomic-bomb") == atomic
    assert price(here, USA, "hydrogen-bomb") == hydrogen


def test_9_1_11_8_any_number_of_bombs_in_a_nuclear_winter() -> None:
    variant = Variant(nuclear_winter=True)
    position = state(power=USA, techs={USA: {"nuclear": 2}}, variant=variant)
    position = play(position, USA, "buy 3 atomic-bomb", "buy 2 atomic-bomb")
    assert position.board.powers[USA].hand == {"atomic-bomb": 5}


def test_9_1_what_is_offered_can_be_bought() -> None:
    position = state(power=USA, cash={USA: 21}, techs={USA: {"nuclear": 2}})
    offered = list(lines(position, USA, "buy"))
    assert {"buy 7 infantry", "buy 1 atomic-bomb", "buy 1 spy", "buy 1 carrier"} <= {*offered}
    assert not {"buy 8 infantry", "buy 2 spy", "buy 1 battleship", "buy 1 howitzer"} & {*offered}
    for line in offered:
        assert GAME.notate(GAME.parse(line)) == line
        order(position, USA, line)
    assert "buy" not in words(state(power=WE, cash={WE: 2}), WE)


# --- 9.2: factories -------------------------------------------------------------------------------


def test_9_2_9_3_italy_takes_four_units_and_four_infantry() -> None:
    position = placing(hand={"armor": 5, "infantry": 9})
    position = play(position, WE, "place italy 4 armor 4 infantry")
    assert units(position, "italy") == "we 4 infantry 4 armor"
    message = room("Italy", 0, 0)
    refuses(position, WE, "place italy 1 infantry", message)
    refuses(position, WE, "place italy 1 armor", message)


def test_9_2_9_3_italy_takes_eight_infantry() -> None:
    position = placing(hand={"infantry": 9, "armor": 1})
    refuses(
        position,
        WE,
        "place italy 9 infantry",
        room("Italy", 4, 4),
    )
    position = play(position, WE, "place italy 8 infantry")
    refuses(
        position,
        WE,
        "place italy 1 armor",
        room("Italy", 0, 0),
    )
    assert position.board.turn.levied == {"italy": 4}
    assert position.board.turn.built == {"italy": 4}


def test_9_2_the_original_factories_are_limited_too() -> None:
    position = placing(power=USSR, hand={"armor": 9})
    refuses(
        position,
        USSR,
        "place russia 9 armor",
        room("Russia", 8, 8),
    )
    position = play(position, USSR, "place russia 8 armor")
    refuses(
        position,
        USSR,
        "place russia 1 armor",
        room("Russia", 0, 8),
    )


def test_9_2_karelia_takes_two_and_two() -> None:
    position = placing(power=USSR, hand={"armor": 3, "infantry": 3})
    refuses(
        position,
        USSR,
        "place karelia 3 armor",
        room("Karelia", 2, 2),
    )
    play(position, USSR, "place karelia 2 armor 2 infantry")


def test_9_2_ships_go_into_a_zone_at_the_factory_and_count_there() -> None:
    position = placing(hand={"cruiser": 3, "armor": 4})
    position = play(position, WE, "place italy-sea-zone 2 cruiser")
    assert units(position, "italy-sea-zone") == "we 2 cruiser"
    refuses(
        position,
        WE,
        "place italy 3 armor",
        room("Italy", 2, 4),
    )
    play(position, WE, "place italy 2 armor")


def test_9_2_several_factories_at_one_zone() -> None:
    position = placing(hand={"submarine": 6, "infantry": 1}, factories=["france", "west-germany"])
    position = play(position, WE, "place north-sea 2 submarine france")
    assert position.board.turn.built == {"france": 2}
    position = play(position, WE, "place north-sea 4 submarine")
    assert position.board.turn.built == {"france": 2, "west-germany": 4}
    message = "no factory of yours in {} can put ships into {} now"
    refuses(position, WE, "place north-sea 1 infantry norway", "infantry cannot stand in North Sea")
    refuses(position, WE, "place greece 1 infantry france", message.format("France", "Greece"))


@pytest.mark.parametrize("land", ["italy", "norway", "west-germany", "united-kingdom"])
def test_9_2_the_named_factory_must_lie_at_the_zone(land: str) -> None:
    name = {"italy": "Italy", "norway": "Norway", "west-germany": "West Germany"}
    message = "no factory of yours in {} can put ships into North Sea now"
    refuses(
        placing(hand={"submarine": 6}),
        WE,
        f"place north-sea 1 submarine {land}",
        message.format(name.get(land, "United Kingdom")),
    )


def test_9_2_the_factory_with_most_room_builds_first_and_the_next_helps() -> None:
    position = placing(hand={"submarine": 10}, factories=["west-germany", "france"])
    position = play(position, WE, "place north-sea 7 submarine")
    assert position.board.turn.built == {"france": 5, "west-germany": 2}
    refuses(
        position,
        WE,
        "place north-sea 3 submarine",
        "ships that factories can still put into North Sea: 2, not 3",
    )
    position = play(position, WE, "place north-sea 2 submarine")
    assert position.board.turn.built == {"france": 5, "west-germany": 4}


def test_9_2_not_into_a_zone_with_enemy_ships() -> None:
    position = placing("italy-sea-zone ussr 1 submarine", hand={"cruiser": 1})
    refuses(
        position,
        WE,
        "place italy-sea-zone 1 cruiser",
        "there are enemy ships in Italy Sea Zone",
    )
    assert "italy-sea-zone" not in words(position, WE, "place")
    play(
        placing("italy-sea-zone ussr 1 submarine!submerged", hand={"cruiser": 1}),
        WE,
        "place italy-sea-zone 1 cruiser",
    )


def test_9_2_not_into_a_far_zone_nor_ships_on_land() -> None:
    position = placing(hand={"cruiser": 1, "armor": 1})
    refuses(
        position,
        WE,
        "place black-sea 1 cruiser",
        "ships that factories can still put into Black Sea: 0, not 1",
    )
    refuses(position, WE, "place italy 1 cruiser", "cruiser cannot stand in Italy")
    refuses(position, WE, "place italy-sea-zone 1 armor", "armor cannot stand in Italy Sea Zone")


def test_9_2_the_factory_must_be_held_since_the_turn_began() -> None:
    position = placing(
        power=USSR,
        hand={"armor": 1, "infantry": 1},
        owners={"italy": "ussr"},
        held={"italy": "we"},
    )
    refuses(
        position,
        USSR,
        "place italy 1 armor",
        room("Italy", 0, 0),
    )
    refuses(
        position,
        USSR,
        "place italy 1 infantry",
        room("Italy", 0, 0),
    )


def test_9_2_a_factory_of_an_ally_builds_nothing() -> None:
    refuses(
        placing(hand={"armor": 1}, power=USA),
        USA,
        "place italy 1 armor",
        "Italy does not belong to you",
    )


def test_9_2_new_units_do_not_move_in_this_turn() -> None:
    position = play(placing(hand={"armor": 1}), WE, "place italy 1 armor")
    assert marked(position, "italy")[0].marks == ("spent",)


def test_9_2_only_what_is_in_hand() -> None:
    position = placing(hand={"armor": 1, "spy": 1})
    refuses(position, WE, "place italy 2 armor", "you have 1 armor to place, not 2")
    refuses(position, WE, "place italy 1 bomber", "you have 0 bombers to place, not 1")
    refuses(position, WE, "place italy 1 infantry", "you have 0 infantry to place, not 1")
    refuses(position, WE, "place italy 1 spy", "spies enter service by themselves")


def test_9_2_11_1_bombs_are_built_at_factories() -> None:
    position = placing(hand={"atomic-bomb": 1})
    refuses(
        position,
        WE,
        "place greece 1 atomic-bomb",
        room("Greece", 0, 2),
    )
    position = play(position, WE, "place france 1 atomic-bomb")
    assert position.board.turn.built == {"france": 1}


# --- 9.3: the levy --------------------------------------------------------------------------------


def test_9_3_infantry_needs_no_factory() -> None:
    position = placing(hand={"infantry": 3})
    position = play(position, WE, "place new-guinea 1 infantry")
    assert units(position, "new-guinea") == "we 1 infantry"
    refuses(
        position,
        WE,
        "place new-guinea 1 infantry",
        room("New Guinea", 0, 0),
    )


def test_9_3_mongolia_raises_one() -> None:
    position = placing(power=USSR, hand={"infantry": 3})
    refuses(
        position,
        USSR,
        "place mongolia 2 infantry",
        room("Mongolia", 0, 1),
    )
    play(position, USSR, "place mongolia 1 infantry")


def test_9_3_japan_with_a_new_factory_takes_twelve() -> None:
    position = placing(power=USA, hand={"infantry": 13}, factories=["japan"])
    refuses(
        position,
        USA,
        "place japan 13 infantry",
        room("Japan", 6, 6),
    )
    play(position, USA, "place japan 12 infantry")


def test_9_3_eastern_siberia_kamchatka_and_north_korea_take_eight() -> None:
    position = placing(power=USSR, hand={"infantry": 8})
    assert words(position, USSR, "place", "eastern-siberia")[-1] == "4"
    position = play(
        position,
        USSR,
        "place eastern-siberia 4 infantry",
        "place kamchatka 2 infantry",
        "place north-korea 2 infantry",
    )
    assert position.board.powers[USSR].hand == {}


def test_9_3_none_in_lands_without_value() -> None:
    position = placing(hand={"infantry": 1})
    refuses(
        position,
        WE,
        "place azores 1 infantry",
        room("Azores", 0, 0),
    )
    assert "azores" not in words(position, WE, "place")


def test_9_3_only_infantry_is_raised() -> None:
    refuses(
        placing(hand={"armor": 1}),
        WE,
        "place greece 1 armor",
        room("Greece", 0, 2),
    )


def test_9_4_a_bombed_land_takes_less() -> None:
    position = placing(hand={"infantry": 4, "armor": 4}, fallout=(Fallout("italy", 2, USSR),))
    refuses(
        position,
        WE,
        "place italy 3 armor",
        room("Italy", 2, 2),
    )
    play(position, WE, "place italy 2 armor 2 infantry")


# --- 9.5: new factories ---------------------------------------------------------------------------


def test_9_5_a_new_factory_builds_from_the_next_turn_on_and_uses_no_limit() -> None:
    position = placing(hand={"factory": 1, "armor": 1, "infantry": 3})
    position = play(position, WE, "place greece 1 factory")
    assert "greece" in position.board.factories
    assert position.board.turn.built == {}
    refuses(
        position,
        WE,
        "place greece 1 armor",
        room("Greece", 0, 2),
    )


NO_SITE = (
    "a factory needs a land with a value and without one, yours since the turn began; {} is not"
)


@pytest.mark.parametrize(
    ("land", "message"),
    [
        ("france", NO_SITE.format("France")),
        ("azores", NO_SITE.format("Azores")),
        ("united-kingdom", "United Kingdom does not belong to you"),
    ],
)
def test_9_5_not_where_one_is_nor_without_value_nor_with_an_ally(land: str, message: str) -> None:
    position = placing(hand={"factory": 1})
    refuses(position, WE, f"place {land} 1 factory", message)
    assert land not in words(position, WE, "place")


def test_9_5_not_in_a_land_won_in_this_turn() -> None:
    position = placing(
        power=USSR, hand={"factory": 1}, owners={"greece": "ussr"}, held={"greece": "we"}
    )
    refuses(
        position,
        USSR,
        "place greece 1 factory",
        "a factory needs a land with a value and without one, yours since the turn began; "
        "Greece is not",
    )


def test_9_5_one_in_each_land() -> None:
    refuses(placing(hand={"factory": 2}), WE, "place greece 2 factory", "a land has one factory")


def test_9_5_the_printed_value_counts() -> None:
    position = placing(power=USSR, hand={"factory": 1}, fallout=(Fallout("mongolia", 1, USA),))
    play(position, USSR, "place mongolia 1 factory")


# --- 9.6, 9.7 -------------------------------------------------------------------------------------


def test_9_6_what_can_be_placed_is_placed_at_the_end() -> None:
    position = placing(hand={"infantry": 6, "armor": 2, "cruiser": 1, "factory": 1})
    step = order(position, WE, "done", faces=[])
    assert step.state.board.powers[WE].hand == {}
    assert units(step.state, "france") == "we 6 infantry 2 armor"
    assert units(step.state, "italy-sea-zone") == "we 1 cruiser"
    assert "west-germany" in step.state.board.factories
    assert "Western Europe places 2 armor in France" in told(step)


def test_9_6_ships_join_ships() -> None:
    position = placing("north-sea we 1 transport", hand={"cruiser": 1})
    position = order(position, WE, "done", faces=[]).state
    assert units(position, "north-sea") == "we 1 transport 1 cruiser"


def test_9_6_what_cannot_be_placed_stays_in_hand() -> None:
    position = placing(hand={"armor": 2, "cruiser": 1}, factories=["italy"], owners={"italy": UK})
    position = order(position, WE, "done", faces=[]).state
    assert position.board.powers[WE].hand == {"armor": 2, "cruiser": 1}


def test_9_6_more_than_all_factories_can_build_stays_too() -> None:
    position = order(placing(hand={"fighter": 12}), WE, "done", faces=[]).state
    assert position.board.powers[WE].hand == {"fighter": 3}


def test_9_7_fighters_are_placed_on_land() -> None:
    position = placing("italy-sea-zone we 1 carrier", hand={"fighter": 1})
    refuses(
        position, WE, "place italy-sea-zone 1 fighter", "fighter cannot stand in Italy Sea Zone"
    )
    play(position, WE, "place italy 1 fighter")


def test_9_what_is_offered_can_be_placed() -> None:
    position = placing(hand={"infantry": 5, "armor": 2, "cruiser": 1, "factory": 1, "spy": 1})
    offered = list(lines(position, WE, "place"))
    assert words(position, WE, "place", "italy", "many") == []
    assert words(position, WE, "place", "nowhere", "1") == []
    assert words(position, WE, "place", "italy", "1", "armor") == []
    assert {"place italy 2 armor", "place greece 1 factory"} <= {*offered}
    assert "place italy-sea-zone 1 cruiser" in offered
    for line in offered:
        assert GAME.notate(GAME.parse(line)) == line
        order(position, WE, line)


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("place 2 inf 1 armor italy", "place italy 2 infantry 1 armor"),
        ("place Italien 3 Jäger", "place italy 3 fighter"),
        ("place 1 cruiser italy sz", "place italy-sea-zone 1 cruiser"),
        (
            "place north sea 2 subs france",
            "place north-sea 2 submarine france",
        ),
        ("buy 3 inf, 2 tanks and a-bomb", "buy 3 infantry 2 armor 1 atomic-bomb"),
    ],
)
def test_9_orders_are_read_generously(typed: str, canonical: str) -> None:
    assert GAME.notate(GAME.parse(typed)) == canonical


# --- 6.9: repairs ---------------------------------------------------------------------------------


def damaged(*more: str, zone: str = "irish-sea", power: str = UK, **changes: Any) -> State:
    return state(f"{zone} {power} 2 battleship!damaged", *more, power=power, **changes)


def test_6_9_a_repair_costs_ten_and_is_done_at_placement() -> None:
    position = play(damaged(), UK, "repair irish-sea")
    assert cash(position, UK) == 40
    assert [group.marks for group in marked(position, "irish-sea")] == [
        ("damaged",),
        ("damaged", "repairing"),
    ]
    position = play(position, UK, "done", "done", faces=[])
    assert sorted(group.marks for group in marked(position, "irish-sea")) == [(), ("damaged",)]


def test_6_9_both_may_be_repaired() -> None:
    position = play(damaged(), UK, "repair irish-sea 2")
    assert cash(position, UK) == 30
    message = "battleships to be repaired in Irish Sea: 0, not 1"
    refuses(position, UK, "repair irish-sea", message)
    assert "repair" not in words(position, UK)


def test_6_9_at_a_friendly_factory_also_of_an_ally() -> None:
    play(damaged(zone="italy-sea-zone"), UK, "repair italy-sea-zone")
    message = "no factory that your side has held since the turn began lies at North Sea"
    refuses(damaged(zone="north-sea", factories=["italy"]), UK, "repair north-sea", message)


def test_6_9_not_at_a_factory_won_in_this_turn() -> None:
    position = damaged(zone="italy-sea-zone", held={"italy": "ussr"})
    refuses(
        position,
        UK,
        "repair italy-sea-zone",
        "no factory that your side has held since the turn began lies at Italy Sea Zone",
    )
    refuses(
        damaged(zone="italy-sea-zone", owners={"italy": "ussr"}),
        UK,
        "repair italy-sea-zone",
        "no factory that your side has held since the turn began lies at Italy Sea Zone",
    )


def test_6_9_money_is_needed() -> None:
    refuses(damaged(cash={UK: 9}), UK, "repair irish-sea", "this costs 10 and you can spend 9")


def test_6_9_sound_ships_and_those_of_others_are_left_alone() -> None:
    position = state("irish-sea uk 1 battleship usa 1 battleship!damaged", power=UK)
    refuses(position, UK, "repair irish-sea", "battleships to be repaired in Irish Sea: 0, not 1")


def test_6_9_the_repair_is_done_wherever_the_ship_is_then() -> None:
    position = state(
        "azores-sea-zone uk 1 battleship!damaged!repairing", power=UK, stop="logistics"
    )
    position = order(position, UK, "done", faces=[]).state
    assert marked(position, "azores-sea-zone")[0].marks == ()


def test_6_9_simple_battleships_are_repaired_for_nothing_anywhere() -> None:
    variant = Variant(simple_battleships=True)
    position = state(
        "azores-sea-zone uk 1 battleship!damaged",
        "north-sea usa 1 battleship!damaged",
        power=UK,
        stop="logistics",
        variant=variant,
    )
    position = order(position, UK, "done", faces=[]).state
    assert marked(position, "azores-sea-zone")[0].marks == ()
    assert marked(position, "north-sea")[0].marks == ("damaged",)
    refuses(
        damaged(variant=variant),
        UK,
        "repair irish-sea",
        "battleships are repaired by themselves at the end of your turn",
    )


def test_6_9_repairs_are_offered() -> None:
    assert list(lines(damaged(), UK, "repair")) == ["repair irish-sea"]
    assert GAME.notate(GAME.parse("repair irish sea 2")) == "repair irish-sea 2"


# --- 9.8: income ----------------------------------------------------------------------------------


def test_9_8_lands_and_alliances_pay() -> None:
    step = order(state(stop="logistics"), USSR, "done", faces=[])
    assert cash(step.state, USSR) == 50 + 48 + 4
    assert "USSR receives 52 IPC and has 102" in told(step)


def test_9_8_bombed_lands_pay_less() -> None:
    position = state(
        power=WE, stop="logistics", fallout=(Fallout("italy", 2, USSR), Fallout("greece", 2, USSR))
    )
    assert income(position, WE) == 32 - 2 - min(2, 2)


def test_9_8_lands_pay_whoever_holds_them() -> None:
    position = state(power=USSR, stop="logistics", owners={"italy": "ussr"})
    assert income(position, USSR) == 48 + 4 + 4
    assert income(position, WE) == 28


def test_9_8_alliances_pay_their_own_power_of_nato() -> None:
    position = state(influence={"china": -3, "arab": -4, "oas": -2})
    assert [income(position, power) for power in (USSR, WE, UK, USA)] == [48, 44, 41, 46]
