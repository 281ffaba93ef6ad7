"""Without a browser its tests are left out and said so, or fail where they are required."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def run_browser_tests_without_a_browser(require: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": "/nowhere", "PBEM_REQUIRE": require}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "browser"]
    return subprocess.run(
        [*command, "tests/pbem/web/shared/test_pages_in_a_browser.py"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.whole
def test_browser_tests_are_left_out_and_the_summary_says_so() -> None:
    run = run_browser_tests_without_a_browser(require="")

    assert run.returncode == 0
    assert "tests: no chromium on this machine" in run.stdout
    assert " passed" not in run.stdout


@pytest.mark.whole
def test_required_browser_tests_fail_instead() -> None:
    run = run_browser_tests_without_a_browser(require="browser")

    assert run.returncode == 1
    assert "no chromium on this machine, and PBEM_REQUIRE says browser" in run.stdout
    assert " skipped" not in run.stdout


@pytest.mark.whole
def test_requiring_what_nobody_knows_is_refused() -> None:
    run = run_browser_tests_without_a_browser(require="brwser")

    assert run.returncode == 4
    assert "PBEM_REQUIRE names ['brwser']" in run.stderr


@pytest.mark.whole
def test_the_summary_names_what_was_not_asked_for() -> None:
    chosen = "not slow and not browser and not postgres and not whole"
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", chosen]
    run = subprocess.run(
        [*command, "tests/pbem/web/shared/test_pages_in_a_browser.py"],
        cwd=ROOT,
        env={**os.environ, "PBEM_POSTGRES_SHARE": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )

    assert run.returncode == 5, "all of them are in a browser"
    said = [line for line in run.stdout.splitlines() if line.startswith("left out: ")]
    assert said == [
        "left out: the slow tests; `make faults` runs them",
        "left out: the tests in a browser; `make test` runs them",
        "left out: the tests with PostgreSQL; `make test` runs them",
        "left out: the tests that play whole matches or take long; `make test` runs them",
    ]
    assert chosen in (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.whole
def test_of_the_tests_on_both_stores_a_share_can_be_left_out() -> None:
    told = {}
    for share in ("1", "3", "none"):
        run = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "--collect-only",
                "tests/services/test_store.py",
            ],
            cwd=ROOT,
            env={**os.environ, "PBEM_POSTGRES_SHARE": share},
            capture_output=True,
            text=True,
            timeout=100,
        )
        told[share] = run.stdout + run.stderr
    counts = {share: out.count("[postgres]") for share, out in told.items()}

    assert counts["1"] > counts["3"] > 0
    assert "left out: on PostgreSQL, all but one in 3 of the tests" in told["3"]
    assert "left out" not in told["1"]
    assert told["1"].count("[sqlite]") == told["3"].count("[sqlite]") == counts["1"]
    assert "it may be 1 (all), 2, 3" in told["none"]
