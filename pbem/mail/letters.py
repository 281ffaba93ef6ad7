"""What letters say: one function per letter, plain values in, subject and both parts out.

What goes in was gathered by `pbem.services.letters` for one reader; nothing here knows the tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.board_shapes import USUAL
from pbem.mail.parts import (
    Board,
    Deadline,
    Elsewhere,
    Fairness,
    FreeSeat,
    Happening,
    Length,
    Notice,
    Reader,
    Said,
    Sample,
    Table,
    Waiting,
)
from pbem.mail.rendering import ComposedLetter, compose


def confirm(reader: Reader, game: str, site: str, url: str) -> ComposedLetter:
    return compose("confirm", reader, game=game, site=site, url=url)


def you(reader: Reader, site: str) -> ComposedLetter:
    return compose("you", reader, site=site)


def checkup(
    reader: Reader, site: str, texts: Sequence[Sample], pages: Sequence[Sample], told: str
) -> ComposedLetter:
    """Boards to be looked at, in the text part and in the HTML; `told` is for sentences instead.

    Whatever its reader has chosen before, it has both parts.
    """
    whole = msgspec.structs.replace(reader, shape=USUAL)
    return compose("checkup", whole, site=site, texts=texts, pages=pages, told=told)


def invitation(
    reader: Reader,
    table: Table,
    inviter: str,
    options: Sequence[str],
    clock: Sequence[str],
    fairness: Fairness,
    url: str,
    about: Sequence[str],
    by_lot: bool = False,
    free: Sequence[str] = (),
    is_rematch: bool = False,
    sides: str = "",
) -> ComposedLetter:
    """`about` explains the game to a newcomer; `inviter` is empty for an operator.

    `free` are the sides of which the reader may choose one, if the seat is open to everybody.
    A rematch is played by those who have just played. `sides` are all that the reader has, where
    they are more than one.
    """
    return compose(
        "invitation",
        reader,
        table=table,
        inviter=inviter,
        options=options,
        clock=clock,
        fairness=fairness,
        url=url,
        about=about,
        by_lot=by_lot,
        free=free,
        is_rematch=is_rematch,
        sides=sides or table.seat,
    )


def keep_match(reader: Reader, table: Table, clock: Sequence[str], url: str) -> ComposedLetter:
    """To an address that a guest has left, to go on by mail."""
    return compose("keep_match", reader, table=table, clock=clock, url=url)


def computer(reader: Reader, table: Table, free: str, url: str) -> ComposedLetter:
    """The computer might take the sides that are free, if the reader agrees."""
    return compose("computer", reader, table=table, free=free, url=url)


def declined(
    reader: Reader, table: Table, by: str, host: str, is_host: bool, is_off: bool
) -> ComposedLetter:
    """`by` is empty where sides are not drawn yet; unless the match `is_off`, its host may ask
    somebody else.
    """
    return compose(
        "declined", reader, table=table, by=by, host=host, is_host=is_host, is_off=is_off
    )


def cancelled(reader: Reader, table: Table, why: str = "") -> ComposedLetter:
    """`why` is lapsed or withdrawn, of a match that has not begun; empty where somebody decided."""
    return compose("cancelled", reader, table=table, why=why)


def seat_alert(reader: Reader, site: str, free: Sequence[FreeSeat], stop: str) -> ComposedLetter:
    """Seats that the reader may take; `stop` is where to have no more such letters."""
    return compose("seat_alert", reader, site=site, free=free, stop=stop)


def takeback(
    reader: Reader, table: Table, who: str, is_asked: bool, cost: Sequence[str]
) -> ComposedLetter:
    """`who` asks to take a move back, or was declined; `cost` is what a yes means."""
    return compose("takeback", reader, table=table, who=who, is_asked=is_asked, cost=cost)


def reminder(
    reader: Reader,
    waiting: Sequence[Waiting],
    board: Board | None,
    elsewhere: Sequence[Elsewhere],
    daily: bool,
    notices: Sequence[Notice] = (),
) -> ComposedLetter:
    """What waits for the reader, most urgent first; the rest is for the daily letter."""
    return compose(
        "reminder",
        reader,
        waiting=waiting,
        board=board,
        elsewhere=elsewhere,
        daily=daily,
        notices=notices,
    )


def late(
    reader: Reader,
    table: Table,
    who: str,
    since: Deadline,
    grace: Deadline | None,
    then: str,
    url: str,
) -> ComposedLetter:
    """Somebody is late; `url` leads to the turn and is empty when that is not the reader's.

    `then` is what comes after the grace: claim, forfeit, default, stand_in or ally.
    """
    return compose(
        "late", reader, table=table, who=who, since=since, grace=grace, then=then, url=url
    )


def claim(
    reader: Reader, table: Table, who: str, since: Deadline, ends: Deadline | None
) -> ComposedLetter:
    """The reader may claim the win or wait; unanswered, the match `ends` by itself.

    It does not where the late player cannot be reached; then somebody else can be sought, too.
    """
    return compose("claim", reader, table=table, who=who, since=since, ends=ends)


def away(
    reader: Reader,
    table: Table,
    what: str,
    who: str,
    side: str,
    start: str,
    end: str,
    longest: Length | None,
    waiting: str,
    deadline: Deadline | None,
    url: str,
) -> ComposedLetter:
    """A match stands still, goes on, or has another player.

    `who` did it and is empty for the server or a moderator; `side` is that player's. `longest` is
    how long a pause may still be. `url` is the turn page when the reader is asked, and empty
    otherwise; then `waiting` is asked.
    """
    return compose(
        "away",
        reader,
        table=table,
        what=what,
        who=who,
        side=side,
        start=start,
        end=end,
        longest=longest,
        waiting=waiting,
        deadline=deadline,
        url=url,
    )


def stand_in(
    reader: Reader,
    table: Table,
    what: str,
    who: str,
    start: str,
    end: str,
    deadline: Deadline | None,
    clock: Sequence[str],
    board: Board | None,
    url: str,
    about: Sequence[str],
    is_volunteer: bool,
) -> ComposedLetter:
    """About a seat that is lent or given away; `end` is empty when it is for good.

    `what` is asked, agreed, taken, declined, nobody, withdrawn or over. `who` is the owner when the
    reader is asked, and otherwise the other of the two.
    """
    return compose(
        "stand_in",
        reader,
        table=table,
        what=what,
        who=who,
        start=start,
        end=end,
        deadline=deadline,
        clock=clock,
        board=board,
        url=url,
        about=about,
        is_volunteer=is_volunteer,
    )


def briefing(
    reader: Reader,
    table: Table,
    who: str,
    is_back: bool,
    start: str,
    end: str,
    happened: Sequence[Happening],
    board: Board,
    is_all: bool,
    said: Sequence[Said],
    waiting: str,
    deadline: Deadline | None,
    url: str,
    inherited: str = "",
) -> ComposedLetter:
    """What a seat has seen, all or the last of it, for who sits there now; `who` sat there before.

    `start` and `end` are those of the loan; it has no end when it is for good. Where the seat was
    `inherited` from an ally it can be handed on: to ally, machine or stand_in.
    """
    return compose(
        "briefing",
        reader,
        table=table,
        who=who,
        is_back=is_back,
        start=start,
        end=end,
        happened=happened,
        board=board,
        is_all=is_all,
        said=said,
        waiting=waiting,
        deadline=deadline,
        url=url,
        inherited=inherited,
    )


def leave(
    reader: Reader, table: Table, who: str, start: str, end: str, url: str, until: str
) -> ComposedLetter:
    """Whether the reader really lends the seat, or gives it up when it has no `end`.

    `who` is the address that was typed; empty when volunteers shall be asked.
    """
    return compose(
        "leave", reader, table=table, who=who, start=start, end=end, url=url, until=until
    )


def moderated(reader: Reader, table: Table, words: str, reason: str) -> ComposedLetter:
    """A moderator did something to the match; who has no seat any more finds no link to one."""
    return compose("moderated", reader, table=table, words=words, reason=reason)


def rules(reader: Reader, table: Table, versions: tuple[int, int], waits: bool) -> ComposedLetter:
    """The rules were changed from one version to another: the match goes on, or waits."""
    before, after = versions
    return compose("rules", reader, table=table, before=before, after=after, waits=waits)


def restored(
    reader: Reader, table: Table, back_to: str, commitment: str, is_played: bool, has_deck: bool
) -> ComposedLetter:
    """The server went back to a backup; `commitment` is to the secret of the throws to come."""
    values = {"commitment": commitment, "is_played": is_played, "has_deck": has_deck}
    return compose("restored", reader, table=table, back_to=back_to, **values)


def answer(
    reader: Reader, asked_at: str, said: Sequence[str], is_closed: bool, url: str
) -> ComposedLetter:
    """A moderator answers the report of that time; `said` is the answer, line by line."""
    return compose("answer", reader, asked_at=asked_at, said=said, is_closed=is_closed, url=url)


def account(
    reader: Reader, site: str, words: str, reason: str, is_known: bool, stop: str
) -> ComposedLetter:
    """A moderator did something about the reader, whose own page is only for who is a player.

    `stop` leads to where a change of the address is stopped, and is empty in all other cases.
    """
    values = {"words": words, "reason": reason, "is_known": is_known, "stop": stop}
    return compose("account", reader, site=site, **values)


def address(reader: Reader, site: str, url: str) -> ComposedLetter:
    """The way to confirm an address to which a player's letters shall go."""
    return compose("address", reader, site=site, url=url)


def moderator(
    reader: Reader,
    site: str,
    what: str,
    who: str,
    words: str,
    matches: Sequence[str],
    seq: int,
    hash: str,
    at: str,
    url: str,
) -> ComposedLetter:
    """To a moderator; `what` is setup, head, credential, step_up, break_glass, unreachable,
    quarantined or restored."""
    return compose(
        "moderator",
        reader,
        site=site,
        what=what,
        who=who,
        words=words,
        matches=matches,
        seq=seq,
        hash=hash,
        at=at,
        url=url,
    )
