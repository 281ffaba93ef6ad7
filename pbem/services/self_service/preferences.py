"""What a player wishes: how to be written to, when to be left in peace, whether to help out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.text import printable
from pbem.board_shapes import Shape
from pbem.db.models import Player
from pbem.db.store import writing
from pbem.deadlines import HOUR, MOST_DAYS_OFF
from pbem.errors import Refused
from pbem.services.players import turn_words
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import stand_ins
from pbem.services.self_service import checkups, personal_data
from pbem.services.time import absences, clock_settings, clocks, reminders

MOST_LEADS = 5
LONGEST_LEAD = 30 * 24
LONGEST_NIGHT = 12
USUAL, OWN, DAILY, NONE = "usual", "own", "daily", "none"
TELLING, ONE = "telling", "one"


class Reminders(NamedTuple):
    """When to be reminded."""

    wanted: bool
    leads: tuple[int, ...] | None
    """Seconds before the end of a turn; None: as usual."""
    digest_hour: int | None
    """At which hour one letter a day comes instead."""


class Preferences(NamedTuple):
    name: str
    language: str
    zone: str
    news: bool
    reminders: Reminders
    days_off: tuple[int, ...]
    night: tuple[int, int] | None
    stands_in: bool
    turn_word: bool
    one_subject: bool
    receipts: bool
    hides_page: bool
    shape: Shape
    quiet_turns: bool


def way_of(player: PlayerRecord) -> str:
    """The word for how a player is reminded."""
    if not player.reminders:
        return NONE
    if player.digest_hour is not None:
        return DAILY
    return USUAL if player.leads is None else OWN


def from_fields(player: PlayerRecord, fields: Mapping[str, str]) -> Preferences:
    """What a form asks for; a box that is not ticked is not in it, what else it lacks stays."""
    return Preferences(
        name=fields.get("name", player.name),
        language=fields.get("language", player.language),
        zone=fields.get("zone", player.zone),
        news="news" in fields,
        reminders=_reminders(player, fields),
        days_off=_days_off(fields.get("days_off", "")),
        night=_night(fields["night_from"], fields.get("night_to", ""))
        if "night_from" in fields
        else player.night,
        stands_in="stands_in" in fields,
        turn_word="turn_word" in fields,
        one_subject=_one_subject(player, fields),
        receipts="receipts" in fields,
        hides_page="hides_page" in fields,
        shape=checkups.shape_of(
            fields.get("board_form", player.board_form),
            fields.get("board_width", player.board_width),
        ),
        quiet_turns="quiet_turns" in fields,
    )


def _one_subject(player: PlayerRecord, fields: Mapping[str, str]) -> bool:
    way = fields.get("subjects", "")
    if not way:
        return player.one_subject
    if way in (TELLING, ONE):
        return way == ONE
    raise Refused("“%(way)s” is not a way to write subjects", way=printable(way[:20]))


def _reminders(player: PlayerRecord, fields: Mapping[str, str]) -> Reminders:
    way = fields.get("reminders", "")
    if not way:
        return Reminders(player.reminders, player.leads, player.digest_hour)
    if way == USUAL:
        return Reminders(True, None, None)
    if way == OWN:
        return Reminders(True, _leads(fields.get("leads", "")), None)
    if way == DAILY:
        return Reminders(True, player.leads, clock_settings.hour_of(fields.get("digest_hour", "")))
    if way == NONE:
        return Reminders(False, player.leads, None)
    raise Refused("“%(way)s” is not a way to be reminded", way=printable(way[:20]))


def _leads(text: str) -> tuple[int, ...]:
    """The hours of `24, 6, 1`, in seconds, the earliest first."""
    words = text.replace(",", " ").replace(";", " ").split()
    if not words:
        raise Refused(
            "say how many hours before the deadline you want to be reminded, for example 24, 6, 1"
        )
    if len(words) > MOST_LEADS:
        raise Refused("you can have up to %(most)s reminders per turn", most=MOST_LEADS)
    return tuple(sorted({_lead(word) for word in words}, reverse=True))


def _lead(word: str) -> int:
    if word.isascii() and word.isdecimal() and len(word) < 5 and 0 < int(word) <= LONGEST_LEAD:
        return int(word) * HOUR
    raise Refused(
        "“%(hours)s” is not a number of hours before the deadline; write 1 to %(most)s",
        hours=printable(word[:20]),
        most=LONGEST_LEAD,
    )


def _days_off(text: str) -> tuple[int, ...]:
    days = clock_settings.days_of(text)
    if len(days) > MOST_DAYS_OFF:
        raise Refused("you can have up to three days off a week")
    return days


def _night(begins: str, ends: str) -> tuple[int, int] | None:
    if not begins and not ends:
        return None
    if not begins or not ends:
        raise Refused("a night needs an hour at which it begins and one at which it ends")
    night = clock_settings.hour_of(begins), clock_settings.hour_of(ends)
    if not 0 < (night[1] - night[0]) % 24 <= LONGEST_NIGHT:
        raise Refused("a night can last one hour to %(most)s hours", most=LONGEST_NIGHT)
    return night


def save(player: int, wished: Preferences, now: int) -> None:
    """All of it or nothing; running turns end later for it, never earlier."""
    with writing():
        absences.hold(player)
        before = get_player(player)
        personal_data.settle(player, wished.name, wished.language, wished.zone, wished.news)
        Player.update(
            reminders=wished.reminders.wanted,
            leads=wished.reminders.leads,
            digest_hour=wished.reminders.digest_hour,
            days_off=wished.days_off,
            night=wished.night,
            turn_word=wished.turn_word,
            one_subject=wished.one_subject,
            receipts=wished.receipts,
            hides_page=wished.hides_page,
            board_form=wished.shape.form,
            board_width=wished.shape.width,
            quiet_turns=wished.quiet_turns,
            quick_moves=0,
        ).where(Player.id == player).execute()
        if wished.stands_in != before.stands_in:
            stand_ins.volunteer(player, wished.stands_in, now)
        if wished.turn_word and not turn_words.is_demanded(before):
            turn_words.send_all(player, now)
        clocks.rereckon_player(player, now)
        reminders.arm_digest(player, now)
