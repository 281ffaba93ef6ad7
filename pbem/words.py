"""What pages and letters say, in the language of the reader: gettext over our catalogues.

English is the message itself; `translations/<language>/LC_MESSAGES/messages.po` holds the others
and is compiled when it is first needed. `speaking` sets the language for what runs inside it.
"""

from __future__ import annotations

import gettext as stdlib_gettext
import io
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import get_args

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from jinja2 import Environment

from engine.core import Language

TRANSLATIONS = Path(__file__).parent / "translations"

_language: ContextVar[Language] = ContextVar("language", default="en")


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """What is said inside is said in this language; an unknown one is English."""
    before = _language.set(as_language(language))
    try:
        yield
    finally:
        _language.reset(before)


def spoken() -> Language:
    """The language being spoken now."""
    return _language.get()


def as_language(text: str | None) -> Language:
    return text if text in get_args(Language) else "en"  # type: ignore[return-value]


def gettext(message: str) -> str:
    return catalogue(spoken()).gettext(message)


def ngettext(one: str, many: str, count: int) -> str:
    return catalogue(spoken()).ngettext(one, many, count)


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
    """Let templates say `_("... %(name)s", name=...)`, always with named parameters."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
