"""What the answer to a reply tells, and which letters can be answered besides those of a turn."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from pbem.db.models import Player
from pbem.db.store import rows, writing
from pbem.incoming.reading import read
from pbem.services.inbox import arrivals, working
from pbem.services.letters import outbox
from pbem.services.match import matches, messages
from pbem.services.records.match_rows import OVER, get_match
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.inbox.replying import reply, turn_now
from tests.services.inbox.test_corpus import VOUCHED, mail_server
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import NOW, Sitting
from tests.services.powers import four_people

__all__ = ["mail_server"]


def letter(kind: str, at: int = NOW + 60) -> EmailMessage:
    """The newest letter of a kind that leaves now."""
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, at)
    return [one for one in bag.letters if one["X-PBEM-Kind"] == kind][-1]


def answered(letter: EmailMessage, words: str, at: int = NOW + 120) -> str:
    """What became of a reply to a letter, as its reader's mail program sends it."""
    to = str(letter["Reply-To"]).strip("<>")
    head = f"From: {letter['To']}\r\nTo: {to}\r\nMessage-ID: <{at}@x>\r\n"
    raw = VOUCHED + f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{words}\r\n".encode()
    assert arrivals.keep(str(letter["To"]), [to], raw, at) == [True]
    assert working.work(read, WORKER, at) == 1
    return str(rows("SELECT reason FROM incoming ORDER BY id DESC")[0][0])


def speaks(player: int, language: str) -> None:
    with writing():
        Player.update(language=language).where(Player.id == player).execute()


# --- what is told --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "delivered"),
    [
        ("en", "Your message to Ann (USA) is on its way:"),
        ("de", "Deine Nachricht an Ann (USA) ist unterwegs:"),
        ("fr", "Votre message à Ann (USA) est en route\u00a0:"),
    ],
)
def test_it_says_what_goes_to_whom(sitting: Sitting, language: str, delivered: str) -> None:
    speaks(sitting.bob, language)
    assert reply(sitting.match, "SAY well played,", "and good luck").reason == "done"
    told = text_of(letter("reply"))
    assert f"{delivered}\n| well played, and good luck\n" in told


def test_it_says_to_which_of_many(stored: str) -> None:
    match = four_people()
    reply(match, "SAY WE nur dir")
    assert "Your message to Bob (Western Europe) is on its way:" in text_of(letter("reply"))
    reply(match, "SAY hello all", now=NOW + 100)
    told = " ".join(text_of(letter("reply", NOW + 100)).split())
    assert "Bob (Western Europe), Cy (United Kingdom), and Dee (USA) is on its way:" in told


def test_it_says_which_days_were_booked(sitting: Sitting) -> None:
    speaks(sitting.bob, "en")
    reply(sitting.match, "VACATION 2027-02-01 2027-02-14")
    told = " ".join(text_of(letter("reply")).split())
    assert "Your vacation is booked: from Monday, 1 February 2027, 00:00" in told
    assert "until Monday, 15 February 2027, 00:00" in told


def test_it_says_that_nobody_has_resigned_yet(sitting: Sitting) -> None:
    speaks(sitting.bob, "en")
    reply(sitting.match, "RESIGN")
    told = text_of(letter("reply"))
    assert "You have not resigned yet." in told
    assert "/resign\n" in told


def test_help_is_about_the_game(sitting: Sitting) -> None:
    speaks(sitting.bob, "en")
    reply(sitting.match, "HELP")
    two = text_of(letter("reply"))
    assert "a message to your opponent" in two
    assert "MAP" not in two
    reply(four_people(), "HELP", now=NOW + 100)
    many = text_of(letter("reply", NOW + 100))
    assert "SAY ALLIES" in many
    assert "MAP" in many


# --- letters with words of others -----------------------------------------------------------------


def test_words_are_answered_by_a_reply(sitting: Sitting) -> None:
    speaks(sitting.bob, "en")
    messages.say(sitting.match, 0, "hello Bob", NOW)
    message = letter("message", NOW + 700)
    assert "write SAY at the top" in text_of(message)
    assert answered(message, "SAY hello Ann") == "done"
    heard = messages.of_match(sitting.match, 0)
    assert [said.text for said in heard] == ["hello Bob", "hello Ann"]


def test_they_are_also_when_it_is_the_turn_of_others(sitting: Sitting) -> None:
    reply(sitting.match, *whole_turn(sitting.match))
    messages.say(sitting.match, 0, "hello Bob", NOW + 60)
    message = letter("message", NOW + 700)
    assert turn_now(sitting.match).seat == 0
    assert answered(message, "SAY hello Ann", NOW + 800) == "done"
    assert answered(message, "first usa", NOW + 900) == "refused"


def test_who_had_no_turn_yet_answers_on_a_page(sitting: Sitting) -> None:
    messages.say(sitting.match, 1, "hello Ann", NOW)
    message = letter("message", NOW + 700)
    assert message["To"] == "ann@example.org"
    assert message["Reply-To"] is None
    assert "SAY" not in text_of(message)


def test_a_draw_is_accepted_by_a_reply(sitting: Sitting) -> None:
    matches.offer_draw(sitting.match, 0, NOW)
    assert answered(letter("message"), "REMIS") == "done"
    assert get_match(sitting.match).status == OVER
