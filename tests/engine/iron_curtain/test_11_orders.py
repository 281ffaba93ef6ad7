"""Chapter 11 of RULES.md: how orders are written, offered, and played for the absent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import BadNotation, Seat
from engine.iron_curtain import actions as act
from engine.iron_curtain.deck import USA, USSR
from engine.iron_curtain.grid import cell_name, cell_named, column_name, neighbours, row_name
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import (
    GAME,
    held,
    labels,
    lines,
    new_match,
    play,
    random_match,
    state,
    waiting,
    words,
)
from tests.engine.refusals import exactly

# --- 11.2: cells ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("s19", (0, 0)),
        ("s18", (0, -1)),
        ("s20", (0, 1)),
        ("t19", (1, 0)),
        ("r19", (-1, 0)),
        ("a1", (-18, -18)),
        ("z19", (7, 0)),
        ("aa19", (8, 0)),
        ("ak37", (18, 18)),
        ("az1", (33, -18)),
        ("ba99", (34, 80)),
        ("zz99", (683, 80)),
    ],
)
def test_11_2_cells_and_their_names(name: str, cell: tuple[int, int]) -> None:
    assert cell_named(name) == cell
    assert cell_name(cell) == name


@pytest.mark.parametrize("name", ["", "s", "19", "s0", "s019", "s100", "aaa1", "S19", "ä1", "s-1"])
def test_11_2_what_is_no_name_of_a_cell(name: str) -> None:
    assert cell_named(name) is None


def test_11_2_neighbours_are_north_west_east_and_south() -> None:
    assert [cell_name(c) for c in neighbours((0, 0))] == ["s18", "r19", "t19", "s20"]


def test_11_2_beyond_column_a_and_row_1_there_are_no_names() -> None:
    assert (column_name(-18), row_name(-18)) == ("a", "1")
    with pytest.raises(AssertionError, match="^column -19 lies beyond the named grid$"):
        column_name(-19)
    with pytest.raises(AssertionError, match="^row -19 lies beyond the named grid$"):
        row_name(-19)


# --- 11.1, 11.3, 11.4: notation -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("first usa", act.First(USA)),
        ("first ussr", act.First(USSR)),
        ("play vietnam s18", act.Play("vietnam", (0, -1))),
        ("event", act.UseEvent()),
        ("command", act.UseCommand()),
        ("decline", act.Decline()),
        ("cube algeria", act.Cube("algeria")),
        ("shift poland algeria", act.Shift("poland", "algeria")),
        ("remove france", act.TakeOff("france")),
        ("relocate cuba t20", act.MoveCard("cuba", (1, 1))),
        ("done", act.Done()),
        ("standing italy use", act.Standing("italy", "use")),
        ("standing vietnam ask", act.Standing("vietnam", "ask")),
        ("standing all never", act.Standing("all", "never")),
    ],
)
def test_11_4_every_order_and_its_notation(line: str, action: act.Action) -> None:
    assert GAME.parse(line) == action
    assert GAME.notate(action) == line
    assert GAME.parse(f"  {line.upper()}  ") == action


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("cube West Germany", act.Cube("west_germany")),
        ("cube Südafrika", act.Cube("suedafrika")),
        ("remove Allemagne de l'Est", act.TakeOff("allemagne_de_l_est")),
        ("play south  africa\ts18", act.Play("south_africa", (0, -1))),
        ("relocate East-Germany AA20", act.MoveCard("east_germany", (8, 1))),
        ("shift poland to algeria", act.Shift("poland", "algeria")),
        ("shift West Germany to South Africa", act.Shift("west_germany", "south_africa")),
        ("Standing  Afrique du Sud NEVER", act.Standing("afrique_du_sud", "never")),
    ],
)
def test_11_3_names_of_several_words_and_other_languages(line: str, action: act.Action) -> None:
    assert GAME.parse(line) == action


ALL = "first, play, event, command, decline, cube, shift, remove, relocate, done, standing"

STANDING = (
    "write: standing CARD use, ask or never, or all for CARD, for example: standing italy use"
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", f"'' is no order; orders begin with {ALL}"),
        ("  dance   now ", f"'dance now' is no order; orders begin with {ALL}"),
        ("first", "'first' is no order; write: first usa or first ussr"),
        ("first france", "'first france' is no order; write: first usa or first ussr"),
        ("first usa now", "'first usa now' is no order; write: first usa or first ussr"),
        ("play", "'play' is no order; write: play CARD CELL, for example: play vietnam s18"),
        (
            "play vietnam",
            "'play vietnam' is no order; write: play CARD CELL, for example: play vietnam s18",
        ),
        (
            "play s18",
            "'play s18' is no order; write: play CARD CELL, for example: play vietnam s18",
        ),
        (
            "play viet.nam s18",
            "'play viet.nam s18' is no order; write: play CARD CELL, for example: play vietnam s18",
        ),
        ("event now", "'event now' is no order; write: event"),
        ("command 3", "'command 3' is no order; write: command"),
        ("decline it", "'decline it' is no order; write: decline"),
        ("done.", f"'done.' is no order; orders begin with {ALL}"),
        ("done done", "'done done' is no order; write: done"),
        ("cube", "'cube' is no order; write: cube CARD, for example: cube algeria"),
        ("cube 3", "'cube 3' is no order; write: cube CARD, for example: cube algeria"),
        ("cube to", "'cube to' is no order; write: cube CARD, for example: cube algeria"),
        ("remove ?", "'remove ?' is no order; write: remove CARD, for example: remove france"),
        (
            "relocate cuba",
            "'relocate cuba' is no order; "
            "write: relocate CARD CELL, for example: relocate cuba t20",
        ),
        ("standing", f"'standing' is no order; {STANDING}"),
        ("standing use", f"'standing use' is no order; {STANDING}"),
        ("standing italy", f"'standing italy' is no order; {STANDING}"),
        ("standing italy maybe", f"'standing italy maybe' is no order; {STANDING}"),
        ("standing it.aly use", f"'standing it.aly use' is no order; {STANDING}"),
        ("standing to use", f"'standing to use' is no order; {STANDING}"),
    ],
)
def test_11_1_what_is_no_order_is_answered_with_the_right_form(line: str, message: str) -> None:
    with pytest.raises(BadNotation, match=exactly(message)):
        GAME.parse(line)


@pytest.mark.parametrize(
    "line",
    ["shift poland", "shift", "shift a b c", "shift to poland", "shift poland to", "shift to"],
)
def test_11_5_a_shift_names_two_cards(line: str) -> None:
    form = "write: shift CARD CARD, for example: shift poland algeria"
    with pytest.raises(BadNotation, match=exactly(f"{line!r} is no order; {form}")):
        GAME.parse(line)


def test_11_1_a_long_line_is_quoted_in_part() -> None:
    with pytest.raises(BadNotation, match=f"^'{'x' * 57}[.]{{3}}' is no order; "):
        GAME.parse("x" * 61)
    with pytest.raises(BadNotation, match=f"^'{'x' * 60}' is no order; "):
        GAME.parse("x" * 60)


@pytest.mark.whole
@given(
    st.text(max_size=40)
    | st.from_regex(r"(shift|play|cube|relocate|standing) [a-z' ]{0,20}[a-z0-9]*")
)
def test_11_1_any_text_is_an_order_or_bad_notation(text: str) -> None:
    try:
        action = GAME.parse(text)
    except BadNotation:
        return
    assert GAME.parse(GAME.notate(action)) == action


# --- the tree of options --------------------------------------------------------------------------


def test_11_4_the_words_of_the_first_choice() -> None:
    start = new_match().state
    assert list(lines(start, USSR)) == ["first usa", "first ussr"]
    assert labels(start, USSR) == ["Choose who goes first"]
    assert labels(start, USSR, "first") == ["USA goes first", "USSR goes first"]
    for wrong in (("play",), ("first", "usa"), ("usa",)):
        assert words(start, USSR, *wrong) == []


def test_11_4_the_words_of_playing_a_card() -> None:
    position = state("poland t19", mover=USSR, ussr="iran italy vietnam cuba zaire")
    assert words(position, USSR) == ["play"]
    assert labels(position, USSR) == ["Play a card"]
    assert words(position, USSR, "play") == ["iran", "italy", "vietnam", "cuba", "zaire"]
    assert labels(position, USSR, "play")[0] == "Iran"
    assert words(position, USSR, "play", "italy") == ["r19", "s18", "s20", "t18", "t20", "u19"]
    for wrong in (
        ("cube",),
        ("play", "japan"),
        ("cube", "italy"),
        ("play", "italy", "r19"),
        ("play", "atlantis"),
    ):
        assert words(position, USSR, *wrong) == []
    assert words(position, USA) == []


def test_11_4_the_words_of_a_command() -> None:
    position = play(state(mover=USA, usa="poland"), "play poland t19", "command")
    assert list(lines(position, USA)) == ["cube europe", "cube poland", "done"]
    assert labels(position, USA) == ["Place a cube", "Stop here"]
    for wrong in (("shift",), ("cube", "poland"), ("done",), ("play",)):
        assert words(position, USA, *wrong) == []


def test_11_4_the_labels_of_events() -> None:
    taking = play(
        state("europe s19 2/1", mover=USSR, ussr="east_germany"), "play east_germany t19", "event"
    )
    assert labels(taking, USSR) == ["Remove a cube", "Stop here"]
    assert labels(taking, USSR, "remove") == ["Europe"]
    gathering = play(
        state("europe s19 2/1", mover=USA, usa="west_germany"), "play west_germany t19", "event"
    )
    assert labels(gathering, USA) == ["Move a cube", "Stop here"]
    assert labels(gathering, USA, "shift") == ["Europe"]
    moving = play(state(mover=USSR, ussr="iran"), "play iran t19", "event")
    assert labels(moving, USSR) == ["Move a card", "Stop here"]
    assert labels(moving, USSR, "relocate") == ["Europe", "Iran"]
    assert labels(moving, USSR, "relocate", "iran") == [
        "r19, next to Europe",
        "s18, next to Europe",
        "s20, next to Europe",
    ]


@pytest.mark.parametrize("seed", [bytes([100 + n]) for n in range(6)])
def test_11_4_every_offered_line_is_accepted_and_reads_back(seed: bytes) -> None:
    for done in random_match(seed, {"connected": "on"}):
        if not GAME.waiting_on(done.state):
            break
        seat = waiting(done.state)
        offered = list(lines(done.state, seat))
        assert offered
        assert len(set(offered)) == len(offered)
        for line in offered:
            assert GAME.notate(GAME.parse(line)) == line
            play(done.state, line)


# --- 11.6: what the clock plays -------------------------------------------------------------------


def default(position: State, seat: Seat) -> str:
    action = GAME.default_action(position, seat)
    assert action is not None
    return GAME.notate(action)


def test_11_6_the_absent_begin_themselves() -> None:
    assert default(new_match().state, USSR) == "first ussr"
    assert GAME.default_action(new_match().state, USA) is None


def test_11_6_the_absent_play_their_lowest_card_on_its_first_cell() -> None:
    position = state("poland t19", mover=USSR, ussr="vietnam zaire brazil iran cuba")
    assert default(position, USSR) == "play brazil r19"
    position = state("poland t19", mover=USSR, ussr="vietnam zaire italy iran cuba")
    assert default(position, USSR) == "play italy r19"


def test_11_6_the_absent_command_nothing_and_decline() -> None:
    own = play(state("europe s19 1/0", mover=USA, usa="poland"), "play poland t19")
    assert default(own, USA) == "command"
    assert default(play(own, "command"), USA) == "done"
    other = play(state(mover=USA, usa="italy"), "play italy t19")
    assert default(other, USSR) == "decline"
    assert GAME.default_action(other, USA) is None


@pytest.mark.parametrize(
    ("side", "card"),
    [
        (USSR, "vietnam"),
        (USSR, "east_germany"),
        (USSR, "iran"),
        (USA, "west_germany"),
    ],
)
def test_11_6_the_absent_stop_in_the_middle_of_an_event(side: Seat, card: str) -> None:
    position = state("europe s19 2/2", mover=side, **held(side, card))
    position = play(position, f"play {card} t19", "event")
    assert default(position, side) == "done"
