"""Threads that meet while a position is read for the first time: msgspec would crash them all."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.chance import QuickDice
from engine.registry import GAMES

MEETING = """
import sys, threading
from engine.registry import GAMES
sys.setswitchinterval(1e-6)
game, text = GAMES[sys.argv[1]], sys.stdin.read()
begin = threading.Barrier(8)
def read():
    begin.wait()
    game.load(text)
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
PROCESSES = 5
"""Without `engine.core.examine` each one of Iron Curtain crashes with a chance of one half."""


@pytest.mark.whole
@pytest.mark.parametrize("game", GAMES)
def test_a_position_is_read_for_the_first_time_by_many(game: str) -> None:
    text = GAMES[game].dump(GAMES[game].new_game({}, QuickDice(b"first")).state)
    for _ in range(PROCESSES):
        command = [sys.executable, "-c", MEETING, game]
        assert subprocess.run(command, input=text, text=True).returncode == 0
