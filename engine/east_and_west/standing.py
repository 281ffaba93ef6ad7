"""What a seat says in advance, so that nobody has to wait for it; hidden from all others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from engine.core import Seat

GENERAL = ""
"""Stands for every space that has no order of its own."""

Consent = Literal["always", "never", "ask"]
Target = Literal["aircraft", "armor", "number", "value"]


class Plan(Struct, frozen=True, omit_defaults=True):
    """14.1: how an attack is to be fought."""

    losses: tuple[str, ...] = ()
    """Which kinds go first."""


class Later(Struct, frozen=True, omit_defaults=True):
    """14.1: an order for a later stop of the own turn, perhaps under a condition."""

    order: str
    condition: str = ""


class Standing(Struct, frozen=True, omit_defaults=True):
    losses: Mapping[str, tuple[str, ...]] = {}
    """By space: which kinds go first."""
    share: Mapping[Seat, Consent] = {}
    host: Mapping[Seat, Consent] = {}
    refuge: Mapping[str, str] = {}
    """By alliance: to which land expelled units go among equals; 13.8."""
    asks: tuple[str, ...] = ()
    """14.5: spaces in which the owner wants to decide."""
    plans: Mapping[str, Plan] = {}
    """By space, for the own turn."""
    later: tuple[Later, ...] = ()


NONE = Standing()
