"""Both sides in numbers, for plots over time, and the turns that these are counted by."""

from __future__ import annotations

from engine.core import Figure, Language, Param, Party, PlayedTurn, Seat, Table, Text
from engine.iron_curtain.board import TURNS_IN_ROUND, opponent
from engine.iron_curtain.deck import SIDE_NAMES, USA, USSR
from engine.iron_curtain.draw.cards import LETTERS
from engine.iron_curtain.draw.narrate import Say, turn_now
from engine.iron_curtain.scoring import RegionScore, score_region
from engine.iron_curtain.view import View

ORDER = (USSR, USA)
"""As the track has them, from left to right."""
PARTIES = tuple(Party(SIDE_NAMES[side], LETTERS[side]) for side in ORDER)


def turn_of(view: View) -> PlayedTurn:
    """The choice who goes first counts as a turn, before the first one of its round."""
    before = (view.round - 1) * (TURNS_IN_ROUND + 1)
    if view.first is None:
        title = Text("Round {round}: who goes first", {"round": view.round})
        return PlayedTurn(before, view.round, title)
    turn = turn_now(view)
    side = view.first if turn % 2 else opponent(view.first)
    params: dict[str, Param] = {"round": view.round, "turn": turn, "side": SIDE_NAMES[side]}
    return PlayedTurn(before + turn, view.round, Text("Round {round}, turn {turn}: {side}", params))


def figures(view: View) -> tuple[Figure, ...]:
    """How far each side is ahead on the track, its cubes, and where it leads."""
    scores = [score_region(view.table, region) for region in view.deck.regions]
    ahead = max(0, -view.track), max(0, view.track)
    cubes = tuple(sum(country.cubes(side) for country in view.table) for side in ORDER)
    cards = tuple(sum(_cards(score, side) for score in scores) for side in ORDER)
    regions = tuple(sum(_is_led(score, side) for score in scores) for side in ORDER)
    return (
        Figure("track", Text("Points ahead on the track"), ahead),
        Figure("cubes", Text("Cubes on the table"), cubes),
        Figure("cards", Text("Cards where the side leads"), cards),
        Figure("regions", Text("Regions where the side leads"), regions),
    )


def tables(view: View, language: Language, say: Say) -> tuple[Table, ...]:
    """On how many cards each side leads, region by region."""

    def said(value: Param) -> str:
        return say(Text("{value}", {"value": value}), language)

    regions = view.deck.regions
    scores = [score_region(view.table, region) for region in regions]
    heads: tuple[Param, ...] = (Text("Side"), *(region.name for region in regions.values()))
    rows: list[tuple[Param, ...]] = [
        (SIDE_NAMES[side], *(_cards(score, side) for score in scores)) for side in ORDER
    ]
    title = Text("Cards where the side leads, by region")
    return (Table(said(title), tuple(map(said, heads)), tuple(tuple(map(said, r)) for r in rows)),)


def _cards(score: RegionScore, side: Seat) -> int:
    return score.usa_cards if side == USA else score.ussr_cards


def _is_led(score: RegionScore, side: Seat) -> bool:
    """Whether it would get the bonus."""
    lead = score.usa_cards - score.ussr_cards
    return lead > 0 if side == USA else lead < 0
