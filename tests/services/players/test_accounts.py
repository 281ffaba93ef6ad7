"""Players: addresses, names, settings, the own page by letter, without telling who plays here."""

from __future__ import annotations

import pytest

from pbem.db.store import rows
from pbem.deadlines import HOUR
from pbem.errors import Refused
from pbem.services.players import accounts
from pbem.services.records.player_rows import get_player
from tests.services.people import ANN, EVE, NOW, Sitting, letters


@pytest.mark.parametrize(
    ("written", "kept"),
    [("Ann@Example.org", "ann@example.org"), (" bob+games@example.org ", "bob+games@example.org")],
)
def test_an_address_is_kept_in_one_spelling(written: str, kept: str) -> None:
    assert accounts.address(written) == kept


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "ann@",
        "@example.org",
        "jürgen@example.org",
        "ann@exam ple.org",
        "a\nb@x.org",
        "a" * 300 + "@x.org",
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not a usable email address"):
        accounts.address(text)


def test_the_own_page_is_mailed_to_known_addresses_only_and_not_without_end(
    sitting: Sitting,
) -> None:
    before = len(letters())
    accounts.ask_for_own_page(EVE, NOW)
    assert len(letters()) == before
    for second in range(10):
        accounts.ask_for_own_page(ANN, NOW + second)
    assert [kind for kind, _, _ in letters()[before:]] == ["you"] * 3
    accounts.ask_for_own_page(ANN, NOW + 2 * HOUR)
    assert len(letters()) == before + 4


def test_settings_change_one_by_one(sitting: Sitting) -> None:
    accounts.change(sitting.ann, zone="Europe/Paris")
    ann = get_player(sitting.ann)
    assert (ann.name, ann.language, ann.zone) == ("Ann", "en", "Europe/Paris")
    accounts.set_news(sitting.ann, False)
    assert get_player(sitting.ann).news is False


def test_nobody_is_stored_twice(sitting: Sitting) -> None:
    assert accounts.known_or_new(ANN, NOW).id == sitting.ann
    assert rows("SELECT COUNT(*) FROM player") == [(2,)]
