"""14.5: the order `lose`: who takes the hits of a battle or of a bomb."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from engine.core import IllegalAction, Name, Option, Seat, Text
from engine.east_and_west.battle import REACHES, Loss
from engine.east_and_west.board import Question
from engine.east_and_west.combat import agenda, nuclear
from engine.east_and_west.combat.current import combat_of, fight_of
from engine.east_and_west.combat.fight import take_losses, victims
from engine.east_and_west.data.arsenal import BATTLESHIP, kinds
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.execution import Course
from engine.east_and_west.standing import DAMAGE
from engine.east_and_west.state import State
from engine.east_and_west.verbs.questions import Choices, asked, close, look, require

Units = tuple[tuple[str, int], ...]


class Lose(Struct, frozen=True):
    """Which units take the hits; `damage` is the first hit on a battleship."""

    units: Units


class LoseVerb:
    word = "lose"
    action = Lose

    def parse(self, words: Words) -> Lose:
        found: dict[str, int] = {}
        while not found or not words.is_over:
            number = words.number() if words.next_is_number() else 0
            kind = loss_word(words)
            if not number:
                number = words.number() if words.next_is_number() else 1
            found[kind] = found.get(kind, 0) + number
        return Lose(tuple((kind, number) for kind, number in found.items() if number))

    def notate(self, action: Lose) -> str:
        return " ".join(f"{kind} {number}" for kind, number in action.units)

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        question = asked(state, "losses", "blast")
        if question is None:
            return ()
        tally = hits_by_kind(possible_losses(look(state), question))
        chosen = _read(prefix, tally)
        if chosen is None:
            return ()
        return tuple(_next_words(tally, chosen, hits_of(question), prefix))

    def do(self, course: Course, seat: Seat, action: Lose) -> None:
        question = require(course, "losses", "blast")
        possible, hits = possible_losses(course, question), hits_of(question)
        _check(action.units, hits_by_kind(possible), hits)
        losses = [
            loss
            for word, number in action.units
            for loss in [loss for loss in possible if _word(loss) == word][:number]
        ]
        losses.sort(key=lambda loss: not loss.is_damage)
        close(course)
        if question.kind == "blast":
            blast = combat_of(course).blast
            assert blast is not None
            nuclear.take_victims(course, blast, losses)
        else:
            take_losses(course, fight_of(course), losses)
        agenda.run(course)


DAMAGED = Name("damage to a battleship", "Schaden an einem Schlachtschiff", "dommage à un cuirassé")


def loss_word(words: Words) -> str:
    """A kind of unit, or `damage`."""
    if words.next_is(DAMAGE):
        words.skip()
        return DAMAGE
    return words.kind()


def default_losses(course: Course, question: Question) -> Lose:
    """What is lost when nobody has answered in time."""
    losses = possible_losses(course, question)[: hits_of(question)]
    return Lose(tuple(hits_by_kind(losses).items()))


def possible_losses(course: Course, question: Question) -> tuple[Loss, ...]:
    """In the order in which they are lost without an answer."""
    if question.kind == "blast":
        blast = combat_of(course).blast
        assert blast is not None
        return nuclear.victims_in_order(course, blast)
    reach = next(reach for reach in REACHES if reach == question.data["reach"])
    return victims(course, fight_of(course)).takes(reach)


def hits_of(question: Question) -> int:
    hits = question.data["hits"]
    assert isinstance(hits, int)
    return hits


def _word(loss: Loss) -> str:
    return DAMAGE if loss.is_damage else loss.kind


def hits_by_kind(possible: Sequence[Loss]) -> dict[str, int]:
    """How many hits each kind can take, in the usual order."""
    return dict(Counter(_word(loss) for loss in possible))


def _check(units: Units, tally: dict[str, int], hits: int) -> None:
    for word, number in units:
        if number > tally.get(word, 0):
            raise IllegalAction(
                "{number} {kind} cannot be lost here; possible: {possible}",
                number=number,
                kind=loss_label(word),
                possible=", ".join(f"{kind} {n}" for kind, n in tally.items()),
            )
    if sum(number for _, number in units) != hits:
        raise IllegalAction("exactly {hits:one hit has|# hits have} to be taken", hits=hits)
    chosen = dict(units)
    if chosen.get(BATTLESHIP, 0) > _sinkable(tally, chosen.get(DAMAGE, 0)):
        raise IllegalAction("a sound battleship is damaged by the first hit: lose damage")


def _sinkable(tally: dict[str, int], damaged: int) -> int:
    """Battleships that a hit can sink: those damaged before, and now."""
    return tally.get(BATTLESHIP, 0) - tally.get(DAMAGE, 0) + damaged


def loss_label(word: str) -> Text:
    if word == DAMAGE:
        return Text("{kind}", {"kind": DAMAGED})
    return Text("{kind}", {"kind": kinds()[word].names})


def _read(prefix: Sequence[str], tally: dict[str, int]) -> dict[str, int] | None:
    """What has been said so far; the last kind may still be without its number."""
    chosen: dict[str, int] = {}
    for word, number in zip(prefix[::2], prefix[1::2], strict=False):
        if word not in tally or word in chosen or not number.isdigit():
            return None
        chosen[word] = int(number)
    return chosen


def _next_words(
    tally: dict[str, int], chosen: dict[str, int], hits: int, prefix: Sequence[str]
) -> Iterator[Option[Any]]:
    """Kinds in the usual order, then how many; never into a dead end."""
    left = hits - sum(chosen.values())
    order = list(tally)
    begun = [order.index(word) for word in chosen]
    first = max(begun, default=-1) + 1
    if len(prefix) % 2 == 0:
        for at in range(first, len(order)):
            if (
                left
                and sum(_room(tally, chosen, order[at:])) >= left
                and _room(tally, chosen, order[at : at + 1]) != [0]
            ):
                yield Option(order[at], loss_label(order[at]))
        return
    word = prefix[-1]
    if word not in tally or word in chosen or order.index(word) < first:
        return
    later = order[order.index(word) + 1 :]
    for number in range(min(left, *_room(tally, chosen, [word])), 0, -1):
        now = {**chosen, word: number}
        if number + sum(_room(tally, now, later)) >= left:
            is_done = number == left
            yield Option(
                str(number),
                Text("{number}", {"number": number}),
                Lose(tuple(now.items())) if is_done else None,
            )


def _room(tally: dict[str, int], chosen: dict[str, int], rest: Sequence[str]) -> list[int]:
    """How many hits each of the kinds that are left could take."""
    damaged = tally.get(DAMAGE, 0) if DAMAGE in rest else chosen.get(DAMAGE, 0)
    return [_sinkable(tally, damaged) if w == BATTLESHIP else tally[w] for w in rest]
