"""What every answer carries, whatever page or error gave it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from flask import Response, request

from engine.registry import GAMES
from pbem.web.shared.context import is_private

USUAL = [
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
]
HSTS = ("Strict-Transport-Security", "max-age=31536000; includeSubDomains")


def policy() -> str:
    """The content policy of pages: styles are ours, and those inside the drawings of the games."""
    styles = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(game.style.encode()).digest()).decode()}'"
        for game in GAMES.values()
    )
    return (
        f"default-src 'none'; style-src 'self' {styles}; script-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


def guard(in_production: bool) -> Callable[[Response], Response]:
    """What every answer goes through: no page is framed, kept or told to others.

    A page may set a content policy or a caching rule of its own; then that one stands.
    """
    always = [*USUAL, HSTS] if in_production else USUAL

    content = policy()

    def guarded(answer: Response) -> Response:
        answer.headers.extend(always)
        answer.headers.setdefault("Content-Security-Policy", content)
        answer.headers.setdefault("Cache-Control", "no-store")
        if is_private(request.path):
            answer.headers["X-Robots-Tag"] = "noindex"
        return answer

    return guarded
