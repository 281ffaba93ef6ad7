"""Parcels: the bytes of a letter with its envelope, and what may go wrong on its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from pbem.errors import TransportError


class Parcel(NamedTuple):
    sender: str
    recipient: str
    mime: bytes


class LinkLost(TransportError):
    """The way to the mail server is closed; the letters behind this one need not be tried."""


class NoWay(LinkLost):
    """Nobody let us in: that says nothing about any letter."""


class Transport(Protocol):
    def deliver(self, parcels: Sequence[Parcel]) -> Iterator[TransportError | None]:
        """Hand letters over one after another, telling of each what went wrong with it.

        LinkLost is the last word; the letters behind it were not tried.
        """

    def close(self) -> None: ...
