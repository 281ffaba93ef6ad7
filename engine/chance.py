"""Chance that players can check: commitment, keys, draws, decks, and five kinds of dice.

The server commits to a secret before the match; players may add phrases; every throw and shuffle
is an HMAC of both and of a label that names match, timeline, log number and purpose. When the
secret is revealed, anybody can compute all of it again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

from msgspec import Struct

from engine.core import GameError, Text

T = TypeVar("T")
Part = str | int | bytes

DRAW_RANGE = 65_536
SECRET_BYTES = 32


class ChanceError(GameError):
    """A throw that does not fit: repeated, unrecorded, sealed or impossible."""


class SealedThrow(ChanceError):
    """Chance was asked in a preview; only sending the orders shows what it gives."""


def digest(*parts: Part) -> bytes:
    """SHA-256 over the parts, each with its length in front, so that no two lists collide."""
    whole = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode()
        whole.update(len(data).to_bytes(4, "big") + data)
    return whole.digest()


def commitment(match: str, secret: bytes) -> str:
    return digest("pbem/commit/v1", match, secret).hex()


def match_key(match: str, secret: bytes, phrases: Sequence[str], beacon: str = "") -> bytes:
    """The key of all draws; a seat without a phrase has the empty one."""
    spoken: list[Part] = []
    for number, phrase in enumerate(phrases):
        spoken += [number, phrase]
    salt = digest("pbem/salt/v1", match, *spoken, beacon)
    return hmac.digest(salt, secret, "sha256")


def stream(key: bytes, *labels: Part) -> Callable[[int], int]:
    """A function `below(n)` that draws evenly from 0 to n - 1, by rejection sampling."""
    seed = digest("pbem/stream/v1", *labels)
    block, at, number = b"", 0, 0

    def below(n: int) -> int:
        nonlocal block, at, number
        if not 1 <= n <= DRAW_RANGE:
            raise ChanceError(
                "cannot draw below {size}; from 1 to {most} is possible", size=n, most=DRAW_RANGE
            )
        limit = DRAW_RANGE // n * n
        while True:
            if at == len(block):
                block = hmac.digest(key, seed + number.to_bytes(4, "big"), "sha256")
                at, number = 0, number + 1
            value = int.from_bytes(block[at : at + 2], "big")
            at += 2
            if value < limit:
                return value % n

    return below


def permutation(below: Callable[[int], int], size: int) -> tuple[int, ...]:
    """Fisher-Yates; index 0 is the top."""
    order = list(range(size))
    for i in range(size - 1, 0, -1):
        j = below(i + 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def quick_stream(seed: bytes) -> Callable[[int], int]:
    """Even draws for practice and rehearsal, where speed matters and nobody has to check them."""
    source = hashlib.shake_128(seed)
    block, at = source.digest(4_096), 0

    def below(n: int) -> int:
        nonlocal block, at
        limit = DRAW_RANGE // n * n
        while True:
            if at == len(block):
                block, at = source.digest(len(block) * 4), len(block)
            value = block[at] << 8 | block[at + 1]
            at += 2
            if value < limit:
                return value % n

    return below


# --- the deck as a Merkle tree -------------------------------------------------------------------


class Opening(Struct, frozen=True):
    """Proof that one position of a committed deck holds one card."""

    position: int
    card: str
    salt: str
    path: tuple[str, ...]


class DeckTree:
    """The committed deck: a root for everybody, an opening for each card that may be seen."""

    def __init__(
        self, key: bytes, match: str, timeline: int, deck_no: str | int, cards: Sequence[str]
    ) -> None:
        self.cards = tuple(cards)
        self.salts = tuple(
            hmac.digest(
                key, digest("pbem/leafsalt/v1", match, timeline, deck_no, position), "sha256"
            )[:16]
            for position in range(len(cards))
        )
        leaves = [
            _leaf(position, card, salt)
            for position, (card, salt) in enumerate(zip(cards, self.salts, strict=True))
        ]
        self.levels = _levels(leaves)

    @property
    def root(self) -> str:
        return self.levels[-1][0].hex()

    @property
    def leaf_count(self) -> int:
        return len(self.cards)

    def opening(self, position: int) -> Opening:
        path, at = [], position
        for level in self.levels[:-1]:
            sibling = min(at ^ 1, len(level) - 1)
            path.append(level[sibling].hex())
            at //= 2
        return Opening(position, self.cards[position], self.salts[position].hex(), tuple(path))


def opening_fits(opening: Opening, root: str, leaf_count: int) -> bool:
    """Whether an opening leads to the root of a deck with that many cards."""
    if not 0 <= opening.position < leaf_count:
        return False
    try:
        node = _leaf(opening.position, opening.card, bytes.fromhex(opening.salt))
        siblings = [bytes.fromhex(step) for step in opening.path]
    except ValueError:
        return False
    at, width = opening.position, leaf_count
    for sibling in siblings:
        node = _node(sibling, node) if at % 2 else _node(node, sibling)
        at, width = at // 2, (width + 1) // 2
    return width == 1 and node.hex() == root


def _leaf(position: int, card: str, salt: bytes) -> bytes:
    return digest("pbem/leaf/v1", position, card, salt)


def _node(left: bytes, right: bytes) -> bytes:
    return digest("pbem/node/v1", left, right)


def _levels(leaves: list[bytes]) -> list[list[bytes]]:
    levels = [leaves]
    while len(levels[-1]) > 1:
        level = levels[-1]
        if len(level) % 2:
            level = [*level, level[-1]]
        levels.append([_node(level[i], level[i + 1]) for i in range(0, len(level), 2)])
    return levels


# --- dice ----------------------------------------------------------------------------------------


class Draw(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One recorded act of chance: faces of dice, or the old indices in their new order."""

    kind: Literal["roll", "shuffle"]
    why: str
    size: int
    result: tuple[int, ...]


class SeededDice:
    """Live dice of one log entry; they record what they drew."""

    def __init__(self, key: bytes, match: str, timeline: int, ply: int) -> None:
        self.key, self.match, self.timeline, self.ply = key, match, timeline, ply
        self.draws: list[Draw] = []

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        self._use_once("roll", why)
        below = stream(self.key, "dice", self.match, self.timeline, self.ply, why)
        faces = tuple(below(sides) + 1 for _ in range(count))
        self.draws.append(Draw("roll", why, sides, faces))
        return faces

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        """`why` is the number of the deck: a deck is shuffled once in a timeline."""
        self._use_once("shuffle", why)
        order = permutation(stream(self.key, "deck", self.match, self.timeline, why), len(items))
        self.draws.append(Draw("shuffle", why, len(items), order))
        return tuple(items[i] for i in order)

    def _use_once(self, kind: str, why: str) -> None:
        if any(draw.kind == kind and draw.why == why for draw in self.draws):
            raise ChanceError(
                "{kind} '{why}' was drawn in this entry already; number it",
                kind=Text(kind),
                why=why,
            )


class RecordedDice:
    """Dice of a replay; they complain when asked for another throw than the log holds."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self._left = list(draws)

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        draw = self._next("roll", why, sides)
        if len(draw.result) != count:
            raise ChanceError(
                "roll '{why}': {count:# die|# dice} asked, the log holds {held}",
                why=why,
                count=count,
                held=len(draw.result),
            )
        return draw.result

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        draw = self._next("shuffle", why, len(items))
        if sorted(draw.result) != list(range(len(items))):
            raise ChanceError(
                "shuffle '{why}': the log holds no order of {count:# item|# items}",
                why=why,
                count=len(items),
            )
        return tuple(items[i] for i in draw.result)

    def finish(self) -> None:
        """Complain about recorded draws that nobody asked for."""
        if self._left:
            draw = self._left[0]
            raise ChanceError(
                "{kind} '{why}' was never asked for", kind=Text(draw.kind), why=draw.why
            )

    def _next(self, kind: str, why: str, size: int) -> Draw:
        if not self._left:
            raise ChanceError("{kind} '{why}' is not in the log", kind=Text(kind), why=why)
        draw = self._left.pop(0)
        if (draw.kind, draw.why, draw.size) != (kind, why, size):
            raise ChanceError(
                "{kind} '{why}' of {size} asked, the log holds {held} '{purpose}' of {count}",
                kind=Text(kind),
                why=why,
                size=size,
                held=Text(draw.kind),
                purpose=draw.why,
                count=draw.size,
            )
        return draw


class SealedDice:
    """Dice of a preview: any throw is refused."""

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        raise SealedThrow(
            "{kind} '{why}' waits until the orders are sent", kind=Text("roll"), why=why
        )

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        raise SealedThrow(
            "{kind} '{why}' waits until the orders are sent", kind=Text("shuffle"), why=why
        )


class ScriptedDice:
    """Dice of a test: faces and decks are told beforehand."""

    def __init__(self, faces: Sequence[int] = (), decks: Sequence[Sequence[object]] = ()) -> None:
        self._faces, self._decks = list(faces), list(decks)

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        if len(self._faces) < count:
            raise ChanceError(
                "roll '{why}': the script holds {held} of {count:# face|# faces}",
                why=why,
                held=len(self._faces),
                count=count,
            )
        faces, self._faces = tuple(self._faces[:count]), self._faces[count:]
        if not all(1 <= face <= sides for face in faces):
            raise ChanceError(
                "roll '{why}': {faces} are not faces of a {sides}-sided die",
                why=why,
                faces=str(faces),
                sides=sides,
            )
        return faces

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        if not self._decks:
            raise ChanceError("shuffle '{why}': the script holds no further deck", why=why)
        wanted, left, order = self._decks.pop(0), list(items), list[T]()
        for card in wanted:
            if card not in left:
                raise ChanceError(
                    "shuffle '{why}': '{card}' is not in the deck", why=why, card=str(card)
                )
            order.append(left.pop(next(i for i, item in enumerate(left) if item == card)))
        return tuple(order + left)


class QuickDice:
    """Fast unrecorded dice over `quick_stream`, for rehearsals only."""

    def __init__(self, seed: bytes) -> None:
        self.below = quick_stream(seed)

    def roll(self, sides: int, count: int, why: str) -> tuple[int, ...]:
        return tuple(self.below(sides) + 1 for _ in range(count))

    def shuffle(self, items: Sequence[T], why: str) -> tuple[T, ...]:
        return tuple(items[i] for i in permutation(self.below, len(items)))
