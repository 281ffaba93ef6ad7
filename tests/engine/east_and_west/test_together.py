"""Where rules of several chapters meet: cases that random play has found."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.data.powers import USSR
from engine.east_and_west.forces import take
from tests.engine.east_and_west.kit import GAME, cash, order, owner, play, state, told, units, words


def test_7_2_7_14_who_captures_a_land_on_the_way_does_not_bomb_its_factory() -> None:
    """Nor pays for it: the raid is void, the bomber flies home."""
    position = state(
        "france we 1 bomber", "norway we 2 infantry", power="we", cash={"we": 20, "ussr": 20}
    )
    position = play(position, "we", "raid france karelia 1", "move norway karelia 2 infantry")
    done = order(position, "we", "done", faces=[])
    assert owner(done.state, "karelia") == "we"
    assert (cash(done.state, "we"), cash(done.state, "ussr")) == (20, 20)
    assert not [line for line in told(done) if "pays" in line]
    position = play(done.state, "we", "move karelia france 1 bomber")
    assert units(position, "france") == "we 1 bomber"


def test_8_7_16_30_an_alliance_on_which_aircraft_count_is_not_attacked() -> None:
    """The fighter over India could land in China only, which lets the USSR in no more."""
    position = state(
        "hunan ussr 1 fighter china 11 infantry",
        "sinkiang ussr 1 infantry china 1 infantry",
        "india uk 1 infantry",
        influence={"china": 4},
    )
    assert "attack" in words(position, "ussr")
    assert "attack" not in words(play(position, "ussr", "move hunan india 1 fighter"), "ussr")


def test_13_8_a_refuge_is_only_offered_where_there_is_one() -> None:
    def topics(owners: dict[str, str]) -> list[str]:
        position = state(owners=owners)
        return [option.word for option in GAME.any_time(position, USSR, ("standing",))]

    printed = state().board.owners
    everything_lost = {land: "we" for land, held in printed.items() if held == "ussr"}
    assert "refuge" in topics({})
    assert "refuge" not in topics(everything_lost)


def test_units_stay_sorted_when_some_of_a_group_leave() -> None:
    position = state("poland ussr 4 infantry*1 6 infantry", stop="logistics")
    (moved, fresh) = position.board.at("poland")
    left = take(position.board.units, "poland", fresh, 4)
    assert list(left["poland"]) == sorted(left["poland"])
    assert moved.used == 1
    assert GAME.check(play(position, "ussr", "move poland baltic-states 4 infantry")) == []


def test_the_seats_of_a_match_and_their_allies() -> None:
    assert GAME.seats({}) == ("ussr", "we", "uk", "usa")
    assert GAME.allies(USSR) == ()
    assert GAME.allies(Seat("we")) == ("uk", "usa", "uk-usa")
    assert GAME.allies(Seat("uk")) == ("we", "usa", "we-usa")
    assert GAME.allies(Seat("usa")) == ("uk", "we", "we-uk")
