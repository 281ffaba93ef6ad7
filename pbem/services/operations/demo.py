"""A match to look at: Ann and Bob have sat down, and their first letters are owed."""

from __future__ import annotations

from engine.registry import GAMES
from pbem.db.models import Match, Player
from pbem.db.store import writing
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.match.matches import DAY, Wanted
from pbem.services.records.player_rows import player_at

PEOPLE = {"Ann": "Europe/London", "Bob": "Europe/Berlin", "Cy": "Europe/Paris", "Dee": "UTC"}


def address_of(name: str) -> str:
    return f"{name.lower()}@example.org"


def prepare(game: str, now: int) -> str | None:
    """The demo match of a game, made once for a database; None when it is there already."""
    with writing():
        of_ann = Match.select().join(Player).where(Player.address == address_of("Ann"))
        return None if of_ann.where(Match.game == game).exists() else _sit_down(game, now)


def _sit_down(game: str, now: int) -> str:
    sitting = dict(zip(GAMES[game].seats({}), PEOPLE, strict=False))
    host, *guests = sitting.values()
    wanted = Wanted(
        game=game,
        setup={},
        pace=3 * DAY,
        addresses={seat: address_of(name) for seat, name in sitting.items()},
        creator=address_of(host),
        name=host,
        phrase=f"{host} likes rain",
    )
    match = matches.create(wanted, now)
    joining.confirmed(_id_of(host), now)
    for number, name in enumerate(guests, 1):
        says = Joining(name, "en", PEOPLE[name], f"{name} likes snow")
        joining.accept(match, number, _id_of(name), says, now)
    return match


def _id_of(name: str) -> int:
    player = player_at(address_of(name))
    assert player is not None, "whoever has a seat is known"
    return player.id
