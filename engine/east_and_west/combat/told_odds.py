"""How a battle would end, in words and figures for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.abilities import PlannedBattle
from engine.core import Seat
from engine.east_and_west.combat.scenario import arranged, read_known, read_units
from engine.east_and_west.data.arsenal import Category, kinds
from engine.east_and_west.odds.calculator import Odds, odds
from engine.east_and_west.odds.ranks import Left

SHOWN = 12
"""Endings that are listed."""


def lines(planned: PlannedBattle) -> tuple[str, ...]:
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
    return ", ".join(f"{u.count} {kinds()[u.kind].names.en}" for u in left) or "-"
