"""What other programs follow: a player's deadlines as a calendar, a match as a feed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, make_response, render_template, request
from flask.typing import ResponseReturnValue
from icalendar import Calendar, Event, vText

from pbem.deadlines import MINUTE
from pbem.i18n import gettext, speak, spoken
from pbem.links import YouLink
from pbem.services.records.match_rows import MatchRecord, TurnRecord, get_match
from pbem.services.records.player_rows import PlayerRecord
from pbem.services.time import absences, clocks
from pbem.services.time.absences import Absence
from pbem.web.public.match_page import public_steps, the_match
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting, links, now, outdated
from pbem.web.shared.link_access import player_by

pages = Blueprint("feeds", __name__)

MOST_ENTRIES = 200
"""Of the newest steps; readers keep what they have seen."""


# --- a player's calendar -------------------------------------------------------------------------


def calendar_address(player: PlayerRecord) -> str:
    return links().url("calendar", YouLink(player.id, player.epoch)) + ".ics"


@pages.get("/calendar/<token>.ics")
def calendar(token: str) -> ResponseReturnValue:
    """Deadlines, ends of grace and absences of one player, in that player's language.

    Calendars are often shown to others: there is no link in it that lets anybody move.
    """
    link, player = player_by("calendar", token)
    if player.epoch != link.epoch:
        return outdated(why="renewed")
    return Response(_calendar(player, now()).to_ical(), mimetype="text/calendar")


def _calendar(player: PlayerRecord, at: int) -> Calendar:
    whole = Calendar()
    whole.add("prodid", "-//pbem//board games by mail//EN")
    whole.add("version", "2.0")
    whole.add("method", "PUBLISH")
    for name in ("name", "x-wr-calname"):
        whole.add(name, vText(gettext("Board games by email")))
    whole.add("refresh-interval", timedelta(hours=1), parameters={"VALUE": "DURATION"})
    for turn in clocks.running_turns(player.id):
        for event in _turn(turn, get_match(turn.match), at):
            whole.add_component(event)
    for absence in absences.of(player.id):
        if not absence.is_floating and absence.end > at:
            whole.add_component(_absence(absence, at))
    return whole


def _turn(turn: TurnRecord, match: MatchRecord, at: int) -> Iterator[Event]:
    """The end of a turn and of its grace; a deadline that moves takes both events along."""
    seat = match_text.seat_title(match, match.seat(turn.seat).name)
    about = {"game": match.game.title.in_(spoken()), "side": seat}
    if turn.deadline_at > at:
        title = gettext("%(game)s: your turn as %(side)s ends")
    else:
        title = gettext("%(game)s: your turn as %(side)s is overdue")
    yield _event(f"turn-{turn.id}", title % about, match, turn, turn.deadline_at, at)
    if match.clock.grace:
        title = gettext("%(game)s: the grace period for your turn as %(side)s ends") % about
        ends = turn.deadline_at + match.clock.grace
        yield _event(f"grace-{turn.id}", title, match, turn, ends, at)


def _event(uid: str, title: str, match: MatchRecord, turn: TurnRecord, ends: int, at: int) -> Event:
    assert turn.started_at is not None and turn.since is not None, "its clock runs"
    event = _bare_event(uid, title, at)
    event.add("dtstart", _instant(ends))
    event.add("last-modified", _instant(turn.since))
    # deadlines only ever move on, so that this only ever grows, and with every move
    event.add("sequence", max(0, turn.deadline_at - turn.started_at - turn.budget) // MINUTE)
    event.add("url", f"{hosting().config.base_url}/match/{match.id}")
    return event


def _absence(absence: Absence, at: int) -> Event:
    event = _bare_event(f"absence-{absence.id}", gettext("Vacation from your matches"), at)
    event.add("dtstart", _instant(absence.start))
    event.add("dtend", _instant(absence.end))
    return event


def _bare_event(uid: str, title: str, at: int) -> Event:
    event = Event()
    event.add("uid", f"{uid}@{hosting().config.host}")
    event.add("dtstamp", _instant(at))
    event.add("summary", title)
    event.add("transp", "TRANSPARENT")
    return event


def _instant(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)


# --- a match for spectators ----------------------------------------------------------------------


@pages.get("/match/<match_id>/feed.atom")
def feed(match_id: str) -> ResponseReturnValue:
    """What everybody may know of a match, step by step, in English.

    Steps are counted as spectators see them: a gap would tell of an order given in secret. The
    mark of the newest version is made from nothing but the text, for the same reason.
    """
    match = the_match(match_id)
    speak("en")
    steps = public_steps(match)[-MOST_ENTRIES:]
    updated = steps[-1].at if steps else match.created_at
    answer = make_response(
        render_template(
            "web/match/feed.xml",
            match=match,
            title=match.game.title.in_("en"),
            tag=f"tag:{hosting().config.host},{_instant(match.created_at):%Y-%m-%d}:{match.id}",
            steps=[(step, _instant(step.at).isoformat()) for step in reversed(steps)],
            updated=_instant(updated).isoformat(),
        )
    )
    answer.mimetype = "application/atom+xml"
    answer.headers["Cache-Control"] = "no-cache"  # kept, and asked about each time
    answer.last_modified = _instant(updated)
    answer.add_etag()
    return answer.make_conditional(request)
