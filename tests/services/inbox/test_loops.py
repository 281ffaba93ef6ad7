"""Machines that answer machines, and what players quote: nothing goes round, nothing leaks."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from pbem.db.store import rows
from pbem.incoming.reading import read
from pbem.services.inbox import arrivals, working
from pbem.services.letters import outbox
from pbem.services.match import messages
from pbem.services.records.match_rows import get_match
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.inbox.replying import address_of, listed_now, turn_now
from tests.services.inbox.test_corpus import VOUCHED, mail_server
from tests.services.people import NOW, Sitting

__all__ = ["mail_server"]


def letters_since(sent: int, at: int) -> list[EmailMessage]:
    """What leaves now, behind so many that have left before."""
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, at)
    return bag.letters


def taken(letter: EmailMessage, raw: bytes, at: int) -> None:
    to = str(letter["Reply-To"] or letter["From"]).rpartition("<")[2].strip("<>")
    arrivals.keep(str(letter["To"]), [to], raw, at)
    working.work(read, WORKER, at)


QUOTES = ("subject", "marked", "unmarked")


def automatic_answer(
    letter: EmailMessage, number: int, is_marked: bool, quotes: str = "subject"
) -> bytes:
    """Of a machine that answers everything; some do not say that they are one."""
    old = {
        "subject": f"> {letter['Subject']}",
        "marked": quoted(text_of(letter)),
        "unmarked": text_of(letter),
    }
    lines = [
        f"From: {letter['To']}",
        f"To: {letter['Reply-To']}",
        f"Message-ID: <{number}@machine>",
        "Content-Type: text/plain; charset=utf-8",
        f"Subject: Re: {letter['Subject']}",
        *(["Auto-Submitted: auto-replied"] if is_marked else []),
        "",
        f"Thank you for your message. Ticket {number} was opened.",
        "",
        old[quotes],
    ]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("is_vouched", [True, False])
@pytest.mark.parametrize("quotes", QUOTES)
@pytest.mark.parametrize("is_marked", [True, False])
def test_two_machines_soon_fall_silent(
    sitting: Sitting, is_marked: bool, quotes: str, is_vouched: bool
) -> None:
    before, answered, number = get_match(sitting.match).head_seq, 0, 0
    for minute in range(0, 24 * 60, 10):
        at = NOW + minute * 60
        for letter in letters_since(0, at):
            answered += letter["X-PBEM-Kind"] == "reply"
            number += 1
            if letter["Reply-To"]:
                raw = automatic_answer(letter, number, is_marked, quotes)
                taken(letter, VOUCHED * is_vouched + raw, at)
    assert number > 0
    assert answered <= (0 if is_marked else 1)
    assert get_match(sitting.match).head_seq == before


def test_what_is_quoted_reaches_nobody(sitting: Sitting) -> None:
    """The whole letter below, above and unmarked: no card of the hand, no link, no address."""
    match, turn = sitting.match, turn_now(sitting.match)
    (letter,) = [one for one in letters_since(0, NOW) if one["X-PBEM-Kind"] == "turn"]
    secret = text_of(letter)
    local = address_of(match, turn, listed_now(match, turn))
    ways = {
        "below": f"SAY hello\n\nOn 1 Jan 2027, pbem wrote:\n{quoted(secret)}",
        "above": f"{quoted(secret)}\n\nSAY hello",
        "unmarked below": f"SAY hello\n\n{secret}",
        "in its paragraph": f"SAY hello\n{secret.replace(chr(10) * 2, chr(10))}",
    }
    for number, words in enumerate(ways.values()):
        raw = (
            VOUCHED
            + (
                f"From: {letter['To']}\r\nTo: {local}@play.example\r\nMessage-ID: <q{number}@x>\r\n"
                "Content-Type: text/plain; charset=utf-8\r\n\r\n"
            ).encode()
            + words.encode()
        )
        taken(letter, raw, NOW + 60 + number)
    heard = "\n".join(said.text for said in messages.of_match(match, 1 - turn.seat))
    assert "hello" in heard
    for line in secret.splitlines():
        if len(line) > 20:
            assert line.strip() not in heard, line
    hand = secret.partition("Deine Handkarten:")[2].split("\n\n")[0].split()
    assert hand
    assert not set(hand) & set(heard.split()) - {"hello"}
    assert "://" not in heard
    assert rows("SELECT COUNT(*) FROM message")[0][0] <= 3


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())
