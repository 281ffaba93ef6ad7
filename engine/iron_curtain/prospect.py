"""How good a position looks for a side: an estimate for sparring partners, never for the rules.

The points still to come are added up towards the US flag, and the sum is squeezed between -1 and 1;
the more turns are left, the less a lead is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, tanh
from typing import Any

from msgspec import Struct

from engine.core import Seat
from engine.iron_curtain.board import (
    FLAG_SPACE,
    ROUNDS,
    TURNS_IN_ROUND,
    Answer,
    CommandCard,
    Commanding,
    Frame,
    Gathering,
    Infiltrating,
    PlayCard,
    Relocating,
    Removing,
    UseCard,
)
from engine.iron_curtain.deck import (
    USA,
    USSR,
    Clear,
    Command,
    Deck,
    Effect,
    Gain,
    GainEach,
    Gather,
    Infiltrate,
    Remove,
    editions,
    remembered,
)
from engine.iron_curtain.scoring import score_aftermath
from engine.iron_curtain.state import State
from engine.iron_curtain.table import MOST_CARDS

SURE = 0.98
"""The most a position can be worth before the match is over."""
SPREAD_AT_END, SPREAD_PER_TURN = 1.0, 0.5
"""How many points make a lead safe."""
WAVER_AT_END, WAVER_PER_TURN = 0.2, 0.14
"""How easily a card still changes hands."""
TIE = 0.3
"""The last word of a level track."""
REACH = 0.4
"""A card that only one side reaches, as a part of a cube."""
TURNS_A_CARD = 2.0
"""How long a card that completes a region is waited for."""
HOLDER = 0.3
"""Deciding when a region is completed."""
POINT = 0.45
"""A command point or a cube still to be placed."""
CHOICE = 0.2
"""Choosing between event and command."""
CARD_IN_HAND = 0.7
"""What a card in hand is worth against one on the table."""
KEPT = 0.5
"""How often the card most wanted in the aftermath is kept for it."""
CUBE_OF_EVENT = 0.8
"""A cube of an event, bound to some cards, against a free command point."""
POINTS_FOR_EACH = 1.5
"""What an event brings that counts the cards led."""
RELOCATION = 2.0
"""Moving a card, in command points."""
FLAG_NEAR = 1.0
"""Points on the track beyond their number, because the flag ends the match."""


def prospect(state: State, seat: Seat) -> float:
    """From -1, lost, to 1, won; what is good for one side is as bad for the other."""
    if state.result is not None:
        return 1.0 if seat in state.result.winners else -1.0
    turns = turns_left(state)
    points = points_to_come(state, turns)
    worth = SURE * tanh(points / (SPREAD_AT_END + SPREAD_PER_TURN * turns))
    return worth if seat == USA else -worth


def turns_left(state: State) -> float:
    """Turns until the end; a turn that is under way counts half."""
    whole = ROUNDS * TURNS_IN_ROUND - TURNS_IN_ROUND * (state.round - 1) - state.turn
    return whole if isinstance(state.stack[-1], PlayCard) else whole + 0.5


def points_to_come(state: State, turns: float) -> float:
    """The track as it may stand at the end, towards the US flag."""
    near = state.track / FLAG_SPACE
    cards = _cards(
        state.variant.deck,
        state.variant.edition,
        state.hands,
        state.reserve,
        state.aftermath,
        state.round,
    )
    return (
        state.track
        + FLAG_NEAR * near * near * near
        + _regions(state, cards.coming, turns)
        + cards.worth
        + _under_way(state)
    )


# --- regions -------------------------------------------------------------------------------------


def _regions(state: State, coming: tuple[Coming, ...], turns: float) -> float:
    """Every region as the final scoring may find it, and those that may yet be completed.

    What is to be known of a card fits into its bytes: cubes, whether it is in reach, and with
    those of the USA whether it lies on the table.
    """
    table, deck, points = state.table, state.variant.deck, 0.0
    usa = table.usa | table.layout.laid << LAID | table.accessible(USA) << IN_REACH
    ussr = table.ussr | table.accessible(USSR) << IN_REACH
    for place, cards in enumerate(deck.sets.values()):
        whole = cards * 255
        points += _region(deck, place, usa & whole, ussr & whole, coming[place], turns)
    return points


LAID, IN_REACH = 6, 7
"""Bits in the byte of a card, which no number of cubes reaches."""


def _leads(usa: int, ussr: int, turns: float) -> tuple[float, ...]:
    """The lead of the USA on each card that is laid; reach counts while there are turns."""
    weight = REACH if turns >= 1 else 0.0
    found = []
    for us, su in zip(_bytes(usa), _bytes(ussr), strict=True):
        if us >> LAID & 1:
            reach = (us >> IN_REACH) - (su >> IN_REACH)
            found.append((us & MOST_CUBES) - (su & MOST_CUBES) + weight * reach)
    return tuple(found)


MOST_CUBES = (1 << LAID) - 1


def _bytes(number: int) -> bytes:
    return number.to_bytes(MOST_CARDS, "little")


class Coming(Struct, frozen=True):
    """Cards of a region still to be played: how many, how surely all of them, and held by whom."""

    cards: int = 0
    chance: float = 1.0
    held: int = 0
    """Those held by the USA less those held by the USSR."""


def _coming(
    deck: Deck, hands: tuple[tuple[str, ...], ...], reserve: tuple[str, ...], round_: int
) -> tuple[Coming, ...]:
    """What each region waits for; in the first round a hand leaves one of its cards over."""
    found = dict.fromkeys(deck.sets, Coming())
    for sign, cards in ((1, hands[0]), (-1, hands[1]), (0, reserve)):
        sure = 1.0 if sign == 0 or round_ == ROUNDS else 1 - 1 / max(1, len(cards))
        for card in cards:
            old = found[deck.region_of[card]]
            now = Coming(old.cards + 1, old.chance * sure, old.held + sign)
            found[deck.region_of[card]] = now
    return tuple(found.values())


@remembered
def _region(deck: Deck, place: int, usa: int, ussr: int, coming: Coming, turns: float) -> float:
    """What a region may give at the end, and before that if all of its cards can still come."""
    region = deck.regions[tuple(deck.sets)[place]]
    leads = _leads(usa, ussr, turns)
    points = _expected_score(leads + (0.0,) * coming.cards, region.bonus, turns)
    if 0 < coming.cards == region.size - len(leads):
        points += coming.chance * _completion(leads, coming, region.bonus, turns)
    return points


def _completion(leads: tuple[float, ...], coming: Coming, bonus: int, turns: float) -> float:
    """The points of a region that is completed during play, its last card still empty."""
    soon = min(turns, TURNS_A_CARD * coming.cards)
    score = _expected_score(leads + (0.0,) * (coming.cards - 1), bonus, soon)
    return score + HOLDER * coming.held / coming.cards


def _expected_score(leads: tuple[float, ...], bonus: int, turns: float) -> float:
    """Cards and bonus that a region may give, towards the USA."""
    waver = WAVER_AT_END + WAVER_PER_TURN * turns
    points, nets = 0.0, {0: 1.0}
    for lead in leads:
        ahead, behind = _chance((lead - 0.5) / waver), _chance((-lead - 0.5) / waver)
        points += ahead - behind
        nets = _one_card_more(nets, ahead, behind)
    return points + bonus * sum(chance * ((net > 0) - (net < 0)) for net, chance in nets.items())


def _one_card_more(nets: dict[int, float], ahead: float, behind: float) -> dict[int, float]:
    """How likely each difference of cards led is, one more card counted in."""
    after: dict[int, float] = {}
    for net, chance in nets.items():
        for change, share in ((1, ahead), (0, 1 - ahead - behind), (-1, behind)):
            after[net + change] = after.get(net + change, 0.0) + chance * share
    return after


def _chance(margin: float) -> float:
    """The logistic curve: 1/2 at 0."""
    return 1 / (1 + exp(-margin)) if margin > -30 else 0.0


# --- cards ---------------------------------------------------------------------------------------


class _Cards(Struct, frozen=True):
    """What the cards that nobody has played yet are worth, and which regions wait for them."""

    worth: float
    coming: tuple[Coming, ...]


@remembered
def _cards(
    deck: Deck,
    edition: str,
    hands: tuple[tuple[str, ...], tuple[str, ...]],
    reserve: tuple[str, ...],
    aftermath: tuple[str, ...],
    round_: int,
) -> _Cards:
    rules = editions()[edition]
    tie = TIE if rules.tie == USA else -TIE
    aside = _aftermath(deck, hands, aftermath, rules.aftermath_cap)
    worth = tie + aside + _hands(deck, hands, round_)
    return _Cards(worth, _coming(deck, hands, reserve, round_))


def _aftermath(
    deck: Deck, hands: tuple[tuple[str, ...], ...], aftermath: tuple[str, ...], cap: int | None
) -> float:
    """The cards set aside, or in the first round what each hand would leave over."""
    if aftermath:
        return score_aftermath(aftermath, deck, cap).net
    return _kept(deck, hands[0], 1) + _kept(deck, hands[1], -1)


def _kept(deck: Deck, hand: tuple[str, ...], sign: int) -> float:
    """What a hand leaves over: between its average and what its side would like best."""
    if not hand:
        return 0.0
    worths = [_signed_command(deck, card) for card in hand]
    best = max(worths) if sign > 0 else min(worths)
    return KEPT * best + (1 - KEPT) * sum(worths) / len(worths)


def _signed_command(deck: Deck, card: str) -> int:
    return deck.cards[card].command if deck.cards[card].flag == USA else -deck.cards[card].command


def _hands(deck: Deck, hands: tuple[tuple[str, ...], ...], round_: int) -> float:
    """What the cards in hand will do once they are played."""
    spare = 1 if round_ < ROUNDS else 0
    usa = _hand(deck, hands[0], 1, spare)
    return CARD_IN_HAND * (usa + _hand(deck, hands[1], -1, spare))


def _hand(deck: Deck, hand: tuple[str, ...], sign: int, spare: int) -> float:
    if not hand:
        return 0.0
    worth = sum(_play_worth(deck, card, sign) for card in hand)
    return worth * (len(hand) - spare) / len(hand)


def _play_worth(deck: Deck, card: str, sign: int) -> float:
    """Points towards the USA when the side of that sign plays the card."""
    command = POINT * deck.cards[card].command
    if (deck.cards[card].flag == USA) == (sign > 0):
        return sign * (max(command, _event_worth(deck, card)) + CHOICE)
    return sign * (command - _event_worth(deck, card))


@remembered
def _event_worth(deck: Deck, card: str) -> float:
    return sum(_effect_worth(effect) for effect in deck.cards[card].event)


def _effect_worth(effect: Effect) -> float:
    """Points an effect brings the side of the flag, whatever lies on the table."""
    match effect:
        case Gain(points):
            return points
        case GainEach():
            return POINTS_FOR_EACH
        case Command(cubes) | Remove(cubes) | Gather(cubes=cubes):
            return CUBE_OF_EVENT * POINT * cubes
        case Infiltrate(where, each, total):
            return POINT * (total or each * (1 + len(where)))
        case Clear():
            return POINT
    return RELOCATION * POINT


def _under_way(state: State) -> float:
    """What the questions that are still open will bring, towards the USA."""
    deck, points = state.variant.deck, 0.0
    for frame in state.stack:
        worth = _FRAMES.get(type(frame))
        if worth is not None:
            points += worth(deck, frame, 1 if frame.seat == USA else -1)
    return points


def _use(deck: Deck, frame: UseCard, sign: int) -> float:
    return _play_worth(deck, frame.card, sign)


def _answer(deck: Deck, frame: Answer, sign: int) -> float:
    return sign * _event_worth(deck, frame.card)


def _command(deck: Deck, frame: CommandCard, sign: int) -> float:
    return sign * POINT * deck.cards[frame.card].command


def _points(deck: Deck, frame: Commanding, sign: int) -> float:
    return sign * POINT * frame.points


def _cubes(deck: Deck, frame: Infiltrating | Removing | Gathering, sign: int) -> float:
    return sign * POINT * frame.left


def _relocation(deck: Deck, frame: Relocating, sign: int) -> float:
    return sign * RELOCATION * POINT


_FRAMES: dict[type[Frame], Callable[[Deck, Any, int], float]] = {
    UseCard: _use,
    Answer: _answer,
    CommandCard: _command,
    Commanding: _points,
    Infiltrating: _cubes,
    Removing: _cubes,
    Gathering: _cubes,
    Relocating: _relocation,
}
