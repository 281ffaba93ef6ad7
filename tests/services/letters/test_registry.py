"""One row for each kind of letter: no folder of templates and no queued letter without its row."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from pbem.config import templates_folder
from pbem.services.letters.kinds import registry
from pbem.services.letters.kinds.kind import LetterKind

ROOT = Path(__file__).parents[3]
KIND_ARGUMENT = {"to_seat": 2, "to_all_seats": 1, "to_player": 2, "QueuedLetter": 0}
"""Where the functions of the queue have the kind."""
QUEUE = "letter_queue"


def rows() -> list[LetterKind]:
    return [kind for family in registry.FAMILIES for kind in family.KINDS]


def test_no_kind_has_two_rows() -> None:
    assert [
        name for name, count in Counter(kind.name for kind in rows()).items() if count > 1
    ] == []


def test_every_folder_of_templates_has_a_row_and_every_row_a_folder() -> None:
    folders = {path.name for path in (templates_folder() / "emails").iterdir() if path.is_dir()}

    assert folders - {"_base"} == {kind.name for kind in rows()}


def test_every_kind_that_is_queued_has_a_row_and_every_row_is_queued() -> None:
    paths = ROOT.glob("pbem/**/*.py")
    modules = [path for path in paths if path.stem == QUEUE or QUEUE in path.read_text("utf-8")]
    queued = {kind for path in modules for kind in kinds_queued_in(path)}

    assert queued == {kind.name for kind in rows()}


def kinds_queued_in(path: Path) -> Iterator[str]:
    """The kinds that a module queues, wherever it says which."""
    tree = ast.parse(path.read_text("utf-8"))
    for function, call in calls_in(tree):
        room, _, name = ast.unparse(call.func).rpartition(".")
        if name not in KIND_ARGUMENT or (room != QUEUE and path.stem != QUEUE):
            continue
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        kind = given.get("kind") or call.args[KIND_ARGUMENT[name]]
        if path.stem != QUEUE or isinstance(kind, ast.Constant):  # its own functions take any kind
            yield from values_of(kind, function, tree, path)


def calls_in(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Call):
                    yield function, node


def values_of(
    kind: ast.expr, function: ast.FunctionDef, tree: ast.Module, path: Path
) -> Iterator[str]:
    """What is written there; for an argument of the function, what its callers write."""
    if isinstance(kind, ast.Constant):
        yield str(kind.value)
        return
    assert isinstance(kind, ast.Name), f"{path}: the kind {ast.unparse(kind)} cannot be read"
    parameters = [argument.arg for argument in function.args.args]
    if kind.id not in parameters:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield str(getattr(import_module(module), kind.id))
        return
    callers = [pair for pair in calls_in(tree) if ast.unparse(pair[1].func) == function.name]
    assert callers, f"{path}: nobody says which kind {function.name} queues"
    for caller, call in callers:
        yield from values_of(call.args[parameters.index(kind.id)], caller, tree, path)


def test_a_kind_without_a_row_would_be_found(tmp_path: Path) -> None:
    module = tmp_path / "teasing.py"
    module.write_text(
        "def tease(match, seat):\n    letter_queue.to_seat(match, seat, 'tease', 'x')\n"
        "def _each(match, kind):\n    letter_queue.to_all_seats(match, kind, 'x')\n"
        "def nag(match):\n    _each(match, 'nag')\n"
    )

    assert set(kinds_queued_in(module)) == {"tease", "nag"}


# --- what the rows say ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", rows(), ids=lambda kind: kind.name)
def test_whoever_lost_a_seat_reads_no_position_of_it(kind: LetterKind) -> None:
    """Kinds that show a board are for who holds the seat; an offer shows what all may see."""
    text = (templates_folder() / "emails" / kind.name / "body.txt").read_text("utf-8")
    is_about_a_person = kind.name in ("reminder", "stand_in")
    if kind.name == "checkup":  # its boards are samples of nobody's match
        text = text.replace("sample.board.", "")

    assert "board." not in text or kind.is_for_holder or is_about_a_person
    assert "board." not in text or not kind.is_open


def test_letters_that_nobody_asked_for() -> None:
    assert sorted(registry.UNASKED) == ["confirm", "invitation", "keep_match", "stand_in", "you"]
