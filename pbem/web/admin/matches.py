"""Matches as moderators see them: found, looked at from outside, and acted on in words.

The board and the story are those of a spectator; a moderator sees no hand either.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from babel.lists import format_list
from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from engine.core import Seat
from engine.registry import GAMES
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.agreements import exposure
from pbem.services.moderation import (
    act_records,
    impartiality,
    letter_lists,
    match_acts,
    match_lists,
    same_person_hints,
)
from pbem.services.moderation.act_targets import Params
from pbem.services.moderation.match_acts import ACTS, Act
from pbem.services.moderation.match_lists import MatchFilter, MatchKey
from pbem.services.players import accounts
from pbem.services.records import alliances, announcements, audit_log
from pbem.services.records.announcements import Words
from pbem.services.records.match_rows import CANCELLED, FORMING, LIVE, OVER, MatchRecord, open_turns
from pbem.services.records.player_rows import PlayerRecord, find_player
from pbem.web.admin.door import current, for_moderator, go, needs_step_up
from pbem.web.public.match_page import public_steps, the_match
from pbem.web.shared import board_view, match_text
from pbem.web.shared.context import hosting, in_words, now

pages = Blueprint("matches", __name__)

STATES = (FORMING, LIVE, OVER, CANCELLED)
LONGEST_SEARCH = 80
_KEY = re.compile(r"([0-9]{1,12})\.([a-z0-9]{1,16})")
_NUMBER = re.compile(r"[0-9]{1,9}")


# --- the list -------------------------------------------------------------------------------------


@pages.get("/matches")
@for_moderator()
def page() -> str:
    wanted = _wanted(request.args)
    after = _KEY.fullmatch(request.args.get("after", ""))
    key = MatchKey(int(after[1]), after[2]) if after else None
    found = match_lists.page(wanted, key, now())
    return render_template(
        "web/admin/matches.html",
        wanted=wanted,
        games={name: game.title.in_(spoken()) for name, game in GAMES.items()},
        states=STATES,
        matches=found.rows,
        seat_title=_seat_title,
        now=now(),
        more=_more(wanted, found.following) if found.following else "",
    )


def _seat_title(game: str, seat: str) -> str:
    """The name of a seat; of a game that is no longer here, as it was written down."""
    return GAMES[game].seat_name(Seat(seat)).in_(spoken()) if game in GAMES else seat


def _wanted(given: Mapping[str, str]) -> MatchFilter:
    """What is asked for; what is no game or state of ours is left out."""
    game, status = given.get("game", ""), given.get("state", "")
    return MatchFilter(
        player=given.get("q", "").strip()[:LONGEST_SEARCH].replace("\0", ""),
        game=game if game in GAMES else "",
        status=status if status in STATES else "",
        late=given.get("late") == "yes",
        stuck=given.get("late") == "stuck",
        oldest_first=given.get("sort") == "oldest",
    )


def _more(wanted: MatchFilter, following: MatchKey) -> str:
    """The next page of the same list."""
    return url_for(
        "admin.matches.page",
        q=wanted.player or None,
        game=wanted.game or None,
        state=wanted.status or None,
        late="yes" if wanted.late else "stuck" if wanted.stuck else None,
        sort="oldest" if wanted.oldest_first else None,
        after=f"{following.created_at}.{following.match}",
    )


# --- one match ------------------------------------------------------------------------------------


@pages.get("/matches/<match_id>")
@for_moderator()
def show(match_id: str) -> str:
    match = the_match(match_id)
    is_waiting = match.status == LIVE and match.is_outdated
    steps = [] if is_waiting else public_steps(match)
    board = None
    if steps and steps[-1].state is not None:
        board = board_view.board_of(match.game, steps[-1].state, None, match.status != LIVE)
    return render_template(
        "web/admin/match.html",
        **_around(match),
        seats=[
            (side, _player_at(match.seat(side.number).player)) for side in match_text.sides(match)
        ],
        alike=same_person_hints.of_match(match),
        board=board,
        steps=steps,
        is_waiting=is_waiting,
        turns=open_turns(match.id),
        letters=letter_lists.of_match(match.id),
        entries=audit_log.newest(50, subject=act_records.subject_of(match.id)),
        acts=[(act.name, _said(act.title, match), act.needs_step_up) for act in ACTS.values()],
        has_part=impartiality.has_part(current().moderator, match),
        now=now(),
    )


def _around(match: MatchRecord) -> dict[str, Any]:
    return {
        "match": match,
        "title": match.game.title.in_(spoken()),
        "side_of": lambda number: match_text.seat_title(match, match.seat(number).name),
    }


def _player_at(player: int | None) -> PlayerRecord | None:
    return find_player(player) if player is not None else None


def _said(words: Words, match: MatchRecord) -> str:
    return announcements.said(words, match, lambda at: match_text.moment(at, "UTC", now()).utc)


# --- acts -----------------------------------------------------------------------------------------


@pages.route("/matches/<match_id>/<name>", methods=["GET", "POST"])
@for_moderator()
def act(match_id: str, name: str) -> ResponseReturnValue:
    match, chosen = the_match(match_id), ACTS.get(name)
    if chosen is None:
        abort(404)
    if not chosen.needs_step_up:
        return _act(match, chosen)
    return needs_step_up(_act)(match, chosen)


def _act(match: MatchRecord, chosen: Act) -> ResponseReturnValue:
    """Ask for what it needs, then say what will happen, then do it."""
    if request.method != "POST":
        return _asked(match, chosen)
    try:
        params = _params(chosen, request.form)
        reason = request.form.get("reason", "")
        match_acts.perform(current().moderator, match.id, chosen, params, reason, now())
    except Refused as refusal:
        return _asked(match, chosen, in_words(refusal)), 400
    return go(url_for("admin.matches.show", match_id=match.id))


def _asked(match: MatchRecord, chosen: Act, refusal: str = "") -> str:
    given, words, report = request.values, "", None
    is_complete = all(given.get(name) for name in chosen.takes)
    try:
        impartiality.check_apart(current().moderator, match)
        if is_complete:
            params = _params(chosen, given)
            words = _said(match_acts.foresee(match, chosen, params, now()), match)
            if chosen.name == "rewind" and params.entry is not None:
                report = exposure.of_rewind(match, params.entry, now())
    except Refused as cannot:
        refusal = refusal or in_words(cannot)
    return render_template(
        "web/admin/act.html",
        **_around(match),
        act=chosen,
        act_title=_said(chosen.title, match),
        given={name: given.get(name, "") for name in chosen.takes},
        words=words,
        report=report,
        say=lambda text: match.game.say(text, spoken()),
        seat_title=lambda seat: match_text.seat_title(match, seat),
        sides=match_text.sides(match),
        results=[
            (seats[0], format_list(_titles(match, seats), locale=spoken()), seats)
            for seats in alliances.parties(match)
        ],
        entries=public_steps(match) if chosen.name == "rewind" and not refusal else [],
        reason=given.get("reason", ""),
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )


def _titles(match: MatchRecord, seats: Iterable[Seat]) -> list[str]:
    return [match_text.seat_title(match, seat) for seat in seats]


def _params(chosen: Act, given: Mapping[str, str]) -> Params:
    """The fields of a form as an act wants them; what cannot be read is not there."""
    read: dict[str, Any] = {}
    for name in chosen.takes:
        text = given.get(name, "").strip()
        if name == "address":
            read[name] = accounts.address(text, test_names=not hosting().config.in_production)
        elif name == "deadline":
            read[name] = _instant(text)
        elif name == "result":
            read[name] = text[:20] or None
        else:
            read[name] = int(text) if _NUMBER.fullmatch(text) else None
    return Params(**read)


def _instant(text: str) -> int | None:
    """A date and a time by UTC, as browsers send them."""
    try:
        return int(datetime.fromisoformat(text[:16]).replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        return None
