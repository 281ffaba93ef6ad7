#!/usr/bin/env python3
"""Check the dice and the decks of a finished match yourself:  python verify_match.py match.json

One file, Python 3.9 or newer, nothing to install, nothing sent anywhere. It is meant to be read.

Before a match the server draws a secret and publishes a fingerprint of it, the commitment, in the
first letter to each player. Players may add phrases. Every throw and every shuffle is computed from
the secret, the phrases and a label that says what it is for. At the end the secret is revealed, and
this program computes all of it again: the server could neither change its secret after the first
letter nor choose a throw when it was due. A shuffled deck has a fingerprint too, the root, which is
published at the deal: no card could change its place afterwards.

Left to your own eyes: compare the commitment and the roots printed here with those in your letters,
and see that the deck before the shuffle is in its usual order. What this program cannot see: an
order that broke the rules, a throw that was left out. For that it would have to know the game, as
`pbem verify` does on the server.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

FORMAT = "pbem-match/1"
LARGEST_FILE = 5_000_000  # bytes
DRAW_RANGE = 65_536  # two bytes


class Wrong(Exception):
    """The file is not what it claims to be; the words say where."""


# --- how secret and phrases become throws --------------------------------------------------------


def digest(*parts: str | int | bytes) -> bytes:
    """SHA-256 over all parts, each with its length (4 bytes, big end first) in front."""
    whole = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        whole.update(len(data).to_bytes(4, "big") + data)
    return whole.digest()


def commitment(match: str, secret: bytes) -> str:
    """What the first letter shows: it fixes the secret without telling it."""
    return digest("pbem/commit/v1", match, secret).hex()


def match_key(match: str, secret: bytes, phrases: Sequence[str], beacon: str = "") -> bytes:
    """The key of all throws: the secret, mixed with what the players said."""
    numbered = [part for number, phrase in enumerate(phrases) for part in (number, phrase)]
    return hmac.digest(digest("pbem/salt/v1", match, *numbered, beacon), secret, "sha256")


def stream(key: bytes, *label: str | int) -> Callable[[int], int]:
    """A function `below(n)` that gives 0 to n - 1, each as likely as the others."""
    numbers = two_byte_numbers(key, digest("pbem/stream/v1", *label))

    def below(n: int) -> int:
        limit = DRAW_RANGE // n * n  # the few numbers above it would favour small results
        return next(number for number in numbers if number < limit) % n

    return below


def two_byte_numbers(key: bytes, seed: bytes) -> Iterator[int]:
    for block_number in range(2**32):
        block = hmac.digest(key, seed + block_number.to_bytes(4, "big"), "sha256")
        for at in range(0, len(block), 2):
            yield int.from_bytes(block[at : at + 2], "big")


def shuffled(below: Callable[[int], int], size: int) -> list[int]:
    """The old places of the cards in their new order, top first (Fisher and Yates)."""
    order = list(range(size))
    for i in range(size - 1, 0, -1):
        j = below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def deck_root(key: bytes, match: str, timeline: int, deck: str, cards: Sequence[str]) -> str:
    """The root of a tree over the shuffled deck; a salt keeps each card from being guessed."""
    level = []
    for place, card in enumerate(cards):
        label = digest("pbem/leafsalt/v1", match, timeline, deck, place)
        level.append(digest("pbem/leaf/v1", place, card, hmac.digest(key, label, "sha256")[:16]))
    while len(level) > 1:
        if len(level) % 2:
            level.append(level[-1])
        level = [digest("pbem/node/v1", *level[i : i + 2]) for i in range(0, len(level), 2)]
    return level[0].hex()


# --- the file, in the form it must have: which fields, of which type -----------------------------

FILE: dict[str, Any] = {"format": str, "match": str, "game": str, "rules_version": int}
FILE.update(setup=dict, commitment=str, secret=str, phrases=[str], entries=[dict])
FILE_MAY = {"decks": [dict], "beacon": str, "result": str}
ENTRY = {"seq": int, "kind": str}
ENTRY_MAY = {"actor": str, "text": str, "draws": [dict], "at": str}
DRAW = {"kind": str, "why": str, "size": int, "result": [int]}
DECK = {"timeline": int, "deck": str, "leaves": int, "root": str, "cards": [str]}
KINDS = ("setup", "action", "rewind", "resign", "draw", "timeout", "forfeit", "note")


def read(path: str) -> dict[str, Any]:
    """The match in a file."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Wrong("this is no match file: it is too large")
        hooks: Any = {"parse_int": short_integer, "object_pairs_hook": without_repeats}
        match = fields("the file", json.loads(data.decode("utf-8-sig"), **hooks), FILE, FILE_MAY)
    except OSError as error:
        raise Wrong(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Wrong(f"this is no match file: {error}") from None
    if match["format"] != FORMAT:
        raise Wrong(f"the format is {match['format']}; this program reads {FORMAT}")
    return match


def short_integer(digits: str) -> int:
    if len(digits) > 18:
        raise ValueError("it holds a number that is far too large")
    return int(digits)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("it gives two values for one name")
    return dict(pairs)


def fields(where: str, value: Any, must: dict[str, Any], may: dict[str, Any]) -> dict[str, Any]:
    """A JSON object with these fields and no others; one that may be left out is then empty."""
    of_type(where, value, dict)
    if not must.keys() <= value.keys() <= must.keys() | may.keys():
        odd = sorted((must.keys() - value.keys()) | (value.keys() - must.keys() - may.keys()))
        raise Wrong(f"{where} has one of these fields too few or too many: {', '.join(odd)}")
    for name, content in value.items():
        of_type(f"{name} of {where}", content, must.get(name) or may[name])
    return {**{name: [] if may[name] == [dict] else "" for name in may}, **value}


def of_type(where: str, value: Any, kind: Any) -> None:
    if isinstance(kind, list):
        of_type(where, value, list)
        for part in value:
            of_type(f"a part of {where}", part, kind[0])
    elif type(value) is not kind:  # not isinstance: true must not pass for 1
        raise Wrong(f"{where} is not of type {kind.__name__}")
    elif kind is str and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise Wrong(f"{where} holds half a character")


# --- the check -----------------------------------------------------------------------------------


class Check:
    """One run through a match, entry by entry; `say` is told everything on the way."""

    def __init__(self, match: dict[str, Any], say: Callable[[str], None]) -> None:
        self.say, self.name, self.entries = say, match["match"], match["entries"]
        self.key = self.open_key(match)
        self.timeline = 0  # each rewind opens the next one, so that no throw comes again
        self.past: set[str] = set()  # the numbers of the entries so far
        self.draws = 0
        self.seen: set[tuple[int, str]] = set()  # the decks shuffled so far
        decks = [fields("a deck", deck, DECK, {}) for deck in match["decks"]]
        self.decks = {(deck["timeline"], deck["deck"]): deck for deck in decks}
        if len(self.decks) != len(decks):
            raise Wrong("two decks have the same name")

    def open_key(self, match: dict[str, Any]) -> bytes:
        """The key, once the revealed secret is shown to be the one committed to."""
        try:
            secret = bytes.fromhex(match["secret"])
        except ValueError:
            secret = b""
        if not secret or secret.hex() != match["secret"]:
            raise Wrong("the secret is not written in lower-case hexadecimal digits")
        if commitment(self.name, secret) != match["commitment"]:
            raise Wrong("the revealed secret does not fit the commitment of the first letter")
        self.say(f"match {self.name}, commitment {match['commitment']}")
        for seat, phrase in enumerate(match["phrases"]):
            self.say(f"phrase of seat {seat}: {phrase or '(none)'}")
        return match_key(self.name, secret, match["phrases"], match["beacon"])

    def run(self) -> None:
        for number, entry in enumerate(self.entries):
            try:
                self.entry(number, fields("it", entry, ENTRY, ENTRY_MAY))
            except Wrong as wrong:
                raise Wrong(f"entry {number} is wrong: {wrong}") from None
        if not self.entries:
            raise Wrong("the file holds no entry")
        for timeline, deck in self.decks.keys() - self.seen:
            raise Wrong(f"deck {deck} was never shuffled in timeline {timeline}")

    def entry(self, number: int, entry: dict[str, Any]) -> None:
        if entry["seq"] != number:
            raise Wrong(f"it calls itself entry {entry['seq']}; one is missing or moved")
        if entry["kind"] not in KINDS or (entry["kind"] == "setup") != (number == 0):
            raise Wrong(f"it cannot be of the kind {entry['kind']}")
        if entry["kind"] == "rewind":
            if entry["text"] not in self.past:
                raise Wrong(f"there is no entry {entry['text']} to go back to")
            self.timeline += 1
            self.say(f"entry {number}: back to entry {entry['text']}, timeline {self.timeline}")
        draws = [fields("a draw", draw, DRAW, {}) for draw in entry["draws"]]
        if len({(draw["kind"], draw["why"]) for draw in draws}) != len(draws):
            raise Wrong("it draws twice for one purpose")
        for draw in draws:
            self.draw(number, draw["kind"], draw["why"], draw["size"], draw["result"])
        self.past.add(str(number))

    def draw(self, number: int, kind: str, why: str, size: int, result: list[int]) -> None:
        lengths = {"roll": len(result), "shuffle": size}
        if not 1 <= size <= DRAW_RANGE or lengths.get(kind) != len(result):
            raise Wrong(f"{kind} {why} of {size} with {len(result)} results is no draw")
        if kind == "roll":
            below = stream(self.key, "dice", self.name, self.timeline, number, why)
            right = [below(size) + 1 for _ in result]
            words = f"{len(result)} x d{size} for {why}"
        else:
            right = shuffled(stream(self.key, "deck", self.name, self.timeline, why), size)
            words = f"deck {why}, the old places of its {size} cards, top first"
        self.say(f"entry {number}: {words}: {' '.join(map(str, result))}")
        if result != right:
            raise Wrong(f"for {kind} {why} the secret gives {' '.join(map(str, right))}")
        self.draws += 1
        if kind == "shuffle":
            self.deck(why, right)

    def deck(self, name: str, order: list[int]) -> None:
        """If a deck was published at the deal, the cards shown must be those of its root."""
        if (self.timeline, name) in self.seen:
            raise Wrong(f"deck {name} is shuffled a second time in timeline {self.timeline}")
        self.seen.add((self.timeline, name))
        deck = self.decks.get((self.timeline, name))
        if deck is None:
            self.say(f"  no root was published for deck {name}")
            return
        cards = deck["cards"]
        if not len(order) == len(cards) == deck["leaves"]:
            raise Wrong(f"{len(order)} cards were shuffled, {deck['leaves']} were published")
        if deck_root(self.key, self.name, self.timeline, name, cards) != deck["root"]:
            raise Wrong(f"deck {name} does not fit the root published at the deal")
        self.say(f"  root of deck {name}: {deck['root']}")
        before = sorted(range(len(order)), key=order.__getitem__)
        self.say(f"  before the shuffle: {', '.join(cards[place] for place in before)}")
        self.say(f"  after it, top first: {', '.join(cards)}")


def tell(words: str) -> None:
    """Print one line, without the control characters that a file might hold."""
    print("".join(letter if letter.isprintable() else "?" for letter in words))


def verify(path: str) -> int:
    """Tell every throw and shuffle; 0 when all are right, 1 at the first that is not."""
    try:
        check = Check(read(path), tell)
        check.run()
    except Wrong as wrong:
        tell(f"WRONG: {wrong}")
        return 1
    tell(f"{len(check.entries)} entries, draws: {check.draws}; every throw and shuffle is right")
    return 0


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: python verify_match.py match.json")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return verify(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
