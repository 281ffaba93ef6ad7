"""Pictures for the rules and for whoever looks for a game: positions, drawn like a match."""

from __future__ import annotations

from engine.core import Illustration, Language, Leaflet, Text
from engine.iron_curtain.board import CUBES, Country, Variant
from engine.iron_curtain.deck import standard_deck
from engine.iron_curtain.draw.about import IN_SHORT, LENGTH
from engine.iron_curtain.draw.narrate import Say
from engine.iron_curtain.draw.svg import excerpt
from engine.iron_curtain.standing_orders import NONE
from engine.iron_curtain.table import Tableau
from engine.iron_curtain.view import View

Scene = tuple[str, Text, tuple[Country, ...], int]
"""The rule, what is to be seen, the table and the track."""

SCENES: tuple[Scene, ...] = (
    (
        "2.2",
        Text("The beginning: the starter on s19 with a cube of each side, and a level track."),
        (Country("europe", (0, 0), 1, 1),),
        0,
    ),
    (
        "5.4",
        Text(
            "Vietnam completes Asia. The USA dominates Pakistan and gains 1 point and the bonus of"
            " 2; nobody dominates Japan or Vietnam."
        ),
        (
            Country("pakistan", (0, 0), 1, 0),
            Country("japan", (1, 0), 1, 1),
            Country("vietnam", (2, 0), 0, 0),
        ),
        3,
    ),
    (
        "7.3",
        Text(
            "The USA controls South Africa and dominates Nigeria. For the USSR the first cube on"
            " South Africa costs two points, every other cube costs one."
        ),
        (
            Country("algeria", (0, 0), 0, 1),
            Country("south_africa", (1, 0), 2, 0),
            Country("nigeria", (2, 0), 1, 0),
        ),
        0,
    ),
)


POSTER: Scene = (
    "",
    Text("The table in the middle of a match."),
    (
        Country("west_germany", (-1, 0), 3, 1),
        Country("europe", (0, 0), 1, 2),
        Country("poland", (1, 0), 0, 2),
        Country("egypt", (-1, 1), 1, 1),
        Country("italy", (0, 1), 2, 1),
        Country("vietnam", (1, 1), 1, 3),
        Country("cuba", (2, 1), 0, 1),
    ),
    2,
)


def leaflet(language: Language, say: Say) -> Leaflet:
    drawn = _drawn(POSTER, language, say)
    sentences = tuple(say(sentence, language) for sentence in IN_SHORT)
    return Leaflet(say(LENGTH, language), sentences, drawn.svg)


def illustrations(language: Language, say: Say) -> tuple[Illustration, ...]:
    return tuple(_drawn(scene, language, say) for scene in SCENES)


def _drawn(scene: Scene, language: Language, say: Say) -> Illustration:
    rule, caption, table, track = scene
    view = View(
        seat=None,
        variant=Variant("en", standard_deck()),
        table=Tableau.of(standard_deck(), table),
        supplies=(CUBES - sum(c.usa for c in table), CUBES - sum(c.ussr for c in table)),
        track=track,
        round=1,
        turn=len(table) - 1,
        first=None,
        scored=(),
        stack=(),
        news=(),
        hand=(),
        hand_sizes=(5, 5),
        reserve_size=8,
        aside=None,
        aftermath=(),
        known=(),
        result=None,
        standing=NONE,
        is_closed=True,
    )
    said = say(caption, language)
    return Illustration(rule, said, excerpt(view, language, say, said))
