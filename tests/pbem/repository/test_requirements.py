"""The pins install from any index: they name none."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9-]*)==(?P<version>[0-9][0-9.a-z]*)(?P<marker> ; .+)?")
FILES = ["deploy/requirements.txt", "tests/requirements.txt"]


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


@pytest.mark.parametrize(
    ("file", "groups"), [(FILES[0], []), (FILES[1], ["test", "lint", "mutation"])]
)
def test_everything_asked_for_is_pinned(file: str, groups: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = list(project["project"]["dependencies"])
    for group in groups:
        asked += project["dependency-groups"][group]
    names = {re.split(r"[\[<>=~ ]", line)[0] for line in asked}

    assert names <= pins(file).keys()


def test_this_environment_runs_the_deployed_versions() -> None:
    wanted = pins("deploy/requirements.txt")

    assert {name: version(name) for name in wanted} == wanted
