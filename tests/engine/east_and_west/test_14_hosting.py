"""14.2 no. 8: whether units of an ally may come on board is said openly, in the own turn."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.powers import UK, WE
from tests.engine.east_and_west.kit import GAME, order, play, refuses, state, told, words

LOADING = "load italy italy-sea-zone 1 infantry onto we"


def test_14_2_an_ally_is_welcome_unless_refused() -> None:
    position = state(
        "italy uk 1 infantry", "italy-sea-zone we 1 transport", power="uk", stop="logistics"
    )
    play(position, "uk", LOADING)


def test_14_2_a_refusal_holds_until_it_is_taken_back() -> None:
    position = state("italy uk 1 infantry", "italy-sea-zone we 1 transport", power="we")
    done = order(position, "we", "host uk never")
    assert told(done) == ["Western Europe takes no units of United Kingdom on board"]
    assert not done.final
    assert done.state.board.refusals == ((WE, UK),)
    again = order(done.state, "we", "host uk always")
    assert told(again) == ["Western Europe takes units of United Kingdom on board"]
    assert again.state.board.refusals == ()


def test_14_2_who_is_refused_can_see_it_in_advance() -> None:
    """What somebody may do never depends on what is hidden from him."""
    position = state(
        "italy uk 1 infantry",
        "italy-sea-zone we 1 transport",
        power="uk",
        stop="logistics",
        refusals=((WE, UK),),
    )
    refuses(position, "uk", LOADING, "Western Europe takes nobody on board")
    assert "load" not in words(position, "uk")
    assert GAME.view(position, UK).board.refusals == ((WE, UK),)


def test_14_2_only_the_opposite_of_what_holds_is_offered() -> None:
    position = state(power="we")
    assert words(position, "we", "host") == ["uk", "usa"]
    assert words(position, "we", "host", "uk") == ["never"]
    assert words(play(position, "we", "host uk never"), "we", "host", "uk") == ["always"]


def test_14_2_hosting_is_for_allies() -> None:
    assert "host" not in words(state(), "ussr")
    refuses(state(), "ussr", "host we never", "Western Europe is no ally of yours")
    refuses(state(power="we"), "we", "host we never", "Western Europe is no ally of yours")


def test_14_2_it_may_be_written_as_a_standing_order() -> None:
    action = GAME.parse("standing host Großbritannien never")
    assert GAME.notate(action) == "host uk never"
    assert GAME.apply(state(power="we"), Seat("we"), action, None).state  # type: ignore[arg-type]
