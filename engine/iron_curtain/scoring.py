"""Points: a region that scores, the aftermath, and who is ahead."""

from __future__ import annotations

from msgspec import Struct

from engine.abilities import Forecast
from engine.core import Seat
from engine.iron_curtain.board import FLAG_SPACE
from engine.iron_curtain.deck import USA, USSR, Deck
from engine.iron_curtain.layout import Layout
from engine.iron_curtain.table import Tableau
from engine.iron_curtain.view import View


class RegionScore(Struct, frozen=True):
    """Cards led by each side in a region, the bonus included in the points."""

    region: str
    usa_cards: int
    ussr_cards: int
    usa: int
    ussr: int

    @property
    def net(self) -> int:
        """How far the marker moves towards the US flag."""
        return self.usa - self.ussr


def score_region(table: Tableau, region: str) -> RegionScore:
    there = table.layout.deck.sets[region]
    usa_cards = (table.led(USA) & there).bit_count()
    ussr_cards = (table.led(USSR) & there).bit_count()
    bonus = table.layout.deck.regions[region].bonus
    return RegionScore(
        region,
        usa_cards,
        ussr_cards,
        usa_cards + (bonus if usa_cards > ussr_cards else 0),
        ussr_cards + (bonus if ussr_cards > usa_cards else 0),
    )


def is_complete(layout: Layout, region: str) -> bool:
    return (layout.laid & layout.deck.sets[region]).bit_count() == layout.deck.regions[region].size


class AftermathScore(Struct, frozen=True):
    """Printed command cubes of the two cards set aside, by flag, and the points they give."""

    usa_cubes: int
    ussr_cubes: int
    net: int


def score_aftermath(cards: tuple[str, ...], deck: Deck, cap: int | None) -> AftermathScore:
    usa = sum(deck.cards[card].command for card in cards if deck.cards[card].flag == USA)
    ussr = sum(deck.cards[card].command for card in cards if deck.cards[card].flag == USSR)
    net = usa - ussr
    if cap is not None:
        net = max(-cap, min(cap, net))
    return AftermathScore(usa, ussr, net)


def moved(track: int, net: int) -> int:
    """The marker after a move; the flags are the last spaces."""
    return max(-FLAG_SPACE, min(FLAG_SPACE, track + net))


def at_flag(track: int) -> Seat | None:
    """Whose flag the marker has reached."""
    if abs(track) < FLAG_SPACE:
        return None
    return USA if track > 0 else USSR


def chooser_of_second_round(track: int) -> Seat:
    """The side that is behind; the USSR when nobody is."""
    return USA if track < 0 else USSR


def forecast(view: View) -> tuple[Forecast, ...]:
    """What each region would give each side if it scored now."""
    return tuple(
        Forecast(region.name, (score.usa, score.ussr), key in view.scored)
        for key, region in view.deck.regions.items()
        for score in [score_region(view.table, key)]
    )
