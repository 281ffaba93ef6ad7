"""Letters about what players settle among themselves: a move back, seats that are free."""

from __future__ import annotations

from pbem.deadline_text import clock_in_words
from pbem.links import YouLink
from pbem.mail import letters, parts
from pbem.mail.rendering import ComposedLetter
from pbem.services.agreements import takebacks
from pbem.services.letters.kinds.kind import (
    LetterKind,
    Pace,
    by_day,
    is_for_player_epoch,
    is_for_seat_epoch,
    to_player,
    to_seat,
)
from pbem.services.letters.reader_context import ReaderContext, SeatContext
from pbem.services.match import joining, matches
from pbem.services.players import blocks, seat_alerts
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, OPEN, PUBLIC, MatchRecord, get_match
from pbem.services.records.player_rows import find_player


def _takeback(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    request = takebacks.find(int(letter.about["request"]))
    assert request is not None, "what was asked is never removed"
    is_asked = letter.about["what"] == takebacks.ASKED
    cost = (
        takebacks.cost_of(context.match, request.seat, request.entry, context.now)
        if is_asked
        else None
    )
    return letters.takeback(
        context.reader,
        context.table(),
        who=context.called(context.match.seat(request.seat)),
        is_asked=is_asked,
        cost=takebacks.in_words(context.match, cost) if cost is not None else [],
    )


def takeback_letter_current(letter: QueuedLetter) -> bool:
    """Whether the question is still open; that it was declined is true as long as it is played."""
    if letter.facts.match_status != LIVE or not is_for_seat_epoch(letter):
        return False
    if letter.about["what"] != takebacks.ASKED:
        return True
    assert letter.match is not None, "it is about a match"
    open_one = takebacks.waiting(get_match(letter.match))
    return open_one is not None and open_one.id == int(letter.about["request"])


def _takeback_pace(letter: QueuedLetter) -> Pace:
    return "asks" if letter.about["what"] == takebacks.ASKED else "news"


MOST_FREE = 10
"""Matches that one letter names; there are more on the first page."""


# --- free seats -----------------------------------------------------------------------------------


def _seat_alert(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    player, links = context.player, context.links
    return letters.seat_alert(
        context.reader,
        context.site,
        [_free_seat(context, match) for match in _free_for(player.id, context.now)],
        stop=links.url("hush", YouLink(player.id, player.epoch)),
    )


def _free_seat(context: ReaderContext, match: MatchRecord) -> parts.FreeSeat:
    game, creator = match.game, match.creator if match.visibility == PUBLIC else None
    host = find_player(creator) if creator is not None else None
    free = [game.seat_name(s.name).in_(context.language) for s in match.seats if s.status == OPEN]
    return parts.FreeSeat(
        game=game.title.in_(context.language),
        host=host.name if host is not None else "",
        sides="" if match.by_lot else ", ".join(free),
        pace=clock_in_words(match.clock, match.asks_back)[0],
        url=f"{context.links.base_url}/open/{match.id}",
    )


def _free_for(player: int, now: int) -> list[MatchRecord]:
    """Matches of the chosen games in which the player could take a seat."""
    games, blocked = seat_alerts.games_of(player), blocks.blocked_by(player)
    return [
        match
        for match in matches.open_matches(MOST_FREE)
        if match.game_name in games
        and match.creator not in blocked
        and player not in [seat.player for seat in match.seats]
        and joining.is_welcome(match, player, now)
    ]


def seat_alert_letter_current(letter: QueuedLetter) -> bool:
    """Whether there is still a free seat, and the player still wants to hear of it."""
    return is_for_player_epoch(letter) and bool(_free_for(letter.player, letter.created_at))


KINDS = (
    LetterKind(
        seat_alerts.LETTER,
        to_player(_seat_alert),
        seat_alert_letter_current,
        is_open=True,
        stop="hush",
        pace=by_day,
    ),
    LetterKind(
        takebacks.LETTER,
        to_seat(_takeback),
        takeback_letter_current,
        is_for_holder=True,
        is_open=True,
        pace=_takeback_pace,
    ),
)
