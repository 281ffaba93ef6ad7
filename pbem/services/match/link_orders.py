"""Single orders: those that can be given, the links that stand for them, and what holds in advance.

A link plays its order once, however often it is pressed. One that would play half a turn puts its
order into the draft.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from peewee import fn

from engine.abilities import Briefings, Inquiries, StandingOrders
from engine.chance import SealedDice
from engine.core import GameError, Option, Seat
from engine.text import printable
from pbem.db.models import Entry, Turn
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.links import order_code
from pbem.services.match import drafts, match_log, turns
from pbem.services.match.drafts import Preview
from pbem.services.match.turns import Receipt
from pbem.services.players import limits
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, get_match

MOST_LINKS = 12
"""Orders in a letter that have a link each; when there are more, there is one for each card."""
MOST_QUICK = 6
"""The same in the letter of a game whose turns are too large for links: more are not listed."""
MOST_ANSWERS = 3
"""Answers to a question that have a link each; the others are on the page of the turn."""
MOST_IN_TURN = 100
"""Orders of a seat in a turn of anybody after which it can say nothing more in advance."""


class Choice(NamedTuple):
    """A whole legal order, with what each of its words says."""

    notation: str
    path: tuple[Option[Any], ...]


def choices(match: MatchRecord, state: Any, seat: Seat, most: int = 400) -> list[Choice]:
    """Every order the seat can give now; at most `most` of them."""
    found: list[Choice] = []
    _gather(match, state, seat, (), found, most)
    return found


def _gather(
    match: MatchRecord,
    state: Any,
    seat: Seat,
    path: tuple[Option[Any], ...],
    found: list[Choice],
    most: int,
) -> None:
    words = tuple(option.word for option in path)
    for option in match.game.options(state, seat, words):
        if len(found) >= most:
            return
        longer = (*path, option)
        if option.action is None:
            _gather(match, state, seat, longer, found, most)
        else:
            found.append(Choice(" ".join((*words, option.word)), longer))


class Listed(NamedTuple):
    """What a letter offers: orders in the order of its list, the first of all, and how many."""

    choices: list[Choice]
    example: str
    is_all: bool

    @property
    def numbered(self) -> list[str]:
        """The whole orders of the list; their numbers count from one."""
        whole = len(self.choices) <= MOST_LINKS
        return [one.notation for one in self.choices if whole or len(one.path) <= 2]


def listed(match: MatchRecord, state: Any, seat: Seat) -> Listed:
    """What a letter offers to a seat that is asked in a state."""
    game = match.game
    if isinstance(game, Inquiries) and game.inquiry(state, seat) is not None:
        return _answers(match, state, seat)
    if not isinstance(game, Briefings):
        found = choices(match, state, seat)
        return Listed(found, found[0].notation if found else "", True)
    found = choices(match, state, seat, MOST_QUICK + 1)
    is_all = len(found) <= MOST_QUICK
    return Listed(found if is_all else [], found[0].notation if found else "", is_all)


def _answers(match: MatchRecord, state: Any, seat: Seat) -> Listed:
    """To a question in the middle of the turn of another seat: the usual one first."""
    action = match.game.default_action(state, seat)
    usual = "" if action is None else match.game.notate(action)
    offered = choices(match, state, seat)
    answers = sorted(offered, key=lambda choice: choice.notation != usual)[:MOST_ANSWERS]
    return Listed(answers, usual, len(answers) == len(offered))


def order_with_code(match: MatchRecord, turn: TurnRecord, state: Any, code: str) -> Choice | None:
    """The legal order that a code in a link stands for, in a state of its turn."""
    for choice in choices(match, state, match.seat(turn.seat).name):
        if order_code(match.secret, turn.id, choice.notation) == code:
            return choice
    return None


# --- pressed -------------------------------------------------------------------------------------


class Meant(NamedTuple):
    """What a press of a link would do: play its order, or put it into the draft."""

    choice: Choice
    tried: Preview
    """The order behind those of the draft, where it can follow them; else alone."""
    dropped: tuple[str, ...] = ()
    """Orders of the draft that would go."""
    is_drafted: bool = False
    """Whether the order is there already."""


def meant_by(match: MatchRecord, turn: TurnRecord, state: Any, code: str) -> Meant | None:
    """What the code of a link stands for in a state of its turn; None if it cannot be."""
    seat = match.seat(turn.seat).name
    kept = drafts.draft_of(turn.id) if turn.has_draft else ()
    is_drafted = any(order_code(match.secret, turn.id, order) == code for order in kept)
    behind = None if is_drafted else _tried(match, state, seat, kept)
    if behind is not None and behind.is_asked:
        choice = order_with_code(match, turn, behind.state, code)
        if choice is not None:
            return Meant(choice, drafts.go_on(match, seat, behind, [choice.notation]))
    choice = order_with_code(match, turn, state, code)
    if choice is None:
        return None
    alone = drafts.preview(match, state, seat, [choice.notation])
    return Meant(choice, alone, () if is_drafted else kept, is_drafted)


def _tried(match: MatchRecord, state: Any, seat: Seat, orders: tuple[str, ...]) -> Preview | None:
    """Orders of a draft, if there are any and they can still be."""
    try:
        return drafts.preview(match, state, seat, orders) if orders else None
    except (GameError, Refused):
        return None


class Drafted(NamedTuple):
    """The order of a link was but a part of a turn: it waits in the draft for the rest."""

    order: str
    is_new: bool
    """Whether this press has put it there."""


def play_coded(
    match: MatchRecord, turn: TurnRecord, code: str, now: int, is_shown: bool = False
) -> Receipt | Drafted | None:
    """Play the order that a link stands for; Stale or Refused when it cannot be played any more.

    An order after which more is to be decided, or that can follow a draft, is put there. None when
    an earlier press has played it. Runs inside the caller's transaction; `match` was held and
    `turn` read in it.
    """
    if played_with(match, turn, code) is not None:
        return None
    if not turn.is_open:
        raise Stale("this turn is over")
    state = match_log.current(match)
    meant = meant_by(match, turn, state, code)
    if meant is None:
        raise Refused("this order is no longer possible")
    if meant.is_drafted:
        return Drafted(meant.choice.notation, is_new=False)
    if meant.tried.is_asked or len(meant.tried.orders) > 1:
        drafts.replace_with(match, turn, meant.tried, now)
        return Drafted(meant.choice.notation, is_new=True)
    return turns.send(match, turn, meant.tried.orders, now, state=state, is_shown=is_shown)


def say_in_advance(match_id: str, seat: int, order: str, now: int) -> None:
    """Give an order that may be given at any time, unless it would change nothing."""
    with writing():
        match = get_match(match_id)
        if match.status != LIVE:
            raise Stale("the match is not in progress")
        name, state = match.seat(seat).name, match_log.current(match)
        action = _any_time(match, order)
        if match.game.apply(state, name, action, SealedDice()).state != state:
            limits.by_seat("standing", match.id, seat, now)
            _check_few_in_turn(match, name)
            turns.give_any_time(match_id, seat, order, now)


def _any_time(match: MatchRecord, order: str) -> Any:
    """What a line means as an order that needs no question; GameError or Refused if it is none."""
    game, (line,) = match.game, turns.checked_lines([order])
    if isinstance(game, StandingOrders) and game.is_any_time(action := game.parse(line)):
        return action
    raise Refused("“%(order)s” cannot be a standing order", order=printable(order[:60]))


def _check_few_in_turn(match: MatchRecord, seat: Seat) -> None:
    """Whoever changes the mind without end waits until play goes on."""
    opened = Turn.select(fn.MAX(Turn.opened_seq)).where(Turn.match == match.id)
    given = Entry.select().where(Entry.match == match.id, Entry.actor == seat, Entry.seq > opened)
    if given.count() >= MOST_IN_TURN:
        raise Refused(
            "the limit is %(most)s orders per turn; continue when your next turn begins",
            most=MOST_IN_TURN,
        )


def played_with(match: MatchRecord, turn: TurnRecord, code: str) -> str | None:
    """The order of a link, if it was played in its turn."""
    played = turns.played_in(match, turn)
    return next((o for o in played if order_code(match.secret, turn.id, o) == code), None)


def coded_then(match: MatchRecord, turn: TurnRecord, code: str) -> Choice | None:
    """The order of a link, as it could be given when its turn began."""
    return order_with_code(match, turn, match_log.state_at(match, turn.opened_seq), code)
