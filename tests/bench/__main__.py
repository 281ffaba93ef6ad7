"""Run every benchmark, print the ratios, and write them to var/bench.md."""

from __future__ import annotations

from pathlib import Path

from tests.bench import (
    due_rows,
    east_and_west,
    engine_speed,
    handing_over,
    large_letters,
    letters,
    lists,
    long_matches,
    moves,
    pages,
    posting,
    presses,
)
from tests.bench.measuring import Ratio, report

BENCHMARKS = (
    engine_speed.decisions,
    engine_speed.letters,
    east_and_west.decisions,
    east_and_west.storing,
    east_and_west.growth,
    east_and_west.exact_odds,
    moves.moves,
    posting.posts,
    presses.presses,
    pages.pages,
    letters.building,
    letters.draining,
    handing_over.handing_over,
    large_letters.letters_to_four,
    long_matches.growth,
    due_rows.finding,
    due_rows.handling,
    lists.lists,
)
TABLE = Path("var/bench.md")


def main() -> None:
    ratios: list[Ratio] = [ratio for benchmark in BENCHMARKS for ratio in benchmark()]
    table = report(ratios)
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(table, "utf-8")
    print(table)
    print(f"written to {TABLE}")


if __name__ == "__main__":
    main()
