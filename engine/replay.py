"""A match as a file: fold its log into states, and audit it against the revealed secret.

The document is one JSON object (docs: engine/README.md). Its entries are the truth: each names its
actor, the order as it was written and what chance gave. A `rewind` entry takes the match back to
the state after an earlier entry and opens a new timeline, so that no seen throw comes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct

from engine.chance import (
    ChanceError,
    DeckTree,
    Draw,
    RecordedDice,
    SeededDice,
    commitment,
    match_key,
)
from engine.core import Event, Game, GameError, Json, Seat, Step
from engine.registry import game_called

FORMAT = "pbem-match/1"


class AuditError(GameError):
    """The file does not hold together; the message names the first entry that is wrong."""


EntryKind = Literal["setup", "action", "rewind", "resign", "draw", "timeout", "forfeit", "note"]


class Entry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of the log; `at` is whatever the host wrote down as the time."""

    seq: int
    kind: EntryKind
    actor: str = ""
    text: str = ""
    draws: tuple[Draw, ...] = ()
    at: str = ""


class DeckRoot(Struct, frozen=True, forbid_unknown_fields=True):
    """The commitment to a shuffled deck, as it was published at the deal, and what it hid."""

    timeline: int
    deck: str
    leaves: int
    root: str
    cards: tuple[str, ...]
    """The deck as shuffled, top first; revealed with the secret, so that no rules are needed."""


class MatchFile(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A finished match with everything that is needed to check it."""

    format: str
    match: str
    game: str
    rules_version: int
    setup: dict[str, Any]
    commitment: str
    secret: str
    phrases: tuple[str, ...]
    entries: tuple[Entry, ...]
    decks: tuple[DeckRoot, ...] = ()
    beacon: str = ""
    result: str = ""


class Moment(Struct, frozen=True):
    """The match after one entry: its timeline, its state, what happened."""

    entry: Entry
    timeline: int
    state: Any
    events: tuple[Event, ...] = ()


def replay(file: MatchFile) -> Iterator[Moment]:
    """The match entry by entry, with the recorded draws."""
    game = game_called(file.game)
    if game.rules_version != file.rules_version:
        raise AuditError(
            "the match follows rules version {version} of {game}, these are {current}",
            version=file.rules_version,
            game=file.game,
            current=game.rules_version,
        )
    past: list[Moment] = []
    timeline = 0
    for number, entry in enumerate(file.entries):
        if entry.seq != number:
            raise AuditError(
                "entry {entry} stands at place {place}: one is missing or moved",
                entry=entry.seq,
                place=number,
            )
        try:
            timeline += entry.kind == "rewind"
            step = _follow(game, file, past, entry)
        except GameError as error:
            raise AuditError(
                "entry {entry} ({order}): {reason}",
                entry=entry.seq,
                order=entry.text or entry.kind,
                reason=error.text,
            ) from error
        past.append(Moment(entry, timeline, step.state, step.events))
        yield past[-1]


def _follow(
    game: Game[Any, Any, Any], file: MatchFile, past: list[Moment], entry: Entry
) -> Step[Any]:
    dice = RecordedDice(entry.draws)
    step = _step(game, file, past, entry, dice)
    dice.finish()
    return step


def _step(
    game: Game[Any, Any, Any],
    file: MatchFile,
    past: list[Moment],
    entry: Entry,
    dice: RecordedDice,
) -> Step[Any]:
    if (entry.kind == "setup") != (not past):
        raise GameError("a match begins with its setup, and only there")
    if entry.kind == "setup":
        return game.new_game(file.setup, dice)
    if entry.kind == "rewind":
        return Step(_moment(past, entry.text).state)
    state = past[-1].state
    if entry.kind in ("action", "timeout"):
        return game.apply(state, Seat(entry.actor), game.parse(entry.text), dice)
    return Step(state)


def _moment(past: list[Moment], seq: str) -> Moment:
    number = int(seq) if seq.isdecimal() and len(seq) < 10 else len(past)
    if number >= len(past) or str(number) != seq:
        raise GameError("there is no entry '{entry}' to go back to", entry=seq)
    return past[number]


def audit(file: MatchFile) -> list[Moment]:
    """Check commitment, deck roots, every draw and every step; AuditError names what is wrong."""
    secret = _secret(file)
    if commitment(file.match, secret) != file.commitment:
        raise AuditError("the revealed secret does not fit the commitment of the first letter")
    key = match_key(file.match, secret, file.phrases, file.beacon)
    moments = []
    for moment in replay(file):
        _check_draws(file, key, moment)
        moments.append(moment)
    if not moments:
        raise AuditError("the file holds no entry")
    _check_decks(file, key, moments)
    return moments


def _secret(file: MatchFile) -> bytes:
    try:
        secret = bytes.fromhex(file.secret)
    except ValueError:
        secret = b""
    if not secret or secret.hex() != file.secret:
        raise AuditError("the secret is not written in lower-case hexadecimal digits")
    return secret


def _check_draws(file: MatchFile, key: bytes, moment: Moment) -> None:
    entry = moment.entry
    dice = SeededDice(key, file.match, moment.timeline, entry.seq)
    try:
        for draw in entry.draws:
            if draw.kind == "roll":
                dice.roll(draw.size, len(draw.result), draw.why)
            else:
                dice.shuffle(range(draw.size), draw.why)
    except ChanceError as error:
        raise AuditError("entry {entry}: {reason}", entry=entry.seq, reason=error.text) from error
    if tuple(dice.draws) != entry.draws:
        raise AuditError("entry {entry}: its draws are not what the secret gives", entry=entry.seq)


def _check_decks(file: MatchFile, key: bytes, moments: list[Moment]) -> None:
    """Every published root must be the root of the deck that was really dealt."""
    game = game_called(file.game)
    for deck in file.decks:
        cards = game.deck(_dealt(deck, moments).state)
        if len(cards) != deck.leaves:
            raise AuditError(
                "deck {deck} has {count} cards, {published} were published",
                deck=deck.deck,
                count=len(cards),
                published=deck.leaves,
            )
        if cards != deck.cards:
            raise AuditError(
                "deck {deck} was dealt in another order than the file shows", deck=deck.deck
            )
        if DeckTree(key, file.match, deck.timeline, deck.deck, cards).root != deck.root:
            raise AuditError(
                "deck {deck} does not fit the root published at the deal", deck=deck.deck
            )


def _dealt(deck: DeckRoot, moments: list[Moment]) -> Moment:
    """The moment at which a deck was shuffled."""
    for moment in moments:
        shuffled = {draw.why for draw in moment.entry.draws if draw.kind == "shuffle"}
        if moment.timeline == deck.timeline and deck.deck in shuffled:
            return moment
    raise AuditError(
        "deck {deck} was never shuffled in timeline {timeline}",
        deck=deck.deck,
        timeline=deck.timeline,
    )


def read_match(data: bytes) -> MatchFile:
    """The match of a file, or AuditError with what is wrong with its form."""
    try:
        file = msgspec.json.decode(data, type=MatchFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AuditError("this is no match file: {detail}", detail=str(error)) from None
    if file.format != FORMAT:
        raise AuditError(
            "the format is '{format}'; this program reads '{known}'",
            format=file.format,
            known=FORMAT,
        )
    return file


def write_match(file: MatchFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


class Recorder:
    """A match being played in one process: live dice, the log, and in the end the file."""

    def __init__(
        self, game: Game[Any, Any, Any], setup: Json, match: str, secret: bytes, phrases: list[str]
    ) -> None:
        self.game, self.setup, self.match, self.secret = game, dict(setup), match, secret
        self.phrases = tuple(phrases)
        self.key = match_key(match, secret, phrases)
        self.entries: list[Entry] = []
        self.final = True
        dice = self._dice()
        self.state = self._keep("setup", "", "", dice, game.new_game(setup, dice))

    def play(self, seat: Seat, order: str) -> tuple[Event, ...]:
        dice = self._dice()
        step = self.game.apply(self.state, seat, self.game.parse(order), dice)
        self.state = self._keep("action", seat, order, dice, step)
        return step.events

    def file(self) -> MatchFile:
        outcome = self.game.outcome(self.state)
        return MatchFile(
            format=FORMAT,
            match=self.match,
            game=self.game.name,
            rules_version=self.game.rules_version,
            setup=self.setup,
            commitment=commitment(self.match, self.secret),
            secret=self.secret.hex(),
            phrases=self.phrases,
            entries=tuple(self.entries),
            decks=self.deck_roots(),
            result=" ".join(outcome.winners) if outcome else "",
        )

    def deck_roots(self) -> tuple[DeckRoot, ...]:
        """What is published of the deck at the deal."""
        cards = self.game.deck(self.state)
        return tuple(
            DeckRoot(
                timeline=0,
                deck=draw.why,
                leaves=draw.size,
                root=DeckTree(self.key, self.match, 0, draw.why, cards).root,
                cards=cards,
            )
            for draw in self.entries[0].draws
            if draw.kind == "shuffle"
        )

    def _dice(self) -> SeededDice:
        return SeededDice(self.key, self.match, 0, len(self.entries))

    def _keep(
        self,
        kind: Literal["setup", "action"],
        actor: str,
        text: str,
        dice: SeededDice,
        step: Step[Any],
    ) -> Any:
        self.entries.append(Entry(len(self.entries), kind, actor, text, tuple(dice.draws)))
        self.final = step.final
        return step.state
