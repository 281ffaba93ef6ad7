"""Players' pages, for everybody: results, head to head, pace, and matches; only of public ones.

Who hides it has none, and nobody can tell that from an id that was never given.
"""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, abort, render_template

from engine.registry import GAMES
from pbem.i18n import gettext, spoken
from pbem.services.players import public_results, punctuality
from pbem.services.players.public_results import Played, Tally
from pbem.services.records.player_rows import find_player, player_with_page
from pbem.web.shared import match_text
from pbem.web.shared.context import now
from pbem.web.shared.match_terms import answers_in_words
from pbem.web.shared.match_text import Side

pages = Blueprint("players", __name__)


class Opponent(NamedTuple):
    name: str
    page: str
    """Of the public page; empty: there is none to see."""
    tally: Tally


class MatchPlayed(NamedTuple):
    id: str
    title: str
    side: str
    others: list[Side]
    ended: str


@pages.get("/players/<public_id>")
def show(public_id: str) -> str:
    player = player_with_page(public_id)
    played = [] if player is None else public_results.played_by(player.id)
    if player is None or not played:
        abort(404)
    tallies = public_results.by_game(played)
    return render_template(
        "web/watching/player.html",
        name=player.name or gettext("an unnamed player"),
        pace=answers_in_words(punctuality.of([player.id], now(), True).get(player.id)),
        results=[(GAMES[name].title.in_(spoken()), tallies[name]) for name in tallies],
        opponents=_opponents(played),
        matches=[_match(one) for one in played],
    )


def _opponents(played: list[Played]) -> list[Opponent]:
    found = [
        Opponent(
            other.name or gettext("an unnamed player"),
            "" if other.hides_page else other.public_id or "",
            tally,
        )
        for number, tally in public_results.head_to_head(played).items()
        if (other := find_player(number)) is not None
    ]
    return sorted(found, key=lambda one: (-sum(one.tally), one.name))


def _match(one: Played) -> MatchPlayed:
    sides = match_text.public_sides(one.match)
    return MatchPlayed(
        one.match.id,
        one.match.game.title.in_(spoken()),
        sides[one.seat.number].title,
        [side for side in sides if side.number != one.seat.number],
        one.ended,
    )
