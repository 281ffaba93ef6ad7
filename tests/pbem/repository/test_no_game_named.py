"""The service hosts any game: it asks by type (engine/abilities/) and knows none by its name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.registry import GAMES, AnyGame

ROOT = Path(__file__).parents[3]


def names(game: AnyGame) -> set[str]:
    """What a game is called in Python, in addresses and by people."""
    titles = {game.title.en, game.title.en.replace("&", "&amp;")}
    return {name.lower() for name in (game.name, type(game).__name__, *titles)}


def naming(root: Path, game: AnyGame) -> Iterator[str]:
    """The lines of the service that name a game."""
    for path in sorted([*root.glob("pbem/**/*"), *root.glob("templates/**/*")]):
        if not path.is_file() or path.suffix == ".pyc":
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if any(name in line.lower() for name in names(game)):
                yield f"{path.relative_to(root)}:{number}"


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_the_service_names_no_game(game: AnyGame) -> None:
    assert list(naming(ROOT, game)) == []


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_a_name_would_be_found(game: AnyGame, tmp_path: Path) -> None:
    page, service = tmp_path / "templates/web/home.html", tmp_path / "pbem/services/demo.py"
    for path in (page, service):
        path.parent.mkdir(parents=True)
    page.write_text(f"<p>\n{game.title.en}</p>")
    service.write_text(f'if name == "{game.name}":\n    return {type(game).__name__}()\n')

    assert list(naming(tmp_path, game)) == [
        "pbem/services/demo.py:1",
        "pbem/services/demo.py:2",
        "templates/web/home.html:2",
    ]
