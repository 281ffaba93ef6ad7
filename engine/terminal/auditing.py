"""The audit of a match file, told line by line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.audit import audit, head_from
from engine.core import GameError
from engine.log import short
from engine.registry import game_called
from engine.replay import MatchFile, Moment, read_match


def audit_file(path: Path, heads: Sequence[str] = (), may_be_open: bool = False) -> int:
    """Print every entry with its draws and its head, then the verdict; GameError names a fault."""
    try:
        file = read_match(path.read_bytes())
    except OSError as error:
        raise GameError(f"cannot read {path}: {error.strerror}") from None
    moments = audit(file, [head_from(head) for head in heads], may_be_open)
    game = game_called(file.game)
    for moment in moments:
        print(_line(moment))
    outcome = game.outcome(moments[-1].state)
    print(game.say(outcome.reason) if outcome else "the match is not over")
    print(f"match {file.match}: {len(moments)} entries, every shuffle, throw and step is right")
    print(_left_open(file, heads))
    return 0


def _left_open(file: MatchFile, heads: Sequence[str]) -> str:
    """What the file alone cannot show."""
    if not file.is_chained:
        return (
            f"the file has the old format {file.format} without the chain of entries, so times are"
            " not proved; download it again"
        )
    if heads:
        return "the heads of your letters are in it"
    return (
        "to rule out that the whole file was written anew, compare the heads with those in your"
        f" letters (--head): entry {file.entries[-1].seq} has {short(file.head)}"
    )


def _line(moment: Moment) -> str:
    entry = moment.entry
    draws = "".join(
        f"  [{draw.kind} {draw.why}: {' '.join(map(str, draw.result))}]" for draw in entry.draws
    )
    head = short(entry.hash)
    order = entry.text or entry.kind
    return f"{entry.seq:>4} {moment.timeline} {head} {entry.actor:<5} {order}{draws}"
