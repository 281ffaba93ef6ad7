"""What is needed to write letters and to send them."""

from __future__ import annotations

import hmac
import ssl
from collections.abc import Callable
from functools import partial
from random import random
from typing import NamedTuple

from pbem.config import Config
from pbem.links import Links
from pbem.mail.lanes import Lanes
from pbem.mail.mailbox_folder import MailboxTransport
from pbem.mail.parcels import Transport
from pbem.mail.smtp_client import Timeouts
from pbem.mail.transport import SmtpTransport
from pbem.services.records.letter_queue import QueuedLetter


class MailSettings(NamedTuple):
    links: Links
    sender: str
    domain: str
    key: bytes
    transport: Transport
    jitter: Callable[[], float] = random
    """A number from 0 to 1 that spreads retries."""
    lanes: Lanes[QueuedLetter] | None = None
    """Ways side by side, where one alone would be held up by slow servers."""

    def close(self) -> None:
        self.transport.close()
        if self.lanes is not None:
            self.lanes.close()


def knock(config: Config, patience: float, tls: ssl.SSLContext | None = None) -> None:
    """Whether the mail server lets us in and is ready, without a letter; TransportError, if not."""
    assert config.smtp_url is not None, "there is a mail server"
    limits = Timeouts(connect=patience, command=patience)
    transport = SmtpTransport(config.smtp_url, config.mail_domain, limits, tls)
    try:
        transport.knock()
    finally:
        transport.close()


def open_mail(config: Config) -> MailSettings:
    """What this configuration says: a mail server, or the mailbox folder when there is none."""
    key = hmac.digest(config.secret_keys[-1].encode(), b"pbem/message-id/v1", "sha256")
    links = Links(config.secret_keys, config.base_url, config.keys_file)
    known = partial(MailSettings, links, config.mail_from, config.mail_domain, key)
    if not config.smtp_url:
        return known(MailboxTransport(config.mailbox))
    open_way = partial(SmtpTransport, config.smtp_url, own_name=config.mail_domain)
    return known(open_way(), lanes=Lanes(open_way))
