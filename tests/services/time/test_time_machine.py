"""Random lives of matches: moves, absences, pauses, mail and workers that stop, clocks that jump.

Whatever happens, nobody is reminded out of season, nothing rings early, no clock is forgotten,
absence is charged once and within the limit, and time runs out in the end.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pbem.db import store
from pbem.db.store import execute, row, rows, writing
from pbem.deadlines import DAY, HOUR, Clock, Span
from pbem.errors import Refused, Stale
from pbem.services.match import link_orders, match_log, turns
from pbem.services.records.match_rows import (
    LIVE,
    OVER,
    TurnRecord,
    find_turn,
    get_match,
    open_turns,
)
from pbem.services.time import absences, clocks, pauses, reminders, stalled_turns
from tests.kit.postgres import PostgresServer
from tests.services.people import NOW, sit_down, turns_of
from tests.services.waiting import Days, agree, hand_over

SEATS = st.sampled_from((0, 1))
CLOCKS = st.sampled_from(
    (
        Clock(policy="forfeit"),
        Clock(policy="claim", per_move=DAY, grace=6 * HOUR),
        Clock(policy="default", per_move=2 * DAY, grace=0),
        Clock(policy="forfeit", per_move=0, bank=3 * DAY, increment=12 * HOUR, cap=5 * DAY),
        Clock(policy="claim", days_off=(5, 6), zone="Europe/Berlin", most_pause=10 * DAY),
        Clock(policy="forfeit", hour=20, zone="America/New_York", most_pause=0),
        Clock(policy="forfeit", per_move=5 * DAY, most_pause=4 * DAY),
    )
)


Lent = Callable[[], AbstractContextManager[str]]
"""A store with all tables for one life; its URL."""


class Life(RuleBasedStateMachine):
    """One match of Ann and Bob."""

    lent: ClassVar[Lent]

    def __init__(self) -> None:
        super().__init__()
        self.borrowed = ExitStack()

    @initialize(clock=CLOCKS, nights=st.booleans(), deal=st.integers(0, 255))
    def begin(self, clock: Clock, nights: bool, deal: int) -> None:
        store.open_database(self.borrowed.enter_context(type(self).lent()))
        store.database.connect()
        with (  # a life that is lived again is the same life, dice and cards too
            patch("secrets.token_bytes", lambda size: bytes([deal]) * size),
            patch("pbem.services.match.matches.new_id", lambda: "1ife"),
        ):
            self.match = sit_down(NOW).match
        agree(self.match, **msgspec.structs.asdict(clock))
        if nights:
            with writing():
                execute(
                    "UPDATE player SET night = '[22, 7]', days_off = '[2]', zone = 'Asia/Tokyo'"
                )
        self.days, self.mail_flows, self.seen = Days(NOW), True, 0
        self.deadlines: dict[int, int] = {}
        self.players: dict[int, int] = {}
        self.pause: Span | None = None
        self.pauses, self.paused = list[Span](), 0
        self.days.tick()
        hand_over(NOW)
        self.seen = self._newest()

    def teardown(self) -> None:
        if hasattr(self, "match"):
            self.everybody_falls_silent()
            store.database.close()
        self.borrowed.close()

    # --- what people do --------------------------------------------------------------------------

    def is_live(self) -> bool:
        return get_match(self.match).status == LIVE

    @precondition(is_live)
    @rule()
    def somebody_plays(self) -> None:
        match = get_match(self.match)
        turn = open_turns(self.match)[0]
        order = link_orders.choices(
            match, match_log.current(match), match.seat(turn.seat).name, most=1
        )
        turns.submit(turn.id, [order[0].notation], self.days.now)

    @precondition(is_live)
    @rule(seat=SEATS, ahead=st.integers(0, 5 * DAY), length=st.integers(HOUR, 9 * DAY))
    def somebody_books(self, seat: int, ahead: int, length: int) -> None:
        player, start = get_match(self.match).seat(seat).player, self.days.now + ahead
        if player is not None:
            with suppress(Refused):
                absences.book(player, start, start + length, self.days.now)

    @precondition(is_live)
    @rule(seat=SEATS)
    def somebody_comes_back(self, seat: int) -> None:
        player = get_match(self.match).seat(seat).player
        if player is not None:
            for absence in absences.of(player):
                with suppress(Refused):
                    absences.cancel(absence.id, player, self.days.now)

    @precondition(is_live)
    @rule(seat=SEATS)
    def somebody_wants_a_pause(self, seat: int) -> None:
        if get_match(self.match).seat(seat).player is not None:
            with suppress(Refused):
                pauses.want_pause(self.match, seat, self.days.now)

    @precondition(is_live)
    @rule(seat=SEATS)
    def somebody_ends_the_pause(self, seat: int) -> None:
        pauses.end_pause(self.match, seat, self.days.now)

    # --- what the world does ---------------------------------------------------------------------

    @rule(flows=st.booleans())
    def mail_stops_or_flows(self, flows: bool) -> None:
        self.mail_flows = flows

    @rule(steps=st.integers(1, 12))
    def time_passes(self, steps: int) -> None:
        for _ in range(steps):
            self._leap(self._next_alarm())

    @rule(seconds=st.sampled_from((5 * 60, 6 * HOUR, 3 * DAY)))
    def nobody_looks(self, seconds: int) -> None:
        self.days.stands_still(seconds)
        self._look()

    @rule(jump=st.sampled_from((HOUR, -HOUR, 400 * DAY, -400 * DAY)), is_paused=st.booleans())
    def the_clock_jumps_and_is_set_right(self, jump: int, is_paused: bool) -> None:
        letters = self._newest()
        self.days.jumps(jump)
        for _ in range(3):
            assert not self.days.tick().is_trusted
            self.days.now, self.days.monotonic = self.days.now + 20, self.days.monotonic + 20
        assert self._newest() == letters, "a wrong clock tells nobody anything"
        if is_paused and abs(jump) > DAY:  # what an hour does to a pause is not worth a letter
            with suppress(Refused, Stale):
                pauses.pause(self.match, self.days.now)
        self.days.jumps(-jump)
        self._look()

    def _next_alarm(self) -> int:
        """Soon, but never behind an alarm, so that each rings when it should."""
        found = row("SELECT MIN(at) FROM due")
        at = found[0] if found and found[0] is not None else self.days.now
        return max(self.days.now + 1, min(at, self.days.now + DAY))

    def _leap(self, to: int) -> None:
        """All the ticks up to an instant; those in between find nothing."""
        gone = to - self.days.now
        self.days.now, self.days.monotonic = to, self.days.monotonic + gone
        execute("UPDATE heartbeat SET ticked_at = ? WHERE suspect_since IS NULL", to - 1)
        self._look()

    def _look(self) -> None:
        self.days.tick()
        self._remember()
        self._check_what_was_told()
        if self.mail_flows:
            hand_over(self.days.now)

    # --- what must be true -----------------------------------------------------------------------

    def _newest(self) -> int:
        found = row("SELECT COALESCE(MAX(id), 0) FROM outbox")
        return int(found[0]) if found else 0

    def _check_what_was_told(self) -> None:
        """Every letter that a tick has written was in season at that moment."""
        now, match = self.days.now, get_match(self.match)
        for kind, about in rows(
            "SELECT kind, about FROM outbox WHERE id > ? ORDER BY id", self.seen
        ):
            told = msgspec.json.decode(about)
            if kind == "reminder":
                assert match.status == LIVE
                assert match.paused_at is None
                for number in told["turns"]:
                    turn = self._turn(number)
                    assert turn.is_open
                    assert turn.since is not None
                    assert now < turn.deadline_at
                    assert not reminders.is_away(self._player(turn), now)
            if kind == "late":
                assert self._turn(told["of"]).deadline_at <= now
        self.seen = self._newest()
        if match.status == OVER and match_log.entries(self.match)[-1].kind == "forfeit":
            self._check_forfeit(now)

    def _check_forfeit(self, now: int) -> None:
        last = rows("SELECT id FROM turn WHERE missed = ? ORDER BY id DESC LIMIT 1", True)
        turn, grace = self._turn(last[0][0]), get_match(self.match).clock.grace
        if turn.closed_at != now:
            return
        assert now >= turn.deadline_at + grace
        warned = row(
            "SELECT MIN(sent_at) FROM outbox WHERE kind = 'late' AND seat = ? AND state = 'sent'"
            " AND about LIKE ?",
            turn.seat,
            f'%"deadline":{turn.deadline_at}%',
        )
        assert warned is not None
        assert warned[0] is not None, "nobody is timed out unwarned"
        assert now >= warned[0] + grace

    def _turn(self, number: int) -> TurnRecord:
        found = find_turn(number)
        assert found is not None
        return found

    def _player(self, turn: TurnRecord) -> int:
        player = get_match(turn.match).seat(turn.seat).player
        assert player is not None
        return player

    @invariant()
    def no_clock_is_forgotten(self) -> None:
        if not hasattr(self, "match"):
            return
        match = get_match(self.match)
        for turn in open_turns(self.match):
            if match.status == LIVE and turn.since is not None:
                assert match.paused_at is None
                alarm = row("SELECT at FROM due WHERE subject = ?", str(turn.id))
                assert alarm is not None
                soonest = max(turn.deadline_at, self.days.now) + match.clock.grace
                assert alarm[0] <= soonest + turn.budget + DAY

    @invariant()
    def no_turn_waits_for_nothing(self) -> None:
        if hasattr(self, "match"):
            assert stalled_turns.idle() == []

    @invariant()
    def no_deadline_moves_backwards(self) -> None:
        if not hasattr(self, "match"):
            return
        for turn in open_turns(self.match):
            if turn.since is not None:
                assert turn.deadline_at >= self.deadlines.get(turn.id, 0)
                self.deadlines[turn.id] = turn.deadline_at

    @invariant()
    def nobody_stops_a_match_for_ever(self) -> None:
        if hasattr(self, "match"):
            assert self._charged() <= get_match(self.match).clock.most_pause

    @invariant()
    def a_pause_ends_within_its_limit(self) -> None:
        if hasattr(self, "match") and (pause := self._pause()) is not None:
            left = clocks.pause_left(get_match(self.match), pause.start)
            assert pause.start <= self.days.now < pause.end <= pause.start + left

    @invariant()
    def nobody_is_charged_for_more_than_was_used(self) -> None:
        if hasattr(self, "match"):
            self._remember()
            away = sum(self._away(turn) for turn in turns_of(self.match))
            assert self._charged() <= self.paused + away

    def _charged(self) -> int:
        """For how long pauses and absences have stopped the match, as it has counted."""
        charged = sum(turn.absent for turn in turns_of(self.match))
        return get_match(self.match).paused_total + charged

    def _pause(self) -> Span | None:
        """The pause that there is, up to the end that all were told."""
        found = row(
            "SELECT m.paused_at, d.at FROM match m JOIN due d ON d.subject = m.id"
            " WHERE m.paused_at IS NOT NULL AND m.status = ?",
            LIVE,
        )
        return Span(*found) if found else None

    def _remember(self) -> None:
        """Who was asked in which turn, and from when to when there were pauses."""
        match, before = get_match(self.match), self.pause
        for turn in open_turns(self.match):
            player = match.seat(turn.seat).player
            if player is not None:
                self.players[turn.id] = player
        self.pause = self._pause()
        if before is not None and self.pause is None:
            self.pauses.append(Span(before.start, self.days.now))
            self.paused += min(before.end, self.days.now) - before.start

    def _away(self, turn: TurnRecord) -> int:
        """How long the player of a turn was or will be away in it, outside of pauses."""
        if turn.started_at is None or turn.id not in self.players:
            return 0
        end = min(turn.deadline_at, turn.closed_at or turn.deadline_at)
        pauses = [*self.pauses, *([Span(self.pause.start, end)] if self.pause else [])]
        spans = clocks.absences_of(self.players[turn.id])
        away = [_both(Span(turn.started_at, end), span) for span in spans]
        return sum(_length(one) - sum(_length(_both(one, p)) for p in pauses) for one in away)

    def everybody_falls_silent(self) -> None:
        """Nobody does anything any more: the match ends, or somebody else is asked to play on."""
        self.mail_flows = True
        hand_over(self.days.now)
        for _ in range(4_000):
            match = get_match(self.match)
            if match.status == OVER or any(seat.status == "vacant" for seat in match.seats):
                return
            self._leap(self._next_alarm())
        raise AssertionError("time did not run out")


def _both(one: Span, other: Span) -> Span:
    return Span(max(one.start, other.start), min(one.end, other.end))


def _length(span: Span) -> int:
    return max(0, span.end - span.start)


LIVES: dict[str, Any] = {
    "stateful_step_count": 25,
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}


def lives_on(given: Lent) -> type[Life]:
    class Lived(Life):
        lent = staticmethod(given)

    return Lived


@pytest.fixture
def on_sqlite(migrated_sqlite: Path, tmp_path: Path) -> Lent:
    @contextmanager
    def lent() -> Iterator[str]:
        yield f"sqlite:///{shutil.copyfile(migrated_sqlite, tmp_path / 'pbem.db')}"
        for file in tmp_path.glob("pbem.db*"):
            file.unlink()

    return lent


@pytest.fixture
def on_postgres(postgres_server: PostgresServer, migrated_postgres: str) -> Lent:
    @contextmanager
    def lent() -> Iterator[str]:
        url = postgres_server.create_database(like=migrated_postgres)
        yield url
        postgres_server.drop_database(url)

    return lent


@pytest.mark.whole
@pytest.mark.parametrize(
    ("lent", "lives"),
    [("on_sqlite", 40), pytest.param("on_postgres", 10, marks=pytest.mark.postgres)],
)
def test_some_lives(request: pytest.FixtureRequest, lent: str, lives: int) -> None:
    run_state_machine_as_test(
        lives_on(request.getfixturevalue(lent)),
        settings=settings(max_examples=lives, derandomize=True, **LIVES),
    )


@pytest.mark.slow
@pytest.mark.parametrize("lent", ["on_sqlite", "on_postgres"])
def test_a_thousand_lives(request: pytest.FixtureRequest, lent: str) -> None:
    run_state_machine_as_test(
        lives_on(request.getfixturevalue(lent)),
        settings=settings(max_examples=1_000, print_blob=True, **LIVES),
    )
