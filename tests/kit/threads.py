"""Conversations as mail programs gather them, after the algorithm that J. Zawinski has published.

Letters become a forest by what they refer to; one that is only referred to is an empty place in it.
Subjects play no part here: Gmail, which goes by them too, is a choice of its readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email.message import EmailMessage

REFERRING = ("References", "In-Reply-To")


@dataclass(eq=False)
class Container:
    """A place in a conversation: a letter, or one that nobody here has got."""

    letter: EmailMessage | None = None
    parent: Container | None = None
    children: list[Container] = field(default_factory=list)

    def letters(self) -> Iterator[EmailMessage]:
        """All of the conversation, in the order in which it is shown."""
        if self.letter is not None:
            yield self.letter
        for child in self.children:
            yield from child.letters()

    def depth(self) -> int:
        """How far answers are indented."""
        return max((1 + child.depth() for child in self.children), default=0)

    def is_above(self, other: Container) -> bool:
        """Whether the other one is this one, or hangs from it."""
        at: Container | None = other
        while at is not None:
            if at is self:
                return True
            at = at.parent
        return False

    def adopt(self, child: Container) -> None:
        if child.parent is not None:
            child.parent.children.remove(child)
        child.parent = self
        self.children.append(child)


def threads(letters: Iterable[EmailMessage]) -> list[Container]:
    """The conversations of an inbox, by the letters that begin them."""
    known: dict[str, Container] = {}
    for letter in letters:
        _take_in(letter, known)
    roots = [one for one in known.values() if one.parent is None]
    return [kept for root in roots for kept in _pruned(root, is_root=True)]


def _take_in(letter: EmailMessage, known: dict[str, Container]) -> None:
    own = known.setdefault(str(letter["Message-ID"]), Container())
    assert own.letter is None, "no two letters have one Message-ID"
    own.letter = letter
    above: Container | None = None
    for name in _referred(letter):
        found = known.setdefault(name, Container())
        if above is not None and found.parent is None and not found.is_above(above):
            above.adopt(found)
        above = found
    if above is not None and not own.is_above(above):
        above.adopt(own)


def _referred(letter: EmailMessage) -> list[str]:
    """What a letter refers to, the oldest first; the one it answers counts only without a list."""
    for header in REFERRING:
        if letter[header]:
            return str(letter[header]).split()
    return []


def _pruned(place: Container, is_root: bool = False) -> list[Container]:
    """Without empty places: their children take them, unless that would tear a root apart."""
    place.children = [kept for child in place.children for kept in _pruned(child)]
    for child in place.children:
        child.parent = place
    if place.letter is not None:
        return [place]
    if is_root and len(place.children) > 1:
        return [place]
    for child in place.children:
        child.parent = place.parent
    return place.children
