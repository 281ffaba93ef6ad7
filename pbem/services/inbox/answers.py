"""Answers to replies: always to the registered address, never to who claims to have written.

What an answer tells stands in its queued letter. What nobody could make sense of may come from a
machine, which answers every answer: in each turn one such reply is answered, which says so. Who has
clearly written an order, a number or a command, though a wrong one, is no machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from engine.text import printable
from pbem.errors import TooOften
from pbem.incoming.mails import IncomingMail
from pbem.services.inbox.kept_mails import KeptMail
from pbem.services.inbox.obeying import LONGEST_SHOWN, LOOKS, Asker, Outcome
from pbem.services.players import limits
from pbem.services.records import letter_queue

KIND = "reply"
FROM_MACHINES = ("nothing", "alien", "below")
"""What is unclear about replies that machines may have written."""
MOST_LINES = 20
"""Of a mail that are quoted in its answer."""
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{3,250}>", re.ASCII)


def tell(
    asker: Asker,
    kept: KeptMail,
    mail: IncomingMail,
    outcome: Outcome,
    now: int,
    *,
    is_certain: bool = True,
) -> None:
    """Owe the answer to a reply; unless it was certainly the player's own, nothing was done."""
    act = "answer" if is_certain else "ask_whether_own"
    if not _is_few("answer_unclear" if outcome.what == "unclear" else act, asker, now):
        return
    is_only = outcome.request.trouble in FROM_MACHINES
    about = {**_told(mail.own_words, outcome), "is_only": is_only, "answers": _answered(mail)}
    _queue(asker, f"unclear:{asker.turn.id}" if is_only else f"mail:{kept.id}", about, now)


def tell_of_confirmed(
    asker: Asker, number: int, own_words: Sequence[str], outcome: Outcome, now: int
) -> None:
    """Owe the answer to a reply of which the player has said on a page that it was his own."""
    about = {**_told(own_words, outcome), "is_only": False, "answers": ""}
    _queue(asker, f"confirmed:{number}", about, now)


def ask_whether_own(
    asker: Asker, kept: KeptMail, mail: IncomingMail, is_stranger: bool, now: int
) -> bool:
    """Owe the question whether a mail was the player's own; whether it is asked.

    Whoever writes from elsewhere is told of once in a turn.
    """
    if not _is_few("ask_whether_own", asker, now):
        return False
    about = {
        "what": "stranger" if is_stranger else "unsure",
        "lines": _quoted(mail.own_words),
        "mail": kept.id,
        "answers": "" if is_stranger else _answered(mail),
    }
    key = f"stranger:{asker.turn.id}" if is_stranger else f"mail:{kept.id}"
    _queue(asker, key, about, now)
    return True


def _told(own_words: Sequence[str], outcome: Outcome) -> dict[str, Any]:
    request = outcome.request
    return {
        "what": outcome.what,
        "lines": _quoted(own_words),
        "reason": outcome.reason,
        "trouble": request.trouble or "",
        "at": printable(request.at[:LONGEST_SHOWN]),
        "orders": list(outcome.orders),
        "did": [one.word for one in request.commands if one.word not in LOOKS]
        if outcome.is_done
        else [],
        "looks": [one.word for one in request.commands if one.word in LOOKS],
        "unread": _quoted(request.unread),
        **outcome.told,
        **({"from": outcome.first_seq, "seq": outcome.last_seq} if outcome.last_seq else {}),
    }


def _quoted(lines: Sequence[str]) -> list[str]:
    return [printable(line[:LONGEST_SHOWN]) for line in lines if line.strip()][:MOST_LINES]


def _answered(mail: IncomingMail) -> str:
    """The id of a mail, where an answer can name it."""
    return mail.message_id if _MESSAGE_ID.fullmatch(mail.message_id) else ""


def _is_few(act: str, asker: Asker, now: int) -> bool:
    try:
        limits.by_seat(act, asker.match.id, asker.turn.seat, now)
    except TooOften:
        return False
    return True


def _queue(asker: Asker, key: str, about: dict[str, Any], now: int) -> None:
    seat = asker.match.seat(asker.turn.seat)
    letter = letter_queue.to_seat(asker.match, seat, KIND, key, asker.turn.id, **about)
    letter_queue.queue([letter], now)
