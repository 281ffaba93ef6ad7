"""14.2 no. 8: whether units of an ally may come on board is said openly, in the own turn."""

from __future__ import annotations

from engine.core import Seat
from engine.east_and_west.data.powers import UK, WE
from engine.east_and_west.standing import Standing
from engine.east_and_west.state import State
from tests.engine.east_and_west.battles import at_war, fought
from tests.engine.east_and_west.kit import GAME, order, play, refuses, state, told, units, words

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


# --- 8.8, 6.10: decks that are closed to an ally --------------------------------------------------

SEA = "italy-sea-zone"
CLOSED = ((UK, WE),)
LOSING = {"we": Standing(losses={"": ("carrier",)}), "uk": Standing(losses={"": ("carrier",)})}


def sinking(placed: str, refusals: tuple[tuple[Seat, Seat], ...] = CLOSED) -> State:
    """A battleship sinks a carrier and is sunk."""
    ships = f"{SEA} {placed} ussr 1 battleship!attacking"
    return at_war(ships, at=SEA, refusals=refusals, standing=LOSING)


def test_8_8_a_carrier_that_is_closed_to_an_ally_is_no_haven() -> None:
    placed = "we 1 carrier 1 fighter uk 1 nuclear-carrier"
    faces = [4, 4, 3, 6]
    welcome = fought(sinking(placed, refusals=()), faces).state
    assert units(welcome, SEA) == "uk 1 nuclear-carrier we 1 fighter"
    refused = fought(sinking(placed), faces)
    assert units(refused.state, SEA) == "uk 1 nuclear-carrier"
    assert any("no carrier is left for them" in line for line in told(refused))


def test_8_8_who_is_refused_leaves_and_not_the_fighters_of_the_host() -> None:
    placed = "we 1 carrier 1 fighter uk 1 nuclear-carrier 2 fighter"
    done = fought(sinking(placed), [4, 4, 4, 6, 6, 6]).state
    assert units(done, SEA) == "uk 2 fighter 1 nuclear-carrier"


def test_8_8_a_host_whose_carrier_is_sunk_may_be_welcome_where_his_guest_is() -> None:
    """The United Kingdom refuses Western Europe, and is not refused."""
    placed = "uk 1 carrier 2 fighter we 1 nuclear-carrier 1 fighter"
    done = fought(sinking(placed), [4, 4, 4, 6, 6, 6]).state
    assert units(done, SEA) == "uk 2 fighter we 1 fighter 1 nuclear-carrier"


def test_8_8_who_is_on_board_is_not_turned_out_by_a_battle() -> None:
    """A refusal comes into force when the ally moves; here only a submarine is lost."""
    placed = "we 1 submarine 1 fighter uk 1 nuclear-carrier"
    done = fought(sinking(placed), [4, 4, 3, 6]).state
    assert units(done, SEA) == "uk 1 nuclear-carrier we 1 fighter"


def test_8_8_after_a_bomb_a_closed_carrier_is_no_haven_either() -> None:
    placed = f"{SEA} we 1 carrier 1 fighter uk 1 nuclear-carrier 5 transport"
    position = state(
        placed,
        "yugoslavia ussr 1 bomber 1 atomic-bomb",
        techs={"ussr": {"nuclear": 2}},
        refusals=CLOSED,
        standing={seat: Standing(losses={"": ("carrier", "transport")}) for seat in ("we", "uk")},
    )
    position = play(position, "ussr", f"strike yugoslavia {SEA}", "done", faces=[3, 4, 6])
    assert units(position, SEA) == "uk 1 transport 1 nuclear-carrier ussr 1 bomber"


def test_6_10_fighters_on_a_closed_carrier_take_no_room_on_an_open_one() -> None:
    """Both carriers are full or have room for themselves: nobody has to look for a place."""
    placed = f"{SEA} we 1 carrier 1 fighter uk 1 carrier 2 fighter"
    position = state(placed, "france we 2 fighter", power="we", stop="logistics", refusals=CLOSED)
    stayed = play(position, "we", "done")
    assert units(stayed, SEA) == "uk 2 fighter 1 carrier we 1 fighter 1 carrier"
    assert words(position, "we", "move", "france", SEA) == ["1"]


def test_8_7_the_promise_knows_that_too() -> None:
    """Far from any land the fighter counts on its own carrier."""
    forces = (
        "south-pacific-2 we 1 carrier 1 fighter*3 uk 1 carrier 2 fighter",
        "south-pacific-1 ussr 1 transport",
    )
    position = state(*forces, power="we", refusals=CLOSED)
    assert "south-pacific-1" in words(position, "we", "move", "south-pacific-2")
    play(position, "we", "move south-pacific-2 south-pacific-1 1 fighter")
