"""Points that the rules leave open, as RULES.md settles them; orders that could never apply."""

from __future__ import annotations

import pytest

from engine.core import Seat
from engine.east_and_west.standing import Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import lines, marked, order, play, refuses, state, told, units

WEST = "west-germany"

# --- 14.3: whose list -----------------------------------------------------------------------------

LISTS = {
    "we": Standing(losses={"": ("armor", "infantry")}),
    "uk": Standing(losses={"": ("infantry", "armor")}),
    "usa": Standing(losses={"": ("infantry", "armor")}),
}


def hit_once(defenders: str) -> str:
    """What is left of a stack in West Germany after one hit by infantry, and a retreat."""
    war = at_war(
        f"west-germany {defenders} ussr 1 infantry!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(after=1),
        standing=LISTS,
    )
    dice = sum(int(word) for word in defenders.split() if word.isdigit())
    return units(fought(war, [1, *[6] * dice]).state, WEST)


def test_14_3_a_mixed_stack_follows_the_owner_of_the_land() -> None:
    left = hit_once("we 1 infantry uk 1 infantry 1 armor")
    assert left == "uk 1 infantry we 1 infantry"


def test_14_3_also_when_he_has_no_units_there() -> None:
    left = hit_once("uk 2 infantry 1 armor usa 1 infantry")
    assert left == "uk 2 infantry usa 1 infantry"


def test_14_3_units_of_one_power_alone_follow_its_own_list() -> None:
    assert hit_once("uk 1 infantry 1 armor") == "uk 1 armor"


def test_14_3_the_same_under_a_bomb() -> None:
    position = state(
        "poland ussr 1 bomber 1 atomic-bomb",
        "west-germany uk 5 infantry 1 armor usa 4 infantry 1 armor",
        techs={"ussr": {"nuclear": 2}},
        standing=LISTS,
    )
    done = play(position, "ussr", "strike poland west-germany", "done", faces=[3, 4, 6])
    assert units(done, WEST) == "uk 3 infantry usa 3 infantry ussr 1 bomber"


# --- 7.1: the order of battles --------------------------------------------------------------------


def two_battles(*plans: str) -> list[str]:
    """West Germany is declared before Norway; who is fought for first."""
    position = play(
        state(
            "poland ussr 1 infantry",
            "karelia ussr 1 infantry",
            "west-germany we 1 infantry",
            "norway we 1 infantry",
        ),
        "ussr",
        "move poland west-germany 1 infantry",
        "move karelia norway 1 infantry",
        *plans,
    )
    done = order(position, "ussr", "done", [1, 6, 1, 6])
    said = [line for line in told(done) if line.startswith("Battle of")]
    return [line.split(":")[0].removeprefix("Battle of ") for line in said]


def test_7_1_battles_are_fought_by_the_alphabet() -> None:
    assert two_battles() == ["Norway", "West Germany"]


def test_7_1_unless_the_attacker_says_otherwise() -> None:
    assert two_battles("plan west-germany first") == ["West Germany", "Norway"]


def test_7_1_in_the_order_in_which_he_says_so() -> None:
    both = ("plan west-germany first", "plan norway first")
    assert two_battles(*both) == ["West Germany", "Norway"]
    assert two_battles(*reversed(both)) == ["Norway", "West Germany"]


def test_7_1_dropping_the_plan_drops_its_turn() -> None:
    assert two_battles("plan west-germany first", "plan west-germany none") == [
        "Norway",
        "West Germany",
    ]


# --- 7.4: which of two bombers --------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [(1, 1), (2, 1), (1, 2)])
def test_7_4_of_equal_aircraft_the_one_that_has_flown_furthest_is_lost(
    numbers: tuple[int, int],
) -> None:
    near, far = numbers
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun",
        f"west-germany ussr {near} bomber*1!attacking {far} bomber*3!attacking",
        at=WEST,
    )
    dice = [1, *[6] * (near + far - 1)]
    done = fought(war, [*dice, *[4] * (near + far - 1), 6]).state
    flown = sorted(g.used for g in marked(done, WEST) if g.kind == "bomber" for _ in range(g.count))
    assert flown == [1] * near + [3] * (far - 1)


# --- 16.27: who attacks where it lies -------------------------------------------------------------

ZONE = "north-atlantic-1"


def among_enemies() -> State:
    return state(f"{ZONE} ussr 2 cruiser 1 transport uk 1 cruiser")


def test_16_27_only_the_ships_that_are_named_attack() -> None:
    done = order(play(among_enemies(), "ussr", f"attack {ZONE} 1 cruiser"), "ussr", "done", [6, 1])
    assert "USSR attacks with 1 cruiser against 1 cruiser" in " ".join(told(done))
    assert units(done.state, ZONE) == "uk 1 cruiser ussr 1 transport 1 cruiser"
    assert ZONE in [line.split()[1] for line in lines(done.state, "ussr", "move")]


def test_16_27_others_can_be_named_later() -> None:
    position = play(
        among_enemies(), "ussr", f"attack {ZONE} 1 cruiser", f"attack {ZONE} 1 transport"
    )
    done = order(position, "ussr", "done", [1, 6])
    assert "USSR attacks with 1 cruiser, 1 transport against" in " ".join(told(done))


def test_16_27_without_names_all_attack() -> None:
    done = order(play(among_enemies(), "ussr", f"attack {ZONE}"), "ussr", "done", [1, 6, 6])
    assert "USSR attacks with 2 cruisers, 1 transport against" in " ".join(told(done))


# --- 14.1: plans that could never apply -----------------------------------------------------------

AT_SEA = ("north-sea uk 1 cruiser ussr 1 cruiser!attacking", "north-sea")
ON_LAND = ("west-germany we 1 infantry ussr 1 infantry!attacking", WEST)


@pytest.mark.parametrize(
    ("battle", "clause", "message"),
    [
        (ON_LAND, "losses cruiser", "cruiser cannot be in the battle of West Germany"),
        (ON_LAND, "losses factory", "factory cannot be in the battle of West Germany"),
        (AT_SEA, "losses infantry", "infantry cannot be in the battle of North Sea"),
        (ON_LAND, "losses damage", "a battleship is damaged at sea; in West Germany there is none"),
        (AT_SEA, "keep ground", "North Sea is at sea; ground units fight on land"),
        (ON_LAND, "subs stay", "submarines do not fight in West Germany"),
        (AT_SEA, "subs stay", "you have no submarine in the battle of North Sea"),
        (AT_SEA, "subs retreat norway", "submarines retreat to a sea zone, not to Norway"),
        (AT_SEA, "subs retreat red-sea", "Red Sea does not touch North Sea"),
        (
            ON_LAND,
            "no bombardment",
            "nobody comes ashore in West Germany; ships fire only in a landing",
        ),
        (ON_LAND, "air leaves", "you have no aircraft in the battle of West Germany"),
        *(
            (
                ON_LAND,
                f"retreat {rule}",
                f"a battle ends by itself when nobody is left; the number must be {least} or more",
            )
            for rule, least in (
                ("after 0", 1),
                ("odds 0", 1),
                ("below 1 units", 2),
                ("below 0 power", 1),
            )
        ),
    ],
)
def test_14_1_a_clause_that_could_never_apply_is_refused(
    battle: tuple[str, str], clause: str, message: str
) -> None:
    placed, space = battle
    entry = "baltic-sea" if space == "north-sea" else "poland"
    position = at_war(placed, at=space, entries=[entry])
    refuses(position, "ussr", f"plan {space} {clause}", message)


def test_14_1_no_rule_of_retreat_for_a_landing() -> None:
    landed = "west-germany we 1 infantry ussr 1 infantry!attacking!landed"
    position = at_war(landed, at=WEST, landings=["baltic-sea"], entries=["poland"])
    message = (
        "units that come ashore in West Germany cannot retreat,"
        " nor can those that fight beside them"
    )
    for rule in ("after 1", "ask", "odds 50", "below 2", "strafe 1"):
        refuses(position, "ussr", f"plan {WEST} retreat {rule}", message)
    flying = at_war(f"{landed} 1 fighter!attacking", at=WEST, landings=["baltic-sea"])
    play(flying, "ussr", f"plan {WEST} retreat after 1")


def test_14_1_no_rule_of_retreat_where_nobody_came_from_anywhere() -> None:
    position = play(among_enemies(), "ussr", f"attack {ZONE}")
    refuses(
        position,
        "ussr",
        f"plan {ZONE} retreat after 1",
        "nobody has come into North Atlantic 1 from a space to which they could retreat",
    )


def test_14_1_no_retreat_by_a_way_that_no_ship_can_go() -> None:
    """Who began the turn under the ice does not go back."""
    position = state(
        "polar-ice-cap ussr 1 submarine",
        "barents-sea uk 1 cruiser",
        techs={"ussr": {"submarine": 4}},
    )
    position = play(position, "ussr", "move polar-ice-cap barents-sea 1 submarine")
    refuses(
        position,
        "ussr",
        "plan barents-sea to polar-ice-cap",
        "none of your ships can sail back from Barents Sea to Polar Ice Cap",
    )
    assert "plan barents-sea to polar-ice-cap" not in list(lines(position, "ussr", "plan"))


# --- 14.2: standing orders that could never apply -------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("losses france cruiser", "cruiser cannot be in the battle of France"),
        ("losses north-sea infantry", "infantry cannot be in the battle of North Sea"),
        ("strike-losses france aa-gun", "AA gun cannot be in the battle of France"),
        ("losses polar-ice-cap fighter", "fighter cannot be in the battle of Polar Ice Cap"),
        ("subs retreat france", "submarines retreat to a sea zone, not to France"),
        (
            "subs red-sea retreat cyprus-sea-zone",
            "submarines do not retreat through a canal, as from Red Sea to Cyprus Sea Zone",
        ),
        (
            "carrier irish-sea france",
            "France is no island; fighters land on islands or on a carrier",
        ),
        ("carrier irish-sea hawaii", "Hawaii does not lie in Irish Sea"),
        ("refuge arab north-sea", "expelled units go to a land"),
        (
            "refuge arab poland",
            "Poland does not border on Arab League; expelled units go to a land that does",
        ),
    ],
)
def test_14_2_a_standing_order_that_could_never_apply_is_refused(line: str, message: str) -> None:
    refuses(state(), "we", f"standing {line}", message)


def test_14_2_in_general_any_kind_may_be_listed() -> None:
    position = play(state(), "we", "standing losses cruiser infantry damage")
    assert position.orders(Seat("we")).losses == {"": ("cruiser", "infantry", "damage")}
