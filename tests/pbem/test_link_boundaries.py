"""Links at their edges: how long a token may be, and when a file of keys has changed."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from pbem.links import Links, TurnLink, is_canonical

OLD, NEW = "o" * 64, "n" * 64
TURN = TurnLink("abcdefghjk", 1, 77, 1_800_000_000)
SIGNATURE = "A" * 43


@pytest.mark.parametrize(
    ("length", "fits"), [(7, False), (8, True), (239, True), (240, True), (242, False)]
)
def test_a_payload_has_eight_to_two_hundred_and_forty_letters(length: int, fits: bool) -> None:
    assert is_canonical(f"{'A' * length}.{SIGNATURE}") is fits


@pytest.mark.parametrize(("length", "fits"), [(42, False), (43, True), (44, False)])
def test_a_signature_has_forty_three_letters(length: int, fits: bool) -> None:
    assert is_canonical(f"{'A' * 8}.{'A' * length}") is fits


def test_the_newest_key_signs() -> None:
    signed = Links((OLD, NEW), "").sign("turn", TURN)
    assert Links((NEW,), "").read("turn", signed) == TURN
    assert Links((OLD,), "").read("turn", signed) is None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Of keys, written at the first second of all."""
    file = tmp_path / "keys"
    file.write_text(OLD)
    os.utime(file, ns=(0, 0))
    return file


def write_at(file: Path, text: str, at: int) -> None:
    file.write_text(text)
    os.utime(file, ns=(at, at))


def test_keys_of_the_same_length_in_the_same_file_are_noticed_by_its_time(file: Path) -> None:
    links = Links((OLD,), "", file)
    assert links.keys == (OLD,)
    write_at(file, NEW, 1)
    assert links.keys == (NEW,)


def test_keys_of_the_same_time_in_the_same_file_are_noticed_by_its_length(file: Path) -> None:
    links = Links((OLD,), "", file)
    assert len(links.keys) == 1
    write_at(file, f"{OLD} {NEW}", 0)
    assert len(links.keys) == 2


def test_keys_of_the_same_time_and_length_are_noticed_when_the_file_is_another(
    file: Path, tmp_path: Path
) -> None:
    links = Links((OLD,), "", file)
    assert links.keys == (OLD,)
    other = tmp_path / "other"
    write_at(other, NEW, 0)
    other.replace(file)
    assert links.keys == (NEW,)


def test_a_file_that_cannot_be_used_is_complained_of_once(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    links = Links((OLD,), "", file)
    write_at(file, "short", 1)
    with caplog.at_level(logging.ERROR):
        assert [links.keys for _ in range(3)] == [(OLD,)] * 3

    assert [record.getMessage() for record in caplog.records] == [
        "the keys stay as they were: PBEM_SECRET_KEYS holds a key of under 32 characters"
    ]
