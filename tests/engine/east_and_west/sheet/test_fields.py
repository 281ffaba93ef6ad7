"""Every field of every form, as the sheet itself lists them: what is wrong is refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from engine.abilities import SheetField, SheetForm
from engine.core import LANGUAGES, BadNotation, GameError, Seat
from engine.east_and_west.state import State
from engine.text import is_printable
from tests.engine.east_and_west.kit import GAME
from tests.engine.east_and_west.sheet.presses import forms, posted
from tests.engine.east_and_west.sheet.test_reach import CASES, STANDING

WRONG = {
    "below zero": "-1",
    "huge": "9" * 400,
    "long": "north " * 400,
    "foreign": "日本",
    "a foreign digit": "٣",
    "half foreign": "atlantis 日本",
    "marks alone": "?!",
    "markup": "<script>alert(1)</script>",
    "controls": "x\x00\u202e",
    "braces": "{0} %s {field}",
}
"""What no field of any kind accepts."""


class Filled(NamedTuple):
    """A form of a sheet, and who looks at it when."""

    state: State
    seat: Seat
    form: SheetForm

    def compose(self, changed: dict[str, str]) -> tuple[str, ...]:
        return GAME.compose(self.state, self.seat, {**self._chosen(), **changed})

    def _chosen(self) -> dict[str, str]:
        """Where something has to be chosen, something is."""
        first = {
            field.name: next(one.value for one in field.values if one.value)
            for field in self.form.fields
            if field.kind == "choice" and not field.value and len(field.values) > 1
        }
        return {**posted(self.form), **first}

    def without(self, name: str) -> tuple[str, ...]:
        left = {key: value for key, value in posted(self.form).items() if key != name}
        return GAME.compose(self.state, self.seat, left)


def every_form() -> Iterator[Filled]:
    """All forms of all stages, with each space chosen that can be; each kind of form once."""
    seen = set[tuple[str, ...]]()
    for position, name, asks, *_ in CASES.values():
        seat = Seat(name)
        for address in _addresses(position, seat, asks):
            for form in forms(GAME.sheet(position, seat, address)):
                kind = (*(one.name for one in form.fields), form.name.split("-")[0])
                if form.fields and kind not in seen:
                    seen.add(kind)
                    yield Filled(position, seat, form)


def _addresses(position: State, seat: Seat, asks: dict[str, str]) -> Iterator[dict[str, str]]:
    yield asks
    for stage in GAME.sheet(position, seat, asks).stages:
        shown = {**asks, "stage": stage.name}
        yield shown
        for space in sorted(GAME.sheet(position, seat, shown).map.open):
            yield {**shown, "at": space}


FORMS = list(every_form())


def test_the_forms_of_all_stages_are_here() -> None:
    names = {filled.form.name for filled in FORMS}
    assert {"spies", "research", "buy", "move", "move-via", "voyage", "raid", "strike"} <= names
    assert {"place", "lose", "then", "forget", *STANDING} <= names
    kinds = {field.kind for filled in FORMS for field in filled.form.fields}
    assert kinds == {"number", "choice", "flag", "text"}


@pytest.mark.parametrize("family", WRONG)
def test_what_no_field_accepts_is_refused_with_the_name_of_the_field(family: str) -> None:
    for filled in FORMS:
        for field in filled.form.fields:
            refused_by_name(filled, field, WRONG[family])


def refused_by_name(filled: Filled, field: SheetField, value: str) -> None:
    where = f"{filled.form.name}, {field.name}: {value[:40]!r}"
    with pytest.raises(BadNotation, match=re.escape(GAME.say(field.label))) as refusal:
        print(where, filled.compose({field.name: value}))
    for language in LANGUAGES:
        words = GAME.say(refusal.value.text, language)
        assert words.startswith(GAME.say(field.label, language)), where
        assert is_printable(words) and len(words) < 600, where


def test_a_field_that_is_missing_gives_orders_or_a_sentence() -> None:
    """A browser leaves out what is not set; a number that is not there is 0."""
    for filled in FORMS:
        for name in [*dict(filled.form.hidden), *(field.name for field in filled.form.fields)]:
            try:
                assert filled.without(name)
            except GameError as refusal:
                assert is_printable(str(refusal)) and "{" not in str(refusal)


@pytest.mark.parametrize("family", WRONG)
def test_what_leads_back_to_a_form_is_refused_or_passed_over(family: str) -> None:
    """A wrong form, stage or power is never taken for another one; a space that is none is none."""
    for filled in FORMS:
        for name in dict(filled.form.hidden):
            if name != "at":
                with pytest.raises(BadNotation, match="now; |none of your powers"):
                    print(filled.form.name, name, filled.compose({name: WRONG[family]}))
