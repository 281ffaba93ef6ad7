"""The stages of a turn: which belong to which stop, which is shown, and what each comes to."""

from __future__ import annotations

from typing import Literal

from engine.abilities import SheetStage
from engine.core import Seat, Text
from engine.east_and_west.board import Stop
from engine.east_and_west.course.treasury import purse
from engine.east_and_west.orders.headings import HEADINGS
from engine.east_and_west.queries import price
from engine.east_and_west.sheet.ahead import stops_ahead
from engine.east_and_west.state import State
from engine.east_and_west.view import View

ANSWER, STANDING, LATER = "answer", "standing", "later"
STOPS: dict[str, tuple[Stop, ...]] = {
    "spies": ("intelligence",),
    "research": ("intelligence", "mobilisation"),
    "purchases": ("operations", "mobilisation"),
    "attack": ("operations",),
    "battles": ("operations",),
    "moves": ("logistics",),
    "placement": ("logistics", "mobilisation"),
}
"""In the order of the turn; the stop of every turn first."""
VERBS: dict[str, str] = {
    "spies": "spy",
    "research": "research",
    "purchases": "buy",
    "attack": "move",
    "battles": "plan",
    "moves": "move",
    "placement": "place",
}
"""What is mostly ordered at a stage."""
TITLES: dict[str, Text] = {
    "spies": Text("Spies"),
    "research": Text("Research"),
    "purchases": HEADINGS["buy"],
    "attack": Text("Combat moves"),
    "battles": Text("Battles and plans"),
    "moves": Text("Non-combat moves"),
    "placement": HEADINGS["place"],
    STANDING: Text("Standing orders"),
    LATER: Text("Orders for later"),
}


def is_at_turn(seen: View, power: Seat) -> bool:
    return seen.asked == power and not seen.board.questions


def shown(seen: View, power: Seat, wish: str) -> str:
    """The stage that was asked for if it can be worked on, else the first of this stop."""
    if seen.asked == power and seen.board.questions:
        return ANSWER
    if wish in (STANDING, LATER) or (wish in STOPS and progress(seen, power, wish) != "done"):
        return wish
    return _next_to_do(seen, power) if is_at_turn(seen, power) else STANDING


def _next_to_do(seen: View, power: Seat) -> str:
    """The first stage of the stop at which something is still to be done."""
    board, held = seen.board, seen.board.powers[power]
    match board.turn.stop:
        case "mobilisation":
            return "placement" if held.hand else "purchases"
        case "intelligence":
            return "spies" if held.spies and not board.turn.jobs else "research"
        case "operations":
            return "attack" if held.hand or board.turn.attacks else "purchases"
    return "moves"


def progress(seen: View, power: Seat, stage: str) -> Literal["done", "now", "ahead"]:
    """Whether a stage is of this stop, still to come, or behind us."""
    if is_at_turn(seen, power) and seen.board.turn.stop in STOPS[stage]:
        return "now"
    return "ahead" if STOPS[stage][0] in stops_ahead(seen.board, power) else "done"


def checklist(seen: View, state: State, power: Seat, chosen: str) -> tuple[SheetStage, ...]:
    found = []
    for stage in STOPS:
        where = progress(seen, power, stage)
        summary = _summary(state, power, stage) if where == "now" else None
        found.append(
            SheetStage(
                stage,
                TITLES[stage],
                where,
                summary,
                stage == chosen,
            )
        )
    waiting = len(state.orders(power).later)
    noted = Text("{count:# order waits|# orders wait}", {"count": waiting}) if waiting else None
    return (
        *found,
        SheetStage(STANDING, TITLES[STANDING], "any", None, chosen == STANDING),
        SheetStage(LATER, TITLES[LATER], "any", noted, chosen == LATER),
    )


def _summary(state: State, power: Seat, stage: str) -> Text | None:
    board, turn, held = state.board, state.board.turn, state.board.powers[power]
    match stage:
        case "spies":
            busy = sum(job.kind != "free" for job in turn.jobs)
            return Text("{busy} of {spies} with a job", {"busy": busy, "spies": held.spies})
        case "research":
            return Text("{count:# attempt|# attempts}", {"count": len(turn.attempts)})
        case "purchases":
            spent = sum(price(board, power, kind) * n for kind, n in held.hand.items())
            return Text("{spent} of {all} IPC spent", {"spent": spent, "all": spent + purse(board)})
        case "attack":
            return Text("{count:# battle|# battles}", {"count": len(turn.attacks)})
        case "battles":
            planned = len(state.orders(power).plans)
            return Text("{count:# plan|# plans}", {"count": planned}) if turn.attacks else None
        case "placement":
            return Text("{count:# unit|# units} to place", {"count": sum(held.hand.values())})
    return None
