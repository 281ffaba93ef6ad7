"""Another address for a player: asked for by a moderator, confirmed by letter, told to the old one.

The outbox writes to players, so the new address gets a row of its own, which nothing belongs to.
When its owner has confirmed, and the old address has had three days to object from the moment its
letter was handed over, the two rows change addresses: then that row has the old one, and can be
told. Only an address that refuses our letters is not waited for.

A merger waits in the same way: then the other row is the player who stays, and nobody presses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.db.store import execute, insert, row, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused, Stale
from pbem.services.players import accounts, bans
from pbem.services.records import addresses, announcements, audit_log, epochs, letter_queue
from pbem.services.records.addresses import plain
from pbem.services.records.announcements import Words
from pbem.services.records.records import PlayerRecord, get_player, moderator_at, player_at
from pbem.services.seats import unreachable
from pbem.services.self_service import revocation
from pbem.services.time import clocks

LASTS = 7 * DAY
WAITS = 3 * DAY
"""How long who reads the old address may object."""
LETTER, TOLD = "address", "account"
"""Kinds of letters: with the link to confirm, and with words of a moderator to a player."""
ARRIVED = Words(
    "Your emails come to this address from now on, as you asked. Links in "
    "earlier emails no longer work; new ones are on their way."
)
LEFT = Words(
    "Your emails go to another address from now on, as you asked, and links in "
    "emails to this one no longer work. If you did not ask for this, report this "
    "email at once."
)
APART = Words("You are not being merged with another player after all; everything stays as it is.")


class Change(NamedTuple):
    id: int
    player: int
    other: int
    """The row that has the new address, and the old one when it is done."""
    reason: str
    asked_at: int
    ended_at: int | None
    is_done: bool
    confirmed_at: int | None
    """When the owner of the new address has pressed."""
    is_merger: bool
    """All of the player goes to the other one, who is a player already."""

    def waits(self, now: int) -> bool:
        is_good = self.confirmed_at is not None or now < self.asked_at + LASTS
        return self.ended_at is None and is_good


_CHANGE = (
    "SELECT id, player_id, other_id, reason, asked_at, ended_at, is_done, confirmed_at, is_merger"
    " FROM address_change"
)


def _change(values: tuple[Any, ...] | None) -> Change | None:
    if values is None:
        return None
    change = Change(*values)
    return change._replace(is_done=bool(change.is_done), is_merger=bool(change.is_merger))


def find(change: int) -> Change | None:
    return _change(row(f"{_CHANGE} WHERE id = ?", change))


def waiting(player: int, now: int) -> Change | None:
    """The change, or the merger, that a player's letters wait for."""
    found = _change(row(f"{_CHANGE} WHERE player_id = ? ORDER BY id DESC LIMIT 1", player))
    return found if found is not None and found.waits(now) else None


def at(other: int) -> Change | None:
    """The newest change that the row of another address stands for."""
    found = row(f"{_CHANGE} WHERE other_id = ? AND NOT is_merger ORDER BY id DESC LIMIT 1", other)
    return _change(found)


def others_of(player: int) -> list[int]:
    """Rows that have or had another address of this player."""
    found = rows(
        "SELECT DISTINCT other_id FROM address_change WHERE player_id = ? AND NOT is_merger", player
    )
    return [other for (other,) in found]


def mergers_into(other: int, now: int) -> list[Change]:
    """Mergers that wait, of players who shall go into this one."""
    found = rows(f"{_CHANGE} WHERE other_id = ? AND is_merger AND ended_at IS NULL", other)
    return [change for change in map(_change, found) if change is not None and change.waits(now)]


def known_addresses(player: int) -> list[str]:
    """Other addresses that are known to be of this player; one that nobody confirmed is not."""
    found = rows(
        "SELECT DISTINCT o.address FROM address_change c JOIN player o ON o.id = c.other_id"
        " WHERE c.player_id = ? AND c.is_done ORDER BY o.address",
        player,
    )
    return [address for (address,) in found]


def forget(player: int) -> list[int]:
    """Drop what is known of a player's addresses; the rows that nothing else belongs to."""
    others = [other for other in others_of(player) if not is_used(get_player(other))]
    execute("DELETE FROM address_change WHERE ? IN (player_id, other_id)", player)
    return others


# --- asking ---------------------------------------------------------------------------------------


def check_free(player: PlayerRecord, mail: str) -> None:
    """Whether an address can become that of a player; Refused says why not."""
    known = player_at(mail)
    if known is not None and known.id == player.id:
        raise Refused("this is already the player's address")
    if moderator_at(mail) is not None:
        raise Refused("this is a moderator's address")
    if bans.is_listed(mail):
        raise Refused("a moderator does not allow %(address)s to join new matches", address=mail)
    if known is not None and is_used(known):
        raise Refused(
            "this is the address of player %(number)s; merge the two instead", number=known.id
        )


def is_used(player: PlayerRecord) -> bool:
    """Whether anything belongs to a row; letters alone do not."""
    if player.confirmed_at is not None:
        return True
    found = row(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM seat WHERE player_id = ?)"
        " OR EXISTS (SELECT 1 FROM match WHERE creator_id = ?)"
        " OR EXISTS (SELECT 1 FROM loan WHERE ? IN (owner_id, stand_in_id))",
        *[player.id] * 3,
    )
    return found is not None


def ask(player: PlayerRecord, mail: str, reason: str, now: int) -> int:
    """Owe the new address the letter with the link, in the caller's transaction."""
    check_free(player, mail)
    call_off(player.id, now)
    other = accounts.known_or_new(mail, now, player.language)
    epochs.raise_player(other.id, now)
    change = insert(
        "INSERT INTO address_change (player_id, other_id, reason, asked_at) VALUES (?, ?, ?, ?)",
        player.id,
        other.id,
        reason,
        now,
    )
    epoch = get_player(other.id).epoch
    letter_queue.owe(
        [letter_queue.to_player(other.id, epoch, LETTER, str(change), change=change)], now
    )
    return change


def ask_for_merger(gone: PlayerRecord, kept: PlayerRecord, reason: str, now: int) -> int:
    """All of one player shall go to another, in the caller's transaction; nobody has to press."""
    call_off(gone.id, now)
    change = insert(
        "INSERT INTO address_change (player_id, other_id, reason, asked_at, confirmed_at,"
        " is_merger) VALUES (?, ?, ?, ?, ?, ?)",
        gone.id,
        kept.id,
        reason,
        now,
        now,
        True,
    )
    clocks.arm(clocks.ADDRESS, change, now + WAITS)
    return change


def call_off(player: int, now: int) -> bool:
    """The address stays as it is; whether a change was waiting.

    Of a merger, the player who would have stayed is told here.
    """
    with writing():
        found = waiting(player, now)
        if found is None:
            return False
        execute("UPDATE address_change SET ended_at = ? WHERE id = ?", now, found.id)
        clocks.disarm(clocks.ADDRESS, found.id)
        if found.is_merger:
            tell_apart(found, found.other, now)
        else:
            epochs.raise_player(found.other, now)
        return True


def object_to(player: int, now: int) -> None:
    """Who reads the old address stops a change; that is for moderators to know."""
    with writing():
        found = waiting(player, now)
        if found is not None and call_off(player, now):
            enter(found, "merger_objected" if found.is_merger else "address_objected", {}, now)


# --- confirming -----------------------------------------------------------------------------------


def confirm(change_id: int, now: int) -> None:
    """The owner of the new address has pressed: it is the player's, once it was waited for."""
    with writing():
        change = _held(change_id)
        if change is None or not change.waits(now):
            raise Stale("this link is no longer valid; ask the moderators for another")
        if is_used(get_player(change.other)):
            raise Refused("someone already plays with this address; ask the moderators")
        if change.confirmed_at is None:
            execute("UPDATE address_change SET confirmed_at = ? WHERE id = ?", now, change.id)
            enter(change, "address_confirmed", {}, now)
            come_into_force(change.id, now)


def expected_at(change: Change, now: int) -> int:
    """When a change comes into force at the earliest, as far as is known now."""
    if refuses_letters(change.player):
        return now
    found = row(
        "SELECT state, sent_at FROM outbox WHERE dedupe = ?",
        f"{TOLD}:{change.player}:{stop_key(change.id)}",
    )
    is_on_its_way = found is not None and found[0] in ("queued", "leased")
    told_at = found[1] if found is not None and found[0] == "sent" else change.asked_at
    return max(now + HOUR if is_on_its_way else now, int(told_at) + WAITS)


def refuses_letters(player: int) -> bool:
    """Whether the address of a player refuses letters, so that nobody there could object."""
    return addresses.state_of(player).arrival == "bouncing"


def waited_for(change_id: int, now: int) -> Change | None:
    """A change that nothing stands against any more; None, or an alarm for later, if it does."""
    change = _held(change_id)
    clocks.disarm(clocks.ADDRESS, change_id)
    if change is None or change.confirmed_at is None or not change.waits(now):
        return None
    at = expected_at(change, now)
    if at > now:
        clocks.arm(clocks.ADDRESS, change.id, at)
        return None
    return change


def come_into_force(change_id: int, now: int) -> None:
    """The two rows change addresses, unless there is a reason to wait on."""
    change = waited_for(change_id, now)
    if change is None:
        return
    if is_used(get_player(change.other)):
        call_off(change.player, now)
        enter(change, "address_dropped", {"why": "somebody plays with the new address"}, now)
    else:
        _come_into_force(change, now)


def _come_into_force(change: Change, now: int) -> None:
    """The address is the player's, and every old link is dead."""
    player, other = get_player(change.player), get_player(change.other)
    detail = why_not_waited(change)
    execute(
        "UPDATE address_change SET ended_at = ?, is_done = ? WHERE id = ?", now, True, change.id
    )
    _swap(player, other, now)
    supersede_written(player.id)
    revocation.renew(player.id, now)
    unreachable.reached(player.id, now)
    for number, words in ((player.id, ARRIVED), (other.id, LEFT)):
        letter_queue.owe([telling(number, f"address:{change.id}", words, change.reason)], now)
    enter(change, "address_changed", detail, now)


def why_not_waited(change: Change) -> dict[str, Any]:
    """For the log: that nobody at the old address could object."""
    return {"why": "the old address refuses emails"} if refuses_letters(change.player) else {}


def _held(change_id: int) -> Change | None:
    """A change, read while nobody else can write to it, nor to the matches of its player."""
    execute("UPDATE address_change SET ended_at = ended_at WHERE id = ?", change_id)
    change = find(change_id)
    if change is not None:
        revocation.hold_matches(change.player)
    return change


def enter(change: Change, act: str, detail: dict[str, Any], now: int) -> None:
    subject = subject_of(change.player)
    audit_log.record(subject, act, subject, "", "", detail, now)


def _swap(player: PlayerRecord, other: PlayerRecord, now: int) -> None:
    execute("UPDATE player SET address = ? WHERE id = ?", f"{other.id}@swap.invalid", other.id)
    for owner, mail in ((player, other.address), (other, player.address)):
        execute(
            "UPDATE player SET address = ?, plain = ?, sought = ? WHERE id = ?",
            mail,
            plain(mail),
            accounts.sought(owner.name, mail),
            owner.id,
        )
        epochs.raise_player(owner.id, now)
    accounts.confirm(player.id, now)


def supersede_written(player: int) -> None:
    """Letters with bytes are for the old address; those without are written when they leave."""
    execute(
        "UPDATE outbox SET state = 'superseded', mime = NULL,"
        " last_error = 'written for another address'"
        " WHERE player_id = ? AND state IN ('queued', 'leased') AND (mime IS NOT NULL OR kind = ?)",
        player,
        TOLD,
    )


# --- telling --------------------------------------------------------------------------------------


def telling(
    player: int, key: str, words: Words, reason: str, change: int | None = None
) -> letter_queue.Notice:
    """A letter to a player about what a moderator did; with the way to stop a change of address."""
    about = {"words": announcements.packed(words), "reason": reason}
    if change is not None:
        about["change"] = change
    return letter_queue.to_player(player, get_player(player).epoch, TOLD, key, **about)


def tell_apart(change: Change, player: int, now: int) -> None:
    """One of two players reads that a merger is called off."""
    letter_queue.owe([telling(player, f"apart:{change.id}", APART, change.reason)], now)


def stop_key(change: int) -> str:
    """Tells the letter to the old address, which can stop a change, from every other."""
    return f"change:{change}"


def subject_of(player: int) -> str:
    """How the log names a player."""
    return f"player {player}"
