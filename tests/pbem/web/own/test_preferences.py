"""What a player chooses on the own page: reminders, days off, nights, helping out, vacation."""

from __future__ import annotations

import re
from html import unescape
from unittest.mock import patch

import pytest
from flask import Flask
from flask.testing import FlaskClient

from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.errors import Stale
from pbem.links import Links, YouLink
from pbem.services.records.match_rows import TurnRecord
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.time import clocks, pauses
from tests.pbem.visiting import NOW, everything, forms
from tests.services.people import Sitting, sit_down, turn_of

"""Friday, 15 January 2027, 8:00 in UTC, 9:00 in Berlin."""


class Home:
    """Bob, who is asked, reads German and lives in Berlin, and his own page."""

    def __init__(self, client: FlaskClient, links: Links) -> None:
        self.client = client
        with store.connected():
            self.sitting: Sitting = sit_down(NOW)
            clocks.start(turn_of(self.sitting.match).id, NOW)
        self.path = f"/you/{links.sign('you', YouLink(self.sitting.bob, NOW, 0))}"

    @property
    def bob(self) -> PlayerRecord:
        with store.connected():
            return get_player(self.sitting.bob)

    @property
    def turn(self) -> TurnRecord:
        with store.connected():
            return turn_of(self.sitting.match)

    def due(self) -> dict[str, int]:
        with store.connected():
            return {kind: at for kind, _, at in store.rows("SELECT kind, subject, at FROM due")}

    def settings(self) -> dict[str, str]:
        """The form as it stands."""
        page = self.client.get(self.path).text
        return next(f.fields for f in forms(page) if ("do", "settings") in f.buttons)

    def choose(self, **changes: str) -> int:
        """Change fields of the form; one that is said to be `off` is not sent."""
        fields = {**self.settings(), **changes, "do": "settings"}
        sent = {name: value for name, value in fields.items() if value != "off"}
        return self.client.post(self.path, data=sent).status_code


@pytest.fixture
def home(app: Flask, links: Links) -> Home:
    return Home(app.test_client(), links)


def test_the_form_as_it_stands_changes_nothing(home: Home) -> None:
    assert home.settings() == {
        "name": "Bob",
        "language": "de",
        "zone": "Europe/Berlin",
        "reminders": "usual",
        "leads": "",
        "digest_hour": "8",
        "subjects": "telling",
        "board_form": "drawn",
        "board_width": "72",
        "night_from": "",
        "night_to": "",
        "news": "on",
    }
    before = everything()

    assert home.choose() == 200
    assert everything() == before


def test_letters_can_lead_to_the_settings(home: Home) -> None:
    page = home.client.get(home.path).text

    assert '<h2 id="preferences">' in page
    assert '<h2 id="settings">' not in page


# --- the inbox -----------------------------------------------------------------------------------


def test_one_subject_for_each_match_and_receipts_are_wishes(home: Home) -> None:
    assert home.choose(subjects="one", receipts="on") == 200
    assert (home.bob.one_subject, home.bob.receipts) == (True, True)
    assert home.settings()["subjects"] == "one"
    assert home.choose(subjects="telling", receipts="off") == 200
    assert (home.bob.one_subject, home.bob.receipts) == (False, False)


def test_no_other_way_of_subjects_is_taken(home: Home) -> None:
    before = home.bob
    assert home.choose(subjects="loud") == 400
    assert home.bob == before


# --- reminders -----------------------------------------------------------------------------------


def test_times_of_ones_own(home: Home) -> None:
    assert home.choose(reminders="own", leads="6; 24,1 24") == 200

    assert home.bob.leads == (24 * HOUR, 6 * HOUR, HOUR)
    assert home.bob.reminders and home.bob.digest_hour is None
    assert home.settings()["leads"] == "24, 6, 1"
    assert home.settings()["reminders"] == "own"
    assert home.due()["turn"] == home.turn.deadline_at - DAY, "the alarm is set anew"


def test_one_letter_a_day(home: Home) -> None:
    assert home.choose(reminders="daily", digest_hour="10") == 200

    assert home.bob.digest_hour == 10
    assert home.due()["digest"] == NOW + HOUR, "10:00 in Berlin"
    assert home.due()["turn"] == home.turn.deadline_at, "no single reminders"
    assert home.settings()["reminders"] == "daily"

    assert home.choose(reminders="daily", zone="UTC") == 200
    assert home.due()["digest"] == NOW + 2 * HOUR

    assert home.choose(reminders="usual") == 200
    assert home.bob.digest_hour is None
    assert "digest" not in home.due()


def test_no_reminders(home: Home) -> None:
    home.choose(reminders="own", leads="5")
    assert home.choose(reminders="none") == 200

    assert not home.bob.reminders
    assert home.settings()["reminders"] == "none"
    assert home.due() == {"turn": home.turn.deadline_at}

    assert home.choose(reminders="usual") == 200
    assert home.bob.reminders and home.bob.leads is None
    assert home.due()["turn"] < home.turn.deadline_at


# --- days off and nights -------------------------------------------------------------------------


def test_days_off_move_the_deadline_on_and_never_back(home: Home) -> None:
    before = home.turn.deadline_at
    assert home.choose(off_sat="on", off_sun="on") == 200
    assert home.bob.days_off == (5, 6)
    assert home.turn.deadline_at == before + 2 * DAY
    assert home.settings()["off_sat"] == "on"

    assert home.choose(off_sat="off", off_sun="off") == 200
    assert not home.bob.days_off
    assert home.turn.deadline_at == before + 2 * DAY, "what was told stays true"


def test_no_turn_ends_in_the_night(home: Home) -> None:
    with store.connected():
        clocks.give_time(home.turn.id, 15 * HOUR, NOW)  # to midnight in Berlin
    before = home.turn.deadline_at
    assert home.choose(night_from="22", night_to="7") == 200

    assert home.bob.night == (22, 7)
    assert home.turn.deadline_at == before + 7 * HOUR
    assert (home.settings()["night_from"], home.settings()["night_to"]) == ("22", "7")

    assert home.choose(night_from="", night_to="") == 200
    assert home.bob.night is None


# --- helping out ---------------------------------------------------------------------------------


def test_who_helps_out_says_so(home: Home) -> None:
    assert home.choose(stands_in="on") == 200
    assert home.bob.stands_in
    assert home.settings()["stands_in"] == "on"

    assert home.choose(stands_in="off") == 200
    assert not home.bob.stands_in


# --- vacation ------------------------------------------------------------------------------------


def test_a_vacation_is_booked_and_cancelled_here(home: Home) -> None:
    days = {"first": "2027-03-01", "last": "2027-03-07"}
    page = home.client.post(home.path, data={"do": "book", **days})

    assert page.status_code == 200
    with store.connected():
        ((absence, start, end),) = store.rows("SELECT id, start_at, end_at FROM absence")
    assert end - start == 7 * DAY
    cancel = next(f for f in forms(page.text) if ("do", "cancel_absence") in f.buttons)
    assert cancel.fields == {"absence": str(absence)}

    pressed = {"do": "cancel_absence", **cancel.fields}
    assert home.client.post(home.path, data=pressed).status_code == 200
    with store.connected():
        assert store.rows("SELECT id FROM absence") == []


@pytest.mark.parametrize(
    "form",
    [
        {"do": "book"},
        {"do": "book", "first": "2027-03-07", "last": "2027-03-01"},
        {"do": "book", "first": "tomorrow", "last": "2027-03-01"},
        {"do": "cancel_absence"},
        {"do": "cancel_absence", "absence": "x"},
    ],
)
def test_a_vacation_that_cannot_be_changes_nothing(home: Home, form: dict[str, str]) -> None:
    before = everything()
    page = home.client.post(home.path, data=form)

    assert page.status_code == 400
    assert page.text.count('class="notice bad"') == 1
    assert everything() == before


# --- what cannot be ------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, str], str]] = [
    ({"reminders": "never"}, "“never” is not a way to be reminded"),
    ({"reminders": "own", "leads": ""}, "say how many hours before the deadline"),
    ({"reminders": "own", "leads": "soon"}, "“soon” is not a number of hours"),
    ({"reminders": "own", "leads": "0"}, "“0” is not a number of hours"),
    ({"reminders": "own", "leads": "721"}, "write 1 to 720"),
    ({"reminders": "own", "leads": "-1"}, "“-1” is not a number of hours"),
    ({"reminders": "own", "leads": "1.5"}, "“1.5” is not a number of hours"),
    ({"reminders": "own", "leads": "³"}, "is not a number of hours"),
    ({"reminders": "own", "leads": "9" * 9_000}, "is not a number of hours"),
    ({"reminders": "own", "leads": "1 2 3 4 5 6"}, "up to 5 reminders"),
    ({"reminders": "daily", "digest_hour": ""}, "“” is not an hour of the day"),
    ({"reminders": "daily", "digest_hour": "24"}, "“24” is not an hour of the day"),
    ({f"off_{day}": "on" for day in ("mon", "tue", "wed", "thu")}, "up to three days off"),
    ({"night_from": "22"}, "a night needs an hour at which it begins and one at which it ends"),
    ({"night_to": "7"}, "a night needs an hour at which it begins and one at which it ends"),
    ({"night_from": "7", "night_to": "7"}, "a night can last one hour to 12 hours"),
    ({"night_from": "20", "night_to": "9"}, "a night can last one hour to 12 hours"),
    ({"night_from": "x", "night_to": "9"}, "“x” is not an hour of the day"),
    ({"zone": "Mars/Base"}, "not a time zone"),
    ({"name": "<script>"}, "a name can have up to 24"),
]


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_what_cannot_be_is_told_and_changes_nothing(
    home: Home, change: dict[str, str], words: str
) -> None:
    home.choose(language="en", off_sun="on")
    before = everything()
    fields = {**home.settings(), **change, "do": "settings"}
    page = home.client.post(home.path, data=fields)

    assert page.status_code == 400
    assert words in unescape(page.text)
    assert "<script>" not in page.text
    assert everything() == before
    kept = next(f.fields for f in forms(page.text) if ("do", "settings") in f.buttons)
    for name in ("name", "leads", *(f"off_{day}" for day in ("mon", "tue", "wed", "thu"))):
        assert kept.get(name) == fields.get(name), "what was typed stays"


def test_all_of_it_is_saved_or_nothing(home: Home) -> None:
    before = home.bob
    assert home.choose(name="Robert", stands_in="on", reminders="own", leads="x") == 400
    assert home.choose(reminders="own", leads="3", zone="Moon") == 400
    with patch.object(clocks, "rereckon_player", side_effect=Stale("somebody was faster")):
        assert home.choose(name="Robert", reminders="own", leads="3", off_sat="on") == 400

    assert home.bob == before


def test_looking_at_the_page_changes_nothing(home: Home) -> None:
    before = everything()
    home.client.get(home.path)
    home.client.head(home.path)

    assert everything() == before


# --- fewer letters -------------------------------------------------------------------------------


def test_one_press_in_a_mail_program_stops_all_that_asks_for_nothing(
    home: Home, links: Links
) -> None:
    home.choose(reminders="daily", digest_hour="10")
    path = f"/mute/{links.sign('mute', YouLink(home.sitting.bob, NOW))}"
    assert len(forms(home.client.get(path).text)) == 1
    assert home.client.post(path).status_code == 200

    bob = home.bob
    assert (bob.news, bob.reminders, bob.digest_hour) == (False, False, None)
    assert not forms(home.client.get(path).text)


# --- the list of matches -------------------------------------------------------------------------


def test_the_deadline_of_a_turn_whose_letter_has_not_left_is_the_expected_one(
    client: FlaskClient, links: Links
) -> None:
    with store.connected():
        sitting = sit_down(NOW - 2 * DAY)
    page = client.get(f"/you/{links.sign('you', YouLink(sitting.bob, NOW - 2 * DAY, 0))}").text

    ends = "18.\u00a0Januar 2027, 09:00 UTC+01:00"
    assert ends in page, "three days from now, not from the dealing"


def test_a_paused_match_says_so(home: Home) -> None:
    home.choose(language="en")
    assert "January 18, 2027" in home.client.get(home.path).text
    with store.connected():
        pauses.pause(home.sitting.match, NOW)
    page = home.client.get(home.path).text

    assert "The match is paused." in page
    assert "January 18, 2027" not in page


def test_calendar_and_feeds_are_on_the_page(home: Home) -> None:
    page = home.client.get(home.path).text
    (calendar,) = re.findall(r'href="http://127.0.0.1:8000(/calendar/[^"]+\.ics)"', page)

    assert home.client.get(unescape(calendar)).mimetype == "text/calendar"
    assert f'href="/match/{home.sitting.match}/feed.atom"' in page
