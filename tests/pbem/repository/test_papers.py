"""The papers: what they name is there, CONTRIBUTING.md also with functions and commands.

The README names all settings and commands.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click import Group

from pbem.cli import pbem

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
QUOTED = re.compile(r"`([^`\n]+)`")
HOP = re.compile(r"^\| `([^`]+\.py)` \| `([\w.]+)` \|", re.MULTILINE)
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")
FILE = re.compile(r"[\w.]+(/[\w.]+)*\.(py|md|toml)|\.?\w+(/\w[\w.]*)*/?")


Rule = Callable[[str, Path], set[str]]


def defined(source: str) -> set[str]:
    """The names at the top of a module, and those in its classes with the class before them."""
    return set(_names(ast.parse(source).body))


def _names(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield within + node.name
        if isinstance(node, ast.ClassDef):
            yield from _names(node.body, f"{node.name}.")
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from (within + target.id for target in targets if isinstance(target, ast.Name))


def missing_hops(text: str, root: Path) -> set[str]:
    """Rows of a walk whose file does not define the function beside it."""
    return {
        f"{file}: {name}"
        for file, name in HOP.findall(text)
        if not (root / file).is_file() or name not in defined((root / file).read_text("utf-8"))
    }


def missing_paths(text: str, root: Path) -> set[str]:
    """What looks like a file or folder of this repository, in quotes or behind a link."""
    quoted = [name for name in QUOTED.findall(text) if "/" in name or name.endswith((".md", ".py"))]
    linked = re.findall(r"\]\(([^)]+)\)", text)
    local = [name for name in quoted if FILE.fullmatch(name) and name != "draw/"]
    return {name for name in {*local, *linked} if not (root / name).exists()}


def missing_names(text: str, root: Path) -> set[str]:
    """`module.name` that no module of that name defines, and `pbem.module` that is none."""
    known = set[str]()
    for path in [*root.glob("engine/**/*.py"), *root.glob("pbem/**/*.py")]:
        parts = path.relative_to(root).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        known.add(".".join(parts))
        known |= {f"{parts[-1]}.{name}" for name in defined(path.read_text("utf-8"))}
    dotted = {name for name in QUOTED.findall(text) if DOTTED.fullmatch(name)}
    return {name for name in dotted if name not in known and not (root / name).exists()}


def missing_targets(text: str, root: Path) -> set[str]:
    makefile = (root / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    return set(re.findall(r"`make (\w+)", text)) - targets


RULES: list[Rule] = [missing_hops, missing_paths, missing_names, missing_targets]


@pytest.mark.whole
@pytest.mark.parametrize("rule", RULES)
def test_what_it_names_is_there(rule: Rule) -> None:
    assert rule(TEXT, ROOT) == set()


@pytest.mark.whole
@pytest.mark.parametrize(
    ("rule", "line", "missing"),
    [
        (missing_hops, "| `pbem/worker.py` | `jobs` | x |", set()),
        (missing_hops, "| `pbem/mail/lanes.py` | `Lanes.start` | x |", set()),
        (missing_hops, "| `pbem/worker.py` | `gone` | x |", {"pbem/worker.py: gone"}),
        (missing_hops, "| `pbem/gone.py` | `jobs` | x |", {"pbem/gone.py: jobs"}),
        (missing_paths, "`pbem/gone.py`", {"pbem/gone.py"}),
        (missing_paths, "`templates/gone/`", {"templates/gone/"}),
        (missing_paths, "`GONE.md`", {"GONE.md"}),
        (missing_paths, "[gone](docs/GONE.md)", {"docs/GONE.md"}),
        (missing_paths, "`/o/<token>`, `a/b c`, `.ci/run`, `pbem/db/models/`", set()),
        (missing_names, "`worker.gone`", {"worker.gone"}),
        (missing_names, "`pbem.gone`", {"pbem.gone"}),
        (missing_names, "`worker.jobs`, `pbem.db`, `README.md`, `.venv`", set()),
        (missing_targets, "`make run`, `make gone`", {"gone"}),
    ],
)
def test_a_name_that_is_gone_is_seen(rule: Rule, line: str, missing: set[str]) -> None:
    assert rule(line, ROOT) == missing


@pytest.mark.parametrize("paper", ["README.md", "DECISIONS.md", "CHANGELOG.md", "deploy/README.md"])
def test_files_that_other_papers_name_are_there(paper: str) -> None:
    missing = missing_paths((ROOT / paper).read_text("utf-8"), ROOT)
    assert {name for name in missing if not (ROOT / paper).parent.joinpath(name).exists()} == set()


def test_decisions_are_sorted_by_topic_the_newest_first() -> None:
    topics = (ROOT / "DECISIONS.md").read_text("utf-8").split("\n## ")[1:]
    assert len(topics) == 12
    for topic in topics:
        dates = re.findall(r"^### (\d{4}-\d\d-\d\d): ", topic, re.MULTILINE)
        assert dates
        assert dates == sorted(dates, reverse=True)


def test_the_walks_are_really_read() -> None:
    walks = TEXT.split("## Five walks")[1].split("## Words")[0]
    assert [len(HOP.findall(walk)) > 10 for walk in walks.split("### ")[1:]] == [True] * 5
    assert len(HOP.findall(walks)) == walks.count("\n| `")


def test_no_word_is_explained_twice() -> None:
    glossary = TEXT.split("## Words")[1].split("\n## ")[0]
    words = [
        word
        for row in re.findall(r"^\| ([^|]+) \|", glossary, re.MULTILINE)[1:]
        for word in row.split(", ")
    ]
    assert len(words) > 40
    assert len(set(words)) == len(words)


def test_every_room_of_the_services_is_on_the_map() -> None:
    picture = TEXT.split("```mermaid")[1].split("```")[0]
    layers = next(line for line in picture.splitlines() if "--> records" in line)
    rooms = {path.parent.name for path in (ROOT / "pbem" / "services").glob("*/__init__.py")}
    assert set(layers.split()) - {"-->"} == rooms
    for room in (ROOT / "pbem" / "web").glob("*/__init__.py"):
        assert re.search(rf"\b{room.parent.name}\b", picture)


# --- the README ----------------------------------------------------------------------------------


def readme(chapter: str) -> str:
    return (ROOT / "README.md").read_text("utf-8").split(f"\n## {chapter}\n")[1].split("\n## ")[0]


def test_the_readme_explains_every_setting() -> None:
    read = set(re.findall(r'"(PBEM_[A-Z_]+)"', (ROOT / "pbem" / "config.py").read_text("utf-8")))
    first_cells = re.findall(r"^\| (`PBEM_[^|]+) \|", readme("Settings"), re.MULTILINE)
    shown = {name for cell in first_cells for name in re.findall(r"PBEM_[A-Z_]+", cell)}

    assert shown == read - {"PBEM_", "PBEM_SECRET_KEYS_FILE"}


def commands(group: Group, before: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name


def test_the_readme_lists_every_command_and_no_other() -> None:
    listed = set[str]()
    for quoted in QUOTED.findall(readme("The `pbem` command").split("Each says more")[0]):
        words = re.match(r"[a-z|\-]+( [a-z|]+)*", quoted)
        *before, last = words[0].split() if words else [""]
        listed |= {" ".join([*before, name]) for name in last.split("|")}

    assert listed == set(commands(pbem))
