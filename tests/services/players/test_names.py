"""Names: seen, told apart, in one alphabet, and no web address."""

from __future__ import annotations

import pytest

from pbem.db.store import execute
from pbem.errors import Refused, Stale
from pbem.services.match import joining, matches
from pbem.services.match.joining import Joining
from pbem.services.players import accounts, names
from pbem.services.records.match_rows import JOINED, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import stand_ins
from tests.services.people import ANN, BOB, EVE, NOW, Sitting, id_of, wanted


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("  Jürgen  O'Neil ", "Jürgen O'Neil"),
        ("Михаил", "Михаил"),
        ("Ａｎｎ", "Ann"),
        ("J.R.R. Tolkien", "J.R.R. Tolkien"),
        ("St. John 2nd", "St. John 2nd"),
        ("山田 太郎", "山田 太郎"),
        ("カタカナ ひらがな", "カタカナ ひらがな"),
        ("김철수", "김철수"),
        ("محمد", "محمد"),
        ("Bob_2", "Bob_2"),
        ("", ""),
    ],
)
def test_a_name_is_letters_in_any_script(written: str, kept: str) -> None:
    assert names.checked_for_player(written) == kept


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("www.evil-casino.com", "web address"),
        ("evil-casino.com", "web address"),
        ("WWW evil casino", "web address"),
        ("http evil", "web address"),
        ("see evil．com now", "web address"),
        ("visit 192.0.2.7", "web address"),
        ("ann@example.org", "up to 24 letters"),
        ("http://x", "up to 24 letters"),
        ("\u3164", "at least one letter"),
        ("Ann\u3164", "invisible"),
        ("\uffa0\u115f", "at least one letter"),
        ("...", "at least one letter"),
        ("Ann\u200b", "up to 24 letters"),
        ("A\u0301\u0302\u0303nn", "up to 24 letters"),
        ("Аnn", "one alphabet"),
        ("Bοb", "one alphabet"),
        ("moderator", "taken for the server"),
        ("The M0derator", "taken for the server"),
        ("МОДЕРАТОР pbem", "one alphabet"),
        ("PBEM", "taken for the server"),
        ("usa", "taken for the server"),
        ("UdSSR", "taken for the server"),
    ],
)
def test_what_is_no_fair_name_is_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        names.checked_for_player(text)


@pytest.mark.parametrize(
    "other",
    ["ann", "ANN", "A nn", "Ann.", "Ａｎｎ", "Αnn", "Апп".replace("п", "n"), "Ann_"],
)
def test_names_that_look_alike(other: str) -> None:
    assert names.look_alike("Ann", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bob", "ВОВ"), ("Iris", "lris"), ("Iris", "iris"), ("ace", "асе"), ("Mark 1", "Mark l")],
)
def test_names_of_different_letters_that_look_alike(one: str, other: str) -> None:
    assert names.look_alike(one, other) and names.look_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Anna", "Анна"), ("Bob", "Rob"), ("", ""), ("Ann", "")]
)
def test_names_that_do_not(one: str, other: str) -> None:
    assert not names.look_alike(one, other)


# --- where names enter a match --------------------------------------------------------------------


def test_who_joins_cannot_look_like_the_host(stored: str) -> None:
    match = matches.create(wanted(name="Bob"), NOW)
    joining.confirmed(id_of(ANN), NOW)
    with pytest.raises(Refused, match="looks like this one"):
        joining.accept(match, 1, id_of(BOB), Joining("ВОВ", "de", "UTC", ""), NOW)

    assert get_match(match).seat(1).status != JOINED
    assert get_player(id_of(BOB)).name == ""
    joining.accept(match, 1, id_of(BOB), Joining("Борис", "de", "UTC", ""), NOW)


def test_nobody_changes_into_the_opponent(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="looks like this one"):
        accounts.change(sitting.bob, name="ANN")
    accounts.change(sitting.bob, name="Robert")
    matches.resign(sitting.match, 0, NOW)
    accounts.change(sitting.bob, name="ANN")


def test_an_old_name_stays_while_other_settings_change(sitting: Sitting) -> None:
    execute("UPDATE player SET name = 'www.old.example' WHERE id = ?", sitting.bob)
    accounts.change(sitting.bob, name="www.old.example", zone="UTC")

    assert get_player(sitting.bob).zone == "UTC"


def test_a_stand_in_cannot_look_like_the_opponent(sitting: Sitting) -> None:
    eve = accounts.known_or_new(EVE, NOW).id
    accounts.change(eve, name="ann")
    loan = stand_ins.give_up(sitting.match, 1, EVE, NOW)
    with pytest.raises(Refused, match="looks like this one") as refusal:
        stand_ins.accept(loan, eve, NOW)

    assert not isinstance(refusal.value, Stale)
    accounts.change(eve, name="Eve")
    stand_ins.accept(loan, eve, NOW)
    assert get_match(sitting.match).seat(1).player == eve
