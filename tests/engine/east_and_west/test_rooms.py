"""Each room says in its docstring what is in it, and stays small."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import engine.east_and_west

HOME = Path(engine.east_and_west.__file__).parent
ROOMS = [HOME, *sorted(path.parent for path in HOME.glob("*/__init__.py"))]
MOST_MODULES = 12
LONGEST = 450

each_room = pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)


def modules(room: Path) -> set[str]:
    return {path.stem for path in room.glob("*.py")} - {"__init__"}


def listed(room: Path) -> list[str]:
    """The indented names at the beginning of lines of a docstring."""
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""
    return re.findall(r"^    (\w+)  ", said, re.MULTILINE)


@each_room
def test_the_docstring_lists_what_is_in_the_room(room: Path) -> None:
    within = {path.name for path in ROOMS[1:]} if room == HOME else set()
    assert sorted(listed(room)) == sorted(modules(room) | within)


@each_room
def test_a_room_has_few_modules(room: Path) -> None:
    assert 0 < len(modules(room)) <= MOST_MODULES


@each_room
def test_no_module_is_long(room: Path) -> None:
    lines = {path.name: len(path.read_text("utf-8").splitlines()) for path in room.glob("*.py")}
    assert {name: count for name, count in lines.items() if count > LONGEST} == {}
