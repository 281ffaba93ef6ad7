"""The moderators' pages of a match of four: its page, each act foreseen and done, secrets."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask import Flask

from pbem.db import store
from pbem.services.match import turns
from pbem.services.moderation.match_acts import ACTS
from pbem.services.records import audit_log
from pbem.services.records.match_rows import OVER, get_match
from tests.pbem.moderating import Visitor, way
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import turn_of
from tests.services.powers import four_people
from tests.services.waiting import hand_over

WHY = "Bob asked for it"
SIDES = ("USSR", "Western Europe", "United Kingdom", "USA")
FIELDS: dict[str, dict[str, str]] = {
    "pause": {},
    "extend": {"seat": "0", "hours": "48"},
    "deadline": {"seat": "0", "deadline": "2027-01-19T08:00"},
    "remind": {"seat": "0"},
    "resend": {"seat": "3"},
    "revoke": {"seat": "3"},
    "replace": {"seat": "3", "address": "dan@example.org"},
    "open_seat": {"seat": "3"},
    "default": {"seat": "0"},
    "adjudicate": {"result": "usa"},
    "rewind": {"entry": "0"},
    "new_rules": {},
    "cancel": {},
}


@pytest.fixture
def match(app: Flask) -> str:
    with store.connected():
        match = four_people()
        turns.submit(turn_of(match).id, ["done"], NOW)
        hand_over(NOW)
        return match


def said(text: str) -> str:
    return re.sub(r"\s+", " ", unescape(text))


def test_every_act_is_pressed_here() -> None:
    assert FIELDS.keys() == ACTS.keys() - {"resume"}


@pytest.mark.parametrize("name", FIELDS)
def test_an_act_is_foreseen_and_done(stepped_up: Visitor, match: str, name: str) -> None:
    if name == "new_rules":
        with store.connected():
            store.execute("UPDATE match SET adopted_version = 99")
    path = f"/admin/matches/{match}/{name}"
    before = everything()
    page = stepped_up.get(path, query_string=FIELDS[name])
    assert page.status_code == 200
    assert everything() == before
    (form,) = [form for form in forms(page.text) if "reason" in form.fields]
    answer = stepped_up.post(path, data={**form.fields, "reason": WHY})
    assert way(answer) == f"/admin/matches/{match}"
    with store.connected():
        (entry,) = audit_log.newest(1)
    assert entry.words in said(page.text) or "UTC" in entry.words
    assert WHY in stepped_up.get(f"/admin/matches/{match}").text


def test_the_page_of_a_match_shows_four_seats(stepped_up: Visitor, match: str) -> None:
    page = said(stepped_up.get(f"/admin/matches/{match}").text)
    for side in SIDES:
        assert f'<th scope="row">{side}</th>' in page
    assert "<svg" in page


def test_allies_are_one_choice_of_who_wins(stepped_up: Visitor, match: str) -> None:
    path = f"/admin/matches/{match}/adjudicate"
    page = said(stepped_up.get(path).text)
    assert re.findall(r"Victory for ([^<]*)<", page) == [
        "USSR",
        "Western Europe, United Kingdom, and USA",
    ]
    (form,) = [
        form
        for form in forms(stepped_up.get(path, query_string={"result": "usa"}).text)
        if "reason" in form.fields
    ]
    stepped_up.post(path, data={**form.fields, "reason": WHY})
    with store.connected():
        assert (get_match(match).status, get_match(match).result) == (OVER, "we uk usa")


def test_a_rewind_tells_nothing_of_a_deck_that_is_not_there(
    stepped_up: Visitor, match: str
) -> None:
    page = said(stepped_up.get(f"/admin/matches/{match}/rewind", query_string={"entry": "0"}).text)
    assert "What a rewind cannot undo" in page
    for side in SIDES:
        assert f"{side} · has learned nothing that is hidden from others." in page
    assert "deck" not in page


def test_what_is_hidden_is_shown_seat_by_seat(stepped_up: Visitor, match: str) -> None:
    path = f"/admin/matches/{match}/glass"
    asked = stepped_up.get(path)
    assert "what each side sees, what it was told privately" in said(asked.text)
    (form,) = [form for form in forms(asked.text) if "reason" in form.fields]
    page = stepped_up.post(path, data={**form.fields, "reason": WHY})
    assert page.status_code == 200
    for side in SIDES:
        assert f"As {side} sees it" in page.text
    assert "The deck" not in page.text
