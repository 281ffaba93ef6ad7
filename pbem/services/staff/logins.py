"""The moderators' door: setting up, logging in, showing again who one is, logging out.

Whatever changes something here leaves one entry in the log of acts, in the same transaction. Why
somebody is not let in is told to nobody but that log.
"""

from __future__ import annotations

import logging
from typing import Any, NamedTuple

from peewee import Case

from engine.text import printable
from pbem.db.models import Moderator
from pbem.db.reading import changed
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.links import ModeratorLink
from pbem.services.players import staff_alerts
from pbem.services.records import audit_log
from pbem.services.records.audit_log import NOBODY
from pbem.services.records.moderator_rows import ModeratorRecord, find_moderator, moderator_at
from pbem.services.self_service import requests
from pbem.services.staff import (
    admin_sessions,
    code_secrets,
    moderators,
    one_time_codes,
    passkeys,
    passwords,
)
from pbem.services.staff.admin_sessions import Session
from pbem.services.staff.passkeys import Made, Signed, Site

log = logging.getLogger(__name__)

MOST_FAILURES = 5
LOCKED = 15 * 60


class Browser(NamedTuple):
    """Who is at the door: what its cookie holds, and where it calls from."""

    token: str
    remote: str


class Typed(NamedTuple):
    """A password with the code beside it."""

    password: str
    code: str


def _not_let_in() -> Refused:
    return Refused("login failed; repeated failures lock password login for a while")


# --- logging in -----------------------------------------------------------------------------------


def by_passkey(browser: Browser, site: Site, answer: str, now: int) -> str:
    """Log in whoever owns the passkey; the token of the session."""
    use = _signed(browser, site, answer, now)
    if use is None:
        log.warning("login refused: no passkey")
        raise _not_let_in()
    with writing():
        moderator = find_moderator(use.passkey.moderator)
        if moderator is None or not passkeys.note_use(use, now):
            raise _not_let_in()
        return _let_in(moderator, browser, "passkey", now)


def by_password(browser: Browser, address: str, typed: Typed, now: int) -> str:
    """Log in by password and code; the token of the session.

    The slow part is done for everybody alike, and outside of the transaction; and whoever is
    refused waits until something was written, so that time does not tell who is a moderator.
    """
    moderator = moderator_at(address)
    is_right = passwords.fits(typed.password, moderator.password_hash if moderator else "")
    with writing():
        if moderator and is_right and _take_code(moderator, typed.code, now):
            return _let_in(moderator, browser, "password", now)
        if moderator and _count_failure(moderator, now):
            about = moderators.subject(moderator.address)
            audit_log.record(NOBODY, "login_refused", about, "", "", {"from": browser.remote}, now)
        else:
            requests.write_nothing(now)
    log.warning("login refused moderator=%s", moderator.id if moderator else "none")
    raise _not_let_in()


def _let_in(moderator: ModeratorRecord, browser: Browser, way: str, now: int) -> str:
    token = admin_sessions.begin(moderator.id, browser.token, browser.remote, now)
    _enter(moderator, "login", {"by": way, "from": browser.remote}, now)
    return token


def _signed(browser: Browser, site: Site, answer: str, now: int) -> Signed | None:
    challenge = admin_sessions.take_challenge(browser.token, now)
    return None if challenge is None else passkeys.signed(site, challenge, answer)


def _take_code(moderator: ModeratorRecord, typed: str, now: int, is_inside: bool = False) -> bool:
    """Accept a code once: whoever moves the step on was first, also among many at a time.

    The lock is for who stands at the door; who is inside has tries of the session's own.
    """
    secret = code_secrets.secret_of(moderator)
    if secret is None:
        return False
    step = one_time_codes.step_of(secret, typed, now, moderator.totp_step)
    if step is None:
        return False
    taken = Moderator.update(totp_step=step)
    if not is_inside:
        taken = Moderator.update(totp_step=step, failures=0, locked_until=None)
        taken = taken.where(_is_open(now))
    taken = taken.where(
        Moderator.id == moderator.id,
        Moderator.totp_step < step,
        Moderator.totp_secret == moderator.totp_secret,
        Moderator.disabled_at.is_null(),
    )
    return changed(taken) == 1


def _is_open(now: int) -> Any:
    """Whether passwords and codes of a moderator are looked at."""
    return Moderator.locked_until.is_null() | (Moderator.locked_until <= now)


def _count_failure(moderator: ModeratorRecord, now: int) -> bool:
    """Count a wrong password or code; the fifth shuts that way for a while. Whether it was open."""
    is_last = Moderator.failures >= MOST_FAILURES - 1
    counted = Moderator.update(
        failures=Case(None, [(is_last, 0)], Moderator.failures + 1),
        locked_until=Case(None, [(is_last, now + LOCKED)], None),
    )
    counted = counted.where(
        Moderator.id == moderator.id, Moderator.disabled_at.is_null(), _is_open(now)
    )
    return changed(counted) == 1


# --- showing again who one is ---------------------------------------------------------------------


def step_up_by_passkey(
    session: Session, browser: Browser, site: Site, answer: str, now: int
) -> str:
    """The session under a new token, good for dangerous acts for a while."""
    use = _signed(browser, site, answer, now)
    with writing():
        is_own = use is not None and use.passkey.moderator == session.moderator.id
        may_try = admin_sessions.take_try(session)
        if may_try and use is not None and is_own and passkeys.note_use(use, now):
            return _stepped_up(session, "passkey", now)
        _step_up_refused(session, "passkey", now)
    raise _not_stepped_up()


def step_up_by_code(session: Session, code: str, now: int) -> str:
    with writing():
        if admin_sessions.take_try(session) and _take_code(session.moderator, code, now, True):
            return _stepped_up(session, "code", now)
        _step_up_refused(session, "code", now)
    raise _not_stepped_up()


def _not_stepped_up() -> Refused:
    return Refused(
        "this does not confirm your identity; the other moderators are told, and "
        "after %(most)s tries in a row you have to log in again",
        most=admin_sessions.MOST_TRIES,
    )


def _stepped_up(session: Session, way: str, now: int) -> str:
    token = admin_sessions.renew(session, now)
    _enter(session.moderator, "step_up", {"by": way}, now)
    return token


def _step_up_refused(session: Session, way: str, now: int) -> None:
    """The last try of a session ends it; a stranger at the door can use up none of them."""
    ended = admin_sessions.end_if_tried_out(session)
    detail: dict[str, object] = {"by": way, "from": session.remote}
    if ended:
        detail["session"] = "ended"
    entry = _enter(session.moderator, "step_up_refused", detail, now)
    staff_alerts.alert("step_up", session.moderator.address, entry, now)


# --- setting up -----------------------------------------------------------------------------------


def set_up_passkey(
    link: ModeratorLink, browser: Browser, site: Site, answer: str, name: str, now: int
) -> str:
    """The first passkey of a moderator, who is then logged in; the token of the session."""
    made = _made(browser, site, answer, now)
    with writing():
        moderator = _use(link, now)
        passkeys.keep(moderator.id, made, _named(name), now)
        return _set_up(moderator, browser, "passkey", now)


def set_up_password(
    link: ModeratorLink, browser: Browser, typed: Typed, secret: str, now: int
) -> str:
    """A password, and a program that makes codes, shown to work by one of them."""
    owner = moderators.to_set_up(link, now)
    if owner is None:
        raise _link_is_used()
    password = passwords.checked(typed.password, owner.name, owner.address)
    step = (
        one_time_codes.step_of(secret, typed.code, now, 0)
        if one_time_codes.is_secret(secret)
        else None
    )
    if step is None:
        raise Refused("the code is not the current one; check the time on your device")
    kept = passwords.hashed(password)
    with writing():
        moderator = _use(link, now)
        Moderator.update(
            password_hash=kept,
            totp_secret=code_secrets.sealed(moderator.id, secret),
            totp_step=step,
        ).where(Moderator.id == moderator.id).execute()
        return _set_up(moderator, browser, "password", now)


def _use(link: ModeratorLink, now: int) -> ModeratorRecord:
    moderator = find_moderator(link.moderator)
    if moderator is None or not moderators.use_setup_link(link, now):
        raise _link_is_used()
    return moderator


def _link_is_used() -> Stale:
    return Stale("this link has already been used, or is too old")


def _set_up(moderator: ModeratorRecord, browser: Browser, way: str, now: int) -> str:
    token = admin_sessions.begin(moderator.id, browser.token, browser.remote, now)
    entry = _enter(moderator, "set_up", {"by": way, "from": browser.remote}, now)
    staff_alerts.alert("credential", moderator.address, entry, now)
    return token


def _made(browser: Browser, site: Site, answer: str, now: int) -> Made:
    challenge = admin_sessions.take_challenge(browser.token, now)
    made = None if challenge is None else passkeys.made(site, challenge, answer)
    if made is None or passkeys.is_known(made.credential_id):
        raise Refused("the passkey could not be created; please try again")
    return made


def _named(text: str) -> str:
    return printable(" ".join(text.split())[: passkeys.LONGEST_NAME])


# --- once inside ----------------------------------------------------------------------------------


def add_passkey(
    session: Session, browser: Browser, site: Site, answer: str, name: str, now: int
) -> None:
    made, moderator = _made(browser, site, answer, now), session.moderator
    with writing():
        number = passkeys.keep(moderator.id, made, _named(name), now)
        entry = _enter(moderator, "add_passkey", {"passkey": number}, now)
        staff_alerts.alert("credential", moderator.address, entry, now)


def remove_passkey(session: Session, passkey: int, now: int) -> None:
    """Not the last one of who has no password: that would shut the door from inside."""
    moderator = session.moderator
    with writing():
        if not moderator.password_hash and len(passkeys.of(moderator.id)) < 2:
            raise Refused("this is your only login; add another passkey first")
        if not passkeys.remove(moderator.id, passkey):
            raise Stale("this passkey no longer exists")
        _enter(moderator, "remove_passkey", {"passkey": passkey}, now)


def log_out(session: Session, now: int) -> None:
    with writing():
        admin_sessions.end(session)
        _enter(session.moderator, "logout", {}, now)


def revoke_sessions(session: Session, now: int) -> None:
    """End all sessions of this moderator, this one too."""
    with writing():
        ended = admin_sessions.end_all(session.moderator.id)
        _enter(session.moderator, "revoke_sessions", {"sessions": ended}, now)


def _enter(moderator: ModeratorRecord, act: str, detail: dict[str, object], now: int) -> int:
    about = moderators.subject(moderator.address)
    return audit_log.record(moderator.address, act, about, "", "", detail, now)
