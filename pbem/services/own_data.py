"""What is stored about one player: shown on request, and taken away on request."""

from __future__ import annotations

from typing import Any

from pbem.errors import Refused
from pbem.services import matches, people
from pbem.services.records import (
    FORMING,
    INVITED,
    LIVE,
    MatchRecord,
    SeatRecord,
    get_match,
    get_player,
)
from pbem.store import execute, rows, writing

DELETED_DOMAIN = "deleted.invalid"
ALL = 1_000_000


def export(player: int) -> dict[str, Any]:
    """Everything kept about a player; of matches only the player's own part."""
    person = get_player(player)
    return {
        "player": {**person._asdict()},
        "seats": [_seat(match, seat) for match, seat in _seats(player)],
        "matches_started": [
            match for (match,) in rows("SELECT id FROM match WHERE creator_id = ?", player)
        ],
        "letters": [
            {"kind": kind, "match": match, "state": state, "written_at": at, "sent_at": sent}
            for kind, match, state, at, sent in rows(
                "SELECT kind, match_id, state, created_at, sent_at FROM outbox"
                " WHERE player_id = ? ORDER BY id",
                player,
            )
        ],
    }


def _seats(player: int) -> list[tuple[MatchRecord, SeatRecord]]:
    """Every seat of a player, with its match."""
    found = {match.id: match for match in matches.matches_of(player, most=ALL)}
    return [
        (match, seat) for match in found.values() for seat in match.seats if seat.player == player
    ]


def _seat(match: MatchRecord, seat: SeatRecord) -> dict[str, Any]:
    """A seat of the player: what was said and ordered there, and nothing of the other side."""
    orders = rows(
        "SELECT seq, at, kind, text FROM entry WHERE match_id = ? AND actor = ? ORDER BY seq",
        match.id,
        seat.name,
    )
    drafts = rows(
        "SELECT d.orders, d.updated_at FROM draft d JOIN turn t ON t.id = d.turn_id"
        " WHERE t.match_id = ? AND t.seat = ?",
        match.id,
        seat.number,
    )
    return {
        "match": match.id,
        "game": match.game_name,
        "status": match.status,
        "result": match.result,
        "seat": seat.name,
        "seat_status": seat.status,
        "phrase": seat.phrase,
        "orders": [
            {"seq": seq, "at": at, "kind": kind, "text": text} for seq, at, kind, text in orders
        ],
        "messages": [
            {"at": said.at, "text": said.text}
            for said in matches.messages(match.id)
            if said.seat == seat.number
        ],
        "drafts": [{"orders": text, "updated_at": at} for text, at in drafts],
    }


def settle(player: int, name: str, language: str, zone: str, news: bool) -> None:
    """New settings of a player, all of them or none."""
    with writing():
        people.change(player, name=name, language=language, zone=zone)
        people.set_news(player, news)


def live_matches(player: int) -> list[MatchRecord]:
    return [match for match in matches.matches_of(player, most=ALL) if match.status == LIVE]


def delete(player: int, now: int) -> None:
    """Forget a player: the address, the name, the messages; moves stay, without a person.

    Invitations are declined and matches that have not begun are called off; while one is being
    played, Refused says so.
    """
    with writing():
        if live_matches(player):
            raise Refused("a match of yours is still being played; finish or resign it first")
        _leave_what_has_not_begun(player, now)
        for match, seat in _seats(player):
            execute("DELETE FROM message WHERE match_id = ? AND seat = ?", match.id, seat.number)
        execute("DELETE FROM outbox WHERE player_id = ?", player)
        execute(
            "UPDATE player SET address = ?, name = '', language = 'en', zone = 'UTC',"
            " confirmed_at = NULL, news = ?, epoch = ? WHERE id = ?",
            f"{player}@{DELETED_DOMAIN}",
            False,
            max(now, get_player(player).epoch + 1),
            player,
        )


def _leave_what_has_not_begun(player: int, now: int) -> None:
    """Decline where only invited, call off where seated or where the match is the player's own."""
    for match in matches.matches_of(player, most=ALL):
        own = [seat for seat in match.seats if seat.player == player]
        if get_match(match.id).status != FORMING:
            continue
        if all(seat.status == INVITED for seat in own) and match.creator != player:
            matches.decline(match.id, own[0].number, player, now)
        else:
            matches.cancel(match.id, own[0].name, now)
    unseated = rows("SELECT id FROM match WHERE creator_id = ? AND status = ?", player, FORMING)
    for (match_id,) in unseated:
        matches.cancel(match_id, "", now)
