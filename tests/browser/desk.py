"""The moderators' door on a served site, and a desk: a browser that has an authenticator."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, expect

from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.records import audit_log
from pbem.services.staff import moderators
from tests.kit import serving
from tests.kit.looks import serious_violations, sideways
from tests.pbem.visiting import KEYS, Clock
from tests.services.moderator_kit import MO
from tests.services.people import NOW


class Door(NamedTuple):
    """The site, under a name that passkeys can be bound to, and the link of Mo's letter."""

    address: str
    setup: str
    clock: Clock


@contextmanager
def served(folder: Path) -> Iterator[Door]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    address, clock = f"http://localhost:{port}", Clock()
    config = Config(
        database_url=f"sqlite:///{folder / 'pbem.db'}", secret_keys=KEYS, base_url=address
    )
    app = create_app(config, now=clock)
    with store.connected():
        link = moderators.add(MO, "operator", "Mo", NOW)
    with listener, serving.served(app, port, listener.fileno()):
        yield Door(address, Links(KEYS, address).url("moderator", link), clock)
    if not store.database.is_closed():
        store.database.close()


class Desk:
    """A page whose browser has an authenticator, and what it complained about."""

    def __init__(self, browser: Browser, **look: Any) -> None:
        self.context: BrowserContext = browser.new_context(**look)
        self.page: Page = self.context.new_page()
        self.troubles: list[str] = []
        self.page.on("console", lambda message: self.troubles.append(message.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self._devtools = self.context.new_cdp_session(self.page)
        self._devtools.send("WebAuthn.enable")
        self.authenticator = self._devtools.send(
            "WebAuthn.addVirtualAuthenticator",
            {
                "options": {
                    "protocol": "ctap2",
                    "transport": "internal",
                    "hasResidentKey": True,
                    "hasUserVerification": True,
                    "isUserVerified": True,
                    "automaticPresenceSimulation": True,
                }
            },
        )["authenticatorId"]

    def verify_user(self, verified: bool) -> None:
        options = {"authenticatorId": self.authenticator, "isUserVerified": verified}
        self._devtools.send("WebAuthn.setUserVerified", options)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def shows(self, heading: str) -> None:
        expect(self.page.get_by_role("heading", level=1)).to_have_text(heading)

    def is_fit(self) -> None:
        assert self.troubles == []
        assert sideways(self.page) == 0
        found = serious_violations(self.page)
        assert found == [], found

    def set_up(self, door: Door) -> None:
        """Follow the link of the letter and make a passkey; then Mo is inside."""
        self.page.goto(door.setup)
        self.page.get_by_label("A name for this passkey").fill("phone")
        self.press("Create a passkey")
        self.shows("Hello Mo")


def acts() -> list[str]:
    with store.connected():
        return [entry.act for entry in audit_log.newest(100)[::-1]]
