"""Matches on the moderators' pages: found, seen from outside, and acted on from page to log."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask import Flask

from pbem.db import store
from pbem.deadlines import HOUR
from pbem.services.match import matches, turns
from pbem.services.moderation import match_lists
from pbem.services.moderation.match_acts import ACTS
from pbem.services.records import audit_log
from pbem.services.records.match_rows import OVER, get_match, open_turns
from tests.pbem.moderating import Visitor, acts, way
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.moderator_kit import with_password
from tests.services.people import ANN, BOB, sit_down, wanted
from tests.services.waiting import hand_over

pytestmark = pytest.mark.whole

WHY = "Bob asked for it"
FIELDS: dict[str, dict[str, str]] = {
    "pause": {},
    "extend": {"seat": "1", "hours": "48"},
    "deadline": {"seat": "1", "deadline": "2027-01-19T08:00"},
    "remind": {"seat": "1"},
    "resend": {"seat": "1"},
    "revoke": {"seat": "1"},
    "replace": {"seat": "1", "address": "dan@example.org"},
    "open_seat": {"seat": "1"},
    "default": {"seat": "1"},
    "adjudicate": {"result": "usa"},
    "rewind": {"entry": "0"},
    "new_rules": {},
    "cancel": {},
}
each_act = pytest.mark.parametrize("name", FIELDS)


@pytest.fixture
def match(app: Flask) -> str:
    """Ann and Bob have begun, and Bob's clock runs."""
    with store.connected():
        match = sit_down(NOW).match
        hand_over(NOW)
        return match


def prepare(name: str, match: str) -> None:
    if name == "rewind":
        with store.connected():
            turns.submit(open_turns(match)[0].id, ["first usa"], NOW)
    if name == "new_rules":
        with store.connected():
            store.execute("UPDATE match SET adopted_version = 99")


def letters(match: str) -> int:
    with store.connected():
        ((number,),) = store.rows(
            "SELECT COUNT(*) FROM outbox WHERE kind = 'moderated' AND match_id = ?", match
        )
    return int(number)


# --- acts -----------------------------------------------------------------------------------------


def test_every_act_is_pressed_here() -> None:
    assert FIELDS.keys() == ACTS.keys() - {"resume"}


@each_act
def test_an_act_from_page_to_log(stepped_up: Visitor, match: str, name: str) -> None:
    prepare(name, match)
    path, done = f"/admin/matches/{match}/{name}", acts()
    assert f'href="{path}"' in stepped_up.get(f"/admin/matches/{match}").text
    before = everything()
    page = stepped_up.get(path, query_string=FIELDS[name])
    assert page.status_code == 200
    assert everything() == before
    (form,) = [form for form in forms(page.text) if "reason" in form.fields]
    assert (form.action, form.method) == (path, "post")

    answer = stepped_up.post(path, data={**form.fields, "reason": WHY})

    assert way(answer) == f"/admin/matches/{match}"
    assert acts() == [*done, name]
    assert letters(match) == 2
    with store.connected():
        (entry,) = audit_log.newest(1)
    assert entry.reason == WHY
    assert entry.words in re.sub(r"\s+", " ", unescape(page.text)) or "UTC" in entry.words
    assert WHY in stepped_up.get(f"/admin/matches/{match}").text


@each_act
def test_a_form_without_the_mark_of_the_session_does_nothing(
    stepped_up: Visitor, match: str, name: str
) -> None:
    prepare(name, match)
    before = everything()
    for mark in ({}, {"csrf": ""}, {"csrf": "x" * 64}):
        data = {**FIELDS[name], **mark, "reason": WHY}
        assert stepped_up.post(f"/admin/matches/{match}/{name}", data=data).status_code == 400
    assert everything() == before


@each_act
def test_without_a_reason_nothing_happens(stepped_up: Visitor, match: str, name: str) -> None:
    prepare(name, match)
    before = everything()
    for reason in ("", "no"):
        answer = stepped_up.send(f"/admin/matches/{match}/{name}", **FIELDS[name], reason=reason)
        assert answer.status_code == 400
        assert "give a reason" in answer.text
    assert everything() == before


@each_act
def test_a_moderator_with_a_seat_is_refused(
    app: Flask, clock: Clock, match: str, name: str
) -> None:
    prepare(name, match)
    with store.connected():
        bob = with_password(BOB)
    seated = Visitor(app)
    assert seated.log_in(bob, NOW).status_code == 303
    clock.now += 30
    assert seated.send("/admin/step-up", code=bob.code(clock.now)).status_code == 303
    before = everything()
    path = f"/admin/matches/{match}/{name}"

    page = seated.get(path, query_string=FIELDS[name])
    assert "you are involved in this match" in page.text
    assert not [form for form in forms(page.text) if "reason" in form.fields]
    assert seated.send(path, **FIELDS[name], reason=WHY).status_code == 400
    assert everything() == before
    assert f'href="{path}"' not in seated.get(f"/admin/matches/{match}").text


def test_what_could_do_harm_asks_first_who_it_is(inside: Visitor, match: str) -> None:
    dangerous = {name for name, act in ACTS.items() if act.needs_step_up}
    assert dangerous == {"rewind", "adjudicate", "replace", "new_rules", "cancel"}
    before = everything()
    for name in dangerous:
        path = f"/admin/matches/{match}/{name}"
        assert way(inside.get(path)).startswith("/admin/step-up?next=")
        answer = inside.send(path, **FIELDS[name], reason=WHY)
        assert way(answer).startswith("/admin/step-up?next=")
    assert everything() == before


def test_the_end_of_a_pause(inside: Visitor, match: str) -> None:
    inside.send(f"/admin/matches/{match}/pause", reason=WHY)
    assert "(paused)" in inside.get("/admin/matches").text
    assert way(inside.send(f"/admin/matches/{match}/resume", reason=WHY))
    assert acts()[-2:] == ["pause", "resume"]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("extend", {"seat": "7", "hours": "3"}),
        ("extend", {"seat": "-1", "hours": "3"}),
        ("extend", {"seat": "1", "hours": "many"}),
        ("extend", {"seat": "1", "hours": "9" * 30}),
        ("deadline", {"seat": "1", "deadline": "soon"}),
        ("deadline", {"seat": "1", "deadline": "0001-01-01T00:00"}),
        ("replace", {"seat": "1", "address": "nobody"}),
        ("replace", {"seat": "1", "address": ANN}),
        ("adjudicate", {"result": "\0"}),
        ("rewind", {"entry": "99"}),
        ("rewind", {}),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    stepped_up: Visitor, match: str, name: str, fields: dict[str, str]
) -> None:
    before, path = everything(), f"/admin/matches/{match}/{name}"
    assert stepped_up.get(path, query_string=fields).status_code == 200
    answer = stepped_up.send(path, **fields, reason=WHY)
    assert answer.status_code == 400
    assert "This did not work" in answer.text
    assert everything() == before


def test_there_are_no_other_acts_and_no_other_matches(inside: Visitor, match: str) -> None:
    assert inside.get(f"/admin/matches/{match}/win").status_code == 404
    assert inside.get("/admin/matches/nowhere").status_code == 404
    assert inside.get("/admin/matches/nowhere/pause").status_code == 404


def test_a_decided_match_tells_everybody_that_it_was(stepped_up: Visitor, match: str) -> None:
    stepped_up.send(f"/admin/matches/{match}/adjudicate", result="usa", reason=WHY)
    with store.connected():
        assert get_match(match).status == OVER
    page = stepped_up.get(f"/match/{match}").text
    assert "A moderator decides the match." in page
    assert "The match is over: USA won." in " ".join(page.split())


def test_a_rewind_says_beforehand_what_it_cannot_undo(stepped_up: Visitor, match: str) -> None:
    prepare("rewind", match)
    page = stepped_up.get(f"/admin/matches/{match}/rewind?entry=0").text
    assert "What a rewind cannot undo" in page
    assert "has learned nothing that is hidden from others." in page
    assert "Nothing has been thrown or shuffled since." in page
    assert "gets a new turn with its full time" in page


# --- lists ----------------------------------------------------------------------------------------


def shown(page: str) -> list[str]:
    return re.findall(r'<td><a href="/admin/matches/(\w+)">', page)


def test_matches_are_found_by_what_is_known_of_them(
    inside: Visitor, match: str, clock: Clock
) -> None:
    with store.connected():
        forming = matches.create(wanted(), NOW + 1)
        over = sit_down(NOW + 2).match
        matches.resign(over, 0, NOW + 2)
        deadline = open_turns(match)[0].deadline_at
    everyone = [over, forming, match]
    for query, expected in {
        "": everyone,
        "sort=oldest": everyone[::-1],
        "state=live": [match],
        "state=over": [over],
        "state=forming": [forming],
        "game=iron_curtain": everyone,
        "game=chess": everyone,
        "q=ann": everyone,
        "q=BOB@example": everyone,
        "q=Bob&state=live": [match],
        f"q={match}": [match],
        "q=eve": [],
        "q=%25": [],
        "q=_": [],
        "late=yes": [],
        "after=nonsense": everyone,
    }.items():
        assert shown(inside.get(f"/admin/matches?{query}").text) == expected, query
    with store.connected():
        store.execute("UPDATE turn SET deadline_at = ? WHERE match_id = ?", NOW - HOUR, match)
        assert deadline > NOW
    assert shown(inside.get("/admin/matches?late=yes").text) == [match]


def test_pages_follow_one_another_without_gaps(
    inside: Visitor, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_lists, "A_PAGE", 3)
    with store.connected():
        made = [matches.create(wanted(creator=None), NOW + n // 3) for n in range(8)]
    for sort in ("newest", "oldest"):
        seen, path = list[str](), f"/admin/matches?q=ann&sort={sort}"
        for _ in range(4):
            page = inside.get(path).text
            seen += shown(page)
            more = re.search(r'href="([^"]+)" rel="next"', page)
            if more is None:
                break
            path = more[1].replace("&amp;", "&")
        assert len(seen) == 8
        assert set(seen) == set(made)


def test_a_page_shows_seats_turns_and_what_became_of_letters(inside: Visitor, match: str) -> None:
    with store.connected():
        store.execute(
            "UPDATE outbox SET state = 'dead', attempts = 4, last_error = '550 no such user'"
            " WHERE match_id = ? AND kind = 'turn'",
            match,
        )
    page = inside.get(f"/admin/matches/{match}").text
    for word in (ANN, BOB, "<code>turn</code>", "<code>dead</code>", "550 no such user"):
        assert word in page
