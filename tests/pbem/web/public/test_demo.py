"""`make run`: a real process on a fresh machine, from start to a clean end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[4]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


ALL_LETTERS = 2 + 4
"""Of each match of the demo: that it has begun to everybody, and one turn."""


class Demo:
    """A running `pbem demo`; leaving the `with` block ends it, and nothing of it is left open."""

    def __init__(self, folder: Path, port: int) -> None:
        self.site = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pbem.cli", "demo", "--port", str(port)],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def get(self, path: str) -> str:
        with urlopen(self.site + path, timeout=20) as answer:
            return str(answer.read().decode())

    def wait(self) -> None:
        patience = time.monotonic() + 60
        while True:
            try:
                assert '"ok":true' in self.get("/healthz")
                return
            except URLError:
                assert self.process.poll() is None, self.process.communicate()[0]
                assert time.monotonic() < patience, "the demo does not start"
                time.sleep(0.1)

    def letters(self, count: int) -> list[str]:
        patience = time.monotonic() + 30
        while True:
            found = re.findall(r'href="(/dev/mailbox/[^"]+)"', self.get("/dev/mailbox"))
            if len(found) >= count:
                return found
            assert time.monotonic() < patience, "the letters do not come"
            time.sleep(0.1)

    def stop(self, sign: int = signal.SIGTERM) -> tuple[int, str]:
        self.process.send_signal(sign)
        output, _ = self.process.communicate(timeout=30)
        return self.process.returncode, output


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[Demo]:
    with Demo(tmp_path, free_port()) as running:
        yield running


@pytest.mark.whole
def test_a_fresh_machine_ends_in_a_match_with_its_first_letters(demo: Demo, tmp_path: Path) -> None:
    demo.wait()
    letters = [unescape(demo.get(path)) for path in demo.letters(ALL_LETTERS)]
    letter = next(one for one in letters if "X-PBEM-Kind: turn" in one)
    (turn_page,) = set(re.findall(rf'href="{demo.site}(/t/[^"]+)"', letter))

    assert len(letters) == ALL_LETTERS
    assert 'id="orders"' in demo.get(turn_page)
    status, output = demo.stop()
    assert status == 0, output
    assert f"{demo.site}/dev/mailbox" in output
    assert "Traceback" not in output
    assert (tmp_path / "var" / "pbem.db").is_file()
    assert turn_page.rpartition("/")[2] not in output, "no token on the terminal"


@pytest.mark.whole
def test_the_second_start_finds_the_same_match(demo: Demo, tmp_path: Path) -> None:
    demo.wait()
    before = demo.letters(ALL_LETTERS)
    assert demo.stop(signal.SIGINT)[0] == 0
    with Demo(tmp_path, free_port()) as again:
        again.wait()
        time.sleep(3)  # the worker has looked at least once
        assert again.letters(ALL_LETTERS) == before
        assert again.stop()[0] == 0


@pytest.mark.whole
def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        Demo(tmp_path, listener.getsockname()[1]) as taken,
    ):
        output, _ = taken.process.communicate(timeout=60)

    assert taken.process.returncode == 2
    assert re.fullmatch(r"pbem: port \d+ cannot be used: Address already in use.*\n", output)
