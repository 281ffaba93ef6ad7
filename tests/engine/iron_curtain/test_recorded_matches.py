"""The engine goes through recorded matches as the engine did that recorded them."""

from __future__ import annotations

import pytest

from tests.engine.iron_curtain.recording import FILE, MATCHES, recorded

LINES = FILE.read_text("utf-8").splitlines()
FEW = 30
"""Matches that are looked at whenever tests run."""


def test_every_match_is_there() -> None:
    assert [line.split()[0] for line in LINES] == [str(number) for number in range(MATCHES)]
    assert len({line.split()[2] for line in LINES}) == MATCHES


@pytest.mark.parametrize("number", range(FEW))
def test_a_match_goes_as_recorded(number: int) -> None:
    assert recorded(number) == LINES[number]


@pytest.mark.whole
@pytest.mark.parametrize("number", range(FEW, MATCHES))
def test_another_match_goes_as_recorded(number: int) -> None:
    assert recorded(number) == LINES[number]
