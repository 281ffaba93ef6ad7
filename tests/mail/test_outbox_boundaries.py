"""The outbox at its edges: to the second, to the try.

Spans are written out here as numbers, so that a constant that changes is noticed.
"""

from __future__ import annotations

import pytest

from pbem.db import store
from pbem.errors import TransportError
from pbem.mail.parcels import NoWay
from pbem.services.letters import outbox, recording, verdicts
from pbem.services.letters.claims import claim
from pbem.services.letters.leases import give_back, renew
from pbem.services.letters.mail_settings import MailSettings
from pbem.services.letters.verdicts import Verdict
from pbem.services.records.letter_queue import PUT_OFF, QueuedLetter
from tests.mail.posting import WORKER, Bag, owe_you
from tests.mail.posting import outbox as held
from tests.services.people import ANN, BOB, NOW

LATER = TransportError("451 4.3.0 later")
NEVER = TransportError("550 5.1.1 no such user", permanent=True)
MINUTE, HOUR, DAY = 60, 3_600, 86_400
PAUSES = [1 * MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE]

pytestmark = pytest.mark.usefixtures("stored")


@pytest.fixture
def letter(stored: str) -> QueuedLetter:
    owe_you(ANN, 1, NOW)
    (claimed,) = claim(WORKER, NOW)
    return claimed


def judged(
    office: MailSettings,
    letter: QueuedLetter,
    problem: TransportError,
    tried: int,
    refused: int = 0,
) -> Verdict:
    """What becomes of a letter that was tried so often before, and is once more in vain."""
    return verdicts.judge(office, letter._replace(attempts=tried, refusals=refused), problem, NOW)


# --- giving up ------------------------------------------------------------------------------------


def test_the_last_try_is_the_last_within_five_days(
    office: MailSettings, letter: QueuedLetter
) -> None:
    """One more pause after it would end behind the five days."""
    passed, tried = 0, 0
    while True:
        outcome = judged(office, letter, LATER, tried)
        tried += 1
        pause = PAUSES[min(tried, len(PAUSES)) - 1]
        assert outcome.next_at == NOW + pause
        if outcome.state == "dead":
            break
        assert outcome.state == "queued"
        passed += pause

    assert tried == 244
    assert passed < 5 * DAY <= passed + pause


def test_five_refusals_for_good_are_doubted_and_the_sixth_is_believed(
    office: MailSettings, letter: QueuedLetter
) -> None:
    pauses = [10 * MINUTE, HOUR, 6 * HOUR, 18 * HOUR, 24 * HOUR]
    for refused, pause in enumerate(pauses):
        outcome = judged(office, letter, NEVER, refused, refused)
        assert (outcome.state, outcome.next_at) == ("queued", NOW + pause)
        assert outcome.refusals == refused + 1

    assert judged(office, letter, NEVER, 5, 5).state == "dead"


@pytest.mark.parametrize(("refused", "is_unreachable"), [(0, False), (1, True)])
def test_two_refusals_show_that_somebody_cannot_be_reached(
    office: MailSettings, letter: QueuedLetter, refused: int, is_unreachable: bool
) -> None:
    assert judged(office, letter, NEVER, refused, refused).is_unreachable is is_unreachable


def test_a_closed_way_says_nothing_about_who_is_written_to(
    office: MailSettings, letter: QueuedLetter
) -> None:
    outcome = judged(office, letter, NoWay("connection refused"), 243)
    assert (outcome.state, outcome.is_unreachable) == ("dead", False)
    assert judged(office, letter, LATER, 243).is_unreachable


def test_a_letter_that_cannot_be_built_is_put_aside_at_the_third_try(
    office: MailSettings, letter: QueuedLetter
) -> None:
    states = [
        verdicts.unwritten(office, letter._replace(attempts=tried), ValueError("x"), NOW).state
        for tried in range(3)
    ]
    assert states == ["queued", "queued", "dead"]


def test_only_what_was_given_up_twelve_days_ago_loses_its_bytes(stored: str) -> None:
    for number, state in enumerate(("queued", "leased", "sent", "superseded", "dead")):
        owe_you(f"p{number}@example.org", 1, NOW)
        store.execute(
            "UPDATE outbox SET state = ?, mime = ? WHERE id = (SELECT MAX(id) FROM outbox)",
            state,
            b"x",
        )

    assert recording.prune(NOW + 12 * DAY - 1) == 0
    assert recording.prune(NOW + 12 * DAY) == 1
    assert held("state", "mime IS NULL") == ["dead"]


@pytest.mark.parametrize(("seconds", "sent"), [(30, 3), (31, 1)])
def test_a_batch_goes_on_for_half_a_minute(
    office: MailSettings, bag: Bag, seconds: int, sent: int
) -> None:
    for number in range(3):
        owe_you(f"p{number}@example.org", 1, NOW)
    claimed = claim(WORKER, NOW)
    looks = iter([0, *[seconds] * 3])
    batch = outbox.send_batch(office, WORKER, claimed, NOW, lambda: next(looks))

    assert len(batch.verdicts) == sent
    assert len(batch.untried) == 3 - sent


# --- leases ---------------------------------------------------------------------------------------


def set_rows(assignments: str, *params: object) -> None:
    store.execute(f"UPDATE outbox SET {assignments}", *params)


@pytest.mark.parametrize(("since", "is_free"), [(59, False), (60, True)])
def test_a_lease_is_over_after_a_minute_to_the_second(
    letter: QueuedLetter, since: int, is_free: bool
) -> None:
    assert bool(claim("other", NOW + since)) is is_free


@pytest.mark.parametrize(("ahead", "is_free"), [(11 * MINUTE, False), (11 * MINUTE + 1, True)])
def test_a_lease_that_ends_too_far_ahead_is_over(
    letter: QueuedLetter, ahead: int, is_free: bool
) -> None:
    """Clocks may differ by ten minutes, and a lease lasts one."""
    set_rows("lease_until = ?", NOW + ahead)
    assert bool(claim("other", NOW)) is is_free


@pytest.mark.parametrize(("ahead", "is_due"), [(46 * MINUTE, False), (46 * MINUTE + 1, True)])
def test_a_letter_parked_too_far_ahead_is_due(stored: str, ahead: int, is_due: bool) -> None:
    """The longest pause, a fifth of it, and ten minutes by which clocks may differ."""
    owe_you(ANN, 1, NOW)
    set_rows("next_at = ?", NOW + ahead)
    assert bool(claim(WORKER, NOW)) is is_due


@pytest.mark.parametrize(
    ("ahead", "is_due"),
    [(28 * HOUR + 58 * MINUTE, False), (28 * HOUR + 58 * MINUTE + 1, True)],
)
def test_a_letter_that_was_refused_is_parked_for_longer(
    stored: str, ahead: int, is_due: bool
) -> None:
    """A day, a fifth of it, and ten minutes by which clocks may differ."""
    owe_you(ANN, 1, NOW)
    set_rows("next_at = ?, refusals = 1", NOW + ahead)
    assert bool(claim(WORKER, NOW)) is is_due


@pytest.mark.parametrize(("ahead", "is_due"), [(7 * DAY, False), (7 * DAY + 1, True)])
def test_a_letter_that_was_put_off_waits_a_week_at_most(
    stored: str, ahead: int, is_due: bool
) -> None:
    owe_you(ANN, 1, NOW)
    set_rows("next_at = ?, stream = ?", NOW + ahead, f"{PUT_OFF}x")
    assert bool(claim(WORKER, NOW)) is is_due


def test_a_lease_is_renewed_and_given_back_by_its_worker_alone(letter: QueuedLetter) -> None:
    renew("other", [letter.id], NOW + 50)
    give_back("other", [letter.id])
    assert held("state, lease_until") == [("leased", NOW + MINUTE)]

    renew(WORKER, [letter.id], NOW + 50)
    assert held("state, lease_until") == [("leased", NOW + 50 + MINUTE)]
    give_back(WORKER, [letter.id])
    assert held("state") == ["queued"]


def test_a_letter_waits_for_the_one_just_before_it_unless_that_was_refused(stored: str) -> None:
    owe_you(ANN, 2, NOW)
    owe_you(BOB, 1, NOW)
    first, second, third = held("id")
    store.execute("UPDATE outbox SET next_at = ? WHERE id = ?", NOW + MINUTE, first)
    assert [letter.id for letter in claim(WORKER, NOW)] == [third]

    store.execute("UPDATE outbox SET refusals = 1 WHERE id = ?", first)
    assert [letter.id for letter in claim(WORKER, NOW)] == [second]
