"""14.5: answers of whoever is asked in the middle of a battle; the usual one is offered first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from engine.chance import SealedDice
from engine.core import IllegalAction, Option, Seat, Text
from engine.east_and_west import combat, nuclear, turns
from engine.east_and_west import fight as fights
from engine.east_and_west.arsenal import BATTLESHIP, kinds
from engine.east_and_west.battle import REACHES, Loss
from engine.east_and_west.board import Question
from engine.east_and_west.course import Course
from engine.east_and_west.lexicon import Words
from engine.east_and_west.report import space_name
from engine.east_and_west.retreats import exits
from engine.east_and_west.standing import DAMAGE
from engine.east_and_west.state import State

Choices = tuple[Option[Any], ...]
Units = tuple[tuple[str, int], ...]

IN_WORDS = {
    "losses": Text("which units are lost: lose KIND NUMBER ..."),
    "blast": Text("which units are lost: lose KIND NUMBER ..."),
    "target": Text("what the guns shoot at: target aircraft or target armor"),
    "submarines": Text("what the submarines do: stay, submerge or retreat ZONE"),
    "retreat": Text("whether the battle goes on: fight or retreat SPACE"),
    "share": Text("whether the technology is shared: share yes or share no"),
}
"""What each question is about, and how it is answered."""


# --- asking and going on --------------------------------------------------------------------------


def asked(state: State, *about: str) -> Question | None:
    """The question at hand, if it is one of these."""
    questions = state.board.questions
    return questions[-1] if questions and questions[-1].kind in about else None


def _require(course: Course, *about: str) -> Question:
    question = asked(course.state, *about)
    if question is None:
        at_hand = course.board.questions
        if not at_hand:
            raise IllegalAction("you are not asked anything")
        raise IllegalAction("you are asked {question}", question=IN_WORDS[at_hand[-1].kind])
    return question


def _close(course: Course) -> None:
    course.update(questions=course.board.questions[:-1])


def _look(state: State) -> Course:
    """To ask what a battle looks like; nothing is rolled."""
    return Course(state, SealedDice())


# --- losses ---------------------------------------------------------------------------------------


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
        tally = _tally(possible_losses(_look(state), question))
        chosen = _read(prefix, tally)
        if chosen is None:
            return ()
        return tuple(_next_words(tally, chosen, _hits(question), prefix))

    def do(self, course: Course, seat: Seat, action: Lose) -> None:
        question = _require(course, "losses", "blast")
        possible, hits = possible_losses(course, question), _hits(question)
        _check(action.units, _tally(possible), hits)
        losses = [
            loss
            for word, number in action.units
            for loss in [loss for loss in possible if _word(loss) == word][:number]
        ]
        losses.sort(key=lambda loss: not loss.is_damage)
        _close(course)
        if question.kind == "blast":
            blast = fights.combat_of(course).blast
            assert blast is not None
            nuclear.take_victims(course, blast, losses)
        else:
            fights.take_losses(course, fights.fight_of(course), losses)
        combat.run(course)


def loss_word(words: Words) -> str:
    """A kind of unit, or `damage`."""
    if words.next_is(DAMAGE):
        words.skip()
        return DAMAGE
    return words.kind()


def possible_losses(course: Course, question: Question) -> tuple[Loss, ...]:
    """In the order in which they are lost without an answer."""
    if question.kind == "blast":
        blast = fights.combat_of(course).blast
        assert blast is not None
        return nuclear.victims_in_order(course, blast)
    reach = next(reach for reach in REACHES if reach == question.data["reach"])
    return fights.victims(course, fights.fight_of(course)).takes(reach)


def _hits(question: Question) -> int:
    hits = question.data["hits"]
    assert isinstance(hits, int)
    return hits


def _word(loss: Loss) -> str:
    return DAMAGE if loss.is_damage else loss.kind


def _tally(possible: Sequence[Loss]) -> dict[str, int]:
    """How many hits each kind can take, in the usual order."""
    return dict(Counter(_word(loss) for loss in possible))


def _check(units: Units, tally: dict[str, int], hits: int) -> None:
    for word, number in units:
        if number > tally.get(word, 0):
            raise IllegalAction(
                "{number} {kind} cannot be lost here; possible: {possible}",
                number=number,
                kind=_label(word),
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


def _label(word: str) -> Text:
    if word == DAMAGE:
        return Text("damage to a battleship")
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
                yield Option(order[at], _label(order[at]))
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


# --- guns -----------------------------------------------------------------------------------------


class AimAt(Struct, frozen=True):
    """7.5: what the salvo is aimed at."""

    target: Literal["aircraft", "armor"]


class TargetVerb:
    word = "target"
    action = AimAt

    def parse(self, words: Words) -> AimAt:
        return AimAt("aircraft" if words.word("aircraft", "armor") == "aircraft" else "armor")

    def notate(self, action: AimAt) -> str:
        return action.target

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        question = asked(state, "target")
        if question is None or prefix:
            return ()
        usual = fights.usual_target(_look(state), question.space)
        labels = {"aircraft": Text("the aircraft"), "armor": Text("the armor")}
        both = (AimAt("aircraft"), AimAt("armor"))
        return tuple(
            Option(aim.target, labels[aim.target], aim)
            for aim in sorted(both, key=lambda aim: aim.target != usual)
        )

    def do(self, course: Course, seat: Seat, action: AimAt) -> None:
        _require(course, "target")
        _close(course)
        fights.answer_target(course, action.target)
        combat.run(course)


# --- submarines and retreat -----------------------------------------------------------------------


class Stay(Struct, frozen=True):
    """7.10: the submarines stay in the battle."""


class Submerge(Struct, frozen=True, omit_defaults=True):
    """7.10: submarines leave the battle where they are; 0: all of them."""

    number: int = 0


class Retreat(Struct, frozen=True):
    """7.9, 7.10: to a space, or only the aircraft."""

    space: str


class FightOn(Struct, frozen=True):
    """7.9: another round."""


class StayVerb:
    word = "stay"
    action = Stay

    def parse(self, words: Words) -> Stay:
        return Stay()

    def notate(self, action: Stay) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "submarines") is None:
            return ()
        return (Option("", Text("The submarines stay in the battle"), Stay()),)

    def do(self, course: Course, seat: Seat, action: Stay) -> None:
        question = _require(course, "submarines")
        _close(course)
        fights.answer_submarines(course, question.seat, "", 0)
        combat.run(course)


class SubmergeVerb:
    word = "submerge"
    action = Submerge

    def parse(self, words: Words) -> Submerge:
        return Submerge(words.number() if words.next_is_number() else 0)

    def notate(self, action: Submerge) -> str:
        return str(action.number) if action.number else ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        question = asked(state, "submarines")
        if question is None or prefix:
            return ()
        there = _submarines(_look(state), question)
        if there == 1:
            return (Option("", Text("The submarine submerges"), Submerge()),)
        return tuple(
            Option(
                str(n),
                Text("{number:# submarine submerges|# submarines submerge}", {"number": n}),
                Submerge(n),
            )
            for n in range(there, 0, -1)
        )

    def do(self, course: Course, seat: Seat, action: Submerge) -> None:
        question = _require(course, "submarines")
        there = _submarines(course, question)
        if action.number > there:
            raise IllegalAction(
                "submarines that can submerge: {there}, not {number}",
                number=action.number,
                there=there,
            )
        _close(course)
        fights.answer_submarines(course, question.seat, "", action.number or there)
        combat.run(course)


def _submarines(course: Course, question: Question) -> int:
    return fights.submarines(course, question.seat, fights.fight_of(course))


class RetreatVerb:
    word = "retreat"
    action = Retreat

    def parse(self, words: Words) -> Retreat:
        if words.next_is(fights.AIR):
            words.skip()
            return Retreat(fights.AIR)
        return Retreat(words.space())

    def notate(self, action: Retreat) -> str:
        return action.space

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix:
            return ()
        return tuple(Option(way, _way(way), Retreat(way)) for way in ways(_look(state)))

    def do(self, course: Course, seat: Seat, action: Retreat) -> None:
        question = _require(course, "submarines", "retreat")
        open_ways = ways(course)
        if action.space not in open_ways:
            raise IllegalAction(
                "there is no retreat to {space}; possible: {ways}",
                space=_way(action.space),
                ways=", ".join(open_ways),
            )
        _close(course)
        if question.kind == "submarines":
            there = _submarines(course, question)
            fights.answer_submarines(course, question.seat, action.space, there)
        else:
            fights.retreat(course, action.space)
        combat.run(course)


def ways(course: Course) -> tuple[str, ...]:
    """Where those who are asked may go."""
    if question := asked(course.state, "submarines"):
        return exits(course.board, question.seat, question.space)
    if asked(course.state, "retreat"):
        return fights.ways_out(course, fights.fight_of(course))
    return ()


def _way(way: str) -> Text:
    if way == fights.AIR:
        return Text("the aircraft alone")
    return Text("{space}", {"space": space_name(way)})


class FightVerb:
    word = "fight"
    action = FightOn

    def parse(self, words: Words) -> FightOn:
        return FightOn()

    def notate(self, action: FightOn) -> str:
        return ""

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "retreat") is None:
            return ()
        return (Option("", Text("Fight another round"), FightOn()),)

    def do(self, course: Course, seat: Seat, action: FightOn) -> None:
        _require(course, "retreat")
        _close(course)
        fights.fight_on(course)
        combat.run(course)


# --- consent --------------------------------------------------------------------------------------


class Share(Struct, frozen=True):
    """5.7: whether an ally gets half a step."""

    is_given: bool


class ShareVerb:
    word = "share"
    action = Share

    def parse(self, words: Words) -> Share:
        return Share(words.word("yes", "no") == "yes")

    def notate(self, action: Share) -> str:
        return "yes" if action.is_given else "no"

    def offer(self, state: State, seat: Seat, prefix: tuple[str, ...]) -> Choices:
        if prefix or asked(state, "share") is None:
            return ()
        return (
            Option("yes", Text("Give the half step"), Share(is_given=True)),
            Option("no", Text("Do not give it"), Share(is_given=False)),
        )

    def do(self, course: Course, seat: Seat, action: Share) -> None:
        _require(course, "share")
        turns.answer_share(course, action.is_given)


# --- the clock ------------------------------------------------------------------------------------


def default_answer(state: State) -> Any:
    """14.5: what applies when nobody has answered in time."""
    question = state.board.questions[-1]
    course = _look(state)
    if question.kind in ("losses", "blast"):
        losses = possible_losses(course, question)[: _hits(question)]
        return Lose(tuple(Counter(_word(loss) for loss in losses).items()))
    if question.kind == "target":
        return AimAt(
            "armor" if fights.usual_target(course, question.space) == "armor" else "aircraft"
        )
    if question.kind == "submarines":
        way = fights.usual_dive(course, question.seat, fights.fight_of(course))
        if way is None:
            return Stay()
        return Retreat(way) if way else Submerge()
    return FightOn() if question.kind == "retreat" else Share(is_given=True)


VERBS = (
    LoseVerb(),
    StayVerb(),
    SubmergeVerb(),
    RetreatVerb(),
    FightVerb(),
    TargetVerb(),
    ShareVerb(),
)
