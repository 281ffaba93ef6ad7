"""Whoever wants to fill somebody's mailbox through us."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.e2e.reader import Form
from tests.security.production import BASE, Production, link_of, sit_down

pytestmark = pytest.mark.whole

BURST = 100
MOST = 10
"""Letters that one person may get from strangers in one burst, however they spell the address."""


def start_form(server: Production) -> Form:
    page = server.visitor().page(f"{BASE}/start")
    return next(form for form in page.forms if "/start" in form.action)


def letters_to(server: Production, word: str) -> list[str]:
    """Addresses with this word in them, one for each letter, when all have come."""
    server.wait_for_all_letters()
    return [letter.recipients[0] for letter in server.sink.received if word in letter.recipients[0]]


def test_a_hundred_sign_ups_from_everywhere_are_few_letters_to_one_person(
    server: Production,
) -> None:
    form = start_form(server)

    def sign_up(number: int) -> int:
        visitor = server.visitor()
        victim = f"victim+{number}@example.org"
        return visitor.press(form, address=victim, opponent=f"vic.tim+{number}@example.org").status

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(sign_up, range(BURST)))
        other = server.visitor().press(form, address="quiet@example.org", opponent="")

    assert set(answers) <= {200, 429}
    assert other.status == 200
    assert len(letters_to(server, "victim")) <= MOST
    assert letters_to(server, "quiet") == ["quiet@example.org"]


def test_a_hundred_sign_ups_from_one_place_are_few_letters_to_anybody(server: Production) -> None:
    form, visitor = start_form(server), server.visitor()

    answers = [
        visitor.press(form, address=f"stranger{number}@example.net", opponent="").status
        for number in range(BURST)
    ]

    assert set(answers) <= {200, 429}
    assert 429 in answers
    assert len(letters_to(server, "stranger")) <= 2 * MOST


def test_two_hundred_messages_are_a_few_letters(server: Production) -> None:
    seats = sit_down(server, "chatty")
    who = seats.ann
    visitor = server.visitor()
    seat = link_of(server.letter(who, "started"), "/seat/")
    form = next(form for form in visitor.page(seat).forms if form.value("text") is not None)
    before = len(server.letters(seats.bob))

    def say(number: int) -> int:
        return server.visitor().press(form, text=f"hello {number}").status

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(say, range(200)))

    assert answers <= {200, 400, 409, 429}
    letters_to(server, seats.bob)
    assert len(server.letters(seats.bob)) - before <= MOST
