"""Reading what people type: names in three languages, abbreviated, in any case.

A name fits when each typed word begins the word of the name in its place, so `w germ` is West
Germany. What fits exactly wins, then what takes more words; several equal fits are refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache

from engine.core import BadNotation, Name, Seat, Text
from engine.east_and_west.data.arsenal import CATEGORIES, Category, kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import ALLIANCES, POWER_NAMES
from engine.text import plain, printable

LONGEST_LINE = 1_000
LONGEST_NAME = 6
SHORTEST = 2
"""Letters that a single typed word must have to stand for a longer name."""
CLEAR = 3
"""Letters that the beginning of a kind of unit must have where no number is before it."""
MOST = 999
LONGEST_QUOTED = 60
_UNITS = Text("units with their numbers, such as 3 infantry 1 armor")
_ALL = ("all", "alle", "alles", "tous", "toutes", "tout")
"""No beginning of Allemagne: whoever writes it means units, and they have to be counted."""
_COMPARED = re.compile(r"(>=|<=|>|<)")
_FILLING = re.compile(
    r"->|=>|→|[,;:]|"
    r"(?<![\w-])(?:to|from|in|into|at|and|nach|von|im|und|vers|de|dans|en|au|et)(?![\w-])"
)
_PLURAL = {
    "infantries": "infantry",
    "inf": "infantry",
    "arm": "armor",
    "tank": "armor",
    "tanks": "armor",
    "armour": "armor",
    "heavies": "heavy-armor",
    "sf": "special-forces",
    "aa": "aa-gun",
    "flak": "aa-gun",
    "ftr": "fighter",
    "ftrs": "fighter",
    "bmb": "bomber",
    "trn": "transport",
    "sub": "submarine",
    "subs": "submarine",
    "ca": "cruiser",
    "cv": "carrier",
    "bb": "battleship",
    "nuke": "atomic-bomb",
    "a-bomb": "atomic-bomb",
    "h-bomb": "hydrogen-bomb",
    "spies": "spy",
}

_PLACES = {
    "moscow": "russia",
    "moskau": "russia",
    "moscou": "russia",
    "london": "united-kingdom",
    "londres": "united-kingdom",
    "uk": "united-kingdom",
    "gb": "united-kingdom",
    "paris": "france",
    "washington": "eastern-united-states",
    "eus": "eastern-united-states",
    "eastern-usa": "eastern-united-states",
    "western-usa": "western-united-states",
    "wus": "western-united-states",
}
"""Capitals, and what would be read as another name."""


def fold(text: str) -> str:
    """Lower case, without accents, umlauts as one letter; only plain letters and digits stay."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9.<>=!%+-]+", " ", kept).strip()


def _has_foreign_letters(word: str) -> bool:
    """Whether letters or digits would be lost by folding, and with them a part of the meaning."""
    if word.isascii():
        return False
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return any(c.isalnum() and not c.isascii() for c in decomposed)


def shortened(line: str) -> str:
    return line if len(line) <= LONGEST_QUOTED else line[: LONGEST_QUOTED - 3] + "..."


class Words:
    """A typed line, read from its beginning; nothing is known of any match."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST_LINE:
            raise BadNotation(
                "an order has at most {most} characters, this one {length}",
                most=LONGEST_LINE,
                length=len(text),
            )
        whole = " ".join(text.split())
        self.line = printable(shortened(whole))
        """Fit to be quoted."""
        if foreign := next(filter(_has_foreign_letters, whole.split()), None):
            raise self.misfit(printable(shortened(foreign)), Text("letters from a to z"))
        folded = _COMPARED.sub(r" \1 ", _FILLING.sub(" ", whole.casefold()))
        self._left = [word.strip(".") for word in fold(folded).split() if word.strip(".")]

    # --- looking ----------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return not self._left

    def next_is(self, *words: str) -> bool:
        return bool(self._left) and self._left[0] in words

    def peek(self) -> str:
        """The next word as it was folded; empty at the end."""
        return self._left[0] if self._left else ""

    def next_is_number(self) -> bool:
        return bool(self._left) and self._left[0].isascii() and self._left[0].isdigit()

    # --- taking -----------------------------------------------------------------------------------

    def skip(self) -> None:
        self._left.pop(0)

    def word(self, *choices: str) -> str:
        """One of some words; a beginning of it that fits no other will do."""
        typed = self._left[0] if self._left else ""
        fitting = [c for c in choices if c == typed] or [
            c for c in choices if typed and c.startswith(typed)
        ]
        if len(fitting) != 1:
            raise self.wrong(" | ".join(choices))
        self._left.pop(0)
        return fitting[0]

    def number(self) -> int:
        if not self.next_is_number() or len(self._left[0]) > len(str(MOST)):
            raise self.wrong(f"0-{MOST}")
        return int(self._left.pop(0))

    def space(self) -> str:
        if self.next_is(*_ALL):
            raise self.wrong(_UNITS)
        return self._named(_spaces(), Text("a land or sea zone"))

    def kind(self) -> str:
        return self._named(_kinds(), Text("a kind of unit"))

    def power(self) -> Seat:
        return Seat(self._named(_powers(), "ussr | we | uk | usa"))

    def category(self) -> Category:
        found = self._named(_categories(), " | ".join(CATEGORIES))
        return next(category for category in CATEGORIES if category == found)

    def alliance(self) -> str:
        return self._named(_alliances(), " | ".join(ALLIANCES))

    def fits_space(self) -> bool:
        return self._best(_spaces()) is not None

    def fits_kind(self) -> bool:
        return self._best(_kinds()) is not None

    def fits_alliance(self) -> bool:
        return self._best(_alliances()) is not None

    def units(self) -> tuple[tuple[str, int], ...]:
        """`3 infantry 1 armor`, at least one; a kind without a number is one unit."""
        found: dict[str, int] = {}
        while self.next_is_number() or (not self.is_over and self._is_clearly_a_kind()):
            count = self.number() if self.next_is_number() else 1
            kind = self.kind()
            if count < 1:
                raise self.misfit(str(count), f"1-{MOST}")
            found[kind] = min(MOST, found.get(kind, 0) + count)
        if not found:
            raise self.wrong(_UNITS)
        return tuple(found.items())

    def _is_clearly_a_kind(self) -> bool:
        """Not a little word of some language that happens to begin as a kind does."""
        return self.fits_kind() and (len(self._left[0]) >= CLEAR or (self._left[0],) in _kinds())

    def rest(self) -> str:
        """All that is left, as it was folded."""
        left, self._left = " ".join(self._left), []
        return left

    def end(self) -> None:
        if self._left:
            raise BadNotation(
                "'{line}' ends before '{rest}'", line=self.line, rest=" ".join(self._left)
            )

    # --- errors and names -------------------------------------------------------------------------

    def wrong(self, expected: str | Text) -> BadNotation:
        """An error that quotes the line and says what would be right."""
        if self.is_over:
            return BadNotation(
                "'{line}' is not finished; expected: {expected}",
                line=self.line,
                expected=expected,
            )
        return self.misfit(self._left[0], expected)

    def misfit(self, word: str, expected: str | Text) -> BadNotation:
        """The same for a word that may have been read already."""
        return BadNotation(
            "'{word}' in '{line}' does not fit; expected: {expected}",
            word=word,
            line=self.line,
            expected=expected,
        )

    def _named(self, names: Mapping[tuple[str, ...], str], expected: str | Text) -> str:
        best = self._best(names)
        if best is None:
            raise self.wrong(expected)
        length, found = best
        if len(found) > 1:
            raise BadNotation(
                "'{words}' in '{line}' can be {names}",
                words=" ".join(self._left[:length]),
                line=self.line,
                names=", ".join(sorted(found)),
            )
        del self._left[:length]
        return found.pop()

    def _best(self, names: Mapping[tuple[str, ...], str]) -> tuple[int, set[str]] | None:
        """How many typed words are a name, and whose it can be."""
        for length in range(min(LONGEST_NAME, len(self._left)), 0, -1):
            typed = tuple(" ".join(self._left[:length]).replace("-", " ").split())
            if typed in names:
                return length, {names[typed]}
        for length in range(min(LONGEST_NAME, len(self._left)), 0, -1):
            typed = tuple(" ".join(self._left[:length]).replace("-", " ").split())
            found = _beginning_with(typed, names)
            if found:
                return length, found
        return None


def _beginning_with(typed: tuple[str, ...], names: Mapping[tuple[str, ...], str]) -> set[str]:
    """Names whose words all begin as typed; shorter names first, as `italy` before its sea zone."""
    if not typed or (len(typed) == 1 and len(typed[0]) < SHORTEST):
        return set()
    fitting = [
        (len(name), key)
        for name, key in names.items()
        if len(name) >= len(typed)
        and all(word.startswith(part) for word, part in zip(name, typed, strict=False))
    ]
    shortest = min((length for length, _ in fitting), default=0)
    return {key for length, key in fitting if length == shortest}


@cache
def _spaces() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {_parts(short): key for short, key in _PLACES.items()}
    names |= {_parts(space.tag): key for key, space in atlas().spaces.items()}
    for key, space in atlas().spaces.items():
        for name in _spellings(space.names, key):
            names[_parts(name)] = key
            names[_parts(_FILLING.sub(" ", name.casefold()))] = key
            if "sea zone" in fold(name):
                names[_parts(fold(name).replace("sea zone", "sz"))] = key
    return names


@cache
def _kinds() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {(short,): kind for short, kind in _PLURAL.items()}
    for key, kind in kinds().items():
        for name in (*_spellings(kind.many, key), *_spellings(kind.names, key)):
            parts = _parts(name)
            names[parts] = key
            for plural in _plurals(parts):
                names.setdefault(plural, key)
    return names


def _plurals(parts: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    *front, last = parts
    for end in ("s", "en", "n", "e", "er"):
        yield (*front, last + end)


@cache
def _powers() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {
        ("soviet", "union"): "ussr",
        ("russia",): "ussr",
        ("britain",): "uk",
        ("us",): "usa",
        ("europe",): "we",
    }
    for key, name in POWER_NAMES.items():
        for called in _spellings(name, key):
            names[_parts(called)] = key
    return names


@cache
def _categories() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {}
    for key, technology in technologies().items():
        for called in _spellings(technology.names, key):
            names[_parts(called)] = key
    return names


@cache
def _alliances() -> dict[tuple[str, ...], str]:
    names: dict[tuple[str, ...], str] = {("arabs",): "arab"}
    for key, alliance in atlas().alliances.items():
        for called in _spellings(alliance.names, key):
            names[_parts(called)] = key
    return names


def _spellings(name: Name, key: str) -> tuple[str, ...]:
    """In all languages, German also without umlauts; what comes later wins."""
    return name.fr, plain(name.de), name.de, name.en, key


def _parts(name: str) -> tuple[str, ...]:
    return tuple(fold(name).replace("-", " ").split())
