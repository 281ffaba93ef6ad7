"""Processes that take mail and work on it, to be killed: `python -m tests.kit.mail_taker URL PATH`.

For each line that it reads, the moment by which to go, a process begins which listens at PATH and
works on what comes, and its number is printed. All are copies of one that has loaded everything, so
that one is there within moments.
"""

from __future__ import annotations

import os
import sys
import time
from typing import NoReturn

from pbem.config import Config
from pbem.db import store
from pbem.incoming import reading
from pbem.incoming.ways import lmtp
from pbem.services.inbox import working
from pbem.services.inbox.door import InboxDoor
from pbem.services.players import process_settings
from tests.mail.posting import KEYS

AUTHSERV_ID = "mail.play.example"
LOOK_EVERY = 0.002


def main(url: str, path: str) -> None:
    for line in sys.stdin:
        number = os.fork()
        if number == 0:
            take(url, path, int(line))
        print(number, flush=True)
        os.waitpid(number, 0)
        print("ended", flush=True)


def take(url: str, path: str, now: int) -> NoReturn:
    config = Config(database_url=url, secret_keys=KEYS, mail_pipe=True, authserv_id=AUTHSERV_ID)
    process_settings.make_known(config)
    store.open_database(url)
    with lmtp.listening(path, InboxDoor(lambda: None, lambda: now), "localhost"):
        while True:
            with store.connected():
                working.work(reading.read, f"taker:{os.getpid()}", now)
            time.sleep(LOOK_EVERY)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
