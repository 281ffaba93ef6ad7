"""A program that wants more than it may have; tests run it in `pbem.services.match.confinement`."""

from __future__ import annotations

import os
import sys
import time

from pbem.services.match.confinement import confine_myself


def main() -> None:
    confine_myself(int(sys.argv[1]), int(sys.argv[2]))
    match sys.stdin.read():
        case "time":
            while True:
                pass
        case "sleep":
            time.sleep(60)
        case "memory":
            hoard = [bytes(1_000_000) for _ in range(2_000)]
            print(len(hoard))
        case "disk":
            with open("/dev/shm/greedy", "wb") as file:
                file.write(b"x")
        case "fault":
            raise RuntimeError("the words of a stranger")
        case "settings":
            print(sorted(name for name in os.environ if name.startswith("PBEM")))


if __name__ == "__main__":
    main()
