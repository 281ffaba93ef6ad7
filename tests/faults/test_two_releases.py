"""Two releases at once: the last one before the newest migration serves beside the present one.

Its code comes out of the history of the repository (`git archive`): the newest tag that begins with
a v, or the commit before the newest migration was added. PBEM_PREVIOUS names another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from engine.registry import GAMES
from tests.faults import table
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots
from tests.faults.seating import SEATS, seat_everybody
from tests.faults.test_disk_full import wait_for_moves
from tests.kit.nginx import ROOT

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.slow,
    pytest.mark.timeout(3600),
]

MOVES = 60
KIT = ("tests/__init__.py", "tests/kit/quick_worker.py", "tests/kit/__init__.py")


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def previous_release() -> str:
    """The commit of the release before this one; skipped, with the reason, without a history."""
    if shutil.which("git") is None or not git("rev-parse", "HEAD"):
        pytest.skip("the previous release comes out of the history, and here is none")
    if named := os.environ.get("PBEM_PREVIOUS"):
        return named
    if tag := git("describe", "--tags", "--match", "v*", "--abbrev=0"):
        return tag
    added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", "pbem/db/migrations")
    return f"{added}^"


@pytest.fixture
def previous(tmp_path: Path) -> Path:
    """Its code in a folder."""
    folder, release = tmp_path / "previous", previous_release()
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", release, "engine", "pbem", "templates", "wsgi.py", *KIT],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    return folder


def migrations(folder: Path) -> set[str]:
    return {file.name for file in (folder / "pbem" / "db" / "migrations").glob("0*.py")}


def games_alike(folder: Path) -> list[str]:
    """Those whose rules are the same in both: for new rules the old processes are stopped."""
    return [
        game
        for game in SEATS
        if f"rules_version = {GAMES[game].rules_version}\n"
        in (folder / "engine" / game / "game.py").read_text("utf-8")
    ]


def test_two_releases_serve_one_database(
    postgres_store: str, tmp_path: Path, previous: Path
) -> None:
    """The older one begins on the tables of the newer one, as in a rolling upgrade."""
    run, ledger = table.begin("two releases at once", postgres_store), Ledger()
    seated = seat_everybody(postgres_store, count=16, games=games_alike(previous))
    assert migrations(previous) < migrations(ROOT), "an older release has fewer migrations"
    (tmp_path / "old").mkdir()
    with Mailroom() as mailroom:
        new = Deployment(tmp_path, postgres_store, mailroom.url)
        old = Deployment(
            *(tmp_path / "old", postgres_store, mailroom.url),
            worker="tests.kit.quick_worker",
            cwd=previous,
        )
        mine = Robots(new.port, new.lmtp_port, ledger, run.seed, seated.sheets)
        theirs = Robots(old.port, old.lmtp_port, ledger, run.seed + 1, seated.sheets)
        readers = {0: mine, 1: theirs}
        mailroom.read = lambda letter: readers[len(mailroom.copies) % 2].read(letter)
        with new.running(), old.running(), mine, theirs:
            assert str(previous) in old.loaded_from()
            wait_for_moves(ledger, MOVES)
            time.sleep(2)
            mine.stop()
            theirs.stop()
            settle(postgres_store)
            starts = [one.started for one in (*new.services, *old.services)]
        figures = check(postgres_store, ledger, mailroom)
    table.write(run, 1, figures)

    assert not [*mine.faults, *theirs.faults]
    assert figures.is_clean, figures.faults
    assert starts == [1] * 6
