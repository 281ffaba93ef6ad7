"""8: movement over land, combat and non-combat move, neutrals; 7.2, 11.2, 13.3-13.5."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.chance import SealedDice
from engine.core import BadNotation, Seat
from engine.east_and_west.board import Attack, Departure, Stop, Strike, Turn, Variant
from engine.east_and_west.course import setup
from engine.east_and_west.state import State
from engine.east_and_west.verbs.moves import Declare, Move
from tests.engine.east_and_west.kit import (
    GAME,
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
from tests.engine.refusals import exactly

CHINA_PAYS_ALL = {"china": 4}


# --- 8.1: spaces and points -----------------------------------------------------------------------


def test_8_1_infantry_goes_one_space() -> None:
    position = state("turkmenistan ussr 3 infantry", "pakistan uk 1 infantry")
    position = play(position, "ussr", "move turkmenistan pakistan 3 infantry")
    assert units(position, "pakistan", "ussr") == "3 infantry"
    assert units(position, "turkmenistan") == ""


def test_8_1_infantry_does_not_go_two_spaces() -> None:
    position = state("east-germany ussr 1 infantry", "france we 1 infantry")
    refuses(
        position,
        "ussr",
        "move east-germany france 1 infantry",
        "infantry: no way from East Germany to France with one movement point",
    )


def test_8_1_armor_goes_two_spaces_from_russia_to_turkey() -> None:
    position = state("russia ussr 1 armor", "turkey we 1 infantry")
    position = play(position, "ussr", "move russia turkey 1 armor")
    assert units(position, "turkey", "ussr") == "1 armor"


def test_8_1_heavy_armor_goes_three_spaces_from_east_germany_to_italy() -> None:
    position = state("east-germany ussr 1 heavy-armor", "italy we 1 infantry")
    position = play(position, "ussr", "move east-germany italy 1 heavy-armor")
    (tank,) = [g for g in marked(position, "italy") if g.owner == "ussr"]
    assert (tank.used, tank.marks) == (3, ("attacking",))


def test_8_1_ground_units_do_not_swim() -> None:
    position = state("poland ussr 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland baltic-sea 1 infantry",
        "infantry cannot go to Baltic Sea; troops go on board with load and ashore with land",
    )


def test_8_1_a_move_leads_somewhere_else() -> None:
    position = state("poland ussr 1 infantry")
    refuses(
        position, "ussr", "move poland poland 1 infantry", "a move leads from one space to another"
    )


def test_8_1_only_what_is_there_moves() -> None:
    position = state("poland ussr 2 infantry", "west-germany we 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland west-germany 3 infantry",
        "USSR has 2 infantry in Poland, not 3",
    )


def test_8_1_several_kinds_move_in_one_order() -> None:
    position = state("poland ussr 3 infantry 1 armor 1 fighter", "west-germany we 2 infantry")
    position = play(position, "ussr", "move poland west-germany 2 infantry 1 armor 1 fighter")
    assert units(position, "west-germany", "ussr") == "2 infantry 1 armor 1 fighter"
    assert units(position, "poland") == "ussr 1 infantry"


def test_8_1_an_order_that_is_refused_in_part_is_refused_as_a_whole() -> None:
    position = state("poland ussr 3 infantry 1 aa-gun", "west-germany we 2 infantry")
    refuses(
        position,
        "ussr",
        "move poland west-germany 3 infantry 1 aa-gun",
        "AA gun: only in the non-combat move",
    )


# --- 8.2: the combat move -------------------------------------------------------------------------


def test_8_2_a_combat_move_does_not_end_among_friends() -> None:
    position = state("poland ussr 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland ukraine 1 infantry",
        "Ukraine is friendly; move there in the non-combat move",
    )


def test_8_2_the_battle_and_the_way_into_it_are_written_down() -> None:
    position = state(
        "poland ussr 1 infantry", "east-germany ussr 1 infantry", "west-germany we 1 infantry"
    )
    position = play(
        position,
        "ussr",
        "move poland west-germany 1 infantry",
        "move east-germany west-germany 1 infantry",
    )
    turn = position.board.turn
    assert turn.attacks == (Attack("west-germany", ("poland", "east-germany")),)
    assert turn.departures == (
        Departure("poland", "west-germany", "infantry"),
        Departure("east-germany", "west-germany", "infantry"),
    )


def test_8_2_who_is_in_a_battle_stays_in_it() -> None:
    position = state("poland ussr 1 armor", "west-germany we 1 infantry", "france we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 1 armor")
    refuses(
        position,
        "ussr",
        "move west-germany france 1 armor",
        "of the armor in West Germany only 0 can move now, not 1",
    )


def test_8_2_orders_are_told() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 2 infantry")
    done = order(position, "ussr", "move poland west-germany 3 infantry")
    assert told(done) == ["USSR: 3 infantry, Poland - West Germany"]
    assert not done.final


# --- 7.2, 8.3, 8.4: taking land, stopping, blitzing -----------------------------------------------


def test_7_2_an_empty_land_is_captured_without_dice() -> None:
    position = state("poland ussr 1 infantry")
    position = play(position, "ussr", "move poland west-germany 1 infantry")
    assert owner(position, "west-germany") == "ussr"
    assert position.board.turn.captured == ("west-germany",)
    assert position.board.turn.attacks == ()
    assert marked(position, "west-germany")[0].marks == ()


def test_7_2_a_lone_gun_falls_with_the_land() -> None:
    position = state("poland ussr 1 infantry", "west-germany we 1 aa-gun")
    position = play(position, "ussr", "move poland west-germany 1 infantry")
    assert units(position, "west-germany") == "ussr 1 infantry 1 aa-gun"


def test_7_2_where_paratroops_are_expected_ground_units_join_the_battle() -> None:
    position = state("poland ussr 1 infantry", "east-germany ussr 1 bomber 1 infantry")
    position = play(
        position,
        "ussr",
        "drop east-germany west-germany 1",
        "move poland west-germany 1 infantry",
    )
    assert owner(position, "west-germany") == "we"
    assert all("attacking" in group.marks for group in marked(position, "west-germany"))


def test_8_3_ground_units_stop_where_enemies_stand() -> None:
    position = state("poland ussr 1 armor", "west-germany we 1 infantry", "france we 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland france 1 armor",
        "armor: enemy units in West Germany are in the way",
    )


def test_8_4_armor_blitzes_an_empty_land() -> None:
    position = state("poland ussr 1 armor", "france we 1 infantry")
    position = play(position, "ussr", "move poland france 1 armor")
    assert owner(position, "west-germany") == "ussr"
    assert position.board.turn.attacks == (Attack("france", ("west-germany",)),)


@pytest.mark.parametrize("kind", ["heavy-armor", "special-forces"])
def test_8_4_so_do_heavy_armor_and_special_forces(kind: str) -> None:
    position = state(f"poland ussr 1 {kind}", "france we 1 infantry")
    position = play(position, "ussr", f"move poland france 1 {kind}")
    assert owner(position, "west-germany") == "ussr"


def test_8_4_a_howitzer_does_not_blitz() -> None:
    position = state("poland ussr 1 howitzer", "france we 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland france 1 howitzer",
        "howitzer: West Germany is enemy land and in the way",
    )


def test_8_4_a_gun_and_a_factory_do_not_stop_a_blitz() -> None:
    position = state("yugoslavia ussr 1 armor", "italy we 1 aa-gun", "france we 1 infantry")
    position = play(position, "ussr", "move yugoslavia france 1 armor via italy")
    assert owner(position, "italy") == "ussr"
    assert units(position, "italy") == "ussr 1 aa-gun"


def test_8_4_a_blitz_goes_on_in_a_second_order() -> None:
    position = state("poland ussr 1 armor", "france we 1 infantry")
    position = play(
        position, "ussr", "move poland west-germany 1 armor", "move west-germany france 1 armor"
    )
    assert units(position, "france", "ussr") == "1 armor"


def test_8_4_a_blitz_may_come_home() -> None:
    position = state("poland ussr 1 armor")
    position = play(position, "ussr", "move poland east-germany 1 armor via west-germany")
    assert owner(position, "west-germany") == "ussr"
    assert marked(position, "east-germany")[0].used == 2
    assert marked(position, "east-germany")[0].marks == ()


def test_8_4_without_a_land_taken_on_the_way_it_is_no_blitz() -> None:
    position = state("poland ussr 1 armor")
    refuses(
        position,
        "ussr",
        "move poland karelia 1 armor via belarus",
        "Karelia is friendly; move there in the non-combat move",
    )


def test_8_4_no_blitz_through_neutral_land() -> None:
    position = state("georgia ussr 1 armor", "pakistan uk 1 infantry")
    refuses(
        position,
        "ussr",
        "move georgia pakistan 1 armor via iran",
        "armor: Iran is neutral and in the way",
    )


def test_8_4_the_shortest_way_over_friendly_land_is_taken() -> None:
    position = state("east-germany ussr 1 heavy-armor", "italy we 1 infantry")
    position = play(position, "ussr", "move east-germany italy 1 heavy-armor")
    assert position.board.turn.attacks[0].entries == ("yugoslavia",)
    assert position.board.turn.captured == ()


def test_8_4_a_given_way_is_taken() -> None:
    position = state("east-germany ussr 1 heavy-armor", "italy we 1 infantry")
    line = "move east-germany italy 1 heavy-armor via west-germany france"
    position = play(position, "ussr", line)
    assert position.board.turn.captured == ("west-germany", "france")


# --- 8.5, 8.6: the non-combat move ----------------------------------------------------------------


def test_8_5_left_over_points_may_be_used_after_the_battles() -> None:
    position = state(
        "france ussr 1 armor*1",
        stop="logistics",
        owners={"france": "ussr", "west-germany": "ussr"},
    )
    position = play(position, "ussr", "move france west-germany 1 armor")
    assert marked(position, "west-germany")[0].used == 2
    refuses(
        position,
        "ussr",
        "move west-germany poland 1 armor",
        "of the armor in West Germany only 0 can move now, not 1",
    )


def test_8_5_a_tank_that_won_goes_on_after_the_battle() -> None:
    position = state("poland ussr 1 armor", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 1 armor", "done", faces=[1, 6])
    position = play(position, "ussr", "move west-germany poland 1 armor")
    assert units(position, "poland") == "ussr 1 armor"


def test_8_5_who_retreated_does_not_move_again() -> None:
    position = state("poland ussr 1 armor!spent", stop="logistics")
    refuses(
        position,
        "ussr",
        "move poland ukraine 1 armor",
        "of the armor in Poland only 0 can move now, not 1",
    )


def test_8_6_through_friendly_lands_also_of_allies() -> None:
    position = state("france usa 1 armor", power="usa", stop="logistics")
    position = play(position, "usa", "move france west-germany 1 armor")
    assert units(position, "west-germany") == "usa 1 armor"


def test_8_6_ground_units_enter_lands_captured_in_this_turn() -> None:
    position = state(
        "poland ussr 1 infantry",
        stop="logistics",
        owners={"west-germany": "ussr"},
        held={"west-germany": "we"},
    )
    assert "west-germany" in words(position, "ussr", "move", "poland")


def test_8_6_not_into_enemy_land() -> None:
    position = state("poland ussr 1 infantry", stop="logistics")
    refuses(position, "ussr", "move poland west-germany 1 infantry", "West Germany is not friendly")


def test_8_6_not_through_enemy_land() -> None:
    position = state("east-germany ussr 1 armor", stop="logistics", owners={"poland": "we"})
    assert words(position, "ussr", "move") == []


def test_6_5_guns_move_one_space_without_a_battle() -> None:
    position = state("poland ussr 1 aa-gun", "west-germany we 1 infantry")
    refuses(
        position,
        "ussr",
        "move poland west-germany 1 aa-gun",
        "AA gun: only in the non-combat move",
    )
    position = state("poland ussr 1 aa-gun", stop="logistics")
    position = play(position, "ussr", "move poland ukraine 1 aa-gun")
    refuses(
        position,
        "ussr",
        "move ukraine orel 1 aa-gun",
        "of the AA guns in Ukraine only 0 can move now, not 1",
    )


def test_6_5_a_captured_gun_does_not_move_in_this_turn() -> None:
    position = state("poland ussr 1 infantry", "west-germany we 1 aa-gun")
    position = play(position, "ussr", "move poland west-germany 1 infantry", "done")
    assert "aa-gun" not in words(position, "ussr", "move", "west-germany", "poland", "1")


def test_11_2_a_bomb_moves_one_space_over_land() -> None:
    position = state("france we 1 atomic-bomb", power="we", stop="logistics")
    position = play(position, "we", "move france italy 1 atomic-bomb")
    assert units(position, "italy") == "we 1 atomic-bomb"
    refuses(
        position,
        "we",
        "move italy france 1 atomic-bomb",
        "of the atomic bombs in Italy only 0 can move now, not 1",
    )


def test_5_9_infantry_with_apc_goes_three_spaces_without_a_battle() -> None:
    apc = {"ussr": {"infantry": 6}}
    position = state("ukraine ussr 1 infantry", techs=apc, stop="logistics")
    position = play(position, "ussr", "move ukraine east-germany 1 infantry")
    assert marked(position, "east-germany")[0].used == 2


def test_5_9_apc_points_that_were_used_in_battle_count() -> None:
    apc = {"ussr": {"infantry": 6}}
    position = state("poland ussr 1 infantry*1", techs=apc, stop="logistics")
    reached = words(position, "ussr", "move", "poland")
    assert "orel" in reached and "russia" not in reached


def test_5_9_apc_does_not_help_in_the_combat_move() -> None:
    apc = {"ussr": {"infantry": 6}}
    position = state("ukraine ussr 1 infantry", "west-germany we 1 infantry", techs=apc)
    refuses(
        position,
        "ussr",
        "move ukraine west-germany 1 infantry",
        "infantry: no way from Ukraine to West Germany with one movement point",
    )


# --- 8.13, 13.3-13.5: neutrals --------------------------------------------------------------------


def test_8_13_nobody_passes_a_neutral_that_does_not_pay() -> None:
    position = state("georgia ussr 1 armor", stop="logistics")
    assert "iran" not in words(position, "ussr", "move", "georgia")


def test_13_3_who_is_paid_passes_and_stays() -> None:
    position = state("kazakhstan ussr 1 armor", stop="logistics")
    position = play(position, "ussr", "move kazakhstan qinghai 1 armor")
    assert units(position, "qinghai") == "ussr 1 armor"


def test_13_3_who_is_not_paid_does_not() -> None:
    position = state("india uk 1 armor", power="uk", stop="logistics")
    refuses(position, "uk", "move india sinkiang 1 armor", "Sinkiang is not friendly")


def test_13_3_an_attack_may_start_from_an_alliance_that_pays() -> None:
    position = state("sinkiang ussr 1 infantry", "india uk 1 infantry")
    position = play(position, "ussr", "move sinkiang india 1 infantry")
    assert units(position, "india", "ussr") == "1 infantry"


def test_13_4_the_ussr_attacks_any_neutral() -> None:
    position = state("georgia ussr 1 infantry", "iran neutral 2 infantry")
    position = play(position, "ussr", "move georgia iran 1 infantry")
    assert position.board.turn.attacked == ("iran",)


def test_13_4_an_empty_neutral_is_simply_taken() -> None:
    position = state("georgia ussr 1 infantry")
    position = play(position, "ussr", "move georgia iran 1 infantry")
    assert owner(position, "iran") == "ussr"
    assert position.board.turn.attacked == ("iran",)


def test_13_5_nato_never_attacks_a_minor_neutral() -> None:
    position = state("france we 1 infantry", "spain neutral 1 infantry", power="we")
    refuses(
        position,
        "we",
        "move france spain 1 infantry",
        "Western Europe may not attack Spain",
    )


def test_13_5_nato_attacks_an_alliance_only_while_it_pays_the_ussr_in_full() -> None:
    forces = ("india uk 1 infantry", "sinkiang china 1 infantry")
    refuses(
        state(*forces, power="uk"),
        "uk",
        "move india sinkiang 1 infantry",
        "United Kingdom may not attack Sinkiang",
    )
    position = state(*forces, power="uk", influence=CHINA_PAYS_ALL)
    position = play(position, "uk", "move india sinkiang 1 infantry")
    assert position.board.turn.attacked == ("sinkiang",)


def test_16_30_an_alliance_that_lets_pass_is_attacked_only_when_that_is_said() -> None:
    position = state("kazakhstan ussr 2 infantry", "sinkiang china 1 infantry")
    refuses(
        position,
        "ussr",
        "move kazakhstan sinkiang 2 infantry",
        "Sinkiang lets you pass; to attack it, first order: attack sinkiang",
    )
    position = play(position, "ussr", "attack sinkiang", "move kazakhstan sinkiang 2 infantry")
    assert position.board.turn.attacks == (Attack("sinkiang", ("kazakhstan",)),)
    assert position.board.turn.attacked == ("sinkiang",)


def test_16_30_units_attack_from_within() -> None:
    position = state("sinkiang ussr 2 infantry 1 armor china 1 infantry")
    position = play(position, "ussr", "attack sinkiang 1 infantry 1 armor")
    attacking = [g for g in marked(position, "sinkiang") if "attacking" in g.marks]
    assert [(g.kind, g.count) for g in attacking] == [("armor", 1), ("infantry", 1)]


def test_16_30_not_more_than_are_there() -> None:
    position = state("sinkiang ussr 1 infantry china 1 infantry")
    refuses(
        position,
        "ussr",
        "attack sinkiang 2 infantry",
        "there are not so many infantry in Sinkiang that can attack",
    )


def test_13_4_attacking_one_land_of_an_alliance_closes_the_others() -> None:
    position = state("kazakhstan ussr 1 armor", "sinkiang china 1 infantry", "india uk 1 infantry")
    assert "india" in words(position, "ussr", "move", "kazakhstan")
    position = play(position, "ussr", "attack manchuria")
    assert "india" not in words(position, "ussr", "move", "kazakhstan")


def test_13_4_an_attack_that_nobody_makes_is_forgotten() -> None:
    position = state("kazakhstan ussr 1 armor", "sinkiang china 1 infantry")
    position = play(position, "ussr", "attack sinkiang", "done")
    assert position.board.influence["china"] == 2
    assert position.board.turn.attacked == ()


def test_7_1_a_friendly_land_is_not_attacked_from_within() -> None:
    position = state("poland ussr 1 infantry")
    refuses(
        position,
        "ussr",
        "attack poland",
        "Poland cannot be attacked from within; into other battles units are moved",
    )


# --- 11.3: bombs and other attacks ----------------------------------------------------------------


def struck(position: State) -> State:
    """With a bomb from Poland on its way to West Germany."""
    strikes = (Strike("atomic-bomb", "poland", "west-germany"),)
    turn = replace(position.board.turn, strikes=strikes)
    return replace(position, board=replace(position.board, turn=turn))


def test_11_3_a_target_of_a_bomb_is_not_attacked_otherwise() -> None:
    position = struck(state("poland ussr 1 infantry", "west-germany we 1 infantry"))
    refuses(
        position,
        "ussr",
        "move poland west-germany 1 infantry",
        "West Germany is the target of a bomb in this turn",
    )


def test_11_8_in_a_nuclear_winter_it_may_be() -> None:
    position = struck(
        state(
            "poland ussr 1 infantry",
            "west-germany we 1 infantry",
            variant=Variant(nuclear_winter=True),
        )
    )
    assert words(position, "ussr", "move", "poland") == ["west-germany"]


def test_11_3_a_bomber_with_a_bomb_does_nothing_else() -> None:
    position = struck(state("poland ussr 1 bomber 1 atomic-bomb", "norway we 1 infantry"))
    refuses(
        position,
        "ussr",
        "move poland norway 1 bomber",
        "of the bombers in Poland only 0 can move now, not 1",
    )


def test_11_3_a_friendly_land_that_was_bombed_may_be_entered_after_the_battles() -> None:
    position = state("poland ussr 1 infantry 1 fighter", stop="logistics")
    turn = replace(position.board.turn, bombed=("ukraine",))
    position = replace(position, board=replace(position.board, turn=turn))
    assert "ukraine" in words(position, "ussr", "move", "poland")


# --- notation and offers --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "move poland west-germany 3 infantry 1 armor",
        "move poland -> west germany: 3 infantry, 1 armor",
        "3 infantry 1 armor Poland -> West Germany",
        "ziehe Polen nach Westdeutschland 3 Infanterie 1 Panzer",
    ],
)
def test_a_move_can_be_written_in_several_ways(line: str) -> None:
    move = Move("poland", "west-germany", (("infantry", 3), ("armor", 1)))
    assert GAME.parse(line) == move
    assert GAME.notate(move) == "move poland west-germany 3 infantry 1 armor"


@pytest.mark.parametrize(
    "line",
    [
        "move poland france 1 armor via west-germany",
        "move black-sea italy-sea-zone 1 transport 2 infantry",
        "move black-sea italy-sea-zone 1 transport empty",
        "move black-sea italy-sea-zone 1 battleship damaged",
        "move black-sea red-sea 1 battleship via italy-sea-zone cyprus-sea-zone damaged",
        "attack sinkiang",
        "attack sinkiang 2 infantry 1 armor",
        "load france north-sea 2 infantry",
        "load france north-sea 2 infantry onto uk",
        "land north-sea norway 1 armor",
        "drop russia turkey 2",
        "drop russia turkey 1 fighter",
        "raid russia france 2",
        "fly-bomb alaska western-canada hydrogen-bomb",
    ],
)
def test_notation_comes_back(line: str) -> None:
    assert GAME.notate(GAME.parse(line)) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("move poland", "a land or sea zone"),
        ("move poland west-germany", "units with their numbers, such as 3 infantry 1 armor"),
        ("move poland west-germany 3", "a kind of unit"),
        ("move poland west-germany 3 infantry via", "a land or sea zone"),
        ("load france north-sea 2 infantry onto", "ussr | we | uk | usa"),
    ],
)
def test_unfinished_orders_are_no_orders(line: str, expected: str) -> None:
    message = f"'{line}' is not finished; expected: {expected}"
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(line)


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("drop russia turkey 1 cruiser", "cruiser", "bomber | fighter"),
        ("raid russia france 2 fighter", "fighter", "bomber"),
        ("fly-bomb alaska western-canada fighter", "fighter", "atomic-bomb | hydrogen-bomb"),
        ("strike alaska russia fighter", "fighter", "atomic-bomb | hydrogen-bomb | missile"),
        ("move poland west-germany 0 infantry", "0", "1-999"),
    ],
)
def test_a_word_that_does_not_fit_is_named(line: str, word: str, expected: str) -> None:
    message = f"'{word}' in '{line}' does not fit; expected: {expected}"
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(line)


def test_attack_names_units_only_if_not_all_attack() -> None:
    assert GAME.parse("attack sinkiang") == Declare("sinkiang")


def test_every_word_on_the_way_is_offered() -> None:
    position = state("poland ussr 2 infantry", "west-germany we 1 infantry")
    assert words(position, "ussr", "move") == ["poland"]
    assert words(position, "ussr", "move", "poland") == ["west-germany"]
    assert words(position, "ussr", "move", "poland", "west-germany") == ["1", "2"]
    chosen = leaf(position, "ussr", "move poland west-germany 2 infantry")
    assert chosen.action == Move("poland", "west-germany", (("infantry", 2),))


def test_nothing_is_offered_that_leads_nowhere() -> None:
    position = state("poland ussr 2 infantry", owners={"west-germany": "ussr"})
    assert "move" not in words(position, "ussr")
    assert words(position, "ussr", "move", "nowhere") == []
    assert words(position, "ussr", "move", "poland", "west-germany", "x") == []


@pytest.mark.whole
@pytest.mark.parametrize("power", ["ussr", "we", "uk", "usa"])
@pytest.mark.parametrize("stop", ["operations", "logistics"])
def test_every_offer_of_the_start_position_can_be_carried_out(power: str, stop: Stop) -> None:
    beginning = setup.new_board(Variant())
    turn = Turn(power=Seat(power), stop=stop, owners=beginning.owners)
    position = State(replace(beginning, turn=turn))
    for verb in ("move", "attack", "load", "land", "drop", "raid", "fly-bomb"):
        if verb in words(position, power):
            for line in lines(position, power, verb):
                GAME.apply(position, Seat(power), GAME.parse(line), SealedDice())
