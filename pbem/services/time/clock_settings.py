"""What the players of a match agree on about time, as somebody writes it down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from engine.abilities import StandIns
from engine.game import Game
from engine.text import printable
from pbem.deadlines import DAY, HOUR, MOST_DAYS_OFF, Clock, Policy
from pbem.errors import Refused
from pbem.services.players import accounts

PACES = {"1d": DAY, "2d": 2 * DAY, "3d": 3 * DAY, "7d": 7 * DAY, "14d": 14 * DAY}
USUAL_PACE = "3d"
SHORTEST, LONGEST = HOUR, 60 * DAY
LARGEST_BANK = 120 * DAY
USUAL_INCREMENT = 12 * HOUR
MOST_GRACE, MOST_PAUSE = 14 * DAY, 365 * DAY
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIELDS = (
    *("pace", "bank", "increment", "cap", "hour", "zone", "days_off"),
    *("grace", "answer", "policy", "most_pause"),
)
FOR_TWO: tuple[Policy, ...] = ("claim", "forfeit", "default")
FOR_MORE: tuple[Policy, ...] = ("stand_in", "ally", "default")
"""The first of each is the usual one. No time-out ends a match of more than two seats."""
BY_MACHINE: tuple[Policy, ...] = ("machine",)
"""Only for games that have a player of their own; see `policies_of`."""


def policies(seats: int) -> tuple[Policy, ...]:
    """What can happen at the end of the grace in a match of so many seats."""
    return (*(FOR_TWO if seats == 2 else FOR_MORE), *BY_MACHINE)


def policies_of(game: Game[Any, Any, Any], seats: int) -> tuple[Policy, ...]:
    """The same in a match of this game."""
    plays = isinstance(game, StandIns)
    return tuple(policy for policy in policies(seats) if plays or policy not in BY_MACHINE)


def check_policy(game: Game[Any, Any, Any], clock: Clock, seats: int) -> None:
    """Refused if nobody could do what is to happen at the end of the grace."""
    if clock.policy not in policies_of(game, seats):
        raise _no_policy(clock.policy, policies_of(game, seats))


def usual(pace: int, seats: int) -> Clock:
    """The clock of a match of which only the time for a turn was said."""
    return Clock(per_move=pace, policy=policies(seats)[0])


# --- as it is written ----------------------------------------------------------------------------


def pace_of(text: str) -> int:
    """Seconds of `3d`, `36h`; Refused says how it is written."""
    seconds = _seconds(text)
    if seconds is not None and SHORTEST <= seconds <= LONGEST:
        return seconds
    raise Refused(
        "“%(pace)s” is not a pace; write 3d for three days or 36h for hours, up to 60d",
        pace=printable(text[:20]),
    )


def fields_of(text: str) -> dict[str, str]:
    """The parts of `bank=3d,increment=12h,days_off=sat+sun`."""
    parts = [part.partition("=") for part in text.split(",") if part.strip()]
    for name, _, value in parts:
        if not value.strip():
            raise Refused(
                "“%(name)s” needs a value, for example grace=24h", name=printable(name[:20])
            )
    return {name.strip(): value for name, _, value in parts}


def clock_from(fields: Mapping[str, str], seats: int = 2) -> Clock:
    """The clock that somebody asks for; what is not said, or empty, is as usual.

    A bank takes the place of the time for a turn.
    """
    for name in fields:
        if name not in FIELDS:
            raise Refused(
                "there is no time setting “%(name)s”; there are %(names)s",
                name=printable(name[:20]),
                names=", ".join(FIELDS),
            )
    said = {name: text.strip() for name, text in fields.items() if text.strip()}
    clock = Clock(
        per_move=0 if "bank" in said else pace_of(said.get("pace", USUAL_PACE)),
        hour=hour_of(said["hour"]) if "hour" in said else None,
        zone=said.get("zone", "UTC"),
        days_off=days_of(said.get("days_off", "")),
        policy=_policy(said.get("policy", policies(seats)[0]), seats),
        **_lengths(said),
    )
    return checked(clock, seats)


def _lengths(said: Mapping[str, str]) -> dict[str, int]:
    """The parts of a clock that are lengths of time."""
    names = ("bank", "increment", "cap", "grace", "answer", "most_pause")
    lengths = {name: length_of(said[name]) for name in names if name in said}
    if lengths.get("bank"):
        lengths.setdefault("increment", USUAL_INCREMENT)
        lengths.setdefault("cap", max(lengths["bank"], lengths["increment"]))
    return lengths


def length_of(text: str) -> int:
    seconds = 0 if text == "0" else _seconds(text)
    if seconds is None:
        raise Refused(
            "“%(text)s” is not a length of time; write 3d for three days or 36h for hours",
            text=printable(text[:20]),
        )
    return seconds


def _seconds(text: str) -> int | None:
    units = {"d": DAY, "h": HOUR}
    number, unit = text[:-1], text[-1:]
    if unit in units and number.isascii() and number.isdecimal() and len(text) < 6:
        return int(number) * units[unit]
    return None


def hour_of(text: str) -> int:
    """An hour of the day as a form or a command names it."""
    if not (text.isascii() and text.isdecimal() and len(text) < 3 and int(text) < 24):
        raise Refused(
            "“%(hour)s” is not an hour of the day; write 0 to 23", hour=printable(text[:20])
        )
    return int(text)


def days_of(text: str) -> tuple[int, ...]:
    """The weekdays of `sat+sun`."""
    words = [word for word in text.lower().split("+") if word]
    for word in words:
        if word not in WEEKDAYS:
            raise Refused(
                "“%(day)s” is not a day of the week; choose from %(days)s",
                day=printable(word[:20]),
                days=", ".join(WEEKDAYS),
            )
    return tuple(sorted({WEEKDAYS.index(word) for word in words}))


def _policy(text: str, seats: int) -> Policy:
    for policy in get_args(Policy):
        if policy == text and policy in policies(seats):
            found: Policy = policy
            return found
    raise _no_policy(text, policies(seats))


def _no_policy(text: str, offered: tuple[Policy, ...]) -> Refused:
    return Refused(
        "the rule “%(policy)s” for late players is not available in this match; "
        "choose from %(policies)s",
        policy=printable(text[:20]),
        policies=", ".join(offered),
    )


# --- as it makes sense ---------------------------------------------------------------------------


def checked(clock: Clock, seats: int = 2) -> Clock:
    """A clock under which a match is neither rushed nor endless; Refused says what is wrong."""
    if clock.bank or not clock.per_move:
        _check_bank(clock)
    elif clock.increment or clock.cap:
        raise Refused("only a time bank has an increment and a cap; say what it starts with")
    elif not SHORTEST <= clock.per_move <= LONGEST:
        raise Refused("the time per turn is one hour to 60 days")
    if clock.hour is not None:
        hour_of(str(clock.hour))
    accounts.checked_zone(clock.zone)
    if len(clock.days_off) > MOST_DAYS_OFF or not set(clock.days_off) <= set(range(7)):
        raise Refused("a match can have up to three days off a week")
    if not 0 <= clock.grace <= MOST_GRACE:
        raise Refused("the grace period lasts up to 14 days")
    if not SHORTEST <= clock.answer <= LONGEST:
        raise Refused("a question in the middle of a turn has one hour to 60 days")
    if not 0 <= clock.most_pause <= MOST_PAUSE:
        raise Refused("pauses and vacations can stop a match for up to 365 days")
    _policy(clock.policy, seats)
    return clock


def _check_bank(clock: Clock) -> None:
    if clock.per_move:
        raise Refused("set a time per turn or a time bank, not both")
    if not SHORTEST <= clock.bank <= LONGEST:
        raise Refused("a time bank starts with one hour to 60 days")
    if not SHORTEST <= clock.increment <= LONGEST:
        raise Refused("each turn adds one hour to 60 days to a time bank")
    if not max(clock.bank, clock.increment) <= clock.cap <= LARGEST_BANK:
        raise Refused(
            "a time bank holds at least what it starts with and what a turn adds, and at "
            "most 120 days"
        )
