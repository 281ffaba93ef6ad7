"""One link, many presses: exactly one is applied, whoever is faster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest

from pbem.db import store
from pbem.errors import Stale
from pbem.services.match import link_orders, turns
from pbem.services.records.match_rows import get_match
from pbem.services.records.player_rows import get_player
from pbem.services.self_service import address_changes, revocation
from tests.services.people import NOW, Sitting, letters, turn_of
from tests.services.waiting import confirm_address

PRESSES, SAYINGS = 200, 10


def press(turn: int) -> str:
    with store.connected():
        try:
            turns.submit(turn, ["first usa"], NOW)
        except Stale:
            return "stale"
        return "applied"


def test_of_two_hundred_presses_one_is_applied(sitting: Sitting) -> None:
    turn = turn_of(sitting.match).id
    before = len(letters())
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(press, [turn] * PRESSES))
    assert sorted(set(results)) == ["applied", "stale"]
    assert results.count("applied") == 1
    assert get_match(sitting.match).head_seq == 1
    assert [kind for kind, _, _ in letters()[before:]] == ["turn", "receipt"]


def test_a_writer_with_an_old_head_is_refused(sitting: Sitting) -> None:
    old = get_match(sitting.match)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW)
    with pytest.raises(Stale, match="moved on in the meantime"), store.writing():
        turns.note(old, "note", "moderator", "too late", NOW)


def said_in_advance(match: str, rule: str) -> None:
    with store.connected():
        link_orders.say_in_advance(match, 0, f"standing all {rule}", NOW)


def test_who_says_something_in_advance_never_makes_a_press_fail(sitting: Sitting) -> None:
    """It would tell the other side that something was said."""
    turn = turn_of(sitting.match).id
    with ThreadPoolExecutor(8) as pool:
        said = [
            pool.submit(said_in_advance, sitting.match, rule) for rule in ["use", "ask"] * SAYINGS
        ]
        pressed = pool.submit(press, turn)
        said += [
            pool.submit(said_in_advance, sitting.match, rule) for rule in ["never", "ask"] * SAYINGS
        ]
        assert pressed.result() == "applied"
        for one in said:
            one.result()


def renewed(player: int) -> None:
    revocation.by_player(player, NOW)


def moved_to_another_address(player: int) -> None:
    with store.writing():
        change = address_changes.ask(get_player(player), "bob.new@example.org", "asked", NOW)
    confirm_address(change, NOW)


@pytest.mark.parametrize("shut", [renewed, moved_to_another_address])
def test_who_moves_and_whoever_shuts_the_links_wait_for_each_other(
    sitting: Sitting, shut: Callable[[int], None]
) -> None:
    """Both write to the match and to the player, in the same order."""
    is_held = Event()

    def move() -> None:
        with store.connected(), store.writing():
            store.hold_match(sitting.match)
            is_held.set()
            sleep(0.3)  # until the other one waits
            store.execute("UPDATE player SET quick_moves = 1 WHERE id = ?", sitting.bob)

    def shut_links() -> None:
        is_held.wait()
        with store.connected():
            shut(sitting.bob)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(move), pool.submit(shut_links)]:
            done.result()
    assert get_player(sitting.bob).epoch > NOW
