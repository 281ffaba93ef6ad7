"""The four powers, their sides, and the neutrals."""

from __future__ import annotations

from engine.core import Name, Seat

USSR, WE, UK, USA = Seat("ussr"), Seat("we"), Seat("uk"), Seat("usa")
POWERS = (USSR, WE, UK, USA)
"""In the order of their turns."""
NATO = (WE, UK, USA)

CHINA, ARAB, OAS = "china", "arab", "oas"
ALLIANCES = (CHINA, ARAB, OAS)
MINOR = "neutral"
"""The owner of every minor neutral; each is a state for itself."""

POWER_NAMES = {
    USSR: Name("USSR", "UdSSR", "URSS"),
    WE: Name("Western Europe", "Westeuropa", "Europe de l'Ouest"),
    UK: Name("United Kingdom", "Großbritannien", "Royaume-Uni"),
    USA: Name("USA", "USA", "États-Unis"),
}
NATO_NAME = Name("NATO", "NATO", "OTAN")


def is_power(owner: str) -> bool:
    return owner in POWERS


def are_friends(one: str, other: str) -> bool:
    """1.5: powers of one side; a neutral is nobody's friend."""
    return one in POWERS and other in POWERS and (one == USSR) == (other == USSR)


def are_enemies(one: str, other: str) -> bool:
    """1.5: powers of different sides; a neutral is nobody's enemy."""
    return one in POWERS and other in POWERS and (one == USSR) != (other == USSR)


def side(power: str) -> tuple[Seat, ...]:
    """The powers that stand together with one."""
    return (USSR,) if power == USSR else NATO


def foes(power: str) -> tuple[Seat, ...]:
    """The powers of the other side."""
    return NATO if power == USSR else (USSR,)
