"""Mails for tests of the inbox: addresses of ours, and what is written to them."""

from __future__ import annotations

from pbem import return_addresses
from pbem.db.store import rows
from pbem.incoming.mails import IncomingMail
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import TurnRecord, get_match
from tests.services.people import BOB


def reply_address(turn: TurnRecord) -> str:
    """Where the letter of a turn is answered to."""
    epoch = get_match(turn.match).seat(turn.seat).epoch
    local = return_addresses.of_turn(turn.id, turn.match, turn.seat, epoch)
    return f"{local}@{settings.mail_domain}"


def bounce_address(letter: int) -> str:
    return f"{return_addresses.of_letter(letter)}@{settings.mail_domain}"


def raw_mail(to: str, words: str = "1", message_id: str = "<1@client>", sender: str = BOB) -> bytes:
    named = f"Message-ID: {message_id}\r\n" if message_id else ""
    head = f"From: {sender}\r\nTo: {to}\r\n{named}Subject: Re: your turn\r\n"
    return f"{head}\r\n{words}\r\n".encode()


def read_plainly(raw: bytes, envelope_sender: str, authserv_id: str) -> IncomingMail:
    """What a mail of `raw_mail` says, without the care that real mails need."""
    head, _, body = raw.decode().partition("\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.split("\r\n"))
    return IncomingMail(
        sender=fields["From"],
        authentication="pass",
        message_id=fields.get("Message-ID", ""),
        subject=fields["Subject"],
        automatic="",
        own_words=tuple(body.split()),
    )


def states() -> list[tuple[str, str]]:
    """State and reason of every mail, in the order in which they came."""
    return [(state, why) for state, why in rows("SELECT state, reason FROM incoming ORDER BY id")]
