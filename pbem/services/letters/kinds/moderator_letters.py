"""Letters to moderators, and what moderators tell players about matches and reports."""

from __future__ import annotations

from typing import Any

from engine.abilities import DeckProofs
from engine.chance import commitment
from pbem import server_timeline
from pbem.db.models import Match, MatchSeat, Player
from pbem.db.reading import column
from pbem.links import Links, ModeratorLink, ThreadLink
from pbem.mail import letters, times
from pbem.mail.parts import Reader
from pbem.mail.rendering import ComposedLetter
from pbem.services.letters.kinds.kind import LetterKind, by_day, to_player, to_seat
from pbem.services.letters.reader_context import ReaderContext, SeatContext
from pbem.services.match import new_rules
from pbem.services.players import staff_alerts
from pbem.services.records import announcements, incoming_mails
from pbem.services.records.letter_queue import QueuedLetter
from pbem.services.records.match_rows import FORMING, LIVE, get_match
from pbem.services.records.moderator_rows import find_moderator, moderator_at
from pbem.services.self_service import reports

MOST_NAMED = 20


# --- to moderators --------------------------------------------------------------------------------


def _moderator(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    player, about = context.player, letter.about
    name = _name_of(player.address) or player.name
    reader = Reader(name, context.language, player.zone, you_url="", mute_url="")
    return letters.moderator(
        reader,
        context.site,
        what=about["what"],
        who=about.get("who", ""),
        words=about.get("words", ""),
        matches=_unreachable_matches() if about["what"] == "unreachable" else [],
        seq=about.get("seq", 0),
        hash=about.get("hash", ""),
        at=times.moment(int(about.get("at", context.now)), reader),
        url=_way_in(about, context.links),
    )


def _name_of(address: str) -> str:
    found = moderator_at(address)
    return found.name if found else ""


def _unreachable_matches() -> list[str]:
    """Matches that are played, with a player who cannot be reached, as far as they are named."""
    return column(
        Match.select(Match.id)
        .distinct()
        .join(MatchSeat, on=MatchSeat.match == Match.id)
        .join(Player, on=MatchSeat.player == Player.id)
        .where(Player.unreachable_since.is_null(False), Match.status == LIVE)
        .order_by(Match.id)
        .limit(MOST_NAMED)
    )


def _way_in(about: dict[str, Any], links: Links) -> str:
    """The link to set up; for who has done that, the first page of moderators."""
    if about["what"] != "setup":
        return f"{links.base_url}/admin/"
    return links.url("moderator", ModeratorLink(int(about["of"]), int(about["since"])))


def moderator_letter_current(letter: QueuedLetter) -> bool:
    """Whether a link to set up was not used or replaced, or what it tells of is still so."""
    about = letter.about
    if about["what"] == "unreachable":
        return bool(_unreachable_matches())
    if about["what"] == "quarantined":
        return incoming_mails.is_any_set_aside()
    if about["what"] != "setup":
        return True
    found = find_moderator(int(about["of"]))
    return found is not None and found.setup_epoch == int(about["since"])


# --- from moderators ------------------------------------------------------------------------------


def _moderated(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """What a moderator did, in the words that were read beforehand; no position is in it."""
    words = announcements.unpacked(letter.about["words"])
    return letters.moderated(
        context.reader,
        context.table(),
        announcements.said(words, context.match, context.moment),
        str(letter.about["reason"]),
    )


def _rules(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """The rules were changed: the match goes on under the new ones, or waits."""
    versions = (int(letter.about["before"]), int(letter.about["after"]))
    waits = bool(letter.about.get("waits"))
    return letters.rules(context.reader, context.table(), versions, waits)


def rules_letter_current(letter: QueuedLetter) -> bool:
    """Whether a match still waits, if the letter says so."""
    assert letter.match is not None, "rules are changed for a match"
    match = get_match(letter.match)
    return not letter.about.get("waits") or (match.status == LIVE and match.is_outdated)


def _restored(context: SeatContext, letter: QueuedLetter) -> ComposedLetter:
    """The server went back: what is lost, and what the throws to come are drawn from."""
    match = context.match
    return letters.restored(
        context.reader,
        context.table(),
        context.moment(int(letter.about["back_to"])),
        commitment(match.id, bytes.fromhex(match.secret)),
        is_played=match.status == LIVE,
        has_deck=match.head_seq >= 0 and isinstance(context.game, DeckProofs),
    )


def restored_letter_current(letter: QueuedLetter) -> bool:
    """Whether the server did not go back once more; a match that is over has a secret to all."""
    is_newest = letter.about["timeline"] == server_timeline.current.mark
    return is_newest and letter.facts.match_status in (FORMING, LIVE)


def _answer(context: ReaderContext, letter: QueuedLetter) -> ComposedLetter:
    """What a moderator wrote about a report of the reader."""
    report, player = reports.get(int(letter.about["report"])), context.player
    (line,) = [one for one in reports.lines(report.id) if one.id == int(letter.about["line"])]
    return letters.answer(
        context.reader,
        times.moment(report.created_at, context.reader),
        line.text.splitlines(),
        bool(letter.about["closes"]),
        context.links.url("thread", ThreadLink(report.id, player.id, player.epoch)),
    )


KINDS = (
    LetterKind(staff_alerts.KIND, to_player(_moderator), moderator_letter_current, is_open=True),
    LetterKind("moderated", to_seat(_moderated), is_open=True, pace=by_day),
    LetterKind(new_rules.KIND, to_seat(_rules), rules_letter_current, is_open=True, pace=by_day),
    LetterKind("answer", to_player(_answer), pace=by_day),
    LetterKind(
        "restored", to_seat(_restored), restored_letter_current, is_for_holder=True, is_open=True
    ),
)
