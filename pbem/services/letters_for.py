"""What one reader is told: gathered from the log and the tables for a letter that is owed.

Whatever shows a position asks the game for the view of the reader's own seat; the state itself goes
no further than this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlsplit

from markupsafe import Markup

from engine.chance import DeckTree
from engine.core import Json, Language, Seat, Text
from engine.replay import Entry
from engine.text import repeated
from pbem.errors import Missing
from pbem.links import ActLink, ConfirmLink, JoinLink, Links, TurnLink, YouLink, order_code
from pbem.mail import letters
from pbem.mail.letters import Letter
from pbem.services import history, matches, turns
from pbem.services.records import (
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
from pbem.words import as_language, labelled, speaking, step_by_step

MOST_LINKS = 12
"""Orders in a letter that have a link each; when there are more, there is one for each card."""
DRAW = "draw"


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
            return _TO_PLAYERS[owed.kind](Desk(player, links, now), owed)
        assert owed.match is not None, f"{owed.kind} is about a match"
        assert owed.seat is not None, f"{owed.kind} goes to a seat"
        desk = SeatDesk(player, links, now, get_match(owed.match), owed.seat)
        return _TO_SEATS[owed.kind](desk, owed)


class Desk:
    """Where a letter to one person is written."""

    def __init__(self, player: PlayerRecord, links: Links, now: int) -> None:
        self.player, self.links, self.now = player, links, now
        self.language: Language = as_language(player.language)
        own = YouLink(player.id, player.epoch)
        self.reader = letters.Reader(
            name=player.name,
            language=self.language,
            zone=player.zone,
            you_url=links.url("you", own),
            mute_url=links.url("mute", own),
        )

    @property
    def site(self) -> str:
        return urlsplit(self.links.base_url).netloc


class SeatDesk(Desk):
    """Where a letter to one seat is written; it sees the match through that seat's eyes."""

    def __init__(
        self, player: PlayerRecord, links: Links, now: int, match: MatchRecord, number: int
    ) -> None:
        super().__init__(player, links, now)
        self.match, self.seat = match, match.seat(number)
        self.game = match.game
        players = [find_player(s.player) if s.player is not None else None for s in match.seats]
        self._names = [player.name if player else "" for player in players]

    def say(self, text: Text) -> str:
        return self.game.say(text, self.language)

    def side(self, seat: Seat) -> str:
        return self.game.seat_name(seat).in_(self.language)

    def table(self) -> letters.Table:
        base, match = self.links.base_url, self.match
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
            seat_url=self.links.url("act", ActLink(match.id, self.seat.number, self.seat.epoch)),
        )

    def name_of(self, seat: SeatRecord) -> str:
        """Who plays a seat, by name; by side when there is none."""
        return self._names[seat.number] or self.side(seat.name)

    def called(self, seat: SeatRecord) -> str:
        """A player with the side: `Ann (USA)`."""
        name, side = self.name_of(seat), self.side(seat.name)
        return side if name == side else f"{name} ({side})"

    def board(self, state: Any, is_over: bool = False) -> letters.Board:
        """The position; of a match that is over, however that came about, it asks nothing."""
        view = self.game.view(state, self.seat.name)
        view = self.game.closed(view) if is_over else view
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
        return actor if seat is None else self.called(seat)

    def _lines(self, group: Iterator[history.Told]) -> tuple[letters.Told, ...]:
        lines = repeated(self.say(event.text) for told in group for event in told.events)
        return tuple([letters.Told(line, count) for line, count in lines])

    def other_deadline(self) -> letters.Deadline | None:
        """Until when the match waits for somebody else."""
        waiting = [t for t in open_turns(self.match.id) if t.seat != self.seat.number]
        if not waiting:
            return None
        return letters.deadline(min(t.deadline_at for t in waiting), self.now, self.reader)

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


_SPOKEN = ("action", "timeout", "rewind", "resign", "draw")


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


_TO_PLAYERS = {"confirm": _confirm, "you": _you}


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
        pace=match.pace,
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
        desk.match.pace,
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
    url = desk.links.url("turn", TurnLink(match.id, turn.seat, turn.id, desk.seat.epoch))
    offered = turns.choices(match, state, desk.seat.name)
    return letters.turn(
        desk.reader,
        desk.table(),
        desk.happened(_told_up_to(owed, before), match.head_seq),
        desk.board(state),
        choice_groups(desk, turn, offered, url),
        example=offered[0].notation if offered else "",
        url=url,
        deadline=letters.deadline(turn.deadline_at, desk.now, desk.reader),
        said=_said_between(desk, before.opened_at if before else -1, turn.opened_at),
        draw_offered=any(s.draw_offered for s in match.seats if s.number != desk.seat.number),
        is_first=before is None,
    )


def _turn_before(match: MatchRecord, turn: TurnRecord) -> TurnRecord | None:
    earlier = [t for t in turns_of(match.id) if t.seat == turn.seat and t.id < turn.id]
    return earlier[-1] if earlier else None


def _told_up_to(owed: Owed, before: TurnRecord | None) -> int:
    """The newest entry the reader has seen: the last of the turn before, if nothing undid it."""
    seen = before.closed_seq if before is not None and before.closed_seq is not None else -1
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
        by=desk.called(desk.match.seat(message.seat)),
        at=letters.moment(message.at, desk.reader),
        lines=tuple(message.text.splitlines()),
    )


def _receipt(desk: SeatDesk, owed: Owed) -> Letter:
    last = int(owed.about["seq"])
    first = _began(desk, last, int(owed.about["from"]))
    state = history.state_at(desk.match, last)
    log = history.entries(desk.match.id, first, last)
    return letters.receipt(
        desk.reader,
        desk.table(),
        [entry.text for entry in log if entry.actor == desk.seat.name],
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
    return closed if closed < last else own[-1].opened_seq


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
