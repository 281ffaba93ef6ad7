"""libfaketime: processes whose wall clock somebody sets; other clocks go on as they do."""

from __future__ import annotations

from pathlib import Path

DEBIAN = Path("/usr/lib")


def library() -> Path | None:
    return next(iter(sorted(DEBIAN.glob("*/faketime/libfaketimeMT.so.1"))), None)


def why_not() -> str | None:
    return None if library() else "no libfaketime on this machine (Debian: faketime)"


class SetClock:
    """A wall clock that is so many seconds off; processes look at it whenever they ask the time."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, seconds: int) -> None:
        """Off by so much from now on."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{seconds:+d}\n")
        fresh.rename(self.file)

    @property
    def environ(self) -> dict[str, str]:
        """For the processes that go by it."""
        return {
            "LD_PRELOAD": str(library()),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1",
        }
