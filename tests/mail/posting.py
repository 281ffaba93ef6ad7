"""A post office for tests: a bag instead of a mail server, and letters read back from bytes."""

from __future__ import annotations

import email
from collections.abc import Callable, Iterator, Sequence
from email.message import EmailMessage
from email.policy import default
from typing import Any

from pbem.db.store import rows, writing
from pbem.errors import TransportError
from pbem.links import Links
from pbem.mail.parcels import LinkLost, Parcel, Transport
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.players.accounts import known_or_new
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.player_rows import get_player

BASE_URL = "https://play.example"
KEYS = ("k" * 40,)
WORKER = "tester"


class Bag:
    """Keeps what it is given, unless it was told otherwise for a parcel."""

    def __init__(self) -> None:
        self.parcels: list[Parcel] = []
        self.offered: list[Parcel] = []
        self.trouble: Callable[[Parcel], TransportError | None] = lambda parcel: None

    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[TransportError | None]:
        for parcel in parcels:
            self.offered.append(parcel)
            problem = self.trouble(parcel)
            if problem is None:
                self.parcels.append(parcel)
            yield problem
            if isinstance(problem, LinkLost):
                return

    def close(self) -> None:
        pass

    @property
    def letters(self) -> list[EmailMessage]:
        return [opened(parcel.mime) for parcel in self.parcels]


def office_with(transport: Transport, jitter: float = 0.5) -> MailSettings:
    """With the usual jitter of one half, pauses are exactly those of the table."""
    links = Links(KEYS, BASE_URL)
    return MailSettings(
        links, "pbem@play.example", "play.example", b"key", transport, lambda: jitter
    )


def opened(mime: bytes) -> EmailMessage:
    return email.message_from_bytes(mime, policy=default)


def text_of(letter: EmailMessage) -> str:
    return _words(_both(letter)[0])


def html_of(letter: EmailMessage) -> str:
    """With pictures it is the first of what is related."""
    page = _both(letter)[1]
    return _words(_parts(page)[0] if page.is_multipart() else page)


def pictures_of(letter: EmailMessage) -> dict[str, bytes]:
    """By the addresses under which the HTML shows them."""
    page = _both(letter)[1]
    related = _parts(page)[1:] if page.is_multipart() else []
    return {f"cid:{str(one['Content-ID']).strip('<>')}": one.get_content() for one in related}


def files_of(letter: EmailMessage) -> dict[str, str]:
    """What is attached, by name."""
    return {str(one.get_filename()): _words(one) for one in letter.iter_attachments()}


def _both(letter: EmailMessage) -> list[EmailMessage]:
    """Text and HTML; with something attached they are the first of its parts."""
    is_mixed = letter.get_content_type() == "multipart/mixed"
    return _parts(_parts(letter)[0] if is_mixed else letter)


def _parts(letter: EmailMessage) -> list[EmailMessage]:
    return [part for part in letter.iter_parts() if isinstance(part, EmailMessage)]


def _words(part: EmailMessage) -> str:
    return str(part.get_content()).replace("\r\n", "\n")


def queued(
    kind: str,
    player: int,
    match: str | None = None,
    seat: int | None = None,
    turn: int | None = None,
    about: dict[str, Any] | None = None,
) -> QueuedLetter:
    """A letter as the outbox has it, to be composed and not to be sent."""
    about = {} if about is None else about
    return QueuedLetter(kind, player, "", "", 0, match, seat, turn, about)


def owe_you(address: str, count: int, now: int) -> int:
    """Letters with the own page, one after another in one stream; the player's id."""
    with writing():
        player = known_or_new(address, now)
        epoch = get_player(player.id).epoch
        first = len(rows("SELECT id FROM outbox"))
        letters = [
            letter_queue.to_player(player.id, epoch, "you", str(first + n)) for n in range(count)
        ]
        letter_queue.queue(letters, now)
    return player.id


def outbox(columns: str, where: str = "1 = 1", *params: Any) -> list[Any]:
    """What the outbox holds, in order; single columns without their tuple."""
    found = rows(f"SELECT {columns} FROM outbox WHERE {where} ORDER BY id", *params)
    return [values[0] if len(values) == 1 else values for values in found]
