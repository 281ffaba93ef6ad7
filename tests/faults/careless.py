"""A server that does not wait for the disk: `synchronous=OFF`, which pbem itself refuses.

The control of the power cuts: if its moves are not seen to be lost, the test sees nothing.
`tests.faults.careless:app` is its web process, `python -m tests.faults.careless` its worker.
"""

from __future__ import annotations

from typing import Any

from pbem.db import store

store.PRAGMAS["synchronous"] = 0
store.check_durability = lambda: None


def __getattr__(name: str) -> Any:
    """The web process, made when gunicorn asks for it."""
    if name != "app":
        raise AttributeError(name)
    from pbem.app import from_env

    return from_env()


if __name__ == "__main__":
    from pbem.cli import pbem
    from pbem.worker import Rhythm

    pbem(["worker"], obj=Rhythm(drain=0.2, play=0.5, work=0.2))
