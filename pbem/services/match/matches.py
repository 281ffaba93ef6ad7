"""Matches: made, listed, ended by a word of their players, their links sent again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from peewee import JOIN

from engine.abilities import StandIns
from engine.chance import SECRET_BYTES, QuickDice, commitment
from engine.core import Json, Seat
from engine.game import Game
from engine.registry import GAMES
from engine.sparring import Strengths
from engine.text import printable
from pbem.db.models import Match, MatchSeat
from pbem.db.reading import column, every
from pbem.db.store import writing
from pbem.deadlines import Clock
from pbem.errors import Refused, Stale
from pbem.services.match import joining, turns
from pbem.services.players import accounts, bans, limits, process_settings, seat_alerts
from pbem.services.records import epochs, letter_queue
from pbem.services.records.match_rows import (
    FORMING,
    GUEST,
    INVITED,
    JOINED,
    LIVE,
    MACHINE,
    OPEN,
    OVER,
    PRIVATE,
    PUBLIC,
    VISIBILITIES,
    MatchRecord,
    get_match,
    lock_match,
    open_turns,
)
from pbem.services.records.player_rows import get_player
from pbem.services.seats import draw_offers, heirs, invitations, stand_ins
from pbem.services.time import alarms, clock_settings

DAY = 86_400
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
    machines: frozenset[str] = frozenset()
    """Seats that the stand-in player of the game plays."""
    zone: str = ""
    """Of the person who asks, if it is known."""
    by_lot: bool = False
    """Whether the sides are drawn when the match begins."""
    guest: str = ""
    """The seat of somebody who leaves no address; then the computer plays all others."""
    strength: str = ""
    """Of the computer, by the game's own word; empty: as usual."""
    reliable_only: bool = False
    """Whether free seats are only for players who are known to answer in time."""
    visibility: str = PUBLIC
    """Who may see it; a match with a guest is private, since nobody has asked the guest."""
    rematch_of: str | None = None
    """The match that is played once more; whoever asks for it is known by a link of that one.

    Only there can one address have several seats, as it had before.
    """


def create(wanted: Wanted, now: int) -> str:
    """Make a match with its commitment; owe the letters that bring people to it."""
    if wanted.game not in GAMES:
        raise no_game(wanted.game)
    seats = _seats(wanted)
    clock = wanted.clock or clock_settings.usual(wanted.pace, len(seats))
    clock_settings.check_policy(GAMES[wanted.game], clock, len(seats))
    check_visibility(wanted.visibility)
    secret, match = secrets.token_bytes(SECRET_BYTES), new_id()
    with writing():
        creator = _creator(wanted, now)
        Match.insert(
            id=match,
            game=wanted.game,
            rules_version=GAMES[wanted.game].rules_version,
            setup=msgspec.json.encode(dict(wanted.setup)).decode(),
            status=FORMING,
            head_seq=-1,
            timeline=0,
            secret=secret.hex(),
            commitment=commitment(match, secret),
            pace=clock.pace,
            clock=msgspec.json.encode(clock).decode(),
            listed=_has_open_seat(wanted),
            creator=creator,
            created_at=now,
            by_lot=wanted.by_lot,
            strength=wanted.strength,
            has_remarks=len(wanted.machines) == len(seats) - 1,
            rematch_of=wanted.rematch_of,
            reliable_only=wanted.reliable_only,
            visibility=PRIVATE if wanted.guest else wanted.visibility,
        ).execute()
        for number, seat in enumerate(seats):
            mail = wanted.addresses.get(seat)
            _make_seat(match, number, seat, mail, _status(wanted, seat), now)
        alarms.arm(alarms.LAPSE, match, now + process_settings.settings.open_for)
        _bring_people(get_match(match), wanted, now)
        if wanted.guest:
            joining.start_if_full(match, now)
    return match


def _seats(wanted: Wanted) -> tuple[Seat, ...]:
    """The seats of the game under this setup, which is tried once with throw-away dice.

    BadSetup says what does not fit.
    """
    game = GAMES[wanted.game]
    game.new_game(wanted.setup, QuickDice(b"trial"))
    seats = game.seats(wanted.setup)
    unknown = sorted({*wanted.addresses, *wanted.machines, wanted.guest} - {*seats, ""})
    if unknown:
        raise no_seat(unknown[0], seats)
    _check_machines(wanted, seats)
    given = [mail for mail in wanted.addresses.values() if mail]
    if wanted.rematch_of is None and len(set(given)) < len(given):
        raise Refused("one address cannot hold two seats in this game")
    return seats


def _check_machines(wanted: Wanted, seats: Sequence[Seat]) -> None:
    game = GAMES[wanted.game]
    if wanted.machines and not isinstance(game, StandIns):
        raise Refused("the computer cannot play this game; every seat needs a person")
    if wanted.machines >= set(seats):
        raise Refused("the computer cannot play every seat; leave at least one to a person")
    check_strength(game, wanted.strength)
    both = sorted(seat for seat in wanted.machines if wanted.addresses.get(seat))
    if both:
        raise Refused(
            "the computer and an address cannot both have the seat “%(seat)s”; choose one",
            seat=both[0],
        )


def check_strength(game: Game[Any, Any, Any], strength: str) -> None:
    """Refused for a strength that the computer does not have in this game."""
    known = [one.name for one in game.strengths()] if isinstance(game, Strengths) else []
    if strength and strength not in known:
        raise Refused(
            "the computer cannot play “%(strength)s” in this game; choose from %(strengths)s",
            strength=printable(strength[:20]),
            strengths=", ".join(known) or "-",
        )


def check_visibility(wanted: str) -> None:
    if wanted not in VISIBILITIES:
        raise Refused(
            "a match cannot be “%(visibility)s”; choose from %(known)s",
            visibility=printable(wanted[:20]),
            known=", ".join(VISIBILITIES),
        )


def _status(wanted: Wanted, seat: Seat) -> str:
    """Of a seat in a new match."""
    if seat in wanted.machines:
        return MACHINE
    if seat == wanted.guest:
        return GUEST
    return INVITED if wanted.addresses.get(seat) else OPEN


def _has_open_seat(wanted: Wanted) -> bool:
    return any(_status(wanted, Seat(seat)) == OPEN for seat in wanted.addresses)


def no_game(name: str) -> Refused:
    return Refused(
        "there is no game “%(game)s”; choose from %(games)s",
        game=printable(name[:40]),
        games=", ".join(GAMES),
    )


def no_seat(name: str, seats: Sequence[str]) -> Refused:
    return Refused(
        "there is no seat “%(seat)s”; choose from %(seats)s",
        seat=printable(name[:40]),
        seats=", ".join(seats),
    )


def _creator(wanted: Wanted, now: int) -> int | None:
    if wanted.creator is None:
        return None
    player = accounts.known_or_new(wanted.creator, now, wanted.language)
    if player.confirmed_at is None:
        zone = wanted.zone or None
        accounts.change(player.id, name=wanted.name or None, language=wanted.language, zone=zone)
    return player.id


def _make_seat(match: str, number: int, name: str, mail: str | None, status: str, now: int) -> None:
    player = accounts.known_or_new(mail, now).id if mail else None
    MatchSeat.insert(
        match=match,
        number=number,
        name=name,
        player=player,
        status=status,
        epoch=now,
    ).execute()


def _bring_people(match: MatchRecord, wanted: Wanted, now: int) -> None:
    """Whoever starts a match vouches for it by letter first, since anybody can type an address.

    Who plays once more has typed nothing.
    """
    if match.creator is None:
        _check_welcome(wanted)
        joining.invite_all(match, now)
        seat_alerts.tell(match, now)
        return
    creator = get_player(match.creator)
    MatchSeat.update(phrase=joining.phrase_added(match, wanted.phrase)).where(
        MatchSeat.match == match.id, MatchSeat.player == creator.id
    ).execute()
    if wanted.rematch_of is not None:
        joining.confirmed(creator.id, now, match.id)
        return
    letter = letter_queue.to_player(creator.id, creator.epoch, "confirm", match.id, match=match.id)
    letter_queue.queue([letter], now)


def _check_welcome(wanted: Wanted) -> None:
    """An operator is told who is kept out; to others it looks as if nobody answered."""
    for mail in wanted.addresses.values():
        if mail and bans.is_refused(mail):
            raise Refused(
                "a moderator does not allow %(address)s to join new matches", address=mail
            )


def new_id() -> str:
    return accounts.new_id()


# --- the end by a word ---------------------------------------------------------------------------


def cancel(match_id: str, actor: str, now: int) -> None:
    """Call off a match that is not over, and tell everybody who sits at it."""
    with writing():
        match = lock_match(match_id)
        if match.status not in (FORMING, LIVE):
            raise Refused("only a match that is not over can be called off")
        seq = turns.note(match, "note", actor, "cancelled", now) if match.status == LIVE else -1
        joining.call_off(match, now)
        turns.close_all(match, seq, now)
        letter_queue.queue(letter_queue.to_all_seats(match, "cancelled", "cancelled"), now)


def resign(match_id: str, number: int, now: int) -> None:
    """Give up: an ally plays on with the seat; where there is none, the other side wins.

    Who gives up a seat that has come from an ally hands it on, and ends nothing.
    """
    with writing():
        match = _live(match_id)
        stand_ins.check_may_end(match.id, number)
        if heirs.is_inherited(match, number):
            heirs.hand_on(match.id, number, now)
        elif not heirs.inherit(match.id, number, now):
            turns.end(match, "resign", match.seat(number).name, "resign", now)


def offer_draw(match_id: str, number: int, now: int) -> bool:
    """Offer a draw, or accept the one that was offered; whether the match is over by it."""
    with writing():
        match = _live(match_id)
        stand_ins.check_may_end(match.id, number)
        own, offer = match.seat(number).player, draw_offers.draw_offer(match)
        others = [*offer.agreed_but(own), *offer.missing_but(own)]
        is_agreed = bool(others) and not offer.missing_but(own)
        if not is_agreed:
            limits.by_seat("draw", match.id, number, now)
        MatchSeat.update(draw_offered=True).where(
            MatchSeat.match == match.id, MatchSeat.number == number
        ).execute()
        if is_agreed:
            turns.end(match, "draw", match.seat(number).name, "draw agreed", now)
            return True
        for seat in others:
            letter = letter_queue.to_seat(
                match, seat, "message", f"draw:{number}:{now}", by=number, draw=True
            )
            letter_queue.queue([letter], now)
        return False


def accept_draw(match_id: str, number: int, now: int) -> bool:
    """Agree to the draw that others offer, as `offer_draw` does; Stale when nobody offers one.

    Who has agreed already does nothing by it.
    """
    with writing():
        match = _live(match_id)
        offer = draw_offers.draw_offer(match)
        others = offer.agreed_but(match.seat(number).player)
        if not others:
            raise Stale("nobody offers a draw any more")
        has_agreed = len(others) < len(offer.agreed)
        return False if has_agreed else offer_draw(match_id, number, now)


def decline_draw(match_id: str, number: int, now: int) -> None:
    """Say no to the draw that others offer; they are told."""
    with writing():
        match = _live(match_id)
        if not draw_offers.draw_offer(match).agreed_but(match.seat(number).player):
            raise Stale("nobody offers a draw any more")
        turns.let_draw_lapse(match, number, now)


def _live(match_id: str) -> MatchRecord:
    match = lock_match(match_id)
    if match.status != LIVE:
        raise Stale("the match is not in progress")
    return match


# --- links sent again ----------------------------------------------------------------------------


def ask_again(player: int, now: int) -> None:
    """The links of a player were renewed: what waits for a word comes once more by letter."""
    forming = [match for match in matches_of(player, ALL) if match.status == FORMING]
    for match in forming:
        if not joining.is_vouched_for(match):
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


# --- lists ---------------------------------------------------------------------------------------


def open_matches(most: int = 50) -> list[MatchRecord]:
    """Matches with a free seat that somebody vouches for, newest first; no private ones."""
    is_creators = (MatchSeat.match == Match.id) & (MatchSeat.player == Match.creator)
    is_vouched_for = Match.creator.is_null() | (MatchSeat.status == JOINED)
    found = Match.select(Match.id).join(MatchSeat, JOIN.LEFT_OUTER, on=is_creators)
    is_shown = Match.listed & (Match.visibility != PRIVATE)
    return _newest(found.where(is_shown, Match.status == FORMING, is_vouched_for), most)


def matches_of(player: int, most: int = 100) -> list[MatchRecord]:
    """Matches in which a player has a seat, newest first."""
    found = Match.select(Match.id).join(MatchSeat).where(MatchSeat.player == player)
    return _newest(found, most)


class Results(NamedTuple):
    """How the matches of a player have ended."""

    won: int = 0
    lost: int = 0
    drawn: int = 0


class _Ended(NamedTuple):
    """A match that is over, and what a player was in it."""

    game: str
    result: str | None
    name: str


def results_of(player: int) -> dict[str, Results]:
    """By game, of matches that are over and in which the player sat to the end."""
    seated = Match.select(Match.game, Match.result, MatchSeat.name).join(MatchSeat)
    seated = seated.where(MatchSeat.player == player, Match.status == OVER)
    found: dict[str, Results] = {}
    for game, result, name in every(seated, _Ended):
        known, winners = found.get(game, Results()), (result or "").split()
        if name in winners:
            known = known._replace(won=known.won + 1)
        elif winners in ([], ["draw"]):
            known = known._replace(drawn=known.drawn + 1)
        else:
            known = known._replace(lost=known.lost + 1)
        found[game] = known
    return found


def all_matches(most: int = 200) -> list[MatchRecord]:
    return _newest(Match.select(Match.id), most)


def _newest(found: Any, most: int) -> list[MatchRecord]:
    """The newest of the matches that a query finds."""
    newest = found.order_by(Match.created_at.desc()).limit(most)
    return [get_match(match) for match in column(newest)]
