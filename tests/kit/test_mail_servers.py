"""The mail servers of the tests end with them, and leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.kit.dovecot import DovecotServer
from tests.kit.postfix import PostfixServer
from tests.kit.smtp_sink import self_signed

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.mailserver, pytest.mark.whole]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_server_is_gone_afterwards(tmp_path: Path) -> None:
    certificate = self_signed(tmp_path)
    assert certificate is not None, "no openssl on this machine"
    with PostfixServer(1) as postfix, DovecotServer(certificate) as dovecot:
        pids = [postfix.pid, dovecot.pid]
        folders = [postfix.folder, dovecot.folder]
        assert all(map(is_running, pids))

    assert not any(map(is_running, pids))
    assert not any(folder.exists() for folder in folders)


def test_a_server_ends_with_the_tests_that_are_killed() -> None:
    code = (
        "import os, signal\n"
        "from tests.kit.postfix import PostfixServer\n"
        "with PostfixServer(1) as server:\n"
        "    print(server.pid, server.folder, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    pid, folder = done.stdout.split()
    patience = time.monotonic() + 20
    while is_running(int(pid)) and time.monotonic() < patience:
        time.sleep(0.05)
    subprocess.run(["rm", "-rf", folder], check=True)

    assert not is_running(int(pid))
