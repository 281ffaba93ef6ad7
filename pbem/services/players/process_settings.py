"""What services know of the settings without being told: keys, words, waiting, mail coming in."""

from __future__ import annotations

from pbem.config import DEFAULT_OPEN_DAYS, Config
from pbem.deadlines import DAY
from pbem.key_ring import ring
from pbem.links import Links
from pbem.services.players import turn_words


class Settings:
    """What the settings of this process say."""

    open_for = DEFAULT_OPEN_DAYS * DAY
    """Seconds that a match waits for its players before it lapses."""
    mail_domain = "localhost"
    """Of the addresses that letters are answered to."""
    takes_mail = False
    """Whether replies find a way in."""
    authserv_id = ""
    """The name under which our mail server says what it found out about senders; empty: none."""


settings = Settings()


def make_known(config: Config) -> Links:
    """Tell the services of this process; the links that follow from the same keys."""
    links = Links(config.secret_keys, config.base_url, config.keys_file)
    ring.use(lambda: links.keys)
    turn_words.settings.demands_words = config.demands_words
    settings.open_for = config.open_days * DAY
    settings.mail_domain = config.mail_domain
    settings.takes_mail = config.takes_mail
    settings.authserv_id = config.authserv_id
    return links
