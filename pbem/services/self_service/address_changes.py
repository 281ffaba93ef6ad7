"""Another address for a player: asked for, confirmed by letter, told to the old one.

The outbox writes to players, so the new address gets a row of its own, which nothing belongs to.
When its owner has confirmed, and the old address has had three days to object from the moment its
letter was handed over, the two rows change addresses: then that row has the old one, and can be
told. Only an address that refuses our letters is not waited for.

A merger waits in the same way: then the other row is the player who stays, and nobody presses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.db.models import AddressChange, Loan, Match, MatchSeat, Outbox, Player
from pbem.db.reading import column, every, first
from pbem.db.store import writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import Refused, Stale
from pbem.services.players import accounts, bans, limits
from pbem.services.records import addresses, announcements, audit_log, epochs, letter_queue
from pbem.services.records.addresses import canonical_address
from pbem.services.records.announcements import Words
from pbem.services.records.moderator_rows import moderator_at
from pbem.services.records.player_rows import PlayerRecord, get_player, player_at
from pbem.services.seats import unreachable
from pbem.services.self_service import revocation
from pbem.services.time import alarms

LASTS = 7 * DAY
WAITS = 3 * DAY
"""How long who reads the old address may object."""
BY_PLAYER = ""
"""The reason of a change that the player has asked for without a moderator."""
LETTER, TOLD = "address", "account"
"""Kinds of letters: with the link to confirm, and with words of a moderator to a player."""
ASKED = Words(
    "Your emails are to go to another address, as someone asked on your own page. "
    "This happens once the link in an email to the new address is opened, within seven "
    "days, and no earlier than three days after this email. If it was not you, stop it "
    "with the link below."
)
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


_COLUMNS = [getattr(AddressChange, name) for name in Change._fields]


def find(change: int) -> Change | None:
    return _newest(AddressChange.id == change)


def waiting(player: int, now: int) -> Change | None:
    """The change, or the merger, that a player's letters wait for."""
    found = _newest(AddressChange.player == player)
    return found if found is not None and found.waits(now) else None


def at(other: int) -> Change | None:
    """The newest change that the row of another address stands for."""
    return _newest((AddressChange.other == other) & ~AddressChange.is_merger)


def _newest(which: Any) -> Change | None:
    found = AddressChange.select(*_COLUMNS).where(which).order_by(AddressChange.id.desc())
    return first(found, Change)


def others_of(player: int) -> list[int]:
    """Rows that have or had another address of this player."""
    others = AddressChange.select(AddressChange.other).distinct()
    return column(others.where(AddressChange.player == player, ~AddressChange.is_merger))


def mergers_into(other: int, now: int) -> list[Change]:
    """Mergers that wait, of players who shall go into this one."""
    found = AddressChange.select(*_COLUMNS).where(
        AddressChange.other == other, AddressChange.is_merger, AddressChange.ended_at.is_null()
    )
    return [change for change in every(found, Change) if change.waits(now)]


def known_addresses(player: int) -> list[str]:
    """Other addresses that are known to be of this player; one that nobody confirmed is not."""
    found = Player.select(Player.address).join(AddressChange, on=AddressChange.other == Player.id)
    found = found.where(AddressChange.player == player, AddressChange.is_done)
    return column(found.distinct().order_by(Player.address))


def forget(player: int) -> list[int]:
    """Drop what is known of a player's addresses; the rows that nothing else belongs to."""
    others = [other for other in others_of(player) if not is_used(get_player(other))]
    AddressChange.delete().where(
        (AddressChange.player == player) | (AddressChange.other == player)
    ).execute()
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
    return bool(
        MatchSeat.select().where(MatchSeat.player == player.id).exists()
        or Match.select().where(Match.creator == player.id).exists()
        or Loan.select().where((Loan.owner == player.id) | (Loan.stand_in == player.id)).exists()
    )


def ask(player: PlayerRecord, mail: str, reason: str, now: int) -> int:
    """Owe the new address the letter with the link, in the caller's transaction."""
    check_free(player, mail)
    call_off(player.id, now)
    other = accounts.known_or_new(mail, now, player.language)
    epochs.raise_player(other.id, now)
    change = _insert(player=player.id, other=other.id, reason=reason, asked_at=now)
    epoch = get_player(other.id).epoch
    letter_queue.queue(
        [letter_queue.to_player(other.id, epoch, LETTER, str(change), change=change)], now
    )
    return change


def ask_by_player(player: PlayerRecord, mail: str, now: int) -> None:
    """A player wants letters to go to another address: both addresses are written to.

    Whether somebody plays with the new one is not told: then nobody is asked to confirm it.
    """
    with writing():
        known = player_at(mail)
        if known is not None and known.id == player.id:
            raise Refused("this is already your address")
        if moderator_at(player.address) is not None:
            raise Refused("this is a moderator's address; use the command line to manage it")
        limits.by_player("address", player.id, now)
        if _is_free(player, mail):
            change = ask(player, mail, BY_PLAYER, now)
        else:
            call_off(player.id, now)
            other = accounts.known_or_new(mail, now, player.language)
            change = _insert(player=player.id, other=other.id, reason=BY_PLAYER, asked_at=now)
        letter = telling(player.id, stop_key(change), ASKED, BY_PLAYER, change)
        letter_queue.queue([letter], now)


def _is_free(player: PlayerRecord, mail: str) -> bool:
    try:
        check_free(player, mail)
    except Refused:
        return False
    return True


def ask_for_merger(gone: PlayerRecord, kept: PlayerRecord, reason: str, now: int) -> int:
    """All of one player shall go to another, in the caller's transaction; nobody has to press."""
    call_off(gone.id, now)
    change = _insert(
        player=gone.id,
        other=kept.id,
        reason=reason,
        asked_at=now,
        confirmed_at=now,
        is_merger=True,
    )
    alarms.arm(alarms.ADDRESS, change, now + WAITS)
    return change


def _insert(**columns: Any) -> int:
    return int(AddressChange.insert(**columns).execute())


def _update(change: int, **columns: Any) -> None:
    AddressChange.update(**columns).where(AddressChange.id == change).execute()


def call_off(player: int, now: int) -> bool:
    """The address stays as it is; whether a change was waiting.

    Of a merger, the player who would have stayed is told here.
    """
    with writing():
        asked = waiting(player, now)
        if asked is None:
            return False
        hold(asked.id)
        found = waiting(player, now)
        if found is None or found.id != asked.id:
            return False
        _update(found.id, ended_at=now)
        alarms.disarm(alarms.ADDRESS, found.id)
        if found.is_merger:
            tell_apart(found, found.other, now)
        elif not is_used(get_player(found.other)):  # its owner has links of his own
            epochs.raise_player(found.other, now)
        return True


def object_to(player: int, now: int) -> None:
    """Who reads the old address stops a change; that is for moderators to know."""
    with writing():
        found = waiting(player, now)
        if found is not None and call_off(player, now):
            enter(found, "merger_objected" if found.is_merger else "address_objected", {}, now)


def works_again(player: int, now: int) -> None:
    """A player whom letters did not reach says that they do: what was missed is written anew."""
    with writing():
        revocation.hold(player)
        unreachable.reached(player, now)


# --- confirming -----------------------------------------------------------------------------------


def confirm(change_id: int, now: int) -> None:
    """The owner of the new address has pressed: it is the player's, once it was waited for."""
    with writing():
        change = _locked(change_id)
        if change is None or not change.waits(now):
            raise Stale("this link is no longer valid; ask the moderators for another")
        if is_used(get_player(change.other)):
            raise Refused("someone already plays with this address; ask the moderators")
        if change.confirmed_at is None:
            _update(change.id, confirmed_at=now)
            enter(change, "address_confirmed", {}, now)
            come_into_force(change.id, now)


def expected_at(change: Change, now: int) -> int:
    """When a change comes into force at the earliest, as far as is known now."""
    if refuses_letters(change.player):
        return now
    key = f"{TOLD}:{change.player}:{stop_key(change.id)}"
    letter = Outbox.select(Outbox.state, Outbox.sent_at).where(Outbox.dedupe == key).first()
    is_on_its_way = letter is not None and letter.state in ("queued", "leased")
    told_at = letter.sent_at if letter is not None and letter.state == "sent" else change.asked_at
    return max(now + HOUR if is_on_its_way else now, told_at + WAITS)


def refuses_letters(player: int) -> bool:
    """Whether the address of a player refuses letters, so that nobody there could object.

    Who has a full mailbox may empty it, and object.
    """
    state = addresses.state_of(player)
    return state.arrival == "bouncing" and any(one.report != "soft" for one in state.trouble)


def waited_for(change_id: int, now: int) -> Change | None:
    """A change that nothing stands against any more; None, or an alarm for later, if it does."""
    change = _locked(change_id)
    alarms.disarm(alarms.ADDRESS, change_id)
    if change is None or change.confirmed_at is None or not change.waits(now):
        return None
    at = expected_at(change, now)
    if at > now:
        alarms.arm(alarms.ADDRESS, change.id, at)
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
    _update(change.id, ended_at=now, is_done=True)
    _swap(player, other, now)
    supersede_written(player.id)
    unreachable.reached(player.id, now)  # before a new turn letter looks as if it had been read
    revocation.renew(player.id, now)
    for number, words in ((player.id, ARRIVED), (other.id, LEFT)):
        letter_queue.queue([telling(number, f"address:{change.id}", words, change.reason)], now)
    enter(change, "address_changed", detail, now)


def why_not_waited(change: Change) -> dict[str, Any]:
    """For the log: that nobody at the old address could object."""
    return {"why": "the old address refuses emails"} if refuses_letters(change.player) else {}


def _locked(change_id: int) -> Change | None:
    """A change, read while nobody else can write to it, nor to its players and their matches."""
    hold(change_id)
    _update(change_id, ended_at=AddressChange.ended_at)
    return find(change_id)


def hold(change_id: int) -> None:
    """Make others wait who write to the players of a change, or to their matches."""
    change = find(change_id)
    if change is not None:
        revocation.hold(change.player, change.other, also=revocation.touched_by(change.player))


def enter(change: Change, act: str, detail: dict[str, Any], now: int) -> None:
    subject = subject_of(change.player)
    audit_log.record(subject, act, subject, "", "", detail, now)


def _swap(player: PlayerRecord, other: PlayerRecord, now: int) -> None:
    Player.update(address=f"{other.id}@swap.invalid").where(Player.id == other.id).execute()
    for owner, mail in ((player, other.address), (other, player.address)):
        Player.update(
            address=mail,
            canonical_address=canonical_address(mail),
            search_text=accounts.search_text(owner.name, mail),
        ).where(Player.id == owner.id).execute()
        epochs.raise_player(owner.id, now)
    accounts.confirm(player.id, now)


def supersede_written(player: int) -> None:
    """Letters with bytes are for the old address; those without are written when they leave."""
    Outbox.update(state="superseded", mime=None, last_error="written for another address").where(
        Outbox.player == player,
        Outbox.state.in_(["queued", "leased"]),
        Outbox.mime.is_null(False) | (Outbox.kind == TOLD),
    ).execute()


# --- telling --------------------------------------------------------------------------------------


def telling(
    player: int, key: str, words: Words, reason: str, change: int | None = None
) -> letter_queue.QueuedLetter:
    """A letter to a player about what a moderator did; with the way to stop a change of address."""
    about = {"words": announcements.packed(words), "reason": reason}
    if change is not None:
        about["change"] = change
    return letter_queue.to_player(player, get_player(player).epoch, TOLD, key, **about)


def tell_apart(change: Change, player: int, now: int) -> None:
    """One of two players reads that a merger is called off."""
    letter_queue.queue([telling(player, f"apart:{change.id}", APART, change.reason)], now)


def stop_key(change: int) -> str:
    """Tells the letter to the old address, which can stop a change, from every other."""
    return f"change:{change}"


def subject_of(player: int) -> str:
    """How the log names a player."""
    return f"player {player}"
