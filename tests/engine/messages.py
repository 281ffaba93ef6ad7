"""Messages as they stand in the source of a game, and what is asked of their translations."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator

from engine.core import Language, Text

TRANSLATED: tuple[Language, ...] = ("de", "fr")
ERRORS = {"BadNotation", "BadSetup", "IllegalAction", "NotYourTurn"}
SPACE_THAT_BREAKS = re.compile(r" [:;?!»]|« ")


def called(call: ast.Call) -> str:
    """The last word of what is called: Text, everybody, say."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def branches(argument: ast.expr) -> Iterator[ast.expr]:
    """An argument, or what it may be by a condition."""
    if isinstance(argument, ast.IfExp):
        yield from branches(argument.body)
        yield from branches(argument.orelse)
    else:
        yield argument


def spoken_in(modules: Iterable[ast.Module], speakers: set[str]) -> set[str]:
    """The constants handed to whatever speaks."""
    return {
        found.value
        for module in modules
        for call in ast.walk(module)
        if isinstance(call, ast.Call) and called(call) in speakers
        for argument in call.args
        for found in branches(argument)
        if isinstance(found, ast.Constant) and isinstance(found.value, str)
    }


def within(text: Text) -> Iterator[str]:
    """A message and the messages inside it."""
    yield text.msgid
    for value in text.params.values():
        if isinstance(value, Text):
            yield from within(value)


def fields(pattern: str) -> list[str]:
    return sorted({name for _, name, _, _ in string.Formatter().parse(pattern) if name})
