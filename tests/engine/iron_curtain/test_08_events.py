"""Chapter 8 of RULES.md: what the events do, card by card."""

import pytest

from engine.core import Seat
from engine.iron_curtain.board import (
    Answer,
    CommandCard,
    Commanding,
    Country,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    Resolve,
)
from engine.iron_curtain.deck import USA, USSR, Deck, deck_from, standard_deck
from engine.iron_curtain.events import cells_for
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.layout import is_connected
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import (
    GAME,
    asked,
    card_in,
    country,
    cubes,
    deck_document,
    held,
    labels,
    play,
    refuses,
    state,
    step,
    table,
    told,
    words,
)


def event(card: str, at: str, *countries: str, track: int = 0, connected: bool = False) -> State:
    """The side of the flag has played its card and uses the event."""
    side = standard_deck().cards[card].flag
    assert side is not None
    position = state(*countries, mover=side, track=track, connected=connected, **held(side, card))
    return play(position, f"play {card} {at}", "event")


# --- 8.1 to 8.6: what they have in common ---------------------------------------------------------


def test_8_1_infiltration_needs_no_reach_and_knows_no_double_cost() -> None:
    """Vietnam: South Africa is locked by the US and costs one cube all the same."""
    position = event("vietnam", "t20", "europe s19 1/0", "south_africa t19 5/0")
    assert asked(position) == Infiltrating(USSR, "vietnam", 2, ("south_africa", "vietnam"))
    done = step(position, "cube south_africa")
    assert told(done) == ["USSR puts a cube on South Africa."]
    assert labels(position, USSR, "cube") == ["South Africa", "Vietnam"]
    assert cubes(done.state, "south_africa") == ["5/1"]


def test_8_1_an_empty_supply_lets_an_infiltration_take_cubes_from_elsewhere() -> None:
    """A23."""
    position = event("vietnam", "t19", "europe s19 0/24")
    assert words(position, USSR) == ["shift", "done"]
    refuses(
        position,
        "cube vietnam",
        "your supply is empty; write: shift CARD vietnam, with a card from: europe",
    )
    position = play(position, "shift europe vietnam")
    assert cubes(position, "europe", "vietnam") == ["0/23", "0/1"]
    assert asked(position) == Infiltrating(USSR, "vietnam", 1, ("europe",))
    assert words(position, USSR, "shift") == ["vietnam"]
    assert cubes(play(position, "shift vietnam europe"), "europe", "vietnam") == ["0/24", "0/0"]


def test_8_1_an_infiltration_onto_the_only_card_that_could_give_is_nothing() -> None:
    """A23: all 24 cubes of the USSR lie on Cuba itself, so Brazil moves none there."""
    position = state("europe s19 0/0", "cuba u19 0/24", mover=USSR, ussr="brazil")
    assert words(play(position, "play brazil t19"), USSR) == ["command"]


def test_8_2_the_reach_of_an_event_command_may_come_from_any_region() -> None:
    """T24: Panama's event, US cubes only on Europe, which lies beside an Asia card."""
    position = event("panama", "r19", "europe s19 1/1", "japan t19")
    assert asked(position) == Commanding(USA, "panama", 3, ("japan",))
    position = play(position, "cube japan", "cube japan", "cube japan")
    assert cubes(position, "japan") == ["3/0"]
    assert asked(position) == PlayCard(USSR)


def test_8_2_an_event_command_pays_double_and_cannot_chain() -> None:
    position = event("panama", "s18", "europe s19 1/1", "japan t19 0/2", "vietnam u19")
    refuses(position, "cube vietnam", "no cube can go to vietnam; cubes can go to japan")
    done = step(position, "cube japan")
    assert told(done) == ["USA puts a cube on Japan for two points."]
    assert asked(done.state) == Commanding(USA, "panama", 1, ("japan",))
    refuses(done.state, "cube vietnam", "no cube can go to vietnam; cubes can go to japan")


def test_8_2_an_event_command_with_an_empty_supply_picks_up() -> None:
    position = event("panama", "s18", "europe s19 24/1", "japan t19")
    position = play(position, "shift europe japan", "done")
    assert cubes(position, "europe", "japan") == ["23/1", "1/0"]


def test_8_2_the_opponents_event_command_uses_the_reach_of_the_flag() -> None:
    """A8: the USSR plays Panama, the US commands with its own cubes."""
    position = state("europe s19 0/1", "japan t19", "poland s18 1/0", mover=USSR, ussr="panama")
    position = play(position, "play panama u19")
    assert asked(position) == Commanding(USSR, "panama", 2, ("europe", "japan", "poland"))
    position = state("europe s19 1/1", "japan t19", mover=USSR, ussr="panama")
    position = play(position, "play panama u19", "event", "cube japan", "done")
    assert cubes(position, "japan") == ["1/0"]
    assert asked(position) == Commanding(USSR, "panama", 2, ("europe", "japan"))


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (("here",), ["poland"]),
        (("neighbours",), ["europe", "italy"]),
        (("elsewhere",), ["europe", "italy", "cuba"]),
        (("europe",), ["europe", "poland", "italy"]),
        (("cuba",), ["cuba"]),
        (("iran",), []),
        (("neighbours", "here"), ["europe", "poland", "italy"]),
        (("cuba", "neighbours"), ["europe", "italy", "cuba"]),
        (("central_america", "here", "elsewhere"), ["europe", "poland", "italy", "cuba"]),
    ],
)
def test_8_2_where_an_event_points_to(where: tuple[str, ...], found: list[str]) -> None:
    position = state("poland t19", "italy u19", "cuba v19", mover=USSR)
    assert list(places(position, "poland", where)) == found


def places(position: State, here: str, where: tuple[str, ...]) -> tuple[str, ...]:
    layout = position.table.layout
    return layout.names(layout.meant(here, where))


@pytest.mark.parametrize(
    "line", ["cube europe", "shift europe poland", "event", "relocate europe s18", "decline"]
)
def test_8_4_only_removals_are_asked_while_removing(line: str) -> None:
    position = event("east_germany", "t19", "europe s19 2/1")
    refuses(position, line, f"{line!r} is not asked now; write: remove CARD or done")


@pytest.mark.parametrize("line", ["cube europe", "remove europe", "event", "relocate europe s18"])
def test_8_5_only_shifts_are_asked_while_gathering(line: str) -> None:
    position = event("west_germany", "t19", "europe s19 2/1")
    refuses(position, line, f"{line!r} is not asked now; write: shift CARD CARD or done")


@pytest.mark.parametrize("line", ["cube europe", "remove europe", "shift europe iran", "event"])
def test_8_6_only_a_card_to_move_is_asked_while_relocating(line: str) -> None:
    position = event("iran", "t19")
    refuses(position, line, f"{line!r} is not asked now; write: relocate CARD CELL or done")


@pytest.mark.parametrize("line", ["event", "command", "remove europe", "first usa"])
def test_8_1_only_cubes_are_asked_while_infiltrating(line: str) -> None:
    position = event("vietnam", "t19")
    refuses(position, line, f"{line!r} is not asked now; write: cube CARD or done")


# --- 8.10: Poland ---------------------------------------------------------------------------------


def test_8_10_poland_counts_the_neighbours_the_us_leads() -> None:
    """T8: neighbours with 2/1, 1/1, 0/0 and a free cell give one point."""
    laid = ("europe s19 2/1", "italy u19 1/1", "japan t18 0/0", "france s18 9/0")
    position = state(*laid, mover=USA, usa="poland")
    done = step(play(position, "play poland t19"), "event")
    assert told(done) == [
        "USA uses the event of Poland.",
        "USA gains 1 point from Poland. Track: USA ahead by 1.",
    ]
    assert done.state.track == 1
    assert done.state.table[:-1] == tuple(position.table)


def test_8_10_poland_counts_neighbours_of_any_region() -> None:
    laid = ("europe s19 1/0", "italy u19 3/2", "japan t18 1/0", "iran t20 0/1")
    assert event("poland", "t19", *laid).track == 3


def test_8_10_poland_may_win_the_match() -> None:
    done = step(
        play(state("europe s19 2/1", mover=USA, usa="poland", track=7), "play poland t19"), "event"
    )
    assert told(done)[-1] == "The marker has reached the flag of USA. USA wins."
    assert done.state.track == 8


def test_8_10_poland_played_by_the_ussr_gives_the_us_its_points() -> None:
    position = play(state("europe s19 2/1", mover=USSR, ussr="poland"), "play poland t19")
    assert asked(position) == Answer(USA, "poland")
    position = play(position, "event")
    assert position.track == 1
    assert asked(position) == Commanding(USSR, "poland", 3, ("europe", "poland"))


# --- 8.11: Italy ----------------------------------------------------------------------------------


def test_8_11_italy_gives_the_ussr_a_point() -> None:
    position = play(state(mover=USSR, ussr="italy"), "play italy t19")
    done = step(position, "event")
    assert told(done) == [
        "USSR uses the event of Italy.",
        "USSR gains 1 point from Italy. Track: USSR ahead by 1.",
    ]
    assert done.state.track == -1
    assert asked(done.state) == PlayCard(USA)


def test_8_11_italy_brings_the_marker_back_to_level() -> None:
    position = play(state(mover=USSR, ussr="italy", track=1), "play italy t19")
    assert told(step(position, "event"))[1] == "USSR gains 1 point from Italy. Track: level."


# --- 8.12: France ---------------------------------------------------------------------------------


def test_8_12_france_takes_up_to_two_us_cubes_without_reach() -> None:
    position = event("france", "t19", "europe s19 0/5")
    assert asked(position) == Infiltrating(USA, "france", 2, ("france", "france"))
    refuses(position, "cube europe", "no cube can go to europe; cubes can go to france")
    one = play(position, "cube france")
    assert asked(one) == Infiltrating(USA, "france", 1, ("france",))
    two = play(one, "cube frankreich")
    assert cubes(two, "france") == ["2/0"]
    assert two.supplies == (22, 19)
    assert asked(two) == PlayCard(USSR)


def test_8_12_france_used_and_then_nothing() -> None:
    """Section 8.9."""
    position = event("france", "t19")
    done = step(position, "done")
    assert told(done) == ["USA stops here."]
    assert cubes(done.state, "france") == ["0/0"]


# --- 8.13: West Germany ---------------------------------------------------------------------------


def test_8_13_west_germany_draws_up_to_three_own_cubes_from_any_cards() -> None:
    laid = ("europe s19 2/1", "japan u25 1/4", "iran a1 0/1", "italy s20 3/0")
    position = event("west_germany", "t19", *laid)
    assert asked(position) == Gathering(
        USA, "west_germany", 3, USA, ("europe", "japan", "iran", "italy")
    )
    assert words(position, USA) == ["shift", "done"]
    assert words(position, USA, "shift") == ["europe", "japan", "italy"]
    assert words(position, USA, "shift", "japan") == ["west_germany"]
    assert labels(position, USA, "shift", "japan") == ["onto West Germany"]
    done = step(position, "shift japan west_germany")
    assert told(done) == ["USA moves a cube of USA from Japan to West Germany."]
    position = play(done.state, "shift europe west_germany", "shift europe west_germany")
    assert cubes(position, "west_germany", "europe", "japan") == ["3/0", "0/1", "0/4"]
    assert position.supplies == (18, 18)
    assert asked(position) == PlayCard(USSR)


def test_8_13_west_germany_refuses_what_is_not_there() -> None:
    laid = ("europe s19 2/1", "iran u19 0/1")
    position = event("west_germany", "s18", *laid)
    refuses(
        position,
        "shift iran west_germany",
        "no cube can leave iran; cubes can leave europe",
    )
    refuses(
        position,
        "shift west_germany west_germany",
        "no cube can leave west_germany; cubes can leave europe",
    )
    refuses(position, "shift europe iran", "cubes move onto west_germany, not onto iran")
    for wrong in (("cube",), ("shift", "iran"), ("shift", "europe", "west_germany")):
        assert words(position, USA, *wrong) == []


def test_8_13_west_germany_may_stop_early_and_stops_by_itself() -> None:
    position = event("west_germany", "t19", "europe s19 2/1")
    stopped = play(position, "shift europe west_germany", "done")
    assert cubes(stopped, "west_germany", "europe") == ["1/0", "1/1"]
    emptied = play(position, "shift europe to west_germany", "shift europe to West Germany")
    assert asked(emptied) == PlayCard(USSR)


# --- 8.14: East Germany ---------------------------------------------------------------------------


def test_8_14_east_germany_takes_up_to_two_us_cubes_off_europe() -> None:
    laid = ("europe s19 2/1", "poland r19 1/0", "japan s18 5/0", "italy s20 0/2")
    position = event("east_germany", "t19", *laid)
    targets = ("europe", "poland", "italy", "east_germany")
    assert asked(position) == Removing(USSR, "east_germany", 2, targets)
    assert words(position, USSR) == ["remove", "done"]
    assert words(position, USSR, "remove") == ["europe", "poland"]
    assert words(position, USSR, "remove", "europe") == []
    assert words(position, USSR, "cube") == []
    message = "no cube can leave {}; cubes can leave europe, poland"
    for card in ("japan", "italy", "vietnam"):
        refuses(position, f"remove {card}", message.format(card))
    done = step(position, "remove poland")
    assert told(done) == ["USSR removes a cube of USA from Poland."]
    assert done.state.supplies == (position.supplies[0] + 1, position.supplies[1])
    position = play(done.state, "remove Europa")
    assert cubes(position, "europe", "poland") == ["1/1", "0/0"]
    assert asked(position) == PlayCard(USA)


def test_8_14_east_germany_may_stop_and_ends_when_nothing_is_left() -> None:
    position = event("east_germany", "t19", "europe s19 1/1")
    assert asked(play(position, "done")) == PlayCard(USA)
    assert asked(play(position, "remove europe")) == PlayCard(USA)


# --- 8.15 and 8.6: Iran ---------------------------------------------------------------------------


def targets(position: State, card: str) -> set[str]:
    return {cell_name(cell) for cell in cells_for(position, card)}


def test_8_15_iran_moves_a_card_with_its_cubes_beside_its_region() -> None:
    """T13: only cells next to the other card of the region, not the old cell."""
    laid = ("europe s19 1/1", "japan t19 2/1", "vietnam u19 0/1", "panama r19")
    position = event("iran", "s18", *laid)
    assert asked(position) == Relocating(USSR, "iran")
    assert targets(position, "japan") == {"u18", "v19", "u20"}
    assert set(words(position, USSR, "relocate", "japan")) == {"u18", "v19", "u20"}
    done = step(position, "relocate japan v19")
    assert told(done) == ["USSR moves Japan from t19 to v19."]
    assert done.state.country("japan") == Country("japan", (3, 0), 2, 1)
    assert done.state.supplies == position.supplies
    assert asked(done.state) == PlayCard(USA)


def test_8_6_a_card_never_goes_back_to_where_it_lay() -> None:
    position = event("iran", "s18", "europe s19", "japan t19", "vietnam u19")
    refuses(
        position,
        "relocate japan t19",
        "japan cannot move to t19; it can move to u18, u20, v19",
    )


def test_8_6_a_card_alone_in_its_region_goes_beside_any_other_card() -> None:
    position = event("iran", "s18", "europe s19", "japan t19")
    assert targets(position, "japan") == {"r18", "r19", "s17", "s20", "t18"}


def test_8_6_a_region_that_is_walled_in_opens_the_whole_table_for_the_moved_card() -> None:
    laid = (
        "europe s19",
        "japan u19",
        "vietnam r19",
        "italy u18",
        "france u20",
        "zaire v19",
        "poland t19",
    )
    position = event("iran", "s18", *laid)
    assert targets(position, "japan") == {"q19", "r18", "r20"}
    walled = targets(position, "vietnam")
    assert walled == {"r18", "s17", "s20", "t18", "t20", "u17", "u21", "v18", "v20", "w19"}


def test_8_6_a_card_whose_only_regional_cell_is_its_own_cannot_move() -> None:
    """Section 8.4: no fallback to free placement."""
    laid = (
        "europe s19",
        "japan u19",
        "vietnam u20",
        "italy u18",
        "zaire v19",
        "poland t19",
    )
    position = event("iran", "s18", *laid)
    assert targets(position, "vietnam") == set()
    assert "vietnam" not in words(position, USSR, "relocate")
    assert words(position, USSR, "relocate", "vietnam") == []
    refuses(position, "relocate vietnam r19", "vietnam cannot move to r19; it can move to no cell")


def test_8_6_the_starter_may_move() -> None:
    position = event("iran", "t20", "europe s19 1/1", "poland t19")
    assert targets(position, "europe") == {"t18", "u19"}
    assert play(position, "relocate europe t18").table[0] == Country("europe", (1, -1), 1, 1)


def test_8_6_iran_may_move_itself_and_the_cards_of_both_flags() -> None:
    position = event("iran", "t19", "europe s19 1/1", "poland r19 3/0", "italy s18")
    assert words(position, USSR, "relocate") == ["europe", "poland", "italy", "iran"]
    moved = play(position, "relocate iran q19")
    assert moved.country("iran") == Country("iran", (-2, 0))


def test_8_6_no_region_scores_when_a_card_moves() -> None:
    """A2: the Middle East is complete already, Europe is not; nothing scores."""
    position = state("europe s19 1/1", "egypt t19 0/1", mover=USSR, ussr="iran")
    done = step(play(position, "play iran u19"), "event")
    assert done.state.track == -3
    moved = step(done.state, "relocate egypt v19")
    assert told(moved) == ["USSR moves Egypt from t19 to v19."]
    assert moved.state.track == -3
    assert moved.state.scored == ("middle_east",)


def test_8_6_the_layout_may_fall_apart() -> None:
    """A5: no rulebook asks for one piece."""
    position = event("iran", "v19", "europe s19", "poland t19", "japan u19")
    position = play(position, "relocate japan r19")
    assert not is_connected({c.cell for c in position.table})
    assert words(position, USA, "play", position.hands[0][0])


def test_8_6_with_the_option_connected_the_cards_stay_one_piece() -> None:
    laid = ("europe s19", "poland t19", "japan u19")
    free = event("iran", "v19", *laid)
    bound = event("iran", "v19", *laid, connected=True)
    assert "r19" in targets(free, "japan")
    assert targets(bound, "japan") == set()
    refuses(bound, "relocate japan r19", "japan cannot move to r19; it can move to no cell")
    assert targets(bound, "iran") == {"r19", "s18", "s20", "t18", "t20", "u18", "u20"}
    assert targets(bound, "europe") == {"t18", "t20"}


def test_8_6_iran_may_be_used_and_then_nothing_moved() -> None:
    position = event("iran", "t19")
    assert words(position, USSR) == ["relocate", "done"]
    done = step(position, "done")
    assert told(done) == ["USSR stops here."]
    assert done.state.table == position.table


@pytest.mark.parametrize("card", ["japan", "atlantis"])
def test_8_6_a_card_that_is_not_on_the_table_cannot_move(card: str) -> None:
    position = event("iran", "t19")
    refuses(position, f"relocate {card} s18", f"{card} is not on the table")
    assert words(position, USSR, "relocate", card) == []


def test_8_6_wrong_words_while_relocating_lead_nowhere() -> None:
    position = event("iran", "t19")
    for wrong in (("move",), ("relocate", "europe", "t18"), ("cube",)):
        assert words(position, USSR, *wrong) == []


def test_8_6_a_card_of_iran_played_by_the_us_is_moved_by_the_ussr_before_the_command() -> None:
    """A7: the reach of the command is taken after the move."""
    position = state("europe s19 1/1", "japan t19", "poland s18", mover=USA, usa="iran")
    position = play(position, "play iran u19", "event", "relocate japan v19")
    assert asked(position) == Commanding(USA, "iran", 3, ("europe", "poland"))


@pytest.mark.parametrize(
    ("cells", "whole"),
    [
        ({(0, 0)}, True),
        ({(0, 0), (1, 0), (1, 1)}, True),
        ({(0, 0), (1, 1)}, False),
        ({(0, 0), (1, 0), (3, 0), (4, 0)}, False),
    ],
)
def test_8_6_one_piece_means_edge_to_edge(cells: set[tuple[int, int]], whole: bool) -> None:
    assert is_connected(cells) is whole


# --- 8.16: Egypt ----------------------------------------------------------------------------------


def test_8_16_egypt_takes_up_to_two_ussr_cubes_off_its_neighbours() -> None:
    laid = ("europe s19 1/3", "japan u19 0/1", "poland s18 0/5", "italy t18 1/0")
    position = event("egypt", "t19", *laid)
    assert asked(position) == Removing(USA, "egypt", 2, ("europe", "japan", "italy"))
    assert words(position, USA, "remove") == ["europe", "japan"]
    refuses(position, "remove poland", "no cube can leave poland; cubes can leave europe, japan")
    done = step(position, "remove europe")
    assert told(done) == ["USA removes a cube of USSR from Europe."]
    position = play(done.state, "remove japan")
    assert cubes(position, "europe", "japan") == ["1/2", "0/0"]
    assert position.supplies == (22, 17)
    assert asked(position) == PlayCard(USSR)


# --- 8.17: Pakistan -------------------------------------------------------------------------------


def pakistan() -> State:
    laid = ("europe s19 0/1", "japan u19 1/3", "poland s18 0/4")
    return event("pakistan", "t19", *laid)


@pytest.mark.parametrize(
    ("moves", "left", "here"),
    [
        (("europe", "japan"), ["0/0", "1/2"], "0/2"),
        (("japan", "japan"), ["0/1", "1/1"], "0/2"),
        (("japan", "done"), ["0/1", "1/2"], "0/1"),
        (("europe", "done"), ["0/0", "1/3"], "0/1"),
        (("done",), ["0/1", "1/3"], "0/0"),
    ],
)
def test_8_17_pakistan_moves_up_to_two_ussr_cubes_in_all(
    moves: tuple[str, ...], left: list[str], here: str
) -> None:
    """T9: (1,1), (0,2), (0,1), (1,0) or nothing from the neighbours 0/1 and 1/3."""
    lines = [move if move == "done" else f"shift {move} pakistan" for move in moves]
    position = play(pakistan(), *lines)
    assert cubes(position, "europe", "japan") == left
    assert cubes(position, "pakistan") == [here]
    assert asked(position) == PlayCard(USSR)


def test_8_17_pakistan_moves_cubes_of_the_ussr_and_from_neighbours_only() -> None:
    position = pakistan()
    assert asked(position) == Gathering(USA, "pakistan", 2, USSR, ("europe", "japan"))
    refuses(
        position,
        "shift poland pakistan",
        "no cube can leave poland; cubes can leave europe, japan",
    )
    refuses(position, "shift europe japan", "cubes move onto pakistan, not onto japan")
    done = step(position, "shift japan pakistan")
    assert told(done) == ["USA moves a cube of USSR from Japan to Pakistan."]
    assert done.state.supplies == position.supplies


# --- 8.18, 8.21, 8.22, 8.24, 8.25, 8.27: commands into regions ------------------------------------

WORLD = (
    "europe s19 1/1",
    "iran t19 1/1",
    "algeria s18 1/1",
    "vietnam r19 1/1",
    "brazil s20 1/1",
    "cuba t20 1/1",
)


@pytest.mark.parametrize(
    ("card", "side", "points", "regions"),
    [
        ("japan", USA, 3, ("iran", "algeria")),
        ("panama", USA, 3, ("vietnam",)),
        ("chile", USA, 3, ("brazil", "cuba")),
        ("algeria", USSR, 4, ("europe",)),
        ("zaire", USSR, 3, ("brazil", "cuba")),
        ("cuba", USSR, 4, ("iran", "algeria")),
    ],
)
def test_8_18_to_8_27_events_that_command_into_regions(
    card: str, side: Seat, points: int, regions: tuple[str, ...]
) -> None:
    laid = [words for words in WORLD if not words.startswith(card)]
    position = state(*laid, mover=side, **held(side, card))
    cell = words(position, side, "play", card)[0]
    position = play(position, f"play {card} {cell}", "event")
    frame = asked(position)
    assert isinstance(frame, Commanding)
    assert (frame.seat, frame.card, frame.points) == (side, card, points)
    assert set(frame.targets) - {card} == set(regions)
    for _ in range(points):
        position = play(position, f"cube {regions[-1]}")
    assert asked(position) == PlayCard(USSR if side == USA else USA)


def test_8_18_the_three_cubes_of_japan_are_three_in_all() -> None:
    """A9."""
    position = event("japan", "u19", "europe s19 1/1", "iran t19 1/0", "algeria s18")
    position = play(position, "cube iran", "cube algeria")
    assert asked(position) == Commanding(USA, "japan", 1, ("iran", "algeria"))
    assert asked(play(position, "cube iran")) == PlayCard(USSR)


# --- 8.19: Vietnam --------------------------------------------------------------------------------

EXAMPLE_C = (
    "europe s19 1/1",
    "poland r19",
    "south_africa t19 2/0",
    "zaire u19 0/1",
    "algeria u20 1/0",
)


def test_8_19_vietnam_infiltrates_itself_and_its_neighbours() -> None:
    """T7: the lock on South Africa does not matter."""
    position = event("vietnam", "t20", *EXAMPLE_C)
    position = play(position, "cube vietnam", "cube south_africa", "cube algeria")
    assert cubes(position, "vietnam", "south_africa", "algeria") == ["0/1", "2/1", "1/1"]
    assert asked(position) == PlayCard(USA)


def test_8_19_vietnam_gives_each_card_one_cube_at_most() -> None:
    """A10: any subset, each card 0 or 1."""
    position = play(event("vietnam", "t20", *EXAMPLE_C), "cube algeria")
    refuses(
        position,
        "cube algeria",
        "no cube can go to algeria; cubes can go to south_africa, vietnam",
    )
    assert words(position, USSR, "cube") == ["south_africa", "vietnam"]
    assert asked(play(position, "done")) == PlayCard(USA)


# --- 8.20: South Africa ---------------------------------------------------------------------------


def test_8_20_south_africa_infiltrates_europe_where_the_ussr_has_no_lock() -> None:
    """T10: a cube for Europe and Italy, none for Poland."""
    laid = ("europe s19 1/1", "poland t19 0/2", "italy r19 0/1", "japan s18")
    position = event("south_africa", "s20", *laid)
    assert asked(position) == Infiltrating(USA, "south_africa", 2, ("europe", "italy"))
    refuses(position, "cube poland", "no cube can go to poland; cubes can go to europe, italy")
    position = play(position, "cube europe", "cube italy")
    assert cubes(position, "europe", "poland", "italy") == ["2/1", "0/2", "1/1"]
    assert asked(position) == PlayCard(USSR)


def test_8_20_south_africa_may_be_used_in_part() -> None:
    position = event("south_africa", "s20", "europe s19 1/1", "italy r19 0/1")
    position = play(position, "cube italy", "done")
    assert cubes(position, "europe", "italy") == ["1/1", "1/1"]


def test_8_20_the_lock_is_looked_at_once() -> None:
    """Section 8.5: a pick-up that opens a lock later changes nothing."""
    laid = ("europe s19 23/1", "italy r19 1/2", "japan s18")
    position = event("south_africa", "s20", *laid)
    position = play(position, "shift italy europe")
    assert cubes(position, "italy") == ["0/2"]
    assert asked(position) == Infiltrating(USA, "south_africa", 1, ("italy",))
    assert cubes(play(position, "shift europe italy"), "italy") == ["1/2"]


# --- 8.23: Nigeria --------------------------------------------------------------------------------


def test_8_23_nigeria_infiltrates_two_africa_cards_the_ussr_does_not_lead() -> None:
    laid = ("zaire t19 0/1", "algeria s18 1/1", "south_africa r19 2/0", "japan s20 3/0")
    position = event("nigeria", "t20", *laid)
    assert asked(position) == Infiltrating(
        USA, "nigeria", 2, ("algeria", "south_africa", "nigeria")
    )
    refuses(
        position,
        "cube zaire",
        "no cube can go to zaire; cubes can go to algeria, nigeria, south_africa",
    )
    position = play(position, "cube algeria")
    refuses(
        position,
        "cube algeria",
        "no cube can go to algeria; cubes can go to nigeria, south_africa",
    )
    position = play(position, "cube nigeria")
    assert cubes(position, "algeria", "nigeria", "south_africa") == ["2/1", "1/0", "2/0"]
    assert asked(position) == PlayCard(USSR)


def test_8_23_nigeria_may_place_one_cube_only() -> None:
    position = play(event("nigeria", "t19"), "cube nigeria")
    assert cubes(position, "nigeria") == ["1/0"]
    assert asked(position) == PlayCard(USSR)


# --- 8.26: Brazil ---------------------------------------------------------------------------------


def test_8_26_brazil_clears_cuba_and_infiltrates_up_to_two_cubes() -> None:
    """T11: Cuba 3/1 becomes 0/1, then up to 0/3; the US supply grows by three."""
    position = state("europe s19 1/1", "cuba t19 3/1", mover=USSR, ussr="brazil")
    done = step(play(position, "play brazil s18"), "event")
    assert told(done) == [
        "USSR uses the event of Brazil.",
        "3 cubes of USA leave Cuba.",
    ]
    assert cubes(done.state, "cuba") == ["0/1"]
    assert done.state.supplies == (position.supplies[0] + 3, position.supplies[1])
    assert asked(done.state) == Infiltrating(USSR, "brazil", 2, ("cuba", "cuba"))
    after = play(done.state, "cube cuba", "cube Kuba")
    assert cubes(after, "cuba") == ["0/3"]
    assert after.supplies == (23, 20)
    assert asked(after) == PlayCard(USA)


def test_8_26_brazil_removes_all_and_may_place_none() -> None:
    """A16 and section 8.9."""
    position = event("brazil", "s18", "europe s19 1/1", "cuba t19 3/1")
    assert cubes(play(position, "done"), "cuba") == ["0/1"]
    assert cubes(play(position, "cube cuba", "done"), "cuba") == ["0/2"]


def test_8_26_brazil_with_no_us_cube_on_cuba_infiltrates_all_the_same() -> None:
    position = state("cuba t19 0/1", mover=USSR, ussr="brazil")
    done = step(play(position, "play brazil s18"), "event")
    assert told(done) == ["USSR uses the event of Brazil."]
    assert asked(done.state) == Infiltrating(USSR, "brazil", 2, ("cuba", "cuba"))


@pytest.mark.parametrize("where", ["hand", "aside"])
def test_8_26_brazil_finds_no_cuba_in_a_hand_or_laid_aside(where: str) -> None:
    """A15."""
    if where == "hand":
        position = state(mover=USA, usa="brazil cuba")
    else:
        row = [c for c in standard_deck().order if c not in ("brazil", "cuba")][:8]
        laid = [f"{card} {cell_name((i + 1, 0))}" for i, card in enumerate(row)]
        position = state(*laid, mover=USA, usa="brazil", aside="cuba chile")
    cell = words(position, USA, "play", "brazil")[0]
    done = step(position, f"play brazil {cell}")
    assert "The event of Brazil would have no effect and is skipped." in told(done)


def test_8_26_the_us_plays_brazil_and_the_ussr_clears_cuba_before_the_command() -> None:
    position = state("europe s19 0/1", "cuba t19 2/0", mover=USA, usa="brazil")
    position = play(position, "play brazil u19", "event", "done")
    assert cubes(position, "cuba") == ["0/0"]
    assert asked(position) == PlayCard(USSR)
    assert GAME.say(position.news[-1].text) == "USA cannot place any cubes."


def test_8_4_removed_cubes_go_back_to_their_owner() -> None:
    position = event("brazil", "s18", "europe s19 0/1", "cuba t19 24/0")
    assert position.supplies == (24, 23)


def test_8_5_the_opponents_gathering_comes_before_the_command() -> None:
    laid = ("europe s19 0/2", "japan u19 1/3")
    position = play(state(*laid, mover=USSR, ussr="pakistan"), "play pakistan t19", "event")
    below = (CommandCard(USSR, "pakistan"), Resolve(USA, "pakistan", 1))
    sources = ("europe", "japan")
    assert position.stack == (*below, Gathering(USA, "pakistan", 2, USSR, sources))
    position = play(position, "shift europe pakistan")
    assert position.stack == (*below, Gathering(USA, "pakistan", 1, USSR, sources))
    position = play(position, "done")
    assert position.stack == (Commanding(USSR, "pakistan", 2, ("europe", "japan", "pakistan")),)


def test_8_4_the_opponents_removal_comes_before_the_command() -> None:
    position = state("europe s19 3/1", mover=USA, usa="east_germany")
    position = play(position, "play east_germany t19", "event", "remove europe")
    assert position.stack == (
        CommandCard(USA, "east_germany"),
        Resolve(USSR, "east_germany", 1),
        Removing(USSR, "east_germany", 1, ("europe", "east_germany")),
    )


# --- the steps of chapter 8 in the hands of the other side, as a deck file may have them ----------


def deck_with(card: str, *effects: dict[str, object]) -> Deck:
    document = deck_document()
    card_in(document, card)["event"] = list(effects)
    return deck_from(document)


def test_1_8_an_event_for_a_region_means_the_region_even_where_a_card_has_its_name() -> None:
    """A deck file whose starter, called Europe, lies in Asia; Europe is another place then."""
    document = deck_document()
    document["starter"]["region"] = "asia"
    document["regions"]["asia"]["size"] += 1
    document["regions"]["europe"]["size"] -= 1
    laid = ("europe s19 3/1", "italy t19 2/0", "poland s20 2/0")
    position = state(*laid, mover=USSR, ussr="east_germany", deck=deck_from(document))
    position = play(position, "play east_germany u19", "event")

    assert words(position, USSR, "remove") == ["italy", "poland"]
    refuses(position, "remove europe", "no cube can leave europe; cubes can leave italy, poland")
    assert "europe" not in places(position, "italy", ("europe",))
    assert places(position, "italy", ("asia",)) == ("europe",)


def test_8_4_a_deck_may_let_the_us_clear_several_cards() -> None:
    deck = deck_with("poland", {"do": "clear", "where": ["neighbours"]})
    laid = ("europe s19 1/0", "italy u19 1/2", "japan t18 0/3", "iran s18 0/4")
    position = play(state(*laid, mover=USA, usa="poland", deck=deck), "play poland t19")
    done = step(position, "event")
    assert told(done) == [
        "USA uses the event of Poland.",
        "2 cubes of USSR leave Italy.",
        "3 cubes of USSR leave Japan.",
    ]
    assert cubes(done.state, "europe", "italy", "japan", "iran") == ["1/0", "1/0", "0/0", "0/4"]
    assert done.state.supplies == (22, 20)


def test_6_3_clearing_cards_without_cubes_of_the_opponent_can_do_nothing() -> None:
    deck = deck_with("poland", {"do": "clear", "where": ["neighbours"]})
    laid = ("europe s19 3/0", "iran s18 0/4")
    position = play(state(*laid, mover=USA, usa="poland", deck=deck), "play poland t19")
    assert words(position, USA) == ["command"]


def test_8_1_a_deck_may_keep_the_ussr_from_infiltrating_cards_the_us_leads() -> None:
    effect: dict[str, object] = {"do": "infiltrate", "where": ["europe"], "each": 1}
    laid = ("europe s19 0/3", "poland r19 1/0", "france s18 2/0")
    found = []
    for unless in ("led", "locked"):
        deck = deck_with("italy", {**effect, "unless": unless})
        position = state(*laid, mover=USSR, ussr="italy", deck=deck)
        position = play(position, "play italy t19", "event")
        found.append(words(position, USSR, "cube"))
    assert found == [["europe", "italy"], ["europe", "poland", "italy"]]


def test_8_3_a_deck_may_join_several_steps_in_one_event() -> None:
    deck = deck_with(
        "italy", {"do": "gain", "points": 2}, {"do": "remove", "cubes": 1, "where": ["europe"]}
    )
    position = state("europe s19 2/1", mover=USSR, ussr="italy", deck=deck)
    position = play(position, "play italy t19", "event")
    assert position.track == -2
    assert asked(position) == Removing(USSR, "italy", 1, ("europe", "italy"))
    assert asked(play(position, "remove europe")) == PlayCard(USA)


def test_8_2_a_layout_is_described_by_a_few_words() -> None:
    """The helper of these tests: the starter is laid unless it is named."""
    assert table("poland t19 1/0")[0] == country("europe s19 1/1")
