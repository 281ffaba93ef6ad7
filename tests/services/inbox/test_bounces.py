"""Letters that come back: one ledger, marks that no hand-over clears, no effect of forgeries.

It is Bob's turn in all of them, and the mail server of this machine takes every letter.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from pbem import return_addresses
from pbem.db.store import row, rows, writing
from pbem.deadlines import DAY, HOUR
from pbem.incoming.mails import Failure
from pbem.services.inbox import bounces
from pbem.services.inbox.kept_mails import KeptMail
from pbem.services.match import timeouts, turns
from pbem.services.players import accounts
from pbem.services.records import addresses
from pbem.services.records.match_rows import LIVE, OVER, get_match
from pbem.services.records.player_rows import get_player
from pbem.services.seats import unreachable
from pbem.services.self_service import address_changes
from pbem.services.staff import moderators
from tests.services.inbox.bouncing import come_back, mail_with, newest
from tests.services.inbox.mailing import bounce_address
from tests.services.inbox.replying import reply
from tests.services.moderator_kit import OPAL
from tests.services.people import ANN, BOB, NOW, Sitting, turn_of
from tests.services.seats.test_unreachable import LIMIT, World
from tests.services.time.test_alarms import without_vacation
from tests.services.waiting import agree, open_turn

NEW = "bob@new.example"


@pytest.fixture
def world(stored: str) -> World:
    return World()


@pytest.fixture
def sent(sitting: Sitting, world: World) -> Sitting:
    """A match whose letters so far are with the mail server."""
    without_vacation()
    world.work()
    return sitting


def outbox_row(letter: int) -> tuple[object, ...] | None:
    return row(
        "SELECT state, report, reported_at, last_error, sent_at FROM outbox WHERE id = ?", letter
    )


def soft(sent: Sitting, world: World, number: int) -> None:
    """One more letter to Bob, not about his turn, that comes back for now."""
    accounts.ask_for_own_page(BOB, world.now)
    world.work()
    assert come_back(newest(sent.bob, "you"), "soft", world.now).state == "applied", number


# --- what is written down, and when it marks ------------------------------------------------------


def test_one_that_came_back_for_good_marks_its_reader(sent: Sitting, world: World) -> None:
    with writing():
        moderators.add(OPAL, moderators.OPERATOR, "Opal", NOW)
    letter = newest(sent.bob)
    ending = come_back(letter, "hard", NOW + 60)
    world.passes(HOUR)

    assert (ending.state, ending.reason, ending.player) == ("applied", "hard", sent.bob)
    assert outbox_row(letter) == ("returned", "hard", NOW + 60, "5.1.1 came back", NOW)
    assert unreachable.since(sent.bob) == NOW + 60
    assert unreachable.among(get_match(sent.match)) == {1}
    assert world.read_by(ANN, "We keep trying") == ["away"]
    assert world.read_by(OPAL, sent.match) == ["moderator"]
    for told in world.bag.parcels:
        assert told.recipient == BOB or (
            BOB.encode() not in told.mime and b"5.1.1" not in told.mime
        )


def test_the_same_report_again_is_no_news(sent: Sitting) -> None:
    letter = newest(sent.bob)
    come_back(letter, "hard", NOW + 60)
    ending = come_back(letter, "hard", NOW + 90)

    assert (ending.state, ending.reason) == ("ignored", "known already")
    assert unreachable.since(sent.bob) == NOW + 60


def test_three_within_seven_days_mark_and_two_do_not(sent: Sitting, world: World) -> None:
    for number in range(2):
        soft(sent, world, number)
        world.now += 2 * DAY
    assert unreachable.since(sent.bob) is None
    soft(sent, world, 3)

    assert unreachable.since(sent.bob) == world.now


def test_those_of_last_week_do_not_count(sent: Sitting, world: World) -> None:
    for number in range(6):
        soft(sent, world, number)
        world.now += 4 * DAY

    assert unreachable.since(sent.bob) is None


def test_a_delay_is_written_down_and_marks_nobody(sent: Sitting) -> None:
    letter = newest(sent.bob)
    assert come_back(letter, "delayed", NOW + 60).reason == "delayed"

    assert outbox_row(letter) == ("sent", "delayed", NOW + 60, "", NOW)
    assert unreachable.since(sent.bob) is None
    assert come_back(letter, "hard", NOW + 90).state == "applied", "a delay is not the end"
    assert unreachable.since(sent.bob) == NOW + 90


def test_a_report_may_overtake_its_letter(sitting: Sitting, world: World) -> None:
    """The mail server has it, and its report is here before anybody has written that down."""
    without_vacation()
    letter = newest(sitting.bob)
    world.bag.trouble = lambda parcel: (
        (come_back(letter, "hard", NOW) if parcel.recipient == BOB else None) and None
    )
    world.work()

    assert [*(outbox_row(letter) or ())][:2] == ["returned", "hard"]
    assert unreachable.since(sitting.bob) == NOW
    assert open_turn(sitting.match).since is not None


def test_moderators_see_it_among_the_refusals(sent: Sitting, world: World) -> None:
    letter = newest(sent.bob)
    come_back(letter, "hard", NOW)
    world.passes(HOUR)
    accounts.ask_for_own_page(BOB, world.now)
    world.work()

    state = addresses.state_of(sent.bob)
    assert (state.arrival, [one.letter for one in state.trouble]) == ("bouncing", [letter])
    assert [(one.player, one.error) for one in addresses.refusing(10)] == [
        (sent.bob, "5.1.1 came back")
    ]


def test_one_that_came_back_for_now_only_defers(sent: Sitting) -> None:
    come_back(newest(sent.bob), "soft", NOW)

    assert addresses.state_of(sent.bob).arrival == "deferring"
    assert addresses.refusing(10) == []


# --- the mark, and what takes it away -------------------------------------------------------------


def test_that_a_server_takes_a_letter_takes_no_mark_away(sent: Sitting, world: World) -> None:
    come_back(newest(sent.bob), "hard", NOW)
    accounts.ask_for_own_page(BOB, world.now)
    world.passes(DAY)

    assert "you" in world.read_by(BOB), "it was taken"
    assert unreachable.since(sent.bob) == NOW
    assert world.read_by(BOB).count("turn") == 1, "nobody is asked again and again"


def by_link(sent: Sitting, now: int) -> None:
    turns.submit(turn_of(sent.match).id, ["first usa"], now)


def by_reply(sent: Sitting, now: int) -> None:
    assert reply(sent.match, "SAY I am here", now=now).state == "applied"


def by_new_address(sent: Sitting, now: int) -> None:
    with writing():
        change = address_changes.ask(get_player(sent.bob), NEW, "lost", now)
    address_changes.confirm(change, now)


@pytest.mark.parametrize("way", [by_link, by_reply, by_new_address])
def test_who_shows_up_is_reached(
    sent: Sitting, world: World, way: Callable[[Sitting, int], None]
) -> None:
    come_back(newest(sent.bob), "hard", NOW)
    way(sent, NOW + HOUR)

    assert unreachable.since(sent.bob) is None
    assert addresses.state_of(sent.bob).arrival == "fine" or way is not by_new_address
    found = row("SELECT returns_since FROM player WHERE id = ?", sent.bob)
    assert found == (None,)


def test_who_is_back_has_a_letter_and_all_of_the_time(sent: Sitting, world: World) -> None:
    come_back(newest(sent.bob), "hard", NOW)
    world.passes(2 * DAY)
    by_new_address(sent, world.now)
    world.work()

    assert world.read_by(NEW).count("turn") == 1
    assert open_turn(sent.match).deadline_at >= world.now + LIMIT
    assert world.read_by(ANN, "getting through again") == ["away"]


def test_whose_letters_still_come_back_is_marked_again(sent: Sitting, world: World) -> None:
    come_back(newest(sent.bob), "hard", NOW)
    world.passes(HOUR)
    unreachable.reached(sent.bob, world.now)
    world.work()
    come_back(newest(sent.bob), "hard", world.now)

    assert unreachable.since(sent.bob) == world.now


# --- the clock ------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("policy", ["claim", "forfeit"])
def test_nothing_ends_by_a_clock_that_nobody_was_told_of(
    sent: Sitting, world: World, policy: str
) -> None:
    """The server takes every letter, also the warning."""
    agree(sent.match, policy=policy)
    come_back(newest(sent.bob), "hard", NOW + 60)
    world.leaps(LIMIT + 20 * DAY)

    assert get_match(sent.match).status == LIVE
    assert world.read_by(ANN, "/find") == ["claim"]
    timeouts.claim_win(sent.match, 0, world.now)
    assert get_match(sent.match).status == OVER


@pytest.mark.whole
def test_who_is_lost_after_the_deadline_has_some_days_to_come_back(
    sent: Sitting, world: World
) -> None:
    """The warning was taken; then another letter comes back."""
    agree(sent.match, policy="forfeit")
    world.leaps(LIMIT + HOUR)
    accounts.ask_for_own_page(BOB, world.now)
    world.work()
    come_back(newest(sent.bob, "you"), "hard", world.now)
    world.leaps(unreachable.PATIENCE - HOUR)
    assert world.read_by(ANN, "/find") == []
    world.leaps(2 * HOUR)

    assert world.read_by(ANN, "/find") == ["claim"]
    assert get_match(sent.match).status == LIVE


@pytest.mark.whole
def test_a_warning_that_came_back_is_no_warning(sent: Sitting, world: World) -> None:
    agree(sent.match, policy="forfeit")
    world.leaps(LIMIT + HOUR)
    come_back(newest(sent.bob, "late"), "soft", world.now)
    world.leaps(10 * DAY)

    assert get_match(sent.match).status == LIVE
    assert world.read_by(ANN, "/find") == ["claim"]


@pytest.mark.whole
def test_a_delayed_warning_is_given_time_to_arrive(sent: Sitting, world: World) -> None:
    agree(sent.match, policy="forfeit")
    world.leaps(LIMIT + HOUR)
    come_back(newest(sent.bob, "late"), "delayed", world.now)
    world.leaps(4 * DAY)
    assert get_match(sent.match).status == LIVE
    world.leaps(4 * DAY)

    assert get_match(sent.match).status == OVER


def test_a_turn_letter_that_came_back_for_now_is_written_again(sent: Sitting, world: World) -> None:
    letter = newest(sent.bob)
    come_back(letter, "soft", NOW + HOUR)
    world.passes(5 * HOUR)
    assert world.read_by(BOB).count("turn") == 1
    world.passes(3 * HOUR)

    assert world.read_by(BOB).count("turn") == 2
    assert open_turn(sent.match).deadline_at == NOW + HOUR + LIMIT
    come_back(newest(sent.bob), "soft", world.now)
    world.passes(8 * HOUR)
    come_back(newest(sent.bob), "soft", world.now)
    assert unreachable.since(sent.bob) == world.now, "three of the same turn are three"


# --- forgeries ------------------------------------------------------------------------------------


def all_that_matters() -> list[object]:
    """Everything that a report could change."""
    return [
        rows("SELECT id, state, report, reported_at, last_error, next_at FROM outbox ORDER BY id"),
        rows("SELECT id, unreachable_since, returns_since FROM player ORDER BY id"),
        rows("SELECT id, deadline_at, since, allowed FROM turn ORDER BY id"),
        rows("SELECT kind, subject, at FROM due ORDER BY kind, subject"),
    ]


def wrong_code(rng: random.Random, letter: int) -> str:
    code = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz234567", k=13))
    return f"b{letter}-{code}@localhost"


def another_letter(rng: random.Random, letter: int) -> str:
    """The code of one letter with the number of another."""
    code = return_addresses.of_letter(letter + rng.randint(1, 10**6)).partition("-")[2]
    return f"b{letter}-{code}@localhost"


def no_letter(rng: random.Random, letter: int) -> str:
    return bounce_address(letter + rng.randint(1_000, 10**9))


def the_true_one(rng: random.Random, letter: int) -> str:
    return bounce_address(letter)


def test_five_hundred_forged_reports_have_no_effect(sent: Sitting) -> None:
    """Each of them fails once without the check that it meets."""
    rng, letter = random.Random(16), newest(sent.bob)
    accounts.ask_for_own_page(BOB, NOW)
    unsent = newest(sent.bob, "you")
    before = all_that_matters()
    failures: list[Failure] = ["hard", "soft", "delayed"]
    makers: list[tuple[Callable[[random.Random, int], str], int, str, int]] = [
        (wrong_code, letter, BOB, NOW + HOUR),
        (another_letter, letter, BOB, NOW + HOUR),
        (no_letter, letter, BOB, NOW + HOUR),
        (the_true_one, unsent, BOB, NOW + HOUR),
        (the_true_one, letter, BOB, NOW + bounces.HONOURED + 1),
        (the_true_one, letter, ANN, NOW + HOUR),
        (the_true_one, letter, f"{BOB}.example", NOW + HOUR),
    ]
    for number in range(504):
        maker, about, whom, at = makers[number % len(makers)]
        to = maker(rng, about)
        ending = come_back(about, rng.choice(failures), at, (whom,), to)
        assert ending.state == "rejected", (maker.__name__, whom, ending)

    assert all_that_matters() == before


def test_a_report_of_before_a_new_address_has_no_effect(sent: Sitting, world: World) -> None:
    letter = newest(sent.bob)
    come_back(letter, "hard", NOW)
    by_new_address(sent, NOW + HOUR)
    world.passes(HOUR)
    ending = come_back(newest(sent.bob, "account"), "hard", world.now, (BOB,))

    assert ending.reason == "about another address"
    assert unreachable.since(sent.bob) is None


def test_what_reports_nothing_does_nothing_and_is_never_answered(sent: Sitting) -> None:
    """As from who is away: such answers go to the envelope's sender."""
    before = all_that_matters()
    address = return_addresses.read(return_addresses.of_letter(newest(sent.bob)))
    assert address is not None
    with writing():
        kept = KeptMail(1, address, bounce_address(newest(sent.bob)), BOB, NOW)
        ending = bounces.take(kept, mail_with(None), NOW)

    assert (ending.state, ending.reason) == ("ignored", "no report")
    assert all_that_matters() == before


def test_a_report_that_names_the_address_otherwise_counts(sent: Sitting) -> None:
    assert come_back(newest(sent.bob), "hard", NOW, (BOB.upper(),)).state == "applied"
