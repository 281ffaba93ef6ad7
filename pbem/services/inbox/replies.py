"""Replies to the letters of a turn: whose they are, what they ask for, what is done."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from pbem import return_addresses, sealing
from pbem.db.models import Incoming
from pbem.db.reading import first
from pbem.deadlines import DAY
from pbem.errors import Missing, Stale
from pbem.incoming.mails import IncomingMail
from pbem.links import ReplyLink
from pbem.return_addresses import ReturnAddress
from pbem.services.inbox import answers, obeying, trust
from pbem.services.inbox.kept_mails import (
    APPLIED,
    ASKED,
    IGNORED,
    REJECTED,
    Ending,
    EndState,
    KeptMail,
)
from pbem.services.inbox.obeying import Asker, Outcome
from pbem.services.match import turns
from pbem.services.records.match_rows import find_turn_in_match, locked
from pbem.services.records.player_rows import get_player
from pbem.services.seats import unreachable

PURPOSE = "reply words"
"""What the words of a mail are sealed for while the player is asked."""
LASTS = 7 * DAY
"""So long the player can say that a mail was his own."""


def take(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
    """Do what a reply says, inside the transaction that writes its end."""
    if mail.automatic:
        return Ending(IGNORED, f"automatic: {mail.automatic}")
    asker = _asker(kept.address)
    if asker is None:
        return Ending(REJECTED, "revoked address")
    trusted = trust.judged(mail, asker.player.address)
    ending = _obeyed if trusted == "certain" else _ask_first
    end, reason = ending(asker, kept, mail, now)
    return Ending(end, reason, asker.player.id, asker.match.id)


def _asker(address: ReturnAddress) -> Asker | None:
    """Whose address a mail came to; nobody's, if its code is not true or not any more."""
    found = find_turn_in_match(address.number)
    if found is None:
        return None
    match, turn = turns.held(found[0].id)
    seat = match.seat(turn.seat)
    is_true = return_addresses.is_of_turn(address, match.id, turn.seat, seat.epoch)
    if not is_true or seat.player is None:
        return None
    return Asker(match, turn, get_player(seat.player), address.mark)


def _obeyed(asker: Asker, kept: KeptMail, mail: IncomingMail, now: int) -> tuple[EndState, str]:
    outcome = obeying.obey(asker, mail.own_words, now)
    unreachable.reached(asker.player.id, now)
    answers.tell(asker, kept, mail, outcome, now)
    return _end_of(outcome)


def _end_of(outcome: Outcome) -> tuple[EndState, str]:
    return (APPLIED if outcome.is_done else REJECTED), outcome.what


def _ask_first(asker: Asker, kept: KeptMail, mail: IncomingMail, now: int) -> tuple[EndState, str]:
    """Nothing is done before the player says that the mail was his own.

    What would be refused anyway is not asked about: the player is told if the mail names him as its
    sender, and nobody is if it comes from elsewhere.
    """
    is_stranger = trust.judged(mail, asker.player.address) == "stranger"
    in_vain = obeying.in_vain(asker, mail.own_words)
    if in_vain is not None and is_stranger:
        return IGNORED, "not certain whose, and no use"
    if in_vain is not None:
        answers.tell(asker, kept, mail, in_vain, now, is_certain=False)
        return _end_of(in_vain)
    if not answers.ask_whether_own(asker, kept, mail, is_stranger, now):
        return IGNORED, "asked too often"
    sealed = sealing.seal(PURPOSE, kept.id, msgspec.json.encode([asker.mark, *mail.own_words]))
    Incoming.update(words=sealed).where(Incoming.id == kept.id).execute()
    return ASKED, "a stranger" if is_stranger else "not certain whose"


# --- the player's word ----------------------------------------------------------------------------


class Waiting(NamedTuple):
    """A mail that waits for the player's word, or that has it."""

    asker: Asker
    own_words: tuple[str, ...]
    is_done: bool

    @property
    def is_over(self) -> bool:
        """Whether there are orders in it for a turn that is over."""
        has_orders = obeying.read(self.asker, self.own_words).has_orders
        return has_orders and not self.asker.turn.is_open


class _Row(NamedTuple):
    words: bytes | None
    turn: int | None
    state: str
    at: int


def waiting(link: ReplyLink, now: int) -> Waiting:
    """The mail that a link asks about; Stale when the link is dead, as those of its seat are."""
    asked = Incoming.select(
        Incoming.words, Incoming.turn, Incoming.state, Incoming.received_at.alias("at")
    )
    found = first(asked.where(Incoming.id == link.mail, Incoming.match == link.match), _Row)
    turn = None if found is None else find_turn_in_match(found.turn or 0)
    if found is None or turn is None:
        raise Missing("there is no such email")
    seat = turn[1].seat(turn[0].seat)
    is_live = (seat.number, seat.epoch) == (link.seat, link.epoch) and seat.player is not None
    if not is_live or now > found.at + LASTS:
        raise Stale("this link is no longer valid")
    mark, own_words = _opened(link.mail, found.words)
    player = get_player(seat.player)
    return Waiting(Asker(turn[1], turn[0], player, mark), own_words, found.state != ASKED)


def _opened(mail: int, words: bytes | None) -> tuple[str, tuple[str, ...]]:
    """The mark of the list and the words of a mail; nothing once it was worked on."""
    if words is None:
        return "", ()
    plain = sealing.opened(PURPOSE, mail, bytes(words))
    if plain is None:
        raise Stale("this link is no longer valid")
    mark, *own_words = msgspec.json.decode(plain, type=list[str])
    return mark, tuple(own_words)


def confirm(link: ReplyLink, now: int) -> Outcome | None:
    """The player has said that the mail was his own: what it asks for is done, once, and answered.

    Orders for a turn that is over are not.
    """
    with locked(link.match):
        found = waiting(link, now)
        if found.is_done or found.is_over:
            return None
        outcome = obeying.obey(found.asker, found.own_words, now)
        unreachable.reached(found.asker.player.id, now)
        answers.tell_of_confirmed(found.asker, link.mail, found.own_words, outcome, now)
        state, reason = _end_of(outcome)
        Incoming.update(state=state, reason=reason, words=None, done_at=now).where(
            Incoming.id == link.mail
        ).execute()
        return outcome
