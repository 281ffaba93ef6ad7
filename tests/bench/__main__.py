"""Run every benchmark, print the ratios, and write them to var/bench.md.

python -m tests.bench [engine_speed.decisions ...]     # only those that are named
"""

from __future__ import annotations

import sys
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
    many_at_once,
    moves,
    pages,
    posting,
    presses,
    server_growth,
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
    many_at_once.on_sqlite,
    many_at_once.on_postgres,
    long_matches.growth,
    server_growth.growth,
    due_rows.finding,
    due_rows.handling,
    lists.lists,
)
TABLE = Path("var/bench.md")


def main() -> None:
    """All of them, or those that are named; what was measured is written down each time."""
    TABLE.parent.mkdir(exist_ok=True)
    named, ratios = sys.argv[1:], list[Ratio]()
    for benchmark in BENCHMARKS:
        name = f"{benchmark.__module__.rpartition('.')[2]}.{benchmark.__name__}"
        if not named or name in named:
            measured = benchmark()
            print(report(measured), flush=True)
            ratios += measured
            TABLE.write_text(report(ratios), "utf-8")
    print(f"all of it is written to {TABLE}")


if __name__ == "__main__":
    main()
