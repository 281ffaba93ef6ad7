"""14.5: a question in the middle of somebody's turn, with its two or three answers as buttons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.abilities import SheetForm
from engine.core import BadNotation, Text
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.registry import ANSWERS, notate
from engine.east_and_west.report import space_name
from engine.east_and_west.sheet.desk import Desk
from engine.east_and_west.sheet.paper import Offer, Part, Values, amount
from engine.east_and_west.verbs.answers import default_answer
from engine.east_and_west.verbs.losses import (
    Lose,
    hits_by_kind,
    hits_of,
    loss_label,
    possible_losses,
)
from engine.east_and_west.verbs.questions import IN_WORDS, look


def question(desk: Desk) -> Text:
    asked = desk.board.questions[-1]
    if not asked.space:
        return Text("You are asked {question}", {"question": IN_WORDS[asked.kind]})
    return Text(
        "{space}: you are asked {question}",
        {"space": space_name(asked.space), "question": IN_WORDS[asked.kind]},
    )


def parts(desk: Desk) -> Iterator[Part]:
    asked = desk.board.questions[-1]
    is_about_losses = asked.kind in ("losses", "blast")
    offers = [_losses(desk)] if is_about_losses else list(_leaves(desk))
    yield Part("answer", Text("Your answer"), offers=tuple(offers))


def _leaves(desk: Desk) -> Iterator[Offer]:
    """Every answer that is possible, the usual one first."""
    usual = notate(default_answer(desk.state))
    found = [
        (option.action, HEADINGS[verb.word], option.label)
        for verb in ANSWERS
        for option in verb.offer(desk.state, desk.power, ())
        if option.action is not None
    ]
    for action, heading, said in sorted(found, key=lambda one: notate(one[0]) != usual):
        yield _button(action, heading, said)


def _button(action: Any, heading: Text, said: Text) -> Offer:
    form = SheetForm("answer", heading, said, hidden=(("answer", notate(action)),))
    return Offer(form, lambda values: [action])


def _losses(desk: Desk) -> Offer:
    """How many of each kind; the usual losses stand there already."""
    asked = desk.board.questions[-1]
    able = hits_by_kind(possible_losses(look(desk.state), asked))
    usual = dict(default_answer(desk.state).units)
    form = SheetForm(
        "lose",
        Text("Choose losses"),
        Text("Lose these"),
        tuple(
            amount(word, loss_label(word), most, usual.get(word, 0)) for word, most in able.items()
        ),
        notes=(Text("{hits:one hit has|# hits have} to be taken", {"hits": hits_of(asked)}),),
    )

    def orders(values: Values) -> list[Any]:
        lost = values.numbers(able)
        if not lost:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return [Lose(lost)]

    return Offer(form, orders)
