"""A new timeline of the server: all that follows from a restore, in one transaction.

The database is as it was at some time; everything that happened since is lost, but letters of that
time lie in mailboxes. Counters were restored, too, so nothing of theirs tells the two apart: the
mark of a timeline is random. Links, addresses and Message-IDs carry it, so that none of the lost
future is good here and none comes again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, NamedTuple

from peewee import fn

from pbem.db import models
from pbem.db.reading import changed, column, value
from pbem.db.store import writing
from pbem.services.match import matches
from pbem.services.operations.restoring import restored_matches
from pbem.services.players import staff_alerts
from pbem.services.records import audit_log, epochs, restorations
from pbem.services.records.letter_queue import LEASED, QUEUED
from pbem.services.records.match_rows import FORMING, LIVE
from pbem.services.records.restorations import Restoration
from pbem.services.seats import stand_ins
from pbem.services.staff import admin_sessions, code_secrets, moderators
from pbem.services.time import heartbeat

SUBJECT = "the server"
MARK_BYTES = 5


class Begun(NamedTuple):
    """What has begun."""

    mark: str
    back_to: int
    """What happened after this moment is lost."""
    matches: int
    """That are played."""
    letters: int
    """That were on their way when the backup was made; they are written anew."""


def begin(
    source: dict[str, Any],
    now: int,
    came_on: Callable[[int, int], None] = lambda done, all: None,
    above: int = 0,
) -> Begun:
    """Begin a new timeline of what is in the database; all of it or nothing.

    `source` is entered in the log; `came_on` is told how many of the matches are done; `above` is
    the largest number of a turn in what was replaced, which may itself have begun just now.
    """
    with writing():
        restoration = Restoration(secrets.token_hex(MARK_BYTES), now, min(now, last_sign_of_life()))
        restorations.begin(restoration)
        _shut_doors(now)
        letters = _recall_letters(now)
        played = _matches_go_on(restoration, now, came_on, above)
        _ask_again(now)
        _set_clocks(now)
        begun = Begun(restoration.mark, restoration.back_to, played, letters)
        detail = {**source, **begun._asdict()}
        audit_log.record(audit_log.COMMAND_LINE, "restore", SUBJECT, "", "", detail, now)
        staff_alerts.tell_of_restore(restoration, now)
        return begun


def last_sign_of_life() -> int:
    """The newest moment that the database knows of."""
    signs = (
        models.Heartbeat.select(fn.MAX(models.Heartbeat.ticked_at)),
        models.Entry.select(fn.MAX(models.Entry.at)),
        models.Outbox.select(fn.MAX(models.Outbox.created_at)),
        models.Audit.select(fn.MAX(models.Audit.at)),
        models.Player.select(fn.MAX(models.Player.created_at)),
    )
    return max(value(sign) or 0 for sign in signs)


def _shut_doors(now: int) -> None:
    """What was given out until now opens nothing: links, sessions, one-time codes."""
    epochs.raise_all(now)
    admin_sessions.end_everybodys()
    code_secrets.use_up_codes(now)
    moderators.renew_setup_links(now)


def _recall_letters(now: int) -> int:
    """Letters that wait, or were on their way, may have left in the lost future.

    They are composed anew, under another Message-ID; what is no longer true is dropped then.
    """
    outbox = models.Outbox
    recalled = outbox.update(state=QUEUED, message_id=None, mime=None, lease_by="", lease_until=0)
    return changed(recalled.where(outbox.state.in_([QUEUED, LEASED])))


def _matches_go_on(
    restoration: Restoration, now: int, came_on: Callable[[int, int], None], above: int
) -> int:
    played = restored_matches.with_status(LIVE)
    with restored_matches.numbered_anew(played, now, above):
        for done, match in enumerate(played, 1):
            restored_matches.go_on(match, restoration, now)
            came_on(done, len(played))
    for match in restored_matches.with_status(FORMING):
        restored_matches.wait_on(match, restoration, now)
    return len(played)


def _ask_again(now: int) -> None:
    """Invitations and questions whose links are dead come once more."""
    seat, match, loan = models.MatchSeat, models.Match, models.Loan
    forming = seat.select(seat.player).distinct().join(match).where(match.status == FORMING)
    for player in column(forming.where(seat.player.is_null(False)).order_by(seat.player)):
        matches.ask_again(player, now)
    asked = {*column(loan.select(loan.owner)), *column(loan.select(loan.stand_in))} - {None}
    for player in sorted(asked):
        stand_ins.ask_again(player, now)


def _set_clocks(now: int) -> None:
    """Turns have begun anew: there is no silence to give back."""
    heartbeat.lock_heartbeat(now)
    heartbeat.change(ticked_at=now, suspect_since=None, why="", held_since=None, let_go_until=None)
