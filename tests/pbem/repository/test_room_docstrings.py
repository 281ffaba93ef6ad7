"""Rooms: each says in its docstring what is in it, none is crowded, and no module is long."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LONGEST = 450
MOST_MODULES = 14
CROWDED = {"engine/iron_curtain"}
"""Rooms with more modules, each argued for in DECISIONS.md."""
LISTED = re.compile(r"^(?:    (\w+) {2,}|- `(\w+)`: )\S", re.MULTILINE)

Rule = Callable[[Path], set[str]]


def sources(root: Path) -> list[Path]:
    return [*root.glob("engine/**/*.py"), *root.glob("pbem/**/*.py")]


def rooms(root: Path) -> list[Path]:
    return sorted(path.parent for path in sources(root) if path.name == "__init__.py")


def modules(room: Path) -> set[str]:
    """Those that can be imported by name: neither `__main__` nor a numbered migration."""
    names = {path.stem for path in room.glob("*.py")}
    return {name for name in names if name.isidentifier() and not name.startswith("__")}


def docstring(room: Path) -> str:
    return ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8"))) or ""


def badly_listed(root: Path) -> set[str]:
    """What rooms have and do not name in their docstrings, or name twice or without having it."""
    found = set()
    for room in rooms(root):
        inside = modules(room) | {path.parent.name for path in room.glob("*/__init__.py")}
        named = ["".join(pair) for pair in LISTED.findall(docstring(room))]
        twice = {name for name in named if named.count(name) > 1}
        at = room.relative_to(root).as_posix()
        found |= {f"{at}: {name}" for name in inside.symmetric_difference(named) | twice}
    return found


def silent_about_imports(root: Path) -> set[str]:
    """Rooms whose docstrings do not say what they may import."""
    return {
        room.relative_to(root).as_posix()
        for room in rooms(root)
        if not re.search(r"\bimports?\b", docstring(room), re.IGNORECASE)
    }


def long_modules(root: Path) -> set[str]:
    return {
        path.relative_to(root).as_posix()
        for path in sources(root)
        if len(path.read_text("utf-8").splitlines()) > LONGEST
    }


def crowded_rooms(root: Path) -> set[str]:
    counts = {room.relative_to(root).as_posix(): len(modules(room)) for room in rooms(root)}
    return {room for room, count in counts.items() if count > MOST_MODULES} - CROWDED


RULES: list[Rule] = [badly_listed, silent_about_imports, long_modules, crowded_rooms]


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_holds_here(rule: Rule) -> None:
    assert rule(ROOT) == set()


def house(root: Path, said: str, *files: str) -> None:
    """A room `pbem` with this docstring, and further files under the root."""
    for file in ("pbem/__init__.py", *files):
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    (root / "pbem" / "__init__.py").write_text(f'"""{said}"""\n', "utf-8")


GOOD = """A room.

    one    what it does
    two    a room in it

Imports nothing.
"""


@pytest.mark.parametrize(
    ("said", "culprits"),
    [
        (GOOD, set()),
        (GOOD.replace("    one    what it does\n", ""), {"pbem: one"}),
        (GOOD.replace("    two    a room in it\n", ""), {"pbem: two"}),
        (GOOD.replace("    one  ", "    gone  there was\n    one  "), {"pbem: gone"}),
        (GOOD.replace("    one  ", "    one    is here\n    one  "), {"pbem: one"}),
        (GOOD.replace("    one    ", "- `one`: "), set()),
        ("", {"pbem: one", "pbem: two"}),
    ],
)
def test_a_docstring_that_lists_wrongly_is_seen(
    said: str, culprits: set[str], tmp_path: Path
) -> None:
    house(tmp_path, said, "pbem/one.py", "pbem/two/__init__.py", "pbem/__main__.py")

    assert badly_listed(tmp_path) == culprits


def test_numbered_steps_need_not_be_listed(tmp_path: Path) -> None:
    house(tmp_path, "Steps.", "pbem/0001_first.py")

    assert badly_listed(tmp_path) == set()


def test_a_docstring_that_says_nothing_of_imports_is_seen(tmp_path: Path) -> None:
    house(tmp_path, GOOD.replace("Imports nothing.", ""))

    assert silent_about_imports(tmp_path) == {"pbem"}


def test_a_long_module_is_seen_whether_in_a_room_or_not(tmp_path: Path) -> None:
    house(tmp_path, GOOD, "pbem/one.py", "pbem/static/alone.py")
    (tmp_path / "pbem" / "one.py").write_text("1\n" * LONGEST, "utf-8")
    (tmp_path / "pbem" / "static" / "alone.py").write_text("1\n" * (LONGEST + 1), "utf-8")

    assert long_modules(tmp_path) == {"pbem/static/alone.py"}


def test_a_crowded_room_is_seen_unless_it_was_argued_for(tmp_path: Path) -> None:
    house(tmp_path, GOOD, *(f"pbem/number_{number}.py" for number in range(MOST_MODULES)))
    assert crowded_rooms(tmp_path) == set()

    (tmp_path / "pbem" / "one_more.py").write_text("", "utf-8")
    assert crowded_rooms(tmp_path) == {"pbem"}


def test_whoever_may_be_crowded_is_argued_for_and_is() -> None:
    decisions = (ROOT / "DECISIONS.md").read_text("utf-8")
    for room in CROWDED:
        assert len(modules(ROOT / room)) > MOST_MODULES
        assert room in decisions
