"""Random presses: a sheet gives legal orders, or a refusal with a sentence; hostile values too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import pytest
from msgspec import Struct

from engine.chance import QuickDice
from engine.core import GameError, Seat, Text
from engine.east_and_west.data.powers import POWERS
from engine.east_and_west.game import catalogue
from engine.east_and_west.state import State
from engine.text import is_printable
from tests.engine.east_and_west.kit import GAME
from tests.engine.east_and_west.sheet.presses import (
    applied,
    as_told,
    forms,
    random_asks,
    random_fields,
)
from tests.engine.east_and_west.test_random_play import random_match

pytestmark = pytest.mark.whole

EVERY = 11
"""One of so many positions of a match is looked at."""
HOSTILE = (
    "",
    " ",
    "-1",
    "99999999999999999999999999",
    "1e9",
    "0x10",
    "٣",
    "²",
    "1.5",
    "nobody",
    "poland",
    "on",
    "off",
    "'; drop table match; --",
    "<script>alert(1)</script>",
    "{0}{seat}{__class__}",
    "%s%n",
    "\x00\x1b[2J",
    "\u202egnp",
    "line\nbreak",
    "x" * 5000,
)


def positions(seed: int, rounds: int = 1) -> Iterator[tuple[State, Seat, QuickDice]]:
    """Positions of a random match, and somebody who looks at his sheet: mostly who is asked."""
    choice = QuickDice(b"walk %d" % seed)
    for number, moved in enumerate(random_match(seed, rounds, is_rich=seed % 2 == 0)):
        if number % EVERY == 0:
            is_asked = choice.below(4) > 0
            yield moved.before, moved.seat if is_asked else POWERS[choice.below(4)], choice


@pytest.mark.parametrize("seed", range(4))
def test_a_form_filled_with_what_it_offers_gives_legal_orders_or_a_sentence(seed: int) -> None:
    done, refused = Counter[str](), Counter[str]()
    for state, seat, choice in positions(seed):
        sheet = GAME.sheet(state, seat, random_asks(state, seat, choice))
        names = [form.name for form in forms(sheet)]
        assert len(names) == len(set(names))
        for form in forms(sheet):
            fields = random_fields(form, choice)
            try:
                orders = GAME.compose(state, seat, fields)
                assert orders, as_told(fields)
                after = applied(state, seat, orders, choice)
            except GameError as refusal:
                refused[form.name] += 1
                assert str(refusal) and "{" not in str(refusal)
                continue
            done[form.name] += 1
            assert GAME.check(after) == []
    assert done.total() > refused.total()


def test_hostile_values_are_refused_in_words() -> None:
    """Each field of each form once, with one value after another."""
    tried = set[str]()
    for state, seat, choice in chain(positions(0), positions(1), positions(2)):
        sheet = GAME.sheet(state, seat, random_asks(state, seat, choice))
        for form in forms(sheet):
            kind = "-".join(form.name.split("-")[:2])
            if kind in tried:
                continue
            tried.add(kind)
            right = random_fields(form, choice)
            for name in dict.fromkeys([*right, *(field.name for field in form.fields)]):
                for value in HOSTILE:
                    _refused_or_legal(state, seat, {**right, name: value})
                _refused_or_legal(state, seat, {k: v for k, v in right.items() if k != name})
    assert len(tried) > 25


def _refused_or_legal(state: State, seat: Seat, fields: dict[str, str]) -> None:
    """Whatever was posted; an order that is given can be read again and is one line."""
    try:
        orders = GAME.compose(state, seat, fields)
    except GameError as refusal:
        for language in ("en", "de", "fr"):
            words = GAME.say(refusal.text, language)
            assert is_printable(words) and len(words) < 1000
        return
    for order in orders:
        assert order.isprintable()
        assert GAME.notate(GAME.parse(order)) == order


def test_addresses_with_nonsense_show_a_sheet() -> None:
    for state, seat, _ in positions(1):
        for value in HOSTILE:
            asks = dict.fromkeys(("stage", "at", "to", "form", "infantry", "condition"), value)
            assert GAME.sheet(state, seat, asks).title
            assert GAME.sheet(state, seat, {"stage": "attack", "at": value, "to": value}).title


def texts(value: object) -> Iterator[Text]:
    """All messages in a value, those inside of others too."""
    if isinstance(value, Text):
        yield value
        for param in value.params.values():
            yield from texts(param)
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from texts(getattr(value, name))
    elif isinstance(value, tuple | frozenset):
        for one in value:
            yield from texts(one)


def test_all_that_a_sheet_says_is_said_in_three_languages() -> None:
    said = set[str]()
    for state, seat, choice in chain(positions(0), positions(1)):
        said |= {
            text.msgid for text in texts(GAME.sheet(state, seat, random_asks(state, seat, choice)))
        }
    assert len(said) > 100
    for language in ("de", "fr"):
        assert said - set(catalogue()[language]) == set()


def test_nobody_has_an_empty_sheet() -> None:
    state = next(moved.before for moved in random_match(1, 1))
    for seat in ("eve", "", "germany"):
        assert GAME.sheet(state, Seat(seat)).stages == ()
        with pytest.raises(GameError, match="nothing is asked of"):
            GAME.compose(state, Seat(seat), {"form": "finish"})
