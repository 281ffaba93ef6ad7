"""A mail that takes too much ends the child that reads it, and nothing else."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from pbem.incoming import child
from pbem.incoming.child import ChildReader, ReaderLost
from pbem.incoming.mails import Unreadable
from tests.kit.replies_corpus import SHAPES, written
from tests.pbem.incoming.letters import READER, our_letter

MAIL = b"From: ann@post.example\r\nSubject: Re: turn\r\n\r\ncoup iran\r\n"
TROUBLED = """
import sys, time
from multiprocessing.connection import Connection
from pbem.incoming import child, reading
read = reading.read

def troubled(raw, *rest):
    if b"burn" in raw:
        while True:
            pass
    if b"hog" in raw:
        hoard = bytearray(150 * 1024 * 1024)
    if b"crash" in raw:
        raise SystemExit
    if b"sleep" in raw:
        time.sleep(60)
    return read(raw, *rest)

reading.read = troubled
child.serve(Connection(int(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def reader() -> Iterator[ChildReader]:
    with closing(ChildReader()) as reader:
        yield reader


@pytest.fixture(scope="module")
def troubled() -> Iterator[ChildReader]:
    """Reads as usual, but for some words in a mail."""
    with closing(ChildReader((sys.executable, "-c", TROUBLED))) as reader:
        yield reader


def child_of(reader: ChildReader) -> int:
    assert reader._child is not None
    return reader._child.pid


def test_a_child_reads_many_mails(reader: ChildReader) -> None:
    mail = reader.read(MAIL, READER, "")
    number = child_of(reader)
    for shape in SHAPES[::40]:
        words = reader.read(written(shape, our_letter(), ["1"]), READER, "").own_words
        assert words == ("1",)
    assert mail.own_words == ("coup iran",)
    assert child_of(reader) == number


def test_what_cannot_be_read_is_said_and_the_child_goes_on(reader: ChildReader) -> None:
    reader.read(MAIL, READER, "")
    number = child_of(reader)
    with pytest.raises(Unreadable, match="over 20,000 lines"):
        reader.read(MAIL + b"\n" * 30_000, READER, "")
    assert reader.read(MAIL, READER, "").sender == READER
    assert child_of(reader) == number


@pytest.mark.whole
@pytest.mark.parametrize("word", [b"burn", b"hog", b"crash"])
def test_too_much_ends_the_child_and_the_next_mail_has_another(
    troubled: ChildReader, word: bytes
) -> None:
    troubled.read(MAIL, READER, "")
    number, used = child_of(troubled), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with pytest.raises(ReaderLost):
        troubled.read(MAIL + word, READER, "")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    assert spent < child.MOST_CPU + 1  # and what starting has taken
    assert troubled.read(MAIL, READER, "").own_words == ("coup iran",)
    assert child_of(troubled) != number


def test_nobody_waits_for_a_child_that_does_nothing(
    troubled: ChildReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    troubled.read(MAIL, READER, "")
    monkeypatch.setattr(child, "MOST_SECONDS", 0.2)
    begun = time.monotonic()
    with pytest.raises(ReaderLost, match="in time"):
        troubled.read(MAIL + b"sleep", READER, "")
    assert time.monotonic() - begun < 20


def test_a_child_ends_with_its_parent() -> None:
    reader = ChildReader()
    reader.read(MAIL, READER, "")
    with closing(reader):
        assert reader._way is not None and reader._child is not None
        reader._way.close()  # as when the parent is killed
        assert reader._child.wait(30) == 0


def test_a_child_knows_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBEM_KEYS", "secret")
    assert set(child._environment()) == {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}


def test_a_mail_that_is_too_large_is_not_even_handed_over() -> None:
    reader = ChildReader()
    with pytest.raises(Unreadable, match="256 kB"):
        reader.read(b"x" * 5_000_000, READER, "")
    assert reader._child is None
