"""Chance that can be checked: formulas, the published test vector, decks, five kinds of dice."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.chance import (
    ChanceError,
    DeckTree,
    Draw,
    QuickDice,
    RecordedDice,
    ScriptedDice,
    SealedDice,
    SeededDice,
    commitment,
    digest,
    match_key,
    opening_fits,
    quick_stream,
    stream,
)

MATCH = "M-84213"
SECRET = bytes(range(32))
PHRASES = ["alice likes rooks", "bob 42"]
KEY = match_key(MATCH, SECRET, PHRASES)
CARDS = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


def test_the_commitment_of_the_test_vector() -> None:
    expected = "31b1803b704f7bdba285d4547ab101f0688d32b9819ffaa85d56cdee7e604ce1"
    assert commitment(MATCH, SECRET) == expected


def test_the_key_of_the_test_vector() -> None:
    assert KEY.hex() == "2f0b52f11f002e599bd27124018900ac181a6a4cae0372035902cfc5303ee988"


def test_the_dice_of_the_test_vector_and_of_another_timeline() -> None:
    assert SeededDice(KEY, MATCH, 0, 14).roll(6, 4, "combat:B4") == (5, 6, 6, 4)
    assert SeededDice(KEY, MATCH, 1, 14).roll(6, 4, "combat:B4") == (1, 1, 3, 4)


def test_the_deck_of_the_test_vector_and_its_root() -> None:
    deck = SeededDice(KEY, MATCH, 0, 0).shuffle(CARDS, "1")
    assert " ".join(deck[:8]) == "4D QD 8H QS 5H 7D 3D 9C"
    root = "273dc697e11eae7fba353a706a1ff2f0eab27db8aada663e8d3be969b477318c"
    assert DeckTree(KEY, MATCH, 0, 1, deck).root == root


def test_parts_are_hashed_with_their_lengths() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(12) == digest("12") == digest(b"12")


def test_a_phrase_of_either_seat_changes_the_key() -> None:
    keys = {match_key(MATCH, SECRET, phrases) for phrases in (["", ""], ["x", ""], ["", "x"])}
    assert len(keys) == 3
    assert match_key(MATCH, SECRET, ["", ""], "drand 7") not in keys


def test_draws_are_even_after_rejection() -> None:
    below = stream(KEY, "evenness")
    counts = Counter(below(6) for _ in range(60_000))
    assert sorted(counts) == [0, 1, 2, 3, 4, 5]
    assert all(abs(count - 10_000) < 400 for count in counts.values())


def test_values_beyond_the_last_whole_multiple_are_rejected() -> None:
    """65,536 = 5 x 13,107 + 1: reducing the one value left over would favour 0."""
    size = 65_535
    wide, narrow = stream(KEY, "edge"), stream(KEY, "edge")
    plain = [wide(65_536) for _ in range(200_000)]
    assert 65_535 in plain
    kept = [value for value in plain if value < size]
    assert [narrow(size) for _ in range(len(kept))] == kept


@pytest.mark.parametrize("size", [0, -1, 65_537])
def test_a_range_that_cannot_be_drawn_is_refused(size: int) -> None:
    with pytest.raises(ChanceError, match="from 1 to 65536"):
        stream(KEY, "range")(size)


@given(st.integers(1, 70), st.integers(0, 69))
def test_every_opening_leads_to_the_root(size: int, position: int) -> None:
    cards = [f"card {i}" for i in range(size)]
    tree = DeckTree(KEY, MATCH, 0, 1, cards)
    if position < size:
        assert opening_fits(tree.opening(position), tree.root, tree.leaf_count)


def test_an_opening_of_another_card_place_salt_or_deck_does_not_fit() -> None:
    tree = DeckTree(KEY, MATCH, 0, 1, CARDS[:18])
    right = tree.opening(4)
    wrong = [
        replace(right, card="KD"),
        replace(right, position=5),
        replace(right, position=99),
        replace(right, salt="00" * 16),
        replace(right, salt="no salt"),
        replace(right, path=right.path[:-1]),
        replace(right, path=("zz", *right.path[1:])),
    ]
    assert [opening_fits(opening, tree.root, 18) for opening in wrong] == [False] * len(wrong)
    assert not opening_fits(right, tree.root, 40)
    assert not opening_fits(right, DeckTree(KEY, MATCH, 1, 1, CARDS[:18]).root, 18)


def test_equal_cards_have_different_leaves() -> None:
    tree = DeckTree(KEY, MATCH, 0, 1, ["ace", "ace"])
    assert tree.opening(0).salt != tree.opening(1).salt


def test_one_purpose_is_drawn_once_in_an_entry() -> None:
    dice = SeededDice(KEY, MATCH, 0, 3)
    dice.roll(6, 1, "combat")
    with pytest.raises(ChanceError, match="'combat' was drawn in this entry already"):
        dice.roll(6, 1, "combat")
    dice.shuffle("ab", "combat")
    with pytest.raises(ChanceError, match="number it"):
        dice.shuffle("ab", "combat")


def test_seeded_dice_record_what_recorded_dice_give_back() -> None:
    live = SeededDice(KEY, MATCH, 0, 3)
    faces, deck = live.roll(6, 3, "combat"), live.shuffle("abcdef", "1")
    again = RecordedDice(live.draws)
    assert again.roll(6, 3, "combat") == faces
    assert again.shuffle("abcdef", "1") == deck
    again.finish()


def test_recorded_dice_complain_about_another_throw() -> None:
    draws = [Draw("roll", "combat", 6, (3, 4))]
    for ask in (
        lambda: RecordedDice(draws).roll(6, 2, "ambush"),
        lambda: RecordedDice(draws).roll(8, 2, "combat"),
        lambda: RecordedDice(draws).shuffle("abcdef", "combat"),
    ):
        with pytest.raises(ChanceError, match="asked, the log holds roll 'combat' of 6"):
            ask()
    with pytest.raises(ChanceError, match="3 dice asked, the log holds 2"):
        RecordedDice(draws).roll(6, 3, "combat")
    with pytest.raises(ChanceError, match="is not in the log"):
        RecordedDice([]).roll(6, 1, "combat")
    with pytest.raises(ChanceError, match="never asked for"):
        RecordedDice(draws).finish()
    with pytest.raises(ChanceError, match="no order of 3 items"):
        RecordedDice([Draw("shuffle", "1", 3, (0, 0, 1))]).shuffle("abc", "1")


def test_sealed_dice_throw_nothing() -> None:
    with pytest.raises(ChanceError, match="waits until the orders are sent"):
        SealedDice().roll(6, 1, "combat")
    with pytest.raises(ChanceError, match="waits until the orders are sent"):
        SealedDice().shuffle("ab", "1")


def test_scripted_dice_follow_their_script() -> None:
    dice = ScriptedDice([1, 6, 7], ["cb"])
    assert dice.roll(6, 2, "combat") == (1, 6)
    assert dice.shuffle("abcd", "1") == ("c", "b", "a", "d")
    with pytest.raises(ChanceError, match="not faces"):
        dice.roll(6, 1, "combat")
    with pytest.raises(ChanceError, match="holds 0 of 1 face"):
        dice.roll(6, 1, "combat")
    with pytest.raises(ChanceError, match="no further deck"):
        dice.shuffle("ab", "2")
    with pytest.raises(ChanceError, match="'z' is not in the deck"):
        ScriptedDice(decks=["z"]).shuffle("ab", "1")


def test_quick_dice_repeat_with_their_seed_and_stay_in_range() -> None:
    first, second = quick_stream(b"seed"), quick_stream(b"seed")
    drawn = [first(7) for _ in range(20_000)]
    assert drawn == [second(7) for _ in range(20_000)]
    assert set(drawn) == set(range(7))
    assert sorted(QuickDice(b"x").shuffle("abc", "1")) == ["a", "b", "c"]
    assert set(QuickDice(b"x").roll(6, 200, "any")) == {1, 2, 3, 4, 5, 6}
