"""What is stored about one player: shown on request, and taken away on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.db.models import Absence, Draft, Entry, Match, Message, Outbox, Player, Turn
from pbem.db.reading import column
from pbem.db.store import writing
from pbem.errors import Refused
from pbem.services.match import joining, matches, messages
from pbem.services.players import accounts, bans, blocks, devices, seat_alerts
from pbem.services.records import epochs, incoming_mails
from pbem.services.records.match_rows import FORMING, INVITED, LIVE, MatchRecord, get_match
from pbem.services.records.player_rows import PlayerRecord, get_player
from pbem.services.seats import loans, notes, seat_history, stand_ins
from pbem.services.seats.seat_history import Held
from pbem.services.self_service import address_changes, reports, revocation
from pbem.services.time import absences, alarms

DELETED_DOMAIN = "deleted.invalid"


def export(player: int, for_moderator: bool = False) -> dict[str, Any]:
    """Everything kept about a player; of matches only the player's own part.

    A moderator gets nothing of matches that are being played but that they are.
    """
    person = get_player(player)
    return {
        "player": {**person._asdict(), "banned_at": bans.banned_since(player)},
        "other_addresses": address_changes.known_addresses(player),
        "devices": [seen._asdict() for seen in devices.times_of(player)],
        "seats": [
            _outline(match, number, held)
            if for_moderator and match.status == LIVE
            else _seat(match, number, held)
            for match, number, held in _seats(player)
        ],
        "absences": [
            {"start_at": one.start, "end_at": one.end, "is_floating": one.is_floating}
            for one in absences.of(player)
        ],
        "loans": [
            {
                "match": loan.match,
                "seat": get_match(loan.match).seat(loan.seat).name,
                "part": "owner" if loan.owner == player else "stand_in",
                "start_at": loan.start,
                "end_at": loan.end,
                "state": loan.state,
            }
            for loan in loans.concerning(player)
        ],
        "notes": [] if for_moderator else [one._asdict() for one in notes.all_of(player)],
        "blocked": [] if for_moderator else [_blocked(one) for one in blocks.shown(player)],
        "seat_alerts": sorted(seat_alerts.games_of(player)),
        "reports": [] if for_moderator else [_report(one) for one in reports.of_reporter(player)],
        "matches_started": column(Match.select(Match.id).where(Match.creator == player)),
        "letters": _letters(player),
        "mails": incoming_mails.of_player(player),
    }


def _blocked(one: blocks.Blocked) -> dict[str, Any]:
    """Who was blocked, as that one was called, and when."""
    return {"name": one.name, "at": one.at}


def _letters(player: int) -> list[dict[str, Any]]:
    """What was written to the player and when; never what it said."""
    found = Outbox.select(
        Outbox.kind, Outbox.match, Outbox.state, Outbox.created_at, Outbox.sent_at
    )
    return [
        {
            "kind": letter.kind,
            "match": letter.match,
            "state": letter.state,
            "written_at": letter.created_at,
            "sent_at": letter.sent_at,
        }
        for letter in found.where(Outbox.player == player).order_by(Outbox.id).namedtuples()
    ]


def _report(report: reports.Report) -> dict[str, Any]:
    """What the player has reported, with the answers."""
    return {
        "about": report.about,
        "match": report.match,
        "words": report.words,
        "state": report.state,
        "lines": [
            {"at": line.at, "author": line.author, "text": line.text}
            for line in reports.lines(report.id)
        ],
    }


def _seats(player: int) -> list[tuple[MatchRecord, int, list[Held]]]:
    """Every seat that a player holds or has held, with the times in which it was so."""
    times = seat_history.held_by(player)
    seats = sorted({(held.match, held.seat) for held in times})
    return [
        (get_match(match), seat, [one for one in times if (one.match, one.seat) == (match, seat)])
        for match, seat in seats
    ]


def _seat(match: MatchRecord, number: int, held: Sequence[Held]) -> dict[str, Any]:
    """A seat of the player: what was said and ordered there in the player's own time.

    The phrase is of whoever sat down first, what is composed of whoever sits there now.
    """
    seat = match.seat(number)
    is_first, is_last = held[0].start == 0, held[-1].end is None
    orders = Entry.select(Entry.seq, Entry.at, Entry.kind, Entry.text)
    orders = orders.where(Entry.match == match.id, Entry.actor == seat.name).order_by(Entry.seq)
    drafts = Draft.select(Draft.orders, Draft.updated_at).join(Turn)
    drafts = drafts.where(Turn.match == match.id, Turn.seat == number)
    return {
        **_outline(match, number, held),
        "phrase": seat.phrase if is_first else "",
        "orders": [
            {"seq": order.seq, "at": order.at, "kind": order.kind, "text": order.text}
            for order in orders.namedtuples()
            if _is_own(held, order.at)
        ],
        "messages": [{"at": said.at, "text": said.text} for said in _messages(match, number, held)],
        "drafts": [
            {"orders": draft.orders, "updated_at": draft.updated_at}
            for draft in drafts.namedtuples()
            if is_last
        ],
    }


def _outline(match: MatchRecord, number: int, held: Sequence[Held]) -> dict[str, Any]:
    """That a seat is or was the player's, and nothing of what was done there."""
    seat = match.seat(number)
    return {
        "match": match.id,
        "game": match.game_name,
        "status": match.status,
        "result": match.result,
        "seat": seat.name,
        "seat_status": seat.status,
        "held": [{"from": one.start, "until": one.end} for one in held],
    }


def _messages(match: MatchRecord, number: int, held: Sequence[Held]) -> list[messages.Said]:
    found = [said for said in messages.of_match(match.id, number) if said.seat == number]
    return [said for said in found if _is_own(held, said.at)]


def _is_own(held: Sequence[Held], at: int) -> bool:
    return any(one.holds(at) for one in held)


def settle(player: int, name: str, language: str, zone: str, news: bool) -> None:
    """New settings of a player, all of them or none."""
    with writing():
        accounts.change(player, name=name, language=language, zone=zone)
        accounts.set_news(player, news)


def live_matches(player: int) -> list[MatchRecord]:
    return [match for match in matches.matches_of(player, matches.ALL) if match.status == LIVE]


def is_deleted(player: PlayerRecord) -> bool:
    return player.address.endswith(f"@{DELETED_DOMAIN}")


def delete(player: int, now: int) -> None:
    """Forget a player: address, name, habits, messages, absences; moves stay, without a person.

    Invitations are declined and matches that have not begun are called off; while one is being
    played, Refused says so.
    """
    with writing():
        hold(player)
        if live_matches(player):
            raise Refused("you still have a match in progress; finish or resign it first")
        leave_what_has_not_begun(player, now)
        for seat in revocation.seats_of(player):
            epochs.raise_seat(*seat, now)
        for match, number, held in _seats(player):
            for said in _messages(match, number, held):
                Message.delete().where(Message.id == said.id).execute()
        stand_ins.forget(player, now)
        notes.forget(player)
        blocks.forget(player)
        seat_alerts.choose(player, ())
        Absence.delete().where(Absence.player == player).execute()
        alarms.disarm(alarms.DIGEST, player)
        others = address_changes.forget(player)
        for row_of_player in (player, *others):
            _wipe(row_of_player, now)


def hold(player: int) -> None:
    """All that may change with a player who leaves, also where others sit."""
    others = address_changes.others_of(player)
    revocation.hold(player, *others, also=revocation.touched_by(player))


def _wipe(player: int, now: int) -> None:
    """A row that stays, because something points to it, and says nothing."""
    devices.forget(player)
    reports.forget(player, now)
    Outbox.delete().where(Outbox.player == player).execute()
    incoming_mails.forget(player)
    Player.update(
        address=f"{player}@{DELETED_DOMAIN}",
        name="",
        language="en",
        zone="UTC",
        confirmed_at=None,
        news=False,
        leads=None,
        digest_hour=None,
        days_off=(),
        night=None,
        reminders=False,
        stands_in=False,
        banned_at=None,
        turn_word=False,
        quick_moves=0,
        one_subject=False,
        receipts=False,
        public_id=None,
        hides_page=False,
        board_form="drawn",
        board_width=72,
        quiet_turns=False,
        canonical_address="",
        search_text="",
    ).where(Player.id == player).execute()
    epochs.raise_player(player, now)


def leave_what_has_not_begun(player: int, now: int) -> None:
    """Decline where only invited, call off where seated or where the match is the player's own."""
    for match in matches.matches_of(player, matches.ALL):
        own = [seat for seat in match.seats if seat.player == player]
        if get_match(match.id).status != FORMING:
            continue
        if all(seat.status == INVITED for seat in own) and match.creator != player:
            joining.decline(match.id, own[0].number, player, now)
        else:
            matches.cancel(match.id, own[0].name, now)
    unseated = Match.select(Match.id).where(Match.creator == player, Match.status == FORMING)
    for match_id in column(unseated):
        matches.cancel(match_id, "", now)
