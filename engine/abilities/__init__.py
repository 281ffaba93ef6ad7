"""What some games can do and others cannot: a game that can is also of one of these types.

    asking          who is asked, by whom, and what is said unasked: standing orders, allies
    setting_up      what a match begins with: kinds of matches, decks and their proofs
    foreseeing      what would come of a position or a battle
    maps            a board that is drawn by parts
    telling         what is told of a match: before a decision, and looking back
    partners        players that are programs
    order_sheets    a turn as forms

A host asks by type, `isinstance(game, DeckProofs)`, never by the name of a game, and imports them
from here. May import engine.core and engine.game.
"""

from engine.abilities.asking import Alliances, Inquiries, Inquiry, StandingOrders
from engine.abilities.foreseeing import (
    Forecast,
    Forecasts,
    Odds,
    PlannedBattle,
    Prospects,
    Rehearsals,
)
from engine.abilities.maps import Arrow, BattleMark, Maps, Picture, Zoom
from engine.abilities.order_sheets import (
    Heard,
    OrderSheets,
    Sheet,
    SheetField,
    SheetForm,
    SheetLink,
    SheetMap,
    SheetPanel,
    SheetStage,
    SheetTrack,
    SheetValue,
    nothing_heard,
)
from engine.abilities.partners import Sparring, StandIns
from engine.abilities.setting_up import DeckProofs, OwnDecks, Preset, Presets
from engine.abilities.telling import Battles, Briefings, Chapter, Chronicles

__all__ = [
    "Alliances",
    "Arrow",
    "BattleMark",
    "Battles",
    "Briefings",
    "Chapter",
    "Chronicles",
    "DeckProofs",
    "Forecast",
    "Forecasts",
    "Heard",
    "Inquiries",
    "Inquiry",
    "Maps",
    "Odds",
    "OrderSheets",
    "OwnDecks",
    "Picture",
    "PlannedBattle",
    "Preset",
    "Presets",
    "Prospects",
    "Rehearsals",
    "Sheet",
    "SheetField",
    "SheetForm",
    "SheetLink",
    "SheetMap",
    "SheetPanel",
    "SheetStage",
    "SheetTrack",
    "SheetValue",
    "Sparring",
    "StandIns",
    "StandingOrders",
    "Zoom",
    "nothing_heard",
]
