"""The registry: one row per kind of letter, collected from the families."""

from __future__ import annotations

from pbem.deadlines import morning
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
from pbem.services.letters.kinds.kind import LetterKind
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE

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
    if not facts.news and kind.pace(letter) in ("news", "echo"):
        return False
    if facts.digest_hour is not None and kind.pace(letter) == "echo":
        return False
    return kind.current(letter)


def is_gathered(letter: QueuedLetter) -> bool:
    """Whether its reader gets it as a part of the next daily letter."""
    return letter.facts.digest_hour is not None and KINDS[letter.kind].pace(letter) == "news"


def has_body_of_its_own(letter: QueuedLetter) -> bool:
    """Whether a daily letter tells it as it is; what was played and said it tells by itself."""
    is_said = letter.kind == "message" and "draw" not in letter.about
    return letter.kind != "moved" and not (is_said and letter.facts.match_status == LIVE)


def waits_until(letter: QueuedLetter, now: int) -> int:
    """When a letter may leave: in the morning, if it can wait and its reader sleeps."""
    pace = KINDS[letter.kind].pace(letter)
    if pace in ("by_day", "news") or (pace == "asks" and letter.facts.quiet_turns):
        return morning(letter.facts.habits, now)
    return now


def compose(letter: QueuedLetter, links: Links, now: int) -> ComposedLetter:
    """The letter with everything its reader may know, and nothing else."""
    return KINDS[letter.kind].compose(letter, links, now)


def stop_of(kind: str) -> Purpose:
    """The link that stops letters of a kind."""
    return KINDS[kind].stop


def is_open(kind: str) -> bool:
    """Whether operators may read the text of such letters; not of kinds that are no more."""
    return kind in KINDS and KINDS[kind].is_open
