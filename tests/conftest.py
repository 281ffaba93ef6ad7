"""What all tests share: which ones this machine can run, and saying which were left out."""

import os
import shutil
from collections import Counter

import pytest

REQUIRABLE = {"browser"}


def chromium() -> str | None:
    """The path of a chromium on this machine."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def required() -> set[str]:
    """The kinds of test that `PBEM_REQUIRE` says must not be left out."""
    words = set(os.environ.get("PBEM_REQUIRE", "").replace(",", " ").split())
    if words - REQUIRABLE:
        raise pytest.UsageError(
            f"PBEM_REQUIRE names {sorted(words - REQUIRABLE)}; it may name {sorted(REQUIRABLE)}"
        )
    return words


def pytest_configure() -> None:
    required()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") is None or chromium():
        return
    if "browser" in required():
        pytest.fail("no chromium on this machine, and PBEM_REQUIRE says browser", pytrace=False)
    pytest.skip("no chromium on this machine")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.items():
        terminalreporter.write_line(f"left out: {count} tests: {reason}")
    if config.option.markexpr == "not slow":
        terminalreporter.write_line("left out: the slow tests; `make faults` runs them")
