"""A person at a sheet: presses links, fills in forms, and counts what that took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.abilities import Sheet, SheetField, SheetForm, SheetPanel
from engine.chance import QuickDice, SealedDice, SealedThrow
from engine.core import Language, Seat, Step
from engine.east_and_west.state import State
from tests.engine.east_and_west.kit import GAME

STAGES = (
    "spies",
    "research",
    "purchases",
    "attack",
    "battles",
    "moves",
    "placement",
    "standing",
    "later",
)


def forms(sheet: Sheet) -> Iterator[SheetForm]:
    for panel in sheet.panels:
        yield from panel.forms
    if sheet.finish is not None:
        yield sheet.finish


def form(sheet: Sheet, name: str) -> SheetForm:
    found = [form for form in forms(sheet) if form.name == name]
    assert len(found) == 1, f"{name} among {[form.name for form in forms(sheet)]}"
    return found[0]


def panel(sheet: Sheet, name: str) -> SheetPanel:
    return next(panel for panel in sheet.panels if panel.name == name)


def posted(form: SheetForm, **filled: str | int) -> dict[str, str]:
    """What a browser sends: what stood in the form, with what was changed."""
    names = {field.name for field in form.fields}
    wrong = {name.replace("_", "-") for name in filled} - names
    assert not wrong, f"{form.name} has no {wrong}, but {names}"
    standing = {f.name: f.value for f in form.fields if f.kind != "flag" or f.value}
    changed = {name.replace("_", "-"): str(value) for name, value in filled.items()}
    return {**dict(form.hidden), **standing, **changed}


def said(sheet: Sheet, language: Language = "en") -> list[str]:
    """All lines of the panels."""
    return [GAME.say(line, language) for panel in sheet.panels for line in panel.lines]


class Person:
    """Who plays by presses alone; a number or a choice that is changed is one of them."""

    def __init__(self, state: State, seat: str, dice: QuickDice | None = None) -> None:
        self.state, self.seat = state, Seat(seat)
        self.presses = 0
        self.asks: dict[str, str] = {}
        self.orders: list[str] = []
        self._dice = dice or SealedDice()

    @property
    def sheet(self) -> Sheet:
        return GAME.sheet(self.state, self.seat, self.asks)

    def press(self, **asks: str) -> None:
        """A link of the sheet or a space of the map."""
        self.presses += 1
        self.asks = asks

    def fill(self, name: str, **filled: str | int) -> tuple[str, ...]:
        """Fill in a form and press its button; the orders are carried out."""
        self.presses += 1 + len(filled)
        fields = posted(form(self.sheet, name), **filled)
        orders = GAME.compose(self.state, self.seat, fields)
        for order in orders:
            self.state = self._given(order).state
            self.orders.append(order)
        self.asks = {"stage": fields["stage"]}
        return orders

    def _given(self, order: str) -> Step[State]:
        return GAME.apply(self.state, self.seat, GAME.parse(order), self._dice)


# --- at random ------------------------------------------------------------------------------------


def random_asks(state: State, seat: Seat, choice: QuickDice) -> dict[str, str]:
    """An address somebody may press: a stage, perhaps a space of it, perhaps a target."""
    asks = {"stage": STAGES[choice.below(len(STAGES))]}
    sheet = GAME.sheet(state, seat, asks)
    if sheet.map.open and choice.below(5):
        asks["at"] = _drawn(sorted(sheet.map.open), choice)
        targets = sorted(GAME.sheet(state, seat, asks).map.targets)
        if targets and choice.below(2):
            asks["to"] = _drawn(targets, choice)
    return asks


def random_fields(form: SheetForm, choice: QuickDice) -> dict[str, str]:
    """Filled in with values that the form itself offers."""
    drawn = {field.name: _value(field, choice) for field in form.fields}
    return {**dict(form.hidden), **{name: value for name, value in drawn.items() if value != ""}}


def _value(field: SheetField, choice: QuickDice) -> str:
    if field.kind == "number":
        return str(choice.below(field.most + 1)) if choice.below(3) else field.value
    if field.kind == "choice":
        return _drawn([one.value for one in field.values], choice)
    if field.kind == "flag":
        return ("", "on")[choice.below(2)]
    return field.value


def _drawn(items: list[str], choice: QuickDice) -> str:
    return items[choice.below(len(items))]


def applied(state: State, seat: Seat, orders: tuple[str, ...], dice: QuickDice) -> State:
    for order in orders:
        state = GAME.apply(state, seat, GAME.parse(order), dice).state
    return state


def without_dice(state: State, seat: Seat, orders: tuple[str, ...]) -> State:
    """As a draft is tried: what follows from a die is not known."""
    for order in orders:
        try:
            state = GAME.apply(state, seat, GAME.parse(order), SealedDice()).state
        except SealedThrow:
            return state
    return state


def as_told(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in fields.items())
