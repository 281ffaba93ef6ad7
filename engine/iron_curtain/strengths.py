"""How strong the computer plays: one planner, which looks further ahead or slips now and then.

What the strengths are worth against each other stands in DECISIONS.md; `python -m
tests.bench.sparring` measures it.
"""

from __future__ import annotations

from engine.core import Text
from engine.sparring import Planner, Strength

STRENGTHS = (
    Strength("easy", Text("Easy: slips now and then")),
    Strength("medium", Text("Medium: takes what looks best at once")),
    Strength("hard", Text("Hard: thinks ahead")),
)
USUAL = "medium"
SLIPS = 25
"""Of a hundred orders of the easy one."""


def partner(seed: str, strength: str) -> Planner:
    match strength:
        case "easy":
            return Planner(seed, looks=1, horizon=0, slips=SLIPS)
        case "hard":
            return Planner(seed)
        case _:
            return Planner(seed, looks=1, horizon=0)
