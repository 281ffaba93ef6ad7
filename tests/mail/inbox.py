"""Inboxes of whole matches: played as on pages, each letter over SMTP, sorted as people see them.

python -m tests.mail.inbox     # print the inboxes of a match of each game
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.message import EmailMessage
from functools import partial
from unittest.mock import patch

from engine.chance import QuickDice
from pbem.db import store
from pbem.deadlines import HOUR
from pbem.key_ring import ring
from pbem.mail.smtp_client import Timeouts
from pbem.mail.transport import SmtpTransport
from pbem.services.letters import outbox
from pbem.services.match import joining, link_orders, matches, messages, turns
from pbem.services.match.joining import Joining
from pbem.services.records.match_rows import LIVE, get_match, open_turns
from tests.kit.smtp_sink import SmtpSink
from tests.kit.threads import threads
from tests.mail import campaign
from tests.mail.posting import KEYS, WORKER, office_with, text_of
from tests.services.people import ANN, BOB, NOW, an_order, id_of, wanted

PATIENT = Timeouts(20, 20, 20, 20)
TALK = 5
"""After so many moves somebody writes, and later a draw is offered and declined."""


class Post:
    """A mail server, and hours that pass between moves."""

    def __init__(self, sink: SmtpSink) -> None:
        self.sink, self.now = sink, NOW
        self.transport = SmtpTransport(sink.url, "play.example", PATIENT)
        self.office = office_with(self.transport)
        ring.use(lambda: KEYS)

    def carry(self) -> None:
        """An hour passes, and what is owed leaves."""
        self.now += HOUR
        outbox.drain(self.office, WORKER, self.now)

    def inbox(self, address: str) -> list[EmailMessage]:
        """What came to an address, in the order in which it came."""
        return [one.message for one in self.sink.received if one.recipients == [address]]


def duel(post: Post) -> list[str]:
    """Ann and Bob play Iron Curtain to its end, at random; the addresses of those who play."""
    with patch("secrets.token_bytes", lambda size: bytes(range(size))):
        match = matches.create(wanted(), post.now)
    post.carry()
    joining.confirmed(id_of(ANN), post.now)
    post.carry()
    says = Joining("Bob", "en", "Europe/Berlin", "from bob")
    joining.accept(match, 1, id_of(BOB), says, post.now)
    choice, moves = QuickDice(b"inbox"), 0
    while get_match(match).status == LIVE:
        post.carry()
        _play(post, match, [an_order(match, choice)[1]])
        moves += 1
        if moves == TALK:
            messages.say(match, 0, "Well played so far!", post.now)
        if moves == 2 * TALK:
            matches.offer_draw(match, 0, post.now)
            post.carry()
            matches.decline_draw(match, 1, post.now)
    post.carry()
    return [ANN, BOB]


def many(post: Post, rounds: int = 1) -> list[str]:
    """Four people play some rounds of East & West, as recorded."""
    campaign.begin(post.now, rounds)
    link_orders.say_in_advance(campaign.MATCH, 1, "standing ask west-germany on", post.now)
    given = campaign.from_file()
    while (match := get_match(campaign.MATCH)).status == LIVE:
        post.carry()
        (turn,) = open_turns(match.id)
        seat = match.seat(turn.seat).name
        _play(post, match.id, given(turn, seat))
    post.carry()
    return [campaign.address(seat) for seat in campaign.PLAYERS]


def _play(post: Post, match: str, lines: Sequence[str]) -> None:
    """As on the page of a turn, which shows what came of it."""
    with store.writing():
        held, turn = turns.held(open_turns(match)[0].id)
        turns.send(held, turn, lines, post.now, is_shown=True)


def as_seen(letters: Sequence[EmailMessage]) -> Iterator[str]:
    """An inbox in lines: for each conversation its letters with sender, subject and first line."""
    for number, found in enumerate(threads(letters), start=1):
        listed = sorted(found.letters(), key=lambda one: one["Date"].datetime)
        yield f"Conversation {number}: {len(listed)} email{'s' * (len(listed) > 1)}"
        for letter in listed:
            sender = letter["From"].addresses[0].display_name
            first = text_of(letter).split("\n\n")[0]
            yield f"  {sender} | {letter['Subject']} | {' '.join(first.split())[:90]}"


@contextmanager
def post_office() -> Iterator[Post]:
    with SmtpSink() as sink:
        post = Post(sink)
        try:
            yield post
        finally:
            post.transport.close()


def main() -> None:
    for play in (duel, partial(many, rounds=campaign.ROUNDS)):
        with tempfile.TemporaryDirectory() as folder, post_office() as post:
            store.open_database(f"sqlite:///{folder}/inbox.db")
            store.migrate()
            for address in play(post):
                print(f"\n{address}")
                print("\n".join(as_seen(post.inbox(address))))
            store.database.close()


if __name__ == "__main__":
    main()
