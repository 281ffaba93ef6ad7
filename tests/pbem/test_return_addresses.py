"""Addresses that letters come back to: short, without capitals, and nobody else can write one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem import return_addresses
from pbem.key_ring import ring
from pbem.return_addresses import ReturnAddress

OLD, NEW = "o" * 32, "n" * 32


@pytest.fixture(autouse=True)
def keys() -> Iterator[None]:
    before = ring._keys
    ring.use(lambda: (OLD,))
    yield
    ring._keys = before


def read(local: str) -> ReturnAddress:
    found = return_addresses.read(local)
    assert found is not None
    return found


def test_a_reply_address_is_read_in_any_case() -> None:
    local = return_addresses.of_turn(123456, "match00001", 1, 1_800_000_000)
    assert len(local) <= 64
    assert local == local.lower()
    for spelt in (local, local.upper(), local.title()):
        assert return_addresses.is_of_turn(read(spelt), "match00001", 1, 1_800_000_000)


def test_it_holds_for_its_turn_seat_and_epoch_only() -> None:
    local = return_addresses.of_turn(7, "match00001", 1, 100)
    assert not return_addresses.is_of_turn(read(local), "match00002", 1, 100)
    assert not return_addresses.is_of_turn(read(local), "match00001", 0, 100)
    assert not return_addresses.is_of_turn(read(local), "match00001", 1, 101)
    assert not return_addresses.is_of_turn(read(local)._replace(number=8), "match00001", 1, 100)
    assert not return_addresses.is_of_letter(read(local))


def test_one_of_a_letter_is_no_reply_address() -> None:
    local = return_addresses.of_letter(7)
    assert return_addresses.is_of_letter(read(local))
    assert not return_addresses.is_of_turn(read(local), "match00001", 1, 100)
    assert not return_addresses.is_of_letter(read(local)._replace(number=70))


@pytest.mark.parametrize("at", range(len("r7-") + 26))
def test_every_changed_letter_makes_it_worthless(at: int) -> None:
    local = return_addresses.of_turn(7, "match00001", 1, 100)
    other = "3" if local[at] != "3" else "4"
    found = return_addresses.read(local[:at] + other + local[at + 1 :])
    assert found is None or not return_addresses.is_of_turn(found, "match00001", 1, 100)


@pytest.mark.parametrize(
    "local", ["", "r", "r7", "r07-" + "a" * 26, "r7-" + "a" * 12, "r7-ä", "pbem"]
)
def test_what_is_none_is_none(local: str) -> None:
    assert return_addresses.read(local) is None


def test_old_keys_still_hold_and_dropped_ones_do_not() -> None:
    local = return_addresses.of_turn(7, "match00001", 1, 100)
    ring.use(lambda: (OLD, NEW))
    assert return_addresses.is_of_turn(read(local), "match00001", 1, 100)
    assert return_addresses.of_turn(7, "match00001", 1, 100) != local
    ring.use(lambda: (NEW,))
    assert not return_addresses.is_of_turn(read(local), "match00001", 1, 100)


def test_the_mark_of_a_list_of_choices_is_part_of_it() -> None:
    mark = return_addresses.mark_of(["cube europe", "done"])
    assert mark != return_addresses.mark_of(["done", "cube europe"])
    local = return_addresses.of_turn(7, "match00001", 1, 100, mark)
    assert read(local.upper()).mark == mark
    assert return_addresses.is_of_turn(read(local), "match00001", 1, 100)
    for other in ("", return_addresses.mark_of([])):
        changed = read(local)._replace(mark=other)
        assert not return_addresses.is_of_turn(changed, "match00001", 1, 100)
