"""Players as moderators see them: found, looked at, and acted on in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Blueprint, Response, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue

from pbem.deadline_text import long
from pbem.errors import Refused
from pbem.i18n import spoken
from pbem.services.match import matches
from pbem.services.moderation import act_records, player_acts, player_lists, same_person_hints
from pbem.services.moderation.player_acts import ACTS, Act, Params
from pbem.services.moderation.player_lists import PlayerFilter
from pbem.services.players import accounts, bans, punctuality
from pbem.services.records import addresses, announcements, audit_log
from pbem.services.records.announcements import Words
from pbem.services.records.player_rows import PlayerRecord, find_player, player_at
from pbem.services.self_service import address_changes, personal_data
from pbem.services.time import absences
from pbem.web.admin.door import current, for_moderator, go, needs_step_up
from pbem.web.shared import match_text
from pbem.web.shared.context import hosting, in_words, now

pages = Blueprint("players", __name__)

LONGEST_SEARCH = 80
MATCHES_SHOWN = 50
_NUMBER = re.compile(r"[0-9]{1,9}")


# --- the list -------------------------------------------------------------------------------------


@pages.get("/players")
@for_moderator()
def page() -> str:
    wanted = PlayerFilter(
        text=request.args.get("q", "").strip()[:LONGEST_SEARCH].replace("\0", ""),
        by_name=request.args.get("sort") == "name",
    )
    after = request.args.get("after", "")
    found = player_lists.page(wanted, int(after) if _NUMBER.fullmatch(after) else None)
    return render_template(
        "web/admin/players.html",
        wanted=wanted,
        players=found.players,
        more=_more(wanted, found.following) if found.following is not None else "",
    )


def _more(wanted: PlayerFilter, following: int) -> str:
    """The next page of the same list."""
    sort = "name" if wanted.by_name else None
    return url_for("admin.players.page", q=wanted.text or None, sort=sort, after=following)


# --- one player -----------------------------------------------------------------------------------


@pages.get("/players/<player_id>")
@for_moderator()
def show(player_id: str) -> str:
    player, at = _the_player(player_id), now()
    seated = matches.matches_of(player.id, MATCHES_SHOWN)
    punctual = punctuality.of([player.id], at).get(player.id)
    return render_template(
        "web/admin/player.html",
        player=player,
        is_deleted=personal_data.is_deleted(player),
        banned_at=bans.banned_since(player.id),
        is_listed=bans.is_listed(player.address),
        address=addresses.state_of(player.id),
        moves=address_changes.waiting(player.id, at),
        mergers=_mergers(player, at),
        main=player_acts.main_of(player),
        others=[find_player(other) for other in address_changes.others_of(player.id)],
        matches=[
            (match, match.game.title.in_(spoken()), match_text.sides(match)) for match in seated
        ],
        punctual=punctual,
        usual=long(_rounded(punctual.usual)) if punctual and punctual.usual else "",
        absences=[one for one in absences.of(player.id) if one.end > at],
        alike=same_person_hints.of_player(player.id),
        entries=audit_log.newest(50, subject=address_changes.subject_of(player.id)),
        acts=[
            (act.name, _said(act.title))
            for act in ACTS.values()
            if player_acts.is_possible(player, act, at)
        ],
        refusal=_why_not(player),
    )


def _mergers(player: PlayerRecord, at: int) -> list[dict[str, Any]]:
    """Mergers that wait: of this player into another, and of others into this one."""
    own = address_changes.waiting(player.id, at)
    found = [own] if own is not None and own.is_merger else []
    return [
        {
            "goes": one.player == player.id,
            "other": find_player(one.other if one.player == player.id else one.player),
            "at": address_changes.expected_at(one, at),
        }
        for one in (*found, *address_changes.mergers_into(player.id, at))
    ]


def _rounded(seconds: int) -> int:
    """To whole hours, and at least one."""
    return max(1, round(seconds / 3_600)) * 3_600


def _why_not(player: PlayerRecord) -> str:
    try:
        player_acts.check_apart(current().moderator, player)
    except Refused as refusal:
        return in_words(refusal)
    return ""


def _the_player(number: str) -> PlayerRecord:
    found = find_player(int(number)) if _NUMBER.fullmatch(number) else None
    if found is None:
        abort(404)
    return found


def _said(words: Words) -> str:
    return announcements.said(words, None, lambda at: match_text.moment(at, "UTC", now()).utc)


# --- acts -----------------------------------------------------------------------------------------


@pages.route("/players/<player_id>/<name>", methods=["GET", "POST"])
@for_moderator()
def act(player_id: str, name: str) -> ResponseReturnValue:
    player, chosen = _the_player(player_id), ACTS.get(name)
    if chosen is None:
        abort(404)
    if not chosen.needs_step_up:
        return _act(player, chosen)
    return needs_step_up(_act)(player, chosen)


def _act(player: PlayerRecord, chosen: Act) -> ResponseReturnValue:
    """Ask for what it needs, then say what will happen, then do it."""
    if request.method != "POST":
        return _asked(player, chosen)
    try:
        params = _params(chosen, request.form)
        reason = request.form.get("reason", "")
        player_acts.perform(current().moderator, player.id, chosen, params, reason, now())
    except Refused as refusal:
        return _asked(player, chosen, in_words(refusal)), 400
    if chosen.name == "export":
        return _file(player)
    return go(url_for("admin.players.show", player_id=player.id))


def _file(player: PlayerRecord) -> Response:
    """All that is stored, but for what is hidden in matches that are being played."""
    stored = personal_data.export(player.id, for_moderator=True)
    document = msgspec.json.format(msgspec.json.encode(stored), indent=2)
    answer = Response(document + b"\n", mimetype="application/json")
    name = f"pbem-player-{player.id}.json"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _asked(player: PlayerRecord, chosen: Act, refusal: str = "") -> str:
    given, words, other = request.values, "", None
    try:
        player_acts.check_apart(current().moderator, player)
        if all(given.get(name) for name in chosen.takes):
            params = _params(chosen, given)
            other = find_player(params.other) if params.other is not None else None
            words = _said(player_acts.foresee(player, chosen, params, now()))
    except Refused as cannot:
        refusal = refusal or in_words(cannot)
    return render_template(
        "web/admin/player_act.html",
        player=player,
        other=other,
        act=chosen,
        act_title=_said(chosen.title),
        given={name: given.get(name, "") for name in chosen.takes},
        words=words,
        reason=given.get("reason", ""),
        longest=act_records.LONGEST_REASON,
        refusal=refusal,
    )


def _params(chosen: Act, given: Mapping[str, str]) -> Params:
    """The fields of a form as an act wants them; a player is named by number or by address."""
    read: dict[str, Any] = {}
    for name in chosen.takes:
        text = given.get(name, "").strip()
        if name == "other" and _NUMBER.fullmatch(text):
            read[name] = int(text)
        else:
            mail = accounts.address(text, test_names=not hosting().config.in_production)
            read[name] = _known(mail) if name == "other" else mail
    return Params(**read)


def _known(mail: str) -> int:
    found = player_at(mail)
    if found is None:
        raise Refused("there is no such player")
    return found.id
