"""Remarks for somebody who plays for the first time, on the stop or question at hand."""

from __future__ import annotations

from engine.core import Text
from engine.east_and_west.view import View

TAUGHT = 2
"""Rounds in which there are remarks."""

AIM = Text(
    "What counts in the end is income and capitals. Every land pays what it is worth at the end"
    " of its owner's turn, so look for rich lands that are badly defended."
)
MOBILISATION = Text(
    "Before the first turn the USSR has 20 IPC to spend, and what it buys now may fight at once."
    " Infantry and armor beside Western Europe are never wrong."
)
DONE = Text(
    "You may leave any stop empty: end it, and the match goes on. No die falls before you end a"
    " stop, so until then you can take everything back."
)
INTELLIGENCE = Text(
    "The first stop of a turn is for spies and research. An attempt is one die, and most fail: in"
    " the first turns your money does more as troops."
)
SPIES = Text(
    "A spy costs 10 IPC once and throws a die every turn from then on. Moving an alliance towards"
    " your side pays every turn after."
)
OPERATIONS = Text(
    "The second stop is for buying and attacking. Units that enter an enemy land fight there;"
    " attack with clearly more than the defender has, or not at all."
)
UNDEFENDED = Text(
    "A land without defenders falls to the first ground unit that enters it, without a die. One"
    " infantry is enough."
)
INFANTRY = Text(
    "Infantry is cheap and takes the losses; armor and aircraft win the battles. Send them"
    " together."
)
LOGISTICS = Text(
    "The third stop is for moves without battle and for placing what you bought. Close the gaps"
    " beside the enemy before the turn goes on."
)
PLACING = Text(
    "A factory builds as many units as its land is worth, and every land of yours raises as many"
    " infantry. What you do not place is placed for you."
)
ALLIANCES = Text(
    "China, the Arab League and the OAS pay the side they lean to. If you attack one land of an"
    " alliance, all the others join your enemy."
)
QUESTION = Text(
    "A battle waits for you. Give up the cheapest units first, and break off while there is"
    " something left to save."
)


def lessons(view: View) -> tuple[Text, ...]:
    """Of the first rounds only; the second says what the first left out."""
    board = view.board
    if board.round > TAUGHT or view.asked is None or view.asked not in view.powers:
        return ()
    if board.questions:
        return (QUESTION,)
    is_first = board.round == 1
    match board.turn.stop:
        case "mobilisation":
            return MOBILISATION, DONE
        case "intelligence":
            return (INTELLIGENCE, AIM) if is_first else (SPIES, ALLIANCES)
        case "operations":
            return (OPERATIONS, UNDEFENDED) if is_first else (INFANTRY,)
        case "logistics":
            return (LOGISTICS, PLACING) if is_first else (DONE,)
