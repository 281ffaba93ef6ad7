"""Drafts: orders composed for a turn and tried before they are sent.

A page says how many orders its draft had when it was made; a press that comes again finds more and
does nothing. All that changes a draft runs inside the caller's transaction, in which the match was
held and the turn read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from typing import Any, NamedTuple

from engine.abilities import OrderSheets
from engine.chance import SealedDice, SealedThrow
from engine.core import Event, GameError, Seat, Step
from pbem.errors import Refused
from pbem.services.match import match_log, turns
from pbem.services.match.match_log import Told
from pbem.services.match.move_rows import draft_of as draft_of
from pbem.services.match.move_rows import keep_draft
from pbem.services.match.move_rows import kept_draft as kept_draft
from pbem.services.records.match_rows import MatchRecord, TurnRecord, whole_turns_before
from pbem.services.records.memory import Memory
from pbem.services.time import clocks

DRAFTS_REMEMBERED = 64
LAST_TURNS = 3
"""A seat may have several sides that take turns, and a question to others splits a turn."""


class Tried(NamedTuple):
    """An order of a preview."""

    order: str
    before: Any
    """The state in which it was given."""
    events: tuple[Event, ...]
    """What it would tell its seat; nothing if it is final."""


class Preview(NamedTuple):
    """Orders tried with sealed dice: what they lead to, as far as that may be known beforehand."""

    tried: tuple[Tried, ...]
    state: Any
    """After the last order that is not final."""
    is_final: bool
    """The last order throws a die or opens a secret; only sending shows what comes of it."""
    is_asked: bool
    """Whether the seat still has something to decide before sending."""

    @property
    def orders(self) -> tuple[str, ...]:
        return tuple([one.order for one in self.tried])

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple([event for one in self.tried for event in one.events])


def preview(match: MatchRecord, state: Any, seat: Seat, orders: Sequence[str]) -> Preview:
    """What orders would do in a state; GameError or Refused names the first that cannot be.

    Those that were tried a moment ago are not tried again.
    """
    done = _tried_before(match, state, seat, orders)
    tried = go_on(match, seat, done, orders[len(done.tried) :])
    _lately.keep((match.id, seat), Lately(state, tried))
    return tried


class Lately(NamedTuple):
    """A preview, and the very state that it began in."""

    begun: Any
    tried: Preview


_lately = Memory[Lately](DRAFTS_REMEMBERED)


def _tried_before(match: MatchRecord, state: Any, seat: Seat, orders: Sequence[str]) -> Preview:
    """What the last preview of a seat has in common with these orders."""
    lately = _lately.recall((match.id, seat))
    if lately is None or lately.begun is not state:
        return Preview((), state, False, True)
    done = lately.tried
    pairs = zip(done.orders, orders, strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    if same == len(done.tried):
        return done
    return Preview(done.tried[:same], done.tried[same].before, False, True)


def go_on(match: MatchRecord, seat: Seat, done: Preview, orders: Sequence[str]) -> Preview:
    """A preview with more orders behind its own, which are not tried again."""
    tried, state, is_final = list(done.tried), done.state, done.is_final
    for order in orders:
        if is_final:
            last = tried[-1].order
            raise Refused("nothing can follow “%(order)s” until it is sent", order=last)
        step = _tried(match, state, seat, order)
        is_final = step is None or step.final
        told = () if step is None or is_final else step.events
        tried.append(Tried(order, state, tuple([e for e in told if e.heard_by(seat)])))
        if step is not None and not is_final:
            state = step.state
    is_asked = not is_final and seat in match.game.waiting_on(state)
    return Preview(tuple(tried), state, is_final, is_asked)


class Line(NamedTuple):
    """A line of a text, tried behind those above it that were right."""

    number: int
    order: str
    tried: Tried | None
    fault: Exception | None
    """Why it cannot be; then it was passed over."""


def read_lines(
    match: MatchRecord, seat: Seat, done: Preview, lines: Iterable[tuple[int, str]]
) -> tuple[list[Line], Preview]:
    """What each line would do behind a preview, and the preview with all that can be."""
    found = list[Line]()
    for number, order in lines:
        try:
            (checked,) = turns.checked_lines([order])
            turns.check_number(len(done.tried) + 1)
            done = go_on(match, seat, done, [checked])
            found.append(Line(number, checked, done.tried[-1], None))
        except (GameError, Refused) as error:
            found.append(Line(number, order, None, error))
    return found, done


def _tried(match: MatchRecord, state: Any, seat: Seat, order: str) -> Step[Any] | None:
    """What one order would do; None if a die decides that."""
    try:
        return match.game.apply(state, seat, match.game.parse(order), SealedDice())
    except SealedThrow:
        return None


# --- composing -----------------------------------------------------------------------------------


def compose(
    match: MatchRecord, turn: TurnRecord, orders: Sequence[str], shown: int | None, now: int
) -> Preview | None:
    """Put orders behind those composed already, if all of them together can be.

    Nothing happens unless there are as many as the page showed, where it says so.
    """
    before = draft_of(turn.id)
    if shown is not None and shown != len(before):
        return None
    _begin(match, turn, now)
    state = match_log.current(match)
    preview(match, state, _seat(match, turn), before)  # what has become impossible is named first
    return _add(match, turn, state, before, orders, now)


def replace_with(match: MatchRecord, turn: TurnRecord, tried: Preview, now: int) -> None:
    """Let the draft be these orders, which were tried."""
    turns.check_number(len(tried.orders))
    _begin(match, turn, now)
    keep_draft(turn.id, tried.orders, now)


def fill(
    match: MatchRecord, turn: TurnRecord, fields: Mapping[str, str], shown: int | None, now: int
) -> Preview | None:
    """Put the orders that a filled form of the order sheet stands for behind the others.

    Nothing happens unless there are as many as the page showed, where it says so.
    """
    game, before = match.game, draft_of(turn.id)
    if not isinstance(game, OrderSheets):
        raise Refused("there is no such button here; use one on the page")
    if shown is not None and shown != len(before):
        return None
    _begin(match, turn, now)
    state, seat = match_log.current(match), _seat(match, turn)
    done = preview(match, state, seat, before)
    orders = game.compose(done.state, seat, fields, partial(heard_lately, match, turn))
    return _add(match, turn, state, before, orders, now)


def heard_lately(match: MatchRecord, turn: TurnRecord) -> tuple[Event, ...]:
    """What the seat was told since its last turns began, the open one included."""
    after = -1
    for before in islice(whole_turns_before(turn), LAST_TURNS):
        after = before.opened_seq
    kept = list[Told]()
    for told in match_log.told_since(match, _seat(match, turn), after, match.head_seq):
        if told.entry.kind == "rewind":  # what it took back has not happened
            back = int(told.entry.text)
            kept = [one for one in kept if one.entry.seq <= back]
        kept.append(told)
    return tuple([event for one in kept for event in one.events])


def undo(
    match: MatchRecord, turn: TurnRecord, now: int, keep: int | None = None
) -> tuple[str, ...]:
    """Take back the last composed order, or all behind the first `keep`."""
    _begin(match, turn, now)
    before = draft_of(turn.id)
    left = before[:-1] if keep is None else before[:keep]
    keep_draft(turn.id, left, now)
    return left


def take_out(
    match: MatchRecord, turn: TurnRecord, at: int, order: str, now: int
) -> tuple[str, ...]:
    """Take one order out of the draft, if it still stands there; those that need it go too.

    Which ones went is returned.
    """
    before = draft_of(turn.id)
    if at >= len(before) or before[at] != order:
        return ()
    _begin(match, turn, now)
    others = enumerate((*before[:at], *before[at + 1 :]), 1)
    lines, left = read_lines(match, _seat(match, turn), _nothing(match), others)
    keep_draft(turn.id, left.orders, now)
    return tuple([line.order for line in lines if line.fault])


def _begin(match: MatchRecord, turn: TurnRecord, now: int) -> None:
    """Whoever composes knows of his turn: its clock runs, though its letter may be on the way."""
    turns.check_open(match, turn)
    clocks.start_clock(match, turn, now)


def _add(
    match: MatchRecord,
    turn: TurnRecord,
    state: Any,
    before: Sequence[str],
    orders: Sequence[str],
    now: int,
) -> Preview:
    lines = turns.checked_lines(orders)
    turns.check_number(len(before) + len(lines))
    tried = preview(match, state, _seat(match, turn), [*before, *lines])
    keep_draft(turn.id, tried.orders, now)
    return tried


def _seat(match: MatchRecord, turn: TurnRecord) -> Seat:
    return match.seat(turn.seat).name


def _nothing(match: MatchRecord) -> Preview:
    """The match as it stands, with no orders."""
    return Preview((), match_log.current(match), False, True)
