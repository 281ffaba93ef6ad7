"""`pbem worker` in a hurry: it looks often, and what a dead worker had claimed is free sooner.

python -m tests.faults.hasty_worker

A worker that is killed keeps its letters for a minute; with two hundred kills that is most of a
test. Twenty seconds are still far longer than composing and handing over a batch takes.
"""

from __future__ import annotations

from pbem.services.inbox import working
from pbem.services.letters import claims

LEASE = 20

claims.LEASE = working.LEASE = LEASE  # before those are imported that take it from there

if __name__ == "__main__":
    from pbem.cli import pbem
    from pbem.services.letters import delivery, leases
    from pbem.worker import Rhythm

    assert vars(delivery)["LEASE"] == vars(leases)["LEASE"] == LEASE
    pbem(["worker"], obj=Rhythm(drain=0.2, play=0.5, work=0.2))
