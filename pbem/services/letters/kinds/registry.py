"""The registry: one row per kind of letter, collected from the families."""

from __future__ import annotations

from pbem.links import Links, Purpose
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.kinds import (
    account_letters,
    agreement_letters,
    moderator_letters,
    play_letters,
    reply_letters,
    seat_letters,
    time_letters,
)
from pbem.services.letters.kinds.kind import LetterKind, wants_news
from pbem.services.records.letter_queue import QueuedLetter

FAMILIES = (
    play_letters,
    reply_letters,
    time_letters,
    seat_letters,
    agreement_letters,
    account_letters,
    moderator_letters,
)
KINDS: dict[str, LetterKind] = {kind.name: kind for family in FAMILIES for kind in family.KINDS}
UNASKED = tuple(kind.name for kind in KINDS.values() if kind.is_unasked)
"""Letters that anybody can make come to an address."""


def is_current(letter: QueuedLetter) -> bool:
    """Whether the letter is still true, and still for this person."""
    kind, facts = KINDS[letter.kind], letter.facts
    if kind.is_for_holder and facts.seat_player != letter.player:
        return False
    if not wants_news(letter) and kind.is_news(letter):
        return False
    return kind.current(letter)


def compose(letter: QueuedLetter, links: Links, now: int) -> ComposedLetter:
    """The letter with everything its reader may know, and nothing else."""
    return KINDS[letter.kind].compose(letter, links, now)


def stop_of(kind: str) -> Purpose:
    """The link that stops letters of a kind."""
    return KINDS[kind].stop


def is_open(kind: str) -> bool:
    """Whether operators may read the text of such letters; not of kinds that are no more."""
    return kind in KINDS and KINDS[kind].is_open
