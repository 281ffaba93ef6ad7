"""One recorded match of each game: every observable at every step, compared line by line.

Write the files anew after a change of rules or words, and read the difference:
python -m tests.engine.playthrough
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.chance import QuickDice
from engine.core import LANGUAGES, Game
from engine.registry import GAMES
from engine.replay import Recorder
from engine.terminal.rehearsal import random_order

FOLDER = Path(__file__).parent / "playthroughs"


def playthrough(game: Game[Any, Any, Any]) -> Iterator[str]:
    """The lines of one match, played by the choices of a fixed seed."""
    table, choice = (
        Recorder(game, {}, "playthrough", b"p" * 32, ["", ""]),
        QuickDice(b"playthrough"),
    )
    while waiting := game.waiting_on(table.state):
        seat = min(waiting)
        yield f"# {len(table.entries)} {seat} may begin with"
        yield from _offered(game, table.state, seat)
        order = random_order(game, table.state, seat, choice)
        events = table.play(seat, order)
        yield f"> {order}{'  (final)' if table.final else ''}"
        for event in events:
            heard = "all" if event.audience is None else " ".join(event.audience)
            yield f"  {heard}: {game.say(event.text)}"
    for language in LANGUAGES:
        yield f"# the end, in {language}"
        yield from game.render(game.view(table.state, None), language=language).splitlines()
        yield from game.narrate(game.view(table.state, None), language).splitlines()


def _offered(game: Game[Any, Any, Any], state: Any, seat: Any) -> Iterator[str]:
    for option in game.options(state, seat):
        yield f"  {option.word}: {game.say(option.label)}"
        if option.action is None:
            for second in game.options(state, seat, (option.word,)):
                yield f"    {second.word}: {game.say(second.label)}"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, game in GAMES.items():
        (FOLDER / f"{name}.txt").write_text("\n".join(playthrough(game)) + "\n", "utf-8")


if __name__ == "__main__":
    main()
