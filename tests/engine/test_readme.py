"""engine/README.md: its files exist, its quotations are in the source, its tables are complete."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

import engine
from engine import abilities, sparring, versions
from engine.abilities import Sparring
from tests.games.stones import game as stones

HOME = Path(engine.__file__).parent
TEXT = (HOME / "README.md").read_text("utf-8")
LINK = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)")
QUOTED = re.compile(r"^ *```python\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
MOST_LINES = 250


def test_every_file_it_links_to_exists_under_the_name_it_gives() -> None:
    links = LINK.findall(TEXT)
    assert len(links) > 10
    for name, target in links:
        assert (HOME / target).resolve() == (HOME.parent / name).resolve()
        assert (HOME / target).exists(), name


def test_every_module_of_the_engine_is_in_its_list() -> None:
    listed = set(re.findall(r"^(\w+\.py|\w+/) ", TEXT.split("```")[1], re.MULTILINE))
    modules = {path.name for path in HOME.glob("*.py") if not path.name.startswith("__")}
    folders = {f"{path.name}/" for path in HOME.iterdir() if (path / "__init__.py").is_file()}
    assert listed == modules | folders


def test_what_it_quotes_is_in_the_example() -> None:
    source = inspect.getsource(stones)
    quotations = [textwrap.dedent(quoted) for quoted in QUOTED.findall(TEXT)]
    assert len(quotations) == 3
    for quoted in quotations:
        assert all(line in source for line in quoted.splitlines())


def test_the_table_of_abilities_has_all_of_them_with_their_members() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \| ([`\w, ]+) \|", TEXT, re.MULTILINE))
    found = {
        name: ", ".join(f"`{member}`" for member in sorted(kind.__abstractmethods__))
        for module in (abilities, sparring, versions)
        for name, kind in inspect.getmembers(module, inspect.isabstract)
        if kind.__module__.startswith(module.__name__) and kind is not Sparring
    }
    assert listed == found


def test_the_example_stays_small() -> None:
    files = [path for path in Path(stones.__file__).parent.iterdir() if path.is_file()]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in files) <= MOST_LINES
