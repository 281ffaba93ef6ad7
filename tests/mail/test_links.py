"""Links in letters: each letter has those it needs, where people find them, and no other."""

from __future__ import annotations

import re
from email.message import EmailMessage
from html import unescape

import pytest

from engine.registry import GAMES
from pbem.links import LONGEST, Links, ReportLink, YouLink
from tests.mail.posting import BASE_URL, KEYS, text_of
from tests.mail.reading import LINK, TURN_LINK, WAY, Golden, kind_of
from tests.services.people import ANN, BOB, EVE
from tests.services.powers import POWERS, address_of

pytestmark = pytest.mark.whole

CARRIED: dict[str, set[str]] = {
    "turn": {"/t/", "/o/", "/seat/"},
    "late": {"/t/", "/seat/"},
    "away": {"/t/", "/seat/"},
    "briefing": {"/t/", "/seat/"},
    "reminder": {"/t/", "/you/"},
    "leave": {"/leave/", "/seat/"},
    "started": {"/seat/"},
    "message": {"/seat/"},
    "moderated": {"/seat/"},
    "rules": {"/seat/"},
    "restored": {"/seat/"},
    "receipt": {"/seat/"},
    "moved": {"/seat/"},
    "claim": {"/seat/"},
    "finished": {"/seat/"},
    "cancelled": {"/seat/"},
    "declined": {"/seat/"},
    "invitation": {"/join/"},
    "confirm": {"/confirm/"},
    "address": {"/confirm/"},
    "stand_in": {"/stand/"},
    "answer": {"/thread/"},
    "account": {"/keep/"},
    "you": {"/you/"},
    "moderator": {"/admin/setup/"},
    "takeback": {"/seat/"},
    "computer": {"/computer/", "/seat/"},
    "keep_match": {"/go-on/"},
    "seat_alert": {"/hush/"},
    "reply": {"/t/", "/o/", "/seat/", "/reply/"},
    "checkup": {"/boards/"},
}
"""Which links a letter may hold beside those to stop news and to report."""
ASKED = {
    *("late", "late_fr", "away_given_time", "away_given_time_fr", "away_resumed"),
    *("briefing_de", "briefing_back_de", "away_own_floating"),
    *(
        f"reply_{name}{language}"
        for name in ("refused", "unclear", "looked", "done", "drafted")
        for language in ("", "_de", "_fr")
    ),
    *("reply_sent_de", "reply_late_de"),  # where the USSR is asked again
}
"""Letters beside turns and reminders whose reader is asked to move."""


def test_links_stand_alone_and_other_lines_are_narrow(book: list[Golden]) -> None:
    for one in book:
        lines = one.text.splitlines()
        for place, line in enumerate(lines):
            said = f"{one.name}: {line}"
            if LINK.search(line):
                is_footer = one.rule in lines[:place]
                assert LINK.fullmatch(line) or is_footer and WAY.fullmatch(line), said
                assert len(LINK.findall(line)) == 1, said
                assert len(line) < LONGEST + 90, said
            else:
                is_word = len(one.rule) < 72 and " " not in line.strip()  # such as a fingerprint
                assert len(line) <= len(one.rule) or is_word, said
            assert line == line.rstrip(), said
            assert not line.startswith((">", "-- ")) or line == one.rule, said


def test_words_stand_before_every_link(book: list[Golden]) -> None:
    for one in book:
        lines = [line for line in one.text.splitlines() if line]
        for before, line in zip(lines, lines[1:], strict=False):
            assert not (LINK.match(line) and LINK.match(before)), f"{one.name}: {line}"


def test_both_parts_have_the_same_links(book: list[Golden]) -> None:
    for one in book:
        pages, texts = set(one.page.links), set(LINK.findall(one.text))
        if one.kind == "checkup":  # each part asks about itself
            assert len(pages - texts) == len(texts - pages) == 3, one.name
        else:
            assert pages == texts, one.name


def test_a_letter_has_the_turn_link_when_its_reader_is_asked(book: list[Golden]) -> None:
    with_link = {one.name: len(TURN_LINK.findall(one.text)) for one in book}
    asking = {one.name for one in book if kind_of(one.name) in ("turn", "reminder")}

    assert {name for name, count in with_link.items() if count} == asking | ASKED
    assert with_link["reminder_several"] == 2


def test_few_choices_have_a_link_each(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_first"])

    assert len(re.findall(rf"(?m)^{BASE_URL}/o/", text)) == 2
    assert "  USA goes first [first usa]\n" in text


def test_many_choices_have_a_link_for_each_card(named: dict[str, EmailMessage]) -> None:
    text = text_of(named["turn_many"])

    assert f"{BASE_URL}/o/" not in text
    assert len(re.findall(r"\?prefix=play\+\w+$", text, re.MULTILINE)) == 5


def test_a_letter_carries_no_more_than_it_needs(book: list[Golden]) -> None:
    for one in book:
        readable = one.text + unescape(one.html)
        found = set(re.findall(rf"{BASE_URL}((?:/[\w-]+)+/)[\w-]+\.[\w-]{{43}}", readable))
        assert found - {"/mute/", "/report/"} <= CARRIED[one.kind], one.name


def test_only_its_own_letter_holds_the_own_page_without_an_end(book: list[Golden]) -> None:
    for one in book:
        tokens = set(re.findall(rf"{BASE_URL}/you/([\w-]+\.[\w-]{{43}})", one.text + one.html))
        read = [Links(KEYS, BASE_URL).read("you", token) for token in tokens]
        dying_with = {link.turn for link in read if isinstance(link, YouLink)}
        assert len(dying_with) == len(tokens) <= 1, one.name
        assert (0 in dying_with) == (one.kind == "you"), one.name


def test_the_opponents_address_is_nowhere(book: list[Golden]) -> None:
    everybody = {ANN, BOB, EVE, *map(address_of, POWERS)}
    for one in book:
        everything = one.letter.as_string() + one.text + one.html
        others = everybody - {str(one.letter["To"])}
        assert not [other for other in others if other in everything], one.name


# --- reporting ------------------------------------------------------------------------------------


def test_who_gets_a_letter_can_report_it(book: list[Golden]) -> None:
    """By a link in it; on the page of the seat for who has one, which all the others lead to."""
    for one in book:
        found = re.findall(rf"{BASE_URL}/report/\S+", one.text)
        if one.kind == "moderator":
            assert found == [], one.name
        else:
            assert len(found) <= 1, one.name
            assert found or f"{BASE_URL}/seat/" in one.text, one.name


def test_what_others_write_can_be_reported_where_it_is_read(book: list[Golden]) -> None:
    messages = [one for one in book if one.kind == "message" and "draw" not in subject_of(one)]

    assert len(messages) > 2
    for one in messages:
        assert f"{BASE_URL}/report/" in one.text, one.name


def subject_of(one: Golden) -> str:
    return one.name + str(one.letter["Subject"]).lower()


def test_a_report_is_about_the_letter_that_its_link_is_in(book: list[Golden]) -> None:
    for one in book:
        if f"{BASE_URL}/report/" not in one.text:
            continue
        link = way_to_report(one.letter)
        assert link.letter == one.kind, one.name
        assert link.at == one.letter["Date"].datetime.timestamp(), one.name
        if one.is_of_match:
            assert link.match == one.letter["X-PBEM-Match"], one.name
            seats = GAMES["iron_curtain"].seats({})
            assert seats[link.seat] == one.letter["X-PBEM-Seat"], one.name


def way_to_report(letter: EmailMessage) -> ReportLink:
    (token,) = re.findall(rf"{BASE_URL}/report/(\S+)", text_of(letter))
    link = Links(KEYS, BASE_URL).read("report", token)
    assert isinstance(link, ReportLink)
    return link


def test_a_reminder_of_one_match_lets_report_that_match(named: dict[str, EmailMessage]) -> None:
    names = ("reminder", "reminder_several", "confirm", "you")
    found = {name: way_to_report(named[name]) for name in names}

    assert (found["reminder"].match, found["reminder"].seat) == ("match00008", 1)
    assert (found["reminder_several"].match, found["reminder_several"].seat) == ("", -1)
    assert (found["confirm"].match, found["confirm"].seat) == ("match00001", -1)
    assert (found["you"].match, found["you"].seat) == ("", -1)
