"""The audit of a match file, told line by line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.audit import audit, head_from, proved_by
from engine.core import GameError
from engine.log import DRAW, REASONS, short
from engine.registry import game_called
from engine.replay import MatchFile, Moment, read_match


def audit_file(path: Path, heads: Sequence[str] = (), may_be_open: bool = False) -> int:
    """Print every entry with its draws and its head, then the verdict; GameError names a fault."""
    try:
        file = read_match(path.read_bytes())
    except OSError as error:
        raise GameError(f"cannot read {path}: {error.strerror}") from None
    known = [head_from(head) for head in heads]
    moments = audit(file, known, may_be_open)
    for moment in moments:
        print(printable(_line(moment)))
    print(printable(_end(file, moments[-1])))
    entries = "1 entry" if len(moments) == 1 else f"{len(moments)} entries"
    told = f"match {file.match}: {entries}, every shuffle, throw and step is right"
    print(printable(told))
    print(_left_open(file, proved_by(file, known)))
    return 0


def printable(words: str) -> str:
    """Without the control characters of a file, which could move the cursor or begin lines."""
    return "".join([letter if letter.isprintable() else "?" for letter in words])


def _end(file: MatchFile, last: Moment) -> str:
    """How the match ended: by its rules in their words, else by whom and with what."""
    game = game_called(file.game)
    outcome = game.outcome(last.state)
    if outcome:
        return game.say(outcome.reason)
    if not file.result:
        return "the match is not over"
    ended = {DRAW: "with a draw"}.get(file.result, f"won by {file.result}")
    return f"the match is over by {REASONS[last.entry.kind]}, {ended}"


def _left_open(file: MatchFile, proved: int) -> str:
    """What the file alone, or with heads up to an entry, cannot show."""
    if not file.is_chained:
        return (
            f"the file has the old format {file.format} without the chain of entries, so orders and"
            " times are not proved; download it again"
        )
    last = file.entries[-1].seq
    if proved == last:
        return "the heads of your letters are in it"
    what = "the whole file" if proved < 0 else f"what comes after entry {proved}"
    return (
        f"to rule out that {what} was written anew, compare the heads with those in your"
        f" letters (--head): entry {last} has {short(file.head)}"
    )


def _line(moment: Moment) -> str:
    entry = moment.entry
    draws = "".join(
        f"  [{draw.kind} {draw.why}: {' '.join(map(str, draw.result))}]" for draw in entry.draws
    )
    head = short(entry.hash)
    order = entry.text or entry.kind
    return f"{entry.seq:>4} {moment.timeline} {head} {entry.actor:<5} {order}{draws}"
