"""Breaking the glass from the pages: asked again who it is, told to all, shown once."""

from __future__ import annotations

import re

import pytest
from flask import Flask

from engine.iron_curtain.game import IronCurtain
from pbem.db import store
from pbem.links import Links
from pbem.services.match import matches
from pbem.services.records import audit_log
from pbem.services.staff.admin_sessions import STEPPED_UP
from tests.pbem.moderating import Visitor, acts, way
from tests.pbem.table import Table, canary_deck
from tests.pbem.visiting import Clock, everything, forms
from tests.services.moderator_kit import OPAL, with_password
from tests.services.people import ANN, BOB, NOW

WHY = "Ann writes that Bob knows her hand"


@pytest.fixture
def table(app: Flask, links: Links) -> Table:
    return Table(app.test_client(), links, {"deck": canary_deck()})


def path_of(table: Table) -> str:
    return f"/admin/matches/{table.id}/glass"


def step_up(app: Flask, clock: Clock, address: str, role: str = "moderator") -> Visitor:
    visitor = Visitor(app)
    with store.connected():
        staff = with_password(address, role, clock.now)
    assert visitor.log_in(staff, clock.now).status_code == 303
    clock.now += 30
    assert visitor.send("/admin/step-up", code=staff.code(clock.now)).status_code == 303
    return visitor


def hidden(text: str) -> set[str]:
    return set(re.findall(r"\bzq\w*canary\b", text.lower()))


def test_a_look_from_page_to_letters_and_log(stepped_up: Visitor, table: Table) -> None:
    path, done = path_of(table), acts()
    assert f'href="{path}"' in stepped_up.get(f"/admin/matches/{table.id}").text
    before = everything()
    page = stepped_up.get(path)
    assert page.status_code == 200
    assert hidden(page.text) == set()
    assert everything() == before
    for words in ("every player&#39;s hand", "All players of the match get an email", "audit log"):
        assert words in page.text
    (form,) = [form for form in forms(page.text) if "reason" in form.fields]
    assert (form.action, form.method) == (path, "post")

    answer = stepped_up.post(path, data={**form.fields, "reason": WHY})

    assert answer.status_code == 200
    assert hidden(answer.text) == set(IronCurtain().deck(table.state))
    assert answer.headers["Cache-Control"] == "no-store"
    assert acts() == [*done, "break_glass"]
    with store.connected():
        (entry,) = audit_log.newest(1)
        told = store.rows("SELECT kind FROM outbox ORDER BY id DESC LIMIT 3")
    assert f"entry {entry.seq} of the audit log" in answer.text
    assert (entry.reason, entry.subject) == (WHY, f"match {table.id}")
    assert told == [("moderator",), ("moderated",), ("moderated",)]
    assert WHY in stepped_up.get(f"/admin/matches/{table.id}").text


def test_each_side_and_its_hand_are_shown(stepped_up: Visitor, table: Table) -> None:
    page = stepped_up.send(path_of(table), reason=WHY).text
    for side in ("USA", "USSR"):
        assert f"As {side} sees it" in page
    with store.connected():
        view = table.match.game.view(table.state, table.match.seat(0).name)
    assert len(view.hand) == 5
    boards = page.partition("As USSR sees it")[0]
    assert set(view.hand) <= hidden(boards)
    assert "nobody yet" in page


def test_nothing_shows_it_again(stepped_up: Visitor, table: Table) -> None:
    stepped_up.send(path_of(table), reason=WHY)
    done = acts()
    for path in (path_of(table), f"/admin/matches/{table.id}", "/admin/audit", "/admin/"):
        assert hidden(stepped_up.get(path).text) == set(), path
    assert acts() == done
    assert stepped_up.send(path_of(table), reason=WHY).status_code == 200
    assert acts() == [*done, "break_glass"]


def test_it_asks_first_who_it_is(inside: Visitor, table: Table) -> None:
    before = everything()
    for answer in (inside.get(path_of(table)), inside.send(path_of(table), reason=WHY)):
        assert way(answer) == f"/admin/step-up?next={path_of(table)}"
    assert everything() == before


def test_stepping_up_wears_off(stepped_up: Visitor, table: Table, clock: Clock) -> None:
    clock.now += STEPPED_UP
    assert way(stepped_up.send(path_of(table), reason=WHY)).startswith("/admin/step-up")
    assert "break_glass" not in acts()


@pytest.mark.parametrize("address", [ANN, BOB, "ann+mod@example.org"])
def test_who_has_a_part_is_refused(app: Flask, clock: Clock, table: Table, address: str) -> None:
    seated = step_up(app, clock, address)
    before = everything()
    for answer in (seated.get(path_of(table)), seated.send(path_of(table), reason=WHY)):
        assert answer.status_code == 403
        assert "you are involved in this match" in answer.text
        assert hidden(answer.text) == set()
    assert everything() == before
    assert path_of(table) not in seated.get(f"/admin/matches/{table.id}").text


def test_an_operator_may_too(app: Flask, clock: Clock, table: Table) -> None:
    opal = step_up(app, clock, OPAL, "operator")
    assert opal.send(path_of(table), reason=WHY).status_code == 200


def test_without_a_reason_nothing_is_shown(stepped_up: Visitor, table: Table) -> None:
    before = everything()
    for reason in ("", "no", "x" * 501, "be\u202etrayed"):
        answer = stepped_up.send(path_of(table), reason=reason)
        assert answer.status_code == 400
        assert hidden(answer.text) == set()
    assert everything() == before


def test_forms_of_others_show_nothing(stepped_up: Visitor, table: Table) -> None:
    before = everything()
    for mark in ({}, {"csrf": ""}, {"csrf": "x" * 64}):
        answer = stepped_up.post(path_of(table), data={**mark, "reason": WHY})
        assert answer.status_code == 400
        assert hidden(answer.text) == set()
    assert everything() == before


def test_a_match_that_is_over_has_nothing_hidden(stepped_up: Visitor, table: Table) -> None:
    with store.connected():
        matches.resign(table.id, 0, NOW)
    for answer in (stepped_up.get(path_of(table)), stepped_up.send(path_of(table), reason=WHY)):
        assert answer.status_code == 403
        assert "the match is not in progress" in answer.text
    assert path_of(table) not in stepped_up.get(f"/admin/matches/{table.id}").text
    assert "break_glass" not in acts()
    assert stepped_up.get("/admin/matches/nowhere/glass").status_code == 404
