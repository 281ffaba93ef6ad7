"""What a check has found: all is well, something is to be done, or nobody can tell from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from pbem.errors import whereabouts

State = Literal["ok", "todo", "unknown"]


class Finding(NamedTuple):
    check: str
    state: State
    words: str
    """How it is; or what to do about it, never with a secret in it."""


def ok(check: str, words: str) -> Finding:
    return Finding(check, "ok", words)


def todo(check: str, words: str) -> Finding:
    return Finding(check, "todo", words)


def unknown(check: str, words: str) -> Finding:
    return Finding(check, "unknown", words)


Check = Callable[[], Iterable[Finding]]


def run(checks: Iterable[tuple[str, Check]]) -> Iterator[Finding]:
    """What each check finds; one that fails is itself something to be done."""
    for name, check in checks:
        try:
            yield from check()
        except Exception as error:  # whatever is wrong with one, the others are made
            yield todo(name, f"the check itself failed: {whereabouts(error)}")
