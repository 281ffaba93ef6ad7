"""Who may import whom, where import-linter cannot say it; each rule is also shown a breach."""

import ast
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

Rule = Callable[[Path], set[str]]


def imports(root: Path) -> set[tuple[str, str]]:
    """Every (importer, imported) pair of dotted names in the two packages under this folder."""
    pairs = set()
    for path in [*root.glob("engine/**/*.py"), *root.glob("pbem/**/*.py")]:
        parts = path.relative_to(root).with_suffix("").parts
        importer = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            pairs |= {(importer, name) for name in names(node, parts[:-1])}
    return pairs


def names(node: ast.AST, package: tuple[str, ...]) -> set[str]:
    """The dotted names one statement imports; `from a import b` may mean a.b, so it is both."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if not isinstance(node, ast.ImportFrom):
        return set()
    base = package[: len(package) - node.level + 1] if node.level else ()
    origin = ".".join([*base, *([node.module] if node.module else [])])
    return {origin} | {f"{origin}.{alias.name}" for alias in node.names}


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


def pages_that_reach_tables(root: Path) -> set[str]:
    """Importers in pbem.web that import pbem.db."""
    return {a for a, b in imports(root) if within(a, "pbem.web") and within(b, "pbem.db")}


def senders_beside_the_outbox(root: Path) -> set[str]:
    """Importers of the way to a mail server other than the settings that the outbox is given."""
    ways = ("pbem.mail.transport", "pbem.mail.smtp_client")
    importers = {a for a, b in imports(root) if any(within(b, way) for way in ways)}
    return importers - {"pbem.services.letters.mail_settings", "pbem.mail.transport"}


def guests_of_the_engine(root: Path) -> set[str]:
    """Packages the engine imports that are neither its own, nor standard, nor msgspec."""
    tops = {b.split(".")[0] for a, b in imports(root) if within(a, "engine")}
    return tops - sys.stdlib_module_names - {"engine", "msgspec"}


RULES: list[Rule] = [pages_that_reach_tables, senders_beside_the_outbox, guests_of_the_engine]
BREACHES: list[tuple[Rule, str, str, str]] = [
    (
        pages_that_reach_tables,
        "pbem/web/player/turn_page.py",
        "import pbem.db.models",
        "pbem.web.player.turn_page",
    ),
    (
        pages_that_reach_tables,
        "pbem/web/player/turn_page.py",
        "from pbem.db import models",
        "pbem.web.player.turn_page",
    ),
    (
        pages_that_reach_tables,
        "pbem/web/player/turn_page.py",
        "from ...db.models import Match",
        "pbem.web.player.turn_page",
    ),
    (pages_that_reach_tables, "pbem/web/__init__.py", "from ..db import models", "pbem.web"),
    (
        senders_beside_the_outbox,
        "pbem/services/match/turns.py",
        "def submit():\n    from pbem.mail.transport import Smtp",
        "pbem.services.match.turns",
    ),
    (
        senders_beside_the_outbox,
        "pbem/mail/__init__.py",
        "from .transport import Smtp",
        "pbem.mail",
    ),
    (guests_of_the_engine, "engine/core.py", "import numpy.random", "numpy"),
    (guests_of_the_engine, "engine/chess/rules.py", "from pbem.web import pages", "pbem"),
]


@pytest.mark.whole
@pytest.mark.parametrize("rule", RULES)
def test_the_rule_holds_here(rule: Rule) -> None:
    assert rule(ROOT) == set()


@pytest.mark.parametrize(("rule", "file", "line", "culprit"), BREACHES)
def test_a_breach_is_seen(rule: Rule, file: str, line: str, culprit: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(line)

    assert rule(tmp_path) == {culprit}


def test_what_is_allowed_is_not_called_a_breach(tmp_path: Path) -> None:
    (tmp_path / "pbem" / "services" / "letters").mkdir(parents=True)
    (tmp_path / "engine").mkdir()
    settings = "from pbem.db import models\nfrom pbem.mail.transport import Smtp\n"
    (tmp_path / "pbem" / "services" / "letters" / "mail_settings.py").write_text(settings)
    (tmp_path / "engine" / "core.py").write_text("import json, msgspec\nfrom . import text\n")

    assert [rule(tmp_path) for rule in RULES] == [set(), set(), set()]


@pytest.mark.whole
def test_the_imports_of_this_project_are_really_read() -> None:
    assert ("pbem.web.public.rules", "engine.registry.GAMES") in imports(ROOT)


def test_every_game_is_named_in_the_contract_that_keeps_games_apart() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = {
        contract["id"]: contract for contract in project["tool"]["importlinter"]["contracts"]
    }
    (layer,) = contracts["games-apart"]["layers"]
    games = {path.parent.name for path in (ROOT / "engine").glob("*/RULES.md")}

    assert games
    assert games <= {word.strip(" ()") for word in layer.split("|")}


def test_every_game_keeps_state_and_drawing_in_the_modules_the_contract_names() -> None:
    for rules in (ROOT / "engine").glob("*/RULES.md"):
        assert (rules.parent / "state.py").is_file()
        assert (rules.parent / "draw" / "ascii.py").is_file()
