"""Private notes: what a player writes down about a match. They are the player's, not the seat's:

a stand-in does not read them, nor does anybody else; they are part of no log.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.text import is_printable
from pbem.db.models import Note
from pbem.db.reading import every, value
from pbem.db.store import writing
from pbem.errors import Refused
from pbem.services.players import limits

LONGEST = 4_000


class Written(NamedTuple):
    match: str
    text: str
    updated_at: int


def of(match: str, player: int) -> str:
    """What a player has noted about a match; empty when that is nothing."""
    found = value(Note.select(Note.text).where(Note.match == match, Note.player == player))
    return found or ""


def all_of(player: int) -> list[Written]:
    noted = Note.select(Note.match, Note.text, Note.updated_at).where(Note.player == player)
    return every(noted.order_by(Note.match), Written)


def write(match: str, seat: int, player: int, text: str, now: int) -> None:
    """These words instead of those before; none takes the note away."""
    words = _checked(text)
    with writing():
        limits.by_seat("note", match, seat, now)
        Note.delete().where(Note.match == match, Note.player == player).execute()
        if words:
            Note.insert(match=match, player=player, text=words, updated_at=now).execute()


def _checked(text: str) -> str:
    words = "\n".join(line.rstrip() for line in text.strip().splitlines())
    if len(words) > LONGEST:
        raise Refused(
            "a note can have up to %(most)s characters; this one has %(count)s",
            most=LONGEST,
            count=len(words),
        )
    if not is_printable(words.replace("\n", " ").replace("\t", " ")):
        raise Refused("a note must be plain text without control characters")
    return words


def forget(player: int) -> None:
    """A player leaves this server."""
    Note.delete().where(Note.player == player).execute()
