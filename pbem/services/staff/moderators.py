"""Moderators: made, reset and disabled from the command line; told by letter how to set up."""

from __future__ import annotations

from typing import Any

from engine.text import printable
from pbem.db.models import Moderator, Passkey
from pbem.db.store import writing
from pbem.errors import Missing, Refused
from pbem.links import ModeratorLink
from pbem.services.players import names, staff_alerts
from pbem.services.records import audit_log, epochs
from pbem.services.records.audit_log import COMMAND_LINE
from pbem.services.records.moderator_rows import (
    ModeratorRecord,
    all_moderators,
    find_moderator,
    moderator_at,
)
from pbem.services.staff import admin_sessions

MODERATOR, OPERATOR = "moderator", "operator"
ROLES = (MODERATOR, OPERATOR)
"""An operator may do all that a moderator may, and looks after the machinery."""
SETUP_LASTS = 48 * 3_600


# --- from the command line ------------------------------------------------------------------------


def add(address: str, role: str, name: str, now: int) -> ModeratorLink:
    """A new moderator, or one that was disabled; the link to set up goes out by letter."""
    with writing():
        known = moderator_at(address)
        if known is not None and known.disabled_at is None:
            raise Refused(
                "%(address)s is already a moderator; for a new link, run: pbem moderator reset",
                address=address,
            )
        moderator = known.id if known else _insert(address, now)
        _change(moderator, role=role, name=names.checked(name), disabled_at=None)
        link = _send_setup_link(moderator, now)
        _entered("add_moderator", address, {"role": role}, now)
        return link


def _insert(address: str, now: int) -> int:
    return int(Moderator.insert(address=address, role=MODERATOR, created_at=now).execute())


def _change(moderator: int, **columns: Any) -> None:
    Moderator.update(**columns).where(Moderator.id == moderator).execute()


def reset(address: str, now: int) -> ModeratorLink:
    """Take every credential and session away, and send a new link to set up."""
    with writing():
        moderator = _working(address)
        link = _send_setup_link(moderator.id, now)
        _entered("reset_moderator", address, {}, now)
        return link


def disable(address: str, now: int) -> None:
    """Shut the door at once: no session, no credential, no link is good any more."""
    with writing():
        moderator = _working(address)
        _strip(moderator.id)
        _change(moderator.id, disabled_at=now)
        _entered("disable_moderator", address, {}, now)


def _working(address: str) -> ModeratorRecord:
    found = moderator_at(address)
    if found is None or found.disabled_at is not None:
        raise Missing("there is no moderator %(address)s", address=printable(address[:80]))
    return found


def _strip(moderator: int) -> None:
    admin_sessions.end_all(moderator)
    epochs.retire(moderator)
    Passkey.delete().where(Passkey.moderator == moderator).execute()
    _change(moderator, password_hash="", totp_secret="", totp_step=0, failures=0, locked_until=None)


def _entered(act: str, address: str, detail: dict[str, Any], now: int) -> None:
    audit_log.record(COMMAND_LINE, act, subject(address), "", "", detail, now)


def subject(address: str) -> str:
    """How the log of acts names a moderator."""
    return f"moderator {address}"


# --- the link to set up ---------------------------------------------------------------------------


def _send_setup_link(moderator: int, now: int) -> ModeratorLink:
    """Owe the letter with a link that is better than every one before."""
    before = find_moderator(moderator)
    assert before is not None, "who is sent a link is there"
    _strip(moderator)
    epoch = epochs.raise_moderator(moderator, now)
    key = f"setup:{moderator}:{epoch}"
    staff_alerts.tell(before.address, key, now, what="setup", of=moderator, since=epoch)
    return ModeratorLink(moderator, epoch)


def renew_setup_links(now: int) -> None:
    """Who has a link that was not used gets another one."""
    for moderator in all_moderators():
        if moderator.disabled_at is None and moderator.setup_epoch > 0:
            _send_setup_link(moderator.id, now)


def to_set_up(link: ModeratorLink, now: int) -> ModeratorRecord | None:
    """Whose link it is; None once it was used, replaced or has lasted two days."""
    found = find_moderator(link.moderator)
    if found is None or found.disabled_at is not None or found.setup_epoch != link.epoch:
        return None
    return found if now < link.epoch + SETUP_LASTS else None


def use_setup_link(link: ModeratorLink, now: int) -> bool:
    """Take the link out of the world, in the transaction of what it is used for."""
    return epochs.use_up(link.moderator, link.epoch) and now < link.epoch + SETUP_LASTS
