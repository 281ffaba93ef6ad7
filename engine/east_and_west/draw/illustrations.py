"""Pictures for the rules and for whoever looks for a game: map and tracks as a match begins."""

from __future__ import annotations

from html import escape

from engine.abilities import Picture
from engine.core import Illustration, Language, Leaflet, Seat, Text
from engine.east_and_west.board import Board
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, USSR
from engine.east_and_west.draw.narrate import Say
from engine.east_and_west.draw.palette import STYLE

END = 4
"""How far a track reaches to either side."""
CELL, HIGH, NAMES = 56, 46, 160
WIDTH = NAMES + CELL * (2 * END + 1) + 40
MAP = Text("The map as a match begins, with the troops of all powers and neutrals.")
TRACKS = Text(
    "The three tracks as a match begins: under each end who is paid there, and on each space how"
    " much."
)


POSTER = Picture(zoom="central-europe")
LENGTH = Text("up to 30 rounds: some months by email; a fast game is shorter")
IN_SHORT = (
    Text(
        "The USSR against Western Europe, the United Kingdom and the USA: armies, fleets, spies and"
        " research on a map of the world, with dice."
    ),
    Text("Each turn you buy, move and fight, and court the neutrals; income and capitals decide."),
)


def leaflet(drawn_map: str, language: Language, say: Say) -> Leaflet:
    """The game in short, beside a map that was drawn as `POSTER` says."""
    sentences = tuple(say(sentence, language) for sentence in IN_SHORT)
    return Leaflet(say(LENGTH, language), sentences, drawn_map)


def illustrations(
    start: Board, drawn_map: str, language: Language, say: Say
) -> tuple[Illustration, ...]:
    """Of the board on which a match begins, and the map that was drawn of it."""
    return (
        Illustration("2.1", say(MAP, language), drawn_map),
        Illustration("13.1", say(TRACKS, language), tracks(start, language, say)),
    )


def tracks(board: Board, language: Language, say: Say) -> str:
    rows = [_track(board, key, at, language, say) for at, key in enumerate(atlas().alliances)]
    height = 20 + len(rows) * (HIGH + 44)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="east-and-west" role="img" '
        f'width="100%" viewBox="0 0 {WIDTH} {height}">'
        f"<title>{escape(say(TRACKS, language))}</title><style>{STYLE}</style>"
        f'<rect class="page" width="{WIDTH}" height="{height}"/>{"".join(rows)}</svg>\n'
    )


def _track(board: Board, key: str, at: int, language: Language, say: Say) -> str:
    alliance, marker = atlas().alliances[key], board.influence[key]
    cells = [
        _cell(place, alliance.income[abs(place)], USSR if place > 0 else alliance.west, marker)
        for place in range(-END, END + 1)
    ]
    ends = (alliance.west, 0, "start"), (USSR, CELL * (2 * END + 1), "end")
    paid = [
        f'<text class="ink" font-size="15" x="{x}" y="{HIGH + 18}" text-anchor="{side}">'
        f"{escape(POWER_NAMES[power].in_(language))}</text>"
        for power, x, side in ends
    ]
    return (
        f'<g transform="translate(20 {20 + at * (HIGH + 44)})">'
        f'<text class="ink bold" font-size="17" y="{HIGH // 2 + 6}">'
        f"{escape(alliance.names.in_(language))}</text>"
        f'<g transform="translate({NAMES} 0)">{"".join([*cells, *paid])}</g></g>'
    )


def _cell(place: int, pays: int, power: Seat, marker: int) -> str:
    """A space of a track: whose it is by its colour, its number above, below it what is paid."""
    x, owner = (place + END) * CELL, f"owner-{power}" if pays else "sea"
    ink = "on-owner" if pays else "ink"
    middle = x + CELL // 2
    sign = f"+{place}" if place > 0 else f"\N{MINUS SIGN}{-place}" if place else "0"
    marked = (
        f'<path class="ink" d="M{middle - 10} -14h20l-10 13z"/>'
        f'<rect class="ink" x="{x}" y="-2" width="{CELL - 4}" height="{HIGH + 4}" rx="5"/>'
        if place == marker
        else ""
    )
    words = f'<text class="{ink}" text-anchor="middle" font-size="14" x="{middle - 2}" y="38">'
    return (
        f'{marked}<rect class="{owner}" x="{x + 3}" y="1" width="{CELL - 10}" height="{HIGH - 2}" '
        f'rx="3"/><text class="{ink} bold" text-anchor="middle" font-size="15" x="{middle - 2}" '
        f'y="19">{sign}</text>{f"{words}{pays}</text>" if pays else ""}'
    )
