"""Subjects: whatever people are called, a subject is one line and no other header."""

from __future__ import annotations

import email
from email.policy import default

import pytest

from pbem.mail import mime, play_letters
from pbem.mail.parts import DrawOffer, Reader, Table
from tests.mail.test_mime import ATTACKS


def table(name: str, seats: int = 2) -> Table:
    sides = ("USA", "USSR", "China")[:seats]
    return Table(
        id="m1",
        game="Stones",
        seat="USA",
        players=tuple((side, name) for side in sides),
        others=f"{name} (USSR)",
        rivals=name,
        site="play.example",
        site_url="https://play.example",
        url="https://play.example/match/m1",
        rules_url="https://play.example/rules/stones",
        seat_url="https://play.example/seat/x",
        head="0" * 16,
        stands_at="round 2",
    )


def reader(one_subject: bool = False) -> Reader:
    return Reader("Bob", "en", "UTC", "", "https://play.example/mute/x", one_subject=one_subject)


def offer(by: str) -> DrawOffer:
    return DrawOffer(by, 1)


@pytest.mark.parametrize("one_subject", [False, True])
@pytest.mark.parametrize("name", ATTACKS)
def test_no_name_breaks_out_of_a_subject(name: str, one_subject: bool) -> None:
    letter = play_letters.draw_offer(reader(one_subject), table(name), offer(f"{name} (USSR)"))
    fields = [("Subject", letter.subject), ("To", "bob@play.example")]
    read = email.message_from_bytes(mime.build(fields, letter.text, ""), policy=default)

    assert read.keys() == ["Subject", "To", "MIME-Version", "Content-Type"]
    assert len(read["To"].addresses) == 1
    assert not set(str(read["Subject"])) & set("\r\n")


def test_a_match_of_two_names_the_other_and_one_of_many_the_side() -> None:
    two, three = (
        play_letters.draw_offer(reader(), table("Ann", seats), offer("Ann (USSR)")).subject
        for seats in (2, 3)
    )

    assert two == "Draw offered by Ann: Stones, round 2"
    assert three == "Draw offered by Ann (USSR): Stones, round 2"


def test_who_wishes_it_reads_one_subject_in_every_letter() -> None:
    wishing = reader(one_subject=True)
    letters = [
        play_letters.draw_offer(wishing, table("Ann"), offer("Ann (USSR)")),
        play_letters.draw_declined(wishing, table("Ann"), "Ann (USSR)"),
        play_letters.message(wishing, table("Ann"), (), 0, False),
    ]

    assert {letter.subject for letter in letters} == {"Stones: Ann - Ann"}
