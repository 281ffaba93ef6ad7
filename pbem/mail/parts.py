"""What letters are made of: plain values, gathered for one reader, that templates show."""

from __future__ import annotations

from hashlib import sha256

from markupsafe import Markup
from msgspec import Struct

from engine.core import Language
from pbem.board_shapes import USUAL, Shape


class Reader(Struct, frozen=True):
    """The one person a letter is for."""

    name: str
    language: Language
    zone: str
    you_url: str
    """The own page; empty where the letter has no turn that such a link could die with."""
    mute_url: str
    report_url: str = ""
    """Where to report the letter or what it is about; empty in letters to moderators."""
    word: str = ""
    """What is typed beside a button, for who demands it."""
    offers_word: bool = False
    ask_url: str = ""
    """Where to ask for the own page."""
    one_subject: bool = False
    """Whether all letters of a match have the same subject."""
    can_reply: bool = False
    """Whether a reply to the letter of a turn finds a way in."""
    shape: Shape = USUAL
    """How boards are shown."""


class Table(Struct, frozen=True):
    """A match as its letters speak of it."""

    id: str
    game: str
    """What the game is called in the reader's language."""
    seat: str
    """The reader's side, in words."""
    players: tuple[tuple[str, str], ...]
    """Each side with the name of who plays it."""
    others: str
    """Whom the reader plays against."""
    rivals: str
    """The same without their sides, for subjects."""
    site: str
    """The name of this server, as in a host name."""
    site_url: str
    url: str
    rules_url: str
    seat_url: str
    allies: str = ""
    """With whom, where sides have several players."""
    head: str = ""
    """The short hash of all that was played so far; empty before the match has begun."""
    stands_at: str = ""
    """How far the match is, where the letter is about that: `round 2`."""

    @property
    def is_duel(self) -> bool:
        return len(self.players) == 2


class Picture(Struct, frozen=True):
    """A picture that travels with a letter."""

    png: bytes
    words: str
    """For who does not see it."""

    @property
    def name(self) -> str:
        """By which the letter refers to it."""
        return f"{sha256(self.png).hexdigest()[:24]}@pbem"


class Board(Struct, frozen=True):
    text: str
    html: Markup
    headline: str = ""
    """Where the match stands, if the board itself does not say it."""
    picture: Picture | None = None


class Sample(Struct, frozen=True):
    """A board in one shape, to be looked at; the link is for whoever finds it straight."""

    ruler: str
    board: Board
    url: str


class Told(Struct, frozen=True):
    """A line of news, and how often it happened in a row."""

    line: str
    count: int


class Happening(Struct, frozen=True):
    """Something in the log with what it led to.

    Its kind is action, timeout, rewind, takeback, resign, draw or forfeit.
    """

    kind: str
    actor: str
    told: tuple[Told, ...] = ()
    title: str = ""
    """Of a chapter."""
    by_others: str = ""
    """How it begins that others than the reader have played; empty where nobody else has."""


class Chapter(Struct, frozen=True):
    """Some lines under a title."""

    title: str
    lines: tuple[str, ...]


class Choice(Struct, frozen=True):
    """One way on: in words, as an order where it is a whole one, and its link."""

    label: str
    notation: str
    url: str
    count: int = 1
    """How many orders lie behind the link; a single one has a notation."""
    number: int = 0
    """By which a reply names it; none without a way in for replies."""


class ChoiceGroup(Struct, frozen=True):
    title: str
    choices: tuple[Choice, ...]

    @property
    def is_numbered(self) -> bool:
        return any(choice.number for choice in self.choices)


class Said(Struct, frozen=True):
    by: str
    at: str
    lines: tuple[str, ...]
    to: str = ""
    """The sides that it is for; empty: all."""


class DrawOffer(Struct, frozen=True):
    """A draw that others than the reader have agreed to."""

    by: str
    count: int
    """How many they are."""
    missing: str = ""
    """Who else has not agreed yet."""
    has_agreed: bool = False
    """Whether the reader has."""


class Length(Struct, frozen=True):
    """How long something takes."""

    days: int
    hours: int
    minutes: int


class Deadline(Length, frozen=True):
    """A moment as its reader tells time, and how far away it is, before or behind."""

    local: str
    brief: str
    """The same for a first line: day of the week and hour."""
    utc: str
    is_past: bool


class Waiting(Struct, frozen=True):
    """A match that waits for the reader."""

    table: Table
    ends: Deadline
    grace: Deadline | None
    """Until when who is late may still play; None for who is not."""
    url: str
    word: str = ""
    said: tuple[Said, ...] = ()
    """What was written since the letter of that turn, for who gets one letter a day."""


class FreeSeat(Struct, frozen=True):
    """A match that waits for players."""

    game: str
    host: str
    """Who waits there; empty where that is nobody with a name."""
    sides: str
    """Those that are free; empty where they are drawn by lot."""
    pace: str
    """What was agreed about time, in short."""
    url: str


class Elsewhere(Struct, frozen=True):
    """A match that waits for others, or for nobody."""

    table: Table
    waiting: str
    until: str
    """When their turn ends; empty while the clock stands still."""
    happened: tuple[Happening, ...] = ()
    """What is new there."""
    said: tuple[Said, ...] = ()


class Notice(Struct, frozen=True):
    """A letter that became a part of another: its subject, and what it says in each part."""

    title: str
    text: str
    html: Markup


class Attachment(Struct, frozen=True):
    """A text that travels with a letter as a file."""

    name: str
    text: str


class Opening(Struct, frozen=True):
    """The proof of one card in the reader's hand."""

    position: int
    card: str
    salt: str
    path: tuple[str, ...]


class Fairness(Struct, frozen=True):
    """What was published about chance before the first card was dealt."""

    commitment: str
    phrases: tuple[tuple[str, str], ...] = ()
    """Each side that has added a phrase to the shuffle, with it."""
    decks: tuple[tuple[str, int], ...] = ()
    """The root of each shuffled deck, and how many cards it has."""
    openings: tuple[Opening, ...] = ()


class Beginning(Struct, frozen=True):
    """What the first letter of a match says beside what is asked."""

    clock: tuple[str, ...]
    fairness: Fairness
    by_lot: bool
