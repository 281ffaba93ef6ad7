"""Chapter 14.5: a battle rests while somebody is asked, and goes on as if nobody had been."""

from __future__ import annotations

import pytest

from engine.chance import SeededDice
from engine.core import Seat
from engine.east_and_west.board import Group
from engine.east_and_west.orders.options import default_action
from engine.east_and_west.standing import Diving, Plan, Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import answered, at_war, fought, is_over, question
from tests.engine.east_and_west.kit import (
    GAME,
    lines,
    marked,
    order,
    play,
    refuses,
    state,
    told,
    units,
    waiting,
)

WEST, SEA = "west-germany", "italy-sea-zone"
ASKS = Standing(asks=(WEST, SEA))


def test_14_5_the_owner_chooses_his_losses() -> None:
    war = at_war(
        "west-germany we 2 infantry 1 armor ussr 2 armor!attacking",
        at=WEST,
        standing={"we": ASKS},
        entries=["poland"],
        plan=Plan(after=1),
    )
    asked = fought(war, [3, 3]).state
    assert waiting(asked) == "we"
    assert (question(asked).kind, question(asked).space) == ("losses", WEST)
    done = answered(asked, "lose armor 1 infantry 1", [6, 6, 6])
    assert units(done.state, WEST) == "we 1 infantry"
    assert is_over(done.state)


def test_14_5_whoever_was_hit_still_fires() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 armor ussr 2 armor!attacking", at=WEST, standing={"we": ASKS}
    )
    asked = fought(war, [3, 6]).state
    done = answered(asked, "lose armor", [2, 2])
    assert units(done.state, WEST) == "we 1 infantry"


def test_14_5_nobody_is_asked_without_a_choice() -> None:
    war = at_war(
        "west-germany we 2 infantry ussr 2 armor!attacking", at=WEST, standing={"we": ASKS}
    )
    assert is_over(fought(war, [3, 3, 6, 6]).state)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("lose infantry 1", "exactly 2 hits have to be taken"),
        ("lose infantry 2 armor 1", "exactly 2 hits have to be taken"),
        ("lose armor 2", "2 armor cannot be lost here; possible: infantry 2, armor 1"),
        ("lose bomber 2", "2 bomber cannot be lost here; possible: infantry 2, armor 1"),
        ("stay", "you are asked which units are lost: lose KIND NUMBER ..."),
        ("fight", "you are asked which units are lost: lose KIND NUMBER ..."),
    ],
)
def test_14_5_wrong_answers(line: str, message: str) -> None:
    war = at_war(
        "west-germany we 2 infantry 1 armor ussr 2 armor!attacking", at=WEST, standing={"we": ASKS}
    )
    refuses(fought(war, [3, 3]).state, "we", line, message)


def test_14_5_all_answers_that_are_offered_can_be_given() -> None:
    war = at_war(
        "italy-sea-zone we 1 battleship 1 battleship!damaged 1 cruiser 1 transport"
        " ussr 3 battleship!attacking",
        at=SEA,
        standing={"we": ASKS},
    )
    asked = fought(war, [4, 4, 4]).state
    offered = list(lines(asked, "we"))
    assert "lose damage 1 battleship 2" in offered
    assert "lose transport 1 cruiser 1 battleship 1" in offered
    assert "lose battleship 2 cruiser 1" not in offered
    for line in offered:
        GAME.apply(asked, Seat("we"), GAME.parse(line), SeededDice(b"", "x", 0, 0))


def test_14_5_a_sound_battleship_is_only_damaged() -> None:
    war = at_war(
        "italy-sea-zone we 1 battleship 1 transport ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": ASKS},
    )
    asked = fought(war, [4]).state
    refuses(
        asked,
        "we",
        "lose battleship",
        "a sound battleship is damaged by the first hit: lose damage",
    )
    done = answered(asked, "lose transport", [6, 6, 4, 6, 4, 6])
    assert units(done.state, SEA) == "ussr 1 battleship"


def test_14_5_the_gunner_is_asked() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 bomber*2!attacking 1 armor!attacking",
        at=WEST,
        techs={"we": {"armor": 4}},
        standing={"we": ASKS},
    )
    asked = fought(war, []).state
    assert question(asked).kind == "target"
    assert list(lines(asked, "we")) == ["target aircraft", "target armor"]
    done = answered(asked, "target armor", [1, 4, 6])
    assert "USSR loses 1 armor" in told(done)


def test_14_5_submarines_are_asked_for() -> None:
    war = at_war(
        "italy-sea-zone we 3 submarine ussr 1 battleship!attacking", at=SEA, standing={"we": ASKS}
    )
    asked = fought(war, [6, 6, 6, 6]).state
    assert question(asked).kind == "submarines"
    refuses(asked, "we", "submerge 4", "submarines that can submerge: 3, not 4")
    for line in lines(asked, "we"):
        GAME.parse(line)
    again = answered(asked, "submerge 2", [6, 6]).state
    assert question(again).kind == "submarines"
    done = answered(again, "retreat malta-sea-zone")
    assert units(done.state, SEA) == "ussr 1 battleship we 2 submarine"
    assert marked(done.state, "malta-sea-zone") == [Group("we", "submarine")]


def test_14_5_they_may_stay() -> None:
    war = at_war(
        "italy-sea-zone we 1 submarine ussr 1 battleship!attacking", at=SEA, standing={"we": ASKS}
    )
    asked = fought(war, [6, 6]).state
    done = answered(asked, "stay", [4, 6])
    assert units(done.state, SEA) == "ussr 1 battleship"


def test_14_5_the_attacker_is_asked_whether_he_goes_on() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 infantry!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(asks=True),
    )
    asked = fought(war, [6, 6]).state
    assert (question(asked).kind, waiting(asked)) == ("retreat", "ussr")
    assert "fight" in list(lines(asked, "ussr")) and "retreat poland" in list(lines(asked, "ussr"))
    again = answered(asked, "fight", [6, 6]).state
    refuses(again, "ussr", "retreat ukraine", "there is no retreat to Ukraine; possible: poland")
    done = answered(again, "retreat poland")
    assert units(done.state, "poland") == "ussr 1 infantry"


def test_14_5_no_question_where_no_retreat_is_possible() -> None:
    war = at_war(
        "west-germany we 1 infantry ussr 1 infantry!attacking!dropped",
        at=WEST,
        plan=Plan(asks=True),
    )
    assert is_over(fought(war, [6, 6, 1, 6]).state)


def test_14_5_aircraft_may_break_off_alone() -> None:
    war = at_war(
        "norway we 2 infantry ussr 1 infantry!attacking!landed!spent 1 bomber*2!attacking",
        at="norway",
        landings=["barents-sea"],
        plan=Plan(asks=True),
    )
    asked = fought(war, [6, 6, 6, 6]).state
    assert "retreat aircraft" in list(lines(asked, "ussr"))
    done = answered(asked, "retreat aircraft", [6, 2, 6])
    assert units(done.state, "norway") == "ussr 1 bomber we 2 infantry"


def test_14_5_in_a_mixed_stack_the_leader_is_asked() -> None:
    war = at_war(
        "west-germany we 1 infantry uk 2 infantry 1 armor ussr 1 armor!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(after=1),
        standing={"we": ASKS, "uk": ASKS},
    )
    asked = fought(war, [3]).state
    assert waiting(asked) == "we"
    done = answered(asked, "lose infantry", [6, 6, 6, 6])
    assert units(done.state, WEST) == "uk 1 infantry 1 armor we 1 infantry"


def test_14_5_the_battle_of_others_goes_on_only_afterwards() -> None:
    war = at_war(
        "west-germany we 1 infantry 1 armor ussr 1 armor!attacking",
        "norway we 1 infantry ussr 1 armor!attacking",
        at="west-germany norway",
        standing={"we": ASKS},
    )
    war = play(war, "ussr", "plan west-germany first")
    asked = fought(war, [3]).state
    assert units(asked, "norway") == "ussr 1 armor we 1 infantry"
    done = answered(asked, "lose infantry", [2, 6, 3, 6])
    assert units(done.state, "norway") == "ussr 1 armor"


def test_14_5_a_question_between_two_battles_for_an_alliance() -> None:
    """Iraq is taken, the league still exists until all battles are over; guests fight beside it."""
    war = at_war(
        "iraq arab 1 infantry ussr 2 armor!attacking",
        "syria arab 1 infantry we 1 armor 1 infantry ussr 2 armor!attacking",
        at="iraq syria",
        influence={"arab": -3},
        standing={"we": Standing(asks=("syria",))},
        turn={"attacked": ("iraq", "syria")},
        entries=["turkey"],
        owners={"turkey": "ussr"},
    )
    asked = fought(war, [3, 3, 6, 3, 6]).state
    assert "arab" in asked.board.influence
    done = answered(asked, "lose armor", [6, 6, 6, 3, 3, 6, 6])
    assert "arab" not in done.state.board.influence
    assert done.state.board.owners["syria"] == "ussr"
    assert done.state.board.owners["egypt"] == "we"


def test_5_7_14_2_7_the_giver_is_asked_whether_he_shares() -> None:
    position = state(
        power="uk",
        stop="intelligence",
        techs={"usa": {"ship": 2}},
        firsts={"ship 1": Seat("usa")},
        standing={"usa": Standing(share={Seat("uk"): "ask"})},
    )
    asked = order(play(position, "uk", "accept ship"), "uk", "done", []).state
    assert (question(asked).kind, waiting(asked)) == ("share", "usa")
    assert list(lines(asked, "usa")) == ["share yes", "share no"]
    assert default(asked) == "share yes"
    given = order(asked, "usa", "share yes").state
    assert given.board.powers[Seat("uk")].research["ship"] == 1
    refused = order(asked, "usa", "share no").state
    assert "ship" not in refused.board.powers[Seat("uk")].research


# --- the clock ------------------------------------------------------------------------------------


def default(position: State) -> str:
    return GAME.notate(default_action(position, waiting(position)))


def test_14_5_what_the_clock_answers() -> None:
    losses = at_war(
        "west-germany we 2 infantry 1 armor ussr 2 armor!attacking", at=WEST, standing={"we": ASKS}
    )
    assert default(fought(losses, [3, 3]).state) == "lose infantry 2"
    alone = at_war(
        "italy-sea-zone we 3 submarine ussr 1 battleship!attacking", at=SEA, standing={"we": ASKS}
    )
    assert default(fought(alone, [6, 6, 6, 6]).state) == "submerge"
    beside = at_war(
        "italy-sea-zone we 1 submarine 1 cruiser ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": ASKS},
    )
    assert default(fought(beside, [6, 6, 6]).state) == "stay"
    told_to = Standing(asks=(SEA,), submarines={SEA: Diving("retreat", zone="malta-sea-zone")})
    away = at_war(
        "italy-sea-zone we 1 submarine ussr 1 battleship!attacking",
        at=SEA,
        standing={"we": told_to},
    )
    assert default(fought(away, [6, 6]).state) == "retreat malta-sea-zone"
    going_on = at_war(
        "west-germany we 1 infantry ussr 1 infantry!attacking",
        at=WEST,
        entries=["poland"],
        plan=Plan(asks=True),
    )
    assert default(fought(going_on, [6, 6]).state) == "fight"
    guns = at_war(
        "west-germany we 1 infantry 1 aa-gun ussr 1 fighter*2!attacking 3 armor!attacking",
        at=WEST,
        techs={"we": {"armor": 4}},
        standing={"we": ASKS},
    )
    assert default(fought(guns, []).state) == "target armor"


# --- resuming -------------------------------------------------------------------------------------


class Stream:
    """Dice that go on where they were, whoever asks."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        faces = []
        for _ in range(count):
            self.seed = (self.seed * 1103515245 + 12345) % 2**31
            faces.append(self.seed // 65536 % sides + 1)
        return tuple(faces)

    def shuffle(self, items, why):  # type: ignore[no-untyped-def]
        raise NotImplementedError


def _war(standing: dict[str, Standing]) -> State:
    return at_war(
        "italy-sea-zone we 2 submarine 1 cruiser 1 carrier 2 fighter uk 1 battleship 1 transport"
        " ussr 2 submarine!attacking 2 battleship!attacking 1 cruiser!attacking"
        " 2 bomber*3!attacking",
        "west-germany we 5 infantry 2 armor 1 fighter 1 aa-gun uk 2 infantry"
        " ussr 6 infantry!attacking 3 armor!attacking 2 heavy-armor!attacking"
        " 1 fighter*2!attacking",
        at="italy-sea-zone west-germany",
        techs={"we": {"armor": 4, "ship": 6}},
        standing=standing,
    )


@pytest.mark.parametrize("seed", range(12))
def test_14_5_a_battle_resumes_identically(seed: int) -> None:
    """Default answers give what no question would have given, die by die."""
    seats = ("ussr", "we", "uk")
    dice = Stream(seed)
    straight = GAME.apply(_war({}), Seat("ussr"), GAME.parse("done"), dice)
    dice = Stream(seed)
    asking = _war({seat: Standing(asks=(WEST, SEA)) for seat in seats})
    step = GAME.apply(asking, Seat("ussr"), GAME.parse("done"), dice)
    heard, questions = list(step.events), 0
    while step.state.board.questions:
        questions += 1
        seat = waiting(step.state)
        loaded = GAME.load(GAME.dump(step.state))
        step = GAME.apply(loaded, seat, default_action(loaded, seat), dice)
        heard += step.events
    assert questions > 0
    assert heard == list(straight.events)
    assert step.state.board == straight.state.board
