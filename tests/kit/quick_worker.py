"""`pbem worker`, which looks ten times as often what there is to do: nobody waits for a clock.

python -m tests.kit.quick_worker
"""

from __future__ import annotations

from pbem import worker
from pbem.cli import pbem

if __name__ == "__main__":
    worker.DRAIN_SECONDS = {"development": 0.2, "production": 0.2}  # type: ignore[dict-item]
    worker.PLAY_SECONDS = 0.5  # type: ignore[assignment]
    pbem(["worker"])
