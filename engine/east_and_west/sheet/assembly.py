"""The whole sheet of a seat, and the orders that a filled form of it stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from engine.abilities import Arrow, Heard, Sheet, SheetField, SheetForm, SheetLink, SheetMap
from engine.core import BadNotation, NotYourTurn, Param, Seat, Text
from engine.east_and_west.data import seating
from engine.east_and_west.data.powers import POWER_NAMES
from engine.east_and_west.orders import wording
from engine.east_and_west.orders.delayed import Then
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.orders.on_behalf import For
from engine.east_and_west.orders.registry import notate, parse
from engine.east_and_west.orders.rules import STOP_NAMES
from engine.east_and_west.sheet import (
    ahead,
    battles,
    intelligence,
    moves,
    stages,
    standing,
    supply,
)
from engine.east_and_west.sheet.desk import Desk, power_of, seen_by
from engine.east_and_west.sheet.paper import (
    Offer,
    Part,
    listed,
    quoted,
    read,
    refilled,
    space_text,
)
from engine.east_and_west.standing import NO_PLAN
from engine.east_and_west.state import State
from engine.east_and_west.verbs.done import LABELS, Done
from engine.east_and_west.verbs.plans import PlanOrder, with_clause
from engine.east_and_west.view import View

FORM, STAGE, AT, FOR = "form", "stage", "at", "for"
FINISH = "finish"
Parts = Callable[[Desk], Iterator[Part]]
OF_STAGE: dict[str, Parts] = {
    "spies": intelligence.spies,
    "research": intelligence.attempts,
    "purchases": supply.purchases,
    "attack": moves.parts,
    "battles": battles.parts,
    "moves": moves.parts,
    "placement": supply.new_units,
    stages.ANSWER: battles.answers,
}
PLANNED = ("attack", "battles")
"""Stages whose map shows the battles that are planned."""
LIST_MARKS = re.compile(r"^\s*(?:[>*•-]\s+)*(?:\d+[.)]\s+)?")


class Draft:
    """A sheet in the making: who looks at which stage, and the board as it may be there."""

    def __init__(
        self,
        state: State,
        seat: Seat,
        asks: Mapping[str, str],
        heard: Heard,
        is_shown: bool = True,
    ) -> None:
        self.seen, self.state = seen_by(state, seat)
        power = power_of(self.seen, asks.get(FOR, ""))
        if power is None or self.seen.board.result is not None:
            raise NotYourTurn("nothing is asked of {seat}", seat=seat)
        self.power = power
        self.stage = stages.shown(self.seen, power, asks.get(STAGE, ""))
        self.is_ahead = (
            self.stage in stages.STOPS and stages.progress(self.seen, power, self.stage) == "ahead"
        )
        self.desk = Desk(self._at_stage(), power, self.stage, asks, heard, self.is_ahead, is_shown)

    def _at_stage(self) -> State:
        if not self.is_ahead:
            return self.state
        return ahead.foreseen(self.state, self.power, stages.STOPS[self.stage][0])

    @property
    def is_out_of_reach(self) -> bool:
        """Whether a stop lies between, which does not end by itself."""
        stop = stages.STOPS[self.stage][0] if self.is_ahead else None
        return stop is not None and not ahead.is_within_reach(
            self.state, self.power, stop, stages.VERBS[self.stage]
        )

    def parts(self) -> Iterator[Part]:
        is_in_advance = self.stage in (stages.LATER, stages.STANDING) or self.is_for_another
        if len(self.seen.powers) > 1 and is_in_advance:
            yield self.other_powers()
        if self.stage == stages.LATER:
            yield from ahead.parts(self.state, self.power)
        elif self.stage == stages.STANDING:
            yield from standing.parts(self.desk)
            if stages.is_at_turn(self.seen, self.power):
                yield from standing.allies(self.desk)
        elif self.is_out_of_reach:
            yield self._first_the_stop_before()
        else:
            yield from (self._as_noted(part) for part in OF_STAGE[self.stage](self.desk))

    def _first_the_stop_before(self) -> Part:
        return Part(
            "before",
            stages.TITLES[self.stage],
            (Text("This can be planned as soon as the stop before it ends by itself."),),
            offers=tuple(ahead.ending(self.state, self.power)),
        )

    def _as_noted(self, part: Part) -> Part:
        """14a.2: ahead of its stop a form has a condition, and its orders wait."""
        if not self.is_ahead:
            return part
        return part._replace(offers=tuple(map(self._waiting, part.offers)))

    @cached_property
    def _condition(self) -> SheetField:
        return ahead.condition(self.state, self.desk)

    def _waiting(self, offer: Offer) -> Offer:
        form = replace(
            offer.form,
            fields=(*offer.form.fields, self._condition),
            button=Text("Note for later: {what}", {"what": offer.form.button}),
        )
        stop = stages.STOPS[self.stage][0]

        def orders(values: Any) -> list[Any]:
            condition = values.chosen(ahead.CONDITION)
            return ahead.noted(self.state, self.desk, stop, offer.orders(values), condition)

        return Offer(form, orders)

    def reminders(self) -> Iterator[Text]:
        """What to think of before the stop is ended that is reached now."""
        if self.finish() is None or self.is_ahead:
            return
        stop = self.desk.board.turn.stop
        if stop in stages.STOPS["purchases"]:
            yield from supply.reminders(self.desk)
        if stop == "intelligence":
            yield from intelligence.reminders(self.desk)
        elif stop == "operations":
            yield from battles.reminders(self.desk)

    def addressed(self, form: SheetForm) -> SheetForm:
        """With all that leads back here."""
        at = ((AT, self.desk.at),) if self.desk.at else ()
        own = ((FOR, self.power),) if self.is_for_another else ()
        return replace(form, hidden=((FORM, form.name), (STAGE, self.stage), *own, *at))

    @property
    def is_for_another(self) -> bool:
        """14a.10: whether a power of this person is meant that is not the one to speak now."""
        return self.power != self.seen.power

    def named(self, action: Any) -> Any:
        return For(self.power, notate(action)) if self.is_for_another else action

    def other_powers(self) -> Part:
        """Whose orders in advance a person who holds several powers can look at."""
        links = [
            SheetLink(
                Text("{power}", {"power": POWER_NAMES[power]}),
                ((STAGE, self.stage), (FOR, power)),
                is_chosen=power == self.power,
            )
            for power in self.seen.powers
        ]
        return Part("powers", Text("For which of your powers"), links=tuple(links))

    def finish(self) -> SheetForm | None:
        if not stages.is_at_turn(self.seen, self.power):
            return None
        label = LABELS[self.state.board.turn.stop]
        return self.addressed(SheetForm(FINISH, Text("End of this stop"), label))


# --- the sheet ------------------------------------------------------------------------------------


def sheet(state: State, seat: Seat, asks: Mapping[str, str], heard: Heard) -> Sheet:
    try:
        draft = Draft(state, seat, asks, heard)
    except NotYourTurn as nothing:
        return Sheet(nothing.text, (), ())
    parts = list(draft.parts())
    panels = [part.panel() for part in parts]
    return Sheet(
        title=_title(draft.seen, draft.power),
        stages=()
        if draft.stage == stages.ANSWER
        else stages.checklist(draft.seen, draft.state, draft.power, draft.stage),
        panels=tuple(
            replace(
                panel,
                forms=tuple(draft.addressed(_looked_at(form, asks)) for form in panel.forms),
            )
            for panel in panels
        ),
        map=_map(draft, parts),
        question=battles.question(draft.desk) if draft.stage == stages.ANSWER else None,
        finish=draft.finish(),
        reminders=tuple(draft.reminders()),
    )


def _looked_at(form: SheetForm, asks: Mapping[str, str]) -> SheetForm:
    """What was filled in before somebody looked stands there again, unfolded."""
    return replace(refilled(form, asks), is_folded=False) if asks.get(FORM) == form.name else form


def _title(seen: View, power: Seat) -> Text:
    board = seen.board
    names: dict[str, Param] = {"power": POWER_NAMES[power], "round": board.round}
    if not stages.is_at_turn(seen, power):
        return Text("{power}, round {round}", names)
    return Text("{power}, round {round}: {stop}", {**names, "stop": STOP_NAMES[board.turn.stop]})


def _map(draft: Draft, parts: Sequence[Part]) -> SheetMap:
    """The links of the panels as spaces to press, and what is planned."""
    desk = draft.desk
    links = [link for part in parts for link in part.links if link.space]
    targets = frozenset(link.space for link in links if "to" in dict(link.asks))
    is_planned = draft.stage in PLANNED and not draft.is_out_of_reach
    departures = desk.board.turn.departures if is_planned else ()
    return SheetMap(
        selected=desk.at,
        open=frozenset(link.space for link in links if "to" not in dict(link.asks)),
        targets=targets,
        arrows=tuple(
            Arrow(one.start, one.target, number, is_attack=True)
            for number, one in enumerate(departures, 1)
        ),
        battles=battles.marks(desk) if is_planned else (),
    )


# --- what a filled form stands for ----------------------------------------------------------------


def compose(state: State, seat: Seat, fields: Mapping[str, str], heard: Heard) -> tuple[str, ...]:
    """In notation; BadNotation and IllegalAction say what would be right."""
    where = {name: fields[name] for name in (STAGE, FOR, AT) if name in fields}
    draft = Draft(state, seat, where, heard, is_shown=False)
    meant = fields.get(FOR, draft.power)
    if meant != draft.power:
        raise BadNotation(
            "'{power}' is none of your powers; yours: {powers}",
            power=quoted(meant),
            powers=", ".join(draft.seen.powers),
        )
    wished = fields.get(STAGE, "")
    if wished and wished != draft.stage:
        raise BadNotation(
            "there is nothing to fill in for '{stage}' now; shown is: {shown}",
            stage=quoted(wished),
            shown=stages.TITLES.get(draft.stage, Text("a question")),
        )
    if fields.get(FORM) == FINISH and draft.finish() is not None:
        return (notate(Done()),)
    offer = _wanted(draft, fields)
    actions = offer.orders(read(offer.form, fields))
    return tuple(notate(draft.named(action)) for action in actions)


def doubts(state: State, seat: Seat) -> dict[str, Text]:
    """Orders for later that could not be carried out as things stand, of all powers of a seat."""
    found: dict[str, Text] = {}
    own = seating.powers(state.board.variant.nato, seat)
    if not any(state.orders(power).later for power in own):
        return found
    seen, known = seen_by(state, seat)
    for power in seen.powers:
        for order, reason in ahead.doubts(known, power):
            then = Then(order.order, order.condition)
            found[notate(then if power == seen.power else For(power, notate(then)))] = reason
    return found


def in_words(state: State, order: str) -> Text:
    """An order in the state in which it is given; a plan as its battle shows it."""
    action = parse(order)
    if not isinstance(action, PlanOrder):
        return wording.in_words(state, order)
    planned = Text(
        "{space}: {stands}", {"space": space_text(action.space), "stands": _said(action)}
    )
    return Text("{order}: {what}", {"order": HEADINGS["plan"], "what": planned})


def _said(action: PlanOrder) -> Text:
    if action.clause == "none":
        return Text("drop the plan")
    if action.clause == "first":
        action = replace(action, number=1)
    (clause,) = battles.plan_words(with_clause(NO_PLAN, action))
    return clause


def _wanted(draft: Draft, fields: Mapping[str, str]) -> Offer:
    """The form that was filled in, as it is now."""
    known = {offer.form.name: offer for part in draft.parts() for offer in part.offers}
    name = fields.get(FORM, "")
    if name not in known:
        raise BadNotation(
            "there is no form '{form}' here now; there is: {forms}",
            form=quoted(name),
            forms=listed(list(known)),
        )
    return known[name]


def pasted(text: str) -> tuple[tuple[int, str], ...]:
    """The orders of a text, each with the number of its line.

    # begins a comment; what lists and quoted letters put before a line is no part of it. They come
    in the order in which they can be given.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        order = " ".join(LIST_MARKS.sub("", line.split("#")[0]).split())
        if order:
            found.append((number, order))
    return ahead.in_one_go(found)
