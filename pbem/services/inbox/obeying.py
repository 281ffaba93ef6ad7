"""What a reply asks for is done: all of it, or nothing, with the reason why not.

Orders go behind those of the draft. When nothing is left to decide they are sent, else they wait
there, as orders from the links of a letter do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, partial
from types import MappingProxyType
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from engine.abilities import OrderSheets
from engine.core import LANGUAGES, GameError
from engine.text import printable
from pbem import return_addresses
from pbem.db.store import database
from pbem.errors import Refused, Stale
from pbem.i18n import speaking, translate_error
from pbem.incoming.requests import Command, IsOrder, Request, understood
from pbem.services.match import drafts, link_orders, match_log, matches, messages, turns
from pbem.services.match.drafts import Preview
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord
from pbem.services.records.player_rows import PlayerRecord
from pbem.services.time import absences

LONGEST_SAID = 500
LONGEST_SHOWN = 80
"""Of a line that is quoted in an answer."""
_WHOM = {
    messages.EVERYBODY: ("everybody", "everyone", "alle", "tous"),
    messages.ALLIES: ("verbündete", "verbuendete", "alliés", "allie", "allié"),
}
Told = Mapping[str, Any]
LOOKS = ("help", "board", "history", "map")
_ADDRESS = re.compile(r"\b[rb]\d+(?:\.[a-z2-7]{6})?-[a-z2-7]{13}", re.I | re.ASCII)
_DATES = (
    re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})", re.ASCII),
    re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})", re.ASCII),
)
_SLASHED = re.compile(r"(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})", re.ASCII)
"""In German and French the day comes first; in English it may be the month."""
_BETWEEN_DAYS = re.compile(r"[\s,;–—]+")


class Asker(NamedTuple):
    """Who asks: a player at a seat, by a reply to a letter of a turn."""

    match: MatchRecord
    turn: TurnRecord
    player: PlayerRecord
    mark: str
    """Of the list of choices that the letter had."""


class Outcome(NamedTuple):
    """What came of a reply, as its answer tells it."""

    what: str
    """sent, drafted, undone, done, looked, refused or unclear"""
    request: Request
    reason: str = ""
    """Why nothing was done, in the words of the player's language."""
    orders: tuple[str, ...] = ()
    """As the log or the draft has them."""
    first_seq: int = 0
    last_seq: int = 0
    told: Mapping[str, Any] = MappingProxyType({})
    """What commands did, as the queued letter has it: words and whom for, days of a vacation."""

    @property
    def is_done(self) -> bool:
        return self.what not in ("refused", "unclear")

    @property
    def is_all_done(self) -> bool:
        """Whether nothing is left to look at or to press in the answer."""
        left = any(one.word in (*LOOKS, "resign") for one in self.request.commands)
        return self.is_done and not left


def obey(asker: Asker, own_words: Sequence[str], now: int) -> Outcome:
    """Do what the words of a reply ask for, inside the caller's transaction."""
    request = read(asker, own_words)
    if request.trouble:
        return Outcome("unclear", request)
    try:
        with database.savepoint():
            return _do(asker, request, now)
    except (GameError, Refused) as error:
        return _refused(asker, request, error)


def in_vain(asker: Asker, own_words: Sequence[str]) -> Outcome | None:
    """Why nothing can come of a reply, whoever has written it; `None`: something may."""
    request = read(asker, own_words)
    if request.trouble:
        return Outcome("unclear", request)
    try:
        if request.has_orders:
            turns.check_open(asker.match, asker.turn)
    except Refused as error:
        return _refused(asker, request, error)
    return None


def _refused(asker: Asker, request: Request, error: Exception) -> Outcome:
    with speaking(asker.player.language):
        return Outcome("refused", request, translate_error(error, asker.match.game))


def read(asker: Asker, own_words: Sequence[str]) -> Request:
    """What the words ask for; whether a line looks like an order the game says."""
    is_order = cache(partial(_is_order, asker, _first_words(asker)))
    request = understood(own_words, is_order)
    is_alien = not request.trouble and _is_alien(asker, request, is_order)
    return replace(request, trouble="alien") if is_alien else request


def _first_words(asker: Asker) -> frozenset[str]:
    """How orders can begin now: a line that begins so is one, be it misspelt further on."""
    match, turn = asker.match, asker.turn
    if not turn.is_open or match.status != LIVE:
        return frozenset()
    seat, state = match.seat(turn.seat).name, match_log.current(match)
    return frozenset(option.word.casefold() for option in match.game.options(state, seat, ()))


def _is_order(asker: Asker, first_words: frozenset[str], line: str) -> bool:
    if line.partition(" ")[0].casefold() in first_words:
        return True
    try:
        asker.match.game.parse(line)
    except GameError:
        return False
    return True


def _is_alien(asker: Asker, request: Request, is_order: IsOrder) -> bool:
    """Whether no line is anything that could be asked for: so write machines, and people to people.

    What the page takes as a pasted text may also be more than one order a line.
    """
    if request.choice is not None or request.commands:
        return False
    return not any(map(is_order, _lines(asker.match, request.orders)))


def _do(asker: Asker, request: Request, now: int) -> Outcome:
    outcome = Outcome("looked", request)
    if request.has_orders:
        outcome = _order(asker, request, now)
    for command in request.commands:
        if command.word not in LOOKS:
            told = {**outcome.told, **_ACTS[command.word](asker, command, now)}
            outcome = outcome._replace(told=told)
            if outcome.what == "looked":
                outcome = outcome._replace(what="undone" if command.word == "undo" else "done")
    return outcome


# --- orders --------------------------------------------------------------------------------------


def _order(asker: Asker, request: Request, now: int) -> Outcome:
    match, turn, _, mark = asker
    turns.check_open(match, turn)
    seat = match.seat(turn.seat).name
    behind = drafts.preview(match, match_log.current(match), seat, drafts.draft_of(turn.id))
    lines = _lines(match, request.orders)
    if request.choice is not None:
        chosen = _chosen(match, behind.state, seat, mark, request.choice)
        _check_beside(match, request, chosen)
        lines = [chosen, *lines]
    tried = _tried(match, seat, behind, turns.checked_lines(lines))
    if tried.is_asked:
        drafts.replace_with(match, turn, tried, now)
        return Outcome("drafted", request, orders=tried.orders)
    receipt = turns.send(match, turn, tried.orders, now, is_shown=True)
    return Outcome(
        "sent",
        request,
        orders=receipt.orders,
        first_seq=receipt.first_seq,
        last_seq=receipt.last_seq,
    )


def _lines(match: MatchRecord, orders: Sequence[str]) -> list[str]:
    """Orders as the page reads a pasted text."""
    if isinstance(match.game, OrderSheets):
        return [order for _, order in match.game.pasted("\n".join(orders))]
    return list(orders)


def _tried(match: MatchRecord, seat: Any, behind: Preview, lines: Sequence[str]) -> Preview:
    """All lines behind the draft; the first that cannot be is named with its number."""
    for number, line in enumerate(lines, 1):
        try:
            behind = drafts.go_on(match, seat, behind, [line])
        except (GameError, Refused) as error:
            raise Refused(
                "line %(number)s, “%(order)s”: %(reason)s",
                number=number,
                order=printable(line[:LONGEST_SHOWN]),
                reason=error,
            ) from error
    return behind


def _chosen(match: MatchRecord, state: Any, seat: Any, mark: str, number: int) -> str:
    """The order with a number in the list of a letter; only while the list is still the same."""
    listed = link_orders.listed(match, state, seat).numbered
    if not mark or not listed or return_addresses.mark_of(listed) != mark:
        raise Refused("the choices have changed since that email; choose from the newest list")
    if not 1 <= number <= len(listed):
        raise Refused(
            "there is no choice %(number)s; the list goes from 1 to %(last)s",
            number=number,
            last=len(listed),
        )
    return listed[number - 1]


def _check_beside(match: MatchRecord, request: Request, chosen: str) -> None:
    """What stands beside the number in a reply is the same choice."""
    if request.beside and match.game.parse(request.beside) != match.game.parse(chosen):
        raise Refused(
            "choice %(number)s is “%(chosen)s” and not “%(order)s”; write one of them alone",
            number=request.choice,
            chosen=chosen,
            order=printable(request.beside[:LONGEST_SHOWN]),
        )


# --- commands ------------------------------------------------------------------------------------


def _say(asker: Asker, command: Command, now: int) -> Told:
    """To all, or to those whom the first word names; no link or address of ours goes along."""
    match, turn, words = asker.match, asker.turn, command.words
    if len(words) > LONGEST_SAID:
        raise Refused("SAY takes up to %(most)s characters", most=LONGEST_SAID)
    if settings.mail_domain in words.lower() or "://" in words or _ADDRESS.search(words):
        raise Refused("a message by email cannot contain links or addresses; was this a quotation?")
    first, _, rest = words.partition(" ")
    to = _addressees(asker).get(first.rstrip(":").casefold())
    if rest and to is not None:
        words = rest
    else:
        to = messages.EVERYBODY
    messages.say(match.id, turn.seat, words, now, to)
    offered = messages.addressees(match, turn.seat)
    heard_by = next(one.seats for one in offered if one.word == to)
    return {"said": printable(words), "heard_by": list(heard_by)}


def _addressees(asker: Asker) -> dict[str, str]:
    """Whom a message can be for, by the words that name them in any language.

    With one other player there is nobody to choose, so no word is taken for a name.
    """
    match = asker.match
    offered = [one.word for one in messages.addressees(match, asker.turn.seat)]
    if len(offered) == 1:
        return {}
    named = {word: word for word in offered}
    for word, others in _WHOM.items():
        if word in offered:
            named.update(dict.fromkeys(others, word))
    for seat in match.seats:
        if seat.name in offered:
            called = match.game.seat_name(seat.name)
            named.update({called.in_(language).casefold(): seat.name for language in LANGUAGES})
    return named


def _draw(asker: Asker, command: Command, now: int) -> Told:
    matches.offer_draw(asker.match.id, asker.turn.seat, now)
    return {}


def _undo(asker: Asker, command: Command, now: int) -> Told:
    turns.check_open(asker.match, asker.turn)
    if not drafts.draft_of(asker.turn.id):
        raise Refused("there is nothing to undo: your draft is empty")
    drafts.undo(asker.match, asker.turn, now)
    return {}


def _vacation(asker: Asker, command: Command, now: int) -> Told:
    """Whole days of the player's own zone, the last one included."""
    shapes = _DATES if asker.player.language == "en" else (*_DATES, _SLASHED)
    days = (_day(word.rstrip("."), shapes) for word in _BETWEEN_DAYS.split(command.words))
    found = [day for day in days if day is not None]
    if len(found) != 2:
        raise Refused("write VACATION with two dates, for example: VACATION 2027-07-01 2027-07-14")
    zone = ZoneInfo(asker.player.zone)
    first, last = found[0], found[1] + timedelta(days=1)
    begin, end = (
        int(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())
        for day in (first, last)
    )
    absences.book(asker.player.id, max(now, begin), end, now)
    return {"start": max(now, begin), "end": end}


def _day(word: str, shapes: Sequence[re.Pattern[str]]) -> date | None:
    for shape in shapes:
        parts = shape.fullmatch(word)
        if parts is not None:
            try:
                return date(int(parts["year"]), int(parts["month"]), int(parts["day"]))
            except ValueError as error:
                raise Refused("there is no day %(day)s", day=printable(word[:20])) from error
    return None


def _resign(asker: Asker, command: Command, now: int) -> Told:
    """Nothing yet: the answer has the link."""
    if asker.match.status != LIVE:
        raise Stale("the match is not in progress")
    return {}


_ACTS: Mapping[str, Callable[[Asker, Command, int], Told]] = {
    "say": _say,
    "draw": _draw,
    "undo": _undo,
    "vacation": _vacation,
    "resign": _resign,
}
