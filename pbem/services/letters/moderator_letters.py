"""What moderators are told by letter: the way to set up, what happens at their door, the log."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pbem.db.store import rows
from pbem.i18n import as_language
from pbem.links import Links, ModeratorLink
from pbem.mail import parts, times
from pbem.mail.rendering import Letter
from pbem.services.letters.reader_context import Owed
from pbem.services.players.staff_alerts import KIND
from pbem.services.records.match_rows import LIVE
from pbem.services.records.moderator_rows import find_moderator, moderator_at
from pbem.services.records.player_rows import get_player

MOST_NAMED = 20


def letter_for(owed: Owed, links: Links, now: int) -> Letter:
    """The letter; `what` says what it is about.

    It is setup, head, credential, step_up, break_glass or unreachable.
    """
    player, about = get_player(owed.player), owed.about
    language, name = as_language(player.language), _name_of(player.address) or player.name
    reader = parts.Reader(name, language, player.zone, you_url="", mute_url="")
    values = {
        "reader": reader,
        "site": urlsplit(links.base_url).netloc,
        "what": about["what"],
        "who": about.get("who", ""),
        "words": about.get("words", ""),
        "matches": _unreachable_matches() if about["what"] == "unreachable" else [],
        "seq": about.get("seq", 0),
        "hash": about.get("hash", ""),
        "at": times.moment(int(about.get("at", now)), reader),
        "url": _way_in(about, links),
    }
    return Letter(KIND, language, values)


def _name_of(address: str) -> str:
    found = moderator_at(address)
    return found.name if found else ""


def _unreachable_matches() -> list[str]:
    """Matches that are played, with a player who cannot be reached, as far as they are named."""
    found = rows(
        "SELECT DISTINCT m.id FROM player p JOIN seat s ON s.player_id = p.id"
        " JOIN match m ON m.id = s.match_id"
        " WHERE p.unreachable_since IS NOT NULL AND m.status = ? ORDER BY m.id LIMIT ?",
        LIVE,
        MOST_NAMED,
    )
    return [match for (match,) in found]


def _way_in(about: dict[str, Any], links: Links) -> str:
    """The link to set up; for who has done that, the first page of moderators."""
    if about["what"] != "setup":
        return f"{links.base_url}/admin/"
    return links.url("moderator", ModeratorLink(int(about["of"]), int(about["since"])))


def is_stale(about: dict[str, Any]) -> bool:
    """Whether a link to set up was used or replaced, or all can be reached again, meanwhile."""
    if about["what"] == "unreachable":
        return not _unreachable_matches()
    if about["what"] != "setup":
        return False
    found = find_moderator(int(about["of"]))
    return found is None or found.setup_epoch != int(about["since"])
