"""Battles as they were told, die by die, gathered into a few lines each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache

from engine.core import LANGUAGES, Name, Param, Text
from engine.east_and_west.combat.fight import NOBODY
from engine.east_and_west.combat.luck import SIDES
from engine.east_and_west.data.arsenal import BATTLESHIP, counted, kinds
from engine.east_and_west.data.atlas import atlas
from engine.east_and_west.data.powers import NATO, NATO_NAME, POWER_NAMES
from engine.east_and_west.report import (
    BEGINS,
    CAPTURES,
    DAMAGED,
    ENDS,
    FIRE,
    LOSES,
    RETREATS,
    TAKES,
    counts,
)

Names = tuple[Name, ...]


class Story:
    """One battle, from what was told of it; its beginning may have been told before."""

    def __init__(self, space: Name, attacker: Name) -> None:
        self.space, self.attacker = space, attacker
        self.begun: Text | None = None
        self.ended: Text | None = None
        self.result: Text | None = None
        """That the land was taken, or where the attacker has gone."""
        self._lost: dict[Name, Counter[str]] = {}
        self._damaged: Counter[Name] = Counter()
        self._luck: dict[bool, float] = {}
        """Hits above what was to be expected, of the attacker (True) and the defender."""

    def hear(self, told: Text) -> None:
        """Something that was told while it was fought."""
        params = told.params
        if told.msgid == BEGINS:
            self.begun = told
        elif told.msgid == ENDS:
            self.ended = told
        elif told.msgid == RETREATS:
            self.result = told
        elif told.msgid == LOSES:
            units = counts(_names(params["units"]))
            self._lost.setdefault(_name(params["power"]), Counter()).update(units)
        elif told.msgid == DAMAGED:
            self._damaged[_name(params["power"])] += _int(params["count"])
        elif told.msgid in FIRE:
            is_attack = params["power"] == self.attacker
            over = _int(params["hits"]) - _expected(params)
            self._luck[is_attack] = self._luck.get(is_attack, 0.0) + over

    def sentences(self) -> Text:
        """How it ended, what it cost both sides, and how lucky they were."""
        if self.ended is None and not self._lost and not self._damaged:
            return self._outcome()
        return Text(
            "{outcome} {losses} {luck}",
            {"outcome": self._outcome(), "losses": self._losses(), "luck": self._fortune()},
        )

    # --- how it ended -----------------------------------------------------------------------------

    def _outcome(self) -> Text:
        params: dict[str, Param] = {"space": self.space, "sizes": self._sizes()}
        if self.ended is None:
            return Text("{space}{sizes}: the battle is not over.", params)
        attack, defence = self.ended.params["attackers"], self.ended.params["defenders"]
        if self.result is not None and self.result.msgid in CAPTURES:
            params["loser"] = loser = self.result.params.get("loser", self.space)
            if loser == self.space:  # a minor neutral; kept news of older matches name it twice
                return Text("{space} taken{sizes}.", params)
            if self.result.msgid == TAKES:
                return Text("{space} taken from {loser}{sizes}.", params)
            return Text("{space} freed from {loser}{sizes}.", params)
        if self.result is not None:
            params["target"] = self.result.params["space"]
            return Text("{space}{sizes}: broken off, retreat to {target}.", params)
        if attack == (NOBODY,) and defence == (NOBODY,):
            return Text("{space}{sizes}: nobody is left.", params)
        if attack == (NOBODY,):
            return Text("{space}{sizes}: the attack was beaten off.", params)
        if defence == (NOBODY,):
            if self.space in _waters():
                return Text("{space}{sizes}: won.", params)
            return Text("{space}{sizes}: won, but not taken.", params)
        return Text("{space}{sizes}: broken off.", params)

    def _sizes(self) -> Text | str:
        """How many fought how many."""
        if self.begun is None:
            return ""
        ours, theirs = (
            sum(counts(_names(self.begun.params[side])).values())
            for side in ("attackers", "defenders")
        )
        return Text(" ({ours} against {theirs})", {"ours": ours, "theirs": theirs})

    # --- what it cost -----------------------------------------------------------------------------

    def _losses(self) -> Text:
        own = self._lost.get(self.attacker, Counter())
        foes = Counter[str]()
        for owner, lost in self._lost.items():
            foes += lost if owner != self.attacker else Counter()
        values = self.ended.params if self.ended is not None else {}
        hurt = self._damaged[self.attacker]
        others = self._damaged.total() - hurt
        return Text(
            "Losses: {power} {own}; {foe} {foes}.",
            {
                "power": self.attacker,
                "own": _with_value(own, hurt, values.get("lost")),
                "foe": self._foe(),
                "foes": _with_value(foes, others, values.get("destroyed")),
            },
        )

    def _foe(self) -> Param:
        """Whom the attacker fought; several powers by the name of their side."""
        hurt = dict.fromkeys((*self._lost, *self._damaged))
        foes = tuple(owner for owner in hurt if owner != self.attacker)
        if len(foes) == 1:
            return foes[0]
        west = {POWER_NAMES[seat] for seat in NATO}
        return NATO_NAME if foes and west.issuperset(foes) else Text("the defender")

    # --- luck -------------------------------------------------------------------------------------

    def _fortune(self) -> Text:
        ours, theirs = self._luck.get(True, 0.0), self._luck.get(False, 0.0)
        return Text(
            "Luck in hits: {power} {ours}, {foe} {theirs}.",
            {
                "power": self.attacker,
                "ours": signed(ours),
                "foe": self._foe(),
                "theirs": signed(theirs),
            },
        )


def signed(number: float) -> Name:
    """`+1.3`, with the comma of other languages."""
    english = f"{number:+.1f}"
    if english in ("+0.0", "-0.0"):
        english = "0"
    other = english.replace(".", ",")
    return Name(english, other, other)


def _with_value(lost: Counter[str], hurt: int, value: Param | None) -> Param:
    units = tuple(counted(kind, count) for kind, count in _dearest_first(lost))
    units += (_damaged(hurt),) if hurt else ()
    if not units:
        return Text("none")
    if value is None:
        return units
    en, de, fr = (
        f"{', '.join(unit.in_(language) for unit in units)} ({value} IPC)" for language in LANGUAGES
    )
    return Name(en, de, fr)


def _damaged(count: int) -> Name:
    ships = counted(BATTLESHIP, count)
    many = "s" if count > 1 else ""
    return Name(f"{ships.en} damaged", f"{ships.de} beschädigt", f"{ships.fr} endommagé{many}")


def _dearest_first(lost: Counter[str]) -> list[tuple[str, int]]:
    return sorted(lost.items(), key=lambda item: (-kinds()[item[0]].cost, item[0]))


def _name(value: Param) -> Name:
    assert isinstance(value, Name), value
    return value


def _names(value: Param) -> Names:
    assert isinstance(value, tuple), value
    return value


def _int(value: Param) -> int:
    assert isinstance(value, int), value
    return value


def _expected(params: Mapping[str, Param]) -> float:
    """Hits that a volley should have had."""
    dice = len(str(params["faces"]).split())
    return dice * _int(params["number"]) / SIDES


@cache
def _waters() -> frozenset[Name]:
    return frozenset(space.names for space in atlas().spaces.values() if not space.is_land)
