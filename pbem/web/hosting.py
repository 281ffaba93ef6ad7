"""What every page may ask for: the settings, the links, the time, and the language spoken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import current_app

from pbem.config import Config
from pbem.links import Links


@dataclass(frozen=True)
class Hosting:
    """Handed in once by `create_app`; tests hand in a clock of their own."""

    config: Config
    links: Links
    now: Callable[[], int]


def hosting() -> Hosting:
    found = current_app.extensions["pbem"]
    assert isinstance(found, Hosting)
    return found


def now() -> int:
    return hosting().now()


def links() -> Links:
    return hosting().links
