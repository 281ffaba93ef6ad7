"""What services know of the settings without being told: the keys, and who has to type words."""

from __future__ import annotations

from pbem.config import Config
from pbem.key_ring import ring
from pbem.links import Links
from pbem.services.players import turn_words


def make_known(config: Config) -> Links:
    """Tell the services of this process; the links that follow from the same keys."""
    links = Links(config.secret_keys, config.base_url, config.keys_file)
    ring.use(lambda: links.keys)
    turn_words.settings.demands_words = config.demands_words
    return links
