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
from pbem.mail import letters
from pbem.mail.letters import Letter
from pbem.services.letters import time_letters
from pbem.services.letters.reader_context import Desk, Owed, SeatDesk
from pbem.services.match import live_links, match_log, matches, turns
from pbem.services.records import announcements
from pbem.services.records.records import (
    MatchRecord,
    TurnRecord,
    find_player,
    find_turn,
    get_match,
    get_player,
    turns_of,
)
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
            return _TO_PLAYERS[owed.kind](Desk(player, links, now, report), owed)
        assert owed.match is not None, f"{owed.kind} is about a match"
        assert owed.seat is not None, f"{owed.kind} goes to a seat"
        report = ReportLink(player.id, owed.kind, now, owed.match, owed.seat, player.epoch)
        match, upto = get_match(owed.match), owed.about.get("seq")
        desk = SeatDesk(player, links, now, report, match, owed.seat, upto)
        return _TO_SEATS[owed.kind](desk, owed)


# --- to a person ----------------------------------------------------------------------------------


def _confirm(desk: Desk, owed: Owed) -> Letter:
    match = get_match(str(owed.about["match"]))
    link = ConfirmLink(desk.player.id, desk.player.epoch, match.id)
    url = desk.links.url("confirm", link)
    return letters.confirm(
        desk.reader_of(link), match.game.title.in_(desk.language), desk.site, url
    )


def _you(desk: Desk, owed: Owed) -> Letter:
    return letters.you(desk.reader_with(live_links.to_own_page(desk.player)), desk.site)


def _answer(desk: Desk, owed: Owed) -> Letter:
    """What a moderator wrote about a report of the reader."""
    report = reports.get(int(owed.about["report"]))
    (line,) = [one for one in reports.lines(report.id) if one.id == int(owed.about["line"])]
    return letters.answer(
        desk.reader,
        desk.site,
        letters.moment(report.created_at, desk.reader),
        line.text.splitlines(),
        bool(owed.about["closes"]),
        desk.links.url("thread", ThreadLink(report.id, desk.player.id, desk.player.epoch)),
    )


def _account(desk: Desk, owed: Owed) -> Letter:
    """What a moderator did about the reader, in the words that were read beforehand."""
    words = announcements.unpacked(owed.about["words"])
    change = owed.about.get("change")
    stop = KeepLink(int(change), desk.player.id, desk.player.epoch) if change else None
    return letters.account(
        desk.reader,
        desk.site,
        announcements.said(words, None, lambda at: letters.moment(at, desk.reader)),
        str(owed.about["reason"]),
        desk.player.confirmed_at is not None,
        desk.links.url("keep", stop) if stop else "",
    )


def _address(desk: Desk, owed: Owed) -> Letter:
    link = ConfirmLink(desk.player.id, desk.player.epoch)
    return letters.address(desk.reader_of(link), desk.site, desk.links.url("confirm", link))


_TO_PLAYERS = {
    "confirm": _confirm,
    "you": _you,
    "reminder": time_letters.reminder,
    "answer": _answer,
    "account": _account,
    "address": _address,
}


# --- to a seat ------------------------------------------------------------------------------------


def _invitation(desk: SeatDesk, owed: Owed) -> Letter:
    match, seat = desk.match, desk.seat
    creator = find_player(match.creator) if match.creator is not None else None
    link = live_links.to_invitation(match, seat, desk.player)
    is_new = desk.player.confirmed_at is None
    return letters.invitation(
        desk.reader_of(link),
        desk.table(),
        inviter=creator.name if creator and creator.id != desk.player.id else "",
        options=_options(desk),
        clock=clock_in_words(match.clock),
        fairness=desk.fairness(),
        url=desk.links.url("join", link),
        about=letters.about_game(match.game_name, desk.language) if is_new else [],
    )


def _options(desk: SeatDesk) -> list[str]:
    """What the setup says, in words; what it leaves out has its usual value."""
    setup = desk.match.setup
    return [
        labelled(desk.say(choice.label), _value(desk, setup.get(choice.name), choice.values))
        for choice in desk.game.choices()
    ]


def _value(desk: SeatDesk, chosen: Json, values: Sequence[tuple[str, Text]]) -> str:
    if chosen is None:
        return desk.say(values[0][1])
    for word, label in values:
        if word == chosen:
            return desk.say(label)
    return str(chosen.get("name", "")) if isinstance(chosen, dict) else str(chosen)


def _started(desk: SeatDesk, owed: Owed) -> Letter:
    state = match_log.state_at(desk.match, 0)
    asked = desk.game.waiting_on(state)
    begins = ", ".join(desk.called(seat) for seat in desk.match.seats if seat.name in asked)
    fairness = desk.fairness()
    return letters.started(
        desk.reader,
        desk.table(),
        desk.board(state),
        letters.Fairness(
            fairness.commitment, fairness.phrases, fairness.decks, _openings(desk, state)
        ),
        begins,
        clock_in_words(desk.match.clock),
    )


def _openings(desk: SeatDesk, state: Any) -> tuple[letters.Opening, ...]:
    """The proofs of the cards this seat may have opened, from the tree of its deck."""
    match, known = desk.match, desk.game.known_deck(state, desk.seat.name)
    (setup,) = match_log.entries(match.id, 0, 0)
    shuffles = [draw for draw in setup.draws if draw.kind == "shuffle"]
    if len(shuffles) != 1:
        return ()
    key, cards = match_log.key_of(match), desk.game.deck(state)
    tree = DeckTree(key, match.id, 0, shuffles[0].why, cards)
    opened = [tree.opening(position) for position in sorted(known)]
    return tuple([letters.Opening(o.position, o.card, o.salt, o.path) for o in opened])


def _turn(desk: SeatDesk, owed: Owed) -> Letter:
    match, turn = desk.match, find_turn(owed.turn or 0)
    if turn is None:
        raise Missing("there is no such turn")
    before = _turn_before(match, turn)
    state = match_log.current(match)
    url = desk.turn_url(turn)
    offered = turns.choices(match, state, desk.seat.name)
    return letters.turn(
        desk.reader,
        desk.table(),
        desk.happened(_told_up_to(owed, before), match.head_seq),
        desk.board(state),
        choice_groups(desk, turn, offered, url),
        example=offered[0].notation if offered else "",
        url=url,
        deadline=desk.deadline_of(turn),
        clock=_what_bears_on(match, turn),
        said=_said_between(desk, before.opened_at if before else -1, turn.opened_at),
        draw_offered=any(s.draw_offered for s in match.seats if s.number != desk.seat.number),
        is_first=before is None,
    )


def _what_bears_on(match: MatchRecord, turn: TurnRecord) -> list[str]:
    """What was agreed about the end of a turn, and what there is in the bank."""
    if not match.clock.is_banked:
        return end_in_words(match.clock)
    bank = gettext(
        "You have %(time)s in your time bank for this turn; what you do not use stays there"
    )
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


def _said_between(desk: SeatDesk, after: int, upto: int) -> list[letters.Said]:
    """What others have written since the turn letter before."""
    return [
        desk.said(message)
        for message in matches.messages(desk.match.id)
        if message.seat != desk.seat.number and after < message.at <= upto
    ]


def _receipt(desk: SeatDesk, owed: Owed) -> Letter:
    last = int(owed.about["seq"])
    first = _began(desk, last, int(owed.about["from"]))
    state = match_log.state_at(desk.match, last)
    log = match_log.entries(desk.match.id, first, last)
    own = [entry for entry in log if entry.actor == desk.seat.name]
    return letters.receipt(
        desk.reader,
        desk.table(),
        [entry.text for entry in own],
        any(entry.kind == "timeout" for entry in own),
        desk.happened(first - 1, last),
        desk.board(state),
        desk.waiting(state),
        desk.other_deadline(),
    )


def _began(desk: SeatDesk, last: int, otherwise: int) -> int:
    """The first entry of the turn that an entry closed; it may have come in several pieces."""
    closed = [t for t in turns_of(desk.match.id) if t.seat == desk.seat.number]
    return next((t.opened_seq + 1 for t in closed if t.closed_seq == last), otherwise)


def _moved(desk: SeatDesk, owed: Owed) -> Letter:
    first, last = int(owed.about["from"]), int(owed.about["seq"])
    state = match_log.state_at(desk.match, last)
    return letters.moved(
        desk.reader,
        desk.table(),
        desk.happened(first - 1, last),
        desk.board(state),
        desk.waiting(state),
        desk.other_deadline(),
    )


def _finished(desk: SeatDesk, owed: Owed) -> Letter:
    match, last = desk.match, int(owed.about["seq"])
    state = match_log.state_at(match, last)
    outcome = desk.game.outcome(state)
    winners = [] if match.result == DRAW else (match.result or "").split()
    return letters.finished(
        desk.reader,
        desk.table(),
        desk.happened(_seen_before_the_end(desk, last), last),
        desk.board(state, is_over=True),
        ", ".join(desk.called(seat) for seat in match.seats if seat.name in winners),
        desk.seat.name in winners,
        desk.say(outcome.reason) if outcome is not None else "",
        match.secret,
        desk.fairness(),
    )


def _seen_before_the_end(desk: SeatDesk, last: int) -> int:
    """What the newest turn letter told; for a turn that was still open, all before it."""
    own = [t for t in turns_of(desk.match.id) if t.seat == desk.seat.number]
    if not own:
        return -1
    closed = last if own[-1].closed_seq is None else own[-1].closed_seq
    return closed if closed < last and not own[-1].missed else own[-1].opened_seq


def _declined(desk: SeatDesk, owed: Owed) -> Letter:
    by = desk.match.seat(int(owed.about["by"]))
    return letters.declined(desk.reader, desk.table(), desk.side(by.name))


def _cancelled(desk: SeatDesk, owed: Owed) -> Letter:
    return letters.cancelled(desk.reader, desk.table())


def _message(desk: SeatDesk, owed: Owed) -> Letter:
    if owed.about.get("draw"):
        by = desk.called(desk.match.seat(int(owed.about["by"])))
        return letters.draw_offer(desk.reader, desk.table(), by)
    found = [
        message
        for message in matches.messages(desk.match.id, int(owed.about["message"]) - 1)
        if message.seat != desk.seat.number
    ]
    said = [desk.said(message) for message in found[:MOST_MESSAGES]]
    return letters.message(desk.reader, desk.table(), said, len(found) - len(said))


def _leave(desk: SeatDesk, owed: Owed) -> Letter:
    """The question whether it was really the player who lends the seat or gives it up."""
    link = leaving.link_of(desk.match, desk.seat, owed.about)
    asked = find_player(link.to) if link.to is not None else None
    return letters.leave(
        desk.reader,
        desk.table(),
        who=asked.address if asked else "",
        start=desk.moment(link.start if link.start > desk.now else None),
        end=desk.moment(link.end),
        url=desk.links.url("leave", link),
        until=desk.moment(link.asked_at + leaving.LASTS),
    )


def _moderated(desk: SeatDesk, owed: Owed) -> Letter:
    """What a moderator did, in the words that were read beforehand; no position is in it."""
    words = announcements.unpacked(owed.about["words"])
    return letters.moderated(
        desk.reader,
        desk.table(),
        announcements.said(words, desk.match, desk.moment),
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
    desk: SeatDesk, turn: TurnRecord, offered: Sequence[turns.Choice], turn_url: str
) -> list[letters.ChoiceGroup]:
    """Legal orders by their first word: each with its link, or one link for each second word."""
    groups = []
    for _, group in groupby(offered, key=lambda choice: choice.path[0].word):
        choices = list(group)
        if len(choices[0].path) == 1:
            groups.append(letters.ChoiceGroup("", tuple(_links(desk, turn, choices, 0))))
            continue
        title = desk.say(choices[0].path[0].label)
        if len(offered) > MOST_LINKS:
            lines = _cards(desk, turn, choices, turn_url)
        else:
            lines = _links(desk, turn, choices, 1)
        groups.append(letters.ChoiceGroup(title, tuple(lines)))
    return groups


def _links(
    desk: SeatDesk, turn: TurnRecord, choices: Sequence[turns.Choice], skip: int
) -> list[letters.Choice]:
    """A link for each order; its words are those after the first `skip`."""
    return [
        letters.Choice(
            step_by_step(desk.say(option.label) for option in choice.path[skip:]),
            choice.notation,
            _order_url(desk, turn, choice.notation),
        )
        for choice in choices
    ]


def _order_url(desk: SeatDesk, turn: TurnRecord, notation: str) -> str:
    code = order_code(desk.match.secret, turn.id, notation)
    link = TurnLink(desk.match.id, turn.seat, turn.id, desk.seat.epoch, code)
    return desk.links.url("order", link)


def _cards(
    desk: SeatDesk, turn: TurnRecord, choices: Sequence[turns.Choice], turn_url: str
) -> list[letters.Choice]:
    """A line for each second word; where more must be said, it leads into the turn page."""
    lines: list[letters.Choice] = []
    for _, group in groupby(choices, key=lambda choice: choice.path[1].word):
        alike = list(group)
        if len(alike[0].path) == 2:
            lines += _links(desk, turn, alike, 1)
            continue
        first, second = alike[0].path[:2]
        url = f"{turn_url}?prefix={quote_plus(f'{first.word} {second.word}')}"
        lines.append(letters.Choice(desk.say(second.label), "", url, len(alike)))
    return lines
