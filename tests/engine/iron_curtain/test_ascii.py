"""The board of a letter: what a person finds on it, and that it fits the widest table."""

from __future__ import annotations

import pytest

from engine.core import LANGUAGES, Language, Seat
from engine.iron_curtain.deck import USA, USSR, standard_deck
from engine.iron_curtain.draw.ascii import shortened
from engine.iron_curtain.grid import cell_name
from engine.iron_curtain.state import State
from tests.engine.iron_curtain.tables import GAME, play, random_match, state


def board(position: State, seat: Seat | None = USA, language: Language = "en") -> str:
    return GAME.render(GAME.view(position, seat), language=language)


def in_a_row(count: int, cubes: str = "0/0") -> State:
    """The starter and the first cards of the deck, side by side."""
    cards = standard_deck().order[: count - 1]
    return state(*(f"{card} {cell_name((i, 0))} {cubes}" for i, card in enumerate(cards, 1)))


def test_a_small_table_shows_names_regions_flags_and_cubes() -> None:
    drawn = board(state("poland s18 2/1", "iran t19 0/3"))
    assert (
        "\n".join(
            (
                "           s               t",
                "   +---------------+",
                "18 |Poland         |",
                "   |EU USA 3       |",
                "   |USA 2+ USSR 1  |",
                "   +---------------+---------------+",
                "19 |Europe         |Iran           |",
                "   |EU -           |ME USSR 3      |",
                "   |USA 1 USSR 1   |USSR 3++       |",
                "   +---------------+---------------+",
            )
        )
        in drawn
    )
    assert "+ dominates (leads by 1), ++ controls" in drawn


def test_german_letters_use_the_words_of_the_german_rulebook() -> None:
    drawn = board(state("poland s18 2/1"), USA, "de")
    assert "+ kontrolliert" in drawn
    assert "++ dominiert" in drawn.replace("++\ndominiert", "++ dominiert")


@pytest.mark.parametrize(
    ("language", "drawn", "told"),
    [
        ("de", "|Aegypten ", "  south_africa Südafrika, Afrika, USA, Befehl 3\n"),
        ("fr", "|Egypte ", "Score : égalité\n"),
    ],
)
def test_only_the_drawn_board_is_in_ascii(language: Language, drawn: str, told: str) -> None:
    """Sentences and the hand keep their letters."""
    shown = board(state("egypt s18", usa="south_africa"), USA, language)
    assert drawn in shown
    assert told in shown
    grid = [line for line in shown.splitlines() if line.lstrip(" 1234567890")[:1] in ("|", "+")]
    assert len(grid) == 9
    assert all(line.isascii() for line in grid)


@pytest.mark.parametrize("width", range(40, 73, 4))
def test_french_punctuation_never_begins_a_line(width: int) -> None:
    for step in random_match(b"typography"):
        for seat in (USA, USSR, None):
            drawn = GAME.render(GAME.view(step.state, seat), width, "fr")
            begun = [line.lstrip(" -")[:1] for line in drawn.splitlines()]
            assert not {":", ";", "!", "?"} & set(begun), drawn


@pytest.mark.parametrize("width", [40, 60])
def test_everything_fits_narrow_paper(width: int) -> None:
    for step in random_match(b"narrow"):
        for language in LANGUAGES:
            drawn = GAME.render(GAME.view(step.state, USA), width, language)
            assert max(map(len, drawn.splitlines())) <= width, drawn
    assert "USSR 87654321[0]12345678 USA" in GAME.render(GAME.view(state(), USA), 40)


def test_the_track_shows_the_marker() -> None:
    assert "USSR 8 7 6 5 4 3 2 1 [0] 1 2 3 4 5 6 7 8 USA" in board(state())
    assert "USSR 8 7 6 5 4 3 [2] 1 0 1 2 3 4 5 6 7 8 USA" in board(state(track=-2))
    assert "Score: USSR ahead by 2" in board(state(track=-2))


def test_the_own_hand_is_spelled_out_and_the_other_counted() -> None:
    position = state(mover=USA, usa="chile", ussr="vietnam")
    drawn = board(position, USA)
    assert "  chile        Chile, South America, USA, command 2\n" in drawn
    assert "Hand of USSR: 5." in drawn
    assert "Vietnam" not in drawn
    assert "Your hand" not in board(position, None)
    assert "Hand of USA: 5. Hand of USSR: 5." in board(position, None)


def test_what_happened_last_is_gathered() -> None:
    position = state("poland s18 0/0", mover=USSR, ussr="vietnam")
    position = play(position, "play vietnam t19", "command", "cube europe", "cube europe", "done")
    assert "- USSR puts a cube on Europe. (2 times)\n" in board(position)


def test_the_aside_card_is_seen_by_its_owner_only() -> None:
    *_, last = (step for step in random_match(b"aside") if step.state.round == 2 and not step.final)
    usa, ussr = (standard_deck().cards[card].name.en for card in last.state.aftermath)
    assert f"Aftermath: two cards face down, yours: {usa}." in board(last.state, USA)
    assert f"Aftermath: two cards face down, yours: {ussr}." in board(last.state, USSR)
    assert "Aftermath: two cards face down." in board(last.state, None)


def test_the_aftermath_is_open_at_the_end() -> None:
    *_, last = random_match(b"a whole match")
    first, second = (standard_deck().cards[card].name.en for card in last.state.aftermath)
    assert f"Aftermath: {first}, {second}." in board(last.state, None)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("columns", range(1, 18))
@pytest.mark.parametrize("cubes", ["0/0", "1/0", "12/10"])
def test_every_table_fits_72_columns(language: Language, columns: int, cubes: str) -> None:
    few = cubes if columns < 3 or cubes != "12/10" else "1/1"
    drawn = board(in_a_row(columns, few), USA, language)
    assert max(map(len, drawn.splitlines())) <= 72


def test_a_table_of_more_than_thirteen_columns_is_drawn_in_two_parts() -> None:
    lines = board(in_a_row(17, "1/0")).splitlines()
    numbered = [line for line in lines if line.startswith("19 |")]
    assert len(numbered) == 2
    assert [line.count("|") - 1 for line in numbered] == [13, 4]


def test_a_narrow_card_gives_each_side_its_own_line() -> None:
    cards = standard_deck().order[:11]
    laid = [f"{card} {cell_name((i, 0))}" for i, card in enumerate(cards, 1)]
    laid[0] = "poland t19 10/11"
    drawn = board(state("europe s19 2/0", *laid))
    assert "19 |Euro|Pola|Ital|" in drawn
    assert "|U2++|U10 |" in drawn
    assert "|    |S11+|" in drawn


def test_a_region_is_named_even_where_no_flag_fits() -> None:
    assert "|EU -|EUU3|EUS1|" in board(in_a_row(12))


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("Poland", 6, "Poland"),
        ("Poland", 4, "Pola"),
        ("West Germany", 12, "West Germany"),
        ("West Germany", 11, "W.Germany"),
        ("Allemagne de l'Ouest", 11, "A.d.l.Ouest"),
    ],
)
def test_a_long_name_is_shortened_by_initials(name: str, width: int, shown: str) -> None:
    assert shortened(name, width) == shown
