#!/usr/bin/env python3
"""Check a finished match yourself:  python verify_match.py match.json --head 3f9c1a2b77d04e51

One file, Python 3.9 or newer, nothing to install, nothing sent anywhere. It is meant to be read.

Chance. Before a match the server draws a secret; the first letter shows its fingerprint, the
commitment. All throws and shuffles are computed from the secret, the players' phrases and a label
that says what each is for. At the end the secret is revealed, and this program computes them again:
the server could neither change its secret nor choose a throw. A shuffled deck has a fingerprint
too, the root, shown at the deal: no card could change its place afterwards.

Orders, times, result. Every entry has a hash over what it says and over the hash before it, the
first over what was agreed before. Letters show its first 16 digits, the head. Whoever changes an
entry must change all hashes from there on: they do not fit the heads you give, best your last one.

Left to your own eyes: compare commitment and roots with those in your letters, and see that the
deck before the shuffle is in its usual order. Only `pbem verify`, which knows the game, can see an
order that broke the rules or a throw that was left out.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

FORMAT, OLD_FORMAT = "pbem-match/2", "pbem-match/1"  # the old one has no chain of entries
LARGEST_FILE, MOST_ENTRIES, LONGEST_NUMBER = 5_000_000, 20_000, 18  # bytes, entries, digits
DRAW_RANGE, SHORT, HEX = 65_536, 16, "0123456789abcdef"  # two bytes; digits shown of a hash
BY_MODERATORS = ("rewind", "note", "rules", "restore")  # kinds; players agree on the first, too


class Wrong(Exception):
    """The file is not what it claims to be; the words say where."""


# --- how secret and phrases become throws, and entries a chain -----------------------------------


def digest(*parts: str | int | bytes) -> bytes:
    """SHA-256 over all parts, each with its length (4 bytes, big end first) in front."""
    data = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return hashlib.sha256(b"".join(len(d).to_bytes(4, "big") + d for d in data)).digest()


def commitment(match: str, secret: bytes) -> str:
    """What the first letter shows: it fixes the secret without telling it."""
    return digest("pbem/commit/v1", match, secret).hex()


def match_key(match: str, secret: bytes, phrases: Sequence[str], beacon: str = "") -> bytes:
    """The key of all throws: the secret, mixed with what the players said."""
    numbered = [part for number, phrase in enumerate(phrases) for part in (number, phrase)]
    return hmac.digest(digest("pbem/salt/v1", match, *numbered, beacon), secret, "sha256")


def stream(key: bytes, *label: str | int) -> Callable[[int], int]:
    """A function `below(n)` that gives 0 to n - 1, each as likely as the others."""
    seed = digest("pbem/stream/v1", *label)
    blocks = (hmac.digest(key, seed + n.to_bytes(4, "big"), "sha256") for n in range(2**32))
    numbers = (int.from_bytes(b[at : at + 2], "big") for b in blocks for at in range(0, 32, 2))

    def below(n: int) -> int:
        limit = DRAW_RANGE // n * n  # the few numbers above it would favour small results
        return next(number for number in numbers if number < limit) % n

    return below


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


def genesis(match: dict[str, Any]) -> str:
    """The hash before the first entry, over all that is fixed before the deal."""
    setup = json.dumps(match["setup"], sort_keys=True, separators=(",", ":"))
    seats, phrases = match["seats"], match["phrases"]
    parts = [match["match"], match["game"], match["rules_version"], setup, match["commitment"]]
    parts += [len(seats), *seats, len(phrases), *phrases, match["beacon"]]
    return digest("pbem/genesis/v1", *parts).hex()


def entry_hash(key: bytes, match: str, previous: str, entry: dict[str, Any]) -> str:
    """The hash of an entry; the salt kept hidden orders from being guessed during the match."""
    salt = hmac.digest(key, digest("pbem/entrysalt/v1", match, entry["seq"]), "sha256")[:16]
    parts = [entry[name] for name in ("seq", "kind", "actor", "text", "at", "result")]
    for draw in entry["draws"]:
        parts += [draw["kind"], draw["why"], draw["size"], " ".join(map(str, draw["result"]))]
    return digest("pbem/entry/v1", previous, salt, *parts).hex()


# --- the file, in the form it must have: which fields, of which type -----------------------------
FILE: dict[str, Any] = {"format": str, "match": str, "game": str, "rules_version": int}
FILE.update(setup=dict, commitment=str, secret=str, phrases=[str], entries=[dict])
FILE_MAY = {"decks": [dict], "beacon": str, "result": str}
CHAINED = {"seats": [str], "reason": str, "head": str, "later_secrets": [str]}
ENTRY: dict[str, Any] = {"seq": int, "kind": str}
ENTRY_MAY = {"actor": str, "text": str, "draws": [dict], "at": str}
LINKED = {"result": str, "hash": str}  # since entries are chained
DRAW = {"kind": str, "why": str, "size": int, "result": [int]}
DECK = {"timeline": int, "deck": str, "leaves": int, "root": str, "cards": [str]}
REASONS = {"setup": "rules", "action": "rules", "timeout": "rules", "rewind": "", "restore": ""}
REASONS.update(resign="resignation", draw="agreement", forfeit="time", note="moderator", rules="")


def read(path: str) -> dict[str, Any]:
    """The match in a file."""
    try:
        with open(path, "rb") as file:
            match = strictly_read(file.read(LARGEST_FILE + 1))
    except OSError as error:
        raise Wrong(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise Wrong(f"this is no match file: {error}") from None
    of_type("the file", match, dict)
    if match.get("format") not in (FORMAT, OLD_FORMAT):
        raise Wrong(f"the format is {match.get('format')}; this program reads {FORMAT}")
    chained = CHAINED if match["format"] == FORMAT else {}
    match = fields("the file", match, FILE, {**FILE_MAY, **chained})
    if len(match["entries"]) > MOST_ENTRIES:
        raise Wrong(f"the file has {len(match['entries'])} entries; {MOST_ENTRIES} can be checked")
    return match


def strictly_read(data: bytes) -> Any:
    """What the JSON says, if there is one way only to read it."""
    if len(data) > LARGEST_FILE:
        raise ValueError("it is too large")
    hooks: dict[str, Any] = {"parse_int": integer, "parse_float": fraction}
    hooks.update(parse_constant=fraction, object_pairs_hook=without_repeats)
    found = json.loads(data.decode("utf-8-sig"), **hooks)
    if re.search(r"[\ud800-\udfff]", json.dumps(found, ensure_ascii=False)):
        raise ValueError("it holds half a character")
    return found


def integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError("it holds a number that is far too large")
    return int(digits)


def fraction(digits: str) -> float:
    if len(digits) > 2 * LONGEST_NUMBER or not math.isfinite(float(digits)):
        raise ValueError("it holds a number that is none")
    return float(digits)


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
    return {**{name: [] if isinstance(may[name], list) else "" for name in may}, **value}


def of_type(where: str, value: Any, kind: Any) -> None:
    if isinstance(kind, list):
        of_type(where, value, list)
        for part in value:
            of_type(f"a part of {where}", part, kind[0])
    elif type(value) is not kind:  # not isinstance: true must not pass for 1
        raise Wrong(f"{where} is not of type {kind.__name__}")


# --- the check -----------------------------------------------------------------------------------


class Check:
    """One run through a match, entry by entry; `say` is told everything on the way."""

    def __init__(self, match: dict[str, Any], say: Callable[[str], None]) -> None:
        self.say, self.match, self.name, self.phrases = say, match, match["match"], match["phrases"]
        self.entries, self.is_chained = match["entries"], match["format"] == FORMAT
        self.say(f"match {self.name}, commitment {match['commitment']}")
        self.key, self.timeline = self.open_key(match["secret"], match["commitment"]), 0
        self.later = list(match.get("later_secrets", ()))  # for what came after a server's restore
        if len(self.later) != [entry.get("kind") for entry in self.entries].count("restore"):
            raise Wrong("there must be one more secret for each time that the server was restored")
        self.heads: list[str] = []  # the hashes of the entries so far
        self.is_over = self.is_sealed = False  # sealed: the last entry says itself how it ended
        self.draws, self.proved = 0, -1  # proved: the last entry with a head of a letter
        self.seen: set[tuple[int, str]] = set()  # the decks shuffled so far
        decks = [fields("a deck", deck, DECK, {}) for deck in match["decks"]]
        self.decks = {(deck["timeline"], deck["deck"]): deck for deck in decks}
        if len(self.decks) != len(decks):
            raise Wrong("two decks have the same name")
        if self.is_chained:
            self.seats = match["seats"]
            if not self.seats or len(set(self.seats)) != len(self.seats):
                raise Wrong("each seat must have a name of its own")
            if len(self.phrases) != len(self.seats):
                raise Wrong("there must be a phrase for each seat, if only an empty one")

    def open_key(self, digits: str, committed: str) -> bytes:
        """The key, once the revealed secret is shown to be the one committed to."""
        if not digits or len(digits) % 2 or digits.strip(HEX):
            raise Wrong("the secret is not written in lower-case hexadecimal digits")
        if commitment(self.name, bytes.fromhex(digits)) != committed:
            raise Wrong("the revealed secret does not fit the commitment of the letter")
        return match_key(self.name, bytes.fromhex(digits), self.phrases, self.match["beacon"])

    def run(self) -> None:
        self.say(f"its orders follow version {self.match['rules_version']} of the rules")
        for seat, phrase in enumerate(self.phrases):
            self.say(f"phrase of seat {seat}: {phrase or '(none)'}")
        for number, entry in enumerate(self.entries):
            may = {**ENTRY_MAY, **LINKED} if self.is_chained else ENTRY_MAY
            try:
                self.entry(number, fields("it", entry, ENTRY, may))
            except Wrong as wrong:
                raise Wrong(f"entry {number} is wrong: {wrong}") from None
        if not self.entries:
            raise Wrong("the file holds no entry")
        for timeline, deck in self.decks.keys() - self.seen:
            raise Wrong(f"deck {deck} was never shuffled in timeline {timeline}")
        if self.is_chained:
            self.end(self.entries[-1])

    def entry(self, number: int, entry: dict[str, Any]) -> None:
        kind, draws = entry["kind"], [fields("a draw", d, DRAW, {}) for d in entry["draws"]]
        if entry["seq"] != number:
            raise Wrong(f"it calls itself entry {entry['seq']}; one is missing or moved")
        if kind not in REASONS or (kind == "setup") != (number == 0):
            raise Wrong(f"it cannot be of the kind {kind}")
        if kind in ("rewind", "rules", "restore"):
            self.turning_point(number, kind, entry["text"])
        if draws and kind not in ("setup", "action", "timeout"):
            raise Wrong(f"nothing is drawn for {kind}")
        if len({(draw["kind"], draw["why"]) for draw in draws}) != len(draws):
            raise Wrong("it draws twice for one purpose")
        for draw in draws:
            self.draw(number, draw["kind"], draw["why"], draw["size"], draw["result"])
        if self.is_chained:
            self.course(entry)
            self.link(entry)

    def turning_point(self, number: int, kind: str, text: str) -> None:
        """It went back to an entry, or on under other rules, or with another secret."""
        if kind == "rewind":
            if not is_number_below(number - 1, text):
                raise Wrong(f"there is no entry {text} to go back to")
            self.timeline += 1  # so that no throw comes again
            self.say(f"entry {number}: back to entry {text}, timeline {self.timeline}")
        elif kind == "restore":
            self.key, self.timeline = self.open_key(self.later.pop(0), text), self.timeline + 1
            self.say(f"entry {number}: restored, timeline {self.timeline}, commitment {text}")
        elif is_number_below(10**6, text):
            self.say(f"entry {number}: from here on its orders follow version {text} of the rules")
        else:
            raise Wrong("it names no version of the rules")

    def course(self, entry: dict[str, Any]) -> None:
        """Who may have done this, and whether the match was still open."""
        kind, actor = entry["kind"], entry["actor"]
        who = {"setup": [""], "rewind": ["moderator", *self.seats]}
        may = who.get(kind, ["moderator"] if kind in BY_MODERATORS else self.seats)
        if actor not in may or (kind == "setup" and entry["text"]):
            raise Wrong(f"'{actor}' cannot have done this ({kind})")
        if self.is_sealed or (self.is_over and kind != "rewind"):
            raise Wrong("the match was over before it")
        self.is_sealed = bool(entry["result"])
        right = self.decided(entry)
        if entry["result"] not in ("", right):
            raise Wrong(f"it ends the match with '{right}', not with '{entry['result']}'")
        self.is_over = bool(right)

    def decided(self, entry: dict[str, Any]) -> str:
        """How people or the clock have ended the match; what it says where the rules decide."""
        kind, text, result = entry["kind"], entry["text"], str(entry["result"])
        if kind in ("resign", "forfeit"):
            lost = {entry["actor"], *text.split()[1:]}  # with those who stood together with it
            return " ".join(seat for seat in self.seats if seat not in lost)
        if kind == "note" and text.startswith("result "):
            result = text[len("result ") :]
        elif kind == "draw" or kind in BY_MODERATORS:
            return "draw" if kind == "draw" else ""
        winners = [] if result == "draw" or not (result or kind == "note") else result.split(" ")
        if len(winners) != len(set(winners) & set(self.seats)):
            raise Wrong(f"'{result}' is no result")
        return result

    def link(self, entry: dict[str, Any]) -> None:
        """The entry is bound to the one before it, the first to what was agreed before."""
        previous = self.heads[-1] if self.heads else genesis(self.match)
        right = entry_hash(self.key, self.name, previous, entry)
        self.heads.append(right)
        if entry["hash"] != right:
            what = "came before it" if entry["seq"] else "was agreed before the match"
            raise Wrong(f"its hash does not fit what it says and what {what}")
        what = f"{entry['actor']} {entry['text'] or entry['kind']}".strip()
        self.say(f"entry {entry['seq']}: head {right[:SHORT]}, {what}")

    def end(self, last: dict[str, Any]) -> None:
        """The last entry ends the match, as the file says and for the reason it says."""
        number, result = len(self.heads) - 1, last.get("result", "")
        if not result:
            raise Wrong(f"entry {number} is wrong: the match is not over with the last entry")
        if self.match["result"] != result:
            raise Wrong(f"entry {number} ends with '{result}', the file: '{self.match['result']}'")
        reason = REASONS[last["kind"]]
        if self.match["reason"] != reason:
            raise Wrong(f"entry {number} ends by {reason}, the file: '{self.match['reason']}'")
        if self.match["head"] != self.heads[-1]:
            raise Wrong(f"entry {number}: its hash is not the head of the file")

    def compare(self, heads: Sequence[str]) -> None:
        """Each head in a letter must be that of an entry."""
        if heads and not self.is_chained:
            raise Wrong("the file has no chain to compare the heads of letters with")
        found = {head: self.entries_with(head) for head in heads}
        self.proved = max([n for numbers in found.values() for n in numbers], default=-1)
        rest = f"what comes after entry {self.proved}" if self.proved >= 0 else "this"
        for one in [head for head, numbers in found.items() if not numbers]:
            raise Wrong(f"no entry has the head {one} of the letter; {rest} is not what was played")

    def entries_with(self, head: str) -> list[int]:
        """The number of the entry with a head, which must be its own where somebody knows it."""
        digits, at, number = head.strip().lower().partition("@")
        if not SHORT <= len(digits) <= 64 or digits.strip(HEX):
            raise Wrong(f"{head} is no head; it has {SHORT} digits, as in 3f9c1a2b77d04e51")
        if at and not is_number_below(len(self.entries), number):
            raise Wrong(f"there is no entry {number} to have the head {digits}")
        found = [n for n, right in enumerate(self.heads) if right.startswith(digits)]
        if at and found != [int(number)]:
            raise Wrong(f"entry {number} does not have the head {digits} of the letter")
        if found:
            self.say(f"the head {digits} of your letter is that of entry {found[0]}")
        return found

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
        """A deck was published at the deal: the cards shown must be those of its root."""
        if (self.timeline, name) in self.seen:
            raise Wrong(f"deck {name} is shuffled a second time in timeline {self.timeline}")
        self.seen.add((self.timeline, name))
        deck = self.decks.get((self.timeline, name))
        if deck is None:
            raise Wrong(f"the file does not show the root of deck {name}")
        cards = deck["cards"]
        if not len(order) == len(cards) == deck["leaves"]:
            raise Wrong(f"{len(order)} cards were shuffled, {deck['leaves']} were published")
        if deck_root(self.key, self.name, self.timeline, name, cards) != deck["root"]:
            raise Wrong(f"deck {name} does not fit the root published at the deal")
        self.say(f"  root of deck {name}: {deck['root']}")
        before = sorted(range(len(order)), key=order.__getitem__)
        self.say(f"  before the shuffle: {', '.join(cards[place] for place in before)}")
        self.say(f"  after it, top first: {', '.join(cards)}")

    def verdict(self) -> str:
        """What was shown, and what is left to compare."""
        count = len(self.entries)
        right = f"{count} entries, draws: {self.draws}; every throw and shuffle is right"
        if not self.is_chained:
            right += f"; the file is of the old format {OLD_FORMAT} without the chain of entries,"
            return right + " which proves orders, times and result: download it again"
        if self.decks:
            right += " if the roots above are those in your letters"
        if self.proved == len(self.heads) - 1:
            return right + ", and so are the chain and the heads of your letters"
        what = "all of it" if self.proved < 0 else f"what comes after entry {self.proved}"
        last = f"entry {len(self.heads) - 1} has {self.heads[-1][:SHORT]}"
        right += f", and so is the chain; to rule out that {what} was written anew, compare"
        return right + f" the heads with your letters (--head HEAD): {last}"


def is_number_below(limit: int, text: str) -> bool:
    """Whether a text is a number from 0 to below the limit, written in the one usual way."""
    return len(text) < 7 and text.isdecimal() and text == str(int(text)) and int(text) < limit


def tell(words: str) -> None:
    """Print one line, without the control characters that a file might hold."""
    print("".join(letter if letter.isprintable() else "?" for letter in words))


def verify(path: str, heads: Sequence[str] = ()) -> int:
    """Tell every throw, shuffle and head; 0 when all is right, 1 at the first that is not."""
    try:
        check = Check(read(path), tell)
        check.run()
        check.compare(heads)
    except Wrong as wrong:
        tell(f"WRONG: {wrong}")
        return 1
    tell(check.verdict())
    return 0


def main() -> int:
    path, options = sys.argv[1:2], sys.argv[2:]
    if not path or len(options) % 2 or set(options[::2]) - {"--head"}:
        sys.exit("usage: python verify_match.py match.json [--head HEAD]...")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return verify(path[0], options[1::2])


if __name__ == "__main__":
    sys.exit(main())
