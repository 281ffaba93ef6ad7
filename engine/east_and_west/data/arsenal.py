"""The unit types and the technologies as printed."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from msgspec import Struct, convert, field

from engine.core import Name, examine

UnitClass = Literal["land", "air", "sea", "building", "special"]
Category = Literal["submarine", "ship", "infantry", "armor", "aircraft", "nuclear"]
CATEGORIES: tuple[Category, ...] = ("submarine", "ship", "infantry", "armor", "aircraft", "nuclear")
"""In the order in which attempts are rolled."""
FULL = 6
"""The counter of a category in which everything is known; two for each step."""

INFANTRY, SPECIAL_FORCES, ARMOR, HEAVY_ARMOR = "infantry", "special-forces", "armor", "heavy-armor"
HOWITZER, AA_GUN, FIGHTER, BOMBER = "howitzer", "aa-gun", "fighter", "bomber"
TRANSPORT, LARGE_TRANSPORT, SUBMARINE = "transport", "large-transport", "submarine"
CRUISER, CARRIER, NUCLEAR_CARRIER, BATTLESHIP = (
    "cruiser",
    "carrier",
    "nuclear-carrier",
    "battleship",
)
FACTORY, ATOMIC_BOMB, HYDROGEN_BOMB, SPY = "factory", "atomic-bomb", "hydrogen-bomb", "spy"

BOMBS = (ATOMIC_BOMB, HYDROGEN_BOMB)
ARMOURED = (HEAVY_ARMOR, ARMOR, SPECIAL_FORCES)
"""7.5: what anti-tank guns shoot at, in this order."""
BLITZING = ARMOURED
"""8.4"""
TRANSPORTS = (TRANSPORT, LARGE_TRANSPORT)
CARRIERS = (CARRIER, NUCLEAR_CARRIER)


class Kind(Struct, frozen=True):
    """A unit type."""

    names: Name
    many: Name
    """Two or more of them."""
    group: UnitClass = field(name="class")
    cost: int
    cost_ussr: int | None = None
    attack: int = 0
    defence: int = 0
    movement: int = 0
    hits: int = 0
    needs: tuple[Category, int] | None = None

    @property
    def is_ground(self) -> bool:
        return self.group == "land"

    @property
    def is_air(self) -> bool:
        return self.group == "air"

    @property
    def is_ship(self) -> bool:
        return self.group == "sea"

    @property
    def fights(self) -> bool:
        """Whether it can be hit: AA guns, bombs and factories cannot."""
        return self.hits > 0


class Technology(Struct, frozen=True):
    names: Name
    price: int
    steps: tuple[Name, Name, Name]


@cache
def kinds() -> dict[str, Kind]:
    return convert(tomllib.loads(_text("units")), dict[str, Kind])


def counted(kind: str, count: int) -> Name:
    """`1 fighter`, `2 fighters`."""
    names = kinds()[kind].names if count == 1 else kinds()[kind].many
    return Name(f"{count} {names.en}", f"{count} {names.de}", f"{count} {names.fr}")


@cache
def technologies() -> dict[Category, Technology]:
    return convert(tomllib.loads(_text("technologies")), dict[Category, Technology])


def _text(name: str) -> str:
    return (resources.files(__package__) / f"{name}.toml").read_text("utf-8")


examine(Kind, Technology)
