"""How many presses a turn takes, and that what is pressed becomes what would have been typed."""

from __future__ import annotations

import pytest

from engine.chance import QuickDice
from engine.core import BadNotation, GameError, Seat
from engine.east_and_west.combat.scenario import arranged
from engine.east_and_west.odds.calculator import odds
from engine.east_and_west.sheet import outlook
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME, new_match, play, state, units
from tests.engine.east_and_west.sheet.presses import Person, form, panel, posted, said
from tests.engine.refusals import exactly

MOST_FOR_AN_ATTACK = 5
MOST_FOR_A_QUIET_TURN = 30


def test_an_attack_takes_at_most_five_presses() -> None:
    ann = Person(state("poland ussr 6 infantry 2 armor", "west-germany we 2 infantry"), "ussr")
    ann.state = play(ann.state, "ussr", "buy 1 infantry")
    ann.press(stage="attack", at="poland")
    ann.press(stage="attack", at="poland", to="west-germany")
    assert ann.fill("move", infantry=5) == ("move poland west-germany 5 infantry 2 armor",)
    assert ann.presses <= MOST_FOR_AN_ATTACK


def test_a_landing_takes_at_most_five_presses() -> None:
    ann = Person(
        state(
            "karelia ussr 3 infantry 1 armor",
            "barents-sea ussr 2 transport",
            "norway we 1 infantry",
        ),
        "ussr",
    )
    ann.press(stage="attack", at="karelia")
    orders = ann.fill("voyage", infantry=2, way="barents-sea barents-sea norway")
    assert orders == (
        "load karelia barents-sea 2 infantry",
        "land barents-sea norway 2 infantry",
    )
    assert ann.presses <= MOST_FOR_AN_ATTACK


def test_a_voyage_takes_as_many_ships_as_it_needs() -> None:
    ann = Person(
        state("karelia ussr 4 infantry", "barents-sea ussr 3 transport", "iceland usa 1 infantry"),
        "ussr",
    )
    ann.press(stage="attack", at="karelia")
    ways = form(ann.sheet, "voyage").fields[-1].values
    way = next(way.value for way in ways if way.value.endswith(" iceland"))
    orders = ann.fill("voyage", infantry=3, way=way)
    zone = way.split()[1]
    assert orders == (
        "load karelia barents-sea 3 infantry",
        f"move barents-sea {zone} 2 transport 3 infantry",
        f"land {zone} iceland 3 infantry",
    )


def test_a_quiet_turn_takes_less_than_thirty_presses() -> None:
    """Purchases of three kinds, an attack with a plan, two moves, placement in two lands."""
    start = play(new_match(), "ussr", "done")
    ann = Person(start, "ussr", QuickDice(b"a quiet turn"))
    ann.press(stage="research")
    ann.fill("research", armor="free")
    ann.fill("finish")
    ann.fill("buy", infantry=8, armor=2, fighter=1)
    ann.press(stage="attack", at="georgia")
    ann.press(stage="attack", at="georgia", to="turkey")
    ann.fill("move")
    ann.press(stage="battles")
    ann.fill("plan-retreat-turkey", when="odds", number=30)
    ann.fill("finish")
    ann.press(stage="moves", at="russia")
    ann.fill("move", infantry=3, to="orel")
    ann.press(stage="moves", at="baltic-states")
    ann.fill("move", armor=1, to="poland")
    ann.press(stage="placement")
    ann.fill("spread")
    ann.fill("finish")
    assert ann.state.board.turn.power == "we"
    assert ann.presses < MOST_FOR_A_QUIET_TURN


# --- stage by stage -------------------------------------------------------------------------------


def test_spies_have_a_row_each_with_what_success_brings() -> None:
    position = state(stop="intelligence", spies={"ussr": 2, "usa": 1})
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "spies"})
    fields = form(sheet, "spies").fields
    assert [field.name for field in fields] == ["spy-1", "spy-2", "free"]
    china = next(one for one in fields[0].values if one.value == "diplomacy china")
    assert china.note is not None
    assert GAME.say(china.note) == "one step towards you; it then pays USSR 8 IPC"
    fields_posted = posted(form(sheet, "spies"), spy_1="diplomacy china", spy_2="counter usa")
    assert GAME.compose(position, Seat("ussr"), fields_posted) == (
        "spy diplomacy china",
        "spy counter usa",
    )


def test_research_shows_ladders() -> None:
    position = state(stop="intelligence", techs={"usa": {"aircraft": 3}}, power="usa")
    sheet = GAME.sheet(position, Seat("usa"), {"stage": "research"})
    track = next(t for t in panel(sheet, "research").tracks if GAME.say(t.label) == "Aircraft")
    assert (track.taken, track.is_halfway) == (1, True)
    filled = posted(form(sheet, "research"), aircraft="paid", nuclear="free")
    assert GAME.compose(position, Seat("usa"), filled) == (
        "research aircraft",
        "research free nuclear",
    )


def test_purchases_add_up_and_say_what_finds_no_place() -> None:
    position = state(cash={"usa": 60}, power="usa", factories=["panama"], owners={"panama": "usa"})
    asks = {"stage": "purchases", "form": "buy", "fighter": "4"}
    shown = panel(GAME.sheet(position, Seat("usa"), asks), "purchases")
    assert GAME.say(shown.lines[0]) == "This costs 48 of the 60 IPC that you can spend."
    assert shown.warning is not None
    assert GAME.say(shown.warning).startswith("no place for: ")
    assert {f.name: f.value for f in shown.forms[0].fields}["fighter"] == "4"


def test_a_target_that_is_worse_than_even_warns() -> None:
    position = state("poland ussr 2 infantry", "west-germany we 6 infantry 2 armor")
    asks = {"stage": "attack", "at": "poland", "to": "west-germany"}
    sheet = GAME.sheet(position, Seat("ussr"), asks)
    assert sheet.map.targets == {"west-germany"}
    assert any("expected losses: yours 2" in GAME.say(note) for note in form(sheet, "move").notes)
    warning = form(sheet, "move").warning
    assert warning is not None and GAME.say(warning).startswith("worse than even: ")


def reminders(position: State, stage: str) -> list[str]:
    return [GAME.say(one) for one in GAME.sheet(position, Seat("ussr"), {"stage": stage}).reminders]


def test_before_the_dice_all_battles_are_told_with_their_odds() -> None:
    forces = "poland ussr 2 infantry", "west-germany we 6 infantry 2 armor"
    position = state(*forces, cash={"ussr": 0})
    assert reminders(position, "purchases") == []
    position = play(position, "ussr", "move poland west-germany 2 infantry")
    for stage in ("purchases", "attack", "battles"):
        assert reminders(position, stage) == ["West Germany: worse than even: 0 % to win"]


def test_money_that_is_not_spent_is_remembered() -> None:
    left = ["20 IPC are not spent yet."]
    mobilising = new_match()
    assert reminders(mobilising, "purchases") == left
    assert reminders(play(mobilising, "ussr", "buy 10 infantry"), "purchases") == []
    position = state(cash={"ussr": 21})
    bought = play(position, "ussr", "buy 10 infantry")
    assert reminders(position, "attack") == ["21 IPC are not spent yet."]
    assert reminders(bought, "purchases") == [], "which buys nothing more"


def test_only_what_no_dice_can_spoil_is_certain() -> None:
    forces = "poland ussr 6 armor", "west-germany we 1 infantry"
    position = state(*forces, cash={"ussr": 0})
    position = play(position, "ussr", "move poland west-germany 6 armor")
    assert reminders(position, "attack") == ["West Germany: won: 99 %"]


def test_before_the_dice_a_free_attempt_is_remembered() -> None:
    position = state(stop="intelligence")
    told = ["Your free attempt at a technology is not used."]
    assert reminders(position, "research") == told
    assert reminders(play(position, "ussr", "research armor"), "research") == told
    assert reminders(play(position, "ussr", "research free armor"), "research") == []


def test_a_planned_battle_is_a_card_with_the_exact_odds() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 3 infantry")
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "battles"})
    card = panel(sheet, "battle-west-germany")
    lines = [GAME.say(line) for line in card.lines]
    assert lines[:2] == ["you: 3 infantry", "Western Europe: 1 infantry"]
    (mark,) = sheet.map.battles
    assert f"won: {mark.percent} %" in lines
    exact = odds(arranged(Seat("ussr"), {"infantry": 3}, Seat("we"), {"infantry": 1}))
    assert mark.percent == round(100 * exact.wins) == 90
    assert lines[-1] == "plan: fight on"
    assert [(a.start, a.target) for a in sheet.map.arrows] == [("poland", "west-germany")]


def test_odds_say_when_they_leave_out_a_retreat() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    position = play(
        position, "ussr", "move poland west-germany 3 infantry", "plan west-germany retreat after 1"
    )
    told = "won: 90 %, retreats not counted"
    assert told in said(GAME.sheet(position, Seat("ussr"), {"stage": "battles"}))
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "attack"})
    (link,) = panel(sheet, "planned").links
    assert link.note is not None and GAME.say(link.note) == told
    without = play(position, "ussr", "plan west-germany retreat never")
    assert "won: 90 %" in said(GAME.sheet(without, Seat("ussr"), {"stage": "battles"}))


def test_odds_are_computed_once_for_each_make_up_of_a_battle() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 3 infantry")
    outlook.foretold.cache_clear()
    for stage in ("battles", "attack", "battles"):
        GAME.sheet(position, Seat("ussr"), {"stage": stage})
    kept = outlook.foretold.cache_info()
    assert kept.misses == 1 and kept.hits > 1
    assert kept.maxsize is not None and kept.maxsize <= 256


def test_the_battles_that_are_planned_stand_beside_the_moves() -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    position = play(position, "ussr", "move poland west-germany 3 infantry")
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "attack"})
    (link,) = panel(sheet, "planned").links
    assert link.note is not None
    assert (GAME.say(link.label), GAME.say(link.note)) == ("West Germany", "won: 90 %")
    assert "west-germany" not in sheet.map.open


def test_a_battle_at_sea_counts_the_ships_that_were_there() -> None:
    position = state(
        "north-sea ussr 1 cruiser we 1 submarine", "baltic-sea ussr 1 submarine", techs={}
    )
    asks = {"stage": "attack", "at": "baltic-sea", "to": "north-sea"}
    foretold = GAME.say(form(GAME.sheet(position, Seat("ussr"), asks), "move").notes[0])
    position = play(position, "ussr", "move baltic-sea north-sea 1 submarine")
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "battles"})
    assert "you: 1 cruiser, 1 submarine" in said(sheet)
    assert foretold.startswith("won: ") and foretold in said(sheet)


def test_a_landing_behind_a_sea_battle_has_its_odds() -> None:
    position = state(
        "barents-sea ussr 1 transport[2 infantry] 1 cruiser we 1 transport", "norway we 1 infantry"
    )
    position = play(position, "ussr", "attack barents-sea", "land barents-sea norway 2 infantry")
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "battles"})
    lines = [GAME.say(line) for line in panel(sheet, "battle-norway").lines]
    assert lines[0] == "you: 2 infantry"


def test_a_plan_is_said_in_words() -> None:
    ann = Person(state("poland ussr 3 infantry 1 armor", "west-germany we 1 infantry"), "ussr")
    ann.state = play(ann.state, "ussr", "move poland west-germany 3 infantry 1 armor")
    ann.press(stage="battles")
    orders = ann.fill("plan-retreat-west-germany", when="below-units", number=2, to="poland")
    assert orders == (
        "plan west-germany retreat below 2 units",
        "plan west-germany to poland",
    )
    ann.fill("plan-losses-west-germany", lose_1="infantry", lose_2="armor", keep="on")
    assert said(ann.sheet)[-4:] == [
        "plan: retreat below 2 units",
        "plan: retreat to Poland",
        "plan: lose first: infantry, armor",
        "plan: lose a ground unit last",
    ]
    assert ann.fill("plan-none-west-germany") == ("plan west-germany none",)


def test_aircraft_that_have_not_landed_come_first() -> None:
    position = state(
        "north-sea ussr 1 fighter*1",
        "baltic-states ussr 1 infantry",
        "poland ussr 1 infantry",
        stop="logistics",
    )
    sheet = GAME.sheet(position, Seat("ussr"), {"stage": "moves"})
    assert sheet.panels[0].name == "in-the-air"
    landing = form(sheet, "land-fighter-north-sea")
    assert GAME.compose(position, Seat("ussr"), posted(landing, to="poland")) == (
        "move north-sea poland 1 fighter",
    )


def test_what_was_bought_is_placed_where_it_may_stand() -> None:
    ann = Person(
        state(stop="logistics", hand={"ussr": {"infantry": 2, "armor": 1, "transport": 1}}), "ussr"
    )
    ann.press(stage="placement", at="russia")
    assert ann.fill("place", infantry=1, armor=1) == ("place russia 1 infantry 1 armor",)
    assert units(ann.state, "russia") == "ussr 1 infantry 1 armor"
    ann.fill("spread")
    assert not ann.state.board.powers[Seat("ussr")].hand


def test_a_question_has_its_answers_as_buttons() -> None:
    position = state("poland ussr 3 infantry 1 armor", "west-germany we 4 infantry")
    position = play(
        position,
        "ussr",
        "move poland west-germany 3 infantry 1 armor",
        "plan west-germany retreat ask",
        "done",
        faces=[6, 6, 6, 6, 6, 6, 6, 6],
    )
    sheet = GAME.sheet(position, Seat("ussr"))
    assert sheet.question is not None and not sheet.stages
    assert GAME.say(sheet.question) == "fight on in West Germany or retreat"
    answers = [GAME.compose(position, Seat("ussr"), posted(f)) for f in sheet.panels[0].forms]
    assert answers == [("fight",), ("retreat poland",)]


# --- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({"infantry": "7"}, "infantry: '7' is not a number from 0 to 3"),
        ({"infantry": "-1"}, "infantry: '-1' is not a number from 0 to 3"),
        ({"to": ""}, "To: choose one of west-germany"),
        ({"to": "paris"}, "To: 'paris' is not possible; possible: west-germany"),
        ({"infantry": "0"}, "nothing is chosen; choose a number of units"),
        ({"form": "nuke"}, "there is no form 'nuke' here now; there is: move, move-via"),
        ({"at": "france"}, "there is no form 'move' here now; there is: -"),
        ({"stage": "spies"}, "there is nothing to fill in for 'spies' now; shown is: Buy units"),
    ],
)
def test_a_wrong_field_is_named_with_what_would_be_right(
    fields: dict[str, str], refusal: str
) -> None:
    position = state("poland ussr 3 infantry", "west-germany we 1 infantry")
    right = {
        "form": "move",
        "stage": "attack",
        "at": "poland",
        "infantry": "2",
        "to": "west-germany",
    }
    assert GAME.compose(position, Seat("ussr"), right) == ("move poland west-germany 2 infantry",)
    with pytest.raises(BadNotation, match=exactly(refusal)):
        GAME.compose(position, Seat("ussr"), {**right, **fields})


def test_units_that_cannot_go_along_are_refused_and_not_left_behind_in_silence() -> None:
    position = state(
        "poland ussr 3 infantry 1 fighter", "west-germany we 1 infantry", "norway we 1 infantry"
    )
    fields = {
        "form": "move",
        "stage": "attack",
        "at": "poland",
        "infantry": "2",
        "fighter": "1",
        "to": "norway",
    }
    (order,) = GAME.compose(position, Seat("ussr"), fields)
    with pytest.raises(GameError, match="infantry: no way from Poland to Norway"):
        play(position, "ussr", order)


def test_a_pasted_turn_keeps_the_numbers_of_its_lines() -> None:
    text = "buy 3 infantry\n\n# the attack\nmove  poland west-germany 2 inf   # all of them\r\ndone"
    assert GAME.pasted(text) == (
        (1, "buy 3 infantry"),
        (4, "move poland west-germany 2 inf"),
        (5, "done"),
    )


def test_a_pasted_list_loses_its_numbers_and_marks_of_quotation() -> None:
    text = "> 1. buy 3 infantry\n> 12) 3 infantry poland west-germany\n- done\n3 infantry"
    assert [order for _, order in GAME.pasted(text)] == [
        "buy 3 infantry",
        "3 infantry poland west-germany",
        "then 3 infantry",
        "done",
    ]


def test_a_whole_turn_can_be_pasted_as_it_is_played() -> None:
    text = "done\nbuy 3 infantry\nthen if lost france buy 1 armor\ndone\n\ndone"
    assert GAME.pasted(text) == (
        (2, "then buy 3 infantry"),
        (3, "then if lost france buy 1 armor"),
        (4, "then done"),
        (6, "then done"),
        (1, "done"),
    )
