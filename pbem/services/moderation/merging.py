"""Two players who are one person become one: everything of one is the other's, and it is told.

All that is hidden goes along, so who goes has three days to object, as with a change of address.
The row that goes keeps its address, so that it can be told and its links say that they are dead;
nothing else belongs to it any more.
"""

from __future__ import annotations

from typing import NamedTuple

from peewee import ForeignKeyField, fn

from pbem.db import models
from pbem.db.models import Absence, AddressChange, Device, Loan, MatchSeat, Outbox, Player
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.deadlines import Span
from pbem.errors import Refused, Stale
from pbem.services.match import matches
from pbem.services.players import accounts, devices
from pbem.services.records import audit_log, epochs, letter_queue
from pbem.services.records.announcements import When, Words
from pbem.services.records.match_rows import LIVE, get_match
from pbem.services.records.moderator_rows import moderator_at
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import stand_ins
from pbem.services.seats.loans import WITHDRAWN
from pbem.services.self_service import address_changes, revocation
from pbem.services.self_service.address_changes import Change, subject_of
from pbem.services.time import absences, alarms, clocks

MOVED_APART = (Device, Absence, AddressChange)
"""Tables in which two rows may have to become one."""


class Moved(NamedTuple):
    """How much goes from one player to another."""

    live: int
    """Matches that are being played."""
    matches: int
    absences: int
    letters: int


def foreseen(gone: PlayerRecord) -> Moved:
    seats = revocation.seats_of(gone.id)
    live = [match for match, _ in seats if get_match(match).status == LIVE]
    return Moved(
        len(live),
        len(seats),
        absences=Absence.select().where(Absence.player == gone.id).count(),
        letters=Outbox.select().where(Outbox.player == gone.id).count(),
    )


def check(kept: PlayerRecord, gone: PlayerRecord) -> None:
    """Whether two players can become one; Refused says why not."""
    if kept.id == gone.id:
        raise Refused("these are the same player")
    for player in (kept, gone):
        if moderator_at(player.address) is not None:
            raise Refused("one of these is a moderator's address; it stays separate")
    if not address_changes.is_used(gone):
        raise Refused("the other player has nothing to merge")
    if kept.confirmed_at is None:
        raise Refused("the player who stays has never confirmed their address; keep the other one")
    both = sorted(_parts_of(kept.id) & _parts_of(gone.id))
    if both:
        raise Refused(
            "both are or were involved in match %(match)s; one person would have two seats in it",
            match=both[0],
        )


def _parts_of(player: int) -> set[str]:
    has_part = (Loan.owner == player) | (Loan.stand_in == player)
    loans = Loan.select(Loan.match).where(has_part, Loan.state != WITHDRAWN)
    return {
        *column(MatchSeat.select(MatchSeat.match).where(MatchSeat.player == player)),
        *column(loans),
    }


# --- asking ---------------------------------------------------------------------------------------


def words_before(kept: PlayerRecord, gone: PlayerRecord, now: int) -> Words:
    """What will happen, as both read it; Refused if it cannot."""
    check(kept, gone)
    if address_changes.refuses_letters(gone.id):
        return Words(
            "You had two addresses here, and are one player from now on; there was no "
            "waiting period, because the address that goes refuses emails. Everything of "
            "that address moves to the one that stays (matches in progress: %(live)s, "
            "matches in all: %(matches)s, vacations: %(absences)s, emails: %(letters)s). "
            "Links in emails to the old address no longer work; new ones come to the one "
            "that stays.",
            foreseen(gone)._asdict(),
        )
    if any(change.player == gone.id for change in address_changes.mergers_into(kept.id, now)):
        raise Stale("this merger is already waiting")
    return Words(
        "You have two addresses here, and are to become one player, as you asked. "
        "This happens three days after our email to the address that goes, on %(at)s "
        "at the earliest. Then everything of that address moves to the one that "
        "stays (matches in progress: %(live)s, matches in all: %(matches)s, "
        "vacations: %(absences)s, emails: %(letters)s), and links in emails to the "
        "old address stop working. If you did not ask for this, stop it with the "
        "link in our email to the address that goes.",
        {**foreseen(gone)._asdict(), "at": When(now + address_changes.WAITS)},
    )


def ask(kept: PlayerRecord, gone: PlayerRecord, reason: str, now: int) -> Change | None:
    """Have two players become one; what waits for it, or None if it is done at once."""
    if address_changes.refuses_letters(gone.id):
        merge(kept, gone, reason, now)
        return None
    return address_changes.find(address_changes.ask_for_merger(gone, kept, reason, now))


def come_into_force(change_id: int, now: int) -> None:
    """Rung by an alarm: a merger or another address comes true, unless it has to wait on."""
    asked = address_changes.find(change_id)
    if asked is None or not asked.is_merger:
        address_changes.come_into_force(change_id, now)
    elif (change := address_changes.waited_for(change_id, now)) is not None:
        _come_into_force(change, now)


def _come_into_force(change: Change, now: int) -> None:
    kept, gone = get_player(change.other), get_player(change.player)
    try:
        check(kept, gone)
    except Refused as refusal:
        address_changes.call_off(gone.id, now)
        address_changes.tell_apart(change, gone.id, now)
        address_changes.enter(change, "merger_dropped", {"why": str(refusal)}, now)
        return
    words = _words_after(gone)
    detail = {"other": gone.id, **address_changes.why_not_waited(change)}
    merge(kept, gone, change.reason, now)
    for player in (kept.id, gone.id):
        key = f"merged:{change.id}"
        letter_queue.queue([address_changes.telling(player, key, words, change.reason)], now)
    subject = subject_of(kept.id)
    audit_log.record(subject, "merged", subject, "", "", detail, now)


def _words_after(gone: PlayerRecord) -> Words:
    return Words(
        "You had two addresses here, and are one player from now on. Everything of "
        "the address that goes moves to the one that stays (matches in progress: "
        "%(live)s, matches in all: %(matches)s, vacations: %(absences)s, emails: "
        "%(letters)s). Links in emails to the old address no longer work; new ones "
        "come to the one that stays.",
        foreseen(gone)._asdict(),
    )


# --- doing it -------------------------------------------------------------------------------------


def merge(kept: PlayerRecord, gone: PlayerRecord, reason: str, now: int) -> None:
    """All of it or nothing; seats that change rows have new links, which come by letter."""
    with writing():
        revocation.hold(kept.id, gone.id, also=revocation.touched_by(gone.id))
        seats = revocation.seats_of(gone.id)
        check(kept, gone)
        _end_waiting(kept.id, gone.id)
        for player in (kept, gone):
            address_changes.call_off(player.id, now)
        address_changes.supersede_written(gone.id)
        _unite_absences(kept.id, gone.id, now)
        devices.move(gone.id, kept.id)
        _unite_changes(kept.id, gone.id, reason, now)
        for field in references():
            field.model.update({field: kept.id}).where(field == gone.id).execute()
        alarms.disarm(alarms.DIGEST, gone.id)
        _empty(kept, gone, now)
        for match, number in seats:
            matches.revoke_links(match, number, now)
        matches.ask_again(kept.id, now)
        stand_ins.ask_again(kept.id, now)
        clocks.rereckon_player(kept.id, now)


def references() -> list[ForeignKeyField]:
    """Every column that names a player, but for what needs more care."""
    return [
        field
        for model in models.TABLES
        for field, other in model._meta.refs.items()
        if other is Player and model not in MOVED_APART
    ]


def _unite_absences(kept: int, gone: int, now: int) -> None:
    """Rows of one player never overlap; a time that one of them has booked is booked."""
    known = sorted(absences.of(kept) + absences.of(gone), key=lambda one: one.start)
    united: list[tuple[Span, bool]] = []
    for one in known:
        if united and one.start <= united[-1][0].end:
            span, is_floating = united[-1]
            united[-1] = (
                Span(span.start, max(span.end, one.end)),
                is_floating and one.is_floating,
            )
        else:
            united.append((one.span, one.is_floating))
    Absence.delete().where(Absence.player.in_((kept, gone))).execute()
    for span, is_floating in united:
        Absence.insert(
            player=kept,
            start_at=span.start,
            end_at=span.end,
            is_floating=is_floating,
            created_at=now,
        ).execute()


def _end_waiting(kept: int, gone: int) -> None:
    """The merger that is done was not called off."""
    between = (AddressChange.player == gone) & (AddressChange.other == kept)
    AddressChange.delete().where(between, AddressChange.is_merger).execute()


def _unite_changes(kept: int, gone: int, reason: str, now: int) -> None:
    """The row that goes stands for another address of the player who stays."""
    of_gone = AddressChange.player == gone
    AddressChange.delete().where(of_gone, AddressChange.other == kept).execute()
    AddressChange.update(player=kept).where(of_gone).execute()
    AddressChange.insert(
        player=kept, other=gone, reason=reason, asked_at=now, ended_at=now, is_done=True
    ).execute()


def _empty(kept: PlayerRecord, gone: PlayerRecord, now: int) -> None:
    """What only one row can say: the elder is the age, a ban of one is a ban of both."""
    other = Player.alias()
    ban_of_gone = other.select(other.banned_at).where(other.id == gone.id)
    Player.update(
        created_at=min(kept.created_at, gone.created_at),
        banned_at=fn.COALESCE(Player.banned_at, ban_of_gone),
    ).where(Player.id == kept.id).execute()
    Player.update(
        name="",
        confirmed_at=None,
        news=False,
        reminders=False,
        stands_in=False,
        digest_hour=None,
        banned_at=None,
        search_text=accounts.search_text("", gone.address),
    ).where(Player.id == gone.id).execute()
    epochs.raise_player(gone.id, now)
