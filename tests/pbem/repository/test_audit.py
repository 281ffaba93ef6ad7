"""What can be known of our packages without a network: licences, pins, what fits together."""

from __future__ import annotations

import re
import subprocess
import sys
from email.message import Message

import pytest

from tests.pbem.repository import licences
from tests.pbem.repository.licences import Package, licence_in
from tests.pbem.repository.test_requirements import FILES, ROOT


def test_no_package_has_a_licence_that_we_do_not_allow() -> None:
    refused = {one.name: one.refused for one in licences.deployed() if one.refused}

    assert refused == {}


def test_the_list_of_licences_is_that_of_what_is_installed() -> None:
    assert licences.FILE.read_text("utf-8") == licences.table()


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("MIT", set()),
        ("Apache-2.0 OR GPL-3.0-only", set()),
        ("MIT AND GPL-3.0-only", {"GPL-3.0-only"}),
        ("AGPL-3.0-or-later", {"AGPL-3.0-or-later"}),
        ("SSPL-1.0", {"SSPL-1.0"}),
        ("", {""}),
        ("some words of its own", {"some words of its own"}),
    ],
)
def test_a_licence_that_is_unknown_or_binds_us_is_refused(licence: str, refused: set[str]) -> None:
    assert Package("x", "1", licence).refused == refused


def test_older_ways_to_name_a_licence_are_read() -> None:
    said = Message()
    said["Classifier"] = "License :: OSI Approved"
    said["Classifier"] = "License :: OSI Approved :: MIT License"
    assert licence_in(said) == "MIT"
    said["License"] = "x" * 500
    assert licence_in(said) == "MIT"
    assert licence_in(Message()) == ""


def test_the_packages_of_this_environment_fit_together() -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout


def test_no_pin_is_a_version_before_its_release() -> None:
    pins = [line for file in FILES for line in (ROOT / file).read_text().splitlines()]
    versions = [line.split("==")[1].split(" ")[0] for line in pins]

    assert len(versions) > 100
    assert [one for one in versions if not one.replace(".", "").isdecimal()] == []


# --- OWASP ASVS 5 ---------------------------------------------------------------------------------

SECTIONS = {
    **{1: 5, 2: 4, 3: 7, 4: 4, 5: 4, 6: 8, 7: 6, 8: 4, 9: 2, 10: 7, 11: 7, 12: 3, 13: 4},
    **{14: 3, 15: 4, 16: 5, 17: 3},
}
"""How many sections each chapter has."""


def rows() -> list[list[str]]:
    lines = (ROOT / "deploy" / "asvs.md").read_text("utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| V")]


def test_every_section_of_the_standard_has_a_row() -> None:
    wanted = [
        f"V{chapter}.{one + 1}" for chapter, count in SECTIONS.items() for one in range(count)
    ]

    assert [section for section, _, _ in rows()] == wanted
    assert {state for _, state, _ in rows()} == {"holds", "in part", "deviates", "none"}


def test_what_the_rows_rest_on_is_there() -> None:
    named = [name for _, _, words in rows() for name in re.findall(r"`([\w./-]+/[\w.-]+)`", words)]
    files = [name for name in named if not name.startswith("/")]

    assert len(files) > 40
    assert [name for name in files if not (ROOT / name).exists()] == []
