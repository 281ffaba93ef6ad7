"""Ann, Bob and Eve: Ann and Bob play, Eve must see nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from engine.chance import QuickDice
from engine.core import Json, Seat
from engine.terminal.rehearsal import random_order
from pbem.db.store import rows, writing
from pbem.services.match import drafts, joining, match_log, matches, turns
from pbem.services.match.drafts import Preview
from pbem.services.match.joining import Joining
from pbem.services.match.matches import Wanted
from pbem.services.players.limits import Asker
from pbem.services.records.match_rows import LIVE, TurnRecord, find_turn, get_match, open_turns
from pbem.services.records.player_rows import player_at

NOW = 1_800_000_000
ANN, BOB, EVE = "ann@example.org", "bob@example.org", "eve@example.org"
DAY = 86_400
ASKER = Asker("a network", 1_000)


class Sitting(NamedTuple):
    match: str
    ann: int
    bob: int


def wanted(**change: Any) -> Wanted:
    usual = Wanted(
        game="iron_curtain",
        setup={},
        pace=3 * DAY,
        addresses={"usa": ANN, "ussr": BOB},
        creator=ANN,
        name="Ann",
        phrase="from ann",
    )
    return usual._replace(**change)


def sit_down(now: int, setup: dict[str, Json] | None = None) -> Sitting:
    match = matches.create(wanted(setup=setup or {}), now)
    ann, bob = id_of(ANN), id_of(BOB)
    joining.confirmed(ann, now)
    joining.accept(match, 1, bob, Joining("Bob", "de", "Europe/Berlin", "from bob"), now)
    return Sitting(match, ann, bob)


def id_of(address: str) -> int:
    found = player_at(address)
    assert found is not None, address
    return found.id


def turn_of(match: str) -> TurnRecord:
    (turn,) = open_turns(match)
    return turn


def turns_of(match: str) -> list[TurnRecord]:
    """All turns of a match, in order."""
    found = [find_turn(turn) for (turn,) in rows("SELECT id FROM turn WHERE match_id = ?", match)]
    return sorted(turn for turn in found if turn is not None)


def an_order(match: str, choice: QuickDice) -> tuple[TurnRecord, str]:
    """A random legal order of whoever is asked."""
    record, turn = get_match(match), turn_of(match)
    seat: Seat = record.seat(turn.seat).name
    return turn, random_order(record.game, match_log.current(record), seat, choice)


def play_to_the_end(match: str, now: int, seed: bytes = b"to the end") -> int:
    """Play at random until it is over; how many orders that took."""
    choice, orders = QuickDice(seed), 0
    while get_match(match).status == LIVE:
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], now + orders)
        orders += 1
    return orders


def letters(match: str | None = None) -> list[tuple[str, int, int | None]]:
    """Kinds of letters owed, with player and seat, in order."""
    found = rows("SELECT kind, player_id, seat, match_id FROM outbox ORDER BY id")
    return [(kind, player, seat) for kind, player, seat, of in found if match in (None, of)]


def compose(turn: int, orders: Sequence[str], now: int) -> Preview:
    """Put orders behind those composed for a turn, as its page does."""
    with writing():
        tried = drafts.compose(*turns.held(turn), orders, None, now)
    assert tried is not None, "no page says how many there were"
    return tried


def undo(turn: int, now: int, keep: int | None = None) -> tuple[str, ...]:
    """Take composed orders back, as the page of the turn does."""
    with writing():
        return drafts.undo(*turns.held(turn), now, keep)
