"""Remarks for somebody who plays for the first time, on what is asked at the moment."""

from __future__ import annotations

from engine.core import Text
from engine.iron_curtain.board import (
    Answer,
    ChooseFirst,
    Commanding,
    Gathering,
    Infiltrating,
    PlayCard,
    Removing,
    UseCard,
)
from engine.iron_curtain.view import View

LAST_CARDS = 2
"""Cards in the hand when the thought of the aftermath is worth a remark."""
SOME_TURNS = 2
"""Turns after which there is something on the table to score."""

FIRST = Text(
    "You decide who goes first. Going second gives you the last word of the round; going first"
    " lets you choose where the action is."
)
PLAY = Text(
    "Play one card of your hand: choose the card, then a free cell next to a card of its region."
    " The first card of a region may go next to any card."
)
FLAGS = Text(
    "Look at the flags in your hand. With your own flag you may use the event instead of the"
    " command; with the other flag your opponent may use the event before you command."
)
REACH = Text(
    "Choose a cell next to cards that hold cubes of yours: only then can you put cubes on the"
    " new card this turn."
)
SCORING = Text(
    "When the last card of a region is placed, that region scores at once, also for your"
    " opponent. “If scored now” beside the board shows who would gain."
)
TRACK = Text(
    "Points pull the marker towards the flag of the side that scores more. If it reaches your"
    " flag, you win at once."
)
AFTERMATH = Text(
    "The last card of this round is not played but laid aside. At the end its command value"
    " counts for the side of its flag, so keep a card of your own."
)
USE = Text(
    "Event or command? The command puts cubes where you need them; the event often does what no"
    " command can. You cannot have both."
)
COMMAND = Text(
    "Cubes reach the cards you are on and those next to them. One cube more than your opponent"
    " makes a card yours; with two more, each cube there costs them two points."
)
INFILTRATE = Text(
    "By an event you put cubes where the card says, even out of reach and at no extra cost. Use"
    " it where you could not get to otherwise."
)
CUBES = Text(
    "Take or move cubes where it changes who has more: a lead of three can spare a cube, and the"
    " last cube of a lead counts most."
)
ANSWER = Text(
    "Your opponent played a card with your flag, so its event is yours to use before they"
    " command. Decline only if it would do you no good."
)


def lessons(view: View) -> tuple[Text, ...]:
    """Of the first round only: who has played eight turns has seen it all."""
    asked = view.asked
    if view.round > 1 or asked is None or asked.seat != view.seat or view.is_closed:
        return ()
    match asked:
        case ChooseFirst():
            return (FIRST,)
        case PlayCard():
            return _playing(view)
        case UseCard():
            return (USE,)
        case Commanding():
            return (COMMAND,)
        case Infiltrating():
            return (INFILTRATE,)
        case Removing() | Gathering():
            return (CUBES,)
        case Answer():
            return (ANSWER,)
    return ()


def _playing(view: View) -> tuple[Text, ...]:
    if len(view.hand) <= LAST_CARDS:
        return AFTERMATH, TRACK
    if view.turn < SOME_TURNS:
        return PLAY, FLAGS
    return REACH, SCORING
