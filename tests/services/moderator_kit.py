"""Mo, a moderator, and Opal, an operator: with a password and codes, or with a passkey."""

from __future__ import annotations

from typing import NamedTuple

from pbem.links import ModeratorLink
from pbem.services.records.moderator_rows import ModeratorRecord, moderator_at
from pbem.services.staff import admin_sessions, logins, moderators, one_time_codes, passkeys
from pbem.services.staff.logins import Browser, Typed
from pbem.services.staff.moderators import MODERATOR
from pbem.services.staff.one_time_codes import STEP
from pbem.services.staff.passkeys import Site
from tests.kit.authenticator import Authenticator
from tests.services.people import NOW

MO, OPAL = "mo@example.org", "opal@example.org"
PASSWORD = "seven grey herons wade"
SITE = Site("play.example", "https://play.example")


class Staff(NamedTuple):
    id: int
    address: str
    secret: str
    """For codes."""
    token: str
    """Of the session that setting up has begun."""

    def code(self, now: int) -> str:
        return one_time_codes.code(self.secret, now // STEP)

    def typed(self, now: int) -> Typed:
        return Typed(PASSWORD, self.code(now))


def stranger() -> Browser:
    """A browser that nobody has logged in with."""
    return Browser(admin_sessions.new_token(), "192.0.2.7")


def with_password(address: str = MO, role: str = MODERATOR, now: int = NOW) -> Staff:
    """Set up ten minutes ago, so that the codes of now are fresh."""
    then = now - 600
    link, secret = moderators.add(address, role, "", then), one_time_codes.new_secret()
    typed = Typed(PASSWORD, one_time_codes.code(secret, then // STEP))
    token = logins.set_up_password(link, stranger(), typed, secret, then)
    return Staff(link.moderator, address, secret, token)


def with_passkey(
    key: Authenticator, address: str = MO, role: str = MODERATOR, now: int = NOW, site: Site = SITE
) -> Staff:
    link, browser = moderators.add(address, role, "", now), stranger()
    answer = key.make(asked_to_make(link, browser, now, site))
    token = logins.set_up_passkey(link, browser, site, answer, "key", now)
    return Staff(link.moderator, address, "", token)


def asked_to_make(link: ModeratorLink, browser: Browser, now: int, site: Site = SITE) -> str:
    owner = moderators.to_set_up(link, now)
    assert owner is not None
    question = passkeys.ask_to_make(site, owner)
    admin_sessions.keep_challenge(browser.token, question.challenge, browser.remote, now)
    return question.options


def asked_to_sign(browser: Browser, now: int, site: Site = SITE, owner: int | None = None) -> str:
    question = passkeys.ask_to_sign(site, owner)
    admin_sessions.keep_challenge(browser.token, question.challenge, browser.remote, now)
    return question.options


def record_of(staff: Staff) -> ModeratorRecord:
    found = moderator_at(staff.address)
    assert found is not None
    return found
