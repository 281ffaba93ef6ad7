"""Orders of losses: the default, lists, mixed stacks, neutrals; chapters 7.8, 14.2 to 14.4."""

from __future__ import annotations

from collections.abc import Sequence

from engine.east_and_west.battle import Loss
from engine.east_and_west.board import Board, Group
from engine.east_and_west.combat import casualties
from engine.east_and_west.standing import Plan, Standing
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import board, groups, told, units


def lost(words: str, *listed: str, **how: bool) -> list[str]:
    """In which order units go: `we infantry`, each run once with its number."""
    placed = groups(f"france {words}")[1]
    return runs(casualties.in_order(board(), placed, listed, **how))


def runs(losses: Sequence[Loss]) -> list[str]:
    found: list[str] = []
    for loss in losses:
        word = f"{loss.owner} {'damage' if loss.is_damage else loss.kind}"
        if found and found[-1].split(" ", 1)[1] == word:
            count = int(found[-1].split()[0])
            found[-1] = f"{count + 1} {word}"
        else:
            found.append(f"1 {word}")
    return found


def test_14_2_1_cheapest_first() -> None:
    assert lost("we 1 bomber 1 fighter 2 infantry 1 armor 1 howitzer 1 heavy-armor") == [
        "2 we infantry",
        "1 we howitzer",
        "1 we armor",
        "1 we heavy-armor",
        "1 we fighter",
        "1 we bomber",
    ]


def test_14_2_1_equal_prices_weakest_defence_first() -> None:
    assert lost("we 1 submarine 1 transport 1 fighter 1 cruiser") == [
        "1 we transport",
        "1 we submarine",
        "1 we cruiser",
        "1 we fighter",
    ]


def test_14_2_1_damage_to_battleships_before_any_loss() -> None:
    assert lost("we 2 battleship 1 transport") == [
        "2 we damage",
        "1 we transport",
        "2 we battleship",
    ]


def test_14_2_1_a_list_goes_first_and_the_others_as_usual() -> None:
    assert lost("we 1 fighter 2 infantry 1 armor", "fighter", "armor") == [
        "1 we fighter",
        "1 we armor",
        "2 we infantry",
    ]


def test_14_2_1_a_list_may_name_the_damage() -> None:
    assert lost("we 1 battleship 1 transport 1 cruiser", "transport", "damage") == [
        "1 we transport",
        "1 we damage",
        "1 we cruiser",
        "1 we battleship",
    ]


def test_14_2_1_a_battleship_is_damaged_before_it_sinks_whatever_the_list_says() -> None:
    assert lost("we 1 battleship 1 transport", "battleship", "transport", "damage") == [
        "1 we damage",
        "1 we battleship",
        "1 we transport",
    ]


def test_14_2_1_a_ground_unit_is_kept_to_the_last() -> None:
    assert lost("we 2 infantry 1 armor 1 fighter", keeps_ground=True) == [
        "2 we infantry",
        "1 we fighter",
        "1 we armor",
    ]


def test_11_7_1_nothing_is_merely_damaged_by_a_bomb() -> None:
    assert lost("we 1 battleship 1 transport", is_total=True) == [
        "1 we transport",
        "1 we battleship",
    ]


# --- 14.3: mixed stacks ---------------------------------------------------------------------------


def test_14_3_equal_types_from_whoever_has_most_of_them() -> None:
    assert lost("we 1 infantry uk 3 infantry usa 2 infantry 1 armor") == [
        "2 uk infantry",  # 3, then 2 against 2: the UK comes before the USA
        "1 usa infantry",
        "1 we infantry",  # one each: in the order of turns
        "1 uk infantry",
        "1 usa infantry",
        "1 usa armor",
    ]


def test_14_3_the_order_of_the_lands_owner_counts() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 armor uk 1 infantry 1 armor usa 3 fighter"
        " ussr 1 armor!attacking",
        at="west-germany",
        entries=["poland"],
        plan=Plan(after=1),
        standing={
            "we": Standing(losses={"west-germany": ("armor",)}),
            "usa": Standing(losses={"": ("fighter",)}),
        },
    )
    done = fought(war, [3, 6, 6, 6, 6, 6, 6, 6])
    assert "Western Europe loses 1 armor" in told(done)


def test_14_3_at_sea_the_order_of_whoever_has_most_units() -> None:
    war = at_war(
        "italy-sea-zone we 1 transport 1 cruiser uk 2 cruiser 1 transport ussr 1 cruiser!attacking",
        at="italy-sea-zone",
        entries=["malta-sea-zone"],
        plan=Plan(after=1),
        standing={"uk": Standing(losses={"": ("cruiser",)})},
    )
    done = fought(war, [2, 6, 6, 6, 6, 6])
    assert "United Kingdom loses 1 cruiser" in told(done)


def test_14_3_all_fight_as_one() -> None:
    war = at_war(
        "west-germany we 1 infantry uk 1 infantry ussr 2 infantry!attacking",
        at="west-germany",
        entries=["poland"],
        plan=Plan(after=1),
    )
    heard = told(fought(war, [6, 6, 6, 6]))
    assert "United Kingdom, 1 infantry at 2: 6, hits: 0" in heard
    assert "Western Europe, 1 infantry at 2: 6, hits: 0" in heard


def test_14_3_who_leads() -> None:
    def leader(space: str, words: str) -> str | None:
        return casualties.leader(board(), space, groups(f"{space} {words}")[1])

    assert leader("france", "we 1 infantry usa 5 infantry") == "we"
    assert leader("france", "uk 1 infantry usa 5 infantry") == "usa"
    assert leader("italy-sea-zone", "we 1 cruiser uk 1 cruiser") == "we"
    assert leader("sweden", "neutral 3 infantry") is None


# --- 14.4: neutrals -------------------------------------------------------------------------------


def test_14_4_neutral_losses() -> None:
    assert lost("arab 1 transport 1 fighter 1 armor 2 infantry") == [
        "2 arab infantry",
        "1 arab armor",
        "1 arab fighter",
        "1 arab transport",
    ]


def test_14_4_the_chinese_in_north_korea_go_first() -> None:
    assert lost("ussr 2 infantry china 2 infantry") == ["2 china infantry", "2 ussr infantry"]
    assert lost("ussr 2 infantry china 2 infantry", spares_neutrals=True) == [
        "2 ussr infantry",
        "2 china infantry",
    ]


def test_14_4_the_ussr_may_reverse_it() -> None:
    placed = "north-korea ussr 1 infantry china 1 infantry usa 2 armor!attacking"
    usual = fought(
        at_war(placed, at="north-korea", power="usa", entries=["south-korea"], plan=Plan(after=1)),
        [3, 6, 6, 6],
    )
    assert units(usual.state, "north-korea") == "ussr 1 infantry"
    spared = fought(
        at_war(
            placed,
            at="north-korea",
            power="usa",
            entries=["south-korea"],
            plan=Plan(after=1),
            standing={"ussr": Standing(spares_chinese=True)},
        ),
        [3, 6, 6, 6],
    )
    assert units(spared.state, "north-korea") == "china 1 infantry"


def test_13_7_neutrals_defend_with_normal_values() -> None:
    war = at_war("sweden neutral 1 infantry 1 fighter ussr 1 infantry!attacking", at="sweden")
    heard = told(fought(war, [6, 4, 6]))
    assert "Sweden, 1 fighter at 4: 4, hits: 1" in heard
    assert "Sweden, 1 infantry at 2: 6, hits: 0" in heard


# --- who exactly goes -----------------------------------------------------------------------------


def test_14_1_an_attacker_without_a_list_keeps_a_ground_unit() -> None:
    placed = "west-germany we 1 infantry ussr 1 infantry!attacking 1 fighter*2!attacking"
    done = fought(at_war(placed, at="west-germany"), [6, 6, 2, 1, 6])
    assert units(done.state, "west-germany") == "ussr 1 infantry"
    assert "USSR loses 1 fighter" in told(done)


def test_14_1_with_a_list_only_if_he_says_so() -> None:
    placed = "west-germany we 1 infantry ussr 1 infantry!attacking 1 fighter*2!attacking"
    plan = Plan(losses=("infantry",))
    done = fought(at_war(placed, at="west-germany", plan=plan), [6, 6, 2, 3, 6])
    assert "USSR loses 1 infantry" in told(done)
    plan = Plan(losses=("infantry",), keeps_ground=True)
    done = fought(at_war(placed, at="west-germany", plan=plan), [6, 6, 2, 1, 6])
    assert "USSR loses 1 fighter" in told(done)


def test_14_2_1_against_aircraft_alone_the_defender_keeps_a_ground_unit() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 fighter ussr 1 bomber*2!attacking",
        at="west-germany",
        plan=Plan(after=1),
    )
    done = fought(war, [4, 6, 6])
    assert "Western Europe loses 1 fighter" in told(done)


def test_units_that_can_still_move_are_spared() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 armor*1!attacking 1 armor*2!attacking",
        at="west-germany",
    )
    done = fought(war, [3, 6, 2])
    assert done.state.board.at("west-germany") == (Group("ussr", "armor", used=1),)


def test_prices_of_neutrals_are_printed() -> None:
    empty: Board = board()
    assert casualties.price(empty, "china", "infantry") == 3
    assert casualties.price(empty, "ussr", "infantry") == 2
    assert casualties.value(empty, Loss("we", "battleship", is_damage=True)) == 10
    assert casualties.value(empty, Loss("we", "battleship")) == 12
