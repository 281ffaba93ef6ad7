"""Whole matches of East & West from letters and the pages behind them, by people with habits.

A real server, a real worker, a real SMTP server, on both databases. Each person thinks with the
stand-in player of the game, out of what the JSON of the own turn shows and nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.core import Seat
from engine.east_and_west.bot.stand_in import orders
from engine.east_and_west.game import EastAndWest
from engine.east_and_west.view import View
from tests.e2e.reader import Page, get, links_in, press
from tests.e2e.test_from_the_inbox import download, each_letter_once, served
from tests.kit.smtp_sink import Letter, SmtpSink

pytestmark = pytest.mark.whole

GAME = EastAndWest()
PATIENCE = 120
"""Seconds for a round."""


def create(base: str, database_url: str, *said: str) -> str:
    """A match made by an operator at the command line; its id."""
    environ = os.environ | {
        "PBEM_DATABASE_URL": database_url,
        "PBEM_BASE_URL": base,
        "PBEM_SECRET_KEYS": "e2e" * 20,
    }
    command = [sys.executable, "-m", "pbem.cli", "match", "create", "--game", GAME.name, *said]
    done = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1]


class Campaign:
    """Everybody with a seat: each letter is read when it comes, and answered in the own way."""

    def __init__(self, base: str, sink: SmtpSink, patience: int) -> None:
        self.base, self.sink, self.patience, self.read = base, sink, patience, 0
        self.finished: set[str] = set()
        self.ways: dict[str, int] = {}

    def until_over(self, seats: set[str]) -> None:
        end = time.monotonic() + self.patience
        while self.finished != seats:
            assert time.monotonic() < end, f"only {sorted(self.finished)} know of the end"
            while self.read < len(self.sink.received):
                self.read += 1
                self.answer(self.sink.received[self.read - 1])
            time.sleep(0.05)

    def answer(self, letter: Letter) -> None:
        message = letter.message
        text = message.get_body(("plain",))
        assert text is not None
        words = text.get_content().replace("\r\n", "\n")
        assert all(len(line) <= 72 for line in words.splitlines() if "://" not in line)
        assert len(message.as_bytes()) < 100_000
        kind, seat = message["X-PBEM-Kind"], str(message["X-PBEM-Seat"])
        if kind == "invitation":
            (url,) = links_in(words, "/join/")
            form = next(form for form in get(url).forms if form.method == "post")
            press(form, ("do", "accept"))
        elif kind == "turn":
            self.play(words, seat)
        elif kind == "finished":
            self.finished.add(seat)

    def play(self, words: str, seat: str) -> None:
        """A question by the first link of its letter; a turn in the manner of the seat."""
        (turn,) = [url for url in links_in(words, "/t/") if "?" not in url][:1]
        answers = links_in(words, "/o/")
        if answers and "needs a decision" in " ".join(words.split()):
            form = next((f for f in get(answers[0]).forms if f.method == "post"), None)
            if form is not None:
                press(form)
                self.used("link of an answer")
        for _ in range(60):
            seen = self.seen(turn)
            if seen is None:
                return
            lines = thought(seen)
            manner = {"we": self.by_sheet, "uk": self.by_json}.get(seat, self.by_text)
            manner(turn, lines, seen)
        raise AssertionError("the turn goes on for ever")

    def seen(self, turn: str) -> dict[str, Any] | None:
        """What the JSON of a turn tells; None when the turn is over."""
        try:
            with urllib.request.urlopen(turn.replace("/t/", "/api/v1/turn/"), timeout=30) as answer:
                found: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as over:
            assert over.code == 409
            return None
        return found

    def used(self, way: str) -> None:
        self.ways[way] = self.ways.get(way, 0) + 1

    # --- manners ----------------------------------------------------------------------------------

    def by_text(self, turn: str, lines: list[str], seen: dict[str, Any]) -> None:
        """All orders typed at once."""
        form = next(form for form in get(turn).forms if form.id == "orders")
        press(form, ("do", "orders"), orders="\n".join(lines))
        self.used("text")

    def by_json(self, turn: str, lines: list[str], seen: dict[str, Any]) -> None:
        """By a program of one's own."""
        body = json.dumps({"orders": lines, "sent": seen["sent"]}).encode()
        request = urllib.request.Request(turn.replace("/t/", "/api/v1/turn/"), data=body)
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
        self.used("JSON")

    def by_sheet(self, turn: str, lines: list[str], seen: dict[str, Any]) -> None:
        """Purchases by the form of the sheet, the rest composed as text; then all of it sent."""
        page = get(turn)
        for line in lines:
            page = self.bought(page, turn, line) or self.composed(page, turn, line)
        ready = next(form for form in get(turn).forms if form.value("do") == "submit")
        press(ready)
        self.used("draft sent")

    def bought(self, page: Page, turn: str, line: str) -> Page | None:
        verb, *rest = line.split()
        if verb != "buy" or len(rest) != 2:
            return None
        shelf = get(f"{turn}?stage=purchases")
        form = next((f for f in shelf.forms if f.value("filled") == "buy"), None)
        if form is None or form.value(rest[1]) is None:
            return None
        press(form, ("", ""), **{rest[1]: rest[0]})
        self.used("form")
        return get(turn)

    def composed(self, page: Page, turn: str, line: str) -> Page:
        form = next(form for form in get(turn).forms if form.id == "orders")
        press(form, ("do", "compose"), orders=line)
        return get(turn)


def thought(seen: dict[str, Any]) -> list[str]:
    """What the stand-in player would order, out of the view that a seat is shown."""
    view = msgspec.convert(seen["view"], View)
    return [GAME.notate(action) for action in orders(view, Seat(seen["seat"]))]


@pytest.mark.timeout(PATIENCE + 60)
def test_four_people_play_a_round(tmp_path: Path, store_url: str) -> None:
    four_people(tmp_path, store_url, rounds=1)


@pytest.mark.slow
@pytest.mark.timeout(4 * PATIENCE)
def test_four_people_play_four_rounds(tmp_path: Path, store_url: str) -> None:
    four_people(tmp_path, store_url, rounds=4)


def four_people(folder: Path, database_url: str, rounds: int) -> None:
    with SmtpSink() as sink, served(folder, sink.url, database_url) as base:
        seats = [f"--seat={seat}={seat}@example.org" for seat in GAME.seats({})]
        match = create(base, database_url, "--option", f"rounds={rounds}", *seats)
        campaign = Campaign(base, sink, patience=rounds * PATIENCE)
        campaign.until_over(set(GAME.seats({})))
        file = json.loads(download(base, match, folder).read_bytes())
        each_letter_once(sink)
    assert {"text", "JSON", "form", "draft sent"} <= set(campaign.ways)
    actors = {entry["actor"] for entry in file["entries"] if entry["kind"] == "action"}
    assert actors == set(GAME.seats({}))


ALONE = ("--seat=ussr=ivan@example.org", "--machine=we", "--machine=uk", "--machine=usa")
TWO = ("--seat=ussr=ivan@example.org", "--seat=nato=nina@example.org", "--option=nato=we+uk+usa")


@pytest.mark.timeout(PATIENCE + 60)
def test_one_person_plays_a_round_against_machines(tmp_path: Path) -> None:
    few_people(tmp_path, {"ussr"}, *ALONE, "--option=rounds=1")


@pytest.mark.timeout(PATIENCE + 60)
def test_two_people_play_a_round(tmp_path: Path) -> None:
    few_people(tmp_path, {"ussr", "nato"}, *TWO, "--option=rounds=1")


@pytest.mark.slow
@pytest.mark.timeout(30 * PATIENCE)
@pytest.mark.parametrize(("seats", "said"), [({"ussr"}, ALONE), ({"ussr", "nato"}, TWO)])
def test_few_people_play_to_a_victory(
    tmp_path: Path, seats: set[str], said: tuple[str, ...]
) -> None:
    result = few_people(tmp_path, seats, *said, "--option=fast_game=on")
    assert result["reason"] == "rules"
    assert result["result"] != "draw"


def few_people(folder: Path, seats: set[str], *said: str) -> dict[str, Any]:
    """A match of one or two people, to its verified end; its file."""
    database = f"sqlite:///{folder / 'pbem.db'}"
    with SmtpSink() as sink, served(folder, sink.url, database) as base:
        match = create(base, database, *said)
        campaign = Campaign(base, sink, patience=20 * PATIENCE)
        campaign.until_over(seats)
        file = download(base, match, folder)
        each_letter_once(sink)
    found: dict[str, Any] = json.loads(file.read_bytes())
    return found
