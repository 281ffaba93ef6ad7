"""Matches: made, joined, begun, left, ended by agreement."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from engine.chance import SECRET_BYTES, QuickDice, commitment
from engine.core import Json, Seat
from engine.log import Entry
from engine.registry import GAMES
from engine.text import is_printable, printable
from pbem.db.store import execute, insert, rows, writing
from pbem.deadlines import Clock
from pbem.errors import Refused, Stale
from pbem.services.match import match_log, message_letters, turns
from pbem.services.players import accounts, bans, limits, names
from pbem.services.records import epochs, letter_queue
from pbem.services.records.match_rows import (
    CANCELLED,
    DECLINED,
    FORMING,
    INVITED,
    JOINED,
    LIVE,
    OPEN,
    MatchRecord,
    SeatRecord,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import invitations, stand_ins, unreachable
from pbem.services.time import clock_settings

DAY = 86_400
ID_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
ID_LENGTH = 10
LONGEST_MESSAGE = 1_000
ALL = 1_000_000


class Wanted(NamedTuple):
    """A match as somebody asks for it; seats by name, None for an open one."""

    game: str
    setup: Mapping[str, Json]
    pace: int
    addresses: Mapping[str, str | None]
    creator: str | None = None
    """The address of the person who asks; None for an operator."""
    name: str = ""
    language: str = "en"
    phrase: str = ""
    clock: Clock | None = None
    """All that is agreed on about time; None when that is the pace and nothing else."""


def create(wanted: Wanted, now: int) -> str:
    """Make a match with its commitment; owe the letters that bring people to it."""
    if wanted.game not in GAMES:
        raise no_game(wanted.game)
    seats = _seats(wanted)
    clock = wanted.clock or clock_settings.usual(wanted.pace, len(seats))
    secret, match = secrets.token_bytes(SECRET_BYTES), new_id()
    with writing():
        creator = _creator(wanted, now)
        execute(
            "INSERT INTO match (id, game, rules_version, setup, status, head_seq, timeline, secret,"
            " commitment, pace, clock, listed, creator_id, created_at)"
            " VALUES (?, ?, ?, ?, ?, -1, 0, ?, ?, ?, ?, ?, ?, ?)",
            match,
            wanted.game,
            GAMES[wanted.game].rules_version,
            msgspec.json.encode(dict(wanted.setup)).decode(),
            FORMING,
            secret.hex(),
            commitment(match, secret),
            clock.pace,
            msgspec.json.encode(clock).decode(),
            None in wanted.addresses.values(),
            creator,
            now,
        )
        for number, seat in enumerate(seats):
            _make_seat(match, number, seat, wanted.addresses.get(seat), now)
        _bring_people(get_match(match), wanted, now)
    return match


def _seats(wanted: Wanted) -> tuple[Seat, ...]:
    """The seats of the game under this setup, which is tried once with throw-away dice.

    BadSetup says what does not fit.
    """
    game = GAMES[wanted.game]
    game.new_game(wanted.setup, QuickDice(b"trial"))
    seats = game.seats(wanted.setup)
    unknown = sorted(set(wanted.addresses) - set(seats))
    if unknown:
        raise no_seat(unknown[0], seats)
    given = [mail for mail in wanted.addresses.values() if mail]
    if len(set(given)) < len(given):
        raise Refused("one address cannot hold two seats of this game")
    return seats


def no_game(name: str) -> Refused:
    return Refused(
        "there is no game “%(game)s”; there are %(games)s",
        game=printable(name[:40]),
        games=", ".join(GAMES),
    )


def no_seat(name: str, seats: Sequence[str]) -> Refused:
    return Refused(
        "there is no seat “%(seat)s”; there are %(seats)s",
        seat=printable(name[:40]),
        seats=", ".join(seats),
    )


def _creator(wanted: Wanted, now: int) -> int | None:
    if wanted.creator is None:
        return None
    player = accounts.known_or_new(wanted.creator, now, wanted.language)
    if player.confirmed_at is None:
        accounts.change(player.id, name=wanted.name or None, language=wanted.language)
    return player.id


def _make_seat(match: str, number: int, name: str, mail: str | None, now: int) -> None:
    player = accounts.known_or_new(mail, now).id if mail else None
    insert(
        "INSERT INTO seat (match_id, number, name, player_id, status, phrase, epoch, draw_offered)"
        " VALUES (?, ?, ?, ?, ?, '', ?, ?)",
        match,
        number,
        name,
        player,
        INVITED if player else OPEN,
        now,
        False,
    )


def _bring_people(match: MatchRecord, wanted: Wanted, now: int) -> None:
    """Whoever starts a match vouches for it by letter first, since anybody can type an address."""
    if match.creator is None:
        _check_welcome(wanted)
        _invite_all(match, now)
        return
    creator = get_player(match.creator)
    execute(
        "UPDATE seat SET phrase = ? WHERE match_id = ? AND player_id = ?",
        accounts.checked_phrase(wanted.phrase),
        match.id,
        creator.id,
    )
    letter = letter_queue.to_player(creator.id, creator.epoch, "confirm", match.id, match=match.id)
    letter_queue.queue([letter], now)


def _check_welcome(wanted: Wanted) -> None:
    """An operator is told who is kept out; to others it looks as if nobody answered."""
    for mail in wanted.addresses.values():
        if mail and bans.is_refused(mail):
            raise Refused("%(address)s is kept out of new matches by a moderator", address=mail)


def _invite_all(match: MatchRecord, now: int) -> None:
    for seat in match.seats:
        if seat.status == INVITED and seat.player is not None and seat.player != match.creator:
            invitations.queue(match, seat, seat.player, now)


def new_id() -> str:
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


# --- joining -------------------------------------------------------------------------------------


def confirmed(player: int, now: int, match: str | None = None) -> list[str]:
    """An address is confirmed and vouches for a match, or for all it has started; their ids."""
    with writing():
        bans.check(player)
        accounts.confirm(player, now)
        unreachable.reached(player, now)
        forming = rows("SELECT id FROM match WHERE creator_id = ? AND status = ?", player, FORMING)
        vouched = [found for (found,) in forming if match in (None, found)]
        for found in vouched:
            lock_match(found)
            execute(
                "UPDATE seat SET status = ? WHERE match_id = ? AND player_id = ?",
                JOINED,
                found,
                player,
            )
            _invite_all(get_match(found), now)
            _start_if_full(found, now)
        return vouched


def is_vouched_for(match: MatchRecord) -> bool:
    """Whether whoever started the match has said so by letter; an operator need not."""
    sits = [seat for seat in match.seats if seat.player == match.creator and seat.status == JOINED]
    return match.creator is None or bool(sits)


def ask_to_join(match_id: str, mail: str, language: str, now: int) -> None:
    """Somebody wants an open seat: a letter to the address, which confirms it."""
    with writing():
        match = lock_match(match_id)
        seat = next((seat for seat in match.seats if seat.status == OPEN), None)
        if match.status != FORMING or seat is None:
            raise Stale("no seat of this match is open any more")
        player = accounts.known_or_new(mail, now, language)
        if any(other.player == player.id for other in match.seats):
            raise Refused("this address has a seat in this match already")
        invitations.queue(match, seat, player.id, now)


class Joining(NamedTuple):
    """What a person says when accepting a seat."""

    name: str
    language: str
    zone: str
    phrase: str


def accept(match_id: str, number: int, player: int, joining: Joining, now: int) -> None:
    """Take the seat of an invitation; the last one to sit down starts the match."""
    with writing():
        match = lock_match(match_id)
        seat = match.seat(number)
        if match.status != FORMING or not _may_sit(seat, player):
            raise Stale("this seat is no longer free")
        bans.check(player)
        accounts.confirm(player, now)
        unreachable.reached(player, now)
        accounts.change(player, name=joining.name, language=joining.language, zone=joining.zone)
        names.check_apart(match_id, player, get_player(player).name)
        _sit_down(match, seat, player, accounts.checked_phrase(joining.phrase))
        _start_if_full(match_id, now)


def _may_sit(seat: SeatRecord, player: int) -> bool:
    return seat.status == OPEN or (seat.status == INVITED and seat.player == player)


def _sit_down(match: MatchRecord, seat: SeatRecord, player: int, phrase: str) -> None:
    execute(
        "UPDATE seat SET player_id = ?, status = ?, phrase = ? WHERE match_id = ? AND number = ?",
        player,
        JOINED,
        accounts.checked_phrase(phrase),
        match.id,
        seat.number,
    )


def decline(match_id: str, number: int, player: int, now: int) -> None:
    """Refuse an invitation; the match is off, and whoever sits at it is told."""
    with writing():
        match = lock_match(match_id)
        seat = match.seat(number)
        if match.status != FORMING or not _may_sit(seat, player):
            raise Stale("this seat is no longer free")
        if seat.status == OPEN:
            return
        execute(
            "UPDATE seat SET status = ? WHERE match_id = ? AND number = ?",
            DECLINED,
            match.id,
            number,
        )
        execute(
            "UPDATE match SET status = ?, ended_at = ?, listed = ? WHERE id = ?",
            CANCELLED,
            now,
            False,
            match.id,
        )
        letter_queue.queue(letter_queue.to_all_seats(match, "declined", "declined", by=number), now)


def cancel(match_id: str, actor: str, now: int) -> None:
    """Call off a match that is not over, and tell everybody who sits at it."""
    with writing():
        match = lock_match(match_id)
        if match.status not in (FORMING, LIVE):
            raise Refused("only a match that is not over can be called off")
        seq = turns.note(match, "note", actor, "cancelled", now) if match.status == LIVE else -1
        execute(
            "UPDATE match SET status = ?, ended_at = ?, listed = ? WHERE id = ?",
            CANCELLED,
            now,
            False,
            match.id,
        )
        execute(
            "UPDATE turn SET closed_seq = ?, closed_at = ?"
            " WHERE match_id = ? AND closed_seq IS NULL",
            seq,
            now,
            match.id,
        )
        letter_queue.queue(letter_queue.to_all_seats(match, "cancelled", "cancelled"), now)


def _start_if_full(match_id: str, now: int) -> None:
    match = get_match(match_id)
    if all(seat.status == JOINED for seat in match.seats):
        _start(match, now)


def _start(match: MatchRecord, now: int) -> None:
    """Deal: the first entry, the first snapshot, the first turns and letters."""
    dice = match_log.LiveDice(match, 0)
    step = match.game.new_game(match.setup, dice)
    match_log.append(match, [Entry(0, "setup", "", "", dice.draws)], now, [step.events])
    execute(
        "UPDATE match SET status = ?, started_at = ?, listed = ? WHERE id = ?",
        LIVE,
        now,
        False,
        match.id,
    )
    match_log.keep_snapshot(match, 0, step.state)
    match = get_match(match.id)
    opened = turns.open_first(match, step.state, now)
    letter_queue.queue(letter_queue.to_all_seats(match, "started", "started", seq=0), now)
    asked = [
        letter_queue.to_seat(
            match, match.seat(number), "turn", str(turn), turn, **{"from": 0, "seq": 0}
        )
        for number, turn in opened.items()
    ]
    letter_queue.queue(asked, now)


# --- leaving, agreeing, talking ------------------------------------------------------------------


def resign(match_id: str, number: int, now: int) -> None:
    """Give up: the other side wins."""
    with writing():
        match = _live(match_id)
        stand_ins.check_may_end(match.id, number)
        turns.end(match, "resign", match.seat(number).name, "resign", now)


def offer_draw(match_id: str, number: int, now: int) -> bool:
    """Offer a draw, or accept the one that was offered; whether the match is over by it."""
    with writing():
        match = _live(match_id)
        stand_ins.check_may_end(match.id, number)
        others = [s for s in match.seats if s.number != number and s.status == JOINED]
        is_agreed = bool(others) and all(seat.draw_offered for seat in others)
        if not is_agreed:
            limits.by_seat("draw", match.id, number, now)
        execute(
            "UPDATE seat SET draw_offered = ? WHERE match_id = ? AND number = ?",
            True,
            match.id,
            number,
        )
        if is_agreed:
            turns.end(match, "draw", match.seat(number).name, "draw agreed", now)
            return True
        for seat in others:
            letter = letter_queue.to_seat(
                match, seat, "message", f"draw:{number}:{now}", by=number, draw=True
            )
            letter_queue.queue([letter], now)
        return False


def say(match_id: str, number: int, text: str, now: int) -> None:
    """A message to the other seats: plain text, kept with the match, mailed to them."""
    words = checked_message(text)
    with writing():
        match = lock_match(match_id)
        if match.status == FORMING:
            raise Refused("messages can be written once the match has begun")
        bans.check_may_write(match.seat(number).player)
        message_letters.check_few(match, number, now)
        message = insert(
            "INSERT INTO message (match_id, seat, at, text) VALUES (?, ?, ?, ?)",
            match.id,
            number,
            now,
            words,
        )
        for seat in match.seats:
            if seat.number != number and seat.player is not None:
                message_letters.queue(match, seat, message, now)


def checked_message(text: str) -> str:
    words = "\n".join(line.rstrip() for line in text.strip().splitlines())
    if not words:
        raise Refused("the message is empty")
    if len(words) > LONGEST_MESSAGE:
        raise Refused(
            "a message has up to %(most)s characters; this has %(count)s",
            most=LONGEST_MESSAGE,
            count=len(words),
        )
    if not is_printable(words.replace("\n", " ")):
        raise Refused("a message is plain text without control characters")
    return words


class Said(NamedTuple):
    id: int
    seat: int
    at: int
    text: str


def messages(match_id: str, after: int = 0) -> list[Said]:
    found = rows(
        "SELECT id, seat, at, text FROM message WHERE match_id = ? AND id > ? ORDER BY id",
        match_id,
        after,
    )
    return [Said(*values) for values in found]


def ask_again(player: int, now: int) -> None:
    """The links of a player were renewed: what waits for a word comes once more by letter."""
    forming = [match for match in matches_of(player, ALL) if match.status == FORMING]
    for match in forming:
        if not is_vouched_for(match):
            if match.creator == player:
                epoch = get_player(player).epoch
                key = f"{match.id}:{epoch}"
                letter = letter_queue.to_player(player, epoch, "confirm", key, match=match.id)
                letter_queue.queue([letter], now)
            continue
        for seat in match.seats:
            if seat.player == player and seat.status == INVITED:
                invitations.queue(match, seat, player, now)


def revoke_links(match_id: str, number: int, now: int) -> None:
    """Somebody else may have the seat's letters: kill its links and send fresh ones."""
    with writing():
        match = lock_match(match_id)
        epoch = epochs.raise_seat(match.id, number, now)
        match = get_match(match_id)
        for turn in open_turns(match.id):
            if turn.seat == number:
                letter = letter_queue.to_seat(
                    match,
                    match.seat(number),
                    "turn",
                    f"{turn.id}:{epoch}",
                    turn.id,
                    **{"from": turn.opened_seq, "seq": match.head_seq},
                )
                letter_queue.queue([letter], now)


def _live(match_id: str) -> MatchRecord:
    match = lock_match(match_id)
    if match.status != LIVE:
        raise Stale("the match is not being played")
    return match


# --- lists ---------------------------------------------------------------------------------------


def open_matches(most: int = 50) -> list[MatchRecord]:
    """Matches with a free seat that somebody vouches for, newest first."""
    found = rows(
        "SELECT m.id FROM match m LEFT JOIN seat s ON s.match_id = m.id"
        " AND s.player_id = m.creator_id WHERE m.listed = ? AND m.status = ?"
        " AND (m.creator_id IS NULL OR s.status = ?) ORDER BY m.created_at DESC LIMIT ?",
        True,
        FORMING,
        JOINED,
        most,
    )
    return [get_match(match) for (match,) in found]


def matches_of(player: int, most: int = 100) -> list[MatchRecord]:
    found = rows(
        "SELECT m.id FROM match m JOIN seat s ON s.match_id = m.id WHERE s.player_id = ?"
        " ORDER BY m.created_at DESC LIMIT ?",
        player,
        most,
    )
    return [get_match(match) for (match,) in found]


def all_matches(most: int = 200) -> list[MatchRecord]:
    found = rows("SELECT id FROM match ORDER BY created_at DESC LIMIT ?", most)
    return [get_match(match) for (match,) in found]
