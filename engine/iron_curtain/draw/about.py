"""The game in ten sentences, for whoever has never heard of it."""

from __future__ import annotations

from engine.core import Text

ABOUT = (
    Text("The Cold War as a duel of cards and cubes: one side is the USA, the other the USSR."),
    Text(
        "Eighteen country cards are shuffled; each side is dealt five, and four more for the"
        " second round."
    ),
    Text("In your turn you lay one card on the table, beside a card of its own region if you can."),
    Text(
        "Then you put your cubes on the table: as many as the card's command says, next to"
        " where you already stand."
    ),
    Text("A card with your flag has an event that you may use instead of the command."),
    Text(
        "Beware: if you play a card with the other flag, your opponent may use its event before"
        " you command."
    ),
    Text(
        "Whoever has more cubes on a card leads on it; a cube where the other side is two ahead"
        " costs two points."
    ),
    Text(
        "When all cards of a region lie on the table, the region scores: a point for each card"
        " you lead on, and a bonus for more of them than the other."
    ),
    Text("Points pull a marker along a track; if it reaches your flag, you have won at once."),
    Text(
        "Otherwise, after eight cards a side, all regions are scored once more and the marker"
        " decides."
    ),
)
