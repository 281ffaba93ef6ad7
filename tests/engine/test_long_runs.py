"""Ten thousand random matches of each edition: they end, replay, and keep their secrets."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import pytest

from engine.registry import GAMES
from engine.terminal.rehearsal import Plan, rehearse

MATCHES = 10_000
WORKERS = 2


def rehearse_some(edition: str, start: int, stop: int) -> int:
    plan = Plan(GAMES["iron_curtain"], {"edition": edition}, stop, "long run", checked=True)
    return sum(bool(rehearse(plan, number).winners) for number in range(start, stop))


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["en", "de", "fr"])
def test_ten_thousand_random_matches_of_an_edition(edition: str) -> None:
    stretches = [(edition, start, start + 500) for start in range(0, MATCHES, 500)]
    with ProcessPoolExecutor(WORKERS) as pool:
        over = pool.map(rehearse_some, *zip(*stretches, strict=True))
        assert sum(over) == MATCHES
