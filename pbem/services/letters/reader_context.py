"""What letters are composed in: the context of one reader, who sees a match from the own seat only.

Whatever shows a position asks the game for the view of the reader's own seat; the state itself goes
no further than to the letter that is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import msgspec
from babel.lists import format_list

from engine.abilities import Briefings
from engine.core import Language, Seat, Text
from engine.log import MODERATOR, Entry
from engine.text import repeated
from pbem.board_shapes import Shape
from pbem.db.models import Loan
from pbem.db.reading import column
from pbem.i18n import as_language, gettext
from pbem.links import Links, ReportLink, YouLink
from pbem.mail import parts, times
from pbem.services.letters import briefed
from pbem.services.match import match_log, messages
from pbem.services.players import turn_words
from pbem.services.players.process_settings import settings
from pbem.services.records import alliances
from pbem.services.records.match_rows import (
    GUEST,
    JOINED,
    MatchRecord,
    SeatRecord,
    TurnRecord,
    newest_turn,
    open_turns,
    whole_turn_before,
)
from pbem.services.records.player_rows import PlayerRecord, names_of
from pbem.services.seats import live_links, loans
from pbem.services.time import clocks


class ReaderContext:
    """What a letter to one person is composed in; `report` is the way to report it."""

    def __init__(
        self,
        player: PlayerRecord,
        links: Links,
        now: int,
        report: ReportLink,
        own_page: YouLink | None = None,
    ) -> None:
        self.player, self.links, self.now, self.report = player, links, now, report
        self.language: Language = as_language(player.language)
        self.reader = self.reader_with(own_page)

    def reader_with(self, own_page: YouLink | None) -> parts.Reader:
        """The reader of a letter that leads to the own page so far, or not at all."""
        player, links = self.player, self.links
        return parts.Reader(
            name=player.name,
            language=self.language,
            zone=player.zone,
            you_url="" if own_page is None else links.url("you", own_page),
            mute_url=links.url("mute", YouLink(player.id, player.epoch)),
            report_url=links.url("report", self.report),
            word=self._word(YouLink(player.id, player.epoch)),
            offers_word=turn_words.is_offered(player),
            ask_url=f"{links.base_url}/you",
            one_subject=player.one_subject,
            can_reply=settings.takes_mail,
            shape=Shape(player.board_form, player.board_width),
        )

    def _word(self, link: msgspec.Struct) -> str:
        """The word of a letter whose link this is, if its reader demands one."""
        if not turn_words.is_demanded(self.player):
            return ""
        return turn_words.word(turn_words.scopes_of(link, self.player)[0])

    def reader_of(self, link: msgspec.Struct) -> parts.Reader:
        """The reader, with the word for what is done by this link."""
        return msgspec.structs.replace(self.reader, word=self._word(link))

    def sample(self, shape: Shape) -> parts.Board:
        """A board of no match, in a shape to be looked at."""
        return briefed.sample(self.language, shape)

    @property
    def site(self) -> str:
        return urlsplit(self.links.base_url).netloc


class SeatContext(ReaderContext):
    """What a letter to one seat is composed in; it sees the match through that seat's eyes.

    `upto` is the newest entry that the letter tells of, where it does not tell of all.
    """

    def __init__(
        self,
        player: PlayerRecord,
        links: Links,
        now: int,
        report: ReportLink,
        match: MatchRecord,
        number: int,
        upto: int | None = None,
    ) -> None:
        seat = match.seat(number)
        super().__init__(player, links, now, report, live_links.from_seat(player, match, seat))
        self.match, self.seat, self.upto = match, seat, upto
        self.game = match.game
        if self.seat.player == player.id:
            self.reader = self.reader_of(live_links.to_seat(match, self.seat))
        self._names = _names_of(match, player)

    def say(self, text: Text) -> str:
        return self.game.say(text, self.language)

    def about_game(self) -> list[str]:
        """The game for somebody who has never heard of it, line by line."""
        return [self.say(sentence) for sentence in self.game.about()]

    def side(self, seat: Seat) -> str:
        return self.game.seat_name(seat).in_(self.language)

    def table(self, state: Any = None) -> parts.Table:
        """The match; the page of the seat only for who holds it. The state says how far it is."""
        base, match = self.links.base_url, self.match
        opponents = alliances.opponents(match, self.seat.name)
        act = live_links.to_seat(match, self.seat)
        return parts.Table(
            id=match.id,
            game=self.game.title.in_(self.language),
            seat=self.side(self.seat.name),
            players=tuple((self.side(seat.name), self.name_of(seat)) for seat in match.seats),
            others=self.listed(opponents),
            rivals=self._listed(map(self.name_of, opponents)),
            allies=self.listed(alliances.allies(match, self.seat.name)),
            site=self.site,
            site_url=base,
            url=f"{base}/match/{match.id}",
            rules_url=f"{base}/rules/{match.game_name}",
            seat_url=self.links.url("act", act) if self.seat.player == self.player.id else "",
            head=match_log.public_head(match, self.upto),
            stands_at="" if state is None else self._stands_at(state),
        )

    def _stands_at(self, state: Any) -> str:
        """How far the match is, as a subject says it: by what everybody may see."""
        found = self.game.stands_at(self.game.view(state, None))
        return "" if found is None else self.say(found)

    def listed(self, seats: Iterable[SeatRecord]) -> str:
        """Players with their sides, as a sentence names them."""
        return self._listed(map(self.called, seats))

    def _listed(self, names: Iterable[str]) -> str:
        found = list(names)
        return found[0] if len(found) == 1 else format_list(found, locale=self.language)

    def name_of(self, seat: SeatRecord) -> str:
        """Who plays a seat, by name; by side when there is none."""
        if self.match.is_machine(seat):
            return gettext("Computer")
        if seat.status == GUEST:
            return gettext("Guest")
        return self._names.get(seat.player, "") or self.side(seat.name)

    def called(self, seat: SeatRecord) -> str:
        """A player with the side: `Ann (USA)`."""
        name, side = self.name_of(seat), self.side(seat.name)
        return side if name == side else f"{name} ({side})"

    def called_then(self, seat: SeatRecord) -> str:
        """Who held a seat when something happened; the side, where several have held it."""
        return self.side(seat.name) if seat.number in self._handed_on else self.called(seat)

    @cached_property
    def _handed_on(self) -> set[int]:
        lent = Loan.state.in_((loans.RUNNING, loans.RETURNED))
        return set(column(Loan.select(Loan.seat).where(Loan.match == self.match.id, lent)))

    def board(
        self, state: Any, since: int = -1, is_over: bool = False, pictured: bool = True
    ) -> parts.Board:
        """The position, and what has changed `since` an entry where all of it is too much.

        Of a match that is over, however that came about, it asks nothing. A letter that asks for
        nothing needs no picture, which takes as long as all the rest of it.
        """
        view = self.game.view(state, self.seat.name)
        shown = self.game.closed(view) if is_over else view
        seen, shape = self._seen(since), self.reader.shape
        return briefed.board(self.game, shown, seen, self.language, shape, pictured)

    def public_board(self) -> parts.Board:
        """The position as everybody may see it, for who does not hold the seat."""
        view = self.game.view(match_log.current(self.match), None)
        return briefed.board(self.game, view, None, self.language, self.reader.shape)

    def situation(self, state: Any) -> list[parts.Chapter]:
        """What the reader should know before deciding, where the board does not show it."""
        if not isinstance(self.game, Briefings):
            return []
        view = self.game.view(state, self.seat.name)
        return [
            parts.Chapter(self.say(one.title), tuple(map(self.say, one.lines)))
            for one in self.game.situation(view)
        ]

    def _seen(self, seq: int) -> Any:
        """What the reader saw after an entry; None where that is not known, or not asked for."""
        if seq < 0 or not isinstance(self.game, Briefings):
            return None
        state = match_log.kept_or_played(self.match, seq)
        return None if state is None else self.game.view(state, self.seat.name)

    def waiting(self, state: Any) -> str:
        """Who has to act, without the reader."""
        asked = self.game.waiting_on(state) - {self.seat.name}
        return ", ".join(self.called(seat) for seat in self.match.seats if seat.name in asked)

    def happened(self, after: int, upto: int) -> list[parts.Happening]:
        """What the log tells this seat, entry after entry; orders in a row are one happening."""
        told = match_log.told_since(self.match, self.seat.name, after, upto)
        if isinstance(self.game, Briefings):
            return self._retold(self.game, told, after)
        return [
            parts.Happening(
                kind,
                self._actor(actor),
                self._lines(event.text for told in group for event in told.events),
                by_others=self._first_by_others(group),
            )
            for (kind, actor), group in _in_a_row(told)
            if kind in _SPOKEN
        ]

    def _first_by_others(self, group: Sequence[match_log.Told]) -> str:
        """How the orders of others begin among some entries; empty where there are none."""
        orders = (one for one in group if one.entry.kind == "action")
        theirs = (one for one in orders if one.entry.actor != self.seat.name)
        return next((self.say(event.text) for one in theirs for event in one.events), "")

    def _retold(
        self, game: Briefings[Any], told: Sequence[match_log.Told], after: int
    ) -> list[parts.Happening]:
        """First what people and clocks have done; then in short what came of it by the rules."""
        rewound = [one.entry.seq for one in told if one.entry.kind == "rewind"]
        counting = [one for one in told if not rewound or one.entry.seq > rewound[-1]]
        events = [event for one in counting for event in one.events]
        announced = [
            parts.Happening(kind, self._actor(actor))
            for (kind, actor), _ in _in_a_row(told)
            if kind in _SPOKEN and kind != "action"
        ]
        chapters = game.retold(self._seen(rewound[-1] if rewound else after), events)
        return announced + [
            parts.Happening("action", "", self._lines(chapter.lines), self.say(chapter.title))
            for chapter in chapters
        ]

    def _actor(self, actor: str) -> str:
        seat = self.match.seat_named(actor)
        return actor if seat is None else self.called_then(seat)

    def _lines(self, texts: Iterable[Text]) -> tuple[parts.Told, ...]:
        lines = repeated(map(self.say, texts))
        return tuple([parts.Told(line, count) for line, count in lines])

    def said(self, message: messages.Said) -> parts.Said:
        """What somebody has written to all, as the reader is told of it."""
        return parts.Said(
            by=self.called_then(self.match.seat(message.seat)),
            to=", ".join(
                self.side(self.match.seat(number).name)
                for number in sorted(message.heard_by - {message.seat})
            ),
            at=times.brief(message.at, self.reader),
            lines=tuple(message.text.splitlines()),
        )

    def open_turn(self, seat: int | None = None) -> TurnRecord | None:
        """What is asked of a seat now; of the reader's own, if none is named."""
        number = self.seat.number if seat is None else seat
        return next((t for t in open_turns(self.match.id) if t.seat == number), None)

    def last_turn(self) -> int:
        """The entry that ended the seat's last turn; -1 before the first has ended."""
        own = newest_turn(self.match.id, self.seat.number)
        if own is not None and (own.is_open or own.is_inquiry):
            own = whole_turn_before(own)
        return -1 if own is None or own.closed_seq is None else own.closed_seq

    def turn_url(self, turn: TurnRecord) -> str:
        return self.links.url("turn", live_links.to_turn(self.match, turn))

    def other_deadline(self) -> parts.Deadline | None:
        """Until when the match waits for somebody else."""
        waiting = [t for t in open_turns(self.match.id) if t.seat != self.seat.number]
        return self.deadline_of(*waiting)

    def deadline_of(self, *asked: TurnRecord) -> parts.Deadline | None:
        """When the first of these turns ends; never, while the clocks stand still.

        The clock of a turn starts when its letter is handed over, which is as good as now.
        """
        if not asked or self.match.paused_at is not None:
            return None
        ends = [clocks.expected_deadline(self.match, turn, self.now) for turn in asked]
        return times.deadline(min(ends), self.now, self.reader)

    def moment(self, at: int | None) -> str:
        return "" if at is None else times.moment(at, self.reader)

    def fairness(self) -> parts.Fairness:
        """What is public about chance: commitment, phrases, deck roots."""
        match = self.match
        if match.head_seq < 0:
            return parts.Fairness(match.commitment)
        decks = match_log.deck_roots(match, match_log.state_at(match, 0), revealed=False)
        return parts.Fairness(
            match.commitment,
            tuple((self.called(seat), seat.phrase) for seat in match.seats if seat.phrase),
            tuple((deck.root, deck.leaves) for deck in decks),
        )


def _names_of(match: MatchRecord, reader: PlayerRecord) -> dict[int | None, str]:
    """What those who sit in a match are called; the reader is known already.

    Who was only invited is not named to those who know no more than an address.
    """
    others = {
        seat.player
        for seat in match.seats
        if seat.player not in (None, reader.id) and seat.status == JOINED
    }
    return {reader.id: reader.name, **names_of(sorted(filter(None, others)))}


_SPOKEN = (
    "action",
    "timeout",
    "rewind",
    "takeback",
    "resign",
    "draw",
    "forfeit",
    "rules",
    "restore",
)


def _in_a_row(
    told: Sequence[match_log.Told],
) -> list[tuple[tuple[str, str], list[match_log.Told]]]:
    """Entries that are announced in the same way, together."""
    return [(announced, list(group)) for announced, group in groupby(told, key=_announcement)]


def _announcement(told: match_log.Told) -> tuple[str, str]:
    """What has to be said before an entry's events; the deal and all orders need nothing."""
    entry: Entry = told.entry
    if entry.kind in ("action", "setup"):
        return "action", ""
    if entry.kind == "rewind" and entry.actor != MODERATOR:
        return "takeback", entry.actor
    return entry.kind, entry.actor
