"""Footers of letters: three lines at most, and the same ones in the same order everywhere."""

from __future__ import annotations

import re

import pytest

from tests.mail.posting import BASE_URL
from tests.mail.reading import LINK, WAY, Golden

pytestmark = pytest.mark.whole

SEAL = re.compile(r" [0-9a-f]{16}$")


def test_a_footer_is_three_lines_at_most(book: list[Golden]) -> None:
    long = {one.name: len(one.footer) for one in book if not 1 <= len(one.footer) <= 3}

    assert long == {}


def test_a_footer_has_links_behind_their_words_and_nothing_to_scroll_for(
    book: list[Golden],
) -> None:
    for one in book:
        for line in one.footer:
            is_way = bool(LINK.search(line))
            assert WAY.fullmatch(line) if is_way else len(line) <= 72, f"{one.name}: {line}"


def test_the_footer_of_a_player_has_the_head_the_seat_page_and_fewer_emails(
    book: list[Golden],
) -> None:
    playing = [one for one in book if one.is_of_match and f"{BASE_URL}/seat/" in one.text]

    assert len(playing) > 80
    for one in playing:
        head, more, fewer = one.footer
        assert SEAL.search(head) or one.letter["X-PBEM-Head"] is None, one.name
        assert f"{BASE_URL}/seat/" in more, one.name
        assert f"{BASE_URL}/mute/" in fewer, one.name


def test_who_has_no_seat_page_can_report_in_the_footer(book: list[Golden]) -> None:
    others = [one for one in book if f"{BASE_URL}/seat/" not in one.text]

    for one in others:
        ways = [line for line in one.footer if f"{BASE_URL}/report/" in line]
        assert len(ways) == (one.kind != "moderator"), one.name


def test_the_last_line_stops_emails_wherever_they_can_be_stopped(book: list[Golden]) -> None:
    for one in book:
        stop = "/hush/" if one.kind == "seat_alert" else "/mute/"
        is_stoppable = one.kind != "moderator"
        assert (f"{BASE_URL}{stop}" in one.footer[-1]) == is_stoppable, one.name


def test_a_reminder_has_the_head_of_each_match_beside_its_link(book: list[Golden]) -> None:
    found = {one.name: one.text for one in book if one.kind == "reminder"}

    assert len(re.findall(r"(?m) [0-9a-f]{16}$", found["reminder_daily"])) == 3
    assert len(re.findall(r"(?m) [0-9a-f]{16}$", found["reminder_several"])) == 2
    assert len(re.findall(r"(?m) [0-9a-f]{16}$", found["reminder"])) == 1
