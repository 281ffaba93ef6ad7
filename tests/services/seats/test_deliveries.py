"""Whether players are told of their turns, as all players of a match may know it."""

from __future__ import annotations

import pytest

from pbem.db.store import execute, rows
from pbem.deadlines import HOUR
from pbem.errors import TransportError
from pbem.services.match import matches, messages, turns
from pbem.services.records.match_rows import get_match
from pbem.services.seats import deliveries, unreachable
from pbem.services.seats.deliveries import Delivery
from tests.services.inbox.bouncing import come_back, newest
from tests.services.people import BOB, NOW, Sitting, turn_of
from tests.services.seats.test_unreachable import World
from tests.services.time.test_alarms import without_vacation

ANNS, BOBS = 0, 1


@pytest.fixture
def world(stored: str) -> World:
    return World()


def of_bob(sitting: Sitting) -> Delivery:
    (found,) = [one for one in deliveries.of_match(get_match(sitting.match)) if one.seat == BOBS]
    return found


def test_a_letter_goes_its_way(sitting: Sitting, world: World) -> None:
    assert of_bob(sitting) == (BOBS, "under_way", NOW)
    world.now += 60
    world.work()

    assert of_bob(sitting) == (BOBS, "delivered", NOW + 60)
    assert deliveries.of_match(get_match(sitting.match))[ANNS] == (ANNS, "none", None)


def test_what_a_server_puts_off_is_delayed(sitting: Sitting, world: World) -> None:
    world.lost, world.answer = {BOB}, TransportError("452 4.2.2 mailbox full")
    world.work()
    assert of_bob(sitting) == (BOBS, "delayed", NOW)
    world.lost.clear()
    world.passes(HOUR)

    assert of_bob(sitting).how == "delivered"


def test_what_is_reported_as_delayed_is(sitting: Sitting, world: World) -> None:
    world.work()
    come_back(newest(sitting.bob), "delayed", NOW + HOUR)

    assert of_bob(sitting) == (BOBS, "delayed", NOW + HOUR)


def test_what_came_back_for_now_is_delayed_until_the_next_one(
    sitting: Sitting, world: World
) -> None:
    without_vacation()
    world.work()
    come_back(newest(sitting.bob), "soft", NOW + HOUR)
    assert of_bob(sitting) == (BOBS, "delayed", NOW + HOUR)
    world.passes(8 * HOUR)

    assert of_bob(sitting).how == "delivered"


def test_who_cannot_be_reached_is_named_so_until_it_is_otherwise(
    sitting: Sitting, world: World
) -> None:
    world.work()
    come_back(newest(sitting.bob), "hard", NOW + HOUR)
    assert of_bob(sitting) == (BOBS, "unreachable", NOW + HOUR)
    unreachable.reached(sitting.bob, NOW + 2 * HOUR)
    world.now = NOW + 2 * HOUR
    world.work()

    assert of_bob(sitting) == (BOBS, "delivered", NOW + 2 * HOUR)


def test_nothing_else_that_is_written_to_a_player_shows(sitting: Sitting, world: World) -> None:
    """New links, messages and receipts are nobody else's matter."""
    world.work()
    before = of_bob(sitting)
    world.now += HOUR
    matches.revoke_links(sitting.match, BOBS, world.now)
    messages.say(sitting.match, ANNS, "Are you there?", world.now)
    world.work()

    assert len(rows("SELECT id FROM outbox WHERE player_id = ?", sitting.bob)) > 2
    assert of_bob(sitting) == before


def test_letters_to_who_held_the_seat_before_do_not_count(sitting: Sitting, world: World) -> None:
    world.work()
    execute("UPDATE seat SET player_id = ? WHERE number = 1", sitting.ann)

    assert of_bob(sitting).how == "none"


def test_who_has_played_is_not_waited_for(sitting: Sitting, world: World) -> None:
    world.work()
    come_back(newest(sitting.bob), "soft", NOW)
    turns.submit(turn_of(sitting.match).id, ["first usa"], NOW + HOUR)
    world.now = NOW + HOUR
    world.work()

    assert of_bob(sitting).how == "none"
    assert deliveries.of_match(get_match(sitting.match))[ANNS].how == "delivered"
