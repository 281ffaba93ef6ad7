"""What a match costs when it is long: letter and turn page at entry 50 beside entry 2,000.

The match is one of East & West, hosted as any other and played by stand-ins. To compare the same
position, a copy of it is taken back to its deal behind entry 2,000, and its first entries are
played once more as they were: they tell the same, but far from the beginning of the log.

python -m tests.bench.long_matches     # the table alone
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from flask.testing import FlaskClient

from engine.chance import RecordedDice
from engine.core import Seat
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.game import EastAndWest
from engine.log import Entry
from engine.registry import GAMES
from pbem.app import create_app
from pbem.config import Config
from pbem.db import store
from pbem.links import Links
from pbem.services.letters.kinds import registry
from pbem.services.match import joining, match_log, matches, turns
from pbem.services.match.joining import Joining
from pbem.services.match.match_log import Told
from pbem.services.records import letter_queue
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import LIVE, MatchRecord, TurnRecord, get_match, open_turns
from pbem.services.seats import live_links
from tests.bench.measuring import Ratio, compare, report
from tests.services.people import NOW, id_of, wanted

EARLY, LATE = 50, 2_000
MANY, ONCE = 10, 1
"""Letters or pages in one stretch."""
FEW_ROUNDS = 3
"""Beside what takes seconds."""
KEYS = ("k" * 40,)
BASE_URL = "https://play.example"
SEED = 1
Work = Callable[[], int]


class Asked(NamedTuple):
    """A turn that has just begun, and who is told of it."""

    match: MatchRecord
    turn: TurnRecord
    player: int

    @property
    def letter(self) -> QueuedLetter:
        seen = {"from": self.turn.opened_seq, "seq": self.turn.opened_seq}
        seat = self.match.seat(self.turn.seat)
        return letter_queue.to_seat(self.match, seat, "turn", "", self.turn.id, **seen)


def growth() -> list[Ratio]:
    with _hosted() as (client, links):
        played = _long_match()
        early, again, late = _asked(played.beginning), _asked(played.again), _asked(played.whole)
        letter, page = _letters(links), _pages(client, links)
        longer = (
            f"East & West, the same turn at entry {again.turn.opened_seq} beside entry"
            f" {early.turn.opened_seq}: times longer for"
        )
        here = f"East & West, entry {late.turn.opened_seq}:"
        return [
            _times(f"{longer} a turn letter", letter(again), letter(early)),
            _times(f"{longer} a turn page", page(again), page(early)),
            compare(
                f"{here} a turn letter beside one that replays the match",
                letter(late),
                _replaying(letter(late, ONCE)),
                "reported",
                FEW_ROUNDS,
            ),
            compare(
                f"{here} a turn page beside one that replays the match",
                page(late),
                _replaying(page(late, ONCE)),
                "reported",
                FEW_ROUNDS,
            ),
        ]


def _times(what: str, ours: Work, yardstick: Work) -> Ratio:
    ratio = compare(what, ours, yardstick, "at most 1.3")
    return ratio._replace(wall=1 / ratio.wall, cpu=1 / ratio.cpu)


def _letters(links: Links) -> Callable[..., Work]:
    def of(asked: Asked, count: int = MANY) -> Work:
        def write() -> int:
            for _ in range(count):
                registry.compose(asked.letter, links, NOW)
            return count

        return write

    return of


def _pages(client: FlaskClient, links: Links) -> Callable[..., Work]:
    def of(asked: Asked, count: int = MANY) -> Work:
        path = links.url("turn", live_links.to_turn(asked.match, asked.turn))

        def show() -> int:
            for _ in range(count):
                assert client.get(path).status_code == 200
            return count

        return show

    return of


def _replaying(work: Work) -> Work:
    """The same as it was before entries kept what they told."""

    def replay(match: MatchRecord, after: int, upto: int) -> list[Told]:
        moments = match_log.moments(match, upto)
        return [Told(one.entry, one.events) for one in moments if one.entry.seq > after]

    def done() -> int:
        with patch.object(match_log, "all_told", replay):
            return work()

    return done


# --- a long match ---------------------------------------------------------------------------------


class Played(NamedTuple):
    """A match in which a turn has just begun, and two copies of it."""

    whole: str
    beginning: str
    """Only its first entries."""
    again: str
    """All of it, then its first entries once more."""


def _long_match() -> Played:
    match, begun = _sit_down(), list[int]()
    with store.writing():
        while not begun or begun[-1] < LATE:
            _play_a_stop(match)
            assert open_turns(match), f"over after {begun[-1]} entries: take another SEED"
            newest = open_turns(match)[-1].opened_seq
            if newest not in begun:
                begun.append(newest)
    first = next(seq for seq in begun if seq >= EARLY)
    with store.writing():
        _copy(match, "beginning", first)
        _copy(match, "again", begun[-1])
        turns.rewind("again", 0, "moderator", NOW)
        _play_again("again", first)
    return Played(match, "beginning", "again")


def _sit_down() -> str:
    """Four players; always the same cards and dice, with which the match is long enough."""
    seats = GAMES[EastAndWest.name].seats({})
    people = {seat: f"{seat}@example.org" for seat in seats}
    agreed = wanted(game=EastAndWest.name, addresses=people, creator=people[seats[0]])
    with (
        patch.object(matches, "new_id", lambda: "whole"),
        patch("secrets.token_bytes", lambda size: bytes([SEED]) * size),
    ):
        match = matches.create(agreed, NOW)
    joining.confirmed(id_of(people[seats[0]]), NOW)
    for number, seat in enumerate(seats[1:], 1):
        joining.accept(
            match, number, id_of(people[seat]), Joining(f"Player {number}", "en", "UTC", ""), NOW
        )
    return match


def _play_a_stop(match: str) -> None:
    record = get_match(match)
    assert record.status == LIVE, f"it was over after {record.head_seq} entries"
    (seat,) = record.game.waiting_on(match_log.current(record))
    number = [one.name for one in record.seats].index(seat)
    for action in orders(record.game.view(match_log.current(record), seat), seat):
        turns.advance(get_match(match), number, [record.game.notate(action)], NOW)


def _copy(match: str, to: str, upto: int) -> None:
    """The same match under another name, up to an entry at which a turn began."""
    for table, key in {"match": "id", "seat": "match_id", "entry": "match_id"}.items():
        _copy_rows(table, key, match, to, "" if table != "entry" else f" AND seq <= {upto}")
    _copy_rows("snapshot", "match_id", match, to, f" AND seq <= {upto}")
    _copy_rows("turn", "match_id", match, to, f" AND opened_seq <= {upto}")
    store.execute(
        "UPDATE match SET head_seq = ?, head = (SELECT hash FROM entry WHERE match_id = ? AND"
        " seq = ?) WHERE id = ?",
        upto,
        to,
        upto,
        to,
    )
    store.execute(
        "UPDATE turn SET closed_seq = NULL, closed_at = NULL WHERE match_id = ? AND opened_seq = ?",
        to,
        upto,
    )


def _copy_rows(table: str, key: str, match: str, to: str, which: str) -> None:
    columns = [name for _, name, *_ in store.rows(f"PRAGMA table_info({table})")]
    named = [name for name in columns if name != key and (name != "id" or key == "id")]
    store.execute(
        f"INSERT INTO {table} ({key}, {', '.join(named)})"
        f" SELECT ?, {', '.join(named)} FROM {table} WHERE {key} = ?{which}",
        to,
        match,
    )


def _play_again(match: str, upto: int) -> None:
    """The first entries as they were, with the throws that came then."""
    for entry in match_log.entries(match, 1, upto):
        record = get_match(match)
        mover = [one.name for one in record.seats].index(Seat(entry.actor))
        with patch.object(match_log, "LiveDice", partial(_Thrown, entry)):
            turns.advance(record, mover, [entry.text], NOW)


class _Thrown(RecordedDice):
    """The throws of an entry, for one that is played in its place."""

    def __init__(self, entry: Entry, match: MatchRecord, seq: int) -> None:
        super().__init__(entry.draws)
        self.draws = entry.draws


def _asked(match: str) -> Asked:
    record = get_match(match)
    turn = open_turns(match)[-1]
    player = record.seat(turn.seat).player
    assert player is not None, "somebody sits there"
    return Asked(record, turn, player)


@contextmanager
def _hosted() -> Iterator[tuple[FlaskClient, Links]]:
    """A server that hosts East & West."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(GAMES, {EastAndWest.name: EastAndWest()}),
    ):
        config = Config(
            database_url=f"sqlite:///{folder}/bench.db",
            base_url=BASE_URL,
            secret_keys=KEYS,
            mailbox=Path(folder) / "mailbox",
        )
        client = create_app(config, now=lambda: NOW).test_client()
        with store.connected():
            yield client, Links(KEYS, BASE_URL)


if __name__ == "__main__":
    print(report(growth()))
