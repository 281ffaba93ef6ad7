"""Mails are worked on once, in one transaction with what they do; what fails is set aside."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable

import pytest
from peewee import OperationalError

from pbem.db.models import Message
from pbem.db.store import execute, row, rows
from pbem.deadlines import DAY, MINUTE
from pbem.errors import Missing
from pbem.incoming.child import ReaderLost
from pbem.incoming.mails import IncomingMail, Unreadable
from pbem.services.inbox import arrivals, bounces, quarantine, replies, working
from pbem.services.inbox.kept_mails import APPLIED, Ending, KeptMail
from pbem.services.operations import alerts, health
from pbem.services.operations.monitoring import signs
from pbem.services.players import process_settings
from pbem.services.records import audit_log
from pbem.services.self_service import personal_data
from tests.services.inbox.mailing import (
    bounce_address,
    raw_mail,
    read_plainly,
    reply_address,
    states,
)
from tests.services.moderator_kit import with_password
from tests.services.people import BOB, NOW, Sitting, turn_of

ME = "me:1"
SECRET = "a word that nobody else may read"


def arrive(sitting: Sitting, words: str = "1", number: int = 1, now: int = NOW) -> str:
    to = reply_address(turn_of(sitting.match))
    assert arrivals.keep(BOB, [to], raw_mail(to, words, f"<{number}@client>"), now) == [True]
    return to


def work(now: int = NOW, read: working.Read = read_plainly, worker: str = ME) -> int:
    return working.work(read, worker, now)


def say(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
    """What a hook may do: an effect that can be counted, and the end."""
    found = row("SELECT match_id FROM turn WHERE id = ?", kept.address.number)
    assert found is not None
    (match,) = found
    Message.insert(match=match, seat=1, at=now, text=" ".join(mail.own_words)).execute()
    return Ending(APPLIED, "said", match=match)


def said() -> list[str]:
    return [text for (text,) in rows("SELECT text FROM message ORDER BY id")]


@pytest.fixture
def saying(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "take", say)


def test_a_reply_goes_to_replies_and_ends(sitting: Sitting, saying: None) -> None:
    arrive(sitting, "hello there")

    assert work(NOW + 5) == 1

    assert said() == ["hello there"]
    ended = "SELECT state, reason, match_id, done_at, lease_by FROM incoming"
    assert rows(ended) == [("applied", "said", sitting.match, NOW + 5, ME)]
    assert work(NOW + 10) == 0


def test_a_bounce_goes_to_bounces(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = list[KeptMail]()

    def note(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
        taken.append(kept)
        return Ending(APPLIED, "noted")

    monkeypatch.setattr(bounces, "take", note)
    to = bounce_address(7)
    arrivals.keep("", [to], raw_mail(to), NOW - 60)

    assert work() == 1

    (kept,) = taken
    assert (kept.address.number, kept.recipient, kept.sender) == (7, to, "")
    assert kept.received_at == NOW - 60


def test_mails_are_read_by_whose_word_counts(
    sitting: Sitting, saying: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[tuple[str, str]]()

    def read(raw: bytes, sender: str, authserv_id: str) -> IncomingMail:
        asked.append((sender, authserv_id))
        return read_plainly(raw, sender, authserv_id)

    monkeypatch.setattr(process_settings.settings, "authserv_id", "mail.host")
    arrive(sitting)
    work(read=read)

    assert asked == [(BOB, "mail.host")]


def test_in_the_order_in_which_they_came(sitting: Sitting, saying: None) -> None:
    for number in range(5):
        arrive(sitting, str(number), number, NOW + number)

    assert work(NOW + 60) == 5
    assert said() == ["0", "1", "2", "3", "4"]


def test_what_nobody_can_read_is_rejected(sitting: Sitting) -> None:
    def read(*_: object) -> IncomingMail:
        raise Unreadable("too many parts")

    arrive(sitting)

    assert work(read=read) == 1
    assert states() == [("rejected", "too many parts")]


def test_a_mail_whose_key_is_gone_is_rejected(sitting: Sitting) -> None:
    arrive(sitting)
    execute("UPDATE incoming SET mime = ?", b"\x00seal1 by a key that is gone")

    assert work() == 1
    assert states() == [("rejected", "its key is gone")]


def test_an_effect_and_its_end_are_one(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_late(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
        say(kept, mail, now)
        raise RuntimeError(SECRET)

    monkeypatch.setattr(replies, "take", fail_late)
    arrive(sitting)

    assert work() == 0
    assert said() == []
    assert states() == [("received", f"1x RuntimeError in fail_late:{fail_late_line(fail_late)}")]


def fail_late_line(function: Callable[..., object]) -> int:
    return inspect.getsourcelines(function)[1] + 2


def test_what_fails_three_times_is_set_aside_and_stops_nobody(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail_on_poison(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
        if mail.own_words[0] == "poison":
            raise RecursionError(SECRET)
        return say(kept, mail, now)

    with_password(now=NOW)
    monkeypatch.setattr(replies, "take", fail_on_poison)
    arrive(sitting, f"poison {SECRET}", 1)
    arrive(sitting, "hello", 2)
    with caplog.at_level(logging.INFO):
        worked = [work(NOW + at * MINUTE) for at in range(10)]

    assert worked == [1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert said() == ["hello"]
    assert [state for state, _ in states()] == ["quarantined", "applied"]
    assert SECRET not in caplog.text
    (one,) = quarantine.set_aside()
    assert (one.attempts, one.is_bounce, SECRET in one.reason) == (3, False, False)
    assert rows("SELECT COUNT(*) FROM outbox WHERE kind = 'moderator' AND about LIKE ?", "%quar%")[
        0
    ] == (1,)
    assert ("quarantined", 1) in [(need.what, need.number) for need in alerts.active(NOW)]


def test_moderators_are_told_once_a_day(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Ending:
        raise ValueError

    with_password(now=NOW)
    monkeypatch.setattr(replies, "take", fail)
    for number in range(3):
        arrive(sitting, "1", number)
    for at in range(10):
        work(NOW + at * MINUTE)

    assert [state for state, _ in states()] == ["quarantined"] * 3
    assert rows("SELECT COUNT(*) FROM outbox WHERE about LIKE ?", "%quarantined%") == [(1,)]


def test_a_mail_that_ends_every_worker_is_set_aside(sitting: Sitting, saying: None) -> None:
    arrive(sitting)
    now = NOW
    for _ in range(working.MOST_CLAIMS):
        assert working.claim("somebody who dies", now) is not None
        now += working.LEASE

    assert work(now) == 1
    assert [state for state, _ in states()] == ["quarantined"]


def test_workers_that_die_over_something_else_are_no_failures_of_a_mail(
    sitting: Sitting, saying: None
) -> None:
    arrive(sitting)
    now = NOW
    for _ in range(5):
        assert working.claim("somebody who is killed", now) is not None
        now += working.LEASE

    def fail(*_: object) -> IncomingMail:
        raise ReaderLost("it was killed, too")

    assert working.work(fail, "another:2", now) == 0
    assert work(now + working.PAUSES[0]) == 1
    assert [state for state, _ in states()] == ["applied"]


def test_a_mail_that_ends_its_worker_holds_up_no_other(sitting: Sitting, saying: None) -> None:
    arrive(sitting, "poison", 1)
    assert working.claim("somebody who dies", NOW) is not None
    now = NOW + working.LEASE
    arrive(sitting, "hello", 2, now)

    taken = working.claim("another:2", now)
    assert taken is not None
    assert taken.received_at == now


def test_a_lease_that_is_over_is_anybodys(sitting: Sitting, saying: None) -> None:
    arrive(sitting)
    assert working.claim("somebody who dies", NOW) is not None

    assert work(NOW + working.LEASE - 1) == 0
    assert work(NOW + working.LEASE) == 1
    assert said() == ["1"]


def test_who_has_lost_the_lease_does_nothing(sitting: Sitting, saying: None) -> None:
    def read_slowly(raw: bytes, sender: str, authserv_id: str) -> IncomingMail:
        assert work(NOW + working.LEASE, worker="another:2") == 1
        return read_plainly(raw, sender, authserv_id)

    arrive(sitting)

    assert work(read=read_slowly) == 0
    assert said() == ["1"]
    assert rows("SELECT lease_by FROM incoming") == [("another:2",)]


@pytest.mark.parametrize("ahead", [working.PAUSES[-1] + working.APART + 1, 400 * DAY])
def test_times_that_only_a_wrong_clock_can_set_are_not_believed(
    sitting: Sitting, saying: None, ahead: int
) -> None:
    arrive(sitting, number=1)
    arrive(sitting, number=2)
    execute("UPDATE incoming SET state = 'leased', lease_until = ? WHERE id = 1", NOW + ahead)
    execute("UPDATE incoming SET next_at = ? WHERE id = 2", NOW + ahead)

    assert work() == 2


def test_a_database_that_is_away_says_nothing_about_a_mail(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Ending:
        raise OperationalError("the database is locked")

    arrive(sitting)
    monkeypatch.setattr(replies, "take", fail)
    with pytest.raises(OperationalError):
        work()

    assert rows("SELECT state, attempts FROM incoming") == [("received", 0)]


# --- what was set aside ---------------------------------------------------------------------------


def set_aside(sitting: Sitting) -> int:
    arrive(sitting)
    execute("UPDATE incoming SET state = 'quarantined', attempts = 3, done_at = ?", NOW)
    (one,) = quarantine.set_aside()
    return one.id


def test_an_operator_tries_it_again(sitting: Sitting, saying: None) -> None:
    number = set_aside(sitting)

    quarantine.retry(number, audit_log.COMMAND_LINE, NOW + DAY)

    assert work(NOW + DAY) == 1
    assert said() == ["1"]
    assert rows("SELECT act, subject FROM audit") == [("mail.retry", f"mail {number}")]


def test_an_operator_throws_it_away(sitting: Sitting, saying: None) -> None:
    number = set_aside(sitting)

    quarantine.drop(number, audit_log.COMMAND_LINE, NOW + DAY)

    assert work(NOW + DAY) == 0
    assert rows("SELECT state, reason, mime FROM incoming") == [("ignored", "dropped", None)]
    for act in (quarantine.drop, quarantine.retry):
        with pytest.raises(Missing, match=f"no email with the number {number} is set aside"):
            act(number, audit_log.COMMAND_LINE, NOW + DAY)


def test_words_go_after_a_week_and_rows_after_a_quarter(sitting: Sitting, saying: None) -> None:
    arrive(sitting, number=1)
    work()
    arrive(sitting, number=2)

    kept = "SELECT mime IS NULL FROM incoming ORDER BY id"
    health.prune(NOW + 7 * DAY - 1)
    assert [bool(gone) for (gone,) in rows(kept)] == [False, False]
    health.prune(NOW + 7 * DAY)
    assert [bool(gone) for (gone,) in rows(kept)] == [True, False]
    health.prune(NOW + 90 * DAY)
    assert [bool(gone) for (gone,) in rows(kept)] == [False]


def test_nobody_waits_for_ever_for_an_operator(sitting: Sitting) -> None:
    set_aside(sitting)

    quarantine.prune(NOW + 30 * DAY - 1)
    assert len(quarantine.set_aside()) == 1
    quarantine.prune(NOW + 30 * DAY)
    assert states() == [("ignored", "given up")]
    assert rows("SELECT mime FROM incoming") == [(None,)]


def test_a_player_is_told_of_mails_that_were_kept_and_can_have_them_forgotten(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note(kept: KeptMail, mail: IncomingMail, now: int) -> Ending:
        return Ending(APPLIED, "noted", sitting.bob, sitting.match)

    monkeypatch.setattr(replies, "take", note)
    arrive(sitting, SECRET)
    work(NOW + 5)

    told = personal_data.export(sitting.bob)["mails"]
    assert told == [
        {"match": sitting.match, "state": "applied", "received_at": NOW, "done_at": NOW + 5}
    ]
    assert personal_data.export(sitting.ann)["mails"] == []
    execute("UPDATE match SET status = 'over'")
    personal_data.delete(sitting.bob, NOW + DAY)
    assert rows("SELECT COUNT(*) FROM incoming") == [(0,)]


# --- whether anybody works ------------------------------------------------------------------------


def test_mail_that_nobody_works_on_is_noticed(sitting: Sitting) -> None:
    arrive(sitting)

    assert health.counts().mails == {"received": 1}
    assert [sign.age(NOW + 90) for sign in signs.read(NOW + 90) if sign.name == "mail"] == [90]
    assert not [need for need in alerts.active(NOW + 10 * MINUTE) if need.what == "unread"]
    (need,) = [need for need in alerts.active(NOW + 11 * MINUTE) if need.what == "unread"]
    assert need.since == NOW
    assert "mail that came in" not in str(health.idleness(NOW + 15 * MINUTE))
    assert "mail that came in" in str(health.idleness(NOW + 16 * MINUTE))
