"""The theatres that matter in a letter, as far as there is room: as text, HTML and sentences."""

from __future__ import annotations

from collections.abc import Sequence, Set

from engine.core import Language, Name, Text
from engine.east_and_west.board import Board
from engine.east_and_west.briefing.changes import fronts
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import is_power
from engine.east_and_west.draw import ascii, html, narrate
from engine.east_and_west.draw.narrate import Say
from engine.east_and_west.draw.standing_text import own_orders
from engine.east_and_west.view import View

ROOM = 28
"""Spaces of which a letter tells."""


def text(view: View, earlier: View | None, width: int, language: Language, say: Say) -> str:
    """The powers, and the theatres in which something has changed, which is marked."""
    page = ascii.TextPage(view, width, language, say)
    found, are_changed = fronts(view, earlier)
    shown = fitting(view.board, found)
    parts = [page.this_turn(), page.powers(), page.letters(are_changed)]
    for spaces in found[:shown]:
        marked = spaces if are_changed else frozenset[str]()
        parts.append(page.spaces(theatre_name(spaces), told(view.board, spaces), marked))
    if found[shown:]:
        parts.append(page.wrapped(elsewhere(found[shown:], are_changed)))
    return ascii.joined([*parts, page.orders()])


def markup(view: View, earlier: View | None, language: Language, say: Say) -> str:
    """The same as a piece of HTML."""
    page = html.HtmlPage(view, language, say)
    found, are_changed = fronts(view, earlier)
    shown = fitting(view.board, found)
    parts = [page.this_turn(), page.powers()]
    for spaces in found[:shown]:
        marked = spaces if are_changed else frozenset[str]()
        parts.append(page.spaces(theatre_name(spaces), told(view.board, spaces), marked))
    if found[shown:]:
        parts.append(page.sentences([elsewhere(found[shown:], are_changed)]))
    return html.joined([*parts, page.orders()])


def sentences(view: View, earlier: View | None, language: Language, say: Say) -> str:
    """The same for whoever listens: one fact a line, and what has changed comes first."""
    found, are_changed = fronts(view, earlier)
    shown = fitting(view.board, found)
    facts = [*narrate.this_turn(view.board), *narrate.powers(view.board)]
    for spaces in found[:shown]:
        facts.append(Text("{theatre}:", {"theatre": theatre_name(spaces)}))
        there = told(view.board, spaces)
        if are_changed:
            there.sort(key=lambda space: space not in spaces)
        facts += [fact for space in there for fact in narrate.space_facts(view, space)]
    facts += [elsewhere(found[shown:], are_changed)] if found[shown:] else []
    orders = own_orders(view)
    if orders:
        facts.append(Text("Your standing orders and plans, which nobody else sees:"))
        facts += [Text("{order}", {"order": order}) for order in orders]
    return "\n".join(narrate.sentence(fact, language, say) for fact in facts) + "\n"


def told(board: Board, spaces: Set[str]) -> list[str]:
    """Some spaces of a theatre, and all others of it that have units of powers."""
    theatre = next(atlas().spaces[space].theatre for space in spaces)
    return [
        key
        for key in atlas().theatre(theatre)
        if key in spaces or any(is_power(group.owner) for group in board.at(key))
    ]


def fitting(board: Board, found: Sequence[Set[str]]) -> int:
    """How many theatres, each by spaces that matter there, a letter has room for."""
    room, shown = ROOM, 0
    for spaces in found:
        room -= len(told(board, spaces))
        if shown and room < 0:
            break
        shown += 1
    return shown


def theatre_name(spaces: Set[str]) -> Name:
    """Of the theatre in which all of them lie."""
    return atlas().theatres[next(atlas().spaces[space].theatre for space in spaces)].names


def elsewhere(found: Sequence[Set[str]], are_changed: bool) -> Text:
    named = {"theatres": tuple(map(theatre_name, found))}
    if are_changed:
        return Text("Changes also in: {theatres}.", named)
    return Text("You have units also in: {theatres}.", named)
