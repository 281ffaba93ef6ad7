"""Chapter 11: atomic weapons."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from engine.east_and_west.board import (
    Attack,
    Departure,
    Fallout,
    Group,
    Strike,
    Variant,
)
from engine.east_and_west.data.powers import USA, USSR
from engine.east_and_west.queries import value
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import answered, fought, is_over, question, strikes
from tests.engine.east_and_west.kit import (
    leaf,
    lines,
    marked,
    order,
    owner,
    play,
    refuses,
    state,
    told,
    units,
    words,
)

BOMBS = {"usa": {"nuclear": 2}, "ussr": {"nuclear": 2, "armor": 2}}
MISSILES = {"usa": {"nuclear": 4}, "ussr": {"nuclear": 4}}
HYDROGEN = {"usa": {"nuclear": 6}, "ussr": {"nuclear": 6}}
NORMAL = [3, 4]
"""Two dice without complications."""
LINE = "strike west-germany poland"


def base(*more: str, bomb: str = "1 atomic-bomb", power: str = "usa", **changes: Any) -> State:
    """A bomber of the USA in West Germany, a Soviet army in Poland."""
    changes.setdefault("techs", BOMBS)
    return state(f"west-germany usa 1 bomber {bomb}", *more, power=power, **changes)


ARMY = "poland ussr 8 infantry 2 fighter"


# --- 11.1, 11.3: declaring ------------------------------------------------------------------------


def test_11_3_a_whole_attack() -> None:
    position = play(base(ARMY), "usa", LINE)
    done = order(position, "usa", "done", [*NORMAL, 2])
    assert told(done) == [
        "USA, atomic attack on Poland, complications: 3 4",
        "USA: atomic bomb on Poland",
        "USSR loses 5 infantry",
        "Escape of the bomber, lost on 1: 2",
    ]
    assert units(done.state, "poland") == "usa 1 bomber ussr 3 infantry 2 fighter"
    assert units(done.state, "west-germany") == ""
    assert done.state.board.turn.bombed == ("poland",)
    assert is_over(done.state)


def test_11_3_the_canonical_order_names_the_bomb() -> None:
    position = base(ARMY)
    option = leaf(position, "usa", "strike west-germany poland atomic-bomb")
    assert option.action is not None
    for line in lines(position, "usa", "strike"):
        order(position, "usa", line)


def test_11_1_needs_the_technology() -> None:
    refuses(
        base(ARMY, techs={}),
        "usa",
        LINE,
        "you cannot use a bomb without the fission bomb technology",
    )
    refuses(
        base(ARMY, bomb="1 hydrogen-bomb"),
        "usa",
        f"{LINE} hydrogen-bomb",
        "you cannot use a hydrogen bomb without its technology",
    )


def test_11_3_bomb_and_bomber_in_one_land() -> None:
    position = state(
        "france usa 1 bomber", "west-germany usa 1 atomic-bomb", ARMY, power="usa", techs=BOMBS
    )
    refuses(position, "usa", LINE, "no bomber of yours in West Germany can carry the atomic bomb")
    refuses(
        position,
        "usa",
        "strike france poland",
        "you have no atomic bomb in France that could be used",
    )


def test_11_3_one_bomb_a_bomber() -> None:
    position = play(base(ARMY, bomb="2 atomic-bomb"), "usa", LINE)
    refuses(position, "usa", LINE, "no bomber of yours in West Germany can carry the atomic bomb")


def test_11_3_in_range_with_a_landing_afterwards() -> None:
    position = state(
        "western-united-states usa 1 bomber 1 atomic-bomb",
        "russia ussr 1 infantry",
        power="usa",
        techs=BOMBS,
    )
    refuses(
        position,
        "usa",
        "strike western-united-states russia",
        "the bomber cannot fly to Russia and land somewhere after it",
    )


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("france", "France"),
        ("sweden", "Sweden"),
        ("sinkiang", "Sinkiang"),
        ("baltic-sea", "Baltic Sea"),
        ("polar-ice-cap", "Polar Ice Cap"),
    ],
)
def test_11_3_16_34_what_is_no_target(target: str, name: str) -> None:
    """Own side, neutrals that NATO may not attack, empty water, the ice."""
    assert target not in words(base(ARMY), "usa", "strike", "west-germany")
    refuses(
        base(ARMY),
        "usa",
        f"strike west-germany {target}",
        f"{name} is no target: it must be held or occupied by the enemy, "
        "or be a neutral that you may attack",
    )


def test_11_3_a_zone_with_enemy_ships_is_a_target() -> None:
    position = base("baltic-sea ussr 3 submarine 1 battleship")
    done = order(
        play(position, "usa", "strike west-germany baltic-sea"), "usa", "done", [*NORMAL, 6]
    )
    assert units(done.state, "baltic-sea") == "usa 1 bomber"


def test_11_3_not_beside_a_conventional_attack() -> None:
    position = base(ARMY, "france usa 1 infantry", "east-germany usa 1 infantry")
    position = replace(
        position,
        board=replace(
            position.board,
            turn=replace(position.board.turn, attacks=(Attack("poland", ("east-germany",)),)),
        ),
    )
    refuses(
        position,
        "usa",
        LINE,
        "Poland is attacked conventionally in this turn; one or the other",
    )


def test_11_3_several_bombers_on_one_target() -> None:
    """18.11: two bombs, ten units go, the gun stays, the value falls by 2."""
    position = state(
        "west-germany usa 2 bomber 2 atomic-bomb",
        "poland ussr 8 infantry 2 fighter 1 aa-gun",
        power="usa",
        techs=BOMBS,
    )
    position = play(position, "usa", LINE, LINE)
    before = value(position.board, "poland")
    done = order(position, "usa", "done", [*NORMAL, *NORMAL, 6, 6, 6, 6])
    assert units(done.state, "poland") == "usa 2 bomber ussr 1 aa-gun"
    assert value(done.state.board, "poland") == max(0, before - 2)
    assert owner(done.state, "poland") == "ussr"


# --- 11.4: complications --------------------------------------------------------------------------


def struck(faces: list[int], *more: str, **changes: Any) -> Any:
    return order(play(base(ARMY, *more, **changes), "usa", LINE), "usa", "done", faces)


def test_11_4_3_malfunction_no_effect_and_no_escape_roll() -> None:
    done = struck([1, 2])
    assert units(done.state, "poland") == "usa 1 bomber ussr 8 infantry 2 fighter"
    assert units(done.state, "west-germany") == ""
    assert "The bomb on Poland does not explode" in told(done)


def test_11_4_3_malfunction_the_bomber_still_faces_guns() -> None:
    done = struck([1, 2, 1], "poland ussr 1 aa-gun")
    assert units(done.state, "poland", "usa") == ""


@pytest.mark.parametrize(
    ("faces", "moved"),
    [
        ([1, 3], {"arab": 1}),
        ([1, 4], {"china": 3}),
        ([5, 6], {"china": 3}),
        ([4, 6], {"oas": 0}),
        ([6, 6], {"arab": 1, "china": 3, "oas": 0}),
    ],
)
def test_11_4_protests_move_markers_and_the_attack_goes_on(
    faces: list[int], moved: dict[str, int]
) -> None:
    done = struck([*faces, 6])
    start = {"china": 2, "arab": 0, "oas": -1}
    assert done.state.board.influence == {**start, **moved}
    assert units(done.state, "poland", "ussr") == "3 infantry 2 fighter"


def test_11_4_a_soviet_attack_moves_them_the_other_way() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb", "west-germany we 3 infantry", techs=BOMBS
    )
    position = play(position, "ussr", "strike poland west-germany")
    done = order(position, "ussr", "done", [6, 6, 6])
    assert done.state.board.influence == {"china": 1, "arab": -1, "oas": -2}


def test_11_4_a_marker_at_its_end_stays() -> None:
    done = struck([1, 3, 6], influence={"arab": 4})
    assert done.state.board.influence["arab"] == 4


def test_11_4_9_university_protests_keep_bomb_and_bomber() -> None:
    """18.12"""
    done = struck([4, 5])
    assert marked(done.state, "west-germany") == [
        Group("usa", "atomic-bomb", marks=("spent",)),
        Group("usa", "bomber", marks=("spent",)),
    ]
    assert units(done.state, "poland") == "ussr 8 infantry 2 fighter"
    assert done.state.board.turn.bombed == ()


def soviet(**changes: Any) -> State:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 1 infantry",
        "west-germany we 3 infantry",
        techs=BOMBS,
        **changes,
    )
    return play(position, "ussr", "strike poland west-germany")


def test_11_4_9_the_ussr_ignores_them() -> None:
    """18.12"""
    done = order(soviet(), "ussr", "done", [4, 5, 6])
    assert units(done.state, "west-germany") == "ussr 1 bomber"


def test_14_2_13_unless_it_heeds_them() -> None:
    position = soviet(standing={"ussr": Standing(heeds_protests=True)})
    done = order(position, "ussr", "done", [4, 5])
    assert units(done.state, "west-germany") == "we 3 infantry"


def test_11_4_9_this_bomb_only() -> None:
    position = state("west-germany usa 2 bomber 2 atomic-bomb", ARMY, power="usa", techs=BOMBS)
    done = order(play(position, "usa", LINE, LINE), "usa", "done", [4, 5, *NORMAL, 6])
    assert units(done.state, "poland") == "usa 1 bomber ussr 3 infantry 2 fighter"
    assert units(done.state, "west-germany") == "usa 1 bomber 1 atomic-bomb"


# --- 11.4, roll 2: detonation ---------------------------------------------------------------------


def test_11_4_2_detonation_in_the_start_land_with_all_bombs() -> None:
    done = struck(
        [1, 1],
        "west-germany usa 1 fighter we 3 infantry 9 armor",
        bomb="2 atomic-bomb",
    )
    heard = told(done)
    assert "Detonation: an atomic bomb of USA goes off in West Germany" in heard
    assert units(done.state, "west-germany") == "usa 1 fighter 1 bomber we 2 armor"
    assert Fallout("west-germany", 2, USA) in done.state.board.fallout
    assert units(done.state, "poland") == "ussr 8 infantry 2 fighter"


def test_11_4_2_own_aircraft_do_not_fly_in_this_turn_those_of_allies_not_in_their_next() -> None:
    done = struck([1, 1], "west-germany we 6 infantry 1 fighter")
    assert marked(done.state, "west-germany") == [
        Group("usa", "bomber", marks=("grounded", "spent")),
        Group("we", "fighter", marks=("stunned",)),
        Group("we", "infantry"),
    ]


def test_11_4_2_ban_in_this_and_the_next_round() -> None:
    done = struck([1, 1], round=3)
    assert done.state.board.powers["usa"].banned_until == 4
    powers = done.state.board.powers
    banned = base(ARMY, round=4)
    banned = replace(banned, board=replace(banned.board, powers=powers))
    refuses(banned, "usa", LINE, "after the detonation you use no bombs before round 5")
    free = replace(banned, board=replace(banned.board, round=5))
    play(free, "usa", LINE)


def test_11_4_2_the_ban_stops_the_other_attacks_of_the_turn() -> None:
    position = state(
        "west-germany usa 1 bomber 1 atomic-bomb",
        "france usa 1 bomber 1 atomic-bomb",
        ARMY,
        power="usa",
        techs=BOMBS,
    )
    position = play(position, "usa", "strike france poland", LINE)
    done = order(position, "usa", "done", [*NORMAL, 1, 1])
    assert units(done.state, "poland") == "ussr 8 infantry 2 fighter"
    assert units(done.state, "france") == "usa 1 bomber 1 atomic-bomb"


def test_11_4_2_the_ussr_suffers_the_explosion_but_not_the_ban() -> None:
    """19"""
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 5 infantry",
        "east-germany ussr 1 bomber 1 atomic-bomb",
        "west-germany we 8 infantry",
        techs=BOMBS,
    )
    position = play(
        position, "ussr", "strike poland west-germany", "strike east-germany west-germany"
    )
    done = order(position, "ussr", "done", [1, 1, *NORMAL, 6])
    assert units(done.state, "poland") == "ussr 1 bomber"
    assert units(done.state, "west-germany") == "ussr 1 bomber we 3 infantry"
    assert done.state.board.powers[USSR].banned_until == 0


def test_11_4_2_moves_of_destroyed_units_are_void() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 7 infantry",
        "west-germany we 8 infantry",
        "baltic-sea we 1 cruiser",
        "east-germany ussr 1 infantry",
        owners={"yugoslavia": "we"},
        techs=BOMBS,
    )
    position = play(
        position, "ussr", "strike poland baltic-sea", "move poland west-germany 7 infantry"
    )
    done = order(position, "ussr", "done", [1, 1, 6, 6, *[6] * 6, 2, 2])
    assert told(done)[2] == "USSR loses 5 infantry"
    assert "USSR, 2 infantry at 1: 6 6, hits: 0" in told(done)


def test_11_4_2_aircraft_that_took_off_are_called_back() -> None:
    position = state(
        "poland ussr 1 bomber 1 fighter 1 atomic-bomb 7 infantry",
        "west-germany we 2 infantry",
        "baltic-sea we 1 cruiser",
        techs=BOMBS,
    )
    position = play(
        position,
        "ussr",
        "strike poland baltic-sea",
        "move poland west-germany 1 fighter 2 infantry",
    )
    done = order(position, "ussr", "done", [1, 1, 1, 1, 6, 6])
    assert marked(done.state, "poland") == [
        Group("ussr", "bomber", marks=("grounded", "spent")),
        Group("ussr", "fighter", marks=("grounded",)),
    ]
    assert owner(done.state, "west-germany") == "ussr"


def test_11_4_2_a_land_taken_by_destroyed_units_goes_back() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb 1 infantry",
        "baltic-sea we 1 cruiser",
        techs=BOMBS,
    )
    position = play(
        position, "ussr", "strike poland baltic-sea", "move poland west-germany 1 infantry"
    )
    assert owner(position, "west-germany") == "ussr"
    done = order(position, "ussr", "done", [1, 1])
    assert owner(done.state, "west-germany") == "we"
    assert units(done.state, "poland") == ""


# --- 11.4, 13.8: expulsion ------------------------------------------------------------------------


def test_11_4_19_expelled_units_have_not_moved() -> None:
    """China stops paying the USSR: troops that set out from Sinkiang are called back first."""
    position = state(
        "sinkiang ussr 2 infantry",
        "pakistan uk 1 infantry",
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany we 3 infantry",
        techs=BOMBS,
    )
    position = play(
        position, "ussr", "strike poland west-germany", "move sinkiang pakistan 2 infantry"
    )
    done = order(position, "ussr", "done", [2, 3, 6])
    assert done.state.board.influence["china"] == 1
    assert units(done.state, "pakistan") == "uk 1 infantry"
    assert units(done.state, "sinkiang") == ""
    assert sum("2 units of USSR have to leave Sinkiang" in line for line in told(done)) == 1


# --- 11.5, 11.6: guns, missiles, escape -----------------------------------------------------------


def test_11_5_a_hit_destroys_bomber_and_bomb_without_explosion() -> None:
    done = struck([*NORMAL, 1], "poland ussr 1 aa-gun")
    assert units(done.state, "poland") == "ussr 8 infantry 1 aa-gun 2 fighter"
    assert units(done.state, "west-germany") == ""


def test_11_5_escape_on_1_the_bomber_is_lost() -> None:
    done = struck([*NORMAL, 1])
    assert units(done.state, "poland") == "ussr 3 infantry 2 fighter"


def test_11_5_one_bomber_after_the_other() -> None:
    position = state(
        "west-germany usa 2 bomber 2 atomic-bomb",
        "poland ussr 9 infantry 1 aa-gun",
        power="usa",
        techs=BOMBS,
    )
    done = order(play(position, "usa", LINE, LINE), "usa", "done", [*NORMAL, *NORMAL, 6, 1, 1])
    assert units(done.state, "poland") == "ussr 4 infantry 1 aa-gun"


def test_7_4_guns_on_the_way_shoot_at_the_bomber() -> None:
    position = state(
        "west-germany usa 1 bomber 1 atomic-bomb", "orel ussr 3 infantry", power="usa", techs=BOMBS
    )
    position = strikes(
        position, Strike("atomic-bomb", "west-germany", "orel", points=3, guns=("poland",))
    )
    position = replace(
        position,
        board=replace(
            position.board,
            units={**position.board.units, "poland": (Group("ussr", "aa-gun"),)},
        ),
    )
    done = fought(position, [*NORMAL, 1])
    assert units(done.state, "west-germany") == ""
    assert units(done.state, "orel") == "ussr 3 infantry"
    done = fought(position, [*NORMAL, 6, 6])
    assert units(done.state, "orel") == "usa 1 bomber"


def launch(*more: str, **changes: Any) -> State:
    changes.setdefault("techs", MISSILES)
    return state("west-germany usa 1 aa-gun 2 atomic-bomb", *more, power="usa", **changes)


def test_11_6_a_missile_needs_no_bomber_and_rolls_no_escape() -> None:
    position = play(launch(ARMY), "usa", "strike west-germany poland missile")
    done = order(position, "usa", "done", NORMAL)
    assert units(done.state, "poland") == "ussr 3 infantry 2 fighter"
    assert units(done.state, "west-germany") == "usa 1 aa-gun 1 atomic-bomb"


def test_11_6_the_guns_of_the_target_shoot_at_it() -> None:
    position = play(
        launch(ARMY, "poland ussr 1 aa-gun"), "usa", "strike west-germany poland missile"
    )
    done = order(position, "usa", "done", [*NORMAL, 1])
    assert "The missile on Poland is destroyed" in told(done)
    assert units(done.state, "poland") == "ussr 8 infantry 1 aa-gun 2 fighter"


def test_11_6_one_missile_a_gun() -> None:
    position = play(launch(ARMY), "usa", "strike west-germany poland missile")
    refuses(
        position,
        "usa",
        "strike west-germany poland missile",
        "a missile needs an AA gun of yours in West Germany that has not fired one in this turn",
    )


def test_11_6_three_spaces_of_any_kind() -> None:
    position = launch("orel ussr 1 infantry", "russia ussr 1 infantry")
    play(position, "usa", "strike west-germany orel missile")
    refuses(
        position,
        "usa",
        "strike west-germany russia missile",
        "a missile flies 3 spaces at most",
    )


def test_11_6_needs_the_technology() -> None:
    refuses(
        launch(ARMY, techs=BOMBS),
        "usa",
        "strike west-germany poland missile",
        "without ballistic missiles you need a bomber",
    )


# --- 11.7: the effect -----------------------------------------------------------------------------


def test_11_7_1_hydrogen_takes_ten_and_two() -> None:
    position = base("poland ussr 12 infantry", bomb="1 hydrogen-bomb", techs=HYDROGEN)
    position = play(position, "usa", f"{LINE} hydrogen-bomb")
    done = order(position, "usa", "done", [*NORMAL, 6])
    assert units(done.state, "poland", "ussr") == "2 infantry"
    assert done.state.board.fallout == (Fallout("poland", 2, USA),)


def test_11_7_1_guns_factories_and_bombs_stay() -> None:
    position = base("ukraine ussr 3 infantry 2 aa-gun 1 atomic-bomb")
    position = strikes(position, Strike("atomic-bomb", "west-germany", "ukraine", points=2))
    done = fought(position, [*NORMAL, 6, 6, 6])
    assert units(done.state, "ukraine") == "usa 1 bomber ussr 2 aa-gun 1 atomic-bomb"
    assert "ukraine" in done.state.board.factories


def test_11_7_1_a_battleship_counts_one_and_cargo_goes_with_its_ship() -> None:
    position = base("baltic-sea ussr 2 battleship 1 transport[2 infantry] 2 cruiser 1 submarine")
    position = play(position, "usa", "strike west-germany baltic-sea")
    done = order(position, "usa", "done", [*NORMAL, 6])
    assert units(done.state, "baltic-sea", "ussr") == "1 battleship"


def test_11_7_2_surviving_aircraft_are_stunned() -> None:
    done = struck([*NORMAL, 6])
    fighters = [g for g in marked(done.state, "poland") if g.kind == "fighter"]
    assert fighters == [Group("ussr", "fighter", 2, marks=("stunned",))]


def test_11_7_3_the_land_is_worth_less() -> None:
    done = struck([*NORMAL, 6])
    assert value(done.state.board, "poland") == value(base().board, "poland") - 1


def test_11_7_4_a_stored_bomb_goes_off_on_a_1_and_adds_its_effect() -> None:
    done = struck([*NORMAL, 1, 6], "poland ussr 1 hydrogen-bomb")
    assert units(done.state, "poland") == "usa 1 bomber"
    assert done.state.board.fallout == (Fallout("poland", 3, USA),)


def test_11_7_4_one_die_each_and_no_chain() -> None:
    done = struck([*NORMAL, 2, 1, 6], "poland ussr 2 atomic-bomb")
    assert units(done.state, "poland") == "usa 1 bomber ussr 1 atomic-bomb"


def test_11_7_4_own_waiting_bombs_do_not_matter() -> None:
    done = struck([*NORMAL, 6], bomb="3 atomic-bomb")
    assert units(done.state, "west-germany") == "usa 2 atomic-bomb"


def test_11_7_5_the_owner_stays_even_of_an_empty_land() -> None:
    position = play(base("poland ussr 2 infantry"), "usa", LINE)
    done = order(position, "usa", "done", [*NORMAL, 6])
    assert units(done.state, "poland", "ussr") == ""
    assert owner(done.state, "poland") == "ussr"


def test_8_8_fighters_at_sea_need_a_deck_after_a_bomb() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "baltic-sea uk 1 carrier 2 fighter 4 transport",
        techs=BOMBS,
        standing={"uk": Standing(strike_losses={"": ("carrier",)})},
    )
    position = play(position, "ussr", "strike poland baltic-sea")
    done = order(position, "ussr", "done", [*NORMAL, 6])
    assert units(done.state, "baltic-sea") == "ussr 1 bomber"


def test_19_7_1_a_bomb_counts_neutral_ships_too() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "baltic-sea uk 3 transport arab 3 transport",
        techs=BOMBS,
    )
    position = play(position, "ussr", "strike poland baltic-sea")
    done = order(position, "ussr", "done", [*NORMAL, 6])
    assert units(done.state, "baltic-sea") == "uk 1 transport ussr 1 bomber"


# --- neutrals -------------------------------------------------------------------------------------


def test_11_3_13_6_a_bombed_neutral_joins_the_other_side() -> None:
    position = state(
        "karelia ussr 1 bomber 1 atomic-bomb", "sweden neutral 6 infantry", techs=BOMBS
    )
    position = play(position, "ussr", "strike karelia sweden")
    done = order(position, "ussr", "done", [*NORMAL, 6])
    assert owner(done.state, "sweden") != "neutral"
    assert "1 infantry" in units(done.state, "sweden")


def test_11_3_a_strike_that_does_not_take_place_is_no_attack_on_a_neutral() -> None:
    position = state(
        "karelia ussr 1 bomber 1 atomic-bomb",
        "sweden neutral 6 infantry",
        techs=BOMBS,
        standing={"ussr": Standing(heeds_protests=True)},
    )
    position = play(position, "ussr", "strike karelia sweden")
    done = order(position, "ussr", "done", [4, 5])
    assert owner(done.state, "sweden") == "neutral"


# --- 11.8, 14.2 -----------------------------------------------------------------------------------


def test_11_8_nuclear_winter_no_complications_and_both_kinds_of_attack() -> None:
    position = base(ARMY, "france usa 1 infantry", variant=Variant(nuclear_winter=True))
    done = order(play(position, "usa", LINE), "usa", "done", [6])
    assert units(done.state, "poland", "ussr") == "3 infantry 2 fighter"
    board = position.board
    attacked = replace(
        position,
        board=replace(board, turn=replace(board.turn, attacks=(Attack("poland"),))),
    )
    play(attacked, "usa", LINE)


def test_14_2_2_a_list_of_its_own_for_bombs() -> None:
    orders = Standing(losses={"": ("infantry",)}, strike_losses={"poland": ("fighter",)})
    done = struck([*NORMAL, 6], standing={"ussr": orders})
    assert units(done.state, "poland", "ussr") == "5 infantry"


def test_14_2_2_else_the_general_list() -> None:
    done = struck([*NORMAL, 6], standing={"ussr": Standing(losses={"": ("fighter",)})})
    assert units(done.state, "poland", "ussr") == "5 infantry"


def test_14_5_the_attacked_power_may_be_asked() -> None:
    position = play(base(ARMY, standing={"ussr": Standing(asks=("poland",))}), "usa", LINE)
    asked = order(position, "usa", "done", NORMAL).state
    assert question(asked).kind == "blast"
    refuses(asked, "ussr", "lose infantry 4", "exactly 5 hits have to be taken")
    done = answered(asked, "lose fighter 2 infantry 3", [6])
    assert units(done.state, "poland", "ussr") == "5 infantry"


def test_11_3_ships_may_not_stop_in_a_bombed_zone() -> None:
    position = base("baltic-sea ussr 1 submarine", "north-sea usa 1 cruiser")
    position = play(position, "usa", "strike west-germany baltic-sea")
    done = order(position, "usa", "done", [*NORMAL, 6]).state
    refuses(
        done,
        "usa",
        "move north-sea baltic-sea 1 cruiser",
        "Baltic Sea is the target of a bomb in this turn",
    )


def test_departures_are_written_down_by_the_combat_move() -> None:
    position = state("east-germany ussr 2 infantry", "west-germany we 2 infantry")
    position = play(position, "ussr", "move east-germany west-germany 2 infantry")
    assert position.board.turn.departures == (
        Departure("east-germany", "west-germany", "infantry", 2),
    )
