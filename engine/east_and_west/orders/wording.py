"""Orders said to people: what the verb is for, and the names of what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.core import LANGUAGES, Name, Text
from engine.east_and_west.data.arsenal import counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.registry import notate, parse
from engine.east_and_west.standing import DAMAGE
from engine.east_and_west.state import State
from engine.east_and_west.verbs.done import DONE, LABELS
from engine.east_and_west.verbs.losses import DAMAGED, Lose


def in_words(state: State, order: str) -> Text:
    """An order in the state in which it is given."""
    action = parse(order)
    verb, *words = notate(action).split()
    if isinstance(action, Lose):
        return Text("{order}: {what}", {"order": HEADINGS[verb], "what": tuple(_lost(action))})
    if verb == DONE.word:
        return LABELS[state.board.turn.stop]
    if not words:
        return HEADINGS[verb]
    named = list(_named(words))
    what = Name(*(" ".join(name.in_(language) for name in named) for language in LANGUAGES))
    return Text("{order}: {what}", {"order": HEADINGS[verb], "what": what})


def _lost(action: Lose) -> Iterator[Name]:
    for word, number in action.units:
        if word == DAMAGE:
            yield from [DAMAGED] * number
        else:
            yield counted(word, number)


def _named(words: Sequence[str]) -> Iterator[Name]:
    """Spaces and units by their names, a number with its unit; other words as they are typed."""
    for before, word, after in zip(("", *words), words, (*words[1:], ""), strict=False):
        if word.isdecimal() and after in kinds():
            continue
        if word in kinds():
            yield counted(word, int(before)) if before.isdecimal() else kinds()[word].names
        elif word in atlas().spaces:
            yield atlas().spaces[word].names
        else:
            yield Name(word, word, word)
