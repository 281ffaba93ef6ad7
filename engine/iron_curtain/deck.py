"""The deck as data: regions, cards and their events, the printed editions, and deck files.

A deck file is a TOML document of the shape of cards.toml. Whoever owns the printed game can write
one with the printed values; `read_deck` says clearly what does not fit.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import msgspec
from msgspec import Struct

from engine.core import BadSetup, Json, Name, Param, Seat, Text
from engine.text import is_printable, printable

USA, USSR = Seat("usa"), Seat("ussr")
SIDES = (USA, USSR)
SIDE_NAMES = {USA: Name("USA", "USA", "USA"), USSR: Name("USSR", "UdSSR", "URSS")}
FLAGS = {USA: 10, USSR: 8}
HIGHEST_COMMAND = 4
HIGHEST_AMOUNT = 24
LONGEST_SHORT, LONGEST_NAME, LONGEST_TEXT = 3, 30, 300

HERE, NEIGHBOURS, ELSEWHERE = "here", "neighbours", "elsewhere"
NO_CARDS = {"to", "all"}
"""Words that stand where cards do in an order."""


class Gain(Struct, frozen=True, tag_field="do", tag="gain", forbid_unknown_fields=True):
    points: int


class GainEach(Struct, frozen=True, tag_field="do", tag="gain_each", forbid_unknown_fields=True):
    """A point for each card there on which the side leads."""

    where: tuple[str, ...]


class Command(Struct, frozen=True, tag_field="do", tag="command", forbid_unknown_fields=True):
    cubes: int
    where: tuple[str, ...]


class Infiltrate(Struct, frozen=True, tag_field="do", tag="infiltrate", forbid_unknown_fields=True):
    """Up to `each` cubes a card, `total` in all, not on cards the opponent leads or locks."""

    where: tuple[str, ...]
    each: int
    total: int | None = None
    unless: Literal["led", "locked"] | None = None


class Remove(Struct, frozen=True, tag_field="do", tag="remove", forbid_unknown_fields=True):
    """Up to that many of the opponent's cubes go back to his supply."""

    cubes: int
    where: tuple[str, ...]


class Clear(Struct, frozen=True, tag_field="do", tag="clear", forbid_unknown_fields=True):
    """All of the opponent's cubes there go back to his supply."""

    where: tuple[str, ...]


class Gather(Struct, frozen=True, tag_field="do", tag="gather", forbid_unknown_fields=True):
    """Up to that many cubes of one owner move from there onto this card."""

    whose: Literal["own", "opponent"]
    cubes: int
    where: tuple[str, ...]


class Relocate(Struct, frozen=True, tag_field="do", tag="relocate", forbid_unknown_fields=True):
    """One face-up card moves with its cubes."""


Effect = Gain | GainEach | Command | Infiltrate | Remove | Clear | Gather | Relocate

Field = Literal["name", "flag", "command", "event"]


class Region(Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    short: Name
    size: int
    bonus: int


class Card(Struct, frozen=True, forbid_unknown_fields=True):
    """A strategy card; the starter has neither flag nor command nor event."""

    id: str
    name: Name
    region: str
    flag: Seat | None = None
    command: int = 0
    event: tuple[Effect, ...] = ()
    text: Name = Name("", "", "")
    reconstructed: tuple[Field, ...] = ()


class Edition(Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers in which the printed editions differ."""

    final_order: tuple[str, ...]
    tie: Seat
    aftermath_cap: int | None = None


class DeckDocument(Struct, frozen=True, forbid_unknown_fields=True):
    """A deck file as it is written."""

    name: str
    regions: dict[str, Region]
    starter: Card
    cards: tuple[Card, ...]


class Deck:
    """A checked deck; while one is in use there is no second of the same document."""

    __slots__ = (
        "__weakref__",
        "bits",
        "cards",
        "document",
        "memory",
        "name",
        "order",
        "region_of",
        "regions",
        "sets",
        "starter",
    )

    def __init__(self, document: DeckDocument) -> None:
        faults = _faults(document)
        if faults:
            raise BadSetup(
                "deck '{deck}': {faults}", deck=printable(document.name), faults=_joined(faults)
            )
        self.document = document
        self.memory: dict[Any, Any] = {}
        self.name = document.name
        self.regions = document.regions
        self.starter = document.starter
        self.order = tuple(card.id for card in document.cards)
        self.cards = {card.id: card for card in (document.starter, *document.cards)}
        self.region_of = {card.id: card.region for card in self.cards.values()}
        self.bits = {card: 1 << 8 * place for place, card in enumerate(self.cards)}
        self.sets = {
            region: sum(bit for card, bit in self.bits.items() if self.region_of[card] == region)
            for region in self.regions
        }
        """Each card and each region as a set of cards, see layout.py."""

    def card_called(self, word: str) -> str | None:
        """The id of a card by its id or by its name in any language."""
        folded = fold(word)
        for card in self.cards.values():
            names = (card.name.en, card.name.de, card.name.fr)
            if folded == card.id or folded in map(fold, names):
                return card.id
        return None


MOST_REMEMBERED = 50_000
P = ParamSpec("P")
T = TypeVar("T")


def remembered(work: Callable[Concatenate[Deck, P], T]) -> Callable[Concatenate[Deck, P], T]:
    """A function whose answers are kept with the deck they are about, and go when it goes."""

    def recall(deck: Deck, /, *rest: P.args, **none: P.kwargs) -> T:
        memory, key = deck.memory, (work, rest)
        try:
            found: T = memory[key]
            return found
        except KeyError:
            if len(memory) >= MOST_REMEMBERED:
                memory.clear()
            answer = memory[key] = work(deck, *rest, **none)
            return answer

    return recall


_FOLDS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "é": "e", "è": "e", "ï": "i", " ": "_", "-": "_"}
    | {"'": "_", "’": "_", "\u00a0": "_", "\u202f": "_"}
)


def fold(name: str) -> str:
    """A name as a word of the notation: lower case, no blanks, no accents."""
    return unicodedata.normalize("NFC", name).lower().translate(_FOLDS)


def read_deck(text: str) -> Deck:
    """The deck of a deck file, or BadSetup with what would have been right."""
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of huge numbers
        raise BadSetup("the deck file is not TOML: {detail}", detail=str(error)) from None
    return deck_from(document)


def deck_from(data: Json) -> Deck:
    """The deck of a document that was read already, as a match's setup carries it."""
    try:
        if isinstance(data, dict):
            tagged = {name: _with_tags(data.get(name)) for name in ("regions", "cards", "starter")}
            data = {**data, **tagged}
        return _deck_of(msgspec.convert(data, DeckDocument))
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadSetup("the deck file does not fit: {detail}", detail=str(error)) from None


_decks_in_use: WeakValueDictionary[bytes, Deck] = WeakValueDictionary()


def _deck_of(document: DeckDocument) -> Deck:
    """One object per document, so that decks are equal when they are the same."""
    written = msgspec.json.encode(document)
    deck = _decks_in_use.get(written)
    if deck is None:
        deck = _decks_in_use[written] = Deck(document)
    return deck


def _with_tags(value: Json) -> Json:
    """Names in deck files are written without the tag that messages need."""
    if isinstance(value, list):
        return [_with_tags(item) for item in value]
    if isinstance(value, dict):
        tagged = {key: _with_tags(item) for key, item in value.items()}
        return {"type": "name", **tagged} if value.keys() == {"en", "de", "fr"} else tagged
    return value


@cache
def standard_deck() -> Deck:
    return read_deck((resources.files(__package__) / "cards.toml").read_text("utf-8"))


@cache
def editions() -> dict[str, Edition]:
    text = (resources.files(__package__) / "editions.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Edition])


# --- what a deck file must hold ------------------------------------------------------------------


def _fault(msgid: str, **params: Param) -> Text:
    """What is wrong, with whatever the file says fit to be quoted."""
    return Text(
        msgid, {key: printable(p) if isinstance(p, str) else p for key, p in params.items()}
    )


def _joined(faults: Sequence[Text]) -> Text:
    """All of them in one sentence, halved again and again: a bad file may have thousands."""
    if len(faults) == 1:
        return faults[0]
    middle = len(faults) // 2
    return _fault("{told}; {more}", told=_joined(faults[:middle]), more=_joined(faults[middle:]))


def _faults(document: DeckDocument) -> list[Text]:
    return [
        *_wrong_words(
            document.name, Name(document.name, document.name, document.name), LONGEST_NAME
        ),
        *_wrong_ids(document),
        *_wrong_counts(document),
        *_wrong_regions(document),
        *_wrong_starter(document.starter),
        *(fault for card in document.cards for fault in _wrong_card(card, document)),
    ]


_ID = re.compile(r"[a-z][a-z0-9_]*")


def _wrong_ids(document: DeckDocument) -> list[Text]:
    ids = [document.starter.id, *(card.id for card in document.cards)]
    faults = [
        _fault("card '{card}' appears {count} times", card=name, count=n)
        for name, n in Counter(ids).items()
        if n > 1
    ]
    reserved = {HERE, NEIGHBOURS, ELSEWHERE, *NO_CARDS, *(document.regions.keys() - {"europe"})}
    for name in ids:
        if not _ID.fullmatch(name):
            faults.append(_fault("'{id}' is no id; use lower-case letters, digits and _", id=name))
        elif name in reserved:
            faults.append(_fault("'{id}' is no id for a card, it has another meaning", id=name))
    return faults


def _wrong_counts(document: DeckDocument) -> list[Text]:
    faults = []
    held, wanted = len(document.cards), sum(FLAGS.values())
    if held != wanted:
        faults.append(
            _fault(
                "{count:# strategy card|# strategy cards}, there must be {wanted}",
                count=held,
                wanted=wanted,
            )
        )
    movers = sum(isinstance(effect, Relocate) for card in document.cards for effect in card.event)
    if movers > 1:
        faults.append(_fault("{count} events move a card, at most 1 can", count=movers))
    flags = Counter(card.flag for card in document.cards)
    for side, count in FLAGS.items():
        if flags[side] != count:
            faults.append(
                _fault(
                    "{count:# card|# cards} with the flag '{flag}', there must be {wanted}",
                    count=flags[side],
                    flag=side,
                    wanted=count,
                )
            )
    return faults


def _wrong_regions(document: DeckDocument) -> list[Text]:
    known = set(editions()["en"].final_order)
    if document.regions.keys() != known:
        return [
            _fault(
                "regions are {regions}, there must be {wanted}",
                regions=str(sorted(document.regions)),
                wanted=str(sorted(known)),
            )
        ]
    cards = (document.starter, *document.cards)
    sizes = Counter(card.region for card in cards)
    faults = [
        _fault(
            "card '{card}' is in '{region}', which is no region", card=card.id, region=card.region
        )
        for card in cards
        if card.region not in known
    ]
    dealt = {card.region for card in document.cards}
    faults += [
        _fault("region '{region}' has no strategy card", region=name)
        for name in sorted(known - dealt)
    ]
    for name, region in document.regions.items():
        faults += _wrong_words(name, region.name, LONGEST_NAME)
        faults += _wrong_words(name, region.short, LONGEST_SHORT)
        if region.size != sizes[name]:
            faults.append(
                _fault(
                    "region '{region}' has size {size} but {count:# card|# cards}",
                    region=name,
                    size=region.size,
                    count=sizes[name],
                )
            )
        if not 0 <= region.bonus <= HIGHEST_AMOUNT:
            faults.append(
                _fault(
                    "region '{region}' has the bonus {bonus}, from 0 to {most} is possible",
                    region=name,
                    bonus=region.bonus,
                    most=HIGHEST_AMOUNT,
                )
            )
    return faults


def _wrong_starter(starter: Card) -> list[Text]:
    bare = Card(starter.id, starter.name, starter.region)
    dressed = _fault("the starter has neither flag nor command nor event")
    faults = [] if starter == bare else [dressed]
    return faults + _wrong_words(starter.id, starter.name, LONGEST_NAME)


def _wrong_words(owner: str, words: Name, longest: int) -> list[Text]:
    """Names and texts go into letters: one line, not empty, not endless."""
    said = (words.en, words.de, words.fr)
    if all(text.strip() and len(text) <= longest and is_printable(text) for text in said):
        return []
    return [
        _fault(
            "'{owner}': a name or text must be one line of 1 to {longest} characters",
            owner=owner,
            longest=longest,
        )
    ]


def _wrong_card(card: Card, document: DeckDocument) -> list[Text]:
    faults = _wrong_words(card.id, card.name, LONGEST_NAME)
    faults += _wrong_words(card.id, card.text, LONGEST_TEXT)
    if card.flag is None or card.flag not in FLAGS:
        faults.append(
            _fault(
                "card '{card}' has the flag {flag}, use 'usa' or 'ussr'",
                card=card.id,
                flag=repr(card.flag),
            )
        )
    if not 1 <= card.command <= HIGHEST_COMMAND:
        faults.append(
            _fault(
                "card '{card}' commands {command:# cube|# cubes}, from 1 to {most} is possible",
                card=card.id,
                command=card.command,
                most=HIGHEST_COMMAND,
            )
        )
    if not card.event:
        faults.append(_fault("card '{card}' has no event", card=card.id))
    places = {HERE, NEIGHBOURS, ELSEWHERE, *document.regions, *(c.id for c in document.cards)}
    for effect in card.event:
        unknown = sorted(set(getattr(effect, "where", ())) - places)
        faults += [
            _fault(
                "card '{card}' points to '{place}', which is no place", card=card.id, place=place
            )
            for place in unknown
        ]
        amounts = [getattr(effect, field, 1) for field in ("points", "cubes", "each", "total")]
        if any(amount is not None and not 1 <= amount <= HIGHEST_AMOUNT for amount in amounts):
            faults.append(
                _fault(
                    "card '{card}': amounts in its event go from 1 to {most}",
                    card=card.id,
                    most=HIGHEST_AMOUNT,
                )
            )
    return faults
