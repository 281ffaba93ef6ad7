"""What letters about play say, as `letters` does: the beginning, turns, news, messages, the end."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.mail.parts import (
    Attachment,
    Beginning,
    Board,
    Chapter,
    ChoiceGroup,
    Deadline,
    DrawOffer,
    Fairness,
    Happening,
    Reader,
    Said,
    Table,
)
from pbem.mail.rendering import ComposedLetter, attach, compose


def started(
    reader: Reader,
    table: Table,
    board: Board,
    beginning: Beginning,
    waiting: str,
) -> ComposedLetter:
    """The first letter of a match to who does not begin: `waiting` does."""
    letter = compose(
        "started", reader, table=table, board=board, beginning=beginning, waiting=waiting
    )
    return letter._replace(attachments=(_proofs(reader, table, beginning.fairness),))


def _proofs(reader: Reader, table: Table, fairness: Fairness) -> Attachment:
    """What the reader can check the shuffle with, as a file to be kept."""
    name = f"pbem-{table.id}-proofs.txt"
    return attach(name, "_base/proofs.txt", reader, table=table, fairness=fairness)


def turn(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    situation: Sequence[Chapter],
    choices: Sequence[ChoiceGroup],
    example: str,
    url: str,
    deadline: Deadline | None,
    clock: Sequence[str],
    said: Sequence[Said],
    draw: DrawOffer | None,
    is_first: bool,
    is_continued: bool = False,
    beginning: Beginning | None = None,
    news: str = "",
) -> ComposedLetter:
    """`deadline` is missing while the match is paused; `clock` says what bears on it.

    `news` is the sentence of all that happened that tells this turn from others in an inbox.

    Of a board that is too large for letters the `situation` tells what matters. A turn
    `is_continued` when others were asked in the middle of it. With a `beginning` it is the first
    letter of its match.
    """
    letter = compose(
        "turn/briefed" if situation else "turn",
        reader,
        table=table,
        happened=happened,
        board=board,
        situation=situation,
        choices=choices,
        example=example,
        url=url,
        deadline=deadline,
        clock=clock,
        said=said,
        draw=draw,
        is_first=is_first,
        is_continued=is_continued,
        beginning=beginning,
        news=news,
    )
    if beginning is None:
        return letter
    return letter._replace(attachments=(_proofs(reader, table, beginning.fairness),))


def inquiry(
    reader: Reader,
    table: Table,
    by: str,
    about: str,
    happened: Sequence[Happening],
    board: Board,
    answers: Sequence[ChoiceGroup],
    usual: str,
    is_all: bool,
    url: str,
    deadline: Deadline | None,
) -> ComposedLetter:
    """A question in the middle of the turn of `by`; `usual` is what holds without an answer."""
    return compose(
        "turn/inquiry",
        reader,
        table=table,
        by=by,
        about=about,
        happened=happened,
        board=board,
        answers=answers,
        usual=usual,
        is_all=is_all,
        url=url,
        deadline=deadline,
    )


def receipt(
    reader: Reader,
    table: Table,
    orders: Sequence[str],
    by_clock: bool,
    happened: Sequence[Happening],
    board: Board,
    waiting: str,
    deadline: Deadline | None,
) -> ComposedLetter:
    """`by_clock`: the reader's time ran out, and these orders were given in his place."""
    return compose(
        "receipt",
        reader,
        table=table,
        orders=orders,
        by_clock=by_clock,
        happened=happened,
        board=board,
        waiting=waiting,
        deadline=deadline,
    )


def moved(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    waiting: str,
    deadline: Deadline | None,
    by: str,
) -> ComposedLetter:
    """`by` has moved; empty where the match was taken back."""
    return compose(
        "moved",
        reader,
        table=table,
        by=by,
        happened=happened,
        board=board,
        waiting=waiting,
        deadline=deadline,
    )


def finished(
    reader: Reader,
    table: Table,
    happened: Sequence[Happening],
    board: Board,
    winners: str,
    has_won: bool,
    reason: str,
    secret: str,
    fairness: Fairness,
    new_url: str,
    has_rematch: bool,
) -> ComposedLetter:
    """`winners` is empty after a draw; `reason` is empty when `happened` ends with it.

    `new_url` leads to the form of a new match; a rematch is asked for on a page of the seat.
    """
    return compose(
        "finished",
        reader,
        table=table,
        happened=happened,
        board=board,
        winners=winners,
        has_won=has_won,
        reason=reason,
        secret=secret,
        fairness=fairness,
        new_url=new_url,
        has_rematch=has_rematch,
    )


def message(
    reader: Reader, table: Table, said: Sequence[Said], more: int, is_answerable: bool
) -> ComposedLetter:
    """What others have written to this seat since the last such letter, and how much is left."""
    by = ", ".join(dict.fromkeys(one.by for one in said))
    return compose(
        "message", reader, table=table, said=said, more=more, by=by, is_answerable=is_answerable
    )


def draw_offer(reader: Reader, table: Table, draw: DrawOffer) -> ComposedLetter:
    """Others offer a draw, or agree to that of the reader."""
    return compose("message/draw", reader, table=table, draw=draw)


def draw_declined(reader: Reader, table: Table, by: str) -> ComposedLetter:
    """Somebody says no to a draw that the reader wanted."""
    return compose("message/no_draw", reader, table=table, by=by)
