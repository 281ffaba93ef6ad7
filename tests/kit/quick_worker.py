"""`pbem worker`, which looks ten times as often what there is to do: nobody waits for a clock.

python -m tests.kit.quick_worker
"""

from __future__ import annotations

from pbem.cli import pbem
from pbem.worker import Rhythm

if __name__ == "__main__":
    pbem(["worker"], obj=Rhythm(drain=0.2, play=0.5))
