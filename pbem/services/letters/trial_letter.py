"""A letter past the queue, by which an operator sees whether the settings for mail are right."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from email.utils import format_datetime

from pbem.mail import mime
from pbem.mail.parcels import Parcel
from pbem.services.letters.mail_settings import MailSettings


def send(settings: MailSettings, address: str, now: int) -> None:
    """One short letter; TransportError says what is wrong."""
    to = mime.mailbox(address)
    words = "This is a test letter of pbem: the settings for mail are right.\n"
    mark = hmac.digest(settings.key, f"test {now} {to}".encode(), "sha256").hex()[:16]
    fields = [
        ("From", f"pbem <{settings.sender}>"),
        ("To", to),
        ("Subject", "A test letter of pbem"),
        ("Date", format_datetime(datetime.fromtimestamp(now, UTC))),
        ("Message-ID", f"<test.{now}.{mark}@{settings.domain}>"),
        ("Auto-Submitted", "auto-generated"),
        ("X-PBEM-Kind", "test"),
    ]
    parcel = Parcel(settings.sender, to, mime.build(fields, words, f"<p>{words}</p>"))
    for problem in settings.transport.deliver([parcel]):
        if problem is not None:
            raise problem
