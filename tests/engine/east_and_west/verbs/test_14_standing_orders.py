"""Chapter 14: battle plans, standing orders and their notation."""

from __future__ import annotations

import pytest

from engine.core import BadNotation, IllegalAction, Seat
from engine.east_and_west.board import Luck
from engine.east_and_west.standing import NONE, Diving, Plan, Standing
from engine.east_and_west.state import State
from engine.east_and_west.verbs.plans import PlanOrder, with_clause
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import GAME, lines, order, play, refuses, state, told, units
from tests.engine.refusals import exactly

WEST = "west-germany"


def attack(**changes: object) -> State:
    """Three infantry against two, from two lands."""
    return at_war(
        "west-germany we 2 infantry ussr 3 infantry!attacking",
        "baltic-sea ussr 1 submarine",
        at=WEST,
        entries=["east-germany", "poland"],
        **changes,  # type: ignore[arg-type]
    )


def plan_of(position: State) -> Plan:
    return position.orders(Seat("ussr")).plans[WEST]


# --- 14.1: plans ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "plan"),
    [
        ("losses armor infantry", Plan(losses=("armor", "infantry"))),
        ("retreat after 2", Plan(after=2)),
        ("retreat below 3 units", Plan(below_units=3)),
        ("retreat below 3", Plan(below_units=3)),
        ("retreat below 7 power", Plan(below_power=7)),
        ("retreat odds 60", Plan(odds=60)),
        ("retreat odds 60%", Plan(odds=60)),
        ("retreat strafe 0", Plan(strafe=0)),
        ("strafe 1", Plan(strafe=1)),
        ("retreat ask", Plan(asks=True)),
        ("ask", Plan(asks=True)),
        ("to poland", Plan(to="poland")),
        ("retreat to poland", Plan(to="poland")),
        ("keep ground", Plan(keeps_ground=True)),
    ],
)
def test_14_1_every_clause_of_a_plan(line: str, plan: Plan) -> None:
    position = order(attack(), "ussr", f"plan west-germany {line}").state
    assert plan_of(position) == plan
    action = GAME.parse(f"plan west-germany {line}")
    assert GAME.parse(GAME.notate(action)) == action


@pytest.mark.parametrize(
    ("line", "plan"),
    [
        ("losses damage cruiser", Plan(losses=("damage", "cruiser"))),
        ("subs stay", Plan(submarines=Diving("stay"))),
        ("subs submerge 2", Plan(submarines=Diving("submerge-after", 2))),
        ("subs submerge-after 2", Plan(submarines=Diving("submerge-after", 2))),
        ("subs submerge-alone", Plan(submarines=Diving("submerge-alone"))),
        ("subs retreat baltic-sea", Plan(submarines=Diving("retreat", zone="baltic-sea"))),
        ("to baltic-sea", Plan(to="baltic-sea")),
    ],
)
def test_14_1_every_clause_of_a_plan_at_sea(line: str, plan: Plan) -> None:
    position = at_war(
        "north-sea uk 1 cruiser ussr 1 submarine!attacking",
        at="north-sea",
        entries=["baltic-sea"],
    )
    position = order(position, "ussr", f"plan north-sea {line}").state
    assert position.orders(Seat("ussr")).plans["north-sea"] == plan


@pytest.mark.parametrize(
    ("line", "plan"),
    [
        ("no bombardment", Plan(holds_fire=True)),
        ("air leaves", Plan(air_leaves=True)),
        ("first", Plan(first=1)),
    ],
)
def test_14_1_every_clause_of_a_plan_for_a_landing(line: str, plan: Plan) -> None:
    position = at_war(
        "west-germany we 2 infantry ussr 1 infantry!attacking!landed 1 fighter!attacking",
        at=WEST,
        landings=["baltic-sea"],
    )
    assert plan_of(order(position, "ussr", f"plan west-germany {line}").state) == plan


def test_14_1_clauses_add_up_and_never_drops_the_rules_of_retreat() -> None:
    position = play(
        attack(),
        "ussr",
        "plan west-germany losses armor",
        "plan west-germany retreat after 2",
        "plan west-germany retreat odds 30",
    )
    assert plan_of(position) == Plan(losses=("armor",), after=2, odds=30)
    position = play(position, "ussr", "plan west-germany retreat never")
    assert plan_of(position) == Plan(losses=("armor",))
    position = play(position, "ussr", "plan west-germany none")
    assert position.orders(Seat("ussr")).plans == {}


def test_14_1_a_plan_needs_a_battle_and_a_way() -> None:
    refuses(
        attack(),
        "ussr",
        "plan norway retreat after 1",
        "a plan is for a battle that you have declared; in Norway there is none",
    )
    refuses(
        attack(),
        "ussr",
        "plan west-germany to ukraine",
        "nobody entered West Germany from Ukraine; a retreat leads where somebody came from",
    )
    refuses(
        attack(),
        "ussr",
        "plan west-germany subs retreat black-sea",
        "submarines do not fight in West Germany",
    )


RETREATS = "after | below | odds | strafe | never | ask"
DIVES = "stay | submerge | submerge-after | submerge-alone | retreat"


@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("retreat odds 101", "101", "0-100"),
        ("retreat sideways", "sideways", RETREATS),
        ("subs dance", "dance", DIVES),
    ],
)
def test_14_1_what_is_no_plan(line: str, word: str, expected: str) -> None:
    message = f"'{word}' in 'plan west-germany {line}' does not fit; expected: {expected}"
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(f"plan west-germany {line}")


@pytest.mark.parametrize(
    ("line", "expected"), [("losses", "a kind of unit"), ("retreat", RETREATS)]
)
def test_14_1_what_is_half_a_plan(line: str, expected: str) -> None:
    message = f"'plan west-germany {line}' is not finished; expected: {expected}"
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(f"plan west-germany {line}")


def test_14_1_all_that_is_offered_can_be_said() -> None:
    position = attack()
    offered = list(lines(position, "ussr", "plan"))
    assert "plan west-germany to poland" in offered
    assert "plan west-germany retreat strafe 1" in offered
    for line in offered:
        order(position, "ussr", line)


def test_14_1_nobody_else_sees_a_plan() -> None:
    done = order(attack(), "ussr", "plan west-germany ask")
    assert done.events == ()
    assert GAME.view(done.state, Seat("we")) == GAME.view(attack(), Seat("we"))


def test_14_1_plans_are_for_one_turn() -> None:
    position = play(attack(), "ussr", "plan west-germany retreat after 1")
    assert fought(position, [6] * 5).state.standing == {}


def test_14_1_retreat_after_so_many_rounds() -> None:
    done = fought(attack(plan=Plan(after=2)), [6] * 10)
    assert units(done.state, WEST) == "we 2 infantry"


def test_14_1_retreat_below_so_many_units() -> None:
    done = fought(attack(plan=Plan(below_units=3)), [6, 6, 6, 6, 6, 6, 6, 6, 2, 6])
    assert units(done.state, "east-germany") == "ussr 2 infantry"


def test_14_1_retreat_below_so_much_power() -> None:
    done = fought(attack(plan=Plan(below_power=3)), [6, 6, 6, 2, 6])
    assert units(done.state, "east-germany") == "ussr 2 infantry"


def test_14_1_strafe_breaks_off_when_the_defender_is_weak() -> None:
    done = fought(attack(plan=Plan(strafe=1)), [1, 6, 6, 6, 6])
    assert units(done.state, "east-germany") == "ussr 3 infantry"
    assert units(done.state, WEST) == "we 1 infantry"


def test_14_1_retreat_when_the_odds_fall() -> None:
    hopeless = at_war(
        "west-germany we 6 armor ussr 2 infantry!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(odds=20),
    )
    assert units(fought(hopeless, [6, 6, *[6] * 6]).state, "poland") == "ussr 2 infantry"
    sure = at_war(
        "west-germany we 1 infantry ussr 6 armor!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(odds=95),
    )
    assert units(fought(sure, [6] * 7 + [3] * 6 + [6]).state, WEST) == "ussr 6 armor"


def test_14_1_any_rule_is_enough() -> None:
    plan = with_clause(Plan(after=5), PlanOrder(WEST, "strafe", 2))
    assert units(fought(attack(plan=plan), [6] * 5).state, WEST) == "we 2 infantry"


# --- 14.2: standing orders ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "orders"),
    [
        ("losses infantry armor", Standing(losses={"": ("infantry", "armor")})),
        ("losses west-germany armor", Standing(losses={WEST: ("armor",)})),
        ("strike-losses fighter", Standing(strike_losses={"": ("fighter",)})),
        ("strike-losses baltic-sea damage", Standing(strike_losses={"baltic-sea": ("damage",)})),
        ("aa aircraft", Standing(guns={"": "aircraft"})),
        ("aa france number", Standing(guns={"france": "number"})),
        ("subs stay", Standing(submarines={"": Diving("stay")})),
        (
            "subs baltic-sea submerge-after 2",
            Standing(submarines={"baltic-sea": Diving("submerge-after", 2)}),
        ),
        (
            "subs baltic-sea retreat north-sea",
            Standing(submarines={"baltic-sea": Diving("retreat", zone="north-sea")}),
        ),
        ("carrier carrier", Standing(havens={"": ("carrier",)})),
        (
            "carrier iceland-sea-zone iceland carrier",
            Standing(havens={"iceland-sea-zone": ("iceland", "carrier")}),
        ),
        ("share uk never", Standing(share={Seat("uk"): "never"})),
        ("refuge arab turkey", Standing(refuge={"arab": "turkey"})),
        ("ask west-germany on", Standing(asks=(WEST,))),
    ],
)
def test_14_2_every_standing_order(line: str, orders: Standing) -> None:
    position = state("west-germany we 1 infantry")
    done = order(position, "we", f"standing {line}")
    assert done.state.orders(Seat("we")) == orders
    assert done.events == ()
    action = GAME.parse(f"standing {line}")
    assert GAME.parse(GAME.notate(action)) == action


@pytest.mark.parametrize(
    ("line", "orders", "message"),
    [
        (
            "chinese last",
            Standing(spares_chinese=True),
            "chinese is no matter of Western Europe",
        ),
        (
            "complications heed",
            Standing(heeds_protests=True),
            "complications is no matter of Western Europe",
        ),
    ],
)
def test_14_2_soviet_standing_orders(line: str, orders: Standing, message: str) -> None:
    position = order(state(), "ussr", f"standing {line}").state
    assert position.orders(Seat("ussr")) == orders
    refuses(state(), "we", f"standing {line}", message)


def test_14_2_orders_are_replaced_and_dropped() -> None:
    position = play(
        state(),
        "we",
        "standing losses infantry",
        "standing losses west-germany armor",
        "standing losses fighter",
        "standing ask france on",
        "standing ask west-germany on",
        "standing ask france off",
    )
    assert position.orders(Seat("we")) == Standing(
        losses={"": ("fighter",), WEST: ("armor",)}, asks=(WEST,)
    )
    position = play(
        position,
        "we",
        "standing losses default",
        "standing losses west-germany default",
        "standing ask west-germany off",
    )
    assert position.orders(Seat("we")) == NONE
    assert position.standing == {}


def test_14_2_what_makes_no_sense_is_refused() -> None:
    refuses(
        state(),
        "ussr",
        "standing share uk always",
        "share is no matter of USSR",
        error=IllegalAction,
    )
    refuses(state(), "uk", "standing share uk always", "United Kingdom is no ally of yours")
    refuses(state(), "uk", "standing share ussr always", "USSR is no ally of yours")
    refuses(state(), "uk", "standing subs france stay", "France is no sea zone")
    refuses(state(), "uk", "standing aa baltic-sea value", "Baltic Sea is no land")
    refuses(
        state(),
        "uk",
        "standing subs baltic-sea retreat black-sea",
        "Black Sea does not touch Baltic Sea",
    )
    refuses(state(), "uk", "standing refuge china baltic-sea", "expelled units go to a land")


@pytest.mark.parametrize("seat", ["ussr", "we", "uk", "usa"])
def test_14_2_all_that_is_offered_can_be_said(seat: str) -> None:
    position = play(
        state(
            "west-germany we 1 infantry 1 aa-gun uk 1 fighter",
            "baltic-sea ussr 1 submarine usa 1 carrier",
        ),
        seat,
        "standing losses armor",
    )
    offered = [line for line in _any_time(position, seat) if line.startswith("standing ")]
    assert len(offered) > 10
    for line in offered:
        order(position, seat, line)


def _any_time(position: State, seat: str, *prefix: str) -> list[str]:
    if prefix and prefix[0] != "standing":
        return []
    found: list[str] = []
    for option in GAME.any_time(position, Seat(seat), prefix):
        path = (*prefix, option.word)
        if option.action is not None:
            assert GAME.notate(option.action) == " ".join(path)
            found.append(" ".join(path))
        else:
            found += _any_time(position, seat, *path)
    return found


def test_14_2_1_a_list_for_a_land_beats_the_general_one() -> None:
    orders = Standing(losses={"": ("infantry",), WEST: ("armor",)})
    war = at_war(
        "west-germany we 2 infantry 1 armor ussr 1 armor!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(after=1),
        standing={"we": orders},
    )
    assert "Western Europe loses 1 armor" in told(fought(war, [3, 6, 6, 6]))


# --- luck -----------------------------------------------------------------------------------------


def luck(position: State, power: str) -> Luck:
    return position.board.powers[Seat(power)].luck


def test_luck_counts_dice_hits_and_value() -> None:
    war = at_war("west-germany we 1 infantry 1 armor ussr 2 armor!attacking", at=WEST)
    done = fought(war, [3, 6, 6, 6, 3, 6, 2])
    attacker, defender = luck(done.state, "ussr"), luck(done.state, "we")
    assert (attacker.dice, attacker.hits, attacker.value) == (4, 2, 8)
    assert (defender.dice, defender.hits, defender.value) == (3, 1, 5)
    assert attacker.expected == pytest.approx(4 * 3 / 6)
    assert defender.expected == pytest.approx(3 * 2 / 6)


def test_luck_expects_the_value_of_what_would_go_first() -> None:
    """One die at 3 against an infantry and an armor: half of 3."""
    war = at_war(
        "west-germany we 1 infantry 1 armor ussr 1 armor!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(after=1),
    )
    done = fought(war, [6, 6, 6])
    assert luck(done.state, "ussr").expected_value == pytest.approx(1.5)
    # Two dice at 2 against one armor: a third each, of 5, but it can only be lost once.
    assert luck(done.state, "we").expected_value == pytest.approx(5 * (1 - (4 / 6) ** 2))


def test_luck_of_guns_and_of_allies_apart() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun uk 1 fighter ussr 2 fighter*2!attacking", at=WEST
    )
    done = fought(war, [1, 1])
    assert luck(done.state, "we") == Luck(2, 2, pytest.approx(1 / 3), 24)  # type: ignore[arg-type]
    assert luck(done.state, "uk") == Luck()


def test_luck_of_neutrals_is_not_kept() -> None:
    war = at_war("sweden neutral 2 infantry ussr 1 infantry!attacking", at="sweden")
    done = fought(war, [6, 2, 6])
    assert luck(done.state, "ussr").dice == 1
