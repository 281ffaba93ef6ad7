"""Stars on values that no source gives: tables under the rules, the detail of a card."""

from __future__ import annotations

from engine.core import Name, Param, Text
from engine.iron_curtain.deck import Card, Deck, Field
from engine.iron_curtain.draw.narrate import flag_name

MEANING = Text(
    "* Our reconstruction: no source we know gives this value. Tell us what the printed card says."
)


def starred(card: Card, field: Field, value: int | Name | Text) -> int | Name | Text:
    """A value with a * where it is reconstructed."""
    return Text("{value}*", {"value": value}) if field in card.reconstructed else value


def detail(card: Card, deck: Deck) -> tuple[Text, ...]:
    """What is reconstructed of one card, and what that means; nothing where nothing is."""
    if not card.reconstructed:
        return ()
    facts: dict[str, Param] = {
        "card": starred(card, "name", card.name),
        "region": deck.regions[card.region].name,
        "flag": starred(card, "flag", flag_name(card)),
        "command": starred(card, "command", card.command),
        "event": starred(card, "event", Text("event")),
    }
    return Text("{card}, {region}, flag {flag}, command {command}, {event}", facts), MEANING
