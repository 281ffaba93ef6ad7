"""Lists of matches for everybody: those that run, those that are over, with a picture of each."""

from __future__ import annotations

import re
from typing import NamedTuple

from flask import Blueprint, Response, abort, render_template, request, url_for

from engine.core import Seat
from engine.registry import GAMES
from pbem.errors import Refused
from pbem.i18n import gettext, spoken
from pbem.services.match import matches
from pbem.services.records import watch_lists
from pbem.services.records.match_rows import JOINED, MACHINE, find_match
from pbem.services.records.watch_lists import FINISHED, RUNNING, Watched, WatchKey, WatchPage
from pbem.web.public.pictures import language_asked, picture, position_of
from pbem.web.shared.context import now
from pbem.web.shared.match_text import Moment, moment, player_letter
from pbem.web.watching import rounds

pages = Blueprint("watching", __name__)

KEY = re.compile(r"(\d{1,12})-([0-9a-z]{1,16})", re.ASCII)


class SideListed(NamedTuple):
    title: str
    player: str
    """Empty where there is no name to tell."""
    page: str
    """Of the public page of its player; empty: there is none to see from here."""
    has_won: bool


class MatchListed(NamedTuple):
    """A match as a list shows it."""

    id: str
    title: str
    sides: list[SideListed]
    round: str
    """How far it has come, by the game's own words; empty where it has none."""
    turns: int
    moved: Moment | None
    """When the last turn was over."""


class ListShown(NamedTuple):
    which: str
    matches: list[MatchListed]
    more: str
    """Where it goes on; empty: nowhere."""


@pages.get("/matches")
@pages.get("/watch")
def lists() -> str:
    """Both lists from their beginnings, or one from where its last page ended."""
    game, of = request.args.get("game", ""), request.args.get("of", "")
    if game and game not in GAMES:
        raise matches.no_game(game)
    if of not in ("", RUNNING, FINISHED):
        raise Refused("there is no such list of matches; there are: running, finished")
    after = _key(request.args.get("after", "")) if of else None
    shown = [_list(which, game, after) for which in (RUNNING, FINISHED) if of in ("", which)]
    return render_template(
        "web/watching/lists.html", lists=shown, of=of, game=game, is_first=after is None
    )


def _key(text: str) -> WatchKey | None:
    if not text:
        return None
    found = KEY.fullmatch(text)
    if found is None:
        raise Refused("there is no such page of this list; begin with its first one")
    return WatchKey(int(found[1]), found[2])


def _list(which: str, game: str, after: WatchKey | None) -> ListShown:
    page = watch_lists.page(which, game, after)
    come_to = rounds.of([match.id for match in page.matches])
    listed = [_listed(match, come_to[match.id]) for match in page.matches]
    return ListShown(which, listed, _more(which, game, page))


def _more(which: str, game: str, page: WatchPage) -> str:
    if page.following is None:
        return ""
    at, match = page.following
    return url_for("watching.lists", of=which, game=game or None, after=f"{at}-{match}")


def _listed(match: Watched, come_to: str) -> MatchListed:
    game, winners = GAMES[match.game], match.result.split()
    return MatchListed(
        match.id,
        game.title.in_(spoken()),
        [
            SideListed(
                game.seat_name(Seat(seat.name)).in_(spoken()),
                _called(match, number),
                seat.page,
                seat.name in winners,
            )
            for number, seat in enumerate(match.seats)
        ],
        come_to,
        match.turns,
        None if match.moved_at is None else moment(match.moved_at, "UTC", now()),
    )


def _called(match: Watched, number: int) -> str:
    seat = match.seats[number]
    if seat.status == MACHINE:
        return gettext("Computer")
    is_hidden = match.is_anonymous and seat.status == JOINED
    return player_letter(number) if is_hidden else seat.player


@pages.get("/watch/<match_id>.svg")
def board(match_id: str) -> Response:
    """The board of a match that stands in a list, as every spectator sees it."""
    match = find_match(match_id)
    if match is None or not match.is_for_all:
        abort(404)
    drawn = position_of(match, language_asked())
    if drawn is None:
        abort(404)
    return picture(drawn)
