"""Replies of many programs in three languages, to real letters: understood, and no wrong move.

Hundreds of mails are read here; what the store has to do with replies is in `test_replies`, so that
one kind of store is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email.message import EmailMessage

import pytest

from pbem.db.store import rows, writing
from pbem.incoming.reading import read
from pbem.incoming.requests import Command, Request
from pbem.services.inbox import arrivals, obeying, working
from pbem.services.inbox.obeying import Asker
from pbem.services.letters import outbox
from pbem.services.match import drafts, link_orders, match_log, turns
from pbem.services.players.process_settings import settings
from pbem.services.records.match_rows import TurnRecord, get_match
from pbem.services.records.player_rows import get_player
from tests.kit.replies_corpus import SHAPES, Shape, written
from tests.kit.stores import on_sqlite
from tests.mail.posting import WORKER, Bag, office_with
from tests.services.inbox.replying import turn_now
from tests.services.people import NOW, sit_down
from tests.services.powers import four_people

AUTHSERV = "mx.play.example"
VOUCHED = f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=example.org\r\n".encode()
ALIKE = 0.98


@pytest.fixture(autouse=True)
def mail_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "authserv_id", AUTHSERV)
    monkeypatch.setattr(settings, "mail_domain", "play.example")


def iron_curtain() -> str:
    return sit_down(NOW).match


def letter_of(match: str, language: str) -> EmailMessage:
    """The letter of the open turn, in a language."""
    with writing():
        rows(
            "UPDATE player SET language = ? WHERE id = ? RETURNING id",
            language,
            get_match(match).seat(turn_now(match).seat).player,
        )
        rows("UPDATE outbox SET state = 'queued', mime = NULL WHERE kind = 'turn' RETURNING id")
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, NOW)
    return next(letter for letter in bag.letters if letter["X-PBEM-Kind"] == "turn")


class Sent:
    """A reply to the letter of a turn, and what came of it."""

    def __init__(self, match: str, turn: TurnRecord, letter: EmailMessage, hour: int) -> None:
        self.match, self.turn, self.letter, self.at = match, turn, letter, NOW + hour * 3600

    def reply(self, shape: Shape, words: list[str]) -> tuple[str, ...]:
        """The orders that are in the draft by it, which is emptied again."""
        raw = VOUCHED + written(shape, self.letter, words)
        raw = raw.replace(f"<{shape.name}.".encode(), f"<{shape.name}.{words[0][:1]}.".encode(), 1)
        to = str(self.letter["Reply-To"]).strip("<>")
        assert arrivals.keep(str(self.letter["To"]), [to], raw, self.at) == [True]
        assert working.work(read, WORKER, self.at) == 1
        found = drafts.draft_of(self.turn.id)
        if found:
            with writing():
                drafts.undo(*turns.held(self.turn.id), self.at, keep=0)
        return found


def shapes(language: str) -> Iterator[tuple[int, Shape]]:
    return enumerate(shape for shape in SHAPES if shape.language == language)


in_each_language = pytest.mark.parametrize("language", ["en", "de", "fr"])


@pytest.mark.whole
@on_sqlite
@in_each_language
@pytest.mark.parametrize("begin", [iron_curtain, four_people])
def test_what_is_asked_for_is_understood_in_every_shape(
    stored: str, language: str, begin: Callable[[], str]
) -> None:
    match = begin()
    record, turn, letter = get_match(match), turn_now(match), letter_of(match, language)
    seat = record.seat(turn.seat)
    example = link_orders.listed(record, match_log.current(record), seat.name).example
    asker = Asker(record, turn, get_player(seat.player), "")
    meant = Request(orders=(example,), commands=(Command("say", "Viel Glück, à bientôt"),))
    words, right = [example, "SAY Viel Glück, à bientôt"], 0
    for number, shape in shapes(language):
        mail = read(VOUCHED + written(shape, letter, words), f"{number}@example.org", AUTHSERV)
        found = obeying.read(asker, mail.own_words)
        assert found == meant or found.trouble, shape
        assert (mail.authentication, mail.automatic) == ("pass", ""), shape
        right += found == meant
    assert number >= 50
    assert right >= ALIKE * (number + 1)


@pytest.mark.whole
@on_sqlite
@in_each_language
def test_orders_and_numbers_reach_the_draft(stored: str, language: str) -> None:
    match = iron_curtain()
    record, turn, letter = get_match(match), turn_now(match), letter_of(match, language)
    seat = record.seat(turn.seat).name
    numbered = link_orders.listed(record, match_log.current(record), seat).numbered
    order, right, sent = f"first {seat}", 0, 0  # after which there is more to decide
    for hour, shape in shapes(language):
        for words in (order, str(numbered.index(order) + 1)):
            found = Sent(match, turn, letter, hour).reply(shape, [words])
            assert found in ((), (order,)), shape
            right, sent = right + bool(found), sent + 1
    assert get_match(match).head_seq == record.head_seq
    assert sent >= 100
    assert right >= ALIKE * sent
