"""One line for one fact: as JSON, or plain; of an error its places and none of its words."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from pbem.config import Config, log_format
from pbem.errors import ConfigError
from pbem.logs.lines import JsonLines, PlainLines

HAND = "the seven of spades"


def record(words: str, *given: object, error: BaseException | None = None) -> logging.LogRecord:
    raised = (type(error), error, error.__traceback__) if error is not None else None
    made = logging.LogRecord("pbem.some", logging.WARNING, "f", 1, words, given, raised)
    made.created, made.process = 1_800_000_000.25, 7
    return made


def line(words: str, *given: object, error: BaseException | None = None) -> dict[str, Any]:
    text = JsonLines().format(record(words, *given, error=error))
    assert "\n" not in text
    told: dict[str, Any] = json.loads(text)
    return told


def test_words_and_fields_stand_apart() -> None:
    assert line("unsent letter=%s kind=%s why=%s", 41, "turn", "550 <ann@example.org>") == {
        "at": "2027-01-15T08:00:00.250+00:00",
        "level": "warning",
        "logger": "pbem.some",
        "process": 7,
        "event": "unsent",
        "letter": 41,
        "kind": "turn",
        "why": "550 <...>",
    }


def test_the_same_in_plain_words() -> None:
    assert PlainLines().format(record("unsent letter=%s kind=%s", 41, "turn")) == (
        "2027-01-15T08:00:00.250+00:00 warning unsent letter=41 kind=turn"
    )


@pytest.mark.parametrize(
    ("words", "given", "event"),
    [
        ("the match %s cannot be ended: %s", ("M-1", "KeyError"), None),
        ("two\nlines\tand more", (), "two lines and more"),
        ("100 %", (), "100 %"),
        ("too few %s %s", (1,), "too few %s %s"),
        ("level=%s", ("x",), ""),
        ("a=%s and %s", (1, 2), "a=1 and 2"),
    ],
)
def test_other_messages_are_told_as_they_are(
    words: str, given: tuple[object, ...], event: str | None
) -> None:
    told = line(words, *given)
    assert told["event"] == (words % given if event is None else event)
    assert told["level"] == "warning", "no field takes the place of what all lines have"


UNSEEN = "550 no\n2027-01-15 error forged\r\x1b[2J\x85x\u2028y\u202ez\x00"


@pytest.mark.parametrize("words", ["unsent why=%s", "unsent: %s", "unsent letter %s why %s"])
def test_nobody_else_begins_a_line_or_steers_a_terminal(words: str) -> None:
    given = [UNSEEN] * words.count("%s")
    for form in (JsonLines(), PlainLines()):
        assert form.format(record(words, *given)).isprintable()


def broken() -> Exception:
    try:
        try:
            raise KeyError(HAND)
        except KeyError as cause:
            raise RuntimeError(f"no {HAND} in the hand") from cause
    except RuntimeError as error:
        return error


def test_of_an_error_places_are_told_and_no_words() -> None:
    told = line("Exception on %s", "/t/x", error=broken())
    places = told["traceback"]

    assert [place for place in places if ":" not in place] == ["KeyError", "RuntimeError"]
    assert all("test_lines:" in place for place in places if ":" in place)
    assert HAND not in json.dumps(told)
    plain = PlainLines().format(record("Exception on %s", "/t/x", error=broken()))
    assert HAND not in plain
    assert "\n    RuntimeError" in plain


def test_an_endless_error_is_told_in_a_bounded_line() -> None:
    def deeper() -> None:
        deeper()

    with pytest.raises(RecursionError) as raised:
        deeper()
    assert len(line("it broke", error=raised.value)["traceback"]) < 40


# --- the setting ----------------------------------------------------------------------------------


def test_production_writes_json_unless_told_otherwise() -> None:
    assert log_format({"PBEM_ENV": "production"}) == "json"
    assert log_format({}) == "plain"
    assert log_format({"PBEM_ENV": "production", "PBEM_LOG_FORMAT": "plain"}) == "plain"
    assert Config.from_env({"PBEM_LOG_FORMAT": "json", "PBEM_SECRET_KEYS": "k" * 40}).log_format
    with pytest.raises(ConfigError, match="PBEM_LOG_FORMAT is 'xml'; it may be json or plain"):
        log_format({"PBEM_LOG_FORMAT": "xml"})


PROGRAM = f"""
import logging, threading, warnings
from pbem.logs import lines
lines.configure("json")
lines.configure("json")
logging.getLogger("pbem.x").info("begun part=%s", "one")
logging.getLogger("other").info("nobody wants to know")
logging.getLogger("other").warning("%d", "{HAND}")
warnings.warn("old {HAND[:3]}")
thread = threading.Thread(target=lambda: {{}}["{HAND}"])
thread.start()
thread.join()
raise ValueError("{HAND}")
"""


def test_a_process_writes_nothing_but_such_lines() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    told = [json.loads(line) for line in done.stderr.splitlines()]

    assert done.returncode == 1
    assert (told[0]["event"], told[0]["part"]) == ("begun", "one")
    assert [one["level"] for one in told] == ["info", "warning", "warning", "critical", "critical"]
    assert [one["traceback"][-1] for one in told[3:]] == ["KeyError", "ValueError"]
    assert HAND not in done.stderr
