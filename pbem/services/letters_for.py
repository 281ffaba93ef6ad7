"""What one reader is told: gathered from the log and the tables for a letter that is owed.

Whatever shows a position asks the game for the view of the reader's own seat; the state itself goes
no further than this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlsplit

from markupsafe import Markup

from engine.chance import DeckTree
from engine.core import Json, Language, Seat, Text
from engine.replay import Entry
from engine.text import repeated
from pbem.clock import HOUR
from pbem.clock_words import clock_in_words, end_in_words, long
from pbem.errors import Missing
from pbem.links import (
    ActLink,
    ConfirmLink,
    JoinLink,
    Links,
    ReportLink,
    StandLink,
    ThreadLink,
    TurnLink,
    YouLink,
    order_code,
)
from pbem.mail import letters
from pbem.mail.letters import Letter
from pbem.services import (
    announcements,
    clocks,
    history,
    lateness,
    matches,
    reports,
    stand_ins,
    turns,
)
from pbem.services.records import (
    JOINED,
    LIVE,
    VACANT,
    MatchRecord,
    PlayerRecord,
    SeatRecord,
    TurnRecord,
    find_player,
    find_turn,
    get_match,
    get_player,
    open_turns,
    turns_of,
)
from pbem.store import rows
from pbem.words import as_language, gettext, labelled, speaking, step_by_step

MOST_LINKS = 12
"""Orders in a letter that have a link each; when there are more, there is one for each card."""
DRAW = "draw"
MOST_SAID = 10
"""Messages that a newcomer to a seat reads."""


class Owed(NamedTuple):
    """A letter that is owed, as the outbox has it."""

    kind: str
    player: int
    match: str | None
    seat: int | None
    turn: int | None
    about: dict[str, Any]


def letter_for(owed: Owed, links: Links, now: int) -> Letter:
    """The letter with everything its reader may know, and nothing else."""
    player = get_player(owed.player)
    with speaking(player.language):
        if owed.kind in _TO_PLAYERS:
            report = ReportLink(player.id, owed.kind, now, str(owed.about.get("match", "")))
            return _TO_PLAYERS[owed.kind](Desk(player, links, now, report), owed)
        assert owed.match is not None, f"{owed.kind} is about a match"
        assert owed.seat is not None, f"{owed.kind} goes to a seat"
        report = ReportLink(player.id, owed.kind, now, owed.match, owed.seat)
        desk = SeatDesk(player, links, now, report, get_match(owed.match), owed.seat)
        return _TO_SEATS[owed.kind](desk, owed)


class Desk:
    """Where a letter to one person is written; `report` is the way to report it."""

    def __init__(self, player: PlayerRecord, links: Links, now: int, report: ReportLink) -> None:
        self.player, self.links, self.now, self.report = player, links, now, report
        self.language: Language = as_language(player.language)
        own = YouLink(player.id, player.epoch)
        self.reader = letters.Reader(
            name=player.name,
            language=self.language,
            zone=player.zone,
            you_url=links.url("you", own),
            mute_url=links.url("mute", own),
            report_url=links.url("report", report),
        )

    @property
    def site(self) -> str:
        return urlsplit(self.links.base_url).netloc


class SeatDesk(Desk):
    """Where a letter to one seat is written; it sees the match through that seat's eyes."""

    def __init__(
        self,
        player: PlayerRecord,
        links: Links,
        now: int,
        report: ReportLink,
        match: MatchRecord,
        number: int,
    ) -> None:
        super().__init__(player, links, now, report)
        self.match, self.seat = match, match.seat(number)
        self.game = match.game
        players = [find_player(s.player) if s.player is not None else None for s in match.seats]
        self._names = [player.name if player else "" for player in players]

    def say(self, text: Text) -> str:
        return self.game.say(text, self.language)

    def side(self, seat: Seat) -> str:
        return self.game.seat_name(seat).in_(self.language)

    def table(self) -> letters.Table:
        """The match; the page of the seat only for who holds it."""
        base, match = self.links.base_url, self.match
        act = ActLink(match.id, self.seat.number, self.seat.epoch)
        return letters.Table(
            id=match.id,
            game=self.game.title.in_(self.language),
            seat=self.side(self.seat.name),
            players=tuple((self.side(seat.name), self.name_of(seat)) for seat in match.seats),
            others=", ".join(
                self.called(seat) for seat in match.seats if seat.number != self.seat.number
            ),
            site=self.site,
            site_url=base,
            url=f"{base}/match/{match.id}",
            rules_url=f"{base}/rules/{match.game_name}",
            seat_url=self.links.url("act", act) if self.seat.player == self.player.id else "",
        )

    def name_of(self, seat: SeatRecord) -> str:
        """Who plays a seat, by name; by side when there is none."""
        return self._names[seat.number] or self.side(seat.name)

    def called(self, seat: SeatRecord) -> str:
        """A player with the side: `Ann (USA)`."""
        name, side = self.name_of(seat), self.side(seat.name)
        return side if name == side else f"{name} ({side})"

    def called_then(self, seat: SeatRecord) -> str:
        """Who held a seat when something happened; the side, where several have held it."""
        return self.side(seat.name) if seat.number in self._handed_on else self.called(seat)

    @cached_property
    def _handed_on(self) -> set[int]:
        found = rows(
            "SELECT seat FROM loan WHERE match_id = ? AND state IN (?, ?)",
            self.match.id,
            stand_ins.RUNNING,
            stand_ins.RETURNED,
        )
        return {number for (number,) in found}

    def board(self, state: Any, is_over: bool = False) -> letters.Board:
        """The position; of a match that is over, however that came about, it asks nothing."""
        view = self.game.view(state, self.seat.name)
        return self._drawn(self.game.closed(view) if is_over else view)

    def public_board(self) -> letters.Board:
        """The position as everybody may see it, for who does not hold the seat."""
        return self._drawn(self.game.view(history.current(self.match), None))

    def _drawn(self, view: Any) -> letters.Board:
        return letters.Board(
            self.game.render(view, letters.WIDTH, self.language, news=False),
            Markup(self.game.markup(view, self.language)),
        )

    def waiting(self, state: Any) -> str:
        """Who has to act, without the reader."""
        asked = self.game.waiting_on(state) - {self.seat.name}
        return ", ".join(self.called(seat) for seat in self.match.seats if seat.name in asked)

    def happened(self, after: int, upto: int) -> list[letters.Happening]:
        """What the log tells this seat, entry after entry; orders in a row are one happening."""
        told = history.told_since(self.match, self.seat.name, after, upto)
        return [
            letters.Happening(kind, self._actor(actor), self._lines(group))
            for (kind, actor), group in groupby(told, key=_announcement)
            if kind in _SPOKEN
        ]

    def _actor(self, actor: str) -> str:
        seat = self.match.seat_named(actor)
        return actor if seat is None else self.called_then(seat)

    def _lines(self, group: Iterator[history.Told]) -> tuple[letters.Told, ...]:
        lines = repeated(self.say(event.text) for told in group for event in told.events)
        return tuple([letters.Told(line, count) for line, count in lines])

    def open_turn(self, seat: int | None = None) -> TurnRecord | None:
        """What is asked of a seat now; of the reader's own, if none is named."""
        number = self.seat.number if seat is None else seat
        return next((t for t in open_turns(self.match.id) if t.seat == number), None)

    def turn_url(self, turn: TurnRecord) -> str:
        return self.links.url("turn", TurnLink(self.match.id, turn.seat, turn.id, self.seat.epoch))

    def other_deadline(self) -> letters.Deadline | None:
        """Until when the match waits for somebody else."""
        waiting = [t for t in open_turns(self.match.id) if t.seat != self.seat.number]
        return self.deadline_of(*waiting)

    def deadline_of(self, *asked: TurnRecord) -> letters.Deadline | None:
        """When the first of these turns ends; never, while the clocks stand still.

        The clock of a turn starts when its letter is handed over, which is as good as now.
        """
        if not asked or self.match.paused_at is not None:
            return None
        ends = [clocks.expected_deadline(self.match, turn, self.now) for turn in asked]
        return letters.deadline(min(ends), self.now, self.reader)

    def moment(self, at: int | None) -> str:
        return "" if at is None else letters.moment(at, self.reader)

    def fairness(self) -> letters.Fairness:
        """What is public about chance: commitment, phrases, deck roots."""
        match = self.match
        if match.head_seq < 0:
            return letters.Fairness(match.commitment)
        decks = history.deck_roots(match, history.state_at(match, 0), revealed=False)
        return letters.Fairness(
            match.commitment,
            tuple((self.called(seat), seat.phrase) for seat in match.seats if seat.phrase),
            tuple((deck.root, deck.leaves) for deck in decks),
        )


_SPOKEN = ("action", "timeout", "rewind", "resign", "draw", "forfeit")


def _announcement(told: history.Told) -> tuple[str, str]:
    """What has to be said before an entry's events; the deal and all orders need nothing."""
    entry: Entry = told.entry
    if entry.kind in ("action", "setup"):
        return "action", ""
    return entry.kind, entry.actor


# --- to a person ----------------------------------------------------------------------------------


def _confirm(desk: Desk, owed: Owed) -> Letter:
    match = get_match(str(owed.about["match"]))
    link = ConfirmLink(desk.player.id, desk.player.epoch, match.id)
    url = desk.links.url("confirm", link)
    return letters.confirm(desk.reader, match.game.title.in_(desk.language), desk.site, url)


def _you(desk: Desk, owed: Owed) -> Letter:
    return letters.you(desk.reader, desk.site)


def _reminder(desk: Desk, owed: Owed) -> Letter:
    """Everything that waits, whatever it was owed for: the reader need not come twice."""
    is_daily = bool(owed.about["digest"])
    found = [(_seat_desk(desk, t.match, t.seat), t) for t in clocks.running_turns(owed.player)]
    waiting = [_waiting(at, turn) for at, turn in found]
    if not (waiting or is_daily):
        raise Missing("nothing waits any more")
    asked = {(turn.match, turn.seat) for _, turn in found}
    others = [pair for pair in seats_of(owed.player) if pair not in asked] if is_daily else []
    only = found[0][0] if len(found) == 1 else None
    return letters.reminder(
        only.reader if only else desk.reader,
        desk.site,
        waiting,
        only.board(history.current(only.match)) if only else None,
        [_elsewhere(_seat_desk(desk, *pair)) for pair in others],
        is_daily,
    )


def _seat_desk(desk: Desk, match: str, seat: int) -> SeatDesk:
    report = ReportLink(desk.player.id, desk.report.letter, desk.now, match, seat)
    return SeatDesk(desk.player, desk.links, desk.now, report, get_match(match), seat)


def _waiting(desk: SeatDesk, turn: TurnRecord) -> letters.Waiting:
    ends = letters.deadline(turn.deadline_at, desk.now, desk.reader)
    grace = turn.deadline_at + desk.match.clock.grace
    return letters.Waiting(
        desk.table(),
        ends,
        letters.deadline(grace, desk.now, desk.reader) if ends.is_past else None,
        desk.turn_url(turn),
    )


def _elsewhere(desk: SeatDesk) -> letters.Elsewhere:
    asked = open_turns(desk.match.id)
    ends = desk.deadline_of(*asked)
    return letters.Elsewhere(
        desk.table(),
        ", ".join(desk.called(desk.match.seat(turn.seat)) for turn in asked) if ends else "",
        ends.local if ends else "",
    )


def seats_of(player: int) -> list[tuple[str, int]]:
    """The matches a player is playing, each with the number of the seat."""
    return rows(
        "SELECT s.match_id, s.number FROM seat s JOIN match m ON m.id = s.match_id"
        " WHERE s.player_id = ? AND s.status = ? AND m.status = ? ORDER BY m.started_at, s.id",
        player,
        JOINED,
        LIVE,
    )


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
    return letters.account(
        desk.reader,
        desk.site,
        announcements.said(words, None, lambda at: letters.moment(at, desk.reader)),
        str(owed.about["reason"]),
        desk.player.confirmed_at is not None,
    )


def _address(desk: Desk, owed: Owed) -> Letter:
    link = ConfirmLink(desk.player.id, desk.player.epoch)
    return letters.address(desk.reader, desk.site, desk.links.url("confirm", link))


_TO_PLAYERS = {
    "confirm": _confirm,
    "you": _you,
    "reminder": _reminder,
    "answer": _answer,
    "account": _account,
    "address": _address,
}


# --- to a seat ------------------------------------------------------------------------------------


def _invitation(desk: SeatDesk, owed: Owed) -> Letter:
    match, seat = desk.match, desk.seat
    creator = find_player(match.creator) if match.creator is not None else None
    link = JoinLink(match.id, seat.number, desk.player.id, seat.epoch)
    is_new = desk.player.confirmed_at is None
    return letters.invitation(
        desk.reader,
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
    state = history.state_at(desk.match, 0)
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
    (setup,) = history.entries(match.id, 0, 0)
    shuffles = [draw for draw in setup.draws if draw.kind == "shuffle"]
    if len(shuffles) != 1:
        return ()
    key, cards = history.key_of(match), desk.game.deck(state)
    tree = DeckTree(key, match.id, 0, shuffles[0].why, cards)
    opened = [tree.opening(position) for position in sorted(known)]
    return tuple([letters.Opening(o.position, o.card, o.salt, o.path) for o in opened])


def _turn(desk: SeatDesk, owed: Owed) -> Letter:
    match, turn = desk.match, find_turn(owed.turn or 0)
    if turn is None:
        raise Missing("there is no such turn")
    before = _turn_before(match, turn)
    state = history.current(match)
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


def _said_between(desk: SeatDesk, after: int, upto: int) -> list[letters.Said]:
    """What others have written since the turn letter before."""
    return [
        _said(desk, message)
        for message in matches.messages(desk.match.id)
        if message.seat != desk.seat.number and after < message.at <= upto
    ]


def _said(desk: SeatDesk, message: matches.Said) -> letters.Said:
    return letters.Said(
        by=desk.called_then(desk.match.seat(message.seat)),
        at=letters.moment(message.at, desk.reader),
        lines=tuple(message.text.splitlines()),
    )


def _receipt(desk: SeatDesk, owed: Owed) -> Letter:
    last = int(owed.about["seq"])
    first = _began(desk, last, int(owed.about["from"]))
    state = history.state_at(desk.match, last)
    log = history.entries(desk.match.id, first, last)
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
    state = history.state_at(desk.match, last)
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
    state = history.state_at(match, last)
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
        return letters.message(desk.reader, desk.table(), letters.Said(by, "", ()), draw=True)
    number = int(owed.about["message"])
    (message,) = [m for m in matches.messages(desk.match.id, number - 1) if m.id == number]
    return letters.message(desk.reader, desk.table(), _said(desk, message), draw=False)


# --- about time -----------------------------------------------------------------------------------


def _late(desk: SeatDesk, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    grace = desk.match.clock.grace
    until = max(turn.deadline_at, desk.now) + grace
    return letters.late(
        desk.reader,
        desk.table(),
        desk.called(desk.match.seat(turn.seat)),
        letters.deadline(turn.deadline_at, desk.now, desk.reader),
        letters.deadline(until, desk.now, desk.reader) if grace else None,
        _then(desk.match, turn),
        desk.turn_url(turn) if turn.seat == desk.seat.number else "",
    )


def _turn_of(owed: Owed) -> TurnRecord:
    turn = find_turn(int(owed.about["of"]))
    if turn is None:
        raise Missing("there is no such turn")
    return turn


def _then(match: MatchRecord, turn: TurnRecord) -> str:
    """What happens when the grace of a turn is over, as `lateness` does it."""
    policy, seat = match.clock.policy, match.seat(turn.seat)
    is_opened = seat.missed + 1 >= lateness.MOST_MISSED
    if len(match.seats) == 2:
        if policy in ("claim", "forfeit"):
            return policy
        if match.game.default_action(history.current(match), seat.name) is None:
            return "forfeit"
        return "stand_in" if is_opened else "default"
    if policy == "ally" and any(_sits(match, ally) for ally in match.game.allies(seat.name)):
        return policy
    return "default" if policy == "default" and not is_opened else "stand_in"


def _sits(match: MatchRecord, name: Seat) -> bool:
    seat = match.seat_named(name)
    return seat is not None and seat.status == JOINED


def _claim(desk: SeatDesk, owed: Owed) -> Letter:
    turn = _turn_of(owed)
    ends = desk.now + turn.budget + desk.match.clock.grace
    return letters.claim(
        desk.reader,
        desk.table(),
        desk.called(desk.match.seat(turn.seat)),
        letters.deadline(turn.deadline_at, desk.now, desk.reader),
        letters.deadline(ends, desk.now, desk.reader),
    )


def _away(desk: SeatDesk, owed: Owed) -> Letter:
    about, by = owed.about, owed.about["by"]
    seat = None if by is None else desk.match.seat(int(by))
    own, shown = desk.open_turn(), list[TurnRecord]()
    if about["what"] in ("booked", "cancelled", "floating", "own_floating") and seat is not None:
        shown = [turn for turn in [desk.open_turn(seat.number)] if turn is not None]
    elif about["what"] in ("resumed", "given_time"):
        shown = open_turns(desk.match.id) if own is None else [own]
    return letters.away(
        desk.reader,
        desk.table(),
        what=str(about["what"]),
        who=desk.called(seat) if seat else "",
        side=desk.side(seat.name) if seat else "",
        start=desk.moment(about.get("start")),
        end=desk.moment(about.get("end")),
        longest=letters.Length(*letters.span(clocks.pause_left(desk.match, desk.now))),
        waiting=", ".join(desk.called(desk.match.seat(turn.seat)) for turn in shown),
        deadline=desk.deadline_of(*shown),
        url=desk.turn_url(own) if own in shown else "",
    )


def _stand_in(desk: SeatDesk, owed: Owed) -> Letter:
    """To somebody who does not hold the seat, or not for long: nothing of the seat is in it."""
    loan, what = _loan_of(owed), str(owed.about["what"])
    is_asked, player = what == "asked", desk.player
    other = loan.owner if player.id != loan.owner else loan.stand_in
    is_by_name = loan.stand_in is not None and desk.seat.status == VACANT  # by a moderator
    turn = desk.open_turn() if is_asked else None
    link = StandLink(loan.id, player.id, player.epoch)
    return letters.stand_in(
        desk.reader,
        desk.table(),
        what="opened" if is_asked and loan.owner == player.id else what,
        who="" if is_asked and is_by_name else _name_of(other),
        start=desk.moment(loan.start if loan.start > desk.now else None),
        end=desk.moment(loan.end),
        deadline=desk.deadline_of(turn) if turn else None,
        clock=clock_in_words(desk.match.clock),
        board=desk.public_board() if is_asked else None,
        url=desk.links.url("stand", link),
        about=letters.about_game(desk.match.game_name, desk.language)
        if is_asked and player.confirmed_at is None
        else [],
        is_volunteer=loan.stand_in is None,
    )


def _loan_of(owed: Owed) -> stand_ins.Loan:
    loan = stand_ins.find_loan(int(owed.about["loan"]))
    if loan is None:
        raise Missing("there is no such offer")
    return loan


def _name_of(player: int | None) -> str:
    found = find_player(player) if player is not None else None
    return found.name if found else ""


def _briefing(desk: SeatDesk, owed: Owed) -> Letter:
    """All that the seat has been told; whoever sits there now was not there then."""
    match, loan = desk.match, _loan_of(owed)
    state, turn = history.current(match), desk.open_turn()
    is_back = bool(owed.about["back"])
    before = loan.stand_in if is_back else loan.owner
    return letters.briefing(
        desk.reader,
        desk.table(),
        who=_name_of(before) if before != desk.player.id else "",
        is_back=is_back or before == desk.player.id,
        start=desk.moment(loan.start),
        end=desk.moment(loan.end),
        happened=desk.happened(-1, match.head_seq),
        board=desk.board(state),
        said=[_said(desk, message) for message in matches.messages(match.id)[-MOST_SAID:]],
        waiting=desk.waiting(state),
        deadline=desk.deadline_of(turn) if turn else desk.other_deadline(),
        url=desk.turn_url(turn) if turn else "",
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
    "late": _late,
    "claim": _claim,
    "away": _away,
    "stand_in": _stand_in,
    "briefing": _briefing,
    "moderated": _moderated,
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
