"""The pins install from any index: they name none."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[0-9][0-9.a-z]*)(?P<marker> ; .+)?")
BENCH = "tests/bench/requirements.txt"
FILES = ["deploy/requirements.txt", "tests/requirements.txt", BENCH]


def pins(file: str) -> dict[str, str]:
    """The pinned version of each package; every line must be nothing but a pin."""
    found = {}
    for line in (ROOT / file).read_text().splitlines():
        match = PIN.fullmatch(line)
        assert match, f"{file}: {line!r} is not a plain pin"
        found[match["name"]] = match["version"]
    return found


@pytest.mark.parametrize("file", FILES)
def test_every_line_is_a_pin_and_names_no_address(file: str) -> None:
    assert pins(file)
    assert "://" not in (ROOT / file).read_text()


def test_tests_run_on_the_versions_that_are_deployed() -> None:
    assert pins("deploy/requirements.txt").items() <= pins("tests/requirements.txt").items()


def test_benchmarks_and_tests_share_their_versions() -> None:
    tests, bench = pins("tests/requirements.txt"), pins(BENCH)
    shared = tests.keys() & bench.keys()

    assert {name: bench[name] for name in shared} == {name: tests[name] for name in shared}


@pytest.mark.parametrize(
    ("file", "groups"), [(FILES[0], []), (FILES[1], ["test", "lint", "mutation"])]
)
def test_everything_asked_for_is_pinned(file: str, groups: list[str]) -> None:
    product = names(project()["project"]["dependencies"])

    assert product | names_of_groups(groups) <= pins(file).keys()


def test_the_yardsticks_are_pinned_for_the_benchmarks_alone() -> None:
    yardsticks = names_of_groups(["bench"])

    assert yardsticks <= pins(BENCH).keys()
    assert not yardsticks & pins("tests/requirements.txt").keys()


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def names_of_groups(groups: list[str]) -> set[str]:
    return {name for group in groups for name in names(project()["dependency-groups"][group])}


def names(asked: list[str]) -> set[str]:
    return {re.split(r"[\[<>=~ ]", line)[0] for line in asked}


def test_this_environment_runs_the_deployed_versions() -> None:
    wanted = pins("deploy/requirements.txt")

    assert {name: version(name) for name in wanted} == wanted
