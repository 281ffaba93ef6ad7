"""Tables for the rules page: units, technologies, alliances, lands, complications."""

from __future__ import annotations

from collections.abc import Callable

from engine.core import Language, Param, Table, Text
from engine.east_and_west.board import Board
from engine.east_and_west.data.arsenal import CATEGORIES, Kind, kinds, technologies
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import POWER_NAMES, USSR
from engine.east_and_west.draw.narrate import owner_called

Say = Callable[[Text, Language], str]
Row = tuple[Param, ...]
Rows = tuple[Row, ...]


def reference(start: Board, language: Language, say: Say) -> tuple[Table, ...]:
    """As a match begins on the board `start`."""

    def said(value: Param) -> str:
        return say(Text("{value}", {"value": value}), language)

    def table(title: Text, heads: tuple[Text, ...], rows: Rows) -> Table:
        return Table(
            said(title),
            tuple(map(said, heads)),
            tuple(tuple(map(said, row)) for row in rows),
        )

    return (
        table(Text("Units"), _UNIT_HEADS, tuple(map(_unit_row, kinds().values()))),
        table(Text("Technologies"), _TECHNOLOGY_HEADS, _technology_rows()),
        table(Text("Neutral alliances"), _ALLIANCE_HEADS, _alliance_rows()),
        table(Text("Complications of an atomic attack"), _COMPLICATION_HEADS, _complication_rows()),
        table(Text("Lands"), _LAND_HEADS, _land_rows(start)),
    )


_UNIT_HEADS = (
    Text("Unit"),
    Text("Price"),
    Text("Attack"),
    Text("Defence"),
    Text("Movement"),
    Text("Needs"),
)
_TECHNOLOGY_HEADS = (
    Text("Category"),
    Text("Attempt"),
    Text("Step 1"),
    Text("Step 2"),
    Text("Step 3"),
)
_ALLIANCE_HEADS = (
    Text("Alliance"),
    Text("At the start"),
    Text("Pays on the plus side"),
    Text("Pays on the minus side"),
    Text("At 2, 3 and 4"),
)
_COMPLICATION_HEADS = Text("Two dice"), Text("What happens")
_LAND_HEADS = Text("Land"), Text("Owner"), Text("Value"), Text("Factory")
_COMPLICATIONS = {
    "detonation": Text("the bomb explodes where it started"),
    "malfunction": Text("the bomb has no effect"),
    "arab-protest": Text("protest of the Arab League"),
    "chinese-protest": Text("protest of China"),
    "normal": Text("nothing"),
    "university-protests": Text("protests at universities: the bomb stays"),
    "oas-protest": Text("protest of the OAS"),
    "global-protest": Text("protest of all three alliances"),
}


def _unit_row(kind: Kind) -> Row:
    price: Param = kind.cost
    if kind.cost_ussr is not None:
        price = Text("{price}, USSR {cheaper}", {"price": kind.cost, "cheaper": kind.cost_ussr})
    needs: Param = "-"
    if kind.needs is not None:
        category, step = kind.needs
        needs = technologies()[category].steps[step - 1]
    return kind.names, price, kind.attack, kind.defence, kind.movement, needs


def _technology_rows() -> Rows:
    found = [technologies()[category] for category in CATEGORIES]
    return tuple((tech.names, tech.price, *tech.steps) for tech in found)


def _alliance_rows() -> Rows:
    return tuple(
        (
            alliance.names,
            f"{alliance.start:+d}" if alliance.start else "0",
            POWER_NAMES[USSR],
            POWER_NAMES[alliance.west],
            ", ".join(map(str, alliance.income[2:])),
        )
        for alliance in atlas().alliances.values()
    )


def _complication_rows() -> Rows:
    return tuple((roll, _COMPLICATIONS[what]) for roll, what in atlas().complications.items())


def _land_rows(start: Board) -> Rows:
    return tuple(
        (
            atlas().spaces[land].names,
            owner_called(start.owners.get(land, "")),
            atlas().spaces[land].value,
            Text("yes") if land in start.factories else "-",
        )
        for land in atlas().lands
    )
