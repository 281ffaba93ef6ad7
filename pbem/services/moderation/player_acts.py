"""What moderators may do about a player, as data: in which words, with what, and how.

As with matches, an act is foreseen first, in the words that the player reads; then it is done, told
by letter and entered into the log in one transaction. A moderator does nothing to oneself, nor to
anybody with whom there is a match to play.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.db.models import Match, MatchSeat
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.errors import Refused, Stale
from pbem.services.letters import withdrawals
from pbem.services.match import matches
from pbem.services.moderation import act_records, impartiality, merging
from pbem.services.players import bans
from pbem.services.records import audit_log, letter_queue
from pbem.services.records.addresses import canonical_address
from pbem.services.records.announcements import Words
from pbem.services.records.match_rows import FORMING, LIVE, get_match
from pbem.services.records.moderator_rows import ModeratorRecord, moderator_at
from pbem.services.records.player_rows import PlayerRecord, find_player, get_player
from pbem.services.seats import loans, stand_ins
from pbem.services.self_service import address_changes, personal_data
from pbem.services.self_service.address_changes import Change, subject_of


class Params(NamedTuple):
    """What an act may be told; each takes those it names."""

    address: str | None = None
    """A new one, as we keep them."""
    other: int | None = None
    """A second player."""


class ActRequest(NamedTuple):
    """An act that somebody wants, with all it needs."""

    player: PlayerRecord
    params: Params
    reason: str
    now: int


class Act(NamedTuple):
    name: str
    title: Words
    takes: tuple[str, ...]
    """Which fields of `Params` it needs."""
    words: Callable[[PlayerRecord, Params, int], Words]
    """What will happen, as the player reads it, or Refused if it cannot."""
    do: Callable[[ActRequest], Change | None]
    """What it leaves waiting for somebody to object, if anything."""
    tells: bool = True
    needs_step_up: bool = False


def foresee(player: PlayerRecord, act: Act, params: Params, now: int) -> Words:
    """What an act will do, in words; Refused says why it cannot be done."""
    for name in act.takes:
        if getattr(params, name) is None:
            raise Refused("one thing is missing: %(what)s", what=name)
    if any(personal_data.is_deleted(one) for one in _concerned(player, params)):
        raise Refused("nothing is left of a deleted player")
    return act.words(player, params, now)


def _concerned(player: PlayerRecord, params: Params) -> list[PlayerRecord]:
    return [player] if params.other is None else [player, get_player(params.other)]


def perform(
    moderator: ModeratorRecord, player_id: int, act: Act, params: Params, reason: str, now: int
) -> int:
    """Do it, tell the player, enter it: all or nothing. The number of the entry."""
    why = act_records.checked_reason(reason)
    with writing():
        player = get_player(player_id)
        for one in _concerned(player, params):
            check_apart(moderator, one)
        words = foresee(player, act, params, now)
        change = act.do(ActRequest(player, params, why, now))
        said = act_records.for_the_log(words, None)
        detail = {"other": params.other} if "other" in act.takes else {}
        number = audit_log.record(
            moderator.address, act.name, subject_of(player.id), why, said, detail, now
        )
        for one in _concerned(player, params) if act.tells else ():
            stops = change.id if change is not None and change.player == one.id else None
            key = f"act:{number}" if stops is None else address_changes.stop_key(stops)
            letter_queue.queue([address_changes.telling(one.id, key, words, why, stops)], now)
        return number


def check_apart(moderator: ModeratorRecord, player: PlayerRecord) -> None:
    """Nobody judges oneself, or somebody with whom there is a match to play."""
    if canonical_address(moderator.address) == canonical_address(player.address):
        raise Refused("this is you; another moderator must handle it")
    seats = MatchSeat.select(MatchSeat.match).join(Match).where(MatchSeat.player == player.id)
    for match in column(seats.where(Match.status.in_((FORMING, LIVE)))):
        if impartiality.has_part(moderator, get_match(match)):
            raise Refused(
                "you and this player are both involved in match %(match)s; another moderator "
                "must handle it",
                match=match,
            )


def _no_moderator(player: PlayerRecord) -> None:
    """Alarms go to the address of a moderator; it is looked after from the command line."""
    if moderator_at(player.address) is not None:
        raise Refused("this is a moderator's address; use the command line to manage it")


# --- bans -----------------------------------------------------------------------------------------


def _ban_words(player: PlayerRecord, params: Params, now: int) -> Words:
    if bans.is_banned(player.id):
        raise Stale("this player is already banned")
    return Words(
        "From now on you cannot start or join matches here, or write messages. "
        "Matches that have not begun are called off for you; matches in progress go "
        "on as before."
    )


def _ban(request: ActRequest) -> None:
    player = request.player
    personal_data.hold(player.id)
    personal_data.leave_what_has_not_begun(player.id, request.now)
    for loan in loans.concerning(player.id):
        stand_ins.decline(loan.id, player.id, request.now)
    bans.ban(player, request.now)


def _allow_words(player: PlayerRecord, params: Params, now: int) -> Words:
    if not bans.is_banned(player.id):
        raise Stale("this player is not banned")
    return Words("You can start and join matches and write messages here again.")


def _allow(request: ActRequest) -> None:
    """Invitations that came meanwhile were held back; they go out now."""
    bans.lift(request.player)
    matches.ask_again(request.player.id, request.now)


# --- the address ----------------------------------------------------------------------------------


def _address_words(player: PlayerRecord, params: Params, now: int) -> Words:
    _no_moderator(player)
    address_changes.check_free(player, params.address or "")
    if address_changes.refuses_letters(player.id):
        return Words(
            "Your emails will go to another address, as you asked, because the current "
            "one refuses them. This happens as soon as the link in an email to the new "
            "address is opened, within seven days; then links in earlier emails stop "
            "working."
        )
    return Words(
        "Your emails will go to another address, as you asked. This happens once the "
        "link in an email to the new address is opened, within seven days, and no "
        "earlier than three days after this email; then links in earlier emails stop "
        "working. If you did not ask for this, stop it with the link in this email."
    )


def _change_address(request: ActRequest) -> Change | None:
    mail = request.params.address or ""
    return address_changes.find(
        address_changes.ask(request.player, mail, request.reason, request.now)
    )


def _keep_words(player: PlayerRecord, params: Params, now: int) -> Words:
    found = address_changes.waiting(player.id, now)
    if found is None or found.is_merger:
        raise Stale("no change of address is waiting to be confirmed")
    return Words(
        "Your address stays as it is; the link in our email to the other one no longer works."
    )


def _call_off(request: ActRequest) -> None:
    address_changes.call_off(request.player.id, request.now)


# --- one person -----------------------------------------------------------------------------------


def _merge_words(player: PlayerRecord, params: Params, now: int) -> Words:
    return merging.words_before(player, get_player(params.other), now)


def _merge(request: ActRequest) -> Change | None:
    other = get_player(request.params.other)
    return merging.ask(request.player, other, request.reason, request.now)


def _apart_words(player: PlayerRecord, params: Params, now: int) -> Words:
    found = address_changes.waiting(player.id, now)
    if found is None or not found.is_merger:
        raise Stale("no merger is waiting for this player")
    return address_changes.APART


# --- data -----------------------------------------------------------------------------------------


def _export_words(player: PlayerRecord, params: Params, now: int) -> Words:
    return Words(
        "A moderator has downloaded what is stored about you, as you can on your own "
        "page. Of matches in progress it only says that they exist."
    )


def _export(request: ActRequest) -> None:
    """The file is made for whoever has pressed; what is entered is that it was."""


def _delete_words(player: PlayerRecord, params: Params, now: int) -> Words:
    _no_moderator(player)
    if personal_data.live_matches(player.id):
        raise Refused(
            "this player has a match in progress; call it off or replace the player first"
        )
    return Words(
        "Address, name, settings and messages are removed for good. Invitations are "
        "declined, and matches that have not begun are called off. The moves of "
        "finished matches stay, without a name. Nobody is emailed: there is no "
        "address any more."
    )


def _delete(request: ActRequest) -> None:
    personal_data.delete(request.player.id, request.now)


# --- the list of addresses ------------------------------------------------------------------------


def rule_words(pattern: str, is_allowed: bool) -> Words:
    """What a rule will do, for who makes it; nobody else is told."""
    known = bans.concerned(pattern)
    if is_allowed:
        return Words(
            "Anyone with the address %(pattern)s can start and join matches, although a "
            "wider rule blocks it. Players we know with such an address: %(known)s.",
            {"pattern": pattern, "known": known},
        )
    return Words(
        "Anyone with the address %(pattern)s cannot start or join matches, and gets "
        "no emails that strangers can trigger. Players we know with such an address: "
        "%(known)s; their current matches go on. Nobody is told.",
        {"pattern": pattern, "known": known},
    )


def put_on_list(
    moderator: ModeratorRecord, pattern: str, is_allowed: bool, reason: str, now: int
) -> int:
    """A rule for an address or a domain, entered into the log; the number of the entry."""
    why = act_records.checked_reason(reason)
    with writing():
        _not_own(moderator, pattern)
        words = rule_words(pattern, is_allowed)
        bans.put(pattern, is_allowed, why, now)
        withdrawals.withdraw_unasked()
        act = "list_allowed" if is_allowed else "list_banned"
        return _entered(moderator, act, pattern, why, words, now)


def strike(moderator: ModeratorRecord, rule: int, reason: str, now: int) -> int:
    """Take a rule off the list."""
    why = act_records.checked_reason(reason)
    with writing():
        gone = bans.remove(rule)
        withdrawals.withdraw_unasked()
        _not_own(moderator, gone.pattern)
        words = Words("%(pattern)s is taken off the list.", {"pattern": gone.pattern})
        return _entered(moderator, "list_struck", gone.pattern, why, words, now)


def _not_own(moderator: ModeratorRecord, pattern: str) -> None:
    if canonical_address(moderator.address) == pattern:
        raise Refused("this is you; another moderator must handle it")


def _entered(
    moderator: ModeratorRecord, act: str, pattern: str, reason: str, words: Words, now: int
) -> int:
    said = act_records.for_the_log(words, None)
    return audit_log.record(moderator.address, act, f"address {pattern}", reason, said, {}, now)


# --- all of them ----------------------------------------------------------------------------------

ACTS = {
    act.name: act
    for act in (
        Act("ban", Words("Ban the player"), (), _ban_words, _ban),
        Act("allow", Words("Lift the ban"), (), _allow_words, _allow),
        Act(
            "change_address",
            Words("Change the address"),
            ("address",),
            _address_words,
            _change_address,
            needs_step_up=True,
        ),
        Act("keep_address", Words("Cancel the change of address"), (), _keep_words, _call_off),
        Act(
            "merge",
            Words("Merge with another player"),
            ("other",),
            _merge_words,
            _merge,
            needs_step_up=True,
        ),
        Act("keep_apart", Words("Cancel the merger"), (), _apart_words, _call_off),
        Act(
            "export",
            Words("Export the data"),
            (),
            _export_words,
            _export,
            needs_step_up=True,
        ),
        Act(
            "delete",
            Words("Delete the player"),
            (),
            _delete_words,
            _delete,
            tells=False,
            needs_step_up=True,
        ),
    )
}


def is_possible(player: PlayerRecord, act: Act, now: int) -> bool:
    """Whether an act makes sense now, as far as can be told before it knows more."""
    match act.name:
        case "ban":
            return not bans.is_banned(player.id)
        case "allow":
            return bans.is_banned(player.id)
        case "keep_address" | "keep_apart":
            found = address_changes.waiting(player.id, now)
            return found is not None and found.is_merger == (act.name == "keep_apart")
    return True


def main_of(player: PlayerRecord) -> PlayerRecord | None:
    """Of the row of a former address, the player whose address it was."""
    change = address_changes.at(player.id)
    return find_player(change.player) if change is not None and change.is_done else None
