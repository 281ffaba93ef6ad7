"""Names of players: written in one alphabet, to be seen, told apart in a match, and no web address.

Two names look alike when they have a skeleton in common, as Unicode calls it (UTS 39): each letter
replaced by the one it looks like, by the table in `confusables.txt`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources

from engine.core import LANGUAGES
from engine.registry import GAMES
from pbem.db.models import Match, MatchSeat, Player
from pbem.db.reading import column
from pbem.errors import Refused
from pbem.services.records.match_rows import FORMING, JOINED, LIVE

LONGEST = 24
SIGNS = " -_'."
BLANKS = "\u115f\u1160"
"""Letters of Hangul that nobody sees."""
EASTERN = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "HANGUL", "IDEOGRAPHIC")
"""Scripts that are written together, also with Latin."""
NO_SCRIPT = ("DIGIT", "MODIFIER", "FEMININE", "MASCULINE")
"""What the names of letters begin with that go with every script."""
STAFF = ("moderator", "moderators", "moderatorin", "modérateur", "modératrice", "admin", "pbem")
"""Words that no name may contain."""
OURS = ("administrator", "operator", "server", "system", "clock", "postmaster", "support")
"""What nobody may be called, as nobody may be called by the name of a side."""
_SITE = re.compile(r"\bwww\b|\bhttps?\b|[^\W_]\.[^\W_]{2,}|(\d+\.){3}\d+", re.IGNORECASE)


def checked(text: str) -> str:
    """A name that fits a board and cannot be mistaken for part of one; empty for none."""
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    fit = all(letter.isalnum() or letter in SIGNS for letter in name)
    if not fit or len(name) > LONGEST:
        raise Refused(
            "a name can have up to %(most)s letters, digits, spaces and - _ ' . and nothing else",
            most=LONGEST,
        )
    if name and not any(_is_seen(letter) for letter in name):
        raise Refused("a name needs at least one letter or digit")
    if any(blank in name for blank in BLANKS):
        raise Refused("a name must not contain invisible characters")
    if not _is_one_script(name):
        raise Refused("a name must use one alphabet, not a mixture")
    check_is_no_site(name)
    return name


def _is_seen(letter: str) -> bool:
    return letter.isalnum() and letter not in BLANKS


def _is_one_script(name: str) -> bool:
    scripts = {_script(letter) for letter in name if letter.isalpha()} - {""}
    return len(scripts) < 2 or scripts == {"EASTERN", "LATIN"}


def _script(letter: str) -> str:
    """The script of a letter, by which its name in Unicode begins; empty when it goes with all."""
    first = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
    if first in NO_SCRIPT:
        return ""
    return "EASTERN" if first in EASTERN else first


def check_is_no_site(text: str) -> None:
    """Refused for what a mail program would make a link of."""
    if _SITE.search(unicodedata.normalize("NFKC", text)):
        raise Refused("a name must not look like a web address; put a space after the dot")


def checked_for_player(text: str) -> str:
    """The same, and not a name by which somebody could pass for a moderator or for a side."""
    name = checked(text)
    words = [name, *re.split(r"[ _'.-]+", name)]
    if _keys(name) & _kept() or any(_keys(word) & _staff() for word in words if word):
        raise Refused("this name could be taken for the server or for a side; choose another")
    return name


@cache
def _staff() -> frozenset[str]:
    return frozenset().union(*map(_keys, STAFF))


@cache
def _kept() -> frozenset[str]:
    sides = [
        title
        for game in GAMES.values()
        for seat in game.all_seats()
        for title in (seat, *(game.seat_name(seat).in_(language) for language in LANGUAGES))
    ]
    return frozenset().union(*map(_keys, (*OURS, *sides)))


# --- names that look alike ------------------------------------------------------------------------


def look_alike(one: str, other: str) -> bool:
    return bool(_keys(one) & _keys(other))


def _keys(name: str) -> frozenset[str]:
    """What a name looks like, as it is written and in small letters; signs do not count."""
    plain = unicodedata.normalize("NFKC", name)
    seen = {_skeleton(plain), _skeleton(plain.casefold())}
    return frozenset({_bare(_skeleton(one.casefold())) for one in seen} - {""})


def _skeleton(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", apart.translate(_look_of()))


def _bare(text: str) -> str:
    return "".join(letter for letter in text if letter not in SIGNS)


@cache
def _look_of() -> dict[int, str]:
    """What each letter looks like, where that is another one."""
    table = resources.files("pbem.services.players").joinpath("confusables.txt").read_text("ascii")
    return dict(_looks(table))


def _looks(table: str) -> Iterator[tuple[int, str]]:
    for line in table.splitlines():
        if not line.startswith("#"):
            look, *letters = line.split()
            shown = "".join(chr(int(code, 16)) for code in look.split("+"))
            yield from ((int(letter, 16), shown) for letter in letters)


def check_apart(match: str, player: int, name: str) -> None:
    """Refused where another player of a match has a name that looks like this one."""
    others = Player.select(Player.name).join(MatchSeat)
    others = others.where(MatchSeat.match == match, MatchSeat.status == JOINED, Player.id != player)
    if any(look_alike(name, other) for other in column(others)):
        raise Refused(
            "someone in match %(match)s has a name that looks like this one; choose another",
            match=match,
        )


def check_apart_everywhere(player: int, name: str) -> None:
    """The same for every match of a player that is not over."""
    taken = Match.select(Match.id).join(MatchSeat)
    taken = taken.where(
        MatchSeat.player == player, MatchSeat.status == JOINED, Match.status.in_([FORMING, LIVE])
    )
    for match in column(taken):
        check_apart(match, player, name)
