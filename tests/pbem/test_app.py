"""The application as a whole: headers, foreign posts, errors, logs, health."""

from __future__ import annotations

import base64
import hashlib
import logging
import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg.pq import TransactionStatus

from engine.core import GameError
from engine.registry import GAMES
from pbem.app import create_app, hide_tokens
from pbem.config import Config
from pbem.db import store
from pbem.deadlines import HOUR
from pbem.errors import ConfigError, Missing, Refused, Stale
from pbem.links import PATHS, ConfirmLink, JoinLink, Links, YouLink
from pbem.services.operations import health, ticking
from pbem.services.records.match_rows import get_match
from pbem.web.shared import context
from pbem.web.shared.headers import policy
from tests.pbem.visiting import NOW, Clock, drop, everything
from tests.services.people import ANN, id_of, sit_down, wanted

METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE"]
PARAMETERS = re.compile(r"<(?:\w+:)?\w+>")


@pytest.fixture
def production(app: Flask, config: Config, clock: Clock) -> Iterator[FlaskClient]:
    """A production server on the tables that `app` has made."""
    site = replace(config, env="production", base_url="https://play.test")
    yield create_app(site, now=clock).test_client()
    store.database.close()


def paths(app: Flask) -> list[str]:
    return sorted({PARAMETERS.sub("1", rule.rule) for rule in app.url_map.iter_rules()})


# --- headers -------------------------------------------------------------------------------------


@pytest.mark.whole
def test_every_answer_of_every_route_and_method_is_hardened(app: Flask) -> None:
    client, odd = (
        app.test_client(),
        {"/dev/mailbox/1": "frame-src", "/dev/mailbox/1/html": "sandbox"},
    )

    for path in [*paths(app), "/nowhere", "/t/" + "x" * 400]:
        for method in METHODS:
            with client.open(path, method=method) as answer:
                headers = answer.headers
            assert headers["Content-Security-Policy"] == policy() or path in odd, (method, path)
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
            assert "Set-Cookie" not in headers or path == "/admin/login", (method, path)
            if path == "/front/board.svg" and method in ("GET", "HEAD"):
                assert headers["Cache-Control"] == "public, max-age=300", "a public picture"
            elif not path.startswith("/static/"):
                assert "no-store" in headers["Cache-Control"], path
            assert answer.status_code < 500, (method, path)


def test_the_answer_to_a_fault_of_ours_is_hardened_too(production: FlaskClient) -> None:
    def fail() -> str:
        raise RuntimeError

    production.application.add_url_rule("/fail", view_func=fail)
    answer = production.get("/fail", base_url="https://play.test")

    assert answer.status_code == 500
    assert answer.headers["Content-Security-Policy"] == policy()
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_style_of_drawn_boards_is_allowed_by_its_hash() -> None:
    styles = [game.style for game in GAMES.values()]
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in styles]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)

    assert f"style-src 'self' {allowed};" in policy()
    assert "unsafe" not in policy()


def test_production_tells_browsers_to_stay_with_https(production: FlaskClient) -> None:
    for path in ("/", "/nowhere", "/static/pbem.css"):
        with production.get(path, base_url="https://play.test") as answer:
            assert answer.headers["Strict-Transport-Security"].startswith("max-age=31536000")


def test_private_pages_ask_not_to_be_indexed_and_name_no_address(client: FlaskClient) -> None:
    page = client.get("/you/nothing")

    assert page.headers["X-Robots-Tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in page.text
    assert "canonical" not in page.text


# --- who may act ---------------------------------------------------------------------------------

FOREIGN: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.test"},
    {"Origin": "https://evil.test", "Sec-Fetch-Site": "same-origin"},
    {"Origin": "http://127.0.0.1:8000.evil.test"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_post_from_another_site_does_nothing(
    app: Flask, client: FlaskClient, links: Links, headers: dict[str, str]
) -> None:
    sitting = sit_down(NOW)
    you = f"/you/{links.sign('you', YouLink(sitting.ann, NOW, 0))}"
    before = everything()
    form = {"game": "iron_curtain", "address": ANN, "do": "renew"}

    for path in ["/start", "/you", you, f"{you}/delete", *paths(app)]:
        if not path.startswith(("/mute/", "/api/")):
            assert client.post(path, data=form, headers=headers).status_code == 403, path
    assert everything() == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://127.0.0.1:8000"},
        {"Origin": "http://localhost"},
        {},
    ],
)
def test_a_post_from_a_page_of_ours_is_heard(client: FlaskClient, headers: dict[str, str]) -> None:
    assert client.post("/you", data={"address": ANN}, headers=headers).status_code == 200


def test_production_believes_its_own_address_only(production: FlaskClient) -> None:
    def post(origin: str) -> int:
        headers, form = {"Origin": origin}, {"address": ANN}
        return production.post(
            "/you", data=form, headers=headers, base_url="https://play.test"
        ).status_code

    assert [post("https://play.test"), post("http://play.test")] == [200, 403]


def test_the_proxy_in_front_is_believed_one_hop(production: FlaskClient) -> None:
    seen: list[str] = []
    app = production.application

    @app.get("/who")
    def who() -> str:
        seen.append(context.remote_address())
        return ""

    forwarded = {"X-Forwarded-For": "6.6.6.6, 192.0.2.7", "X-Forwarded-Host": "evil.test"}
    answer = production.get("/who", base_url="http://play.test", headers=forwarded)

    assert answer.status_code == 200
    assert seen == ["192.0.2.7"]


@pytest.mark.parametrize("named", ["", ",", " "])
def test_a_proxy_that_names_nobody_breaks_nothing(production: FlaskClient, named: str) -> None:
    forwarded = {"X-Forwarded-For": named}
    answer = production.get("/admin/login", base_url="https://play.test", headers=forwarded)

    assert answer.status_code == 200


def test_without_a_proxy_nothing_forwarded_is_believed(app: Flask) -> None:
    near = {"REMOTE_ADDR": "127.0.0.1"}
    with app.test_request_context(environ_base=near, headers={"X-Forwarded-For": "6.6.6.6"}):
        assert context.remote_address() == "127.0.0.1"


@pytest.mark.parametrize("host", ["play.test", "PLAY.test", "play.test:443", "play.test:8443"])
def test_production_answers_under_its_own_name(production: FlaskClient, host: str) -> None:
    assert production.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.test", "play.test.evil.test", "xplay.test", "play.test:", "play.test:x", "play.test@x"],
)
def test_production_answers_under_no_other_name(production: FlaskClient, host: str) -> None:
    for path in ("/", "/nowhere", "/static/pbem.css"):
        answer = production.get(path, headers={"Host": host})
        assert answer.status_code == 400, path
        assert "play.test" not in answer.text


def test_programs_beside_it_need_not_know_its_name(production: FlaskClient) -> None:
    for path, status in (("/readyz", 200), ("/metrics", 200), ("/healthz", 400)):
        answer = production.get(path, headers={"Host": "web-1:8000"})
        assert answer.status_code == status, path
        assert "play.test" not in answer.text


@pytest.mark.parametrize(
    ("site", "host"),
    [
        ("https://öst.test", "xn--st-eka.test"),
        ("https://öst.test", "xn--st-eka.test:443"),
        ("https://[2001:db8::1]", "[2001:db8::1]"),
        ("https://[2001:db8::1]", "[2001:DB8::1]:8443"),
    ],
)
def test_names_of_other_letters_and_bare_addresses_are_known(
    app: Flask, config: Config, site: str, host: str
) -> None:
    client = create_app(replace(config, env="production", base_url=site)).test_client()

    assert client.get("/", headers={"Host": host}).status_code == 200
    assert client.get("/", headers={"Host": "[2001:db8::2]"}).status_code == 400
    store.database.close()


# --- safe methods --------------------------------------------------------------------------------


@pytest.mark.whole
def test_looking_changes_nothing(app: Flask, client: FlaskClient, links: Links) -> None:
    from pbem.services.match import joining, matches

    with store.connected():
        sitting = sit_down(NOW)
        match = matches.create(wanted(addresses={"usa": ANN, "ussr": "cy@example.org"}), NOW)
        cy, seat = id_of("cy@example.org"), get_match(match).seat(1)
        open_one = matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW)
        joining.confirmed(sitting.ann, NOW)
    you = YouLink(sitting.ann, NOW, 0)
    tokens = [
        f"/you/{links.sign('you', you)}",
        f"/you/{links.sign('you', you)}/delete",
        f"/you/{links.sign('you', you)}/data",
        f"/mute/{links.sign('mute', you)}",
        f"/join/{links.sign('join', JoinLink(match, 1, cy, seat.epoch))}",
        f"/confirm/{links.sign('confirm', ConfirmLink(cy, NOW))}",
        f"/open/{open_one}",
    ]
    before = everything()

    for path in tokens:
        assert client.get(path).status_code == 200, path
    for path in [*tokens, *paths(app)] * 3:
        for method in ("GET", "HEAD", "OPTIONS"):
            with client.open(path, method=method) as answer:
                assert answer.status_code < 500
    assert everything() == before


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (Refused("a name is short"), 400, "A name is short."),
        (Missing("there is no match 1"), 404, "There is no match 1."),
        (Stale("this turn is over"), 409, "This turn is over."),
        (GameError("you do not hold 7"), 400, "You do not hold 7."),
        (RuntimeError("the secret of the house"), 500, "Something went wrong on our side."),
    ],
)
def test_what_is_refused_is_said_in_a_sentence(
    app: Flask, error: Exception, status: int, words: str
) -> None:
    def fail() -> str:
        raise error

    app.add_url_rule("/fail", view_func=fail)
    app.add_url_rule("/api/fail", view_func=fail, endpoint="api_fail")
    page = app.test_client().get("/fail")
    json = app.test_client().get("/api/fail")

    assert (page.status_code, json.status_code) == (status, status)
    assert words in page.text
    assert "secret" not in page.text + json.text
    assert json.json is not None
    assert set(json.json["error"]) == {"code", "message"}


def test_hostile_words_in_a_refusal_are_text(app: Flask) -> None:
    def fail() -> str:
        raise Refused("<script>alert(1)</script>")

    app.add_url_rule("/fail", view_func=fail)

    assert "<script>alert" not in app.test_client().get("/fail").text


def test_every_bad_token_gets_the_same_page(client: FlaskClient, links: Links) -> None:
    good = links.sign("you", YouLink(1, NOW, 0))
    bad = ["x", good[:-1], good + "A", good + "=", "é" * 20, "a" * 500, f"{good}.x", "%00", "'"]
    bad.append(good)  # signed, but for nobody

    answers = {
        (answer.status_code, answer.text)
        for path in PATHS.values()
        for token in bad
        for answer in [client.get(path + token)]
    }

    assert len(answers) == 1
    assert next(iter(answers))[0] == 404


def test_a_large_request_is_refused(client: FlaskClient) -> None:
    before = everything()
    answer = client.post("/start", data={"name": "a" * 70_000})
    fields = {f"f{n}": "x" for n in range(300)}
    many = client.post("/start", data=fields, content_type="multipart/form-data")

    assert answer.status_code == 413
    assert "too large for this page" in answer.text
    assert many.status_code in (400, 413)
    assert everything() == before


def test_a_wrong_method_is_told_the_right_ones(client: FlaskClient) -> None:
    answer = client.get("/invite")

    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]


def test_a_zero_byte_in_an_address_is_no_page(client: FlaskClient) -> None:
    for path in ("/open/%00", "/match/a%00b", "/rules/%00", "/t/%00"):
        assert client.get(path).status_code == 404


# --- languages -----------------------------------------------------------------------------------


def test_public_pages_follow_the_language_of_the_browser(client: FlaskClient) -> None:
    page = client.get("/", headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"})

    assert '<html lang="de">' in page.text
    assert "Eiserner Vorhang" in page.text
    assert '<html lang="en">' in client.get("/").text
    assert '<html lang="en">' in client.get("/", headers={"Accept-Language": "tlh"}).text


def test_token_pages_speak_the_language_of_their_player(client: FlaskClient, links: Links) -> None:
    sitting = sit_down(NOW)
    page = client.get(f"/you/{links.sign('you', YouLink(sitting.bob, NOW, 0))}")

    assert '<html lang="de">' in page.text
    assert '<html lang="en">' in client.get("/").text


# --- logs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*PATHS.values(), "/api/v1/turn/"])
def test_no_token_reaches_a_log(path: str, app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    token = "WyJhYmMiLDEsMl0.abcdefghijklmnopqrstuvwxyz"
    for logger in ("werkzeug", "gunicorn.access", "pbem"):
        logging.getLogger(logger).warning('"%s" %s', f"GET {path}{token} HTTP/1.1", "200")
        logging.getLogger(logger).warning(f"Exception on {path}{token}/resign [POST]")

    assert token not in caplog.text
    assert f"GET {path}... HTTP/1.1" in caplog.text
    assert f"{path}.../resign [POST]" in caplog.text


def test_addresses_without_a_token_stay_as_they_are() -> None:
    line = '127.0.0.1 "GET /static/pbem.css HTTP/1.1" 200'

    assert hide_tokens(line) == line


def test_a_breakdown_behind_a_token_is_logged_without_it(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(token: str) -> str:
        raise RuntimeError("broken")

    app.add_url_rule("/you/<token>/fail", view_func=fail)

    assert app.test_client().get("/you/VeryPrivate/fail").status_code == 500
    assert "RuntimeError: broken" in caplog.text
    assert "VeryPrivate" not in caplog.text


# --- starting ------------------------------------------------------------------------------------


@pytest.fixture
def without_tables(config: Config, tmp_path: Path) -> Config:
    return replace(config, database_url=f"sqlite:///{tmp_path / 'empty.db'}")


def test_production_does_not_make_tables(without_tables: Config) -> None:
    with pytest.raises(ConfigError, match="run: pbem migrate"):
        create_app(replace(without_tables, env="production", base_url="https://play.test"))


def test_development_makes_tables(without_tables: Config) -> None:
    create_app(without_tables)

    assert everything()["match"] == []  # all of them can be asked


def test_no_key_no_server(config: Config) -> None:
    with pytest.raises(ConfigError, match="PBEM_SECRET_KEYS"):
        create_app(replace(config, secret_keys=()))


def test_a_forgetful_store_is_refused(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PRAGMAS", {**store.PRAGMAS, "synchronous": 0})
    if config.database_url.startswith("postgres"):
        monkeypatch.setitem(store.REACHING, "options", "-c synchronous_commit=off")
        config = replace(config, database_url=f"{config.database_url}&application_name=lazy")

    with pytest.raises(ConfigError, match="does not write durably"):
        create_app(config)


@pytest.mark.whole
def test_the_wsgi_module_serves_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PBEM_BASE_URL", "http://127.0.0.1:9999")
    from wsgi import app

    assert "http://127.0.0.1:9999/" in app.test_client().get("/").text


# --- connections ---------------------------------------------------------------------------------


def test_development_closes_its_connection(client: FlaskClient) -> None:
    client.get("/metrics")

    assert store.database.is_closed()


def test_threads_of_production_hand_on_their_connection(production: FlaskClient) -> None:
    used = []

    def look() -> str:
        used.append(store.database.connection())
        return ""

    production.application.add_url_rule("/look", view_func=look)
    for _ in range(2):
        with ThreadPoolExecutor(1) as thread:
            thread.submit(production.get, "/look", base_url="https://play.test").result()

    assert len(used) == 2
    assert used[0] is used[1]


def test_a_breakdown_hands_on_no_transaction(production: FlaskClient) -> None:
    def fail() -> str:
        store.execute("BEGIN")
        store.execute("DELETE FROM due")
        raise RuntimeError("broken")

    production.application.add_url_rule("/fail", view_func=fail)
    production.get("/fail", base_url="https://play.test")

    assert store.database.is_closed()
    with store.connected():
        assert not is_in_transaction(store.database.connection())


def is_in_transaction(connection: Any) -> bool:
    """As the driver of each kind of store knows it."""
    if isinstance(connection, sqlite3.Connection):
        return connection.in_transaction
    return bool(connection.info.transaction_status != TransactionStatus.IDLE)


# --- for machines --------------------------------------------------------------------------------


def test_health_comes_from_real_work(client: FlaskClient) -> None:
    before = everything()

    assert client.get("/healthz").json == {"ok": True}
    assert everything() == before


@pytest.mark.parametrize("table", ["player", "schema_migration"])
def test_health_says_when_something_is_missing(client: FlaskClient, table: str) -> None:
    with store.connected():
        drop(table)
        answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json is not None
    assert answer.json["ok"] is False


def test_health_tells_of_matches_that_wait_for_nothing_and_names_none(client: FlaskClient) -> None:
    with store.connected():
        sitting = sit_down(NOW)
        assert client.get("/healthz").json == {"ok": True}
        store.execute("UPDATE outbox SET state = 'dead' WHERE kind = 'turn'")
        answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json == {
        "ok": False,
        "trouble": "turns wait for nothing; pbem doctor names their matches",
    }
    assert sitting.match not in answer.text


def test_who_cannot_write_is_not_ready(client: FlaskClient, config: Config) -> None:
    is_shared = config.database_url.startswith("postgres")
    patience, hold = (
        ("SET lock_timeout = 50", "LOCK TABLE player IN ACCESS EXCLUSIVE MODE")
        if is_shared
        else ("PRAGMA busy_timeout = 50", "PRAGMA user_version = 1")
    )
    other: Any = store.of_url(config.database_url)
    with store.connected():
        store.execute(patience)
        with other.atomic() as held:
            other.execute_sql(hold)
            answers = [client.get(path) for path in ("/readyz", "/healthz")]
            held.rollback()
        other.close()
        after = client.get("/readyz")

    for answer in answers:
        assert answer.status_code == 503
        assert answer.json == {
            "ok": False,
            "trouble": "the database does not answer: OperationalError",
        }
    assert after.json == {"ok": True}


def test_who_can_answer_is_ready_though_no_worker_works(client: FlaskClient) -> None:
    with store.connected():
        sit_down(NOW)
        ticking.Ticker().tick(NOW - HOUR, 1.0)
        assert client.get("/readyz").json == {"ok": True}
        answer = client.get("/healthz")

    assert (answer.status_code, answer.json) == (
        503,
        {"ok": False, "trouble": "no worker looks at what is due; is one running?"},
    )


def test_who_lacks_tables_is_not_ready(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "pending_migrations", lambda: ["0099_more"])
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json == {"ok": False, "trouble": "migrations are missing: 0099_more"}


def test_metrics_count_matches_and_letters(client: FlaskClient, clock: Clock) -> None:
    with store.connected():
        sit_down(NOW)
    clock.now = NOW + 90
    lines = client.get("/metrics").text.splitlines()

    assert 'pbem_matches{status="live"} 1.0' in lines
    assert 'pbem_letters{state="queued"} 5.0' in lines
    assert "pbem_oldest_letter_seconds 90.0" in lines
    assert "pbem_players 2.0" in lines
    assert ANN not in "\n".join(lines)
