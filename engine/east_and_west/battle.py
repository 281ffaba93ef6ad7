"""Battles as data, so that one can rest while somebody is asked."""

from __future__ import annotations

from msgspec import Struct


class Combat(Struct, frozen=True, omit_defaults=True):
    """What is still to be fought in this turn."""

    spaces: tuple[str, ...] = ()
