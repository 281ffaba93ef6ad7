"""What moderators need to be tested: a browser with a jar of its own, and a look at all pages."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from flask import Flask
from werkzeug.test import TestResponse

from pbem.db import store
from pbem.services.records import audit_log
from pbem.services.staff import admin_sessions, passkeys
from tests.kit.authenticator import Authenticator
from tests.services.moderator_kit import PASSWORD, Staff

BASE = "https://play.test"
COOKIE = "__Host-pbem-admin"
SITE = passkeys.site_of(BASE)


class Visitor:
    """A browser with a jar of its own."""

    def __init__(self, app: Flask) -> None:
        self.client = app.test_client()

    @property
    def token(self) -> str:
        cookie = self.client.get_cookie(COOKIE, domain="play.test")
        return cookie.value if cookie else ""

    @token.setter
    def token(self, value: str) -> None:
        self.client.set_cookie(COOKIE, value, domain="play.test")

    def get(self, path: str, **more: Any) -> TestResponse:
        return self.client.get(path, base_url=BASE, **more)

    def post(self, path: str, **more: Any) -> TestResponse:
        return self.client.post(path, base_url=BASE, **more)

    def send(self, path: str, **fields: str) -> TestResponse:
        """A form of ours, with the mark of this session."""
        return self.post(path, data={"csrf": admin_sessions.csrf_of(self.token), **fields})

    def log_in(self, staff: Staff, now: int, password: str = PASSWORD) -> TestResponse:
        self.get("/admin/login")
        return self.send(
            "/admin/login", address=staff.address, password=password, code=staff.code(now)
        )

    def sign(self, key: Authenticator, path: str) -> TestResponse:
        """Answer the challenge of a page with a passkey."""
        options = self.send(f"{path}/challenge")
        assert options.status_code == 200, options.text
        target = path if path == "/admin/passkeys" else f"{path}/passkey"
        answer = (
            key.make(options.text) if "user" in (options.json or {}) else key.sign(options.text)
        )
        return self.send(target, credential=answer)

    @property
    def is_inside(self) -> bool:
        return self.get("/admin/").status_code == 200


def acts() -> list[str]:
    with store.connected():
        return [entry.act for entry in audit_log.newest(1_000)[::-1]]


def way(answer: TestResponse) -> str:
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


class Route(NamedTuple):
    path: str
    methods: set[str]
    blueprint: str


def routes(app: Flask, token: str = "x") -> list[Route]:
    """Every address under /admin."""
    return [
        Route(
            re.sub(r"<(?:\w+:)?\w+>", token, rule.rule),
            (rule.methods or set()) - {"HEAD", "OPTIONS"},
            rule.endpoint.rpartition(".")[0],
        )
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/admin")
    ]
