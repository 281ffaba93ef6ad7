"""What a match is played for: game, options, time, players and fairness, in the reader's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from babel.numbers import format_percent

from engine.core import Choice, Json
from engine.game import Game
from pbem.deadline_text import clock_in_words, long
from pbem.deadlines import DAY, HOUR
from pbem.i18n import gettext, ngettext, spoken
from pbem.services.players import punctuality
from pbem.services.players.punctuality import Punctuality
from pbem.services.records.match_rows import (
    ANONYMOUS,
    FORMING,
    JOINED,
    PRIVATE,
    PUBLIC,
    MatchRecord,
    SeatRecord,
)
from pbem.services.records.player_rows import find_player
from pbem.web.shared import match_text


class OptionShown(NamedTuple):
    """An option of a match with the value it has; a deck file is shown whole."""

    label: str
    value: str
    is_usual: bool
    document: str = ""


class SeatShown(NamedTuple):
    """A seat, and who sits there already."""

    title: str
    name: str
    """Of the person in it; empty when there is none, or one without a name."""
    answers: str
    """How fast and how reliably that person answers; empty where nobody sits."""


class Terms(NamedTuple):
    """What somebody agrees to by sitting down."""

    match: str
    game: str
    title: str
    options: list[OptionShown]
    clock: list[str]
    """What is agreed on about time, line by line."""
    commitment: str
    seats: list[SeatShown]
    free: str
    """The names of the seats that anybody may take."""
    by_lot: bool
    """Whether the sides are drawn when the match begins, so that nobody has one yet."""
    host: str
    """Who invites; empty when that person gave no name, or when it is the server itself."""
    reliable: str
    """Whom free seats are for, where that is not everybody."""
    watching: str
    """Who may watch it, as a sentence."""


def terms_of(match: MatchRecord, known: Mapping[int, Punctuality] | None = None) -> Terms:
    """The terms of a match; with what is known of its players, as far as they sit down already."""
    titles = {seat.number: match.game.seat_name(seat.name).in_(spoken()) for seat in match.seats}
    return Terms(
        match=match.id,
        game=match.game_name,
        title=match.game.title.in_(spoken()),
        options=options_of(match.game, match.setup),
        clock=clock_in_words(match.clock, match.asks_back),
        commitment=match.commitment,
        seats=[
            SeatShown(titles[seat.number], gettext("Computer"), "")
            if match.is_machine(seat)
            else _seat(seat, titles[seat.number], known)
            for seat in match.seats
        ],
        free=", ".join(titles[seat.number] for seat in match.seats if seat.status == "open"),
        by_lot=match.by_lot and match.status == FORMING,
        host=_name_of(match.creator),
        reliable=_reliable(match),
        watching=visibilities()[match.visibility],
    )


def terms_with_players(matches: Sequence[MatchRecord], now: int) -> list[Terms]:
    """The terms of matches that somebody may want to join, with how their players answer."""
    players = {seat.player for match in matches for seat in match.seats if seat.player is not None}
    known = punctuality.of(players, now)
    return [terms_of(match, known) for match in matches]


def public_terms(matches: Sequence[MatchRecord], now: int) -> list[Terms]:
    """The same for everybody: of who plays an anonymous match, nothing is told."""
    found = zip(matches, terms_with_players(matches, now), strict=True)
    return [_unnamed(match, terms) for match, terms in found]


def _unnamed(match: MatchRecord, terms: Terms) -> Terms:
    if match.visibility != ANONYMOUS:
        return terms
    seats = [
        SeatShown(shown.title, match_text.public_name(match, seat.number, shown.name), "")
        for seat, shown in zip(match.seats, terms.seats, strict=True)
    ]
    return terms._replace(seats=seats, host="")


def visibilities() -> dict[str, str]:
    """Who may watch a match, in words, the usual answer first."""
    return {
        PUBLIC: gettext("Anyone can watch, and see who plays"),
        ANONYMOUS: gettext("Anyone can watch, but not see who plays"),
        PRIVATE: gettext("In no list; only those who know its address can watch"),
    }


def _reliable(match: MatchRecord) -> str:
    if not match.reliable_only or match.status != FORMING:
        return ""
    words = gettext(
        "Free seats are for players who have played at least %(turns)s turns here, and at least "
        "%(share)s of them on time."
    )
    share = format_percent(punctuality.RELIABLE / 100, locale=spoken())
    return words % {"turns": punctuality.FEWEST, "share": share}


def _seat(seat: SeatRecord, title: str, known: Mapping[int, Punctuality] | None) -> SeatShown:
    if seat.status != JOINED or seat.player is None:
        return SeatShown(title, "", "")
    answers = "" if known is None else answers_in_words(known.get(seat.player))
    return SeatShown(title, _name_of(seat.player), answers)


def answers_in_words(known: Punctuality | None) -> str:
    """As in `usually replies within 9 hours; 96% of 54 turns on time`."""
    if known is None:
        return gettext("new here; too few turns to tell how quickly they reply")
    share = format_percent(100 * known.in_time // known.turns / 100, locale=spoken())
    if known.usual is None:
        return ngettext(
            "%(share)s of %(num)s turn on time", "%(share)s of %(num)s turns on time", known.turns
        ) % {"share": share, "num": known.turns}
    return ngettext(
        "usually replies within %(time)s; %(share)s of %(num)s turn on time",
        "usually replies within %(time)s; %(share)s of %(num)s turns on time",
        known.turns,
    ) % {"time": long(_rounded_up(known.usual)), "share": share, "num": known.turns}


def _rounded_up(seconds: int) -> int:
    """To whole hours, from two days on to whole days."""
    unit = DAY if seconds > 2 * DAY else HOUR
    return max(1, -(-seconds // unit)) * unit


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
    if value is not None and value not in values:
        return OptionShown(label, str(value), False)
    chosen = usual if value is None else str(value)
    return OptionShown(label, game.say(values[chosen], language), chosen == usual)
