"""The golden letters, which are read like a book."""

from __future__ import annotations

import re
from email.message import EmailMessage
from unittest.mock import patch

import pytest

from pbem.config import templates_folder
from pbem.db import store
from pbem.mail import pictures
from pbem.services.letters.kinds.registry import KINDS
from tests.mail.golden import FOLDER, golden_letters, shown
from tests.mail.reading import Golden

pytestmark = pytest.mark.whole


def test_letters_are_as_they_were_read(book: list[Golden]) -> None:
    """Write them anew with `python -m tests.mail.golden`, and read the difference."""
    for one in book:
        kept = FOLDER / f"{one.name}.txt"
        assert kept.exists(), f"{one.name} was never read"
        assert shown(one.letter) == kept.read_text("utf-8"), one.name


def test_every_golden_letter_is_still_made(named: dict[str, EmailMessage]) -> None:
    assert sorted(named) == sorted(path.stem for path in FOLDER.glob("*.txt"))


def test_every_kind_is_among_them(book: list[Golden]) -> None:
    assert {one.kind for one in book} == set(KINDS)


def test_every_kind_is_a_folder_of_three_files() -> None:
    emails = templates_folder() / "emails"
    folders = {path.name for path in emails.iterdir() if path.is_dir()} - {"_base"}

    assert folders == set(KINDS)
    moods = {path for kind in KINDS for path in (emails / kind).iterdir() if path.is_dir()}
    assert {str(path.relative_to(emails)) for path in moods} == {
        "message/draw",
        "message/no_draw",
        "reply/asked",
        "turn/briefed",
        "turn/inquiry",
    }
    for folder in {emails / kind for kind in KINDS} | moods:
        files = {path.name for path in folder.iterdir() if path not in moods}
        assert files == {"subject.txt", "body.txt", "body.html"}


@pytest.mark.postgres
def test_on_postgres_they_are_the_same(postgres_store: str) -> None:
    """Without maps, which are drawn of what the letters say."""
    store.open_database(postgres_store)
    with store.connected(), patch.object(pictures, "png", lambda *_, **__: None):
        made = golden_letters()

    assert {name: without_ids(shown(letter)) for name, letter in made.items()} == {
        path.stem: without_ids(path.read_text("utf-8")) for path in FOLDER.glob("*.txt")
    }


def without_ids(text: str) -> str:
    """PostgreSQL counts rows that were not kept, too: ids differ, and what is made of them."""
    text = re.sub(r"(https://play\.example/[\w/-]*)/\S+", r"\1", text)
    text = re.sub(r"(code word|Codewort|mot de code\s?): \w{5}\b", r"\1", text)
    return re.sub(r"\S+@play\.example", "@play.example", text)
