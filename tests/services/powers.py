"""Four people at East & West, one for each power."""

from __future__ import annotations

from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from tests.services.people import NOW, id_of, wanted

POWERS = ("ussr", "we", "uk", "usa")
USSR, WE, UK, USA = range(4)


def four_people(now: int = NOW) -> str:
    """A match that has begun; their addresses are called after their powers."""
    addresses: dict[str, str | None] = {power: f"{power}@example.org" for power in POWERS}
    plan = wanted(game="east_and_west", addresses=addresses, creator=None, name="", phrase="")
    match = matches.create(plan, now)
    for number, power in enumerate(POWERS):
        says = Joining(f"Player {number}", "en", "UTC", "")
        joining.accept(match, number, id_of(f"{power}@example.org"), says, now)
    return match
