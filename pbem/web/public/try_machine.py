"""A match against the computer, begun by one button: no address, no letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine.abilities import Preset, Presets, StandIns
from engine.chance import QuickDice
from engine.core import GameError, Json
from engine.game import Game
from engine.registry import GAMES
from engine.sparring import Strengths
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.records.match_rows import get_match
from pbem.services.self_service import guests
from pbem.services.self_service.guests import Trial
from pbem.web.public import match_form
from pbem.web.shared.context import asker, in_words, now, refused
from pbem.web.shared.link_access import guests_way_on
from pbem.web.shared.rule_links import Fault, fault_of
from pbem.web.shared.shortcuts import SeeOther

pages = Blueprint("try_machine", __name__)

ANY, USUAL = "any", "usual"
"""Said instead of a side and of a preset."""

_AnyGame = Game[Any, Any, Any]


@pages.get("/try/<game>")
def show(game: str) -> str:
    """One button; what can be chosen besides is folded and has good defaults."""
    return _page(_playable(game))


@pages.post("/try/<game>")
def start(game: str) -> ResponseReturnValue:
    """A new match that begins at once; the way to its first turn."""
    found = _playable(game)
    try:
        match = guests.start(_trial(found), asker(), now())
    except (Refused, GameError) as refusal:
        fault = fault_of(refusal, found)._replace(words=in_words(refusal, found))
        return refused(_page(found, fault), refusal)
    return SeeOther(guests_way_on(get_match(match)))


def _playable(name: str) -> _AnyGame:
    game = GAMES.get(name)
    if game is None or not isinstance(game, StandIns):
        abort(404)
    return game


class Offered(NamedTuple):
    """A value of a field, and what it is called."""

    value: str
    label: str
    is_usual: bool


def _page(game: _AnyGame, fault: Fault | None = None) -> str:
    say, language = game.say, spoken()
    return render_template(
        "web/try.html",
        game=game.name,
        title=game.title.in_(language),
        about=[say(sentence, language) for sentence in game.about()],
        sides=[
            Offered(seat, game.seat_name(seat).in_(language), seat == _first(game))
            for seat in game.seats(_setup(game, _usual_preset(game)))
        ],
        strengths=[
            Offered(one.name, say(one.label, language), number == 0)
            for number, one in enumerate(game.strengths() if isinstance(game, Strengths) else ())
        ],
        presets=[
            Offered(preset.name, say(preset.label, language), number == 0)
            for number, preset in enumerate(_presets(game))
        ],
        any=ANY,
        usual=USUAL,
        refusal=fault,
        typed=request.form,
    )


def _presets(game: _AnyGame) -> tuple[Preset, ...]:
    return game.presets() if isinstance(game, Presets) else ()


def _usual_preset(game: _AnyGame) -> str:
    """The shortest way to play: a beginner's choice, where there is one."""
    presets = _presets(game)
    return presets[0].name if presets else USUAL


def _setup(game: _AnyGame, preset: str) -> dict[str, Json]:
    known = {one.name: dict(one.setup) for one in _presets(game)}
    if preset != USUAL and preset not in known:
        raise match_form.no_value("preset", preset, [*known, USUAL])
    return {**known.get(preset, {})}


def _first(game: _AnyGame) -> str:
    """The side that is asked first, so that a beginner need not wait."""
    state = game.new_game({}, QuickDice(b"trial")).state
    return min(game.waiting_on(state))


def _trial(game: _AnyGame) -> Trial:
    """What was chosen; the button alone is enough."""
    form: Mapping[str, str] = request.form
    seat = form.get("seat", _first(game))
    strengths = [one.name for one in game.strengths()] if isinstance(game, Strengths) else []
    return Trial(
        game=game.name,
        setup=_setup(game, form.get("preset", _usual_preset(game))),
        seat="" if seat == ANY else seat,
        strength=form.get("strength", strengths[0] if strengths else ""),
    )
