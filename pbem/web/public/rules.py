"""The rules of each game, as this server plays them: to read, to search, with pictures."""

from functools import cache

from flask import Blueprint, Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from engine.core import LANGUAGES, Illustration, Language
from engine.registry import GAMES
from pbem.errors import Refused
from pbem.i18n import as_language, gettext, speak, spoken
from pbem.web.public import rules_html, rules_search
from pbem.web.public.rules_html import LANGUAGE_NAMES, Rulebook
from pbem.web.shared.context import in_words

pages = Blueprint("rules", __name__)


@pages.get("/rules/<game>")
def rules(game: str) -> ResponseReturnValue:
    _speak_as_asked(game)
    book, wanted = rulebook(game, spoken()), request.args.get("q", "")
    try:
        found, fault = rules_search.search(book.passages, wanted), ""
    except Refused as refusal:
        found, fault, wanted = None, in_words(refusal), wanted[: rules_search.LONGEST]
    page = render_template(
        "web/rules.html",
        name=game,
        title=GAMES[game].title.in_(spoken()),
        book=book,
        tables=GAMES[game].reference(spoken()),
        wanted=wanted,
        found=found,
        fault=fault,
        language_names=LANGUAGE_NAMES,
    )
    return page, 400 if fault else 200


@pages.get("/rules/<game>/<int:number>.svg")
def picture(game: str, number: int) -> ResponseReturnValue:
    """One of the pictures, by its place among them."""
    _speak_as_asked(game)
    drawn = illustrations(game, spoken())
    if not 0 < number <= len(drawn):
        abort(404)
    return Response(drawn[number - 1].svg, mimetype="image/svg+xml")


def _speak_as_asked(game: str) -> None:
    """From here on in the language of the address, or as the browser likes it."""
    language = request.args.get("lang", spoken())
    if game not in GAMES:
        abort(404, _no_rules(game))
    if language not in LANGUAGES:
        abort(404, _no_language(game, language))
    speak(as_language(language))


@cache
def rulebook(game: str, language: Language) -> Rulebook:
    text = GAMES[game].rules_text(language)
    return rules_html.rulebook(text, language, game, illustrations(game, language))


@cache
def illustrations(game: str, language: Language) -> tuple[Illustration, ...]:
    return GAMES[game].illustrations(language)


def _no_rules(name: str) -> str:
    kept = [f"{game.title.in_(spoken())} (/rules/{name})" for name, game in GAMES.items()]
    told = gettext("There is no game called “%(game)s” here. There are rules for: %(games)s.")
    return told % {"game": name, "games": ", ".join(kept)}


def _no_language(game: str, language: str) -> str:
    kept = [f"{name} (/rules/{game}?lang={code})" for code, name in LANGUAGE_NAMES.items()]
    told = gettext("The rules are not written in “%(language)s”. They are written in: %(known)s.")
    return told % {"language": language[:20], "known": ", ".join(kept)}
