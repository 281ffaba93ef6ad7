"""A small disk: a file system in memory that can be filled to the last byte."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from types import TracebackType

PIECE = 64 * 1024


def why_not() -> str | None:
    if os.getuid() != 0 or shutil.which("mount") is None:
        return "only root can mount a small disk"
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True)
    return None if done.returncode == 0 else "this machine does not let root mount"


class SmallDisk:
    """A mounted file system; leaving the `with` block takes it away with all on it."""

    def __init__(self, folder: Path, megabytes: int) -> None:
        self.folder, self._megabytes = folder, megabytes
        self._filler = folder / "filler"

    def __enter__(self) -> SmallDisk:
        self.folder.mkdir()
        size = f"size={self._megabytes}m,mode=700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "pbem", self.folder], check=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    def fill(self) -> None:
        """Leave no byte free."""
        with self._filler.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * PIECE)

    def make_room(self) -> None:
        self._filler.unlink(missing_ok=True)
