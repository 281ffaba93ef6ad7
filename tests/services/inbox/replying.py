"""Replies to the open turn of a match, as a worker hands them on after reading them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from pbem import return_addresses
from pbem.db.models import Incoming
from pbem.db.store import writing
from pbem.incoming.mails import Authentication, IncomingMail
from pbem.services.inbox import replies
from pbem.services.inbox.kept_mails import Ending, KeptMail
from pbem.services.match import link_orders, match_log
from pbem.services.records.match_rows import TurnRecord, get_match, open_turns
from pbem.services.records.player_rows import get_player
from tests.services.people import NOW


def turn_now(match: str) -> TurnRecord:
    return open_turns(match)[0]


def listed_now(match: str, turn: TurnRecord) -> list[str]:
    """What the letter of a turn lists by number."""
    record = get_match(match)
    seat = record.seat(turn.seat).name
    return link_orders.listed(record, match_log.current(record), seat).numbered


def address_of(match: str, turn: TurnRecord, choices: Sequence[str] = ()) -> str:
    """The local part that replies to a letter of a turn come to."""
    epoch = get_match(match).seat(turn.seat).epoch
    mark = return_addresses.mark_of(choices) if choices else ""
    return return_addresses.of_turn(turn.id, match, turn.seat, epoch, mark)


def reply(
    match: str,
    *own_words: str,
    turn: TurnRecord | None = None,
    local: str = "",
    sender: str | None = None,
    authentication: Authentication = "pass",
    automatic: str = "",
    now: int = NOW + 60,
) -> Ending:
    """A reply with these words to a turn; from its player, unless somebody else is named."""
    turn = turn or turn_now(match)
    local = local or address_of(match, turn, listed_now(match, turn) if turn.is_open else ())
    player = get_match(match).seat(turn.seat).player
    number = Incoming.select().count() + 1
    mail = IncomingMail(
        get_player(player).address if sender is None else sender,
        authentication,
        f"<reply.{number}@example.org>",
        "Re: your turn",
        automatic,
        own_words,
    )
    with writing():
        row = Incoming.insert(
            dedupe=sha256(str(number).encode()).hexdigest(),
            recipient=f"{local}@localhost",
            sender=mail.sender,
            received_at=now,
            next_at=now,
            turn=turn.id,
        ).execute()
        address = return_addresses.read(local)
        assert address is not None
        kept = KeptMail(row, address, f"{local}@localhost", mail.sender, now)
        ending = replies.take(kept, mail, now)
        Incoming.update(state=ending.state, reason=ending.reason, match=ending.match).where(
            Incoming.id == row
        ).execute()
    return ending
