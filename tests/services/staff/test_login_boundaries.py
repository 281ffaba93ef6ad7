"""The moderators' door at its edges: to the second, to the try, to the step of a code.

Spans are written out here as numbers, so that a constant that changes is noticed.
"""

from __future__ import annotations

import base64

import pytest

from pbem.db.store import rows, writing
from pbem.errors import Refused, Stale
from pbem.services.records import audit_log
from pbem.services.records.moderator_rows import find_moderator
from pbem.services.staff import admin_sessions, logins, moderators, one_time_codes, passwords
from pbem.services.staff.admin_sessions import Session
from pbem.services.staff.logins import Typed
from pbem.services.staff.moderators import MODERATOR
from pbem.services.staff.one_time_codes import code, step_of
from tests.services.moderator_kit import (
    MO,
    OPAL,
    PASSWORD,
    Staff,
    record_of,
    stranger,
    with_password,
)
from tests.services.people import NOW

pytestmark = pytest.mark.usefixtures("stored")

MINUTE, HOUR = 60, 3_600
STEP = 30


def session_of(token: str, now: int = NOW) -> Session:
    found = admin_sessions.find(token, now)
    assert found is not None
    return found


def is_let_in(staff: Staff, typed: Typed, now: int) -> bool:
    try:
        logins.by_password(stranger(), staff.address, typed, now)
    except Refused:
        return False
    return True


def logged_in(staff: Staff, now: int = NOW) -> str:
    return logins.by_password(stranger(), staff.address, staff.typed(now), now)


def kept_sessions() -> int:
    return len(rows("SELECT id FROM admin_session"))


# --- codes ----------------------------------------------------------------------------------------


def test_a_step_counts_only_after_the_last_one_that_was_used() -> None:
    secret, step = one_time_codes.new_secret(), NOW // STEP

    assert step_of(secret, code(secret, step), NOW, step - 1) == step
    assert step_of(secret, code(secret, step), NOW, step) is None
    assert step_of(secret, code(secret, step), NOW, step + 1) is None


@pytest.mark.parametrize(("away", "counts"), [(-2, 0), (-1, 1), (0, 1), (1, 1), (2, 0)])
def test_a_clock_may_be_off_by_one_step_to_both_sides(away: int, counts: int) -> None:
    secret = one_time_codes.new_secret()
    for now in (NOW // STEP * STEP, NOW // STEP * STEP + STEP - 1):
        step = now // STEP + away
        assert step_of(secret, code(secret, step), now, 0) == (step if counts else None)


@pytest.mark.parametrize(("size", "fits"), [(19, False), (20, True), (21, False), (25, False)])
def test_a_secret_has_twenty_bytes(size: int, fits: bool) -> None:
    assert one_time_codes.is_secret(base64.b32encode(bytes(size)).decode()) is fits


def test_a_code_that_one_session_has_used_is_used_for_another_that_looked_before(
    stored: str,
) -> None:
    """What a session knows of its moderator is older than the first use."""
    mo = with_password()
    one, other = session_of(mo.token), session_of(logged_in(mo))
    later = NOW + 2 * STEP
    logins.step_up_by_code(one, mo.code(later), later)

    with pytest.raises(Refused, match="this does not confirm your identity"):
        logins.step_up_by_code(other, mo.code(later), later)
    with pytest.raises(Refused, match="login failed"):
        logins.by_password(stranger(), MO, mo.typed(later), later)


def test_credentials_that_are_taken_away_while_a_password_is_checked_let_nobody_in(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mo = with_password()

    def slowly(*_: str) -> bool:
        moderators.reset(MO, NOW)
        return True

    monkeypatch.setattr(passwords, "fits", slowly)
    assert not is_let_in(mo, mo.typed(NOW), NOW)
    assert kept_sessions() == 0


# --- wrong tries ----------------------------------------------------------------------------------


def failures() -> list[int]:
    return [number for (number,) in rows("SELECT failures FROM moderator")]


def guess(mo: Staff, times: int, now: int = NOW) -> None:
    for _ in range(times):
        assert not is_let_in(mo, Typed("wrong", mo.code(now)), now)


def test_four_wrong_tries_shut_nothing_and_the_fifth_does(stored: str) -> None:
    mo = with_password()
    guess(mo, 4)
    assert record_of(mo).locked_until is None
    guess(mo, 1)
    assert record_of(mo).locked_until == NOW + 15 * MINUTE


def test_the_way_opens_with_the_last_second_of_the_quarter_and_counts_from_nothing(
    stored: str,
) -> None:
    mo = with_password()
    guess(mo, 5)
    opens = NOW + 15 * MINUTE

    assert not is_let_in(mo, mo.typed(opens - 1), opens - 1)
    guess(mo, 4, opens)
    assert failures() == [4]
    assert is_let_in(mo, mo.typed(opens), opens)
    assert failures() == [0]


def test_tries_for_one_who_is_no_moderator_any_more_are_neither_counted_nor_noted(
    stored: str,
) -> None:
    mo = with_password()
    moderators.disable(MO, NOW)
    before = len(audit_log.newest(100))
    guess(mo, 6)

    assert len(audit_log.newest(100)) == before
    assert failures() == [0]
    assert record_of(mo).locked_until is None


def test_a_session_has_five_tries_and_no_sixth(stored: str) -> None:
    session = session_of(with_password().token)
    for _ in range(4):
        assert admin_sessions.take_try(session)
        assert not admin_sessions.end_if_tried_out(session)

    assert admin_sessions.take_try(session)
    assert not admin_sessions.take_try(session)
    assert admin_sessions.end_if_tried_out(session)


# --- sessions -------------------------------------------------------------------------------------


def test_a_session_lasts_half_an_hour_from_its_last_use_to_the_second(stored: str) -> None:
    mo = with_password()
    began = NOW - 10 * MINUTE
    ends = began + 30 * MINUTE

    assert admin_sessions.find(mo.token, ends - 1) is not None
    assert len(admin_sessions.of(record_of(mo), ends - 1)) == 1
    assert admin_sessions.find(mo.token, ends) is None
    assert admin_sessions.of(record_of(mo), ends) == []


def test_a_session_lasts_twelve_hours_in_all_to_the_second(stored: str) -> None:
    mo = with_password()
    ends = NOW - 10 * MINUTE + 12 * HOUR
    admin_sessions.note_use(session_of(mo.token)._replace(seen_at=0), ends - 1)

    assert admin_sessions.find(mo.token, ends - 1) is not None
    assert len(admin_sessions.of(record_of(mo), ends - 1)) == 1
    assert admin_sessions.find(mo.token, ends) is None
    assert admin_sessions.of(record_of(mo), ends) == []


@pytest.mark.parametrize("used", [False, True], ids=["idle", "too old"])
def test_a_session_that_is_over_is_swept_out_by_the_next_login_and_no_second_before(
    stored: str, used: bool
) -> None:
    mo, opal = with_password(), with_password(OPAL)
    ends = NOW - 10 * MINUTE + (12 * HOUR if used else 30 * MINUTE)
    for staff in (mo, opal):
        admin_sessions.note_use(
            session_of(staff.token)._replace(seen_at=0), ends - 1 if used else 0
        )
    with writing():
        admin_sessions.begin(mo.id, "", "", ends - 1)
        assert kept_sessions() == 3
        admin_sessions.begin(mo.id, "", "", ends)

    assert kept_sessions() == 2


def test_use_is_noted_after_a_whole_minute_and_never_backwards(stored: str) -> None:
    mo = with_password(now=NOW + 10 * MINUTE)
    session = session_of(mo.token)
    admin_sessions.note_use(session, NOW + MINUTE - 1)
    assert session_of(mo.token).seen_at == NOW
    admin_sessions.note_use(session, NOW + MINUTE)
    assert session_of(mo.token).seen_at == NOW + MINUTE

    admin_sessions.note_use(session, NOW + 3 * MINUTE)
    admin_sessions.note_use(session, NOW + 2 * MINUTE)
    assert session_of(mo.token).seen_at == NOW + 3 * MINUTE


def test_stepping_up_lasts_ten_minutes_to_the_second(stored: str) -> None:
    mo = with_password()
    session = session_of(logins.step_up_by_code(session_of(mo.token), mo.code(NOW), NOW))

    assert session.is_stepped_up(NOW + 10 * MINUTE - 1)
    assert not session.is_stepped_up(NOW + 10 * MINUTE)


# --- what a passkey is to sign --------------------------------------------------------------------


def ask(token: str, now: int) -> None:
    admin_sessions.keep_challenge(token, f"sign {now}", "192.0.2.7", now)


def test_a_question_is_good_for_five_minutes_to_the_second_and_once(stored: str) -> None:
    one, other = admin_sessions.new_token(), admin_sessions.new_token()
    ask(one, NOW)
    ask(other, NOW)

    assert admin_sessions.take_challenge(one, NOW + 5 * MINUTE) is None
    assert admin_sessions.take_challenge(other, NOW + 5 * MINUTE - 1) == f"sign {NOW}"
    assert admin_sessions.take_challenge(other, NOW + 5 * MINUTE - 1) is None


def test_what_a_stranger_left_at_the_door_is_swept_out_after_five_minutes(stored: str) -> None:
    stays, leaves = admin_sessions.new_token(), admin_sessions.new_token()
    ask(stays, NOW)
    ask(leaves, NOW)
    ask(stays, NOW + MINUTE)
    ask(admin_sessions.new_token(), NOW + 5 * MINUTE - 1)
    assert kept_sessions() == 3

    ask(admin_sessions.new_token(), NOW + 5 * MINUTE)
    assert kept_sessions() == 3, "one has come and one is gone"
    assert admin_sessions.take_challenge(stays, NOW + 5 * MINUTE) == f"sign {NOW + MINUTE}"
    ask(admin_sessions.new_token(), NOW + 6 * MINUTE)
    assert kept_sessions() == 3, "one has come and another is gone"


def test_a_moderator_who_is_asked_to_sign_is_not_swept_out(stored: str) -> None:
    mo = with_password()
    ask(mo.token, NOW)
    ask(admin_sessions.new_token(), NOW + 5 * MINUTE)

    assert admin_sessions.find(mo.token, NOW + 5 * MINUTE) is not None


# --- the link to set up ---------------------------------------------------------------------------


def test_a_link_to_set_up_is_shown_for_two_days_to_the_second(stored: str) -> None:
    link = moderators.add(MO, MODERATOR, "", NOW)

    assert moderators.to_set_up(link, NOW + 48 * HOUR - 1) is not None
    assert moderators.to_set_up(link, NOW + 48 * HOUR) is None


@pytest.mark.parametrize(("at", "is_good"), [(48 * HOUR - 1, True), (48 * HOUR, False)])
def test_a_link_to_set_up_is_used_within_two_days_to_the_second(
    stored: str, at: int, is_good: bool
) -> None:
    link = moderators.add(MO, MODERATOR, "", NOW)
    with writing():
        assert moderators.use_setup_link(link, NOW + at) is is_good


def test_a_link_that_runs_out_while_the_password_is_hashed_sets_nothing_up(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was good when the page was asked for, and is not when it is used."""
    link, secret = moderators.add(MO, MODERATOR, "", NOW), one_time_codes.new_secret()
    over = NOW + 48 * HOUR
    monkeypatch.setattr(moderators, "to_set_up", lambda *_: find_moderator(1))
    typed = Typed(PASSWORD, code(secret, over // STEP))
    with pytest.raises(Stale, match="already been used, or is too old"):
        logins.set_up_password(link, stranger(), typed, secret, over)

    found = find_moderator(link.moderator)
    assert found is not None and found.password_hash == ""
    assert kept_sessions() == 0


def test_who_is_no_moderator_any_more_is_shown_no_link(stored: str) -> None:
    link = moderators.add(MO, MODERATOR, "", NOW)
    moderators.disable(MO, NOW)

    assert moderators.to_set_up(link, NOW) is None
    with writing():
        assert not moderators.use_setup_link(link, NOW)
