"""Epochs: raised in one place, never twice the same, whatever the clock says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import pbem
from pbem.db.store import execute
from pbem.services.records import epochs
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import moderator_at
from pbem.services.records.player_rows import get_player
from pbem.services.staff import moderators
from tests.services.people import NOW, Sitting

CLOCKS = (0, 1, NOW - 400 * 86_400, NOW - 1, NOW, NOW + 1, NOW + 400 * 86_400, 2**40)
WRITES = re.compile(r"\bSET\b.*\b(setup_)?epoch\s*=", re.DOTALL)
UPDATES = re.compile(r"(^|[._])(update|change)$")


def raise_player(sitting: Sitting, now: int) -> int:
    epochs.raise_player(sitting.ann, now)
    return get_player(sitting.ann).epoch


def raise_seat(sitting: Sitting, now: int) -> int:
    epochs.raise_seat(sitting.match, 1, now)
    return get_match(sitting.match).seat(1).epoch


def raise_moderator(sitting: Sitting, now: int) -> int:
    address = "mo@example.org"
    if moderator_at(address) is None:
        moderators.add(address, moderators.MODERATOR, "Mo", now)
    else:
        moderators.reset(address, now)
    found = moderator_at(address)
    assert found is not None
    if now % 2:
        epochs.use_up(found.id, found.setup_epoch)
    return found.setup_epoch


@pytest.mark.parametrize("raised", [raise_player, raise_seat, raise_moderator])
def test_epochs_only_grow_wherever_the_clock_goes(sitting: Sitting, raised: object) -> None:
    assert callable(raised)
    chance, seen = Random(12), list[int]()
    for _ in range(40):
        now = chance.choice(CLOCKS) + chance.randrange(3)
        seen.append(raised(sitting, now))
        assert seen[-1] >= now, "a time, so that a restored one is never given again"
    assert seen == sorted(set(seen))


def test_raising_one_leaves_the_others(sitting: Sitting) -> None:
    epochs.raise_player(sitting.ann, NOW)
    epochs.raise_seat(sitting.match, 1, NOW)

    assert get_player(sitting.ann).epoch == NOW + 1
    assert get_player(sitting.bob).epoch == NOW
    assert [seat.epoch for seat in get_match(sitting.match).seats] == [NOW, NOW + 1]


def test_a_restored_epoch_is_not_given_again(sitting: Sitting) -> None:
    """What was raised after the backup is lost with it, and later ones differ from it."""
    backup = get_player(sitting.ann).epoch
    lost = [raise_player(sitting, NOW + second) for second in (5, 5, 60)]
    execute("UPDATE player SET epoch = ? WHERE id = ?", backup, sitting.ann)

    assert raise_player(sitting, NOW + 90) not in lost


def statements(tree: ast.AST) -> Iterator[str]:
    """The texts of a module; of one that is put together, its fixed parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield " ".join(
                str(part.value) if isinstance(part, ast.Constant) else "?" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def updated(tree: ast.AST) -> Iterator[str]:
    """The columns that a module updates, as `update(column=...)` or `update({column: ...})`."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and UPDATES.search(ast.unparse(call.func)):
            yield from (word.arg or "" for word in call.keywords)
            for given in call.args:
                if isinstance(given, ast.Dict):
                    yield from (ast.unparse(key).rpartition(".")[2] for key in given.keys if key)


def writes_epoch(module: Path) -> bool:
    tree = ast.parse(module.read_text("utf-8"))
    by_model = {"epoch", "setup_epoch"} & set(updated(tree))
    return bool(by_model) or any(WRITES.search(text) for text in statements(tree))


@pytest.mark.parametrize(
    "statement",
    [
        "execute('UPDATE seat SET missed = 0, epoch = ?')",
        "Player.update(name='', epoch=now)",
        "Player.update({Player.epoch: now})",
        "_change(moderator, setup_epoch=now)",
    ],
)
def test_a_statement_that_writes_an_epoch_is_seen(tmp_path: Path, statement: str) -> None:
    module = tmp_path / "module.py"
    module.write_text(statement, "utf-8")
    assert writes_epoch(module)


@pytest.mark.whole
def test_nothing_else_writes_an_epoch() -> None:
    product = Path(pbem.__file__).parent
    modules = [file for file in product.rglob("*.py") if "migrations" not in file.parts]
    writers = {str(file.relative_to(product)) for file in modules if writes_epoch(file)}
    assert writers == {"services/records/epochs.py"}
