"""The orders that a turn letter offers, each with its link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote_plus

from msgspec.structs import replace

from engine.abilities import OrderSheets
from pbem.i18n import step_by_step
from pbem.links import TurnLink, order_code
from pbem.mail import parts
from pbem.services.letters.reader_context import SeatContext
from pbem.services.match import link_orders
from pbem.services.records.match_rows import TurnRecord

WORD_BY_WORD = 2
"""So many words of an order are said by their labels, one behind the other."""


def choice_groups(
    context: SeatContext, turn: TurnRecord, offered: Sequence[link_orders.Choice], turn_url: str
) -> list[parts.ChoiceGroup]:
    """Legal orders by their first word: each with its link, or one link for each second word."""
    groups = []
    for _, group in groupby(offered, key=lambda choice: choice.path[0].word):
        choices = list(group)
        if len(choices[0].path) == 1:
            groups.append(parts.ChoiceGroup("", tuple(_links(context, turn, choices, 0))))
            continue
        title = context.say(choices[0].path[0].label)
        if len(offered) > link_orders.MOST_LINKS:
            lines = _cards(context, turn, choices, turn_url)
        else:
            lines = _links(context, turn, choices, 1)
        groups.append(parts.ChoiceGroup(title, tuple(lines)))
    return groups


def answer_links(
    context: SeatContext, turn: TurnRecord, choices: Sequence[link_orders.Choice], state: Any
) -> list[parts.Choice]:
    """A link for each answer to a question, in whole words; the game says what takes many."""
    links, game = _links(context, turn, choices, 0), context.game
    if not isinstance(game, OrderSheets):
        return links
    seat = context.seat.name
    return [
        replace(link, label=context.say(game.in_words(state, seat, link.notation)))
        if len(choice.path) > WORD_BY_WORD
        else link
        for link, choice in zip(links, choices, strict=True)
    ]


def _links(
    context: SeatContext, turn: TurnRecord, choices: Sequence[link_orders.Choice], skip: int
) -> list[parts.Choice]:
    """A link for each order; its words are those after the first `skip`."""
    return [
        parts.Choice(
            step_by_step(context.say(option.label) for option in choice.path[skip:]),
            choice.notation,
            _order_url(context, turn, choice.notation),
        )
        for choice in choices
    ]


def _order_url(context: SeatContext, turn: TurnRecord, notation: str) -> str:
    code = order_code(context.match.secret, turn.id, notation)
    link = TurnLink(context.match.id, turn.seat, turn.id, context.seat.epoch, code)
    return context.links.url("order", link)


def _cards(
    context: SeatContext, turn: TurnRecord, choices: Sequence[link_orders.Choice], turn_url: str
) -> list[parts.Choice]:
    """A line for each second word; where more must be said, it leads into the turn page."""
    lines: list[parts.Choice] = []
    for _, group in groupby(choices, key=lambda choice: choice.path[1].word):
        alike = list(group)
        if len(alike[0].path) == 2:
            lines += _links(context, turn, alike, 1)
            continue
        first, second = alike[0].path[:2]
        url = f"{turn_url}?prefix={quote_plus(f'{first.word} {second.word}')}"
        lines.append(parts.Choice(context.say(second.label), "", url, len(alike)))
    return lines
