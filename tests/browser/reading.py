"""Texts as different people read them, made comparable."""

from __future__ import annotations

import re
from datetime import datetime

CALLED = {
    r"[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d UTC": "%b %d, %Y, %H:%M UTC",
    r"[A-Z][a-z]+day, \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC": "%A, %d %B %Y, %H:%M UTC",
}
"""An instant as moderators and as players read it, in English."""


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def by_one_clock(text: str) -> str:
    """With every instant as the log writes it."""
    said = plain(text)
    for called, shape in CALLED.items():
        for day in re.findall(called, said):
            said = said.replace(day, f"{datetime.strptime(day, shape):%Y-%m-%d %H:%M} UTC")
    return said
