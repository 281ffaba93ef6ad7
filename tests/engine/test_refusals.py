"""A refusal is checked with its reason: one for another reason must not pass."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCES = sorted(HERE.rglob("*.py"))
ANY_ERROR = {"BaseException", "Exception"}
HELPER = "refuses"


def source(path: Path) -> str:
    return path.read_text("utf-8")


def without_reason(text: str) -> list[int]:
    """The lines that accept an error of a game whatever it says."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(text))
        if (isinstance(node, ast.Call) and _is_raises(node) and not _names_reason(node))
        or (isinstance(node, ast.FunctionDef) and node.name == HELPER and not _demands(node))
    ]


def _is_raises(node: ast.Call) -> bool:
    return _last_word(node.func) == "raises"


def _names_reason(node: ast.Call) -> bool:
    if all(_is_pythons_own(word) for error in node.args[:1] for word in _errors(error)):
        return True
    patterns = [keyword.value for keyword in node.keywords if keyword.arg == "match"]
    return any(not isinstance(p, ast.Constant) or bool(p.value) for p in patterns)


def _errors(node: ast.expr) -> Iterator[str]:
    for one in node.elts if isinstance(node, ast.Tuple) else [node]:
        yield _last_word(one)


def _is_pythons_own(word: str) -> bool:
    return hasattr(builtins, word) and word not in ANY_ERROR


def _last_word(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _demands(helper: ast.FunctionDef) -> bool:
    """Whether a helper has an argument for the message, and nothing stands in for it."""
    arguments = helper.args
    needed = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    return "message" in [argument.arg for argument in needed]


def calls_of_helper(text: str) -> int:
    return sum(
        isinstance(node, ast.Call) and _last_word(node.func) == HELPER
        for node in ast.walk(ast.parse(text))
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(HERE)))
def test_every_refusal_names_its_reason(path: Path) -> None:
    assert without_reason(source(path)) == []


def test_there_is_something_to_look_at() -> None:
    assert sum(calls_of_helper(source(path)) for path in SOURCES) > 300


@pytest.mark.parametrize(
    "breach",
    [
        "with pytest.raises(IllegalAction): pass",
        "with pytest.raises(core.NotYourTurn) as caught: pass",
        "with pytest.raises((KeyError, BadNotation)): pass",
        "with pytest.raises(Exception): pass",
        "with pytest.raises(error): pass",
        "with pytest.raises(BadSetup, match=''): pass",
        "def refuses(position, line, message=None): pass",
        "def refuses(position, line): pass",
    ],
)
def test_a_check_without_a_reason_is_found(breach: str) -> None:
    assert without_reason(f"\n{breach}\n") == [2]


@pytest.mark.parametrize(
    "line",
    [
        "with pytest.raises(IllegalAction, match='you do not hold'): pass",
        "with pytest.raises(error, match=exactly(message)): pass",
        "with pytest.raises(KeyError): pass",
        "def refuses(position, line, message, error=IllegalAction): pass",
    ],
)
def test_a_check_with_a_reason_is_let_through(line: str) -> None:
    assert without_reason(line) == []
