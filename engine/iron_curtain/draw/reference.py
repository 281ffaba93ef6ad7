"""Tables for the rules page: regions, cards and editions, with stars (`stars.py`)."""

from __future__ import annotations

from engine.core import Language, Param, Table, Text
from engine.iron_curtain.deck import SIDE_NAMES, Card, Deck, Edition, editions
from engine.iron_curtain.draw.narrate import Say, flag_name
from engine.iron_curtain.draw.stars import MEANING, starred


def reference(deck: Deck, language: Language, say: Say) -> tuple[Table, ...]:
    def said(value: Param) -> str:
        return say(Text("{value}", {"value": value}), language)

    def table(title: Text, heads: tuple[Text, ...], rows: Rows, *notes: Text) -> Table:
        return Table(
            said(title),
            tuple(map(said, heads)),
            tuple(tuple(map(said, row)) for row in rows),
            tuple(map(said, notes)),
        )

    return (
        table(Text("Regions"), _REGION_HEADS, _region_rows(deck)),
        table(Text("Cards"), _CARD_HEADS, _card_rows(deck), *_star(deck)),
        table(Text("Editions"), _EDITION_HEADS, _edition_rows(deck)),
    )


Row = tuple[Param, ...]
Rows = tuple[Row, ...]

_REGION_HEADS = Text("Region"), Text("Cards"), Text("Bonus")
_CARD_HEADS = Text("Country"), Text("Region"), Text("Flag"), Text("Command"), Text("Event")
_EDITION_HEADS = (
    Text("Edition"),
    Text("Limit of the aftermath"),
    Text("The last two regions to score"),
    Text("A level track at the end"),
)
_LANGUAGES = {"en": Text("English"), "de": Text("German"), "fr": Text("French")}


def _region_rows(deck: Deck) -> Rows:
    return tuple((region.name, region.size, region.bonus) for region in deck.regions.values())


def _card_rows(deck: Deck) -> Rows:
    return tuple(_card_row(deck.cards[card], deck) for card in deck.order)


def _card_row(card: Card, deck: Deck) -> Row:
    return (
        starred(card, "name", card.name),
        deck.regions[card.region].name,
        starred(card, "flag", flag_name(card)),
        starred(card, "command", card.command),
        starred(card, "event", card.text),
    )


def _star(deck: Deck) -> tuple[Text, ...]:
    if not any(card.reconstructed for card in deck.cards.values()):
        return ()
    return (MEANING,)


def _edition_rows(deck: Deck) -> Rows:
    return tuple(_edition_row(key, edition, deck) for key, edition in editions().items())


def _edition_row(key: str, edition: Edition, deck: Deck) -> Row:
    cap = edition.aftermath_cap
    first, second = (deck.regions[region].name for region in edition.final_order[-2:])
    return (
        _LANGUAGES[key],
        Text("none") if cap is None else Text("{points:# point|# points}", {"points": cap}),
        Text("{first}, then {second}", {"first": first, "second": second}),
        Text("{side} wins", {"side": SIDE_NAMES[edition.tie]}),
    )
