"""The figures of `make faults`: one row for each fault, in a file and at the end of the run."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path
from typing import NamedTuple

from tests.faults.checking import Figures
from tests.kit.nginx import ROOT

FILE = Path(os.environ.get("PBEM_FAULTS_TABLE", ROOT / "build" / "faults.md"))
HEAD = (
    *("fault", "database", "seed", "instants", "acknowledged"),
    *("lost", "half-applied", "doubled", "wrongful", "seconds"),
)


class Run(NamedTuple):
    """A fault that is tried: what, on what, from which seed, since when."""

    fault: str
    database: str
    seed: int
    begun: float


def begin(fault: str, url: str) -> Run:
    """Choose a seed, or take that of PBEM_SEED, and say so."""
    seed = int(os.environ.get("PBEM_SEED") or secrets.randbelow(1_000_000))
    run = Run(
        fault, "PostgreSQL" if url.startswith("postgres") else "SQLite", seed, time.monotonic()
    )
    print(f"\n{fault} on {run.database}: PBEM_SEED={seed}")
    return run


def write(run: Run, instants: int, figures: Figures) -> None:
    """Add a row; the file has its head from the first one on."""
    seconds = round(time.monotonic() - run.begun)
    values = [
        *(run.fault, run.database, run.seed, instants, figures.acknowledged, figures.lost),
        *(figures.half_applied, figures.doubled, figures.wrongful, seconds),
    ]
    line = f"| {' | '.join(str(value) for value in values)} |\n"
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with FILE.open("a") as file:
        if file.tell() == 0:
            file.write(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}\n")
        file.write(line)
    print(line, end="")
    for words in figures.faults:
        print(f"  {words}")
