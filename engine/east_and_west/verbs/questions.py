"""14.5: the question at hand: what it is about, and that it has been answered."""

from __future__ import annotations

from typing import Any

from engine.chance import SealedDice
from engine.core import IllegalAction, Option, Text
from engine.east_and_west.board import Question
from engine.east_and_west.execution import Course
from engine.east_and_west.state import State

Choices = tuple[Option[Any], ...]
IN_WORDS = {
    "losses": Text("which units are lost: lose KIND NUMBER ..."),
    "blast": Text("which units are lost: lose KIND NUMBER ..."),
    "target": Text("what the guns shoot at: target aircraft or target armor"),
    "submarines": Text("what the submarines do: stay, submerge or retreat ZONE"),
    "retreat": Text("whether the battle goes on: fight or retreat SPACE"),
    "share": Text("whether the technology is shared: share yes or share no"),
}
"""What each question is about, and how it is answered."""


def asked(state: State, *about: str) -> Question | None:
    """The question at hand, if it is one of these."""
    questions = state.board.questions
    return questions[-1] if questions and questions[-1].kind in about else None


def require(course: Course, *about: str) -> Question:
    question = asked(course.state, *about)
    if question is None:
        at_hand = course.board.questions
        if not at_hand:
            raise IllegalAction("you are not asked anything")
        raise IllegalAction("you are asked {question}", question=IN_WORDS[at_hand[-1].kind])
    return question


def close(course: Course) -> None:
    course.update(questions=course.board.questions[:-1])


def look(state: State) -> Course:
    """To ask what a battle looks like; nothing is rolled."""
    return Course(state, SealedDice())
