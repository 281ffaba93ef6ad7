"""The threader itself: what it gathers, what it keeps apart, what it cannot be confused by."""

from __future__ import annotations

from email.message import EmailMessage
from itertools import permutations

import pytest

from tests.kit.threads import threads


def letter(name: str, *references: str, answers: str = "") -> EmailMessage:
    made = EmailMessage()
    made["Message-ID"] = f"<{name}>"
    if references:
        made["References"] = " ".join(f"<{one}>" for one in references)
    if answers:
        made["In-Reply-To"] = f"<{answers}>"
    return made


def gathered(*letters: EmailMessage) -> list[list[str]]:
    return [[str(one["Message-ID"])[1:-1] for one in found.letters()] for found in threads(letters)]


def test_letters_that_refer_to_nothing_stay_apart() -> None:
    assert gathered(letter("a"), letter("b")) == [["a"], ["b"]]


def test_a_chain_is_one_conversation_in_whatever_order_it_comes() -> None:
    chain = [letter("a"), letter("b", "a"), letter("c", "a", "b"), letter("d", "a", "b", "c")]
    for order in permutations(chain):
        assert [sorted(found) for found in gathered(*order)] == [["a", "b", "c", "d"]]


def test_answers_without_references_belong_to_what_they_answer() -> None:
    assert gathered(letter("a"), letter("b", answers="a")) == [["a", "b"]]


def test_a_letter_that_nobody_got_holds_the_others_together() -> None:
    found = threads([letter("b", "gone"), letter("c", "gone")])

    assert len(found) == 1
    assert found[0].letter is None
    assert found[0].depth() == 1


def test_an_empty_place_with_one_child_is_that_child() -> None:
    (found,) = threads([letter("b", "gone"), letter("c", "gone", "b"), letter("d", "gone", "b")])

    assert found.letter is not None and found.letter["Message-ID"] == "<b>"
    assert found.depth() == 1


def test_letters_that_refer_to_each_other_make_no_circle() -> None:
    assert gathered(letter("a", "b"), letter("b", "a")) in ([["b", "a"]], [["a", "b"]])


def test_two_letters_under_one_number_are_noticed() -> None:
    with pytest.raises(AssertionError):
        threads([letter("a"), letter("a")])
