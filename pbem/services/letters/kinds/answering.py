"""Letters that can be answered by a reply: choices by number, and the address for replies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from msgspec.structs import replace

from pbem import return_addresses
from pbem.mail import parts
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.reader_context import SeatContext
from pbem.services.match.link_orders import Listed
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import TurnRecord


def numbered(groups: Iterable[parts.ChoiceGroup]) -> list[parts.ChoiceGroup]:
    """Whole orders with their numbers, where replies find a way in."""
    if not settings.takes_mail:
        return list(groups)
    numbers = count(1)
    return [
        replace(
            group,
            choices=tuple(
                replace(choice, number=next(numbers)) if choice.notation else choice
                for choice in group.choices
            ),
        )
        for group in groups
    ]


def answerable(
    letter: ComposedLetter, context: SeatContext, turn: TurnRecord, listed: Listed | None = None
) -> ComposedLetter:
    """The letter with the address that belongs to its turn, and to its list of choices."""
    if not settings.takes_mail:
        return letter
    numbered = listed.numbered if listed else ()
    mark = return_addresses.mark_of(numbered) if numbered else ""
    local = return_addresses.of_turn(turn.id, context.match.id, turn.seat, context.seat.epoch, mark)
    header = ("Reply-To", f"<{local}@{settings.mail_domain}>")
    return letter._replace(headers=(*letter.headers, header))
