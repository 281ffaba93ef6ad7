"""The moderators' door from outside: who gets in and who does not, and how it is set up."""

from __future__ import annotations

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import ActLink, Links, ModeratorLink, YouLink
from pbem.services.records.match_rows import get_match
from pbem.services.staff import admin_sessions, moderators, one_time_codes
from pbem.services.staff.logins import LOCKED
from pbem.services.staff.moderators import MODERATOR, OPERATOR, SETUP_LASTS
from pbem.services.staff.one_time_codes import STEP
from tests.kit.authenticator import Authenticator
from tests.pbem.moderating import BASE, SITE, Route, Visitor, acts, routes, way
from tests.pbem.visiting import NOW, Clock, everything, forms
from tests.services.moderator_kit import MO, OPAL, PASSWORD, Staff, with_passkey
from tests.services.people import sit_down

# --- who is not inside ----------------------------------------------------------------------------


def test_every_page_but_the_door_sends_strangers_to_the_door(app: Flask, visitor: Visitor) -> None:
    shut = [route for route in routes(app) if route.blueprint not in ("admin.login", "admin.setup")]
    visitor.get("/admin/login")

    assert len(shut) >= 8
    for route in shut:
        if "GET" in route.methods:
            assert way(visitor.get(route.path)).startswith("/admin/login?next="), route
        if "POST" in route.methods:
            assert way(visitor.send(route.path)).startswith("/admin/login?next="), route


def test_a_cookie_that_was_made_up_opens_nothing(visitor: Visitor, mo: Staff) -> None:
    for made_up in (admin_sessions.new_token(), "x", "x" * 43, "", "' OR 1=1 --", mo.token[:-1]):
        visitor.token = made_up
        assert not visitor.is_inside


def test_the_hash_in_the_store_opens_nothing(inside: Visitor) -> None:
    with store.connected():
        kept = store.rows("SELECT id FROM admin_session")
    for (number,) in kept:
        inside.token = number
        assert not inside.is_inside


def test_there_is_no_way_to_sign_up(app: Flask, visitor: Visitor) -> None:
    page = visitor.get("/admin/login")
    for path in (
        "signup",
        "sign-up",
        "register",
        "forgot",
        "reset",
        "moderators",
        "setup",
        "setup/",
    ):
        assert visitor.get(f"/admin/{path}").status_code == 404
    assert {form.action for form in forms(page.text)} == {"/admin/login", "/admin/login/passkey"}


@pytest.mark.whole
def test_a_players_links_open_no_page_of_moderators(
    app: Flask, visitor: Visitor, links: Links
) -> None:
    with store.connected():
        sitting = sit_down(NOW)
        seat = get_match(sitting.match).seat(0)
    tokens = [
        links.sign("you", YouLink(sitting.ann, NOW, 0)),
        links.sign("calendar", YouLink(sitting.ann, NOW)),
        links.sign("mute", YouLink(sitting.ann, NOW)),
        links.sign("act", ActLink(sitting.match, 0, seat.epoch)),
    ]
    before = everything()
    for token in tokens:
        visitor.token = token
        for route in routes(app, token):
            seen = visitor.get(route.path)
            assert seen.status_code in (303, 404, 405) or route.path == "/admin/login", route
            answer = visitor.post(route.path, data={"csrf": token, "credential": "{}"})
            assert answer.status_code in (400, 404, 405), route
    assert everything() == before


def test_looking_changes_nothing(app: Flask, inside: Visitor, links: Links) -> None:
    with store.connected():
        link = moderators.add(OPAL, MODERATOR, "", NOW)
    token, before = links.sign("moderator", link), everything()
    for route in [*routes(app, token), Route("/admin/audit?check=all", {"GET"}, "")]:
        for method in ("GET", "HEAD", "OPTIONS"):
            assert inside.client.open(route.path, method=method, base_url=BASE).status_code < 500
    Visitor(app).get(f"/admin/setup/{token}")
    Visitor(app).get("/admin/login")

    assert everything() == before


# --- password and code ----------------------------------------------------------------------------


def test_password_and_code_let_in(visitor: Visitor, mo: Staff) -> None:
    answer = visitor.log_in(mo, NOW)

    assert way(answer) == "/admin/"
    page = visitor.get("/admin/")
    assert f"Hello {MO}" in page.text
    assert "You are a moderator here." in page.text
    assert acts()[-1] == "login"


def test_a_code_lets_in_once(app: Flask, visitor: Visitor, mo: Staff) -> None:
    other = Visitor(app)

    assert visitor.log_in(mo, NOW).status_code == 303
    assert other.log_in(mo, NOW).status_code == 403
    assert not other.is_inside
    assert acts()[-2:] == ["login", "login_refused"]


def test_a_code_lets_in_once_also_in_parallel(app: Flask, mo: Staff) -> None:
    def log_in(_: int) -> int:
        return Visitor(app).log_in(mo, NOW).status_code

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(log_in, range(10)))

    assert sorted(answers) == [303] + [403] * 9
    assert acts().count("login") == 1


def test_after_five_failures_the_right_word_waits_a_quarter_of_an_hour(
    visitor: Visitor, mo: Staff, clock: Clock
) -> None:
    for _ in range(5):
        assert visitor.log_in(mo, NOW, "wrong").status_code == 403
    assert visitor.log_in(mo, NOW).status_code == 403
    clock.now = NOW + LOCKED

    assert visitor.log_in(mo, clock.now).status_code == 303


def test_a_lock_does_not_keep_a_passkey_out(app: Flask, visitor: Visitor) -> None:
    key = Authenticator(BASE)
    with store.connected():
        mo = with_passkey(key, site=SITE)._replace(secret=one_time_codes.new_secret())
    for _ in range(8):
        assert visitor.log_in(mo, NOW).status_code == 403
    visitor.get("/admin/login")

    assert way(visitor.sign(key, "/admin/login")) == "/admin/"
    assert visitor.is_inside


def test_every_failure_gets_the_same_answer(app: Flask, mo: Staff) -> None:
    def answered(answer: TestResponse) -> tuple[int, str, tuple[str, ...]]:
        page = re.sub(r'name="csrf" value="\w+"', "", answer.text)
        return answer.status_code, page, tuple(answer.headers.keys())

    tried = [
        (MO, NOW, "wrong"),
        (MO, NOW - 600, PASSWORD),
        ("nobody@example.org", NOW, PASSWORD),
        ("no address at all", NOW, PASSWORD),
        ("\0", NOW, PASSWORD),
    ]
    answers = {
        answered(Visitor(app).log_in(mo._replace(address=address), at, password))
        for address, at, password in tried
    }
    by_passkey = Visitor(app)
    by_passkey.get("/admin/login")
    answers.add(answered(by_passkey.send("/admin/login/passkey", credential="{}")))

    assert len(answers) == 1
    assert next(iter(answers))[0] == 403


def test_nothing_typed_is_shown_again(visitor: Visitor, mo: Staff) -> None:
    page = visitor.log_in(mo, NOW, "a very wrong password").text

    assert "a very wrong password" not in page
    assert mo.code(NOW) not in page
    assert MO not in page


@pytest.mark.parametrize(
    ("wanted", "reached"),
    [
        ("/admin/audit?before=7", "/admin/audit?before=7"),
        ("/admin/audit?q=mo%40example.org", "/admin/audit?q=mo%40example.org"),
        ("https://evil.test/", "/admin/"),
        ("//evil.test/admin/", "/admin/"),
        ("/admin//evil.test", "/admin/"),
        ("/admin/\\evil.test", "/admin/"),
        ("/admin/\r\nSet-Cookie: a=b", "/admin/"),
        ("/you/x", "/admin/"),
        ("javascript:alert(1)", "/admin/"),
    ],
)
def test_the_way_on_stays_on_these_pages(
    visitor: Visitor, mo: Staff, wanted: str, reached: str
) -> None:
    visitor.get("/admin/login")
    answer = visitor.send(
        "/admin/login", address=MO, password=PASSWORD, code=mo.code(NOW), next=wanted
    )

    assert way(answer) == reached
    assert way(visitor.get("/admin/login", query_string={"next": wanted})) == reached


def test_whoever_is_sent_to_the_door_comes_back(visitor: Visitor, mo: Staff) -> None:
    door = way(visitor.get("/admin/audit?before=9"))
    (field,) = {form.fields["next"] for form in forms(visitor.get(door).text)}

    assert field == "/admin/audit?before=9"


# --- passkeys -------------------------------------------------------------------------------------


def test_a_passkey_lets_in_and_steps_up(app: Flask, visitor: Visitor) -> None:
    key = Authenticator(BASE)
    with store.connected():
        with_passkey(key, site=SITE)
    visitor.get("/admin/login")

    assert way(visitor.sign(key, "/admin/login")) == "/admin/"
    first = visitor.token
    assert way(visitor.get("/admin/passkeys")) == "/admin/step-up?next=/admin/passkeys"
    assert way(visitor.sign(key, "/admin/step-up")) == "/admin/"
    assert visitor.token != first
    assert visitor.get("/admin/passkeys").status_code == 200
    assert acts() == ["add_moderator", "set_up", "login", "step_up"]


def test_an_answer_for_another_site_is_refused(app: Flask, visitor: Visitor) -> None:
    key = Authenticator(BASE)
    with store.connected():
        with_passkey(key, site=SITE)
    key.origin = "https://evil.test"
    visitor.get("/admin/login")

    assert visitor.sign(key, "/admin/login").status_code == 403
    assert not visitor.is_inside


def test_an_answer_without_a_question_is_refused(app: Flask, visitor: Visitor) -> None:
    key = Authenticator(BASE)
    with store.connected():
        with_passkey(key, site=SITE)
    visitor.get("/admin/login")
    options = visitor.send("/admin/login/challenge").text
    other = Visitor(app)
    other.get("/admin/login")

    answer = other.send("/admin/login/passkey", credential=key.sign(options))
    assert answer.status_code == 403


def test_where_a_site_has_no_name_passkeys_are_not_offered(
    config: Config, clock: Clock, app: Flask
) -> None:
    numbered = create_app(replace(config, base_url="http://127.0.0.1:8000"), now=clock)
    page = numbered.test_client().get("/admin/login")

    assert "This site is reached by a number" in page.text
    assert "data-ceremony" not in page.text


# --- setting up -----------------------------------------------------------------------------------


@pytest.fixture
def link(app: Flask) -> ModeratorLink:
    with store.connected():
        return moderators.add(MO, OPERATOR, "Mo", NOW)


def test_a_password_is_set_up_with_the_secret_of_the_page(
    visitor: Visitor, links: Links, link: ModeratorLink
) -> None:
    path = f"/admin/setup/{links.sign('moderator', link)}"
    page = visitor.get(path)
    (form,) = [one for one in forms(page.text) if "secret" in one.fields]
    secret = form.fields["secret"]
    code = one_time_codes.code(secret, NOW // STEP)

    assert "You are about to become an operator here" in page.text
    assert f"otpauth://totp/play.test:{MO.replace('@', '%40')}?secret={secret}" in unescape(
        page.text
    )
    assert "<svg" in page.text
    before = visitor.token
    assert way(visitor.send(path, password=PASSWORD, code=code, secret=secret)) == "/admin/"
    assert visitor.is_inside
    assert visitor.token != before
    assert acts() == ["add_moderator", "set_up"]
    assert visitor.get(path).status_code == 410
    assert visitor.send(path, password=PASSWORD, code=code, secret=secret).status_code == 410


def test_what_is_wrong_is_said_and_the_secret_stays(
    visitor: Visitor, links: Links, link: ModeratorLink
) -> None:
    path = f"/admin/setup/{links.sign('moderator', link)}"
    secret = forms(visitor.get(path).text)[-1].fields["secret"]
    before = everything()
    short = visitor.send(path, password="short", code="000000", secret=secret)
    wrong = visitor.send(path, password=PASSWORD, code="000000", secret=secret)
    forged = visitor.send(path, password=PASSWORD, code="000000", secret="<script>")

    assert (short.status_code, wrong.status_code, forged.status_code) == (400, 400, 400)
    assert "a password needs 15 to 200 characters" in unescape(short.text)
    assert "the code is not the current one" in unescape(wrong.text)
    assert f'name="secret" value="{secret}"' in wrong.text
    assert PASSWORD not in wrong.text
    assert "<script>" not in forged.text
    assert everything() == before


def test_a_passkey_is_set_up(visitor: Visitor, links: Links, link: ModeratorLink) -> None:
    path, key = f"/admin/setup/{links.sign('moderator', link)}", Authenticator(BASE)
    visitor.get(path)
    options = visitor.send(f"{path}/challenge")
    answer = visitor.send(path, credential=key.make(options.text), name="phone")

    assert options.json is not None
    assert options.json["rp"]["id"] == "play.test"
    assert options.json["authenticatorSelection"]["userVerification"] == "required"
    assert way(answer) == "/admin/"
    assert "Passkey “phone”" in visitor.get("/admin/").text
    assert acts() == ["add_moderator", "set_up"]


def test_a_link_that_is_too_old_is_said_to_be(
    visitor: Visitor, links: Links, link: ModeratorLink, clock: Clock
) -> None:
    path = f"/admin/setup/{links.sign('moderator', link)}"
    visitor.get(path)
    clock.now = NOW + SETUP_LASTS

    assert visitor.get(path).status_code == 410
    assert visitor.send(f"{path}/challenge").status_code == 410
    assert visitor.send(path, password=PASSWORD).status_code == 410


def test_the_link_is_in_no_log_and_asks_not_to_be_indexed(
    visitor: Visitor, links: Links, link: ModeratorLink, caplog: pytest.LogCaptureFixture
) -> None:
    token = links.sign("moderator", link)
    page = visitor.get(f"/admin/setup/{token}")
    logging.getLogger("werkzeug").warning(f'"GET /admin/setup/{token}/challenge HTTP/1.1" 200')

    assert page.headers["X-Robots-Tag"] == "noindex"
    assert token not in caplog.text
    assert "/admin/setup/.../challenge" in caplog.text
