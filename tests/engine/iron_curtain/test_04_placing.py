"""Chapter 4 of RULES.md: where a card may be placed."""

import pytest

from engine.chance import SealedDice
from engine.core import IllegalAction, Seat
from engine.iron_curtain import actions as act
from engine.iron_curtain.board import Country
from engine.iron_curtain.deck import USA, USSR, standard_deck
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import (
    GAME,
    held,
    labels,
    play,
    refuses,
    state,
    step,
    table,
    told,
    waiting,
    words,
)

EXAMPLE_A = (
    "poland t19",
    "pakistan u19",
    "japan v19",
    "south_africa u20",
    "algeria v20",
    "zaire w20",
    "panama w19",
)
BLOCKED = (*EXAMPLE_A, "brazil u18", "iran v18")


def cells(*countries: str, region: str) -> set[str]:
    return {cell_name(c) for c in table(*countries).layout.open_cells(region)}


def test_4_1_vietnam_goes_only_beside_asia() -> None:
    """T1; Example A of the English and French rulebooks: only the places A and B."""
    assert cells(*EXAMPLE_A, region="asia") == {"u18", "v18"}
    position = state(*EXAMPLE_A, mover=USSR, ussr="vietnam")
    assert words(position, USSR, "play", "vietnam") == ["u18", "v18"]


def test_4_1_a_card_that_could_go_beside_its_region_goes_nowhere_else() -> None:
    position = state(*EXAMPLE_A, mover=USSR, ussr="vietnam")
    message = "vietnam cannot go to s18; it can go to u18, v18"
    refuses(position, "play vietnam s18", message)
    refuses(position, "play vietnam zz99", message.replace("s18", "zz99"))
    taken = message.replace("s18", "u19")
    refuses(position, "play vietnam u19", taken)


def test_4_2_a_region_that_is_walled_in_opens_the_whole_table() -> None:
    """T1b."""
    free = "r19 s18 s20 t18 t20 u17 u21 v17 v21 w18 w21 x19 x20"
    assert cells(*BLOCKED, region="asia") == set(free.split())
    position = state(*BLOCKED, mover=USSR, ussr="vietnam")
    assert set(words(position, USSR, "play", "vietnam")) == set(free.split())
    assert play(position, "play vietnam r19").country("vietnam") == Country("vietnam", (-1, 0))


def test_4_3_a_corner_is_no_edge() -> None:
    """T1c; German rulebook, what orthogonally adjacent means: A and B, nothing over a corner."""
    position = state(*EXAMPLE_A, mover=USSR, ussr="vietnam")
    refuses(position, "play vietnam t18", "vietnam cannot go to t18; it can go to u18, v18")
    assert "w18" not in cells(*EXAMPLE_A, region="asia")


def test_4_2_the_first_card_of_a_region_goes_beside_any_card() -> None:
    assert cells(region="asia") == {"s18", "r19", "t19", "s20"}
    assert cells("poland t19", region="asia") == {"s18", "r19", "s20", "t18", "t20", "u19"}


def test_4_1_the_starter_is_a_card_of_europe() -> None:
    table_ = ("iran t19", "egypt u19")
    assert cells(*table_, region="europe") == {"s18", "r19", "s20"}
    refuses(
        state(*table_, mover=USA, usa="poland"),
        "play poland v19",
        "poland cannot go to v19; it can go to r19, s18, s20",
    )


@pytest.mark.parametrize("card", ["france", "vietnam", "nigeria"])
@pytest.mark.parametrize("countries", [EXAMPLE_A, BLOCKED, ()])
def test_4_1_a_single_cell_is_judged_as_the_list_of_cells_says(
    countries: tuple[str, ...], card: str
) -> None:
    """Every cell around, also where a card lies and where it would touch by a corner."""
    position = state(*countries, mover=USA, usa=card)
    listed = words(position, USA, "play", card)
    around = [(x, y) for x in range(-3, 8) for y in range(-4, 5)]
    assert [cell_name(c) for c in around if is_accepted(position, act.Play(card, c))] == listed


def is_accepted(position: State, order: act.Action) -> bool:
    try:
        return bool(GAME.apply(position, waiting(position), order, SealedDice()))
    except IllegalAction:
        return False


def test_4_4_a_new_card_lies_empty_and_leaves_the_hand() -> None:
    position = state("poland t19 1/0", mover=USA, usa="japan panama")
    done = step(position, "play japan u19")
    assert told(done) == ["USA plays Japan on u19."]
    assert tuple(done.state.table) == (*position.table, Country("japan", (2, 0), 0, 0))
    assert done.state.hands == (
        tuple(card for card in position.hands[0] if card != "japan"),
        position.hands[1],
    )
    assert done.state.turn == position.turn + 1
    assert done.state.supplies == position.supplies


def test_4_4_a_card_of_the_ussr_leaves_its_own_hand() -> None:
    position = state("poland t19 1/0", mover=USSR, ussr="vietnam iran")
    after = play(position, "play vietnam u19")
    assert after.hands[0] == position.hands[0]
    assert after.hands[1] == tuple(c for c in position.hands[1] if c != "vietnam")


@pytest.mark.parametrize(
    ("line", "card"),
    [
        ("play Südafrika s18", "south_africa"),
        ("play Afrique du Sud s18", "south_africa"),
        ("play south africa S18", "south_africa"),
        ("PLAY South_Africa s18", "south_africa"),
        ("play Westdeutschland s18", "west_germany"),
        ("play Allemagne de l'Ouest s18", "west_germany"),
        ("play Ägypten s18", "egypt"),
        ("play Égypte s18", "egypt"),
    ],
)
def test_4_4_a_card_may_be_played_by_its_name_in_any_language(line: str, card: str) -> None:
    position = state(mover=USA, usa="south_africa west_germany egypt")
    assert play(position, line).table[-1] == Country(card, (0, -1))


def test_4_4_a_name_with_separate_accents_is_the_same_name() -> None:
    """Some mail programs send u and two dots as two characters."""
    position = state(mover=USA, usa="south_africa")
    assert play(position, "play Su\u0308dafrika s18").table[-1].card == "south_africa"


@pytest.mark.parametrize("named", ["cuba", "vietnam", "atlantis", "europe"])
def test_4_4_only_a_card_of_the_own_hand_can_be_played(named: str) -> None:
    position = state(mover=USA, usa="poland japan iran chile egypt", ussr="vietnam")
    refuses(
        position,
        f"play {named} s18",
        f"you do not hold {named}; you hold poland, japan, iran, chile, egypt",
    )


def test_4_5_the_table_has_no_border() -> None:
    cards = [c for c in standard_deck().order if c not in ("algeria", "zaire", "cuba")]
    row = [*cards[:14], "algeria"]
    countries = [f"{card} {cell_name((i + 1, 0))}" for i, card in enumerate(row)]
    position = state(*countries, mover=USSR, ussr="zaire", aside="cuba chile")
    assert words(position, USSR, "play", "zaire")[-1] == "ai19"
    assert play(position, "play zaire ai19").table[-1] == Country("zaire", (16, 0))


@pytest.mark.parametrize("seat", [USA, USSR])
def test_4_1_a_cell_is_offered_with_the_cards_beside_it(seat: Seat) -> None:
    position = state("poland t19", "italy s18", mover=seat, **held(seat, "japan"))
    offered = dict(
        zip(
            words(position, seat, "play", "japan"),
            labels(position, seat, "play", "japan"),
            strict=True,
        )
    )
    assert offered["u19"] == "u19, next to Poland"
    assert offered["t18"] == "t18, next to Italy, Poland"
