"""A worker process that only ticks: `python -m tests.kit.ticking URL NOW START TICKS`.

It waits for a moment of the wall clock, so that several begin together, and prints what it did.
"""

from __future__ import annotations

import sys
import time

from pbem.db import store
from pbem.services.operations.ticking import Ticker
from pbem.services.time.alarms import Rung


def main(url: str, now: int, start: float, ticks: int) -> None:
    store.open_database(url)
    with store.connected():
        ticker, total = Ticker(), Rung()
        time.sleep(max(0.0, start - time.time()))
        for number in range(ticks):
            total += ticker.tick(now, float(number)).rung
    print(total.reminded, total.late, total.timed_out)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
