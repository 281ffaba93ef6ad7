"""What people type, and what it is read as."""

from __future__ import annotations

import re

import pytest

from engine.core import BadNotation
from tests.engine.east_and_west.kit import GAME

READ_AS = {
    # canonical lines stay as they are
    "move poland west-germany 3 infantry": "move poland west-germany 3 infantry",
    "done": "done",
    # case, blanks, accents, punctuation, small words
    "  MOVE   Poland  WEST-GERMANY  3   Infantry ": "move poland west-germany 3 infantry",
    "move from Poland to West Germany: 3 infantry": "move poland west-germany 3 infantry",
    "move poland -> west germany, 3 infantry": "move poland west-germany 3 infantry",
    "move poland → west germany 3 infantry and 1 armor": (
        "move poland west-germany 3 infantry 1 armor"
    ),
    # abbreviations and plurals
    "mov pol w germ 3 inf": "move poland west-germany 3 infantry",
    "place 2 inf eastern usa": "place eastern-united-states 2 infantry",
    "move w. germ. france 2 tanks": "move west-germany france 2 armor",
    "move poland west-germany 2 heavy armors": "move poland west-germany 2 heavy-armor",
    "move poland west-germany fighter": "move poland west-germany 1 fighter",
    # German and French
    "ziehe Polen nach Westdeutschland 3 Infanterie": "move poland west-germany 3 infantry",
    "Türkei Griechenland 1 Panzer": "move turkey greece 1 armor",
    "tuerkei griechenland 1 panzer": "move turkey greece 1 armor",
    "fertig": "done",
    "kaufe 4 Infanterie und 1 Jäger": "buy 4 infantry 1 fighter",
    # order of words, missing verb
    "3 infantry 1 armor poland -> west germany": "move poland west-germany 3 infantry 1 armor",
    "move 3 infantry poland west-germany": "move poland west-germany 3 infantry",
    "poland west-germany 3 infantry": "move poland west-germany 3 infantry",
    "4 infantry": "buy 4 infantry",
    "4 inf 1 ftr": "buy 4 infantry 1 fighter",
    # equal kinds are one
    "buy 2 infantry 1 armor 3 infantry": "buy 5 infantry 1 armor",
    # synonyms
    "build 2 fighters": "buy 2 fighter",
    "research Panzer": "research armor",
    "research free ship": "research free ship",
    "research ship free": "research free ship",
    "espionage theft armor": "spy theft armor",
    "spy steal armor": "spy theft armor",
    "spy diplomacy OAS": "spy diplomacy oas",
    "spy dip spain": "spy diplomacy spain",
    "spy counter": "spy counter",
    "spy counter united kingdom": "spy counter uk",
    "place italy 4 inf": "place italy 4 infantry",
    # "in" is no infantry, "la" no large transport
    "place 4 infantry in East Germany": "place east-germany 4 infantry",
    "place 3 Infanterie in Ostdeutschland": "place east-germany 3 infantry",
    "place 3 infanterie en Pologne": "place poland 3 infantry",
    "move 2 inf from poland into west germany": "move poland west-germany 2 infantry",
    "end": "done",
    # orders for later
    "then 4 infantry": "then buy 4 infantry",
    "then if nuclear>=2 buy 1 atomic bomb": "then if nuclear >= 2 buy 1 atomic-bomb",
    "dann wenn nicht erobert Griechenland kaufe 2 inf": (
        "then if not captured greece buy 2 infantry"
    ),
    "then if ship < 2 research ship": "then if not ship >= 2 research ship",
    "forget": "forget all",
}


@pytest.mark.parametrize(("typed", "canonical"), READ_AS.items())
def test_a_line_is_read_as(typed: str, canonical: str) -> None:
    action = GAME.parse(typed)
    assert GAME.notate(action) == canonical
    assert GAME.parse(canonical) == action


REFUSED = {
    "": "an empty line is no order; orders begin with ",
    "hello": "'hello' is no order; orders begin with ",
    "re": "'re' is no order; orders begin with research, repair",
    "move": "'move' is not finished; expected: ",
    "buy 3 日本 infantry": "'日本' in 'buy 3 日本 infantry' does not fit; expected: letters from a",
    "move atlantis poland 3 infantry": (
        "'atlantis' in 'move atlantis poland 3 infantry' does not fit; expected: "
    ),
    "move poland west-germany": "'move poland west-germany' is not finished; expected: ",
    "move poland west-germany 3 elephants": (
        "'elephants' in 'move poland west-germany 3 elephants' does not fit; expected: "
    ),
    "buy": "'buy' is not finished; expected: units with their numbers, such as 3 infantry 1 armor",
    "move all from yugoslavia to italy": (
        "'all' in 'move all from yugoslavia to italy' does not fit; expected: units with their"
    ),
    "place 2 inf dans la mer Noire": (
        "'la' in 'place 2 inf dans la mer Noire' does not fit; expected: a land or sea zone"
    ),
    "buy 0 infantry": "'0' in 'buy 0 infantry' does not fit; expected: 1-999",
    "done now": "'done now' ends before 'now'",
    "spy sleep": "'sleep' in 'spy sleep' does not fit; expected: diplomacy | theft | counter",
    "research cheese": "'cheese' in 'research cheese' does not fit; expected: submarine | ship",
    "indian 3 infantry": "'indian' in 'indian 3 infantry' can be ",
    "then if lost north-sea done": "'then if lost north-sea done': a land can be lost",
    "then if ship >= 4 done": "'then if ship >= 4 done': ship is compared with 1 to 3",
    "forget 0": "'forget 0': orders are counted from 1",
}


@pytest.mark.parametrize(("typed", "message"), REFUSED.items())
def test_an_error_quotes_the_line_and_says_what_would_be_right(typed: str, message: str) -> None:
    with pytest.raises(BadNotation, match="^" + re.escape(message)):
        GAME.parse(typed)


def test_a_long_line_is_refused_and_quoted_short() -> None:
    with pytest.raises(BadNotation, match="at most 1000 characters, this one 1200"):
        GAME.parse("x" * 1200)
    with pytest.raises(BadNotation, match=f"^'{'x' * 57}...' is no order; orders begin with "):
        GAME.parse("x" * 900)


def test_what_cannot_be_seen_is_marked_in_a_quotation() -> None:
    with pytest.raises(BadNotation, match="^'\ufffdmove\ufffd' is not finished; expected: "):
        GAME.parse("\u202emove\x07")
