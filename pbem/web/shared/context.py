"""What every page may ask for: the settings, the links, the time, and the language spoken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import current_app, render_template, request

from engine.game import Game
from pbem.config import Config
from pbem.errors import Busy, LostLink, Missing, NoRoom, Stale, TooOften
from pbem.i18n import translate_error
from pbem.links import PATHS, Links
from pbem.services.operations.disk_space import COME_AGAIN, Room
from pbem.services.players.limits import Asker, network_of
from pbem.services.records.memory import Memory
from pbem.web.shared.public_log import PublicLogs

STORIES_REMEMBERED = 256
"""Some 5 kB each."""
PRIVATE_PATHS = (*PATHS.values(), "/api/v1/turn/")
"""What follows these in an address is a secret of one person."""


@dataclass(frozen=True)
class Hosting:
    """Handed in once by `create_app`; tests hand in a clock of their own."""

    config: Config
    links: Links
    now: Callable[[], int]
    room: Room
    public_logs: PublicLogs = field(default_factory=PublicLogs)
    stories: Memory[Any] = field(default_factory=lambda: Memory(STORIES_REMEMBERED))
    """What was told on pages of turns, as HTML."""


def hosting() -> Hosting:
    found = current_app.extensions["pbem"]
    assert isinstance(found, Hosting)
    return found


def now() -> int:
    return hosting().now()


def links() -> Links:
    return hosting().links


def remote_address() -> str:
    """Where the browser is: the proxy in front of us names last whom it was asked by."""
    if hosting().config.in_production and request.access_route:
        return request.access_route[-1]
    return request.remote_addr or ""


def asker() -> Asker:
    """Who asks, as far as limits have to know."""
    config = hosting().config
    return Asker(network_of(remote_address(), config.secret_keys[-1]), config.letters_a_day)


def is_private(path: str) -> bool:
    """Whether an address holds somebody's token."""
    return path.startswith(PRIVATE_PATHS)


def in_words(refusal: Exception, game: Game[Any, Any, Any] | None = None) -> str:
    """What was wrong, to stand inside a sentence of the reader's language."""
    return translate_error(refusal, game).rstrip(".")


def answer_to(refusal: Exception) -> tuple[int, dict[str, str]]:
    """The status of the answer to a refusal, and what its head says besides."""
    if isinstance(refusal, TooOften):
        return 429, {"Retry-After": str(refusal.wait)}
    if isinstance(refusal, NoRoom):
        return 503, {"Retry-After": str(COME_AGAIN)}
    if isinstance(refusal, Busy):
        return 503, {"Retry-After": "10"}
    if isinstance(refusal, LostLink):
        return 410, {}
    return 404 if isinstance(refusal, Missing) else 409 if isinstance(refusal, Stale) else 400, {}


def refused(page: str, refusal: Exception) -> tuple[str, int, dict[str, str]]:
    """The page that says what was wrong; programs read from it when to come again."""
    code, head = answer_to(refusal)
    return page, code if head else 400, head


def outdated(template: str = "web/lobby/outdated.html", **values: Any) -> tuple[str, int]:
    """The honest page for a well-signed link whose time is over."""
    return render_template(template, **values), 410
