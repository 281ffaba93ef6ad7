"""A match as a file: written, read, and its log folded into states.

The document is one JSON object (docs: engine/README.md). Its entries are the truth: each names its
actor, the order as it was written and what chance gave. A `rewind` entry takes the match back to
the state after an earlier entry and opens a new timeline, so that no seen throw comes again. A
`restore` entry does so where the host lost what came after it, and begins with a secret of its own.
`engine.audit` checks a file against the revealed secret.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.abilities import DeckProofs
from engine.chance import DeckTree, RecordedDice, SeededDice, commitment, match_key
from engine.core import Event, GameError, Json, Outcome, Seat, Step, examine
from engine.game import Game
from engine.log import DRAW, OPENS_TIMELINE, REASONS, Entry, chained, genesis
from engine.registry import game_called
from engine.strict_json import strictly_read

FORMAT = "pbem-match/2"
WITHOUT_CHAIN = "pbem-match/1"
"""The format of files from before entries were chained."""
MOST_ENTRIES = 20_000


class AuditError(GameError):
    """The file does not hold together; the message names the first entry that is wrong."""


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
    reason: str = ""
    """Why it is over: rules, resignation, agreement, time or moderator."""
    seats: tuple[Seat, ...] = ()
    head: str = ""
    """The hash of the last entry."""
    later_secrets: tuple[str, ...] = ()
    """One for each `restore` entry, in their order: the match goes on from there with it."""

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions of the rules that its orders follow, one after the other."""
        later = [int(entry.text) for entry in self.entries if entry.kind == "rules"]
        return (self.rules_version, *later)

    @property
    def is_chained(self) -> bool:
        return self.format == FORMAT

    @property
    def genesis(self) -> str:
        """The hash before the first entry."""
        return genesis(
            self.match,
            self.game,
            self.rules_version,
            self.setup,
            self.commitment,
            self.seats,
            self.phrases,
            self.beacon,
        )


class Moment(Struct, frozen=True):
    """The match after one entry: its timeline, its state, what happened."""

    entry: Entry
    timeline: int
    state: Any
    events: tuple[Event, ...] = ()


def replay(file: MatchFile) -> Iterator[Moment]:
    """The match entry by entry, with the recorded draws, under the rules as they are here."""
    game = game_called(file.game)
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
            timeline += entry.kind in OPENS_TIMELINE
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


def read_match(data: bytes) -> MatchFile:
    """The match of a file, or AuditError with what is wrong with its form."""
    try:
        file = msgspec.convert(strictly_read(data), MatchFile)
    except (msgspec.ValidationError, ValueError) as error:
        raise AuditError("this is no match file: {detail}", detail=str(error)) from None
    if file.format not in (FORMAT, WITHOUT_CHAIN):
        raise AuditError(
            "the format is '{format}'; this program reads '{known}'",
            format=file.format,
            known=FORMAT,
        )
    chain = (file.seats, file.reason, file.head, file.later_secrets, _is_linked(file))
    if not file.is_chained and any(chain):
        raise AuditError(
            "the file is of the format '{format}', which has no chain, yet it shows one",
            format=file.format,
        )
    for entry in file.entries:
        if entry.kind == "rules" and not _is_version(entry.text):
            raise AuditError("entry {entry}: it names no version of the rules", entry=entry.seq)
    if len(file.entries) > MOST_ENTRIES:
        raise AuditError(
            "the file has {count:# entry|# entries}; {most} can be checked",
            count=len(file.entries),
            most=MOST_ENTRIES,
        )
    return file


def _is_version(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7 and text == str(int(text))


def _is_linked(file: MatchFile) -> bool:
    return any(entry.hash or entry.result for entry in file.entries)


def write_match(file: MatchFile) -> bytes:
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def won(outcome: Outcome | None) -> str:
    """The result of a match that has come to this by its rules: winners, draw, or nothing yet."""
    return "" if outcome is None else " ".join(outcome.winners) or DRAW


def linked(file: MatchFile, key: bytes) -> MatchFile:
    """The same match with its entries chained."""
    log = chained(key, file.match, file.genesis, file.entries)
    return replace(file, entries=log, head=log[-1].hash)


def dealt_decks(
    game: Game[Any, Any, Any], state: Any, key: bytes, match: str, setup: Entry
) -> tuple[DeckRoot, ...]:
    """The decks that were shuffled at the setup, with the roots published then."""
    if not isinstance(game, DeckProofs):
        return ()
    cards = game.deck(state)
    return tuple(
        DeckRoot(
            timeline=0,
            deck=draw.why,
            leaves=draw.size,
            root=DeckTree(key, match, 0, draw.why, cards).root,
            cards=cards,
        )
        for draw in setup.draws
        if draw.kind == "shuffle"
    )


class Recorder:
    """A match being played in one process: live dice, the log, and in the end the file."""

    def __init__(
        self, game: Game[Any, Any, Any], setup: Json, match: str, secret: bytes, phrases: list[str]
    ) -> None:
        self.game, self.setup, self.match, self.secret = game, dict(setup), match, secret
        self.seats, self.phrases = game.seats(setup), tuple(phrases)
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
        log = tuple(self.entries)
        result = log[-1].result
        file = MatchFile(
            format=FORMAT,
            match=self.match,
            game=self.game.name,
            rules_version=self.game.rules_version,
            setup=self.setup,
            commitment=commitment(self.match, self.secret),
            secret=self.secret.hex(),
            phrases=self.phrases,
            entries=log,
            decks=dealt_decks(self.game, self.state, self.key, self.match, log[0]),
            result=result,
            reason=REASONS[log[-1].kind] if result else "",
            seats=self.seats,
        )
        return linked(file, self.key)

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
        draws, result = tuple(dice.draws), won(self.game.outcome(step.state))
        self.entries.append(Entry(len(self.entries), kind, actor, text, draws, result=result))
        self.final = step.final
        return step.state


examine(MatchFile)
