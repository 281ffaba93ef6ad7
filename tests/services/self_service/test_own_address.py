"""A player changes the own address: both are written to, and nobody learns who else plays here."""

from __future__ import annotations

import pytest

from pbem.db.store import rows
from pbem.errors import Refused, Stale, TooOften
from pbem.services.players import accounts, bans
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes
from tests.services.people import ANN, BOB, NOW, Sitting, letters
from tests.services.waiting import confirm_address

NEW = "ann@elsewhere.example"
LATER = NOW + 100


def test_both_addresses_are_written_to_and_the_new_one_holds(sitting: Sitting) -> None:
    before = len(letters())
    address_changes.ask_by_player(get_player(sitting.ann), NEW, LATER)
    change = address_changes.waiting(sitting.ann, LATER)
    assert change is not None
    told = letters()[before:]
    assert told == [("address", change.other, None), ("account", sitting.ann, None)]
    confirm_address(change.id, LATER)
    assert get_player(sitting.ann).address == NEW
    assert [kind for kind, _, _ in letters()].count("account") == 3, "both are told it is done"


def test_the_old_address_stops_it(sitting: Sitting) -> None:
    address_changes.ask_by_player(get_player(sitting.ann), NEW, LATER)
    change = address_changes.waiting(sitting.ann, LATER)
    assert change is not None
    address_changes.object_to(sitting.ann, LATER)
    with pytest.raises(Stale):
        address_changes.confirm(change.id, LATER)
    assert get_player(sitting.ann).address == ANN


@pytest.mark.parametrize("kept_out", [False, True])
def test_an_address_that_is_used_or_kept_out_looks_the_same_and_gets_nothing(
    sitting: Sitting, kept_out: bool
) -> None:
    mail, epoch = (NEW if kept_out else BOB), get_player(sitting.bob).epoch
    if kept_out:
        bans.put("@elsewhere.example", is_allowed=False, reason="spam", now=NOW)
    before = len(letters())
    address_changes.ask_by_player(get_player(sitting.ann), mail, LATER)
    assert letters()[before:] == [("account", sitting.ann, None)]
    change = address_changes.waiting(sitting.ann, LATER)
    assert change is not None, "the page says the same as ever"
    assert address_changes.call_off(sitting.ann, LATER)
    assert get_player(sitting.bob).epoch == epoch, "the links of who plays there go on"


def test_nobody_takes_an_address_that_another_plays_with(sitting: Sitting) -> None:
    address_changes.ask_by_player(get_player(sitting.ann), BOB, LATER)
    change = address_changes.waiting(sitting.ann, LATER)
    assert change is not None
    with pytest.raises(Refused, match="already plays"):
        address_changes.confirm(change.id, LATER)
    assert (get_player(sitting.ann).address, get_player(sitting.bob).address) == (ANN, BOB)


def test_the_same_address_and_too_many_are_refused(sitting: Sitting) -> None:
    with pytest.raises(Refused, match="already your address"):
        address_changes.ask_by_player(get_player(sitting.ann), ANN, LATER)
    for number in range(3):
        address_changes.ask_by_player(get_player(sitting.ann), f"a{number}@example.net", LATER)
    with pytest.raises(TooOften):
        address_changes.ask_by_player(get_player(sitting.ann), "a9@example.net", LATER)
    assert rows("SELECT COUNT(*) FROM address_change WHERE ended_at IS NULL") == [(1,)]


def test_an_address_that_was_only_typed_once_is_free(sitting: Sitting) -> None:
    accounts.known_or_new(NEW, NOW)
    address_changes.ask_by_player(get_player(sitting.ann), NEW, LATER)
    assert "address" in [kind for kind, _, _ in letters()]
