"""The head of a match in its letters: enough to prove what was played, and nothing hidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from engine.audit import audit, head_from
from engine.chance import QuickDice
from engine.replay import AuditError, linked
from pbem.db import store
from pbem.services.letters import composing, outbox
from pbem.services.letters.claims import claim
from pbem.services.match import match_log, matches, messages, turns
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, get_match
from tests.mail.posting import WORKER, Bag, html_of, office_with, text_of
from tests.services.people import NOW, an_order, sit_down, turn_of

BEFORE_THE_DEAL = {"confirm", "invitation"}


@pytest.fixture(autouse=True)
def _stored(store_url: str) -> Iterator[None]:
    store.open_database(store_url)
    with store.connected():
        yield


def played(bag: Bag) -> str:
    """A whole match with messages, something said in advance and a rewind, all letters sent."""
    office, choice, orders = office_with(bag), QuickDice(b"heads"), 0
    match = sit_down(NOW).match
    while get_match(match).status == LIVE:
        outbox.drain(office, WORKER, NOW + orders)
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW + orders)
        orders += 1
        if orders % 10 == 0 and get_match(match).status == LIVE:
            messages.say(match, orders % 2, "Hello", NOW + orders)
            turns.give_any_time(match, orders % 2, "standing all ask", NOW + orders)
            matches.revoke_links(match, turn_of(match).seat, NOW + orders)
        if orders == 12:
            turns.rewind(match, 5, turns.MODERATOR, NOW + orders)
    outbox.drain(office, WORKER, NOW + orders)
    return match


@pytest.mark.whole
def test_every_letter_of_a_match_keeps_a_head_that_its_file_proves() -> None:
    bag = Bag()
    match = played(bag)
    file, kinds, heads = match_log.export(get_match(match)), set(), list[str]()
    for letter in bag.letters:
        if letter["X-PBEM-Match"] is None or letter["X-PBEM-Kind"] in BEFORE_THE_DEAL:
            assert letter["X-PBEM-Head"] is None
            continue
        head = letter["X-PBEM-Head"]
        assert re.fullmatch(r"[0-9a-f]{16}", head)
        assert f"{match}: {head}" in text_of(letter).splitlines()[-3]
        assert head in html_of(letter)
        kinds.add(letter["X-PBEM-Kind"])
        heads.append(head)

    assert {"started", "turn", "receipt", "message", "finished"} <= kinds
    assert heads[-1] == file.head[:16], "the last email covers the whole match"
    assert len(set(heads)) > 20
    audit(file, [head_from(head) for head in heads])


@pytest.mark.whole
def test_letters_of_two_players_convict_an_operator_who_writes_the_match_anew() -> None:
    bag = Bag()
    match = played(bag)
    record = get_match(match)
    file = match_log.export(record)
    heads = [head_from(letter["X-PBEM-Head"]) for letter in bag.letters if letter["X-PBEM-Head"]]
    log = [replace(entry, at=str(int(entry.at) + 60)) for entry in file.entries]
    anew = linked(replace(file, entries=tuple(log)), match_log.key_of(record))

    assert audit(anew)
    with pytest.raises(AuditError, match="this is not what was played"):
        audit(anew, heads)


def built(match: str, kind: str, **about: object) -> tuple[str, bytes]:
    """A letter to Ann as it would be sent now."""
    office, record = office_with(Bag()), get_match(match)
    with store.writing():
        letter_queue.queue(
            [letter_queue.to_seat(record, record.seat(0), kind, "x", None, **about)], NOW
        )
    letter = next(one for one in _all_claimed() if one.kind == kind and one.seat == 0)
    store.execute("DELETE FROM outbox WHERE id = ?", letter.id)
    mime = composing.build(office, letter._replace(id=1), NOW)
    return kind, mime


def _all_claimed() -> Iterator[QueuedLetter]:
    while claimed := claim(WORKER, NOW):
        yield from claimed
        store.execute("UPDATE outbox SET state = 'sent' WHERE state = 'leased'")


def test_no_letter_shows_that_the_other_side_said_something_in_advance() -> None:
    match = sit_down(NOW).match
    messages.say(match, 1, "Hello", NOW)
    office = office_with(Bag())
    outbox.drain(office, WORKER, NOW)
    turns.submit(turn_of(match).id, ["first usa"], NOW)
    turn = turn_of(match)
    about = {"of": turn.id, "by": turn.seat, "deadline": turn.deadline_at}

    def letters() -> list[tuple[str, bytes]]:
        newest = get_match(match).head_seq
        return [
            built(match, "message", by=1, message=1),
            built(match, "late", **about),
            built(match, "moved", **{"from": 1, "seq": newest}),
        ]

    before = letters()
    turns.give_any_time(match, 1, "standing all never", NOW)
    assert letters() == before
