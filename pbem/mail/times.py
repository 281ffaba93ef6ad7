"""Times as one reader tells them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from engine.core import Language
from pbem.deadline_text import date_in_words, hour_in_words
from pbem.mail.parts import Deadline, Reader

MINUTE, HOUR, DAY = 60, 3_600, 86_400
LOCALES: dict[Language, str] = {"en": "en_GB", "de": "de", "fr": "fr"}


def deadline(at: int, now: int, reader: Reader) -> Deadline:
    return Deadline(
        *span(abs(at - now)),
        local=moment(at, reader),
        brief=brief(at, reader),
        utc=f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC",
        is_past=at < now,
    )


def moment(at: int, reader: Reader) -> str:
    """A time in the reader's language and zone, with the distance from UTC."""
    locale, local = LOCALES[reader.language], datetime.fromtimestamp(at, ZoneInfo(reader.zone))
    day = date_in_words(local.date(), "full", locale)
    clock = hour_in_words(local.hour, local.minute, locale)
    if reader.zone == "UTC":
        return f"{day}, {clock} UTC"
    offset = f"{local:%z}"
    return f"{day}, {clock} (UTC{offset[:3]}:{offset[3:]}, {reader.zone})"


def brief(at: int, reader: Reader) -> str:
    """The same in as few words as a first line has room for."""
    locale, local = LOCALES[reader.language], datetime.fromtimestamp(at, ZoneInfo(reader.zone))
    day = date_in_words(local.date(), "brief", locale)
    return f"{day}, {hour_in_words(local.hour, local.minute, locale)}"


def span(seconds: int) -> tuple[int, int, int]:
    """Days, hours and minutes; nothing below zero."""
    left = max(0, seconds)
    return left // DAY, left % DAY // HOUR, left % HOUR // MINUTE
