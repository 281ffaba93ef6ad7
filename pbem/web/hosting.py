"""What every page may ask for: the settings, the links, the time, and the language spoken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import current_app, g, render_template

from engine.core import Game, Language
from pbem.config import Config
from pbem.links import PATHS, Links
from pbem.store import database
from pbem.words import speak, told

PRIVATE_PATHS = (*PATHS.values(), "/api/v1/turn/")
"""What follows these in an address is a secret of one person."""


@dataclass(frozen=True)
class Hosting:
    """Handed in once by `create_app`; tests hand in a clock of their own."""

    config: Config
    links: Links
    now: Callable[[], int]
    keeps_connections: bool = False
    """Whether threads live long enough to keep their connection to the database."""


def hosting() -> Hosting:
    found = current_app.extensions["pbem"]
    assert isinstance(found, Hosting)
    return found


def now() -> int:
    return hosting().now()


def links() -> Links:
    return hosting().links


def begin_request(language: Language) -> None:
    """Connections open when they are needed; one that was open before is left open."""
    speak(language)
    if hosting().keeps_connections:
        if not database.is_connection_usable():
            database.close()
    else:
        g.was_connected = not database.is_closed()


def end_of_request(error: BaseException | None = None) -> None:
    keep = error is None if hosting().keeps_connections else g.get("was_connected", True)
    if not keep and not database.is_closed():
        database.close()
    speak("en")


def is_private(path: str) -> bool:
    """Whether an address holds somebody's token."""
    return path.startswith(PRIVATE_PATHS)


def in_words(refusal: Exception, game: Game[Any, Any, Any] | None = None) -> str:
    """What was wrong, to stand inside a sentence of the reader's language."""
    return told(refusal, game).rstrip(".")


def outdated(template: str = "web/lobby/outdated.html", **values: Any) -> tuple[str, int]:
    """The honest page for a well-signed link whose time is over."""
    return render_template(template, **values), 410
