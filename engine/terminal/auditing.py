"""The audit of a match file, told line by line."""

from __future__ import annotations

from pathlib import Path

from engine.core import GameError
from engine.registry import game_called
from engine.replay import Moment, audit, read_match


def audit_file(path: Path) -> int:
    """Print every entry with its draws, then the verdict; GameError names what is wrong."""
    try:
        file = read_match(path.read_bytes())
    except OSError as error:
        raise GameError(f"cannot read {path}: {error.strerror}") from None
    moments = audit(file)
    game = game_called(file.game)
    for moment in moments:
        print(_line(moment))
    outcome = game.outcome(moments[-1].state)
    print(game.say(outcome.reason) if outcome else "the match is not over")
    print(f"match {file.match}: {len(moments)} entries, every shuffle, throw and step is right")
    return 0


def _line(moment: Moment) -> str:
    entry = moment.entry
    draws = "".join(
        f"  [{draw.kind} {draw.why}: {' '.join(map(str, draw.result))}]" for draw in entry.draws
    )
    return f"{entry.seq:>4} {moment.timeline} {entry.actor:<5} {entry.text or entry.kind}{draws}"
