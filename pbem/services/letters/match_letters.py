"""What one reader is told: gathered from the log and the tables for a letter that is owed.

Every letter is written in a `pbem.services.letters.reader_context`, which shows what its reader may
see; those about time are in `pbem.services.letters.time_letters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote_plus

from engine.chance import DeckTree
from engine.core import Json, Text
from pbem.deadline_text import clock_in_words, end_in_words, long
from pbem.deadlines import HOUR
from pbem.errors import Missing
from pbem.i18n import gettext, labelled, speaking, step_by_step
from pbem.links import (
    ConfirmLink,
    KeepLink,
    Links,
    ReportLink,
    ThreadLink,
    TurnLink,
    order_code,
)
from pbem.mail import letters, parts, rendering, times
from pbem.mail.rendering import Letter
from pbem.services.letters import time_letters
from pbem.services.letters.reader_context import Owed, ReaderContext, SeatContext
from pbem.services.match import live_links, match_log, matches, turns
from pbem.services.records import announcements
from pbem.services.records.match_rows import MatchRecord, TurnRecord, find_turn, get_match, turns_of
from pbem.services.records.player_rows import find_player, get_player
from pbem.services.seats import leaving
from pbem.services.self_service import reports

MOST_LINKS = 12
"""Orders in a letter that have a link each; when there are more, there is one for each card."""
MOST_MESSAGES = 20
"""Messages in one letter; those behind them are on the page of the seat."""
DRAW = "draw"


def letter_for(owed: Owed, links: Links, now: int) -> Letter:
    """The letter with everything its reader may know, and nothing else."""
    player = get_player(owed.player)
    with speaking(player.language):
        if owed.kind in _TO_PLAYERS:
            about = str(owed.about.get("match", ""))
            report = ReportLink(player.id, owed.kind, now, about, epoch=player.epoch)
            return _TO_PLAYERS[owed.kind](ReaderContext(player, links, now, report), owed)
        assert owed.match is not None, f"{owed.kind} is about a match"
        assert owed.seat is not None, f"{owed.kind} goes to a seat"
        report = ReportLink(player.id, owed.kind, now, owed.match, owed.seat, player.epoch)
        match, upto = get_match(owed.match), owed.about.get("seq")
        context = SeatContext(player, links, now, report, match, owed.seat, upto)
        return _TO_SEATS[owed.kind](context, owed)


# --- to a person ----------------------------------------------------------------------------------


def _confirm(context: ReaderContext, owed: Owed) -> Letter:
    match = get_match(str(owed.about["match"]))
    link = ConfirmLink(context.player.id, context.player.epoch, match.id)
    url = context.links.url("confirm", link)
    return letters.confirm(
        context.reader_of(link), match.game.title.in_(context.language), context.site, url
    )


def _you(context: ReaderContext, owed: Owed) -> Letter:
    return letters.you(context.reader_with(live_links.to_own_page(context.player)), context.site)


def _answer(context: ReaderContext, owed: Owed) -> Letter:
    """What a moderator wrote about a report of the reader."""
    report = reports.get(int(owed.about["report"]))
    (line,) = [one for one in reports.lines(report.id) if one.id == int(owed.about["line"])]
    return letters.answer(
        context.reader,
        context.site,
        times.moment(report.created_at, context.reader),
        line.text.splitlines(),
        bool(owed.about["closes"]),
        context.links.url("thread", ThreadLink(report.id, context.player.id, context.player.epoch)),
    )


def _account(context: ReaderContext, owed: Owed) -> Letter:
    """What a moderator did about the reader, in the words that were read beforehand."""
    words = announcements.unpacked(owed.about["words"])
    change = owed.about.get("change")
    stop = KeepLink(int(change), context.player.id, context.player.epoch) if change else None
    return letters.account(
        context.reader,
        context.site,
        announcements.said(words, None, lambda at: times.moment(at, context.reader)),
        str(owed.about["reason"]),
        context.player.confirmed_at is not None,
        context.links.url("keep", stop) if stop else "",
    )


def _address(context: ReaderContext, owed: Owed) -> Letter:
    link = ConfirmLink(context.player.id, context.player.epoch)
    return letters.address(
        context.reader_of(link), context.site, context.links.url("confirm", link)
    )


_TO_PLAYERS = {
    "confirm": _confirm,
    "you": _you,
    "reminder": time_letters.reminder,
    "answer": _answer,
    "account": _account,
    "address": _address,
}


# --- to a seat ------------------------------------------------------------------------------------


def _invitation(context: SeatContext, owed: Owed) -> Letter:
    match, seat = context.match, context.seat
    creator = find_player(match.creator) if match.creator is not None else None
    link = live_links.to_invitation(match, seat, context.player)
    is_new = context.player.confirmed_at is None
    return letters.invitation(
        context.reader_of(link),
        context.table(),
        inviter=creator.name if creator and creator.id != context.player.id else "",
        options=_options(context),
        clock=clock_in_words(match.clock),
        fairness=context.fairness(),
        url=context.links.url("join", link),
        about=rendering.about_game(match.game_name, context.language) if is_new else [],
    )


def _options(context: SeatContext) -> list[str]:
    """What the setup says, in words; what it leaves out has its usual value."""
    setup = context.match.setup
    return [
        labelled(context.say(choice.label), _value(context, setup.get(choice.name), choice.values))
        for choice in context.game.choices()
    ]


def _value(context: SeatContext, chosen: Json, values: Sequence[tuple[str, Text]]) -> str:
    if chosen is None:
        return context.say(values[0][1])
    for word, label in values:
        if word == chosen:
            return context.say(label)
    return str(chosen.get("name", "")) if isinstance(chosen, dict) else str(chosen)


def _started(context: SeatContext, owed: Owed) -> Letter:
    state = match_log.state_at(context.match, 0)
    asked = context.game.waiting_on(state)
    begins = ", ".join(context.called(seat) for seat in context.match.seats if seat.name in asked)
    fairness = context.fairness()
    return letters.started(
        context.reader,
        context.table(),
        context.board(state),
        parts.Fairness(
            fairness.commitment, fairness.phrases, fairness.decks, _openings(context, state)
        ),
        begins,
        clock_in_words(context.match.clock),
    )


def _openings(context: SeatContext, state: Any) -> tuple[parts.Opening, ...]:
    """The proofs of the cards this seat may have opened, from the tree of its deck."""
    match, known = context.match, context.game.known_deck(state, context.seat.name)
    (setup,) = match_log.entries(match.id, 0, 0)
    shuffles = [draw for draw in setup.draws if draw.kind == "shuffle"]
    if len(shuffles) != 1:
        return ()
    key, cards = match_log.key_of(match), context.game.deck(state)
    tree = DeckTree(key, match.id, 0, shuffles[0].why, cards)
    opened = [tree.opening(position) for position in sorted(known)]
    return tuple([parts.Opening(o.position, o.card, o.salt, o.path) for o in opened])


def _turn(context: SeatContext, owed: Owed) -> Letter:
    match, turn = context.match, find_turn(owed.turn or 0)
    if turn is None:
        raise Missing("there is no such turn")
    before = _turn_before(match, turn)
    state = match_log.current(match)
    url = context.turn_url(turn)
    offered = turns.choices(match, state, context.seat.name)
    return letters.turn(
        context.reader,
        context.table(),
        context.happened(_told_up_to(owed, before), match.head_seq),
        context.board(state),
        choice_groups(context, turn, offered, url),
        example=offered[0].notation if offered else "",
        url=url,
        deadline=context.deadline_of(turn),
        clock=_what_bears_on(match, turn),
        said=_said_between(context, before.opened_at if before else -1, turn.opened_at),
        draw_offered=any(s.draw_offered for s in match.seats if s.number != context.seat.number),
        is_first=before is None,
    )


def _what_bears_on(match: MatchRecord, turn: TurnRecord) -> list[str]:
    """What was agreed about the end of a turn, and what there is in the bank."""
    if not match.clock.is_banked:
        return end_in_words(match.clock)
    bank = gettext("You have %(time)s in your bank for this turn; what you do not use stays there")
    hours = turn.budget - turn.budget % HOUR
    return [bank % {"time": long(hours or turn.budget)}, *end_in_words(match.clock)]


def _turn_before(match: MatchRecord, turn: TurnRecord) -> TurnRecord | None:
    earlier = [t for t in turns_of(match.id) if t.seat == turn.seat and t.id < turn.id]
    return earlier[-1] if earlier else None


def _told_up_to(owed: Owed, before: TurnRecord | None) -> int:
    """The newest entry the reader has seen: the last of the turn before, if nothing undid it.

    Of a turn that the clock ended, its player has seen the beginning.
    """
    seen = -1
    if before is not None and before.closed_seq is not None:
        seen = before.opened_seq if before.missed else before.closed_seq
    return min(seen, int(owed.about.get("from", 0)) - 1)


def _said_between(context: SeatContext, after: int, upto: int) -> list[parts.Said]:
    """What others have written since the turn letter before."""
    return [
        context.said(message)
        for message in matches.messages(context.match.id)
        if message.seat != context.seat.number and after < message.at <= upto
    ]


def _receipt(context: SeatContext, owed: Owed) -> Letter:
    last = int(owed.about["seq"])
    first = _began(context, last, int(owed.about["from"]))
    state = match_log.state_at(context.match, last)
    log = match_log.entries(context.match.id, first, last)
    own = [entry for entry in log if entry.actor == context.seat.name]
    return letters.receipt(
        context.reader,
        context.table(),
        [entry.text for entry in own],
        any(entry.kind == "timeout" for entry in own),
        context.happened(first - 1, last),
        context.board(state),
        context.waiting(state),
        context.other_deadline(),
    )


def _began(context: SeatContext, last: int, otherwise: int) -> int:
    """The first entry of the turn that an entry closed; it may have come in several pieces."""
    closed = [t for t in turns_of(context.match.id) if t.seat == context.seat.number]
    return next((t.opened_seq + 1 for t in closed if t.closed_seq == last), otherwise)


def _moved(context: SeatContext, owed: Owed) -> Letter:
    first, last = int(owed.about["from"]), int(owed.about["seq"])
    state = match_log.state_at(context.match, last)
    return letters.moved(
        context.reader,
        context.table(),
        context.happened(first - 1, last),
        context.board(state),
        context.waiting(state),
        context.other_deadline(),
    )


def _finished(context: SeatContext, owed: Owed) -> Letter:
    match, last = context.match, int(owed.about["seq"])
    state = match_log.state_at(match, last)
    outcome = context.game.outcome(state)
    winners = [] if match.result == DRAW else (match.result or "").split()
    return letters.finished(
        context.reader,
        context.table(),
        context.happened(_seen_before_the_end(context, last), last),
        context.board(state, is_over=True),
        ", ".join(context.called(seat) for seat in match.seats if seat.name in winners),
        context.seat.name in winners,
        context.say(outcome.reason) if outcome is not None else "",
        match.secret,
        context.fairness(),
    )


def _seen_before_the_end(context: SeatContext, last: int) -> int:
    """What the newest turn letter told; for a turn that was still open, all before it."""
    own = [t for t in turns_of(context.match.id) if t.seat == context.seat.number]
    if not own:
        return -1
    closed = last if own[-1].closed_seq is None else own[-1].closed_seq
    return closed if closed < last and not own[-1].missed else own[-1].opened_seq


def _declined(context: SeatContext, owed: Owed) -> Letter:
    by = context.match.seat(int(owed.about["by"]))
    return letters.declined(context.reader, context.table(), context.side(by.name))


def _cancelled(context: SeatContext, owed: Owed) -> Letter:
    return letters.cancelled(context.reader, context.table())


def _message(context: SeatContext, owed: Owed) -> Letter:
    if owed.about.get("draw"):
        by = context.called(context.match.seat(int(owed.about["by"])))
        return letters.draw_offer(context.reader, context.table(), by)
    found = [
        message
        for message in matches.messages(context.match.id, int(owed.about["message"]) - 1)
        if message.seat != context.seat.number
    ]
    said = [context.said(message) for message in found[:MOST_MESSAGES]]
    return letters.message(context.reader, context.table(), said, len(found) - len(said))


def _leave(context: SeatContext, owed: Owed) -> Letter:
    """The question whether it was really the player who lends the seat or gives it up."""
    link = leaving.link_of(context.match, context.seat, owed.about)
    asked = find_player(link.to) if link.to is not None else None
    return letters.leave(
        context.reader,
        context.table(),
        who=asked.address if asked else "",
        start=context.moment(link.start if link.start > context.now else None),
        end=context.moment(link.end),
        url=context.links.url("leave", link),
        until=context.moment(link.asked_at + leaving.LASTS),
    )


def _moderated(context: SeatContext, owed: Owed) -> Letter:
    """What a moderator did, in the words that were read beforehand; no position is in it."""
    words = announcements.unpacked(owed.about["words"])
    return letters.moderated(
        context.reader,
        context.table(),
        announcements.said(words, context.match, context.moment),
        str(owed.about["reason"]),
    )


_TO_SEATS = {
    "invitation": _invitation,
    "started": _started,
    "turn": _turn,
    "receipt": _receipt,
    "moved": _moved,
    "finished": _finished,
    "declined": _declined,
    "cancelled": _cancelled,
    "message": _message,
    "late": time_letters.late,
    "claim": time_letters.claim,
    "away": time_letters.away,
    "stand_in": time_letters.stand_in,
    "briefing": time_letters.briefing,
    "moderated": _moderated,
    leaving.LETTER: _leave,
}


# --- choices --------------------------------------------------------------------------------------


def choice_groups(
    context: SeatContext, turn: TurnRecord, offered: Sequence[turns.Choice], turn_url: str
) -> list[parts.ChoiceGroup]:
    """Legal orders by their first word: each with its link, or one link for each second word."""
    groups = []
    for _, group in groupby(offered, key=lambda choice: choice.path[0].word):
        choices = list(group)
        if len(choices[0].path) == 1:
            groups.append(parts.ChoiceGroup("", tuple(_links(context, turn, choices, 0))))
            continue
        title = context.say(choices[0].path[0].label)
        if len(offered) > MOST_LINKS:
            lines = _cards(context, turn, choices, turn_url)
        else:
            lines = _links(context, turn, choices, 1)
        groups.append(parts.ChoiceGroup(title, tuple(lines)))
    return groups


def _links(
    context: SeatContext, turn: TurnRecord, choices: Sequence[turns.Choice], skip: int
) -> list[parts.Choice]:
    """A link for each order; its words are those after the first `skip`."""
    return [
        parts.Choice(
            step_by_step(context.say(option.label) for option in choice.path[skip:]),
            choice.notation,
            _order_url(context, turn, choice.notation),
        )
        for choice in choices
    ]


def _order_url(context: SeatContext, turn: TurnRecord, notation: str) -> str:
    code = order_code(context.match.secret, turn.id, notation)
    link = TurnLink(context.match.id, turn.seat, turn.id, context.seat.epoch, code)
    return context.links.url("order", link)


def _cards(
    context: SeatContext, turn: TurnRecord, choices: Sequence[turns.Choice], turn_url: str
) -> list[parts.Choice]:
    """A line for each second word; where more must be said, it leads into the turn page."""
    lines: list[parts.Choice] = []
    for _, group in groupby(choices, key=lambda choice: choice.path[1].word):
        alike = list(group)
        if len(alike[0].path) == 2:
            lines += _links(context, turn, alike, 1)
            continue
        first, second = alike[0].path[:2]
        url = f"{turn_url}?prefix={quote_plus(f'{first.word} {second.word}')}"
        lines.append(parts.Choice(context.say(second.label), "", url, len(alike)))
    return lines
