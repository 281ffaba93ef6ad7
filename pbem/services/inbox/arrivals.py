"""Arrivals: a mail is in the table, durably, before anybody is told that it was taken.

What comes twice is kept once: mail servers deliver again what they are not sure of. Bytes lie
sealed in their row, as those of letters do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from pbem import return_addresses, sealing
from pbem.db.models import Incoming
from pbem.db.reading import value
from pbem.db.store import writing
from pbem.incoming.mails import TooLarge
from pbem.return_addresses import BOUNCE, REPLY, ReturnAddress
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import find_turn_in_match

PURPOSE = "incoming"
"""What the bytes of mails are sealed for."""
LARGEST = 256 * 1024
LONGEST_SENDER = 320
HEAD = 64 * 1024
"""Where the headers of a mail are looked for."""
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_MESSAGE_ID = re.compile(rb"^message-id:[ \t\r\n]*(<[!-;=?-~]{3,250}>)[ \t]*\r?$", re.I | re.M)


def is_known(recipient: str) -> bool:
    """Whether an address is one of ours, written by us and not revoked since."""
    address = return_address(recipient)
    if address is None:
        return False
    if address.use == BOUNCE:
        return return_addresses.is_of_letter(address)
    found = find_turn_in_match(address.number)
    if found is None:
        return False
    turn, match = found
    epoch = match.seat(turn.seat).epoch
    return return_addresses.is_of_turn(address, match.id, turn.seat, epoch)


def return_address(recipient: str) -> ReturnAddress | None:
    """What an address of our domain says, whoever has written it."""
    local, _, domain = recipient.rpartition("@")
    return return_addresses.read(local) if domain.lower() == settings.mail_domain.lower() else None


def keep(sender: str, recipients: Sequence[str], raw: bytes, now: int) -> list[bool]:
    """Keep a mail once for each recipient of ours; whether each is one."""
    if len(raw) > LARGEST:
        raise TooLarge(f"a mail may have {LARGEST} bytes")
    with writing():
        known = [is_known(recipient) for recipient in recipients]
        for recipient, is_ours in zip(recipients, known, strict=True):
            if is_ours:
                _keep(sender, recipient.lower(), raw, now)
    return known


def _keep(sender: str, recipient: str, raw: bytes, now: int) -> None:
    mark = _mark(recipient, raw)
    address = return_address(recipient)
    assert address is not None, "it is known"
    new = Incoming.insert(
        dedupe=mark,
        recipient=recipient,
        sender=_printable(sender)[:LONGEST_SENDER],
        received_at=now,
        next_at=now,
        turn=address.number if address.use == REPLY else None,
    )
    if new.on_conflict(conflict_target=[Incoming.dedupe], action="ignore").as_rowcount().execute():
        number: int = value(Incoming.select(Incoming.id).where(Incoming.dedupe == mark))
        sealed = sealing.seal(PURPOSE, number, raw)
        Incoming.update(mime=sealed).where(Incoming.id == number).execute()


def _mark(recipient: str, raw: bytes) -> str:
    """By which the same mail to the same recipient is known again."""
    head = _END_OF_HEAD.split(raw[:HEAD], maxsplit=1)[0]
    named = _MESSAGE_ID.findall(head)
    what = b"id " + named[0] if len(named) == 1 else b"mail " + raw
    return sha256(recipient.encode() + b"\n" + what).hexdigest()


def _printable(sender: str) -> str:
    """As a table can hold it."""
    return "".join(letter if letter.isprintable() else "?" for letter in sender)
