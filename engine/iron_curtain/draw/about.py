"""The game in ten sentences, for whoever has never heard of it; and in two, among others."""

from __future__ import annotations

from engine.core import Text

ABOUT = (
    Text("The Cold War as a duel of cards and cubes: one side is the USA, the other the USSR."),
    Text(
        "Eighteen country cards are shuffled. Each side gets five, and four more for the second"
        " round."
    ),
    Text(
        "On your turn you place one card on the table, next to a card of its own region if"
        " possible."
    ),
    Text(
        "Then you place cubes: as many as the card's command says, on or next to cards where"
        " you already have some."
    ),
    Text("If a card shows your flag, you may use its event instead of its command."),
    Text(
        "Careful: if you play a card with your opponent's flag, they may use its event before"
        " you command."
    ),
    Text(
        "The side with more cubes on a card leads on it; where the other side is two ahead, a"
        " cube costs you two points."
    ),
    Text(
        "When all cards of a region are on the table, the region is scored: one point for each"
        " card you lead on, and a bonus if you lead on more of them than your opponent."
    ),
    Text("Points move a marker along a track; if it reaches your flag, you win at once."),
    Text(
        "Otherwise, after eight cards each, all regions are scored one last time and the marker"
        " decides."
    ),
)

LENGTH = Text("16 turns: about two weeks by email")
IN_SHORT = (
    Text(
        "A duel over the Cold War: lay out the cards of countries one by one and put your cubes on"
        " them, to lead in each region when it is scored."
    ),
    Text(
        "Your opponent's flag on a card you play means trouble; when to play it is the whole art."
    ),
)
