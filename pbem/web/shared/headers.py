"""What every answer carries, whatever page or error gave it: added outside of Flask, in one go."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable
from typing import Any

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


Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class WithHeaders:
    """An application whose answers are guarded: no page is framed, kept or told to others.

    A page may set a content policy or a caching rule of its own; then that one stands.
    """

    def __init__(self, app: Wsgi, in_production: bool) -> None:
        self._app = app
        self._always = [*USUAL, HSTS] if in_production else USUAL
        self._policy = policy()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            set_already = {name for name, _ in headers}
            headers += self._always
            if "Content-Security-Policy" not in set_already:
                headers.append(("Content-Security-Policy", self._policy))
            if "Cache-Control" not in set_already:
                headers.append(("Cache-Control", "no-store"))
            if is_private(environ["PATH_INFO"]):
                headers.append(("X-Robots-Tag", "noindex"))
            return start_response(status, headers, *more)

        return self._app(environ, start)
