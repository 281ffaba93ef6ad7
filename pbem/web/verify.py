"""Check a finished match: every shuffle and every throw computed again from the revealed secret."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from engine.audit import audit, head_from
from engine.chance import Draw
from engine.core import GameError, Seat
from engine.log import MODERATOR, short
from engine.registry import game_called
from engine.replay import MatchFile, Moment, read_match
from pbem.errors import Refused
from pbem.web.hosting import in_words
from pbem.words import gettext, spoken

pages = Blueprint("verify", __name__)

LARGEST_FILE = 1_000_000
MOST_HEADS = 200


class DrawShown(NamedTuple):
    """One shuffle or throw; the cards of a shuffle by name where the file shows them."""

    kind: str
    why: str
    size: int
    result: str


class Line(NamedTuple):
    """One entry of the log that was checked."""

    seq: int
    timeline: int
    by: str
    order: str
    kind: str
    head: str
    draws: list[DrawShown]


@pages.route("/verify", methods=["GET", "POST"])
def verify() -> ResponseReturnValue:
    """A form for the file; posted, what is right or the first thing that is wrong."""
    if request.method != "POST":
        return render_template("web/verify.html", largest=LARGEST_FILE // 1000)
    request.max_content_length = LARGEST_FILE
    upload = request.files.get("file")
    content = upload.read() if upload else b""
    game = None
    try:
        file = _read(content)
        game = game_called(file.game)
        heads = [head_from(head) for head in request.form.get("heads", "").split()[:MOST_HEADS]]
        moments = audit(file, heads)
    except (GameError, Refused) as fault:
        return _page(400, fault=in_words(fault, game))
    return _page(200, **_findings(file, moments), compared=len(heads))


def _page(status: int, **values: object) -> tuple[str, int]:
    return render_template("web/verify.html", largest=LARGEST_FILE // 1000, **values), status


def _read(content: bytes) -> MatchFile:
    if not content:
        raise Refused("there is no file; choose the one that was downloaded from the match page")
    return read_match(content)


def _findings(file: MatchFile, moments: list[Moment]) -> dict[str, object]:
    game, language = game_called(file.game), spoken()
    outcome = game.outcome(moments[-1].state)
    seats = {str(seat): game.seat_name(Seat(seat)).in_(language) for seat in game.seats(file.setup)}
    return {
        "file": file,
        "title": game.title.in_(language),
        "lines": [_line(file, moment, seats) for moment in moments],
        "seats": list(seats.values()),
        "shuffles": sum(d.kind == "shuffle" for m in moments for d in m.entry.draws),
        "throws": sum(d.kind == "roll" for m in moments for d in m.entry.draws),
        "outcome": game.say(outcome.reason, language) if outcome else "",
    }


def _line(file: MatchFile, moment: Moment, seats: dict[str, str]) -> Line:
    entry = moment.entry
    draws = [_draw(file, moment.timeline, draw) for draw in entry.draws]
    by = gettext("moderator") if entry.actor == MODERATOR else seats.get(entry.actor, entry.actor)
    head = short(entry.hash)
    return Line(entry.seq, moment.timeline, by, entry.text, entry.kind, head, draws)


def _draw(file: MatchFile, timeline: int, draw: Draw) -> DrawShown:
    cards = [d.cards for d in file.decks if (d.timeline, d.deck) == (timeline, draw.why)]
    if draw.kind == "shuffle" and cards:
        return DrawShown(draw.kind, draw.why, draw.size, ", ".join(cards[0]))
    return DrawShown(draw.kind, draw.why, draw.size, " ".join(map(str, draw.result)))
