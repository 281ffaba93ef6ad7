"""Who may move by mail: one cell of the table, and nobody else."""

from __future__ import annotations

from itertools import product

import pytest

from pbem import return_addresses
from pbem.db.store import rows
from pbem.incoming.mails import Authentication
from pbem.services.match import drafts
from pbem.services.records.match_rows import get_match
from tests.services.inbox.replying import address_of, reply, turn_now
from tests.services.inbox.test_replies import whole_turn
from tests.services.people import ANN, BOB, EVE, Sitting

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
