"""Headers of letters: who gets what, how inboxes sort it, and what a subject says."""

from __future__ import annotations

import re
from base64 import b64decode
from email.message import EmailMessage

import pytest

from tests.mail.posting import BASE_URL
from tests.mail.reading import CAMPAIGN, Golden, kind_of
from tests.services.people import ANN, BOB, EVE
from tests.services.powers import POWERS, address_of

pytestmark = pytest.mark.whole

ALWAYS = [
    *("From", "To", "Subject", "Date", "Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post"),
    *("Auto-Submitted", "X-Auto-Response-Suppress", "X-PBEM-Kind", "MIME-Version", "Content-Type"),
]
OF_A_MATCH = [
    *("In-Reply-To", "References", "Thread-Index", "List-Id", "X-PBEM-Match", "X-PBEM-Seat")
]
OF_NO_MATCH = (
    *("confirm", "you", "reminder", "answer", "moderator", "account", "address"),
    *("seat_alert", "checkup"),
)
MERGED = [f"{name}{end}" for name in ("gus", "gil") for end in ("", "_de", "_fr")]
GUESTS = ["guest", "guest_de", "guest_fr"]
READERS = {
    *(ANN, BOB, EVE),
    *(f"{name}@example.org" for name in ("eve_de", "robert", "cy", "dee", *GUESTS, *MERGED)),
    *(f"{name}@campaign.example" for name in ("ann", "bob", "cy", "dee")),
    *map(address_of, POWERS),
}
"""Whoever gets a golden letter."""
TAKING_MAIL = ("turn_to_reply_to", "reply_")
"""Letters of a server that takes mail."""


def test_headers_are_those_expected_and_no_other(book: list[Golden]) -> None:
    for one in book:
        kind = kind_of(one.name)
        of_match = [] if kind in OF_NO_MATCH else OF_A_MATCH
        of_turn = ["X-PBEM-Turn"] if kind in ("turn", "reply") else []
        begun = ["X-PBEM-Head"] if is_about_one_begun_match(one.name, kind) else []
        asks = one.name.startswith(TAKING_MAIL) and "/t/" in one.text
        answered = ["Reply-To"] if asks else []
        expected = sorted([*ALWAYS, *of_match, *of_turn, *begun, *answered])
        assert sorted(one.letter.keys()) == expected, one.name
        assert one.kind == kind, one.name


def is_about_one_begun_match(name: str, kind: str) -> bool:
    if kind == "reminder":
        plain = name.removeprefix(CAMPAIGN)
        return plain in ("reminder", "reminder_de") or plain.startswith("reminder_word")
    if name.startswith(("away_not_invited", "cancelled_lapsed")):
        return False
    return kind not in (*OF_NO_MATCH, "invitation", "declined", "computer")


def test_a_letter_is_from_the_server_to_one_person(book: list[Golden]) -> None:
    for one in book:
        assert len(one.letter["To"].addresses) == 1, one.name
        assert str(one.letter["To"]) in READERS, one.name
        assert one.letter["From"].addresses[0].display_name == "pbem", one.name
        message_id = one.letter["Message-ID"]
        assert re.fullmatch(r"<o\.\d+\.\d+\.[0-9a-f]{16}@play\.example>", message_id), one.name


def test_one_press_stops_news(book: list[Golden]) -> None:
    for one in book:
        stop = "hush" if one.kind == "seat_alert" else "mute"
        assert one.letter["List-Unsubscribe"].startswith(f"<{BASE_URL}/{stop}/"), one.name
        assert one.letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click", one.name
        is_answer = one.kind == "reply" and not one.name.startswith("reply_asked")
        automatic = "auto-replied" if is_answer else "auto-generated"
        assert one.letter["Auto-Submitted"] == automatic, one.name


def test_letters_of_a_match_answer_the_first_one(named: dict[str, EmailMessage]) -> None:
    to_bob = [
        letter
        for letter in named.values()
        if letter["X-PBEM-Match"] == "match00001" and str(letter["To"]) == BOB
    ]
    first, *others = to_bob
    root = "<match.match00001@play.example>"

    assert len(others) > 3
    assert first["X-PBEM-Kind"] == "invitation"
    assert (first["In-Reply-To"], first["References"]) == (root, root)
    for letter in others:
        assert letter["In-Reply-To"] == first["Message-ID"]
        assert letter["References"] == f"{root} {first['Message-ID']}"
    assert len({str(letter["Thread-Index"]) for letter in to_bob}) == 1
    assert {str(letter["List-Id"]) for letter in to_bob} == {"<match00001.match.play.example>"}
    assert len({str(letter["Message-ID"]) for letter in to_bob}) == len(to_bob)


def test_the_index_for_outlook_is_as_long_as_one_without_answers(book: list[Golden]) -> None:
    for one in book:
        if one.is_of_match:
            index = b64decode(str(one.letter["Thread-Index"]), validate=True)
            assert (len(index), index[:1]) == (22, b"\x01"), one.name


# --- subjects -------------------------------------------------------------------------------------


def test_a_subject_says_what_is_wanted_and_no_number_of_a_match(book: list[Golden]) -> None:
    for one in book:
        subject = str(one.letter["Subject"])
        assert not re.search(r"match\d{5}|campaign", subject), one.name
        assert "\n" not in subject, one.name
        assert len(subject) <= 78, one.name


SUBJECTS = {
    "turn_second": "Your turn: Iron Curtain against Ann, round 1",
    "turn_first": "Your first turn: Iron Curtain against Ann, round 1",
    "started": "It has begun: Iron Curtain against Bób O'Neil",
    "message_draw": "Draw offered by Ann: Iron Curtain",
    "message_declined": "Draw declined by Bob: Iron Curtain",
    "message": "Bob wrote to you: Iron Curtain",
    "finished": "You lost against Ann: Iron Curtain",
    "finished_by_resignation": "You won against Ann: Iron Curtain",
    "reminder": "Still your turn: Iron Curtain against Ann",
    "claim": "Win or wait? Bob ran out of time: Iron Curtain",
    "cancelled": "Called off: Iron Curtain against Ann",
    "cancelled_lapsed": "No match after all: Iron Curtain",
    "campaign_turn": "Your turn: East & West as United Kingdom, round 3",
    "campaign_turn_de": "Dein Zug: East & West als Westeuropa, Runde 3",
    "campaign_turn_fr": "À vous\u00a0: East & West, camp États-Unis, tour de jeu 3",
    "campaign_moved": "Ann (USSR) has moved: East & West, round 3",
    "campaign_moved_last": "Dee (USA) has moved: East & West, round 2",
    "campaign_inquiry": "Ann (USSR) needs a decision from you: East & West, round 1",
}


def test_subjects_as_people_read_them(named: dict[str, EmailMessage]) -> None:
    assert {name: str(named[name]["Subject"]) for name in SUBJECTS} == SUBJECTS


def test_who_wishes_it_has_one_subject_for_a_match(named: dict[str, EmailMessage]) -> None:
    of_match = {
        name: str(letter["Subject"])
        for name, letter in named.items()
        if name.startswith("one_subject")
    }

    assert len(of_match) > 3
    assert set(of_match.values()) == {"Iron Curtain: Ann - Bob"}


def test_subject_and_headers_tell_nothing_of_the_position(book: list[Golden]) -> None:
    for one in book:
        pairs = [f"{key} {value}" for key, value in one.letter.items() if key != "X-PBEM-Seat"]
        told = re.search(r"(?i)poland|vietnam|egypt|cuba|chile|hand|track", " ".join(pairs))
        assert told is None, one.name
