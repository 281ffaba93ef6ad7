"""Check a finished match: every shuffle and every throw computed again from the revealed secret."""

from __future__ import annotations

from typing import NamedTuple

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue

from engine.audit import head_from, proved_by
from engine.chance import Draw
from engine.core import Seat
from engine.log import MODERATOR, Entry, short
from engine.registry import GAMES, game_called
from engine.replay import MatchFile, read_match
from pbem.errors import Busy, Refused
from pbem.i18n import gettext, spoken
from pbem.services.match import uploaded_files
from pbem.services.match.uploaded_files import LARGEST_MATCH, Faulty, MatchChecked
from pbem.web.shared.context import hosting, in_words

pages = Blueprint("verify", __name__)

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
        return _page(200)
    request.max_content_length = LARGEST_MATCH
    upload = request.files.get("file")
    content = upload.read() if upload else b""
    heads = request.form.get("heads", "").split()[:MOST_HEADS]
    try:
        answer = uploaded_files.check_match(content, heads, hosting().config.database_url)
    except Busy:
        raise  # nothing is known about the file
    except Refused as fault:
        return _page(400, fault=in_words(fault))
    if isinstance(answer, Faulty) and answer.is_other_rules:
        return _page(200, other=in_words(answer.error(), GAMES.get(answer.game)))
    if isinstance(answer, Faulty):
        return _page(400, fault=in_words(answer.error(), GAMES.get(answer.game)))
    file = read_match(content)
    proved = proved_by(file, [head_from(head) for head in heads])
    return _page(200, **_findings(file, answer), compared=len(heads), proved=proved)


def _page(status: int, **values: object) -> tuple[str, int]:
    return render_template("web/verify.html", largest=LARGEST_MATCH // 1000, **values), status


def _findings(file: MatchFile, checked: MatchChecked) -> dict[str, object]:
    game, language = game_called(file.game), spoken()
    seats = {str(seat): game.seat_name(Seat(seat)).in_(language) for seat in game.seats(file.setup)}
    dealt = {(deck.timeline, deck.deck): ", ".join(deck.cards) for deck in file.decks}
    return {
        "file": file,
        "title": game.title.in_(language),
        "lines": [
            _line(entry, timeline, seats, dealt)
            for entry, timeline in zip(file.entries, checked.timelines, strict=True)
        ],
        "seats": list(seats.values()),
        "shuffles": sum(d.kind == "shuffle" for entry in file.entries for d in entry.draws),
        "throws": sum(d.kind == "roll" for entry in file.entries for d in entry.draws),
        "outcome": game.say(checked.outcome, language) if checked.outcome else "",
    }


def _line(
    entry: Entry, timeline: int, seats: dict[str, str], dealt: dict[tuple[int, str], str]
) -> Line:
    by = gettext("moderator") if entry.actor == MODERATOR else seats.get(entry.actor, entry.actor)
    draws = [_draw(draw, dealt.get((timeline, draw.why))) for draw in entry.draws]
    return Line(entry.seq, timeline, by, entry.text, entry.kind, short(entry.hash), draws)


def _draw(draw: Draw, cards: str | None) -> DrawShown:
    """`cards` are those of the deck of that name, if one was shuffled in this timeline."""
    if draw.kind == "shuffle" and cards is not None:
        return DrawShown(draw.kind, draw.why, draw.size, cards)
    return DrawShown(draw.kind, draw.why, draw.size, " ".join(map(str, draw.result)))
