"""A battle that nobody fights: units that a person names, put against each other; its odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.abilities import PlannedBattle
from engine.core import BadNotation, Seat
from engine.east_and_west.battle import Battle
from engine.east_and_west.board import Board, Group, Mark, Variant
from engine.east_and_west.combat import lineup
from engine.east_and_west.course.setup import new_board
from engine.east_and_west.data.arsenal import CATEGORIES, Category, counted, kinds
from engine.east_and_west.data.lexicon import Words
from engine.east_and_west.data.powers import are_enemies
from engine.east_and_west.odds.calculator import Odds, odds
from engine.east_and_west.odds.ranks import Left

SHOWN = 12
"""Endings that are listed."""
LAND, ZONE = "france", "north-atlantic-1"
"""Any land and any zone will do."""
MOST_UNITS = 100
Known = Mapping[Seat, Mapping[Category, int]]
"""Full steps, by power and category."""


def arranged(
    attacker: Seat,
    ours: Mapping[str, int],
    defender: Seat,
    theirs: Mapping[str, int],
    known: Known | None = None,
    at_sea: bool = False,
    is_landing: bool = False,
) -> Battle:
    """A battle with nothing but these units, losses in the usual order.

    In a landing the ships of the attacker bombard the shore and his ground units come from the sea.
    """
    if not are_enemies(attacker, defender):
        raise BadNotation("{one} and {other} are no enemies", one=attacker, other=defender)
    space = ZONE if at_sea else LAND
    board = replace(_empty(known or {}), turn=replace(_empty({}).turn, power=attacker))
    ashore = {kind: n for kind, n in ours.items() if at_sea or not kinds()[kind].is_ship}
    ships = {kind: n for kind, n in ours.items() if kind not in ashore}
    if ships and not is_landing:
        raise BadNotation("ships fight at sea; on land they only bombard in a landing")
    marks: tuple[Mark, ...] = ("attacking", "landed") if is_landing else ("attacking",)
    there = [
        *(Group(attacker, kind, n, marks=marks) for kind, n in sorted(ashore.items())),
        *(Group(defender, kind, n) for kind, n in sorted(theirs.items())),
    ]
    offshore = tuple(Group(attacker, kind, n) for kind, n in sorted(ships.items()))
    units = {space: tuple(sorted(there)), **({ZONE: offshore} if offshore else {})}
    board = replace(board, units=units, owners={**board.owners, LAND: defender})
    return lineup.describe(board, attacker, space, zones=(ZONE,) if is_landing else ())


def _empty(known: Known) -> Board:
    """The board without any unit, and with these technologies."""
    board = new_board(Variant())
    powers = {
        power: replace(
            held,
            research={
                category: 2 * known.get(power, {}).get(category, 0) for category in CATEGORIES
            },
        )
        for power, held in board.powers.items()
    }
    return replace(board, units={}, powers=powers)


def read_units(text: str) -> dict[str, int]:
    """`10 infantry 2 fighters`; what cannot be in a battle is refused."""
    words = Words(text)
    units = dict(words.units())
    words.end()
    for kind in units:
        if kinds()[kind].group not in ("land", "air", "sea"):
            raise BadNotation("{kind} takes no part in a battle", kind=kinds()[kind].names)
    if sum(units.values()) > MOST_UNITS:
        raise BadNotation("at most {most} units on a side", most=MOST_UNITS)
    return units


def read_known(text: str) -> tuple[Seat, Category, int]:
    """`ussr armor 2`: a power knows a category up to a step."""
    words = Words(text.replace("=", " "))
    power, category, step = words.power(), words.category(), words.number()
    words.end()
    if not 1 <= step <= 3:
        raise BadNotation("steps are 1, 2 and 3")
    return power, category, step


# --- its odds ------------------------------------------------------------------------------------


def told_odds(planned: PlannedBattle) -> tuple[str, ...]:
    """How a planned battle would end, in words and figures for a terminal."""
    techs: dict[Seat, dict[Category, int]] = {}
    for said in planned.known:
        power, category, step = read_known(said)
        techs.setdefault(power, {})[category] = step
    battle = arranged(
        planned.attacker,
        read_units(planned.ours),
        planned.defender,
        read_units(planned.theirs),
        techs,
        planned.is_at_sea,
        planned.is_landing,
    )
    return tuple(_told(odds(battle), is_land=not planned.is_at_sea))


def _told(found: Odds, is_land: bool) -> list[str]:
    how = "computed exactly" if found.is_exact else f"from {found.battles:,} thrown battles"
    told = [
        f"attacker wins      {found.wins:7.2%}",
        *([f"  and takes land   {found.captures:7.2%}"] if is_land else []),
        f"defender holds     {found.loses:7.2%}",
        f"nobody is left     {found.empties:7.2%}",
        f"no decision        {found.stands:7.2%}",
        f"expected losses    attacker {found.lost_units[0]:.2f} units worth"
        f" {found.lost_value[0]:.1f}, defender {found.lost_units[1]:.2f} worth"
        f" {found.lost_value[1]:.1f}",
        f"({how})",
        "",
    ]
    return told + [
        f"{ending.chance:7.2%}  {_named(ending.attacker)} : {_named(ending.defender)}"
        for ending in found.endings[:SHOWN]
    ]


def _named(left: Sequence[Left]) -> str:
    return ", ".join(counted(u.kind, u.count).en for u in left) or "-"
