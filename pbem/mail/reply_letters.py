"""What letters say that answer a reply, as `letters` does."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from pbem.mail.parts import Board, ChoiceGroup, Deadline, Happening, Reader, Table
from pbem.mail.rendering import ComposedLetter, compose


class Answer(Struct, frozen=True):
    """What became of a reply."""

    what: str
    """sent, drafted, undone, done, looked, refused or unclear"""
    lines: tuple[str, ...]
    """Of the reply."""
    reason: str = ""
    """Why nothing was done."""
    trouble: str = ""
    """What is unclear; see `pbem.incoming.requests`."""
    at: str = ""
    """The line that it is about."""
    orders: tuple[str, ...] = ()
    did: tuple[str, ...] = ()
    """Commands that were done."""
    is_only: bool = False
    """Whether other replies that are as unclear are not answered."""
    unread: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    """All that can be written, for who has to be told."""
    said: str = ""
    heard_by: str = ""
    """What was said, and to whom."""
    start: str = ""
    end: str = ""
    """Of the vacation that was booked."""


class Asked(Struct, frozen=True):
    """What the reader is asked now, with the way to the page of the turn."""

    choices: Sequence[ChoiceGroup]
    example: str
    url: str
    deadline: Deadline | None


def reply(
    reader: Reader,
    table: Table,
    answer: Answer,
    happened: Sequence[Happening],
    history: Sequence[Happening],
    board: Board | None,
    asked: Asked | None,
    waiting: str,
) -> ComposedLetter:
    """`happened` came of the orders; `history` is what the reader wished to read once more."""
    return compose(
        "reply",
        reader,
        table=table,
        answer=answer,
        happened=happened,
        history=history,
        board=board,
        asked=asked,
        waiting=waiting,
    )


def whether_own(
    reader: Reader, table: Table, lines: Sequence[str], is_stranger: bool, url: str
) -> ComposedLetter:
    """The question whether a mail was written by the reader; the page of it shows what it does."""
    return compose(
        "reply/asked", reader, table=table, lines=lines, is_stranger=is_stranger, url=url
    )
