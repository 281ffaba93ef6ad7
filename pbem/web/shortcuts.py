"""Where a request goes around Flask and Werkzeug."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

from flask import Response, request
from werkzeug.datastructures import Headers, LanguageAccept
from werkzeug.http import parse_accept_header

from engine.core import LANGUAGES, Language
from pbem import words

Form = Mapping[str, str]
FORM_TYPE = "application/x-www-form-urlencoded"


def posted() -> Form:
    """The fields of a form, of each name the first; as browsers send it, Flask need not look."""
    if request.environ.get("CONTENT_TYPE") != FORM_TYPE:
        return request.form
    fields = parse_qsl(request.get_data(as_text=True), keep_blank_values=True)
    return dict(reversed(fields))


class SeeOther(Response):
    """The way on to a page of ours, by a GET; its address needs no mending."""

    default_mimetype = None
    """There is nothing in it to have a type."""

    def __init__(self, path: str) -> None:
        super().__init__(status=303, headers=[("Location", path), ("Content-Length", "0")])

    def get_wsgi_headers(self, environ: dict[str, Any]) -> Headers:
        return self.headers


@lru_cache(maxsize=256)
def preferred_language(accepted: str) -> Language:
    wanted = parse_accept_header(accepted, LanguageAccept)
    return words.as_language(wanted.best_match(LANGUAGES))
