"""A process that works on the files of strangers takes no more than it may, whatever they hold."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pbem.errors import Busy, Refused
from pbem.services.match import confinement
from pbem.services.match.confinement import Limits

GREEDY = "tests.kit.greedy"
FEW = Limits(seconds=2, cpu_seconds=1)


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path)


@pytest.mark.whole
@pytest.mark.parametrize("want", ["time", "sleep", "memory", "disk"])
def test_a_greedy_process_is_ended_and_refused(place: str, want: str) -> None:
    begun = time.monotonic()
    with pytest.raises(Refused, match="takes more time or memory than this server allows"):
        confinement.run(GREEDY, want.encode(), place, FEW)

    assert time.monotonic() - begun < 5
    assert confinement.run(GREEDY, b"", place, FEW) == b"", "the next one has its turn"


def test_what_breaks_there_is_logged_without_the_words_of_strangers(
    place: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(Refused):
        confinement.run(GREEDY, b"fault", place, FEW)

    assert [record.getMessage() for record in caplog.records] == [
        "tests.kit.greedy broke off with status 1"
    ]


def test_no_setting_reaches_the_process(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_SECRET_KEYS", "k" * 64)

    assert confinement.run(GREEDY, b"settings", place) == b"[]\n"


def test_there_is_one_at_a_time_among_all_processes_of_a_server(place: str) -> None:
    hold = "import sys, time; from pbem.services.match.confinement import alone\n"
    hold += "with alone(sys.argv[1]): print('held', flush=True); time.sleep(60)"
    command = [sys.executable, "-c", hold, place]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(Busy, match="try again in ten seconds"):
            confinement.run(GREEDY, b"", place)
        assert confinement.run(GREEDY, b"", f"{place}/of another server") == b""
        other.kill()

    assert confinement.run(GREEDY, b"", place) == b"", "who dies holds up nobody"
