"""Moderators: made by command, let in by passkey or password and code, watched by each other."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from pbem.db import store
from pbem.db.store import rows, writing
from pbem.errors import Missing, Refused, Stale
from pbem.links import ModeratorLink
from pbem.services.letters import outbox
from pbem.services.players import accounts, staff_alerts
from pbem.services.records import audit_log
from pbem.services.records.audit_log import COMMAND_LINE, NOBODY
from pbem.services.records.moderator_rows import all_moderators, find_moderator, moderator_at
from pbem.services.staff import (
    admin_sessions,
    logins,
    moderators,
    one_time_codes,
    passkeys,
    passwords,
)
from pbem.services.staff.admin_sessions import ABSOLUTE, CHALLENGE, IDLE, STEPPED_UP, Session
from pbem.services.staff.logins import LOCKED, Browser, Typed
from pbem.services.staff.moderators import MODERATOR, OPERATOR, SETUP_LASTS
from pbem.services.staff.one_time_codes import STEP
from tests.kit.authenticator import Authenticator, read, spelled
from tests.mail.posting import WORKER, Bag, office_with, text_of
from tests.services.moderator_kit import (
    MO,
    OPAL,
    PASSWORD,
    SITE,
    Staff,
    asked_to_make,
    asked_to_sign,
    record_of,
    stranger,
    with_passkey,
    with_password,
)
from tests.services.people import NOW

pytestmark = pytest.mark.usefixtures("stored")


def acts() -> list[tuple[str, str]]:
    """Who did what, oldest first."""
    return [(entry.actor, entry.act) for entry in audit_log.newest(100)[::-1]]


def posted(now: int = NOW) -> Bag:
    bag = Bag()
    outbox.drain(office_with(bag), WORKER, now)
    return bag


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


def sessions() -> int:
    return len(rows("SELECT id FROM admin_session WHERE moderator_id IS NOT NULL"))


# --- from the command line ------------------------------------------------------------------------


def test_there_is_no_moderator_until_one_is_added(stored: str) -> None:
    assert all_moderators() == []
    moderators.add(MO, OPERATOR, "Mo", NOW)

    (mo,) = all_moderators()
    assert (mo.address, mo.role, mo.name, mo.password_hash) == (MO, OPERATOR, "Mo", "")
    assert acts() == [(COMMAND_LINE, "add_moderator")]


def test_a_moderator_is_added_once(stored: str) -> None:
    moderators.add(MO, MODERATOR, "", NOW)
    with pytest.raises(Refused, match="is already a moderator"):
        moderators.add(MO, OPERATOR, "", NOW)

    assert len(acts()) == 1


def test_the_way_in_comes_by_letter(stored: str) -> None:
    link = moderators.add(MO, MODERATOR, "Mo", NOW)
    (letter,) = posted().letters
    office = office_with(Bag())

    assert letter["To"] == MO
    assert letter["X-PBEM-Kind"] == "moderator"
    assert office.links.url("moderator", link) in text_of(letter).splitlines()
    assert "Hello Mo," in text_of(letter)


def test_a_letter_whose_link_was_replaced_does_not_leave(stored: str) -> None:
    moderators.add(MO, MODERATOR, "", NOW)
    link = moderators.reset(MO, NOW)
    (letter,) = posted().letters

    assert office_with(Bag()).links.url("moderator", link) in text_of(letter)


def test_a_reset_takes_every_way_in_away(stored: str) -> None:
    mo = with_password()
    link = moderators.reset(MO, NOW)

    assert admin_sessions.find(mo.token, NOW) is None
    assert not is_let_in(mo, mo.typed(NOW), NOW)
    assert moderators.to_set_up(link, NOW) is not None
    assert acts()[-2:] == [(COMMAND_LINE, "reset_moderator"), (NOBODY, "login_refused")]


def test_a_reset_takes_passkeys_away(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    mo = with_passkey(key)
    moderators.reset(MO, NOW)

    with pytest.raises(Refused):
        logins.by_passkey(browser, SITE, key.sign(asked_to_sign(browser, NOW)), NOW)
    assert passkeys.of(mo.id) == []


def test_who_is_disabled_is_out_at_once(stored: str) -> None:
    mo = with_password()
    moderators.disable(MO, NOW)

    assert admin_sessions.find(mo.token, NOW) is None
    assert not is_let_in(mo, mo.typed(NOW), NOW)
    assert sessions() == 0
    with pytest.raises(Missing, match="there is no moderator"):
        moderators.disable(MO, NOW)
    with pytest.raises(Missing):
        moderators.reset(MO, NOW)


def test_who_was_disabled_can_be_added_again_and_starts_anew(stored: str) -> None:
    mo = with_password()
    moderators.disable(MO, NOW)
    link = moderators.add(MO, OPERATOR, "Mo", NOW)

    assert link.moderator == mo.id
    assert record_of(mo)[5:8] == (None, "", "")
    assert admin_sessions.find(mo.token, NOW) is None
    assert not is_let_in(mo, mo.typed(NOW), NOW)


# --- the link to set up ---------------------------------------------------------------------------


def test_a_link_lasts_two_days(stored: str) -> None:
    link = moderators.add(MO, MODERATOR, "", NOW)

    assert moderators.to_set_up(link, NOW + SETUP_LASTS - 1) is not None
    assert moderators.to_set_up(link, NOW + SETUP_LASTS) is None
    assert moderators.to_set_up(ModeratorLink(link.moderator, NOW + 1), NOW) is None
    assert moderators.to_set_up(ModeratorLink(99, NOW), NOW) is None


def test_a_link_is_used_once_and_never_comes_back(stored: str) -> None:
    mo = with_password(now=NOW + 600)
    used = ModeratorLink(mo.id, NOW)

    assert moderators.to_set_up(used, NOW) is None
    with pytest.raises(Stale, match="already been used"):
        logins.set_up_password(used, stranger(), Typed(PASSWORD, "000000"), "A" * 32, NOW)
    again = moderators.reset(MO, NOW)
    assert again.epoch > used.epoch
    assert moderators.to_set_up(used, NOW) is None


def test_of_many_who_use_a_link_at_once_one_succeeds(stored: str) -> None:
    link, secret = moderators.add(MO, MODERATOR, "", NOW), one_time_codes.new_secret()
    typed = Typed(PASSWORD, one_time_codes.code(secret, NOW // STEP))

    def use(_: int) -> bool:
        with store.connected():
            try:
                logins.set_up_password(link, stranger(), typed, secret, NOW)
            except Stale:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(use, range(8))) == [False] * 7 + [True]
    assert [act for _, act in acts()] == ["add_moderator", "set_up"]


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("fourteen chars", "needs 15 to 200 characters"),
        ("x" * 201, "needs 15 to 200 characters"),
        ("passwordpassword", "common passwords"),
        ("qwertyuiop1234567", "common passwords"),
        ("aaaaaaaaaaaaaaaaaa", "common passwords"),
        ("abcabcabc123123123", "common passwords"),
        ("correcthorsebatterystaple", "common passwords"),
        ("Monique.Moreau.Monique", "common passwords"),
        ("monique@example.org!", "common passwords"),
    ],
)
def test_a_password_that_is_easily_guessed_is_refused(password: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        passwords.checked(password, "Monique Moreau", "monique@example.org")


@pytest.mark.parametrize("password", [PASSWORD, "ein blauer hund", "Käse & Brot à midi"])
def test_a_long_password_of_any_words_will_do(password: str) -> None:
    assert passwords.checked(password, MO) == password


def test_passwords_are_kept_as_argon2id_and_fit_however_letters_are_made() -> None:
    kept = passwords.hashed("Käse und Brot zu Mittag")

    assert kept.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords.fits("Ka\u0308se und Brot zu Mittag", kept)
    assert not passwords.fits("Kase und Brot zu Mittag", kept)
    assert not passwords.fits("the password of nobody at all", "")


def test_setting_up_needs_a_code_of_now(stored: str) -> None:
    link, secret = moderators.add(MO, MODERATOR, "", NOW), one_time_codes.new_secret()
    for typed, of in [
        ("000", secret),
        (one_time_codes.code(secret, NOW // STEP - 2), secret),
        (one_time_codes.code(secret, NOW // STEP), one_time_codes.new_secret()),
        ("", ""),
        ("123456", "no secret!"),
    ]:
        with pytest.raises(Refused, match="the code is not the current one"):
            logins.set_up_password(link, stranger(), Typed(PASSWORD, typed), of, NOW)

    assert moderators.to_set_up(link, NOW) is not None
    assert sessions() == 0


# --- codes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(at: int, code: str) -> None:
    """RFC 6238, appendix B, the last six digits."""
    assert one_time_codes.code("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", at // STEP) == code


def test_a_clock_may_be_off_by_one_step(stored: str) -> None:
    secret, step = one_time_codes.new_secret(), NOW // STEP
    steps = range(step - 3, step + 4)
    found = [
        one_time_codes.step_of(secret, one_time_codes.code(secret, one), NOW, 0) for one in steps
    ]

    assert found == [None, None, step - 1, step, step + 1, None, None]


def test_a_new_secret_is_one_of_160_bits() -> None:
    secret = one_time_codes.new_secret()

    assert len(base64.b32decode(secret)) == 20
    assert one_time_codes.is_secret(secret)
    assert one_time_codes.new_secret() != secret


def test_an_authenticator_program_can_read_the_secret() -> None:
    uri = one_time_codes.uri("ABCD", MO, "play.example")

    assert uri == "otpauth://totp/play.example:mo%40example.org?secret=ABCD&issuer=play.example"
    assert one_time_codes.picture(uri).startswith("<svg")


@pytest.mark.parametrize("typed", ["", "١٢٣٤٥٦", "12345", "1234567", "abcdef", "\0" * 6, "é"])
def test_what_is_no_code_is_refused_quietly(typed: str) -> None:
    assert one_time_codes.step_of("A" * 32, typed, NOW, 0) is None


# --- logging in by password -----------------------------------------------------------------------


def test_password_and_code_let_in(stored: str) -> None:
    mo = with_password()
    token = logins.by_password(stranger(), MO, mo.typed(NOW), NOW)

    assert session_of(token).moderator.address == MO
    assert acts()[-1] == (MO, "login")


def test_a_code_with_a_blank_in_it_is_the_same(stored: str) -> None:
    mo = with_password()
    code = mo.code(NOW)

    assert is_let_in(mo, Typed(PASSWORD, f" {code[:3]} {code[3:]} "), NOW)


def test_the_same_code_does_not_let_in_twice(stored: str) -> None:
    mo = with_password()

    assert is_let_in(mo, mo.typed(NOW), NOW)
    assert not is_let_in(mo, mo.typed(NOW), NOW)
    assert not is_let_in(mo, mo.typed(NOW - STEP), NOW), "nor an older one"
    assert is_let_in(mo, mo.typed(NOW + STEP), NOW)


def test_the_code_of_setting_up_is_used(stored: str) -> None:
    mo = with_password(now=NOW + 600)

    assert not is_let_in(mo, mo.typed(NOW), NOW)


@pytest.mark.whole
def test_of_many_logins_with_one_code_at_once_one_succeeds(stored: str) -> None:
    mo = with_password()

    def press(_: int) -> bool:
        with store.connected():
            return is_let_in(mo, mo.typed(NOW), NOW)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(press, range(12)))

    assert results.count(True) == 1
    assert [act for _, act in acts()].count("login") == 1
    assert audit_log.verify() is None


@pytest.mark.whole
def test_five_failures_shut_the_way_for_a_quarter_of_an_hour(stored: str) -> None:
    mo = with_password()
    for _ in range(5):
        assert not is_let_in(mo, Typed("wrong", mo.code(NOW)), NOW)

    assert not is_let_in(mo, mo.typed(NOW), NOW)
    later = NOW + LOCKED
    assert not is_let_in(mo, mo.typed(later - 1), later - 1)
    assert is_let_in(mo, mo.typed(later), later)


@pytest.mark.whole
def test_the_right_word_in_between_starts_the_count_anew(stored: str) -> None:
    mo = with_password()
    for number in range(3):
        now = NOW + number * STEP
        for _ in range(4):
            assert not is_let_in(mo, Typed(PASSWORD, "000000"), now)
        assert is_let_in(mo, mo.typed(now), now)


@pytest.mark.whole
def test_many_guesses_are_refused_and_few_are_written_down(stored: str) -> None:
    """Also in parallel no more than five are looked at; passkeys are not asked to wait."""
    mo = with_password()

    def guess(number: int) -> bool:
        with store.connected():
            return is_let_in(mo, Typed(PASSWORD, f"{number:06}"), NOW)

    numbers = [n for n in Random(1).sample(range(10**6), 60) if f"{n:06}" != mo.code(NOW)]
    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(guess, numbers))
    assert not is_let_in(mo, mo.typed(NOW), NOW)
    assert [act for _, act in acts()].count("login_refused") == 5


@pytest.mark.whole
def test_a_lock_does_not_shut_out_a_passkey(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    mo = with_passkey(key)
    for _ in range(20):
        assert not is_let_in(mo, Typed("wrong", "000000"), NOW)

    assert record_of(mo).locked_until == NOW + LOCKED
    assert logins.by_passkey(browser, SITE, key.sign(asked_to_sign(browser, NOW)), NOW)


def test_every_failure_reads_the_same(stored: str) -> None:
    mo = with_password()
    with_passkey(Authenticator(SITE.origin), OPAL)
    typed = [
        (MO, Typed("wrong", mo.code(NOW))),
        (MO, Typed(PASSWORD, "000000")),
        (MO, Typed("", "")),
        (OPAL, Typed("", "")),
        (OPAL, Typed(PASSWORD, mo.code(NOW))),
        ("nobody@example.org", mo.typed(NOW)),
        ("", mo.typed(NOW)),
    ]
    said = set()
    for address, words in typed:
        with pytest.raises(Refused) as refusal:
            logins.by_password(stranger(), address, words, NOW)
        said.add(str(refusal.value))

    assert len(said) == 1


def test_an_unknown_address_costs_as_much_as_a_known_one(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed, fits = list[str](), passwords.fits

    def noted(password: str, kept: str) -> bool:
        hashed.append(kept)
        return fits(password, kept)

    monkeypatch.setattr(passwords, "fits", noted)
    with pytest.raises(Refused):
        logins.by_password(stranger(), "nobody@example.org", Typed(PASSWORD, "000000"), NOW)

    assert hashed == [""]


# --- logging in by passkey ------------------------------------------------------------------------


def test_a_passkey_lets_in_without_an_address(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    mo = with_passkey(key)
    token = logins.by_passkey(browser, SITE, key.sign(asked_to_sign(browser, NOW)), NOW)

    assert session_of(token).moderator.id == mo.id
    (kept,) = passkeys.of(mo.id)
    assert (kept.sign_count, kept.last_used_at) == (2, NOW)
    assert [act for _, act in acts()] == ["add_moderator", "set_up", "login"]


def test_an_answer_counts_once(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    with_passkey(key)
    answer = key.sign(asked_to_sign(browser, NOW))
    logins.by_passkey(browser, SITE, answer, NOW)

    with pytest.raises(Refused):
        logins.by_passkey(browser, SITE, answer, NOW)


def test_of_many_equal_answers_at_once_one_lets_in(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    with_passkey(key)
    answer = key.sign(asked_to_sign(browser, NOW))

    def press(_: int) -> bool:
        with store.connected():
            try:
                logins.by_passkey(browser, SITE, answer, NOW)
            except Refused:
                return False
            return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(press, range(16))) == 1


@pytest.mark.parametrize(
    "key",
    [
        Authenticator("https://evil.example"),
        Authenticator("http://play.example"),
        Authenticator("https://play.example:8443"),
        Authenticator(SITE.origin, host="evil.example"),
        Authenticator(SITE.origin, verifies_user=False),
    ],
)
def test_a_passkey_for_another_site_or_without_its_user_is_refused(
    stored: str, key: Authenticator
) -> None:
    good = Authenticator(SITE.origin)
    with_passkey(good)
    good.origin, good.host, good.flags = key.origin, key.host, key.flags
    browser = stranger()
    with pytest.raises(Refused):
        logins.by_passkey(browser, SITE, good.sign(asked_to_sign(browser, NOW)), NOW)

    link = moderators.add(OPAL, MODERATOR, "", NOW)
    with pytest.raises(Refused, match="could not be created"):
        answer = key.make(asked_to_make(link, browser, NOW))
        logins.set_up_passkey(link, browser, SITE, answer, "", NOW)


def test_a_challenge_is_for_one_browser_and_five_minutes(stored: str) -> None:
    key, mine, other = Authenticator(SITE.origin), stranger(), stranger()
    with_passkey(key)
    for browser, later in [(other, 0), (mine, CHALLENGE)]:
        answer = key.sign(asked_to_sign(mine, NOW))
        with pytest.raises(Refused):
            logins.by_passkey(browser, SITE, answer, NOW + later)
    asked_to_sign(mine, NOW)
    replaced = key.sign(asked_to_sign(stranger(), NOW))
    with pytest.raises(Refused):
        logins.by_passkey(mine, SITE, replaced, NOW)


def test_a_copied_passkey_is_noticed_by_its_count(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    with_passkey(key)
    key.count = 0
    with pytest.raises(Refused):
        logins.by_passkey(browser, SITE, key.sign(asked_to_sign(browser, NOW)), NOW)


def test_a_signature_of_another_key_is_refused(stored: str) -> None:
    key, thief, browser = Authenticator(SITE.origin), Authenticator(SITE.origin), stranger()
    with_passkey(key)
    thief.credential_id, thief.count = key.credential_id, 99
    with pytest.raises(Refused):
        logins.by_passkey(browser, SITE, thief.sign(asked_to_sign(browser, NOW)), NOW)


JUNK = ["", "{}", "[]", "null", "[" * 60_000, '{"id": 1}', "\0", '{"id":"ééé"}']


@pytest.mark.parametrize("answer", JUNK)
def test_junk_is_no_answer(stored: str, answer: str) -> None:
    assert passkeys.signed(SITE, "AAAA", answer) is None
    assert passkeys.made(SITE, "AAAA", answer) is None


def test_of_answers_with_a_few_bytes_changed_none_is_accepted(stored: str) -> None:
    key, random, browser = Authenticator(SITE.origin), Random(2026), stranger()
    with_passkey(key)
    question = passkeys.ask_to_sign(SITE)
    right = key.sign(question.options)
    link = moderators.add(OPAL, MODERATOR, "", NOW)
    options = asked_to_make(link, browser, NOW)
    made, challenge = Authenticator(SITE.origin).make(options), json.loads(options)["challenge"]

    assert passkeys.made(SITE, challenge, made) is not None
    assert passkeys.signed(SITE, question.challenge, right) is not None
    for _ in range(300):
        part = random.choice(["authenticatorData", "signature", "clientDataJSON"])
        assert passkeys.signed(SITE, question.challenge, changed(right, part, random)) is None
        passkeys.made(SITE, challenge, changed(made, "attestationObject", random))


def changed(answer: str, part: str, random: Random) -> str:
    """The answer with some bytes of a part replaced, put in or taken out."""
    said = json.loads(answer)
    raw = read(said["response"][part])
    at = random.randrange(len(raw))
    junk = random.randbytes(random.randrange(3))
    other = raw[:at] + junk + raw[at + 1 :]
    said["response"][part] = spelled(other if other != raw else raw[:-1])
    return json.dumps(said)


@pytest.mark.parametrize(
    ("base_url", "takes"),
    [
        ("https://play.example", True),
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", False),
        ("http://[::1]:8000", False),
    ],
)
def test_passkeys_need_a_site_with_a_name(base_url: str, takes: bool) -> None:
    assert passkeys.site_of(base_url).takes_passkeys == takes


# --- sessions -------------------------------------------------------------------------------------


def test_a_session_has_a_number_of_its_own_and_only_its_hash_is_kept(stored: str) -> None:
    mo, browser = with_password(), stranger()
    asked_to_sign(browser, NOW)
    token = logins.by_password(browser, MO, mo.typed(NOW), NOW)

    assert token != browser.token
    assert admin_sessions.find(browser.token, NOW) is None
    assert len(rows("SELECT id FROM admin_session")) == 2
    assert token not in repr(rows("SELECT * FROM admin_session"))


def test_a_session_ends_when_it_is_not_used(stored: str) -> None:
    token = logins.by_password(stranger(), MO, with_password().typed(NOW), NOW)

    assert admin_sessions.find(token, NOW + IDLE - 1) is not None
    assert admin_sessions.find(token, NOW + IDLE) is None
    admin_sessions.note_use(session_of(token, NOW + IDLE - 1), NOW + IDLE - 1)
    assert admin_sessions.find(token, NOW + IDLE) is not None
    assert admin_sessions.find(token, NOW + 2 * IDLE - 1) is None


def test_a_session_ends_after_twelve_hours_whatever_happens(stored: str) -> None:
    mo = with_password()
    token, now = logins.by_password(stranger(), MO, mo.typed(NOW), NOW), NOW
    while now < NOW + ABSOLUTE - IDLE:
        now += IDLE - 1
        admin_sessions.note_use(session_of(token, now), now)
    end = NOW + ABSOLUTE
    token = logins.step_up_by_code(session_of(token, end - 1), mo.code(end - 1), end - 1)

    assert admin_sessions.find(token, end - 1) is not None
    assert admin_sessions.find(token, end) is None


def test_use_is_noted_once_a_minute(stored: str) -> None:
    session = session_of(logins.by_password(stranger(), MO, with_password().typed(NOW), NOW))
    before = rows("SELECT * FROM admin_session")
    admin_sessions.note_use(session, NOW + 59)
    assert rows("SELECT * FROM admin_session") == before
    admin_sessions.note_use(session, NOW + 60)
    assert rows("SELECT * FROM admin_session") != before


def test_who_logs_out_is_out(stored: str) -> None:
    mo = with_password(now=NOW + 600)
    logins.log_out(session_of(mo.token), NOW)

    assert admin_sessions.find(mo.token, NOW) is None
    assert acts()[-1] == (MO, "logout")


def test_all_sessions_of_one_moderator_end_at_once(stored: str) -> None:
    mo, opal = with_password(), with_password(OPAL, now=NOW + 600)
    tokens = [
        logins.by_password(stranger(), MO, mo.typed(now), now)
        for now in (NOW, NOW + STEP, NOW + 60)
    ]
    logins.revoke_sessions(session_of(tokens[0], NOW + 60), NOW + 60)

    assert [admin_sessions.find(token, NOW + 60) for token in tokens] == [None, None, None]
    assert admin_sessions.find(opal.token, NOW + 60) is not None
    assert audit_log.newest(1)[0].detail == '{"sessions":4}'


def test_old_rows_are_swept_out(stored: str) -> None:
    mo = with_password()
    for number in range(5):
        asked_to_sign(stranger(), NOW + number)
    asked_to_sign(stranger(), NOW + CHALLENGE + 4)
    assert len(rows("SELECT id FROM admin_session WHERE moderator_id IS NULL")) == 1
    later = NOW + 86_400
    logins.by_password(stranger(), MO, mo.typed(later), later)
    assert len(rows("SELECT id FROM admin_session")) == 1


def test_a_challenge_does_not_revive_a_session(stored: str) -> None:
    mo, late = with_password(now=NOW + 600), NOW + IDLE
    asked_to_sign(Browser(mo.token, ""), late)

    assert admin_sessions.find(mo.token, late) is None


def test_the_mark_of_forms_differs_by_session_and_tells_nothing(stored: str) -> None:
    one, two = admin_sessions.new_token(), admin_sessions.new_token()

    assert admin_sessions.csrf_of(one) == admin_sessions.csrf_of(one)
    assert admin_sessions.csrf_of(one) != admin_sessions.csrf_of(two)
    assert one not in admin_sessions.csrf_of(one)
    assert admin_sessions.is_token(one)
    assert not any(admin_sessions.is_token(text) for text in ("", "x", one + "=", one[:-1] + "\n"))


# --- stepping up ----------------------------------------------------------------------------------


def test_a_code_steps_a_session_up_under_a_new_number(stored: str) -> None:
    mo = with_password(now=NOW + 600)
    later = NOW + 60
    token = logins.step_up_by_code(session_of(mo.token, later), mo.code(later), later)
    stepped = session_of(token, later)

    assert admin_sessions.find(mo.token, later) is None
    assert stepped.created_at == NOW
    assert stepped.is_stepped_up(later + STEPPED_UP - 1)
    assert not stepped.is_stepped_up(later + STEPPED_UP)
    assert acts()[-1] == (MO, "step_up")


def test_logging_in_is_not_stepping_up(stored: str) -> None:
    token = logins.by_password(stranger(), MO, with_password().typed(NOW), NOW)

    assert not session_of(token).is_stepped_up(NOW)


def test_one_code_steps_up_once_also_in_parallel(stored: str) -> None:
    mo = with_password()
    browsers = [
        logins.by_password(stranger(), MO, mo.typed(NOW + n * STEP), NOW + n * STEP)
        for n in range(3)
    ]
    now = NOW + 4 * STEP
    sessions = [session_of(token, now) for token in browsers]

    def press(session: Session) -> bool:
        with store.connected():
            try:
                logins.step_up_by_code(session, mo.code(now), now)
            except Refused:
                return False
            return True

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(press, sessions)) == [False, False, True]


def test_a_passkey_steps_up(stored: str) -> None:
    key = Authenticator(SITE.origin)
    mo = with_passkey(key)
    browser, session = Browser(mo.token, ""), session_of(mo.token)
    answer = key.sign(asked_to_sign(browser, NOW, owner=mo.id))
    token = logins.step_up_by_passkey(session, browser, SITE, answer, NOW)

    assert session_of(token).is_stepped_up(NOW)


def test_the_passkey_of_somebody_else_does_not_step_up(stored: str) -> None:
    key, other = Authenticator(SITE.origin), Authenticator(SITE.origin)
    mo = with_passkey(key)
    with_passkey(other, OPAL)
    browser = Browser(mo.token, "")
    with pytest.raises(Refused, match="does not confirm your identity"):
        answer = other.sign(asked_to_sign(browser, NOW))
        logins.step_up_by_passkey(session_of(mo.token), browser, SITE, answer, NOW)

    assert not session_of(mo.token).is_stepped_up(NOW)
    assert acts()[-1] == (MO, "step_up_refused")


def test_strangers_at_the_door_block_no_step_up(stored: str) -> None:
    mo = with_password(now=NOW + 600)
    for _ in range(6):
        assert not is_let_in(mo, Typed("wrong", "000000"), NOW)
    later = NOW + 60

    token = logins.step_up_by_code(session_of(mo.token, later), mo.code(later), later)
    assert session_of(token, later).is_stepped_up(later)
    assert record_of(mo).locked_until == NOW + LOCKED, "the door stays shut"
    assert not is_let_in(mo, mo.typed(later + STEP), later + STEP)


def test_the_fifth_wrong_step_up_ends_its_session_and_no_other(stored: str) -> None:
    mo = with_password()
    other = logins.by_password(stranger(), MO, mo.typed(NOW), NOW)
    session, later = session_of(mo.token), NOW + 60
    for number in range(5):
        assert admin_sessions.find(mo.token, later) is not None, number
        with pytest.raises(Refused, match="does not confirm your identity"):
            logins.step_up_by_code(session, "000000", later)

    assert admin_sessions.find(mo.token, later) is None
    with pytest.raises(Refused):
        logins.step_up_by_code(session, mo.code(later), later)
    assert json.loads(audit_log.newest(2)[1].detail)["session"] == "ended"
    assert logins.step_up_by_code(session_of(other, later), mo.code(later), later)
    assert record_of(mo).locked_until is None


def test_a_right_step_up_starts_the_count_anew(stored: str) -> None:
    mo = with_password()
    token = mo.token
    for number in range(3):
        now = NOW + number * STEP
        for _ in range(4):
            with pytest.raises(Refused):
                logins.step_up_by_code(session_of(token, now), "000000", now)
        token = logins.step_up_by_code(session_of(token, now), mo.code(now), now)


def test_many_guesses_in_one_session_are_five_in_parallel_too(stored: str) -> None:
    mo = with_password()
    session = session_of(mo.token)

    def guess(number: int) -> None:
        with store.connected(), pytest.raises(Refused):
            code = mo.code(NOW) if number > 5 else "000000"
            logins.step_up_by_code(session, code, NOW)

    for number in range(6):
        guess(number)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(guess, range(6, 12)))
    assert admin_sessions.find(mo.token, NOW) is None


def test_wrong_passkeys_count_towards_the_end_of_a_session(stored: str) -> None:
    mo = with_passkey(Authenticator(SITE.origin))
    session = session_of(mo.token)
    for _ in range(5):
        with pytest.raises(Refused):
            logins.step_up_by_passkey(session, Browser(mo.token, ""), SITE, "{}", NOW)
    assert admin_sessions.find(mo.token, NOW) is None


# --- passkeys of one's own ------------------------------------------------------------------------


def test_a_second_passkey_can_be_added_and_one_removed_but_not_the_last(stored: str) -> None:
    first, second = Authenticator(SITE.origin), Authenticator(SITE.origin)
    mo = with_passkey(first)
    session, browser = session_of(mo.token), Browser(mo.token, "")
    question = passkeys.ask_to_make(SITE, session.moderator)
    admin_sessions.keep_challenge(browser.token, question.challenge, "", NOW)
    logins.add_passkey(session, browser, SITE, second.make(question.options), " my \x07 ring ", NOW)
    one, two = passkeys.of(mo.id)
    logins.remove_passkey(session, one.id, NOW)

    assert two.name == "my \ufffd ring"
    with pytest.raises(Refused, match="your only login"):
        logins.remove_passkey(session, two.id, NOW)
    assert [kept.id for kept in passkeys.of(mo.id)] == [two.id]
    assert [act for _, act in acts()[-2:]] == ["add_passkey", "remove_passkey"]


def test_nobody_removes_a_passkey_of_somebody_else(stored: str) -> None:
    mo, opal = with_password(now=NOW + 600), with_passkey(Authenticator(SITE.origin), OPAL)
    (theirs,) = passkeys.of(opal.id)
    with pytest.raises(Stale):
        logins.remove_passkey(session_of(mo.token), theirs.id, NOW)

    assert passkeys.of(opal.id) == [theirs]


def test_a_passkey_is_registered_once(stored: str) -> None:
    key, browser = Authenticator(SITE.origin), stranger()
    with_passkey(key)
    link = moderators.add(OPAL, MODERATOR, "", NOW)
    with pytest.raises(Refused, match="could not be created"):
        answer = key.make(asked_to_make(link, browser, NOW))
        logins.set_up_passkey(link, browser, SITE, answer, "", NOW)


# --- letters to all -------------------------------------------------------------------------------


def test_all_moderators_are_told_of_a_new_way_in(stored: str) -> None:
    with_password()
    with_passkey(Authenticator(SITE.origin), OPAL)
    letters = [(str(letter["To"]), str(letter["Subject"])) for letter in posted().letters]

    assert letters.count((MO, "A moderator has a new login")) == 2
    assert letters.count((OPAL, "A moderator has a new login")) == 1


def test_all_moderators_but_disabled_ones_are_told_of_a_failed_check(stored: str) -> None:
    mo = with_password(now=NOW + 600)
    moderators.add(OPAL, OPERATOR, "", NOW)
    moderators.add("old@example.org", OPERATOR, "", NOW)
    moderators.disable("old@example.org", NOW)
    posted()
    with pytest.raises(Refused):
        logins.step_up_by_code(session_of(mo.token), "000000", NOW)
    letters = posted().letters

    assert sorted(str(letter["To"]) for letter in letters) == [MO, OPAL]
    assert MO in text_of(letters[0])
    assert "again and failed" in text_of(letters[0])


def test_an_alarm_is_part_of_its_act_and_says_its_words(stored: str) -> None:
    moderators.add(MO, MODERATOR, "", NOW)
    posted()
    with pytest.raises(RuntimeError), writing():
        staff_alerts.alert("break_glass", OPAL, 7, NOW)
        raise RuntimeError
    assert posted().letters == []
    with writing():
        staff_alerts.alert("break_glass", OPAL, 7, NOW, words="Match abc: a player is suspected.")
    (letter,) = posted().letters

    assert letter["Subject"] == "A moderator has looked at hidden information"
    assert "Match abc: a player is suspected." in text_of(letter)


def test_a_moderator_who_plays_too_is_written_to_in_that_language(stored: str) -> None:
    with writing():
        accounts.known_or_new(MO, NOW, "de")
    moderators.add(MO, MODERATOR, "", NOW)

    assert len(posted().letters) == 1
    assert len(rows("SELECT id FROM player WHERE address = ?", MO)) == 1


def test_a_moderator_has_no_seat_and_no_confirmed_address(stored: str) -> None:
    with_password()

    assert rows("SELECT confirmed_at FROM player") == [(None,)]
    assert rows("SELECT id FROM seat") == []
    assert find_moderator(99) is None
    assert moderator_at("nobody@example.org") is None
