"""Requests of all kinds, and errors with everything secret in their words: no line has any."""

from __future__ import annotations

import io
import json
import logging
import random
from collections.abc import Iterator

import pytest
from flask import Flask

from pbem.db import store
from pbem.links import Links
from pbem.logs.lines import JsonLines, PlainLines
from tests.pbem.web.shared.test_fuzzed_requests import Fuzz, base_url, fuzz, mo, run
from tests.services.people import ANN, BOB

__all__ = ["base_url", "fuzz", "mo"]
pytestmark = pytest.mark.filterwarnings("ignore:Unclosed file <tempfile.Spooled:ResourceWarning")


class Hand(Exception):
    """What a careless line of ours might raise."""


class Canaries:
    """Everything that may stand in no line, and every line there is."""

    def __init__(self, links: Links, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secrets = {ANN, BOB}
        self.json, self.plain = io.StringIO(), io.StringIO()
        sign = links.sign

        def noted(*what: object) -> str:
            token = sign(*what)  # type: ignore[arg-type]
            self.secrets.add(token)
            return token

        monkeypatch.setattr(type(links), "sign", lambda _, *what: noted(*what))

    def of_tables(self) -> None:
        with store.connected():
            self.secrets |= {secret for (secret,) in store.rows("SELECT secret FROM match")}
            self.secrets |= {state[40:120] for (state,) in store.rows("SELECT state FROM snapshot")}

    def found(self) -> set[str]:
        written = self.json.getvalue() + self.plain.getvalue()
        return {secret for secret in self.secrets if secret in written}


@pytest.fixture
def canaries(links: Links, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canaries]:
    made, root = Canaries(links, monkeypatch), logging.getLogger()
    handlers = [logging.StreamHandler(made.json), logging.StreamHandler(made.plain)]
    handlers[0].setFormatter(JsonLines())
    handlers[1].setFormatter(PlainLines())
    for handler in handlers:
        root.addHandler(handler)
    yield made
    for handler in handlers:
        root.removeHandler(handler)


def break_now_and_then(app: Flask, canaries: Canaries, chance: random.Random) -> list[str]:
    """Some requests end in an error that quotes a hand, a seed, an address and a token."""
    raised = list[str]()

    def fail() -> None:
        if chance.random() < 0.2:
            words = " ".join(chance.sample(sorted(canaries.secrets), 3))
            raised.append(words)
            try:
                raise KeyError(words)
            except KeyError:
                raise Hand(f"cannot play {words}") from None if len(raised) % 2 else Hand(words)

    app.before_request_funcs.setdefault(None, []).append(fail)
    return raised


def scan(fuzz: Fuzz, canaries: Canaries, times: int) -> None:
    canaries.of_tables()
    chance = random.Random(times)
    raised = break_now_and_then(fuzz.app, canaries, chance)
    run(fuzz, times)
    written = [json.loads(line) for line in canaries.json.getvalue().splitlines()]

    assert len(canaries.secrets) > 30
    assert len(raised) > times / 10
    told = [line for line in written if line.get("traceback", [""])[-1] == "Hand"]
    assert len(told) == len(raised)
    assert canaries.found() == set()


@pytest.mark.whole
def test_no_line_about_any_request_has_a_secret_in_it(fuzz: Fuzz, canaries: Canaries) -> None:
    scan(fuzz, canaries, 250)


@pytest.mark.slow
def test_no_line_about_thousands_of_requests_has_a_secret_in_it(
    fuzz: Fuzz, canaries: Canaries
) -> None:
    scan(fuzz, canaries, 5_000)


def test_a_canary_would_be_found(canaries: Canaries) -> None:
    canaries.json.write(f"x {ANN} x")

    assert canaries.found() == {ANN}
