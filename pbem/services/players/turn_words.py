"""Turn words: a word that stands in a letter and in no address, typed beside the button.

Machines open the links of letters, and some press the buttons that they find. Who reads the letter
can type its word; a machine that follows links cannot. A player may demand it, or a site for all.
A word follows from a key and from what its letter is about, so that nothing has to be kept: that
of a turn is another one for each turn, and dies with the links of its letter.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from peewee import EXCLUDED, Case, fn

from pbem.db.models import Match, MatchSeat, Turn, WrongWord
from pbem.db.reading import changed, every, value
from pbem.db.store import execute, writing
from pbem.deadlines import HOUR
from pbem.errors import Refused
from pbem.key_ring import ring
from pbem.links import ActLink, ConfirmLink, JoinLink, ReplyLink, StandLink, TurnLink
from pbem.services.players import accounts, limits
from pbem.services.records import letter_queue
from pbem.services.records.match_rows import GUEST, LIVE, TurnRecord, get_match, open_turns
from pbem.services.records.player_rows import PlayerRecord, get_player

PURPOSE = "pbem.word.v1"
ALPHABET = "bcdfghjkmnpqrstvwxz"
"""No vowels, so that it spells nothing; no letter that looks like another or like a digit."""
LENGTH = 5
MOST_WRONG = 5
"""Wrong words for each link and hour."""
QUICK, TOO_MANY = 10, 2
"""A move so many seconds after its letter is quick; after so many of them words are offered."""

Scope = tuple[str | int, ...]
"""What a word is good for."""


class Settings:
    """What the settings of this process say."""

    demands_words = False


settings = Settings()


class WordNeeded(Refused):
    """The word of the letter is missing or wrong."""


class TooManyWords(WordNeeded):
    """So many wrong words were typed that the right one has to wait."""


def is_demanded(player: PlayerRecord) -> bool:
    return settings.demands_words or player.turn_word


# --- words ----------------------------------------------------------------------------------------


def word(scope: Scope) -> str:
    """The word to print in a letter, of the newest key."""
    *_, key = ring.derived(PURPOSE).values()
    return _word(key, scope)


def _word(key: bytes, scope: Scope) -> str:
    number = int.from_bytes(hmac.digest(key, msgspec.json.encode(scope), "sha256"))
    letters = ""
    for _ in range(LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters += ALPHABET[place]
    return letters


def _fits(typed: str, scopes: Iterable[Scope]) -> bool:
    """Whether a word is that of one of these scopes under a key that we have."""
    said, keys = "".join(typed.split()).lower(), ring.derived(PURPOSE).values()
    words = [_word(key, scope) for scope in scopes for key in keys]
    return any(hmac.compare_digest(one.encode(), said.encode(errors="replace")) for one in words)


def scopes_of(link: msgspec.Struct, player: PlayerRecord) -> list[Scope]:
    """Whose words are taken with a link: that of its letter first, that of the own page always."""
    own: Scope = ("player", player.id, player.epoch)
    match link:
        case TurnLink():
            return [("turn", link.match, link.seat, link.turn, link.epoch), own]
        case ActLink() | ReplyLink():
            return [_of_seat(link.match, link.seat, link.epoch), own]
        case JoinLink():
            return [("join", link.match, link.seat, link.player, link.epoch), own]
        case ConfirmLink():
            return [("confirm", link.player, link.epoch, link.match), own]
        case StandLink():
            return [("stand", link.loan, link.player, link.epoch), own]
    return [own, *(_of_seat(*seat) for seat in _seats_of(player.id))]


def _of_seat(match: str, seat: int, epoch: int) -> Scope:
    """The word of the newest turn of a seat, as all its letters since have it."""
    newest = value(Turn.select(fn.MAX(Turn.id)).where(Turn.match == match, Turn.seat == seat))
    return ("turn", match, seat, newest or 0, epoch)


class _Seat(NamedTuple):
    match: str
    number: int
    epoch: int


def _seats_of(player: int) -> list[_Seat]:
    taken = MatchSeat.select(MatchSeat.match, MatchSeat.number, MatchSeat.epoch).join(Match)
    taken = taken.where(MatchSeat.player == player, Match.status == LIVE)
    return every(taken.order_by(MatchSeat.id), _Seat)


# --- typed ----------------------------------------------------------------------------------------


def check(token: str, typed: str, scopes: Iterable[Scope], now: int) -> None:
    """Whether the word of a letter was typed beside the button; WordNeeded says what is wrong."""
    link = hashlib.sha256(token.encode()).hexdigest()
    counted = WrongWord.select(WrongWord.count)
    wrong = value(counted.where(WrongWord.link == link, WrongWord.since > now - HOUR))
    if wrong is not None and wrong >= MOST_WRONG:
        raise TooManyWords(
            "%(most)s wrong words were typed with this link; try again in an hour", most=MOST_WRONG
        )
    if not typed.strip():
        raise WordNeeded("type the word that stands in your letter")
    if not _fits(typed, scopes):
        _count(link, now)
        raise WordNeeded("this is not the word of the newest letter; look there once more")


def _count(link: str, now: int) -> None:
    with writing():
        lasts = WrongWord.since > now - HOUR
        WrongWord.insert(link=link, count=1, since=now).on_conflict(
            conflict_target=[WrongWord.link],
            update={
                WrongWord.count: Case(None, [(lasts, WrongWord.count + 1)], 1),
                WrongWord.since: Case(None, [(lasts, WrongWord.since)], EXCLUDED.since),
            },
        ).execute()


def prune(now: int) -> int:
    return changed(WrongWord.delete().where(WrongWord.since <= now - HOUR))


# --- sent -----------------------------------------------------------------------------------------


def send(link: msgspec.Struct, player: PlayerRecord, now: int) -> None:
    """A fresh letter with a word, for who has only older ones: at most one an hour.

    A machine that presses every button of every letter gets no more than a day's number of them.
    """
    with writing():
        if not limits.may_write("word", player.address, now):
            return
        if isinstance(link, TurnLink | ActLink) and _send_turns(link.match, link.seat, now):
            return
        if player.confirmed_at is None and isinstance(link, JoinLink | ConfirmLink) and link.match:
            letter_queue.queue([_first_letter(link, player, now)], now)
        else:
            accounts.ask_for_own_page(player.address, now)


def _first_letter(
    link: JoinLink | ConfirmLink, player: PlayerRecord, now: int
) -> letter_queue.QueuedLetter:
    """The letter once more that has brought somebody here who is no player yet."""
    again = f"word:{now // HOUR}"
    if isinstance(link, ConfirmLink):
        key, about = f"{link.match}:{again}", {"match": link.match}
        return letter_queue.to_player(player.id, player.epoch, "confirm", key, **about)
    if get_match(link.match).seat(link.seat).status == GUEST:
        return _about_seat("keep_match", link, player, again)
    return _about_seat("invitation", link, player, again)


def _about_seat(
    kind: str, link: JoinLink, player: PlayerRecord, again: str
) -> letter_queue.QueuedLetter:
    return letter_queue.QueuedLetter(
        kind=kind,
        player=player.id,
        key=f"{kind}:{link.match}:{link.seat}:{player.id}:{link.epoch}:{again}",
        stream=f"player/{player.id}",
        epoch=link.epoch,
        match=link.match,
        seat=link.seat,
    )


def send_all(player: int, now: int) -> None:
    """Somebody demands words from now on: what waits comes once more by letter, with its word."""
    for seat in _seats_of(player):
        _send_turns(seat.match, seat.number, now)
    accounts.ask_for_own_page(get_player(player).address, now)


def _send_turns(match_id: str, number: int, now: int) -> bool:
    match = get_match(match_id)
    asked = [turn for turn in open_turns(match.id) if turn.seat == number]
    for turn in asked:
        about = {"from": turn.opened_seq, "seq": match.head_seq}
        key = f"{turn.id}:word:{now // HOUR}"
        letter_queue.queue(
            [letter_queue.to_seat(match, match.seat(number), "turn", key, turn.id, **about)], now
        )
    return bool(asked)


# --- offered --------------------------------------------------------------------------------------


def is_offered(player: PlayerRecord) -> bool:
    """Whether moves came so quickly that a machine may have made them."""
    return player.quick_moves >= TOO_MANY and not is_demanded(player)


def is_quick(turn: TurnRecord, now: int) -> bool:
    """Whether a machine may be pressing the buttons of a letter that has just left."""
    return turn.started_at is not None and now - turn.started_at <= QUICK


def note_speed(turn: TurnRecord, player: int | None, now: int) -> None:
    """Count a move that came within seconds of its letter, in the transaction of the move."""
    if player is None or not turn.is_open or not is_quick(turn, now):
        return
    execute(_COUNT_QUICK_MOVE, player, f"{turn.match}/{turn.seat}", turn.id, now - QUICK)


_COUNT_QUICK_MOVE = (
    "UPDATE player SET quick_moves = quick_moves + 1 WHERE id = ? AND EXISTS (SELECT 1 FROM outbox"
    " WHERE stream = ? AND turn = ? AND kind = 'turn' AND state = 'sent' AND sent_at >= ?)"
)
"""By hand: it is part of a move, and peewee takes 20 % of a POST to build it (280 us)."""
