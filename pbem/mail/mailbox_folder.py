"""Letters as files in a folder, while developing: put there instead of sent, listed and read."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from email import message_from_bytes
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from email.policy import default
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pbem.errors import TransportError
from pbem.mail.parcels import LinkLost, Parcel


class MailboxLetter(NamedTuple):
    """A letter in the folder, as a list shows it."""

    name: str
    at: int
    to: str
    subject: str
    kind: str


class OpenedLetter(NamedTuple):
    name: str
    at: int
    to: str
    subject: str
    headers: tuple[tuple[str, str], ...]
    text: str
    html: str


class MailboxTransport:
    """Letters as files; one that is sent twice is there once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[TransportError | None]:
        for parcel in parcels:
            try:
                self._put(parcel.mime)
            except OSError as error:
                yield LinkLost(f"the mailbox cannot be written: {error.strerror}")
                return
            yield None

    def close(self) -> None:
        pass

    def _put(self, mime: bytes) -> None:
        """The whole file under its name, or nothing, also when the power fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / _file_name(mime)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        with unfinished.open("wb") as file:
            file.write(mime)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def list_letters(folder: Path) -> list[MailboxLetter]:
    """The letters of the folder, newest first."""
    return [_listed(path) for path in sorted(folder.glob("*.eml"), reverse=True)]


def read_letter(folder: Path, name: str) -> OpenedLetter | None:
    """A letter by its name in the list; None when there is none."""
    if not _NAME.fullmatch(name):
        return None
    try:
        raw = (folder / name).read_bytes()
    except FileNotFoundError:
        return None
    message = message_from_bytes(raw, policy=default)
    parts = [part for part in message.walk() if not part.is_multipart()]
    words = {
        part.get_content_subtype(): part.get_content()
        for part in parts
        if not _is_image(part) and not part.is_attachment()
    }
    return OpenedLetter(
        name,
        _date(message),
        str(message["To"]),
        str(message["Subject"]),
        tuple((key, str(value)) for key, value in message.items()),
        words.get("plain", "").replace("\r\n", "\n"),
        _with_pictures(words.get("html", "").replace("\r\n", "\n"), filter(_is_image, parts)),
    )


def _is_image(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "image"


def _with_pictures(html: str, images: Iterable[EmailMessage]) -> str:
    """The HTML with its pictures inside, as a page can show it."""
    for image in images:
        name, kind = str(image["Content-ID"]).strip("<>"), image.get_content_type()
        data = b64encode(image.get_content()).decode("ascii")
        html = html.replace(f"cid:{name}", f"data:{kind};base64,{data}")
    return html


_NAME = re.compile(r"\d{14}-\d{8}-[0-9a-f]{12}\.eml")
_NUMBER = re.compile(r"<o\.\d+\.(\d{1,8})\.")


def _file_name(mime: bytes) -> str:
    """By date, then by number in the outbox; the same for the same letter."""
    head = BytesHeaderParser(policy=default).parsebytes(mime)
    numbered = _NUMBER.match(str(head["Message-ID"]))
    number = int(numbered[1]) if numbered else 0
    date = parsedate_to_datetime(str(head["Date"]))
    mark = sha256(str(head["Message-ID"]).encode()).hexdigest()[:12]
    return f"{date:%Y%m%d%H%M%S}-{number:08}-{mark}.eml"


def _listed(path: Path) -> MailboxLetter:
    with path.open("rb") as file:
        head = BytesHeaderParser(policy=default).parse(file)
    kind = str(head["X-PBEM-Kind"] or "")
    return MailboxLetter(path.name, _date(head), str(head["To"]), str(head["Subject"]), kind)


def _date(head: EmailMessage) -> int:
    return int(parsedate_to_datetime(str(head["Date"])).timestamp())
