"""Hours of play: is memory flat, is the log without errors, is every letter accounted for?

python -m tests.faults.soak --matches 500 --hours 2

Robots play both games by links, pages and replies; some players never answer, so that they are
reminded and their time runs out; moderators pause, resume and rewind; web, worker and inbox are
restarted in the first half. A match that is over is followed by another one. The report is written
anew every minute and is whole at any time; Ctrl-C or SIGTERM ends the run early, with a report.
Exit status 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from statistics import linear_regression, median
from typing import NamedTuple

from pbem.db.store import rows
from pbem.deadlines import HOUR, MINUTE, Clock
from pbem.services.records.match_rows import LIVE
from tests.faults.checking import check, settle
from tests.faults.deployment import Deployment
from tests.faults.ledger import Ledger, Mailroom
from tests.faults.robots import Robots, Told
from tests.faults.seating import looking_into, seat_everybody
from tests.kit.nginx import ROOT
from tests.kit.postgres import PostgresServer, roomiest
from tests.kit.stores import make_tables

LOOK_SECONDS = 5.0
REPORT_SECONDS = 60.0
ACT_SECONDS = 45.0
"""Between two acts of moderators."""
SLEEPY = 5
"""In one match of so many, a player never answers."""
RESTARTS = (0.08, 0.14, 0.20, 0.28, 0.34, 0.40)
"""When a service is restarted, as parts of the whole time; memory is judged after that."""
MOST_GROWTH = 0.05
"""That memory may grow by in the second half."""
USUAL = tuple(Clock(per_move=HOUR * hours, grace=HOUR, policy="forfeit") for hours in (2, 3, 4, 5))
SHORT = tuple(
    Clock(per_move=MINUTE * minutes, grace=MINUTE, policy="forfeit", most_pause=0)
    for minutes in (2, 3)
)
"""No vacation helps against these."""
CLOCKS = (*USUAL, SHORT[0], *USUAL, SHORT[1])
"""By the numbers of matches; the fifth and the tenth are those in which somebody sleeps."""


class Sample(NamedTuple):
    """What a service had in memory."""

    minutes: float
    megabytes: float


class Soak:
    """A run: a server, its robots, and what was seen of them."""

    def __init__(
        self, folder: Path, url: str, said: argparse.Namespace, mailroom: Mailroom
    ) -> None:
        self.url, self.report, self.wanted = url, Path(said.report), said.matches
        self.seconds, self.seed = said.hours * 3600, said.seed
        self.mailroom, self.ledger, self.chance = mailroom, Ledger(), Random(said.seed)
        self.server = Deployment(folder, url, mailroom.url, worker="tests.kit.quick_worker")
        self.sheets, self.sleepers = set[str](), set[str]()
        self.robots = Robots(
            *(self.server.port, self.server.lmtp_port, self.ledger, self.seed, self.sheets),
            think=said.think,
            answers=self._is_awake,
        )
        mailroom.read = self.robots.read
        self.begun_matches, self.acts = 0, Counter[str]()
        self.samples: dict[str, list[Sample]] = {one.name: [] for one in self.server.services}
        self.restarts = list(RESTARTS)
        self.trouble: list[str] = []
        self.begun = time.monotonic()

    # --- players ----------------------------------------------------------------------------------

    def begin_matches(self, count: int) -> None:
        first = self.begun_matches
        seated = seat_everybody(self.url, count, CLOCKS, first)
        self.begun_matches += count
        self.sheets |= seated.sheets
        self.sleepers |= {
            match
            for number, match in enumerate(seated.matches, first)
            if number % SLEEPY == SLEEPY - 1
        }

    def _is_awake(self, told: Told) -> bool:
        return told.match not in self.sleepers or told.reader.startswith("ann")

    # --- what happens meanwhile -------------------------------------------------------------------

    def go_on(self, is_over: threading.Event) -> None:
        next_act, next_report = ACT_SECONDS, REPORT_SECONDS
        while not is_over.wait(LOOK_SECONDS) and self.passed < self.seconds:
            for service in self.server.services:
                taken = service.memory() / 1e6
                self.samples[service.name].append(Sample(self.passed / 60, taken))
            self._fill_up()
            self._restart_if_time()
            if self.passed > next_act:
                next_act += ACT_SECONDS
                self._moderate()
            if self.passed > next_report:
                next_report += REPORT_SECONDS
                self.write()

    @property
    def passed(self) -> float:
        return time.monotonic() - self.begun

    def _fill_up(self) -> None:
        """As many matches as before."""
        with looking_into(self.url):
            ((live,),) = rows("SELECT COUNT(*) FROM match WHERE status = ?", LIVE)
        if live < self.wanted:
            self.begin_matches(self.wanted - live)

    def _restart_if_time(self) -> None:
        if self.restarts and self.passed > self.restarts[0] * self.seconds:
            self.restarts.pop(0)
            number = len(RESTARTS) - len(self.restarts) - 1
            self.server.services[number % 3].restart()
            self.acts["restart"] += 1

    def _moderate(self) -> None:
        """What a moderator does, by the command line: the same acts with the same letters."""
        with looking_into(self.url):
            found = rows(
                "SELECT id, head_seq, paused_at FROM match WHERE status = ? ORDER BY id", LIVE
            )
        paused = [match for match, _, since in found if since is not None]
        match, head, _ = self.chance.choice(found)
        if paused and self.chance.random() < 0.5:
            self._act("resume", self.chance.choice(paused))
        elif head >= 2 and self.chance.random() < 0.5:
            self._act("rewind", match, str(self.chance.randrange(head)))
        elif match not in paused:
            self._act("pause", match)
        self.server.command("clock", "confirm")

    def _act(self, act: str, match: str, *words: str) -> None:
        try:
            self.server.command("match", act, match, *words, "--reason", "both players asked")
            self.acts[act] += 1
        except AssertionError as refused:  # it may be over by now, or somebody was faster
            self.acts[f"{act} refused"] += 1
            if "Traceback" in str(refused):
                self.trouble.append(str(refused)[-500:])

    # --- the end ----------------------------------------------------------------------------------

    def finish(self) -> bool:
        """Let all that is under way come to its end, and judge; whether all is well."""
        self.robots.stop()
        settle(self.url)
        stopped = self.server.stop()
        figures = check(self.url, self.ledger, self.mailroom, self._restarted(), may_time_out=True)
        self.trouble += figures.faults
        self.trouble += self.robots.faults
        self.trouble += self.server.complaints()
        self.trouble += self._growing()
        if stopped != [0, 0, 0]:
            self.trouble.append(f"exit statuses {stopped}")
        self.write(is_over=True)
        return not self.trouble

    def _restarted(self) -> list[float]:
        return [at for one in self.server.services for at in one.deaths]

    def _growing(self) -> Iterator[str]:
        for name, samples in self.samples.items():
            growth = _growth(samples, self.passed / 60)
            if growth is not None and growth > MOST_GROWTH:
                yield f"the memory of {name} grew by {growth:.1%} in the second half"

    def write(self, is_over: bool = False) -> None:
        """The report as it stands."""
        self.report.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.report.with_suffix(".new")
        fresh.write_text("\n".join(self._lines(is_over)) + "\n")
        fresh.rename(self.report)

    def _lines(self, is_over: bool) -> Iterator[str]:
        with looking_into(self.url):
            matches = dict(rows("SELECT status, COUNT(*) FROM match GROUP BY status"))
            letters = dict(rows("SELECT state, COUNT(*) FROM outbox GROUP BY state"))
            kinds = dict(rows("SELECT kind, COUNT(*) FROM outbox WHERE state = 'sent' GROUP BY 1"))
            mails = dict(rows("SELECT state, COUNT(*) FROM incoming GROUP BY state"))
            entries = dict(rows("SELECT kind, COUNT(*) FROM entry GROUP BY kind"))
        state = "over" if is_over else "running"
        yield f"# Soak: {state} after {self.passed / 60:.1f} of {self.seconds / 60:.0f} minutes"
        yield f"\nseed {self.seed}; {'SQLite' if 'sqlite' in self.url else 'PostgreSQL'}\n"
        yield "| what | count |\n|---|---|"
        moved = entries.get("action", 0)
        yield f"| orders played | {moved} ({moved / self.passed:.2f} a second) |"
        yield f"| acknowledged | {len(self.ledger)} |"
        yield f"| matches | {_listed(matches)} |"
        yield f"| entries | {_listed(entries)} |"
        yield f"| acts | {_listed(self.acts)} |"
        yield f"| refusals that robots met | {_listed(self.ledger.refusals)} |"
        yield f"| mails | {_listed(mails)} |"
        yield f"| letters queued | {sum(letters.values())} = {_listed(letters)} |"
        yield f"| letters at the mail server | {len(self.mailroom.copies)} |"
        yield f"| copies beyond the first | {self.mailroom.extra} |"
        yield f"| letters sent, by kind | {_listed(kinds)} |"
        yield f"| lines of errors in the logs | {len(self.server.complaints())} |"
        yield "\n| memory (MB) | first | median of first half | median of last tenth | MB/h later |"
        yield "|---|---|---|---|---|"
        for name, samples in self.samples.items():
            yield f"| {name} | {_memory(samples, self.passed / 60)} |"
        yield f"\nTrouble: {len(self.trouble)}"
        yield from (f"- {line}" for line in self.trouble[:50])


def _listed(counts: dict[str, int] | Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def _second_half(samples: list[Sample], minutes: float) -> list[Sample]:
    return [one for one in samples if one.minutes > minutes / 2]


def _growth(samples: list[Sample], minutes: float) -> float | None:
    """By how much of itself the last quarter is larger than the third; None of a short run."""
    later = _second_half(samples, minutes)
    if len(later) < 20:
        return None
    middle = len(later) // 2
    third = median(one.megabytes for one in later[:middle])
    last = median(one.megabytes for one in later[middle:])
    return last / third - 1


def _memory(samples: list[Sample], minutes: float) -> str:
    if len(samples) < 4:
        return "- | - | - | -"
    later = _second_half(samples, minutes) or samples
    half, tenth = samples[: len(samples) // 2], samples[-max(1, len(samples) // 10) :]
    slope = (
        linear_regression([s.minutes / 60 for s in later], [s.megabytes for s in later]).slope
        if len(later) > 2
        else 0.0
    )
    first, last = median(s.megabytes for s in half), median(s.megabytes for s in tenth)
    return f"{samples[0].megabytes:.0f} | {first:.0f} | {last:.0f} | {slope:+.1f}"


@contextmanager
def store_for(said: argparse.Namespace, folder: Path) -> Iterator[str]:
    with ExitStack() as stack:
        if said.postgres:
            url = stack.enter_context(PostgresServer()).create_database()
        else:
            url = f"sqlite:///{folder / 'pbem.db'}"
        make_tables(url)
        yield url


def read_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.soak")
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--think", type=float, default=240.0, help="seconds for a turn at most")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--postgres", action="store_true", help="instead of SQLite")
    parser.add_argument("--report", default=str(ROOT / "build" / "soak.md"))
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    said, is_over = read_arguments(words), threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: is_over.set())
    folder = Path(tempfile.mkdtemp(prefix="pbem-soak-", dir=roomiest()))
    print(f"seed {said.seed}; the report is {said.report}; logs are in {folder}", flush=True)
    with store_for(said, folder) as url, Mailroom() as mailroom:
        soak = Soak(folder, url, said, mailroom)
        soak.begin_matches(said.matches)
        with soak.server.running(), soak.robots:
            soak.begun = time.monotonic()
            soak.go_on(is_over)
            is_well = soak.finish()
    print(Path(said.report).read_text())
    if is_well:
        shutil.rmtree(folder)
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
