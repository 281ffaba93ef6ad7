"""Forms as they are built and read: what a field offers is what it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from engine.abilities import (
    SheetField,
    SheetForm,
    SheetLink,
    SheetPanel,
    SheetTrack,
    SheetValue,
)
from engine.core import BadNotation, Name, Text
from engine.east_and_west.data.arsenal import counted, kinds
from engine.east_and_west.report import space_name
from engine.text import printable

T = TypeVar("T")
LONGEST_QUOTED = 40
LONGEST_TEXT = 200
MOST_LISTED = 12
ON = "on"
NOTHING = ""
OPEN = SheetValue(NOTHING, Text("choose"))
"""The first value of a choice that has to be made."""


class Values:
    """What was filled in, found to be right."""

    def __init__(self, form: SheetForm, found: Mapping[str, str | int]) -> None:
        self._labels = {field.name: field.label for field in form.fields}
        self._found = found

    def number(self, field: str) -> int:
        return int(self._found.get(field, 0))

    def chosen(self, field: str) -> str:
        return str(self._found.get(field, ""))

    def read_as(self, field: str, reader: Callable[[str], T]) -> T:
        """What a typed text means; an error names its field."""
        try:
            return reader(self.chosen(field))
        except BadNotation as error:
            label = self._labels[field]
            raise BadNotation("{field}: {reason}", field=label, reason=error.text) from error

    def is_set(self, field: str) -> bool:
        return self._found.get(field) == ON

    def numbers(self, among: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Those of some fields in which more than 0 stands."""
        return tuple((name, self.number(name)) for name in among if self.number(name))

    def units(self, among: Iterable[str]) -> tuple[tuple[str, int], ...]:
        """Those of some kinds of unit; BadNotation if there is none."""
        found = self.numbers(cheapest_first(among))
        if not found:
            raise BadNotation("nothing is chosen; choose {what}", what=Text("a number of units"))
        return found


class Offer(NamedTuple):
    """A form, and the orders that it stands for when it is filled in."""

    form: SheetForm
    orders: Callable[[Values], list[Any]]


class Part(NamedTuple):
    """A panel in the making: its forms still know their orders."""

    name: str
    title: Text
    lines: tuple[Text, ...] = ()
    tracks: tuple[SheetTrack, ...] = ()
    links: tuple[SheetLink, ...] = ()
    offers: tuple[Offer, ...] = ()
    warning: Text | None = None
    is_folded: bool = False

    def panel(self) -> SheetPanel:
        return SheetPanel(
            self.name,
            self.title,
            self.lines,
            self.tracks,
            self.links,
            tuple(offer.form for offer in self.offers),
            self.warning,
            self.is_folded,
        )


# --- fields ---------------------------------------------------------------------------------------


def amount(
    name: str, label: Text, most: int, value: int = 0, note: Text | None = None
) -> SheetField:
    return SheetField(name, label, "number", str(value), most, _worth_a_button(most), note)


def count_of(
    name: str, label: Text, most: int, value: int = 0, note: Text | None = None
) -> SheetField:
    """An amount without a button for all of it."""
    return replace(amount(name, label, most, value, note), values=())


def _worth_a_button(most: int) -> tuple[SheetValue, ...]:
    if most < 1:
        return ()
    every = SheetValue(str(most), Text("all"))
    return (every, SheetValue(str(most - 1), Text("all but one"))) if most > 1 else (every,)


def units(able: Mapping[str, int], filled: Mapping[str, int] | None = None) -> list[SheetField]:
    """A number for each kind of unit."""
    return [
        amount(kind, kind_text(kind), able[kind], min(able[kind], (filled or {}).get(kind, 0)))
        for kind in cheapest_first(able)
    ]


def cheapest_first(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda kind: (kinds()[kind].cost, kind))


def choice(
    name: str,
    label: Text,
    values: Iterable[SheetValue],
    value: str = NOTHING,
    note: Text | None = None,
) -> SheetField:
    """What stands in it is one of its values, the first unless another is said."""
    every = tuple(values)
    known = [one.value for one in every]
    return SheetField(
        name, label, "choice", value if value in known else "".join(known[:1]), 0, every, note
    )


def must_choose(
    name: str, label: Text, values: Iterable[SheetValue], value: str = NOTHING
) -> SheetField:
    """A choice in which nothing stands before somebody has chosen."""
    return choice(name, label, [OPEN, *values], value)


def flag(name: str, label: Text, is_set: bool = False, note: Text | None = None) -> SheetField:
    return SheetField(name, label, "flag", ON if is_set else "", note=note)


def typed(name: str, label: Text, value: str = "", note: Text | None = None) -> SheetField:
    return SheetField(name, label, "text", value, note=note)


def nothing(label: Text) -> SheetValue:
    """The value of a choice that leaves things as they are."""
    return SheetValue(NOTHING, label)


def spaces(keys: Iterable[str]) -> list[SheetValue]:
    return [SheetValue(key, space_text(key)) for key in keys]


def space_text(space: str) -> Text:
    return Text("{space}", {"space": space_name(space)})


def kind_text(kind: str) -> Text:
    return Text("{kind}", {"kind": kinds()[kind].names})


def units_text(counts: Iterable[tuple[str, int]]) -> Text:
    named: tuple[Name, ...] = tuple(counted(kind, number) for kind, number in counts if number)
    return Text("{units}", {"units": named}) if named else Text("nothing")


# --- reading --------------------------------------------------------------------------------------


def read(form: SheetForm, fields: Mapping[str, str]) -> Values:
    """What was filled in; BadNotation names the first field that is wrong and says what is right.

    A number that is missing is 0, a flag that is missing is not set, as browsers send them.
    """
    found = {field.name: _read(field, fields.get(field.name)) for field in form.fields}
    return Values(form, found)


def _read(field: SheetField, said: str | None) -> str | int:
    match field.kind:
        case "number":
            return _number(field, (said or "").strip())
        case "choice":
            return _choice(field, said)
        case "flag":
            return _flag(field, said or "")
    return _typed(field, said or "")


def _number(field: SheetField, said: str) -> int:
    digits = said.lstrip("0") or "0"
    is_number = not said or (said.isascii() and said.isdigit())
    if not is_number or len(digits) > len(str(field.most)) or int(digits) > field.most:
        raise BadNotation(
            "{field}: '{value}' is not a number from 0 to {most}",
            field=field.label,
            value=quoted(said),
            most=field.most,
        )
    return int(digits)


def _choice(field: SheetField, said: str | None) -> str:
    known = [one.value for one in field.values]
    values = listed([value for value in known if value])
    if not said and (OPEN in field.values or NOTHING not in known):
        raise BadNotation("{field}: choose one of {values}", field=field.label, values=values)
    if not said:
        return NOTHING
    if said not in known:
        raise BadNotation(
            "{field}: '{value}' is not possible; possible: {values}",
            field=field.label,
            value=quoted(said),
            values=values,
        )
    return said


def listed(values: list[str]) -> str:
    """Not all of them, where there are many."""
    shown = values[:MOST_LISTED] + ["..."] * (len(values) > MOST_LISTED)
    return ", ".join(shown) or "-"


def _flag(field: SheetField, said: str) -> str:
    if said not in ("", ON):
        raise BadNotation(
            "{field}: '{value}' is neither on nor empty", field=field.label, value=quoted(said)
        )
    return said


def _typed(field: SheetField, said: str) -> str:
    words = " ".join(said.split())
    if len(words) > LONGEST_TEXT:
        raise BadNotation(
            "{field}: this is too long; at most {most}, not {length}",
            field=field.label,
            most=LONGEST_TEXT,
            length=len(words),
        )
    return words


def quoted(said: str) -> str:
    """Fit to be shown: not long, and on one line."""
    short = said if len(said) <= LONGEST_QUOTED else said[: LONGEST_QUOTED - 3] + "..."
    return printable(short)


def refilled(form: SheetForm, filled: Mapping[str, str]) -> SheetForm:
    """The form with what was filled in before, as far as it fits."""
    return replace(form, fields=tuple(_refilled(field, filled) for field in form.fields))


def _refilled(field: SheetField, filled: Mapping[str, str]) -> SheetField:
    if field.name not in filled:
        return field
    try:
        return replace(field, value=str(_read(field, filled[field.name])))
    except BadNotation:
        return field
