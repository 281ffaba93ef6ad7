"""The tables under the rules say what is in the deck and what is only reconstructed."""

from __future__ import annotations

import pytest

from engine.chance import QuickDice
from engine.core import LANGUAGES, Language, Table
from engine.iron_curtain.deck import standard_deck
from engine.iron_curtain.draw.reference import reference
from tests.engine.iron_curtain.tables import GAME, deck_document


def tables(language: Language = "en") -> tuple[Table, Table, Table]:
    regions, cards, editions = GAME.reference(language)
    return regions, cards, editions


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_has_a_cell_under_every_head(language: Language) -> None:
    for table in tables(language):
        assert table.title and all(table.heads)
        assert {len(row) for row in table.rows} == {len(table.heads)}
        assert all(cell for row in table.rows for cell in row)


def test_the_regions_with_size_and_bonus() -> None:
    regions, _, _ = tables()
    assert regions.rows == (
        ("Europe", "6", "3"),
        ("Middle East", "2", "2"),
        ("Asia", "3", "2"),
        ("Africa", "4", "1"),
        ("South America", "2", "1"),
        ("Central America", "2", "2"),
    )


def test_the_cards_stand_in_printed_order() -> None:
    _, cards, _ = tables()
    deck = standard_deck()
    names = [row[0].removesuffix("*") for row in cards.rows]
    assert names == [deck.cards[card].name.en for card in deck.order]


def test_a_star_marks_what_no_source_gives() -> None:
    _, cards, _ = tables()
    rows = {row[0]: row[1:] for row in cards.rows}
    assert rows["Vietnam"][:3] == ("Asia", "USSR", "4")
    assert not any("*" in cell for cell in rows["Vietnam"])
    assert rows["Italy"] == ("Europe", "USSR", "1*", "The USSR gains 1 point.")
    assert rows["Chile*"][:3] == ("South America", "USA*", "2*")
    assert rows["Chile*"][3].endswith(".*")


def test_there_is_a_star_for_every_reconstructed_field() -> None:
    _, cards, _ = tables()
    stars = sum(cell.endswith("*") for row in cards.rows for cell in row)
    deck = standard_deck()
    assert stars == sum(len(deck.cards[card].reconstructed) for card in deck.order) == 36


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_star_is_explained_in_each_language(language: Language) -> None:
    _, cards, _ = tables(language)
    (note,) = cards.notes
    assert note.startswith("* ")
    assert (language == "en") == ("no source we know" in note)


def test_a_printed_deck_needs_no_star() -> None:
    document = deck_document()
    for card in document["cards"]:
        card["reconstructed"] = []
    deck = GAME.new_game({"deck": document}, QuickDice(b"printed")).state.deck
    cards = reference(deck, "en", GAME.say)[1]
    assert cards.notes == ()
    assert not any("*" in cell for row in cards.rows for cell in row)


def test_the_editions_differ_in_limit_and_order() -> None:
    _, _, editions = tables()
    assert editions.rows == (
        ("English", "3 points", "South America, then Central America", "USA wins"),
        ("German", "none", "South America, then Central America", "USA wins"),
        ("French", "3 points", "Central America, then South America", "USA wins"),
    )


def test_tables_speak_german_and_french() -> None:
    assert tables("de")[1].heads == ("Land", "Region", "Flagge", "Befehl", "Ereignis")
    assert tables("fr")[1].heads == ("Pays", "Région", "Drapeau", "Ordre", "Événement")
