"""Letters that come back: what mail servers report about them goes into their rows.

Only a report counts that comes to the address of its own letter, names the address that the letter
went to, and comes within ten days. Nothing that comes here is ever answered.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem import return_addresses
from pbem.db.models import Outbox, Player
from pbem.db.reading import changed, first
from pbem.db.store import hold_players
from pbem.deadlines import DAY
from pbem.incoming.mails import DeliveryReport, IncomingMail
from pbem.services.inbox.kept_mails import APPLIED, IGNORED, REJECTED, Ending, KeptMail
from pbem.services.records.addresses import canonical_address
from pbem.services.records.letter_queue import LEASED, QUEUED, RETURNED, SENT
from pbem.services.seats import unreachable
from pbem.services.time import clocks, stalled_turns

HONOURED = 10 * DAY
"""Since a letter was handed over; mail servers give up within five."""
WITHOUT_STATUS = {"hard": "5.0.0", "soft": "4.0.0"}


def take(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
    """Note what a report says of a letter, inside the transaction that writes its end."""
    if not return_addresses.is_of_letter(kept.address):
        return Ending(REJECTED, "no address of ours")
    if mail.report is None:
        return Ending(IGNORED, "no report")
    letter = _letter(kept.address.number)
    why_not = _why_not(letter, mail.report, kept.received_at)
    if letter is None or why_not:
        return Ending(REJECTED, why_not)
    is_news = _note(letter, mail.report, now)
    end = Ending(APPLIED, mail.report.failure) if is_news else Ending(IGNORED, "known already")
    return end._replace(player=letter.player, match=letter.match)


class _Letter(NamedTuple):
    """A letter of the outbox, with the address that its reader has now."""

    id: int
    player: int
    match: str | None
    address: str
    message_id: str | None
    offered_at: int
    sent_at: int | None


def _letter(number: int) -> _Letter | None:
    found = Outbox.select(
        Outbox.id,
        Outbox.player,
        Outbox.match,
        Player.address,
        Outbox.message_id,
        Outbox.next_at.alias("offered_at"),
        Outbox.sent_at,
    ).join(Player)
    return first(found.where(Outbox.id == number), _Letter)


def _why_not(letter: _Letter | None, report: DeliveryReport, at: int) -> str:
    """Why a report is not believed; empty: it is."""
    if letter is None or letter.message_id is None:
        return "no letter that was sent"
    if at > (letter.sent_at or letter.offered_at) + HONOURED:
        return "too old"
    reported = {canonical_address(address) for address in report.recipients}
    return "" if canonical_address(letter.address) in reported else "about another address"


def _note(letter: _Letter, report: DeliveryReport, now: int) -> bool:
    """Write a report down; whether it was news."""
    return (_delayed if report.failure == "delayed" else _returned)(letter, report, now)


def _delayed(letter: _Letter, report: DeliveryReport, now: int) -> bool:
    noted = Outbox.update(report=report.failure, reported_at=now)
    is_first = (Outbox.state == SENT) & (Outbox.report == "")
    return changed(noted.where(Outbox.id == letter.id, is_first)) == 1


def _returned(letter: _Letter, report: DeliveryReport, now: int) -> bool:
    """The server may have had the letter before we knew: then it is not sent again."""
    noted = Outbox.update(
        state=RETURNED,
        sent_at=letter.sent_at or now,
        report=report.failure,
        reported_at=now,
        last_error=f"{report.status or WITHOUT_STATUS[report.failure]} came back",
        mime=None,
    )
    clocks.hold_waiting_matches([letter.id])
    hold_players([letter.player])
    is_out = Outbox.state.in_([SENT, LEASED, QUEUED])
    if not changed(noted.where(Outbox.id == letter.id, is_out)):
        return False
    stalled_turns.after_letters([letter.id], now)
    unreachable.note_returned(letter.player, report.failure, now)
    return True
