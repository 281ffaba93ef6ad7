"""What a match is played for: game, options, pace and fairness, in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from engine.core import Choice, Game, Json
from pbem.services.matches import DAY
from pbem.services.records import JOINED, MatchRecord, find_player
from pbem.words import spoken

HOUR = 3_600


class OptionShown(NamedTuple):
    """An option of a match with the value it has; a deck file is shown whole."""

    label: str
    value: str
    is_usual: bool
    document: str = ""


class Terms(NamedTuple):
    """What somebody agrees to by sitting down."""

    match: str
    game: str
    title: str
    options: list[OptionShown]
    days: int
    hours: int
    commitment: str
    seats: list[tuple[str, str]]
    """The name of each seat, and of the person in it, if one sits there."""
    free: str
    """The names of the seats that anybody may take."""
    host: str
    """Who invites; empty when that person gave no name, or when it is the server itself."""


def terms_of(match: MatchRecord) -> Terms:
    days, rest = divmod(match.pace, DAY)
    titles = {seat.number: match.game.seat_name(seat.name).in_(spoken()) for seat in match.seats}
    return Terms(
        match=match.id,
        game=match.game_name,
        title=match.game.title.in_(spoken()),
        options=options_of(match.game, match.setup),
        days=days if not rest else 0,
        hours=match.pace // HOUR if rest else 0,
        commitment=match.commitment,
        seats=[
            (titles[seat.number], _name_of(seat.player) if seat.status == JOINED else "")
            for seat in match.seats
        ],
        free=", ".join(titles[seat.number] for seat in match.seats if seat.status == "open"),
        host=_name_of(match.creator),
    )


def _name_of(player: int | None) -> str:
    found = find_player(player) if player is not None else None
    return found.name if found else ""


def options_of(game: Game[Any, Any, Any], setup: Mapping[str, Json]) -> list[OptionShown]:
    return [_option(game, choice, setup.get(choice.name)) for choice in game.choices()]


def _option(game: Game[Any, Any, Any], choice: Choice, value: Json) -> OptionShown:
    label, language = game.say(choice.label, spoken()), spoken()
    values = dict(choice.values)
    usual = choice.values[0][0]
    if isinstance(value, dict):
        document = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
        return OptionShown(label, "", False, document)
    chosen = value if isinstance(value, str) and value in values else usual
    return OptionShown(label, game.say(values[chosen], language), chosen == usual)
