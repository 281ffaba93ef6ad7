"""Who may move by mail: one cell of the table, and nobody else."""

from __future__ import annotations

import json
from itertools import product

import pytest

from pbem import return_addresses
from pbem.db.store import rows
from pbem.incoming.mails import Authentication
from pbem.incoming.reading import read
from pbem.services.inbox import arrivals, working
from pbem.services.match import drafts
from pbem.services.records.match_rows import get_match
from tests.kit.stores import on_sqlite
from tests.mail.posting import WORKER
from tests.services.inbox.mailing import states
from tests.services.inbox.replying import address_of, listed_now, reply, turn_now
from tests.services.inbox.test_corpus import AUTHSERV, mail_server
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, compose, sit_down

__all__ = ["mail_server"]

SENDERS = {"own": None, "opponent": "other", "stranger": EVE, "nobody": "", "similar": "similar"}
AUTHENTICATIONS: tuple[Authentication, ...] = ("pass", "fail", "none")
TOKENS = ("good", "of the other seat", "of another turn", "wrong code", "of an older epoch")


def local_of(sitting: Sitting, token: str) -> str:
    turn = turn_now(sitting.match)
    good = address_of(sitting.match, turn)
    if token == "wrong code":
        return good[:-1] + ("a" if good[-1] != "a" else "b")
    if token == "of an older epoch":
        seat = get_match(sitting.match).seat(turn.seat)
        return return_addresses.of_turn(turn.id, sitting.match, turn.seat, seat.epoch - 1)
    if token == "of the other seat":
        return address_of(sitting.match, turn._replace(seat=1 - turn.seat))
    if token == "of another turn":
        return address_of(sitting.match, turn._replace(id=turn.id + 1)).replace(
            f"r{turn.id + 1}-", f"r{turn.id}-"
        )
    return good


@pytest.mark.parametrize("token", TOKENS)
def test_only_the_certain_cell_moves(sitting: Sitting, token: str) -> None:
    turn, orders = turn_now(sitting.match), whole_turn(sitting.match)
    own = ANN if turn.seat == 0 else BOB
    others = {"other": BOB if own == ANN else ANN, "similar": f"x{own}"}
    before = get_match(sitting.match).head_seq
    for (name, sender), found in product(SENDERS.items(), AUTHENTICATIONS):
        if (token, name, found) == ("good", "own", "pass"):
            continue
        address = others.get(sender or "", sender)
        ending = reply(
            sitting.match,
            *orders,
            local=local_of(sitting, token),
            sender=address,
            authentication=found,
        )
        assert ending.state in ("asked", "rejected", "ignored"), (name, found)
        assert get_match(sitting.match).head_seq == before, (name, found)
        assert not drafts.draft_of(turn.id)
    holder = get_match(sitting.match).seat(turn.seat).player
    told = rows("SELECT player_id, about FROM outbox WHERE kind = 'reply'")
    assert {player for player, _ in told} <= {holder}
    assert len([about for _, about in told if "stranger" in about]) <= 1
    if token == "good":
        assert told
        assert reply(sitting.match, *orders, local=local_of(sitting, token)).state == "applied"
    else:
        assert not told


# --- as mails say it, with every command ---------------------------------------------------------

BY_US = "Received: from out.example.org by mx.play.example with ESMTPS id 1; x"
PASS = "dmarc=pass header.from=example.org"
SAID = {
    "nothing": [BY_US],
    "fail": [f"Authentication-Results: {AUTHSERV}; dmarc=fail header.from=example.org", BY_US],
    "none": [f"Authentication-Results: {AUTHSERV}; dmarc=none header.from=example.org", BY_US],
    "for a while": [
        f"Authentication-Results: {AUTHSERV}; dmarc=temperror header.from=example.org",
        BY_US,
    ],
    "other checks": [f"Authentication-Results: {AUTHSERV}; spf=pass; dkim=pass", BY_US],
    "of another domain": [
        f"Authentication-Results: {AUTHSERV}; dmarc=pass header.from=evil.example",
        BY_US,
    ],
    "fail, and pass below": [
        f"Authentication-Results: {AUTHSERV}; dmarc=fail header.from=example.org",
        f"Authentication-Results: {AUTHSERV}; {PASS}",
        BY_US,
    ],
    "written by the sender": [
        BY_US,
        "Received: from phone by out.example.org with ESMTPSA id 2; x",
        f"Authentication-Results: {AUTHSERV}; {PASS}",
    ],
    "look-alike": [f"Authentication-Results: {AUTHSERV}.evil.example; {PASS}", BY_US],
    "look-alike before": [f"Authentication-Results: x{AUTHSERV}; {PASS}", BY_US],
    "said by others": [f"ARC-Authentication-Results: i=1; {AUTHSERV}; {PASS}", BY_US],
    "between quotes": [f'Authentication-Results: "{AUTHSERV}"; {PASS}', BY_US],
}
COMMANDS = (
    "first usa", "1", "SAY hello", "RESIGN", "DRAW", "VACATION 2027-02-01 2027-02-14", "UNDO",
    "BOARD", "HISTORY", "MAP", "HELP", "nonsense", "",
)  # fmt: skip


CHANGED = ("match", "seat", "turn", "entry", "draft", "message", "absence", "due", "player")


def everything_done() -> list[list[tuple[object, ...]]]:
    """All that a mail could change, but for what is owed about it."""
    return [rows(f"SELECT * FROM {table} ORDER BY 1") for table in CHANGED]


@on_sqlite
@pytest.mark.whole
@pytest.mark.parametrize("said", SAID)
def test_no_command_is_obeyed_that_may_be_forged(stored: str, mail_server: None, said: str) -> None:
    sitting = sit_down(NOW)
    turn = turn_now(sitting.match)
    compose(turn.id, ["first usa"], NOW)
    to = f"{address_of(sitting.match, turn, listed_now(sitting.match, turn))}@play.example"
    before = everything_done()
    heads = [
        f"From: {BOB}",
        f"From: Bob <{BOB.upper()}>\r\nReply-To: {EVE}",
        f"From: {BOB.replace('@', '+x@')}\r\nReply-To: {BOB}",
        f"From: {ANN}",
        f"From: {EVE}\r\nSender: {BOB}\r\nReply-To: {BOB}",
        f"From: {BOB}, {EVE}",
        f"From: {BOB}\r\nFrom: {EVE}",
    ]
    for number, (head, words) in enumerate(product(heads, COMMANDS)):
        lines = [*SAID[said], head, f"To: {to}", f"Cc: {ANN}", f"Message-ID: <{number}@x>", ""]
        raw = "\r\n".join([*lines, words, ""]).encode()
        at = NOW + 60 + number * 3600
        assert arrivals.keep(BOB, [to], raw, at) == [True]
        assert working.work(read, WORKER, at) == 1
    assert everything_done() == before
    told = rows("SELECT player_id, about FROM outbox WHERE kind = 'reply'")
    assert told
    assert {player for player, _ in told} == {sitting.bob}
    whats = {json.loads(about)["what"] for _, about in told}
    assert whats <= {"unsure", "stranger", "unclear"}
    assert {state for state, _ in states()} <= {"asked", "rejected", "ignored"}
