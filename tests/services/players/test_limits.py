"""Limits: counted in the database, by hashes, within windows of time."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from pbem.db import store
from pbem.db.store import rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.errors import TooOften
from pbem.services.match import joining, matches
from pbem.services.operations import health
from pbem.services.players import limits
from pbem.services.players.limits import Asker, network_of
from pbem.services.self_service import sign_up
from tests.services.people import ANN, ASKER, BOB, NOW, id_of, wanted


def count(act: Callable[[], bool | None], times: int) -> int:
    """How often something could be done, of so many times."""
    done = 0
    for _ in range(times):
        with suppress(TooOften):
            done += act() is not False
    return done


def test_an_address_counts_in_its_plain_form(stored: str) -> None:
    spellings = ("v.ictim@gmail.com", "VICTIM+1@gmail.com", "victim+2@googlemail.com")
    taken = [limits.may_write("own_page", mail, NOW) for mail in spellings]

    assert taken == [True] * 3
    assert not limits.may_write("own_page", "vic.tim+99@gmail.com", NOW)
    assert limits.may_write("own_page", "victim@example.org", NOW)


def test_a_window_ends(stored: str) -> None:
    assert count(lambda: limits.may_write("own_page", BOB, NOW), 9) == 3
    assert count(lambda: limits.may_write("own_page", BOB, NOW + HOUR), 9) == 3


def test_a_network_is_told_when_to_come_again(stored: str) -> None:
    assert count(lambda: limits.ask("start", ASKER, NOW), 40) == 20
    with pytest.raises(TooOften, match=r"try again in 60 min") as refusal:
        limits.ask("start", ASKER, NOW)
    assert refusal.value.wait == HOUR
    assert count(lambda: limits.ask("start", ASKER, NOW + HOUR), 40) == 20
    assert count(lambda: limits.ask("start", ASKER, NOW + 2 * HOUR), 40) == 20
    with pytest.raises(TooOften, match=r"try again in \d+ hours"):
        limits.ask("start", ASKER, NOW + 3 * HOUR)


def test_the_site_has_a_day_of_its_own_whoever_asks(stored: str) -> None:
    asked = [Asker(f"network {number}", 4) for number in range(9)]
    done = sum(count(partial(limits.ask, "start", asker, NOW, 2), 1) for asker in asked)

    assert done == 2, "two letters each, and four for all"
    assert count(lambda: limits.ask("own_page", asked[0], NOW), 1) == 1, "players still get in"
    assert count(lambda: limits.ask("start", asked[0], NOW + DAY, 2), 1) == 1


def test_a_letter_too_many_is_put_off_to_a_day_with_room(stored: str) -> None:
    midnight = NOW - NOW % DAY
    found = [limits.place("invite", BOB, NOW) for _ in range(5 * 7 + 2)]

    days = [NOW, *(midnight + DAY * day for day in range(1, 7))]
    assert found == [day for day in days for _ in range(5)] + [None, None]


def test_networks_are_households(stored: str) -> None:
    def same(one: str, other: str) -> bool:
        return network_of(one, "key") == network_of(other, "key")

    assert same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9")
    assert not same("2001:db8:1:2::1", "2001:db8:1:3::1")
    assert same("::ffff:192.0.2.7", "192.0.2.7")
    assert not same("192.0.2.7", "192.0.2.8")
    assert network_of("192.0.2.7", "key") != network_of("192.0.2.7", "another key")


def test_nobody_can_be_read_from_the_tables(stored: str) -> None:
    limits.ask("start", Asker(network_of("192.0.2.7", "key"), 10), NOW)
    limits.may_write("invite", BOB, NOW)

    kept = str(rows("SELECT key FROM tally"))
    assert not any(part in kept for part in ("192.0.2.7", "bob", "@"))
    assert all(len(key) == 64 for (key,) in rows("SELECT key FROM tally"))


def test_what_is_over_is_forgotten(stored: str) -> None:
    limits.may_write("own_page", BOB, NOW)
    limits.may_write("invite", BOB, NOW)
    health.prune(NOW + HOUR)
    assert len(rows("SELECT key FROM tally")) == 1
    health.prune(NOW + DAY)
    assert rows("SELECT key FROM tally") == []


def test_processes_count_together(stored: str) -> None:
    """Twenty at once, each with a connection of its own: no more than the table says."""

    def one(_: int) -> bool:
        with store.connected(), writing():
            return limits.may_write("own_page", BOB, NOW)

    with ThreadPoolExecutor(8) as crowd:
        assert sum(crowd.map(one, range(20))) == 3


def test_who_asks_with_the_address_of_another_does_not_shut_its_owner_out(stored: str) -> None:
    one, other = (matches.create(wanted(addresses={"usa": ANN, "ussr": None}), NOW) for _ in "12")
    joining.confirmed(id_of(ANN), NOW)
    for number in range(9):
        sign_up.ask_to_join(one, f"bob+{number}@example.org", "en", NOW)
    sign_up.ask_to_join(other, BOB, "en", NOW)

    found = rows("SELECT match_id, player_id FROM outbox WHERE kind = 'invitation'")
    assert [match for match, _ in found].count(one) == 2
    assert (other, id_of(BOB)) in found
