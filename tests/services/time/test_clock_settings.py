"""What can be agreed on about time: written by people, refused where it makes no sense."""

from __future__ import annotations

import pytest

from pbem.deadlines import DAY, HOUR, Clock
from pbem.errors import Refused
from pbem.services.match import matches
from pbem.services.records.match_rows import get_match
from pbem.services.time import clock_settings
from tests.kit.quartet import Quartet
from tests.services.people import NOW, wanted


def test_what_is_not_said_is_as_usual() -> None:
    assert clock_settings.clock_from({}) == Clock()
    assert clock_settings.clock_from({"pace": "36h"}) == Clock(per_move=36 * HOUR)
    assert clock_settings.clock_from(dict.fromkeys(clock_settings.FIELDS, "")) == Clock()
    assert clock_settings.clock_from({}, seats=4) == Clock(policy="stand_in")


def test_everything_can_be_said() -> None:
    text = (
        "bank=3d, increment=12h,cap=5d,hour=20,zone=Europe/Berlin,days_off=sun+Sat,"
        "grace=24h,policy=forfeit,most_pause=30d,"
    )

    assert clock_settings.clock_from({"pace": "1d", **clock_settings.fields_of(text)}) == Clock(
        per_move=0,
        bank=3 * DAY,
        increment=12 * HOUR,
        cap=5 * DAY,
        hour=20,
        zone="Europe/Berlin",
        days_off=(5, 6),
        grace=DAY,
        policy="forfeit",
        most_pause=30 * DAY,
    )


def test_a_bank_alone_grows_by_half_a_day_and_holds_what_it_begins_with() -> None:
    assert clock_settings.clock_from({"bank": "6h"}) == Clock(
        per_move=0, bank=6 * HOUR, increment=12 * HOUR, cap=12 * HOUR
    )
    assert clock_settings.clock_from({"bank": "3d"}).cap == 3 * DAY


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"speed": "3d"}, "there is no time setting “speed”; there are pace, bank"),
        ({"<b>\0": "3d"}, "there is no time setting “<b>\N{REPLACEMENT CHARACTER}”"),
        ({"pace": "3"}, "not a pace"),
        ({"pace": "30m"}, "not a pace"),
        ({"pace": "61d"}, "not a pace"),
        ({"pace": "٣d"}, "not a pace"),
        ({"pace": "0h"}, "not a pace"),
        ({"bank": "0"}, "a time bank starts with one hour to 60 days"),
        ({"bank": "61d"}, "a time bank starts with one hour to 60 days"),
        ({"bank": "much"}, "“much” is not a length of time"),
        ({"bank": "3d", "increment": "0h"}, "each turn adds one hour to 60 days"),
        ({"bank": "3d", "increment": "61d"}, "each turn adds one hour to 60 days"),
        ({"bank": "3d", "cap": "2d"}, "a time bank holds at least what it starts with"),
        ({"bank": "3d", "increment": "5d", "cap": "4d"}, "a time bank holds at least"),
        ({"bank": "3d", "cap": "121d"}, "at most 120 days"),
        ({"increment": "1d"}, "only a time bank has an increment and a cap"),
        ({"cap": "1d"}, "only a time bank has an increment and a cap"),
        ({"hour": "24"}, "“24” is not an hour of the day; write 0 to 23"),
        ({"hour": "-1"}, "is not an hour"),
        ({"hour": "noon"}, "is not an hour"),
        ({"hour": "²"}, "is not an hour"),
        ({"zone": "Mars/Base"}, "“Mars/Base” is not a time zone"),
        ({"zone": "../etc/passwd"}, "is not a time zone"),
        ({"days_off": "sat+caturday"}, "“caturday” is not a day of the week"),
        ({"days_off": "mon+tue+wed+thu"}, "a match can have up to three days off a week"),
        ({"grace": "15d"}, "the grace period lasts up to 14 days"),
        ({"grace": "-1d"}, "is not a length of time"),
        ({"most_pause": "366d"}, "can stop a match for up to 365 days"),
        ({"most_pause": "9" * 5_000 + "d"}, "is not a length of time"),
        (
            {"policy": "ally"},
            "the rule “ally” for late players is not available in this match; choose "
            "from claim, forfeit, default",
        ),
        ({"policy": "stand_in"}, "the rule “stand_in” for late players"),
        ({"policy": "explode"}, "the rule “explode” for late players"),
    ],
)
def test_what_makes_no_sense_is_refused(fields: dict[str, str], words: str) -> None:
    with pytest.raises(Refused) as refusal:
        clock_settings.clock_from(fields)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    "clock",
    [
        Clock(per_move=59),
        Clock(per_move=0),
        Clock(per_move=DAY, bank=DAY, increment=DAY, cap=DAY),
        Clock(hour=24),
        Clock(hour=-1),
        Clock(days_off=(7,)),
        Clock(grace=-1),
        Clock(most_pause=-1),
    ],
)
def test_a_clock_that_nobody_wrote_down_is_checked_as_well(clock: Clock) -> None:
    with pytest.raises(Refused):
        clock_settings.checked(clock)


def test_no_time_out_ends_a_match_of_more_than_two() -> None:
    assert clock_settings.policies(2) == ("claim", "forfeit", "default", "machine")
    assert clock_settings.policies(4) == ("stand_in", "ally", "default", "machine")
    without_player_of_its_own = Quartet()
    assert clock_settings.policies_of(without_player_of_its_own, 4) == (
        "stand_in",
        "ally",
        "default",
    )
    assert clock_settings.clock_from({"policy": "ally"}, seats=4).policy == "ally"
    for ending in ("claim", "forfeit"):
        with pytest.raises(Refused):
            clock_settings.clock_from({"policy": ending}, seats=4)


def test_a_match_keeps_its_clock(stored: str) -> None:
    clock = clock_settings.clock_from(
        {"bank": "3d", "increment": "18h", "days_off": "sun", "hour": "20"}
    )
    match = get_match(matches.create(wanted(clock=clock), NOW))

    assert match.clock == clock
    assert match.pace == 18 * HOUR


def test_a_match_of_which_only_the_pace_is_said_has_the_usual_clock(stored: str) -> None:
    match = get_match(matches.create(wanted(pace=2 * DAY), NOW))

    assert match.clock == Clock(per_move=2 * DAY)
    assert match.pace == 2 * DAY
