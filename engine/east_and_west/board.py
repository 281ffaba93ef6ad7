"""All that everybody may see of a match, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from engine.core import Outcome, Seat, Text
from engine.east_and_west.data import seating
from engine.east_and_west.data.arsenal import Category

Stop = Literal["mobilisation", "intelligence", "operations", "logistics"]
"""Where the player at turn is asked: the Soviet mobilisation; espionage and research; production
and the combat move, whose end leads through all battles; the non-combat move and placement."""

Mark = Literal[
    "damaged",  # 6.9: a battleship that was hit once
    "spent",  # it does not move any more in this turn
    "attacking",  # it came into a battle, or attacks where it stands
    "landed",  # 7.9: it came ashore in this turn
    "dropped",  # 12.1: it came by air in this turn
    "carrying",  # 12.1, 12.5: an aircraft that carries and does not fight
    "raiding",  # 7.14: a bomber on its way to a factory
    "submerged",  # 7.10: out of the battle until the end of the turn
    "surfaced",  # 8.9: it began this turn under the ice and has left it
    "repairing",  # 6.9: sound again at placement
    "stunned",  # 11.7.2: it does not move in its owner's next turn
    "grounded",  # 11.7.2: it does not move in this turn
    "helpless",  # 12.5.3: a fighter without defence until its owner's next turn
]


class Load(Struct, frozen=True, order=True):
    """Units on board of one ship."""

    owner: str
    kind: str
    count: int = 1


class Group(Struct, frozen=True, order=True, omit_defaults=True):
    """Units of one owner and kind, in one space, that have had the same fate in this turn."""

    owner: str
    kind: str
    count: int = 1
    used: int = 0
    """Movement points that each has spent in this turn."""
    marks: tuple[Mark, ...] = ()
    """Sorted."""
    cargo: tuple[Load, ...] = ()
    """Sorted; what each ship carries."""
    loaded: tuple[str, ...] = ()
    """8.10: lands from which a transport has taken units on board in this turn."""
    shore: tuple[str, ...] = ()
    """8.10: lands in which a transport has put units ashore in this turn, or is going to."""
    sailed: tuple[str, ...] = ()
    """8.2: zones that a ship has left in the combat move for an assault, one for each point."""

    def has(self, mark: Mark) -> bool:
        return mark in self.marks


class Variant(Struct, frozen=True, omit_defaults=True):
    """17: what was agreed before the match."""

    nato: str = "we,uk,usa"
    """Who plays the powers of NATO; `seating` knows what it means."""
    rounds: int = 30
    """After so many rounds without a victory the match is a draw."""
    fast_game: bool = False
    simple_battleships: bool = False
    nuclear_winter: bool = False
    spy_vs_spy: bool = False
    revolts: bool = False
    tech_war: bool = False
    ussr_start_52: bool = False
    china_any_nato: bool = False
    aa_overflight: bool = True
    carrier_zone_free: bool = False
    baltic_strait: bool = False
    bomber_airlift: bool = False
    ignore_subs: bool = False


class Luck(Struct, frozen=True, omit_defaults=True):
    """What dice gave a power, beside what they should have given."""

    dice: int = 0
    hits: int = 0
    expected: float = 0.0
    """Hits."""
    value: int = 0
    """Price of what its hits destroyed."""
    expected_value: float = 0.0


class Power(Struct, frozen=True, omit_defaults=True):
    cash: int = 0
    research: Mapping[Category, int] = {}
    """5.2: counters from 0 to 6; a category that is not there stands at 0."""
    pending: tuple[tuple[Category, int], ...] = ()
    """4.4: stolen steps that work from the next own turn on."""
    spies: int = 0
    hand: Mapping[str, int] = {}
    """Bought and not placed yet, by kind."""
    banned_until: int = 0
    """11.4: the last round in which it may not use bombs."""
    luck: Luck = Luck()


class Fallout(Struct, frozen=True):
    """11.7.3: a land is worth less until the attacker's next turn begins."""

    land: str
    loss: int
    by: Seat


class Job(Struct, frozen=True, omit_defaults=True):
    """4.2: what one spy is put on."""

    kind: Literal["diplomacy", "theft", "counter", "free"]
    """free: only whom the free Soviet roll hunts; 4.6."""
    target: str = ""
    """An alliance, a land, a category or a power; nothing: whoever has most income."""


class Attempt(Struct, frozen=True, omit_defaults=True):
    category: Category
    is_free: bool = False


class Strike(Struct, frozen=True, omit_defaults=True):
    """An atomic attack that was declared."""

    bomb: str
    """Its kind."""
    start: str
    target: str
    by: Literal["bomber", "missile"] = "bomber"
    points: int = 0
    """Spaces to the target."""
    guns: tuple[str, ...] = ()
    """Lands with guns under the way of the bomber; 7.4."""


class Attack(Struct, frozen=True, omit_defaults=True):
    """A battle that was declared, and from where it was entered."""

    space: str
    entries: tuple[str, ...] = ()
    """Neighbouring spaces from which ground units or ships came; 7.9."""
    landings: tuple[str, ...] = ()
    """Zones from which units come ashore."""
    is_chosen: bool = False
    """16.27: of the units that were there only those attack that were named."""


class Landing(Struct, frozen=True):
    """8.11: an assault from a zone that has to be won first; until then its units stay on board."""

    zone: str
    land: str
    loads: tuple[Load, ...]


class Departure(Struct, frozen=True, omit_defaults=True):
    """Units that left a space in the combat move, by land, sea, air or as paratroops.

    The combat move writes each of them down: a detonation in their start land or an expulsion calls
    them back before anything has moved; 11.4, 13.8. For troops on board the target is the zone in
    which they embarked; as soon as they are ashore, where they landed.
    """

    start: str
    target: str
    kind: str
    count: int = 1
    zone: str = ""
    """From which they came ashore."""
    over: tuple[str, ...] = ()
    """8.4: lands that they crossed."""


class Flight(Struct, frozen=True):
    """Aircraft on their way to a battle; 7.4: perhaps over guns."""

    kind: str
    count: int
    target: str
    guns: tuple[str, ...]
    """Lands with guns under the route, in its order; often none."""
    start: str = ""
    role: Literal["fighting", "carrying", "raiding"] = "fighting"
    """Which of the aircraft there they are: those with this mark."""


class Turn(Struct, frozen=True, omit_defaults=True):
    """What the power at turn found when it began, and what it has done since."""

    power: Seat
    stop: Stop
    owners: Mapping[str, str] = {}
    """Who held each land when the turn began."""
    factories: tuple[str, ...] = ()
    """Lands whose factory it can use."""
    levies: tuple[str, ...] = ()
    """9.3: lands it owned when production began."""
    fund: int = 0
    """2.5: what is left of the money for the mobilisation."""
    jobs: tuple[Job, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    accepted: tuple[Category, ...] = ()
    """5.7: in which categories it takes half a step from an ally."""
    bombs_bought: int = 0
    built: Mapping[str, int] = {}
    """Units placed by the factory of a land in this turn."""
    levied: Mapping[str, int] = {}
    captured: tuple[str, ...] = ()
    attacked: tuple[str, ...] = ()
    """Lands of neutrals that were attacked."""
    attacks: tuple[Attack, ...] = ()
    raids: tuple[str, ...] = ()
    """Lands whose factory is bombed."""
    strikes: tuple[Strike, ...] = ()
    landings: tuple[Landing, ...] = ()
    """Carried out by combat; where the zone is free, units come ashore at once instead."""
    flights: tuple[Flight, ...] = ()
    departures: tuple[Departure, ...] = ()
    fought: tuple[str, ...] = ()
    """Zones in which a sea battle took place."""
    bombed: tuple[str, ...] = ()
    """Spaces in which a bomb went off."""
    reinforced: int = 0
    """Chinese infantry moved to North Korea."""


class Gift(Struct, frozen=True):
    """5.7: half a step that was given."""

    category: Category
    step: int
    receiver: Seat


class Question(Struct, frozen=True, omit_defaults=True):
    """14.5: something the match waits for that is not a stop of the turn."""

    kind: str
    seat: Seat
    space: str = ""
    data: Mapping[str, int | str | tuple[str, ...]] = {}


class Headline(Struct, frozen=True):
    """Something worth telling who was away, with the number of the turn in which it happened."""

    turn: int
    text: Text


class Board(Struct, frozen=True):
    variant: Variant
    round: int
    turn_number: int
    """Turns of all powers, counted from 1; the mobilisation is 0."""
    turn: Turn
    owners: Mapping[str, str]
    """Of each land."""
    homes: Mapping[str, str]
    """7.12: to whom a liberated land goes back."""
    factories: tuple[str, ...]
    """Lands with a factory, sorted."""
    units: Mapping[str, tuple[Group, ...]]
    """By space, each sorted; a space without units is not there."""
    powers: Mapping[Seat, Power]
    influence: Mapping[str, int]
    """Of the alliances that exist: plus towards the USSR."""
    fallout: tuple[Fallout, ...] = ()
    firsts: Mapping[str, Seat] = {}
    """5.7: which power of NATO gained a step first, by "ship 1"."""
    gifts: tuple[Gift, ...] = ()
    refusals: tuple[tuple[Seat, Seat], ...] = ()
    """14.2 no. 8: who takes no units of which ally on board."""
    surrendering: tuple[Seat, ...] = ()
    questions: tuple[Question, ...] = ()
    """The last is asked first."""
    headlines: tuple[Headline, ...] = ()
    """Of the last four turns."""
    result: Outcome | None = None

    @property
    def asked(self) -> Seat | None:
        """The power that has to decide; none when the match is over."""
        if self.result is not None:
            return None
        return self.questions[-1].seat if self.questions else self.turn.power

    def speaker(self, held: tuple[Seat, ...]) -> Seat:
        """Of the powers of one person the one that is asked, at turn, or the next to be."""
        return seating.speaker(held, self.asked, self.turn.power)

    def at(self, space: str) -> tuple[Group, ...]:
        return self.units.get(space, ())
