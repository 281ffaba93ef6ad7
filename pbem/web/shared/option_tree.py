"""Options on pages: level by level as links and buttons, small levels opened at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from engine.core import Option
from pbem.i18n import spoken, step_by_step
from pbem.services.records.match_rows import MatchRecord

MOST_AT_ONCE = 16
"""Up to so many orders are shown without another click."""
LONGEST_PREFIX = 200

Words = tuple[str, ...]
Tree = Callable[[Words], Sequence[Option[Any]]]
"""What follows some words: `options` or `any_time` of a game, for one state and seat."""


class Leaf(NamedTuple):
    """A whole order."""

    word: str
    label: str
    order: str
    times: int
    """How often the draft holds it already."""
    last: int
    """Where in the draft it stands last; -1 when it is not there."""


class Branch(NamedTuple):
    """A word that needs more words; opened at once when there are few."""

    word: str
    label: str
    prefix: str
    leaves: list[Leaf]


class Step(NamedTuple):
    """One word on the way to here."""

    label: str
    prefix: str


class Level(NamedTuple):
    trail: list[Step]
    branches: list[Branch]
    leaves: list[Leaf]
    is_lost: bool
    """Nothing follows the words that were asked for, so that this is the first level."""


def prefix_of(text: str | None) -> Words:
    return tuple((text or "")[:LONGEST_PREFIX].lower().split())


def level(
    match: MatchRecord,
    tree: Tree,
    prefix: Words,
    draft: Sequence[str] = (),
) -> Level:
    """What can be chosen after some words; a level with one way on is passed through."""
    trail = _trail(match, tree, prefix)
    is_lost = trail is None or not tree(prefix)
    words: Words = () if is_lost else prefix
    trail = [] if is_lost or trail is None else trail
    offered = tree(words)
    while len(offered) == 1 and offered[0].action is None:
        words = (*words, offered[0].word)
        trail.append(Step(_said(match, offered[0]), " ".join(words)))
        offered = tree(words)
    composed = tuple(draft)
    return Level(
        trail,
        _branches(match, tree, words, offered, composed),
        [_leaf(match, words, option, composed) for option in offered if option.action is not None],
        is_lost,
    )


def _trail(match: MatchRecord, tree: Tree, prefix: Words) -> list[Step] | None:
    """The labels of the words so far, or None when they lead nowhere."""
    trail: list[Step] = []
    for number, word in enumerate(prefix):
        option = next((o for o in tree(prefix[:number]) if o.word == word), None)
        if option is None:
            return None
        trail.append(Step(_said(match, option), " ".join(prefix[: number + 1])))
    return trail


def _branches(
    match: MatchRecord,
    tree: Tree,
    words: Words,
    offered: Sequence[Option[Any]],
    draft: tuple[str, ...],
) -> list[Branch]:
    inner = [option for option in offered if option.action is None]
    below = {option.word: tree((*words, option.word)) for option in inner}
    is_small = _can_be_opened([option for options in below.values() for option in options])
    return [
        Branch(
            option.word,
            _said(match, option),
            " ".join((*words, option.word)),
            [_leaf(match, (*words, option.word), leaf, draft) for leaf in below[option.word]]
            if is_small
            else [],
        )
        for option in inner
    ]


def _can_be_opened(below: Sequence[Option[Any]]) -> bool:
    """Few whole orders, no two of which end with the same word."""
    words = {option.word for option in below if option.action is not None}
    return len(words) == len(below) <= MOST_AT_ONCE


def _leaf(match: MatchRecord, words: Words, option: Option[Any], draft: tuple[str, ...]) -> Leaf:
    order = " ".join((*words, option.word))
    last = max((at for at, composed in enumerate(draft) if composed == order), default=-1)
    return Leaf(option.word, _said(match, option), order, draft.count(order), last)


def in_words(match: MatchRecord, tree: Tree, order: str) -> str:
    """An order said with the labels of its words; as it is written where they are unknown."""
    trail = _trail(match, tree, tuple(order.split()))
    return step_by_step(step.label for step in trail) if trail else order


def _said(match: MatchRecord, option: Option[Any]) -> str:
    return match.game.say(option.label, spoken())
