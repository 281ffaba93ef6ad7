"""What a person waits for at round 8 of East & West, beside the bare engine's time for the same.

python -m tests.bench.pages     # the table alone
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import patch

from engine.chance import QuickDice, SealedDice
from engine.core import GameError, Seat
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.data.arsenal import kinds
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.match import matches, turns
from tests.bench.measuring import Ratio, compare, report
from tests.kit.stores import make_tables
from tests.pbem.four_powers import FourPowers
from tests.services.people import NOW
from tests.services.powers import GAME

KEYS = ("k" * 40,)
ROUND, MOVES = 8, 100
SEED = 1
"""Of a match that has not ended by then."""
PAGES, TURNS = 10, 2
"""In one stretch."""
Work = Callable[[], int]


def pages() -> list[Ratio]:
    with at_round_eight() as table:
        power = Seat(table.state.board.turn.power)
        large = _large_turn(table, power)
        what = f"East & West at round {ROUND}:"
        looked = _looked(table, power)
        ratios = [
            compare(
                f"{what} the turn page beside options + view + draw",
                _shown(table, "?stage=attack"),
                looked,
                "at least 0.2",
            ),
            compare(
                f"{what} sending {len(large)} orders beside the engine alone",
                _sent(table, large),
                _applied(table, power, large),
                "reported",
            ),
            compare(
                f"{what} {len(large)} pasted lines answered beside the engine alone",
                _checked(table, large),
                _applied(table, power, large[:-1]),
                "reported",
            ),
        ]
        _post(table, "compose", large[:-1])
        return [
            *ratios,
            compare(
                f"{what} the turn page with a draft of {len(large) - 1} beside the engine alone",
                _shown(table, "?stage=battles"),
                _applied(table, power, large[:-1]),
                "reported",
            ),
        ]


@contextmanager
def at_round_eight() -> Iterator[FourPowers]:
    """A hosted match of stand-ins, before the combat moves of a power."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'pbem.db'}"
        make_tables(url)
        app = create_app(Config(database_url=url, secret_keys=KEYS), now=lambda: NOW)
        with (
            patch.object(matches, "new_id", lambda: "pages"),
            patch("secrets.token_bytes", lambda size: bytes([SEED]) * size),
        ):
            table = FourPowers(app.test_client(), Links(KEYS, ""))
        while (table.state.board.round, table.state.board.turn.stop) != (ROUND, "operations"):
            play_on(table)
        yield table
        store.database.close()


def play_on(table: FourPowers) -> None:
    """Whoever is asked orders what the stand-in player would."""
    (asked,) = GAME.waiting_on(table.state)
    table.send(map(GAME.notate, orders(GAME.view(table.state, asked), asked)))


def _large_turn(table: FourPowers, power: Seat) -> list[str]:
    """Attacks wherever there are any, each unit by an order of its own, and the end of the stop."""
    state, given = table.state, list[str]()
    for start in GAME.options(state, power, ("move",)):
        for target in GAME.options(state, power, ("move", start.word)):
            for kind in kinds():
                while len(given) < MOVES:
                    order = f"move {start.word} {target.word} 1 {kind}"
                    try:
                        state = GAME.apply(state, power, GAME.parse(order), SealedDice()).state
                    except GameError:
                        break
                    given.append(order)
    return [*given, "done"]


def _looked(table: FourPowers, power: Seat) -> Work:
    state = table.state

    def look() -> int:
        for _ in range(PAGES):
            GAME.options(state, power)
            GAME.draw(GAME.view(state, power))
        return PAGES

    return look


def _shown(table: FourPowers, asks: str) -> Work:
    path = table.path + asks

    def show() -> int:
        for _ in range(PAGES):
            assert table.client.get(path).status_code == 200
        return PAGES

    return show


def _checked(table: FourPowers, large: list[str]) -> Work:
    def check() -> int:
        _post(table, "check", large)
        return 1

    return check


def _post(table: FourPowers, do: str, lines: list[str]) -> None:
    answer = table.client.post(table.path, data={"do": do, "orders": "\n".join(lines)})
    assert answer.status_code in (200, 303), answer.text


class _Back(Exception):
    """What was sent is taken back, so that it can be sent again."""


def _sent(table: FourPowers, large: list[str]) -> Work:
    turn = table.turn.id

    def send() -> int:
        for _ in range(TURNS):
            with store.connected(), suppress(_Back), store.writing():
                turns.submit(turn, large, NOW)
                raise _Back
        return TURNS

    return send


def _applied(table: FourPowers, power: Seat, large: list[str]) -> Work:
    begun, dice = table.state, QuickDice(b"bench pages")

    def apply() -> int:
        for _ in range(TURNS):
            state = begun
            for order in large:
                state = GAME.apply(state, power, GAME.parse(order), dice).state
        return TURNS

    return apply


if __name__ == "__main__":
    print(report(pages()))
