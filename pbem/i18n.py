"""What pages and letters say, in the language of the reader: gettext over our catalogues.

English is the message itself; `translations/<language>/LC_MESSAGES/messages.po` holds the others
and is compiled when it is first needed. `speaking` sets the language for what runs inside it.
"""

from __future__ import annotations

import gettext as stdlib_gettext
import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, reduce
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from engine.core import LANGUAGES, GameError, Language
from engine.game import Game
from engine.text import say
from pbem.errors import Refused
from pbem.plural import Counted

TRANSLATIONS = Path(__file__).parent / "translations"

MESSAGES_READY = 4_096
"""All that templates say without parameters, in three languages; some 100 bytes each."""
_language: ContextVar[Language] = ContextVar("language", default="en")


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """What is said inside is said in this language; an unknown one is English."""
    before = _language.set(as_language(language))
    try:
        yield
    finally:
        _language.reset(before)


def speak(language: str) -> None:
    """From here on this thread speaks a language, until it is told another."""
    _language.set(as_language(language))


def spoken() -> Language:
    """The language being spoken now."""
    return _language.get()


def as_language(text: str | None) -> Language:
    return text if text in LANGUAGES else "en"


def gettext(message: str) -> str:
    return catalogue(spoken()).gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    return catalogue(spoken()).ngettext(one, many, count)


def filled(message: str | Counted, params: Mapping[str, object]) -> str:
    """A message that somebody held, with its parameters, in the language being spoken."""
    if isinstance(message, Counted):
        num = params["num"]
        assert isinstance(num, int), "the number that chooses the form"
        return ngettext(message.one, message.many, num) % params
    return gettext(message) % params if params else gettext(message)


def translate_error(error: Exception, game: Game[Any, Any, Any] | None = None) -> str:
    """What an error says, in the language being spoken; a game has words for its own errors."""
    if isinstance(error, GameError):
        return game.say(error.text, spoken()) if game else say(error.text, spoken(), {})
    if not isinstance(error, Refused):
        return str(error)
    params = {
        name: translate_error(value, game) if isinstance(value, Exception) else value
        for name, value in error.params.items()
    }
    return filled(error.message, params)


def sentence(words: str) -> str:
    """A refusal or a reason as a sentence of its own."""
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?")) else ".")


def labelled(label: str, value: str) -> str:
    """A value behind its label, as in `Edition: German`; a question is answered without a colon."""
    if label.endswith("?"):
        return f"{label} {value}"
    return gettext("%(label)s: %(value)s") % {"label": label, "value": value}


def step_by_step(labels: Iterable[str]) -> str:
    """Choices made one after the other, as in `Play a card: Vietnam: s18`."""
    return reduce(labelled, labels)


@cache
def catalogue(language: Language) -> stdlib_gettext.NullTranslations:
    path = TRANSLATIONS / language / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return stdlib_gettext.NullTranslations()
    compiled = io.BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return stdlib_gettext.GNUTranslations(compiled)


def teach(environment: Environment) -> None:
    """Let templates say `_("... %(name)s", name=...)`, always with named parameters.

    As Jinja's own extension lets them, which takes three calls for each message and marks it as
    safe each time: that would add 6 % to the page of a turn.
    """
    environment.globals.update(_=_in_template, ngettext=_counted_in_template, labelled=labelled)
    environment.filters["sentence"] = sentence


@pass_eval_context
def _in_template(context: EvalContext, message: str, /, **params: Any) -> str:
    if not params:
        return _ready(spoken(), message) if context.autoescape else gettext(message) % params
    return _fit(context, gettext(message)) % params


@pass_eval_context
def _counted_in_template(
    context: EvalContext, one: str, many: str, num: int, /, **params: Any
) -> str:
    return _fit(context, ngettext(one, many, num)) % {"num": num, **params}


def _fit(context: EvalContext, message: str) -> str:
    """A message whose parameters are escaped where the template escapes."""
    return Markup(message) if context.autoescape else message


@lru_cache(maxsize=MESSAGES_READY)
def _ready(language: Language, message: str) -> Markup:
    return Markup(catalogue(language).gettext(message)) % {}
