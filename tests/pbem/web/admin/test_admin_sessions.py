"""Sessions of moderators: how long they last, which forms they believe, what the log keeps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links, ReportLink
from pbem.services.records import audit_log
from pbem.services.self_service import reports
from pbem.services.staff import admin_sessions, moderators, one_time_codes, passkeys
from pbem.services.staff.admin_sessions import ABSOLUTE, IDLE, STEPPED_UP
from pbem.services.staff.moderators import MODERATOR, OPERATOR
from pbem.services.staff.one_time_codes import STEP
from pbem.web.admin.door import for_moderator, needs_step_up
from pbem.web.shared.headers import policy
from tests.kit.authenticator import Authenticator
from tests.pbem.moderating import BASE, COOKIE, Visitor, acts, routes, way
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.moderator_kit import MO, OPAL, PASSWORD, Staff, with_password
from tests.services.people import sit_down

# --- sessions -------------------------------------------------------------------------------------


def test_the_cookie_is_for_this_host_over_tls_and_out_of_reach(visitor: Visitor, mo: Staff) -> None:
    for answer in (visitor.get("/admin/login"), visitor.log_in(mo, NOW)):
        (cookie,) = answer.headers.getlist("Set-Cookie")
        name, _, rest = cookie.partition("=")
        attributes = {part.strip() for part in rest.split(";")[1:]}
        assert name == COOKIE
        assert attributes == {"Secure", "HttpOnly", "Path=/", "SameSite=Strict"}


def test_without_tls_the_cookie_has_another_name(config: Config, clock: Clock, app: Flask) -> None:
    plain = create_app(replace(config, base_url="http://127.0.0.1:8000"), now=clock)
    (cookie,) = plain.test_client().get("/admin/login").headers.getlist("Set-Cookie")

    assert cookie.startswith("pbem-admin=")
    assert "Secure" not in cookie
    assert "HttpOnly; Path=/; SameSite=Strict" in cookie


def test_the_number_before_login_is_not_the_one_after(
    app: Flask, visitor: Visitor, mo: Staff
) -> None:
    visitor.get("/admin/login")
    before = visitor.token
    visitor.send("/admin/login/challenge")
    visitor.log_in(mo, NOW)
    after = visitor.token
    old = Visitor(app)
    old.token = before

    assert before != after
    assert visitor.is_inside
    assert not old.is_inside


def test_the_number_before_stepping_up_is_dead(app: Flask, inside: Visitor, mo: Staff) -> None:
    before = inside.token
    inside.send("/admin/step-up", code=mo.code(NOW + STEP))
    old = Visitor(app)
    old.token = before

    assert inside.token != before
    assert inside.is_inside
    assert not old.is_inside


def test_a_session_ends_after_half_an_hour_without_use(inside: Visitor, clock: Clock) -> None:
    for _ in range(3):
        clock.now += IDLE - 1
        assert inside.is_inside
    clock.now += IDLE

    assert not inside.is_inside


def test_a_session_ends_after_twelve_hours_of_use(inside: Visitor, clock: Clock) -> None:
    while clock.now + IDLE // 2 < NOW + ABSOLUTE:
        clock.now += IDLE // 2
        assert inside.is_inside
    clock.now = NOW + ABSOLUTE

    assert not inside.is_inside


def test_who_logs_out_is_out_and_the_cookie_is_gone(app: Flask, inside: Visitor) -> None:
    token = inside.token
    answer = inside.send("/admin/logout")
    old = Visitor(app)
    old.token = token

    assert way(answer) == "/admin/login"
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    assert inside.token == ""
    assert not old.is_inside


def test_ending_all_sessions_ends_all(app: Flask, inside: Visitor, mo: Staff, clock: Clock) -> None:
    others = [Visitor(app) for _ in range(3)]
    for other in others:
        clock.now += STEP
        assert other.log_in(mo, clock.now).status_code == 303
    assert way(inside.send("/admin/sessions/revoke")) == "/admin/login"

    assert not any(other.is_inside for other in [inside, *others])


def test_disabling_ends_all(inside: Visitor) -> None:
    with store.connected():
        moderators.disable(MO, NOW)

    assert not inside.is_inside


def test_stepping_up_lasts_ten_minutes(stepped_up: Visitor, clock: Clock) -> None:
    begun = clock.now
    clock.now = begun + STEPPED_UP - 1
    assert stepped_up.get("/admin/passkeys").status_code == 200
    clock.now = begun + STEPPED_UP
    assert way(stepped_up.get("/admin/passkeys")).startswith("/admin/step-up")


def test_a_failed_step_up_is_told_to_all_and_opens_nothing(inside: Visitor) -> None:
    answer = inside.send("/admin/step-up", code="000000")

    assert answer.status_code == 403
    assert way(inside.get("/admin/passkeys")).startswith("/admin/step-up")
    with store.connected():
        about = store.rows("SELECT about FROM outbox WHERE kind = 'moderator' ORDER BY id")
    assert '"step_up"' in about[-1][0]


def test_a_form_without_its_page_leads_back_to_the_first_one(inside: Visitor) -> None:
    assert way(inside.send("/admin/passkeys/remove")) == "/admin/step-up?next=/admin/"


# --- forms ----------------------------------------------------------------------------------------


def changing(app: Flask, token: str) -> list[str]:
    return [route.path for route in routes(app, token) if "POST" in route.methods]


def test_no_form_is_believed_without_the_mark_of_its_session(
    app: Flask, stepped_up: Visitor, links: Links
) -> None:
    with store.connected():
        token = links.sign("moderator", moderators.add(OPAL, MODERATOR, "", NOW))
    stranger = Visitor(app)
    stranger.get("/admin/login")
    before, paths = everything(), changing(app, token)
    marks = ["", "x", "é", admin_sessions.csrf_of(stranger.token), stepped_up.token]

    assert len(paths) >= 10
    for path in paths:
        for mark in marks:
            assert stepped_up.post(path, data={"csrf": mark, "code": "1"}).status_code == 400
        assert stepped_up.post(path).status_code == 400
        assert Visitor(app).post(path, data={"csrf": marks[3]}).status_code == 400
    assert everything() == before
    assert stepped_up.is_inside


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test"},
    ],
)
def test_a_form_from_another_site_does_nothing(
    app: Flask, stepped_up: Visitor, links: Links, headers: dict[str, str]
) -> None:
    with store.connected():
        token = links.sign("moderator", moderators.add(OPAL, MODERATOR, "", NOW))
    before = everything()
    fields = {"csrf": admin_sessions.csrf_of(stepped_up.token), "passkey": "1"}
    for path in changing(app, token):
        assert stepped_up.post(path, data=fields, headers=headers).status_code == 403, path

    assert everything() == before


def test_every_form_of_every_page_carries_the_mark(app: Flask, stepped_up: Visitor) -> None:
    mark, seen = admin_sessions.csrf_of(stepped_up.token), 0
    for path in ("/admin/", "/admin/audit", "/admin/passkeys", "/admin/step-up"):
        for form in forms(stepped_up.get(path).text):
            assert form.method == "post"
            assert form.fields["csrf"] == mark
            seen += 1

    assert seen >= 7


# --- the log of acts ------------------------------------------------------------------------------

OPERATIONS: dict[str, dict[str, str]] = {
    "/admin/operations/maintenance": {"do": "begin", "reason": "a new disk"},
    "/admin/operations/clock": {},
    "/admin/operations/keys": {},
    "/admin/operations/rehearsal": {},
    "/admin/operations/letters/<number>/retry": {},
    "/admin/operations/letters/<number>/abort": {"reason": "not wanted"},
}
PLAYERS: dict[str, dict[str, str]] = {
    "/admin/players/<player_id>/<name>": {},
    "/admin/lists": {"pattern": "@example.com", "verdict": "banned"},
    "/admin/lists/remove": {"rule": "1"},
}
BOOKKEEPING = ("/challenge",)
"""A question to a passkey is no act: nobody has done anything yet."""


def test_every_form_that_changes_something_leaves_one_entry(
    app: Flask, visitor: Visitor, clock: Clock, keys_file: Path
) -> None:
    """Every changing route under /admin is pressed with success, once."""
    links: Links = app.extensions["pbem"].links
    with store.connected():
        link = moderators.add(MO, MODERATOR, "", NOW)
        other = moderators.add(OPAL, OPERATOR, "", NOW)
    key, second, pressed = Authenticator(BASE), Authenticator(BASE), list[str]()

    def press(rule: str, answer: Callable[[], TestResponse]) -> None:
        before = len(acts())
        assert way(answer())
        assert len(acts()) == before + 1, rule
        pressed.append(rule)

    def set_up_password() -> TestResponse:
        opal, path = Visitor(app), f"/admin/setup/{links.sign('moderator', other)}"
        secret = forms(opal.get(path).text)[-1].fields["secret"]
        code = one_time_codes.code(secret, clock.now // STEP)
        answer = opal.send(path, password=PASSWORD, code=code, secret=secret)
        staff.append(Staff(other.moderator, OPAL, secret, opal.token))
        return answer

    def log_in() -> TestResponse:
        return opal.log_in(staff[0], clock.now)

    def step_up() -> TestResponse:
        return opal.send("/admin/step-up", code=staff[0].code(clock.now))

    def remove() -> TestResponse:
        with store.connected():
            number = passkeys.of(link.moderator)[0].id
        return visitor.send("/admin/passkeys/remove", passkey=str(number))

    staff, opal = list[Staff](), Visitor(app)
    path = f"/admin/setup/{links.sign('moderator', link)}"
    visitor.get(path)
    options = visitor.send(f"{path}/challenge").text
    press("/admin/setup/<token>", lambda: visitor.send(path, credential=key.make(options)))
    press("/admin/logout", lambda: visitor.send("/admin/logout"))
    visitor.get("/admin/login")
    press("/admin/login/passkey", lambda: visitor.sign(key, "/admin/login"))
    press("/admin/step-up/passkey", lambda: visitor.sign(key, "/admin/step-up"))
    press("/admin/passkeys", lambda: visitor.sign(second, "/admin/passkeys"))
    press("/admin/passkeys/remove", remove)
    press("/admin/sessions/revoke", lambda: visitor.send("/admin/sessions/revoke"))
    press("/admin/setup/<token>", set_up_password)
    clock.now += STEP
    press("/admin/login", log_in)
    clock.now += STEP
    press("/admin/step-up", step_up)
    with store.connected():
        sitting = sit_down(NOW)
        report = reports.make(ReportLink(sitting.ann, "you", NOW), "letter", "Not mine.", NOW)
        after = str(reports.lines(report.id)[-1].id)
    pause = f"/admin/matches/{sitting.match}/pause"
    press("/admin/matches/<match_id>/<name>", lambda: opal.send(pause, reason="asked for"))
    said = {"text": "We look.", "do": "close", "after": after}
    press("/admin/reports/<number>", lambda: opal.send(f"/admin/reports/{report.id}", **said))
    before, glass = len(acts()), f"/admin/matches/{sitting.match}/glass"
    assert opal.send(glass, reason="asked for").status_code == 200  # it shows what it opened
    assert len(acts()) == before + 1
    pressed.append("/admin/matches/<match_id>/glass")
    with store.connected():
        ((letter,),) = store.rows("SELECT MAX(id) FROM outbox WHERE state = 'queued'")
    for rule, fields in OPERATIONS.items():
        way_there = rule.replace("<number>", str(letter))
        press(rule, partial(opal.send, way_there, **fields))

    for rule, fields in PLAYERS.items():
        way_there = rule.replace("<player_id>", str(sitting.bob)).replace("<name>", "ban")
        press(rule, partial(opal.send, way_there, **fields, reason="asked for"))

    rules = {
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/admin") and "POST" in (rule.methods or ())
    }
    assert {rule for rule in rules if not rule.endswith(BOOKKEEPING)} == set(pressed)
    with store.connected():
        assert audit_log.verify() is None


def test_what_fails_inside_leaves_one_entry_too(inside: Visitor) -> None:
    before = len(acts())
    inside.send("/admin/step-up", code="000000")
    inside.send("/admin/step-up/passkey", credential="{}")

    assert acts()[before:] == ["step_up_refused", "step_up_refused"]


def test_the_log_is_shown_page_by_page_and_checked(inside: Visitor) -> None:
    with store.connected(), store.writing():
        for number in range(120):
            audit_log.record(MO, "pause", f"match m{number}", "<b>why</b>", "told", {}, NOW)
    page = inside.get("/admin/audit")
    older = re.search(r'href="(/admin/audit\?before=\d+)"', page.text)

    assert "The entries on this page are unchanged." in page.text
    assert page.text.count('<tr id="entry-') == 50
    assert "&lt;b&gt;why&lt;/b&gt;" in page.text
    assert older is not None
    second = inside.get(older[1])
    assert second.text.count('<tr id="entry-') == 50
    assert 'id="entry-73"' in second.text
    assert "All 123 entries are unchanged." in inside.get("/admin/audit?check=all").text
    for odd in ("-1", "x", "9" * 40, "0"):
        assert inside.get(f"/admin/audit?before={odd}").status_code == 200


def test_a_tampered_entry_is_named_on_the_page(inside: Visitor) -> None:
    with store.connected():
        store.execute("UPDATE audit SET subject = 'another' WHERE seq = 2")

    assert "Entry 2 was changed." in inside.get("/admin/audit").text
    assert "Entry 2 was changed." in inside.get("/admin/audit?check=all").text


# --- the door for other pages ---------------------------------------------------------------------


@pytest.fixture
def engine_room(app: Flask) -> str:
    """A page for operators, and one for who has stepped up."""

    def humming() -> str:
        return "humming"

    app.add_url_rule("/admin/room", "room", for_moderator(OPERATOR)(humming))
    app.add_url_rule("/admin/lever", "lever", needs_step_up(humming))
    return "humming"


def test_a_page_for_operators_is_shut_to_moderators(
    app: Flask, engine_room: str, inside: Visitor
) -> None:
    operator = Visitor(app)
    with store.connected():
        opal = with_password(OPAL, OPERATOR)
    operator.log_in(opal, NOW)
    refused = inside.get("/admin/room")

    assert refused.status_code == 403
    assert "This page is for operators." in refused.text
    assert operator.get("/admin/room").text == engine_room


def test_a_dangerous_page_asks_again_who_it_is(
    engine_room: str, inside: Visitor, mo: Staff
) -> None:
    asked = way(inside.get("/admin/lever"))
    (next_one,) = {f.fields["next"] for f in forms(inside.get(asked).text) if "next" in f.fields}
    answer = inside.send("/admin/step-up", code=mo.code(NOW + STEP), next=next_one)

    assert asked == "/admin/step-up?next=/admin/lever"
    assert way(answer) == "/admin/lever"
    assert inside.get("/admin/lever").text == engine_room


def test_whoever_comes_from_another_site_is_not_logged_out_by_it(
    app: Flask, visitor: Visitor
) -> None:
    """The browser holds a strict cookie back; a page of ours then asks for it once more."""
    answer = visitor.get("/admin/", headers={"Sec-Fetch-Site": "cross-site"})

    assert answer.status_code == 200
    assert '<meta http-equiv="refresh" content="0">' in answer.text
    assert "Set-Cookie" not in answer.headers


# --- words and headers ----------------------------------------------------------------------------


@pytest.fixture
def pages(stepped_up: Visitor, links: Links) -> Iterator[list[TestResponse]]:
    with store.connected():
        token = links.sign("moderator", moderators.add(OPAL, MODERATOR, "", NOW))
    paths = [
        "/admin/",
        "/admin/audit",
        "/admin/passkeys",
        "/admin/step-up",
        f"/admin/setup/{token}",
    ]
    yield [stepped_up.get(path) for path in paths]


def test_pages_are_hardened_kept_nowhere_and_hold_no_secret(
    pages: list[TestResponse], stepped_up: Visitor, mo: Staff
) -> None:
    with store.connected():
        (kept,) = store.rows("SELECT password_hash FROM moderator WHERE address = ?", MO)
    for page in pages:
        assert page.status_code == 200
        assert page.headers["Content-Security-Policy"] == policy()
        assert "no-store" in page.headers["Cache-Control"]
        assert '<meta name="robots" content="noindex">' in page.text
        assert "<script>" not in page.text
        assert " style=" not in page.text
        for secret in (stepped_up.token, mo.secret, kept[0]):
            assert secret not in page.text


def test_the_first_page_lists_ways_in_and_sessions(inside: Visitor) -> None:
    page = inside.get("/admin/").text

    assert "Password and codes" in page
    assert "127.0.0.1" in page
    assert "(this one)" in page
