"""Two things measured side by side: turn about in one run, since machines are noisy."""

from __future__ import annotations

import gc
from collections.abc import Callable
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
    aim: str


class Spent(NamedTuple):
    """Work done in a stretch of time, each unit of it in seconds."""

    wall: float
    cpu: float


def compare(
    what: str, ours: Callable[[], int], yardstick: Callable[[], int], aim: str, rounds: int = ROUNDS
) -> Ratio:
    """Median of the ratios of neighbouring stretches; each callable returns how much it did."""
    pairs = []
    for _ in range(rounds):
        pairs.append((_spend(ours), _spend(yardstick)))
    return Ratio(
        what,
        median(mine.wall for mine, _ in pairs),
        median(other.wall for _, other in pairs),
        median(other.wall / mine.wall for mine, other in pairs),
        median(other.cpu / mine.cpu for mine, other in pairs),
        aim,
    )


def _spend(work: Callable[[], int]) -> Spent:
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    done = work()
    return Spent((perf_counter() - wall) / done, (process_time() - cpu) / done)


def report(ratios: list[Ratio]) -> str:
    """A Markdown table; a ratio above 1 means that ours is the faster one."""
    lines = [
        "| what | ours | yardstick | ratio (wall) | ratio (CPU) | aim |",
        "|---|---:|---:|---:|---:|---|",
    ]
    lines += [
        f"| {r.what} | {r.ours * 1e6:.1f} us | {r.yardstick * 1e6:.1f} us"
        f" | {r.wall:.2f} | {r.cpu:.2f} | {r.aim} |"
        for r in ratios
    ]
    return "\n".join(lines) + "\n"
