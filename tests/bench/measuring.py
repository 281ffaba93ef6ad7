"""Two things measured side by side: turn about in one run, since machines are noisy."""

from __future__ import annotations

import gc
from collections.abc import Callable
from math import isnan
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

ROUNDS = 7


class Ratio(NamedTuple):
    """How often ours does its work while the yardstick does its own once."""

    what: str
    ours: float
    yardstick: float
    wall: float
    cpu: float
    """Not a number where the work is done by processes that are not watched."""
    aim: str


class Spent(NamedTuple):
    """Work done in a stretch of time, each unit of it in seconds."""

    wall: float
    cpu: float


def compare(
    what: str,
    ours: Callable[[], int],
    yardstick: Callable[[], int],
    aim: str,
    rounds: int = ROUNDS,
    cpu: Callable[[], float] = process_time,
    prepare: Callable[[], object] | None = None,
) -> Ratio:
    """Median of the ratios of neighbouring stretches; each callable returns how much it did.

    `cpu` is the clock of processor time, where the work is done by another process. What must be
    there before each pair of stretches, and does not count, `prepare` brings about.
    """
    pairs = []
    for _ in range(rounds):
        if prepare is not None:
            prepare()
        pairs.append((_spend(ours, cpu), _spend(yardstick, cpu)))
    return Ratio(
        what,
        median(mine.wall for mine, _ in pairs),
        median(other.wall for _, other in pairs),
        median(other.wall / mine.wall for mine, other in pairs),
        median(other.cpu / mine.cpu for mine, other in pairs),
        aim,
    )


def _spend(work: Callable[[], int], cpu: Callable[[], float]) -> Spent:
    gc.collect()
    used, began = cpu(), perf_counter()
    done = work()
    wall = perf_counter() - began
    return Spent(wall / done, (cpu() - used) / done)


def report(ratios: list[Ratio]) -> str:
    """A Markdown table; a ratio above 1 means that ours is the faster one."""
    lines = [
        "| what | ours | yardstick | ratio (wall) | ratio (CPU) | aim |",
        "|---|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {r.what} | {r.ours * 1e6:.1f} us | {r.yardstick * 1e6:.1f} us"
        f" | {r.wall:.2f} | {'' if isnan(r.cpu) else f'{r.cpu:.2f}'} | {r.aim} |"
        for r in ratios
    ]
    return "\n".join(lines) + "\n"
