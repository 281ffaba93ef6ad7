"""What a player waits for after a press: the POST, and the page it leads to, in Flask hellos.

Both games are walked through in their middle as people play them: order by order into the draft,
then the draft is sent; so hardly any page shows what another has shown before. The yardstick is
served by the same process of gunicorn: a bare Flask application whose only route says hello. What
is compared is the processor time of that process.

python -m tests.bench.presses     # the table alone
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple
from unittest.mock import patch
from urllib.parse import urlencode

from flask import Flask
from werkzeug.middleware.dispatcher import DispatcherMiddleware

from engine.chance import QuickDice
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.verbs.moves import Move
from engine.terminal.rehearsal import random_order
from pbem.app import from_env
from pbem.db import store
from pbem.links import Links
from pbem.services.match import drafts, match_log, matches, turns
from pbem.services.records.match_rows import MatchRecord, TurnRecord, get_match, open_turns
from pbem.services.seats import live_links
from pbem.services.time import clocks
from tests.bench.measuring import Ratio, report
from tests.bench.moves import KEYS
from tests.bench.posting import asked, served
from tests.services.people import NOW, an_order, sit_down
from tests.services.powers import GAME as EAST_AND_WEST
from tests.services.powers import four_people

CURTAINS, CURTAIN_ENTRY = 12, 30
"""Matches of Iron Curtain, each walked on from so many entries."""
POWERS_ENTRY, POWERS_SEED = 400, 100
ROUNDS, PRESSES, HELLOS = 9, 10, 40
"""In each round so many of each."""
WARM = 60
"""Presses before the first that is measured: a server has been up for some minutes."""
LINKS = Links(KEYS, "https://bench.example")


class Press(NamedTuple):
    path: str
    form: dict[str, str]


Presses = Iterator[Press]


def presses() -> list[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        store.open_database(f"sqlite:///{Path(folder) / 'pbem.db'}")
        with store.connected():
            store.migrate()
            curtains = [_middle_of_iron_curtain(number) for number in range(CURTAINS)]
            powers = _middle_of_east_and_west()
            with served(Path(folder), "tests.bench.presses:app()") as port:
                walks = {
                    "Iron Curtain": _through_iron_curtain(curtains),
                    "East & West": _through_east_and_west(powers),
                }
                return [
                    ratio for name, walk in walks.items() for ratio in _measured(port, name, walk)
                ]


def app() -> DispatcherMiddleware:
    """What gunicorn serves: the real application, and the yardstick beside it."""
    return DispatcherMiddleware(from_env(), {"/bench": _yardstick()})


def _yardstick() -> Flask:
    bare = Flask("yardstick")

    @bare.get("/hello")
    def hello() -> str:
        return "hello"

    @bare.get("/process")
    def process() -> str:
        return str(os.getpid())

    return bare


# --- measuring ------------------------------------------------------------------------------------


class Spent(NamedTuple):
    """Of a round, seconds of the processor and of the clock on the wall for each of its things."""

    post: float
    page: float
    hello: float
    press_wall: float
    hello_wall: float


def _measured(port: int, name: str, walk: Presses) -> list[Ratio]:
    clock = _processor_clock(int(asked(port, "GET", "/bench/process").body))
    sizes = [_pressed(port, press, clock).size for press in islice(walk, WARM)]
    rounds = [_round(port, walk, clock) for _ in range(ROUNDS)]
    size = f"{median(sizes) / 1000:.0f} kB" if sizes else ""
    return [
        _in_hellos(f"{name}: a press and the page it leads to", rounds, _together, "at most 4"),
        _in_hellos(f"{name}: of that, the POST", rounds, _post, "reported"),
        _in_hellos(f"{name}: of that, the page of {size}", rounds, _page, "reported"),
    ]


def _processor_clock(process: int) -> Callable[[], float]:
    """The processor time of another process: its clock as clock_getcpuclockid(3) has it."""
    clock = ~process << 3 | 2
    return lambda: time.clock_gettime(clock)


def _round(port: int, walk: Presses, clock: Callable[[], float]) -> Spent:
    pressed = [_pressed(port, press, clock) for press in islice(walk, PRESSES)]
    assert len(pressed) == PRESSES, "the walk is too short"
    used, began = clock(), time.perf_counter()
    for _ in range(HELLOS):
        assert asked(port, "GET", "/bench/hello").body == b"hello"
    return Spent(
        mean(one.post for one in pressed),
        mean(one.page for one in pressed),
        (clock() - used) / HELLOS,
        mean(one.wall for one in pressed),
        (time.perf_counter() - began) / HELLOS,
    )


class Pressed(NamedTuple):
    post: float
    page: float
    wall: float
    size: int


def _pressed(port: int, press: Press, clock: Callable[[], float]) -> Pressed:
    began, first = time.perf_counter(), clock()
    answer = asked(port, "POST", press.path, urlencode(press.form))
    assert answer.status == 303, (press, answer.body.decode())
    second = clock()
    page = asked(port, "GET", answer.location)
    assert page.status == 200, (press, answer.location)
    third = clock()
    return Pressed(second - first, third - second, time.perf_counter() - began, len(page.body))


def _post(spent: Spent) -> float:
    return spent.post


def _page(spent: Spent) -> float:
    return spent.page


def _together(spent: Spent) -> float:
    return spent.post + spent.page


def _in_hellos(what: str, rounds: list[Spent], part: Callable[[Spent], float], aim: str) -> Ratio:
    """How many hellos the server could have said meanwhile, by its processor time."""
    hellos = median(part(spent) / spent.hello for spent in rounds)
    return Ratio(
        f"{what}: times a hello",
        median(map(part, rounds)),
        median(spent.hello for spent in rounds),
        median(spent.press_wall / spent.hello_wall for spent in rounds),
        hellos,
        aim,
    )


# --- what is pressed ------------------------------------------------------------------------------


def _through_iron_curtain(begun: list[str]) -> Presses:
    """Orders at random; whoever has nothing more to decide sends."""
    choice = QuickDice(b"bench presses")
    for match in begun:
        while open_turns(match):
            record, turn = _asked(match)
            seat = record.seat(turn.seat).name
            kept = drafts.draft_of(turn.id)
            tried = drafts.preview(record, match_log.current(record), seat, kept)
            if tried.is_asked:
                order = random_order(record.game, tried.state, seat, choice)
                yield _add(record, turn, kept, order)
            else:
                yield _submit(record, turn, kept)


def _through_east_and_west(match: str) -> Presses:
    """What the stand-in player orders: moves by their forms, all else by its line."""
    while open_turns(match):
        record, turn = _asked(match)
        seat, state = record.seat(turn.seat).name, match_log.current(record)
        for action in orders(EAST_AND_WEST.view(state, seat), seat):
            kept = drafts.draft_of(turn.id)
            order = EAST_AND_WEST.notate(action)
            if isinstance(action, Move) and not action.via and not action.only:
                stop = state.board.turn.stop
                yield _move(record, turn, kept, action, STAGES[stop])
            else:
                yield _add(record, turn, kept, order)
            kept = drafts.draft_of(turn.id)
            if not drafts.preview(record, state, seat, kept).is_asked:
                break
        yield _submit(record, turn, drafts.draft_of(turn.id))


STAGES = {"operations": "attack", "logistics": "moves"}
"""The stage of the sheet on which units are moved, by the stop of the turn."""


def _asked(match: str) -> tuple[MatchRecord, TurnRecord]:
    """Whose turn it is; the letter that says so was handed over."""
    (turn,) = open_turns(match)
    if turn.started_at is None:
        with store.writing():
            clocks.start(turn.id, NOW)
    return get_match(match), turn


def _path(match: MatchRecord, turn: TurnRecord) -> str:
    return "/t/" + LINKS.sign("turn", live_links.to_turn(match, turn))


def _add(match: MatchRecord, turn: TurnRecord, kept: tuple[str, ...], order: str) -> Press:
    return Press(_path(match, turn), {"do": "add", "composed": str(len(kept)), "order": order})


def _move(
    match: MatchRecord, turn: TurnRecord, kept: tuple[str, ...], action: Move, stage: str
) -> Press:
    form = {"do": "fill", "composed": str(len(kept)), "filled": "move", "form": "move"}
    form |= {"stage": stage, "at": action.start, "to": action.target}
    return Press(_path(match, turn), form | {kind: str(count) for kind, count in action.units})


def _submit(match: MatchRecord, turn: TurnRecord, kept: tuple[str, ...]) -> Press:
    sent = str(turns.sent_in(match, turn))
    return Press(_path(match, turn), {"do": "submit", "sent": sent, "draft": "\n".join(kept)})


# --- where it begins ------------------------------------------------------------------------------


def _middle_of_iron_curtain(number: int) -> str:
    with always_the_same(number):
        match = sit_down(NOW).match
    choice = QuickDice(b"bench presses %d" % number)
    while get_match(match).head_seq < CURTAIN_ENTRY:
        turn, order = an_order(match, choice)
        turns.submit(turn.id, [order], NOW)
    return match


def _middle_of_east_and_west() -> str:
    with always_the_same(POWERS_SEED):
        match = four_people()
    while get_match(match).head_seq < POWERS_ENTRY:
        record, turn = _asked(match)
        seat, state = record.seat(turn.seat).name, match_log.current(record)
        given = orders(EAST_AND_WEST.view(state, seat), seat)
        turns.submit(turn.id, list(map(EAST_AND_WEST.notate, given)), NOW)
    return match


@contextmanager
def always_the_same(seed: int) -> Iterator[None]:
    """The cards and dice of a match that begins inside."""
    counted = (f"presses{seed}-{number}" for number in count())
    with (
        patch.object(matches, "new_id", lambda: next(counted)),
        patch("secrets.token_bytes", lambda size: bytes([seed]) * size),
    ):
        yield


if __name__ == "__main__":
    print(report(presses()))
