"""The first page of moderators: what needs a person, where to act, and figures anybody can read."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from flask import Flask
from peewee import OperationalError

from pbem.db import store
from pbem.deadlines import DAY, HOUR
from pbem.services.operations import maintenance, statistics
from tests.pbem.moderating import BASE, Visitor
from tests.pbem.visiting import NOW, Clock
from tests.services.moderator_kit import OPAL, with_password
from tests.services.people import Sitting, sit_down
from tests.services.waiting import hand_over


@pytest.fixture
def operator(app: Flask) -> Visitor:
    visitor = Visitor(app)
    with store.connected():
        opal = with_password(OPAL, "operator")
    assert visitor.log_in(opal, NOW).status_code == 303
    return visitor


@pytest.fixture
def sitting(app: Flask) -> Sitting:
    with store.connected():
        found = sit_down(NOW)
        hand_over(NOW)
    return found


def page_of(visitor: Visitor) -> str:
    answer = visitor.get("/admin/")
    assert answer.status_code == 200
    return answer.text


class _Needs(HTMLParser):
    """The entries of the list of needs: their words, and where they lead."""

    def __init__(self) -> None:
        super().__init__()
        self.ways: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "ul" and given.get("class") == "needs":
            self.inside = True
        elif tag == "a" and self.inside:
            self.ways.append(given.get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "ul":
            self.inside = False


def ways(page: str) -> list[str]:
    reader = _Needs()
    reader.feed(page)
    return reader.ways


def test_a_calm_day_says_so(operator: Visitor, sitting: Sitting) -> None:
    page = page_of(operator)

    assert "Nothing needs attention." in page
    assert ways(page) == []
    assert re.search(r"Matches in progress</dt><dd>1</dd>", page)
    assert "never; make one with: pbem backup" in page
    assert "none" in page


def trouble(match: str) -> None:
    """A bit of everything."""
    store.execute("UPDATE turn SET deadline_at = ? WHERE match_id = ?", NOW - 1, match)
    store.execute(
        "UPDATE outbox SET state = 'dead', message_id = '<x>', last_error = '550 no'"
        " WHERE id = (SELECT MAX(id) FROM outbox WHERE match_id = ? AND seat = 0)",
        match,
    )
    store.execute(
        "INSERT INTO heartbeat (id, ticked_at, why, suspect_since, held_since)"
        " VALUES (1, ?, 'it jumped', ?, ?)",
        NOW,
        NOW - 60,
        NOW - 30,
    )
    for state in ("received", "quarantined"):
        store.execute(
            "INSERT INTO incoming (dedupe, recipient, sender, received_at, state, reason, attempts,"
            " next_at, lease_by, lease_until) VALUES (?, '', '', ?, ?, '', 3, 0, '', 0)",
            *(state, NOW - 3_000, state),
        )


def test_every_need_leads_where_one_acts(operator: Visitor, sitting: Sitting) -> None:
    with store.connected():
        trouble(sitting.match)
    found = ways(page_of(operator))

    assert found == [
        "/admin/operations/clock",
        "/admin/operations/clock",
        "/admin/operations#clock",
        "/admin/matches?late=yes",
        "/admin/operations/letters?state=dead",
        "/admin/operations#mail",
        "/admin/players",
        f"/admin/players/{sitting.ann}",
    ]
    for way in found:
        assert operator.get(way).status_code in (200, 303)
    assert sitting.match in operator.get("/admin/matches?late=yes").text


def test_a_moderator_is_told_but_led_only_where_he_may_go(
    inside: Visitor, sitting: Sitting
) -> None:
    with store.connected():
        trouble(sitting.match)
    page = page_of(inside)

    assert "1 email failed." in page
    assert page.count("An operator can fix this.") == 5
    assert not any("/operations" in way for way in ways(page))
    assert inside.get("/admin/operations").status_code == 403


def test_figures_are_drawn_and_written(operator: Visitor, sitting: Sitting, clock: Clock) -> None:
    yesterday = NOW - NOW % DAY - DAY
    with store.connected():
        for closed in (yesterday, yesterday + 1, statistics.weeks(NOW)[-1] + 5):
            store.execute(
                "INSERT INTO turn (match_id, seat, opened_seq, closed_seq, opened_at, closed_at,"
                " deadline_at) VALUES (?, 0, 0, 1, ?, ?, ?)",
                sitting.match,
                closed - 7 * HOUR - 1_800,
                closed,
                closed,
            )
        statistics.gather(NOW)
    page = page_of(operator)

    assert page.count('<svg viewBox="0 0 300 80" role="img" aria-labelledby=') == 2
    assert page.count("<rect ") == 3
    assert '<rect x="291.0" y="0.0" width="8.0" height="80.0"/>' in page
    assert "the most in one day: 2." in page
    assert "the highest: 7.5." in page
    assert "<td>Jan 14, 2027</td><td>2</td>" in page
    assert page.count("<details>") == 2
    assert " style=" not in page


def test_nothing_counted_yet_is_said(operator: Visitor) -> None:
    assert page_of(operator).count("No figures yet") == 2


def test_the_last_backup_is_told_by_its_age(operator: Visitor, clock: Clock) -> None:
    with store.connected():
        store.execute(
            "INSERT INTO backup (at, name, size, sha256) VALUES (?, 'x', 1, '')", NOW - 3 * HOUR
        )
    assert "(3 hours ago)" in page_of(operator)


# --- maintenance on every page --------------------------------------------------------------------


def test_every_page_says_that_clocks_are_held(operator: Visitor, sitting: Sitting) -> None:
    paths = ["/", f"/match/{sitting.match}", "/rules/iron_curtain", "/verify", "/no/such/page"]
    paths += ["/admin/", "/admin/matches", "/admin/audit"]
    words = "All clocks are stopped for maintenance"
    for path in paths:
        assert words not in operator.get(path).text, path
    with store.connected():
        maintenance.begin(OPAL, "a new <disk>", NOW)
    for path in paths:
        page = operator.get(path).text
        assert page.count(words) == 1, path
        assert "<q>a new &lt;disk&gt;</q>" in page


def test_an_error_page_needs_no_database(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OperationalError("no database")

    monkeypatch.setattr(maintenance, "current", broken)
    answer = app.test_client().get("/no/such/page", base_url=BASE)

    assert answer.status_code == 404
    assert "</html>" in answer.text


def test_who_acts_by_program_asks_nothing_about_it(
    app: Flask, sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(maintenance, "current", lambda: asked.append(1))
    app.test_client().get(f"/api/v1/match/{sitting.match}", base_url=BASE)

    assert asked == []
