"""The outbox as operators see it: paged, tried again, given up; hidden words stay hidden."""

from __future__ import annotations

import re

import pytest

from pbem import sealing
from pbem.db.store import execute, row, rows
from pbem.errors import Missing, Refused, Stale, TransportError
from pbem.links import PATHS
from pbem.services.letters import outbox, verdicts
from pbem.services.letters.claims import PURPOSE
from pbem.services.letters.kinds import registry
from pbem.services.moderation import letter_lists
from pbem.services.moderation.letter_lists import LetterKey
from pbem.services.records import audit_log
from pbem.services.records.moderator_rows import ModeratorRecord, moderator_at
from pbem.services.staff import moderators
from tests.mail.posting import BASE_URL, Bag, office_with
from tests.services.moderator_kit import OPAL
from tests.services.people import ANN, NOW, Sitting

TOKEN = re.compile(r"[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{43}")


@pytest.fixture
def opal(stored: str) -> ModeratorRecord:
    return operator(OPAL)


def operator(address: str) -> ModeratorRecord:
    moderators.add(address, moderators.OPERATOR, "", NOW)
    found = moderator_at(address)
    assert found is not None
    return found


@pytest.fixture
def bag() -> Bag:
    return Bag()


def drained(bag: Bag, now: int = NOW) -> None:
    outbox.drain(office_with(bag), "w", now)


def refuse(problem: TransportError | None, bag: Bag) -> None:
    bag.trouble = lambda parcel: problem


def letters_of_kind(kind: str) -> list[int]:
    return [n for (n,) in rows("SELECT id FROM outbox WHERE kind = ? ORDER BY id", kind)]


def mime_of(number: int) -> bytes:
    found = row("SELECT mime FROM outbox WHERE id = ?", number)
    assert found is not None
    written = sealing.opened(PURPOSE, number, bytes(found[0]))
    assert written is not None
    return written


# --- lists ----------------------------------------------------------------------------------------


def test_pages_follow_one_another_and_miss_nothing(
    sitting: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letter_lists, "A_PAGE", 2)
    execute("UPDATE outbox SET state = 'dead', next_at = ? + id / 2", NOW)
    expected = [n for (n,) in rows("SELECT id FROM outbox ORDER BY next_at DESC, id DESC")]
    seen, key = list[int](), None
    for _ in range(len(expected)):
        page = letter_lists.page("dead", key)
        seen += [letter.id for letter in page.letters]
        key = page.following
        if key is None:
            break

    assert seen == expected
    assert letter_lists.page("sent", None) == ([], None)
    assert letter_lists.page("dead", LetterKey(0, 0)).letters == []


def test_a_letter_that_is_not_there_is_missing(stored: str) -> None:
    with pytest.raises(Missing):
        letter_lists.get(7)


# --- again ----------------------------------------------------------------------------------------


def test_a_dead_letter_leaves_again_under_the_same_number(
    sitting: Sitting, opal: ModeratorRecord, bag: Bag
) -> None:
    refuse(TransportError("550 no such user", permanent=True), bag)
    drained(bag)
    execute("UPDATE outbox SET state = 'dead' WHERE state = 'queued'")
    (turn,) = letters_of_kind("turn")
    dead = letter_lists.get(turn)
    letter_lists.retry(opal, turn, NOW + 60)
    refuse(None, bag)
    drained(bag, NOW + 60)
    sent = letter_lists.get(turn)

    assert (dead.state, sent.state, sent.sent_at) == ("dead", "sent", NOW + 60)
    assert (dead.attempts, sent.attempts) == (1, 2)
    assert sent.message_id == dead.message_id
    assert bag.letters[-1]["Message-ID"] == dead.message_id
    assert audit_log.newest(1)[0][2:5] == (OPAL, "retry_letter", f"match {sitting.match}")


def test_a_letter_whose_bytes_are_wiped_is_written_anew_under_the_same_number(
    sitting: Sitting, opal: ModeratorRecord, bag: Bag
) -> None:
    refuse(TransportError("550 no such user", permanent=True), bag)
    drained(bag)
    (turn,) = letters_of_kind("turn")
    known = letter_lists.get(turn).message_id
    execute("UPDATE outbox SET mime = NULL")
    letter_lists.retry(opal, turn, NOW + 60)
    refuse(None, bag)
    outbox.drain(office_with(bag)._replace(key=b"another"), "w", NOW + 60)

    assert bag.letters[-1]["Message-ID"] == known


def test_a_letter_that_is_tried_again_has_its_tries_again(
    sitting: Sitting, opal: ModeratorRecord, bag: Bag
) -> None:
    drained(bag)
    (turn,) = letters_of_kind("turn")
    execute(
        "UPDATE outbox SET state = 'dead', attempts = ? WHERE id = ?", verdicts.MOST_TRIES, turn
    )
    letter_lists.retry(opal, turn, NOW)
    refuse(TransportError("450 4.7.1 greylisted"), bag)
    drained(bag)

    assert letter_lists.get(turn).state == "queued"


def test_a_waiting_letter_need_not_wait(sitting: Sitting, opal: ModeratorRecord, bag: Bag) -> None:
    refuse(TransportError("451 later"), bag)
    drained(bag)
    (first, _) = letters_of_kind("started")
    assert letter_lists.get(first).next_at > NOW + 1
    letter_lists.retry(opal, first, NOW + 1)

    assert letter_lists.get(first).next_at == NOW + 1


def test_what_is_gone_is_neither_tried_nor_given_up(
    sitting: Sitting, opal: ModeratorRecord
) -> None:
    (turn,), before = letters_of_kind("turn"), audit_log.head()
    for state in ("leased", "sent", "superseded"):
        execute("UPDATE outbox SET state = ? WHERE id = ?", state, turn)
        with pytest.raises(Stale, match="is being sent, was sent"):
            letter_lists.retry(opal, turn, NOW)
        with pytest.raises(Stale):
            letter_lists.abort(opal, turn, "not wanted", NOW)
        assert letter_lists.get(turn).state == state
    assert audit_log.head() == before


# --- given up -------------------------------------------------------------------------------------


def test_a_letter_that_is_given_up_is_never_sent(
    sitting: Sitting, opal: ModeratorRecord, bag: Bag
) -> None:
    (turn,) = letters_of_kind("turn")
    letter_lists.abort(opal, turn, "the address is wrong", NOW)
    drained(bag)

    letter = letter_lists.get(turn)
    assert letter.state == "superseded"
    assert letter.last_error == "given up by an operator: the address is wrong"
    assert "turn" not in {message["X-PBEM-Kind"] for message in bag.letters}
    entry = audit_log.newest(1)[0]
    assert (entry.act, entry.reason) == ("abort_letter", "the address is wrong")
    with pytest.raises(Refused, match="give a reason"):
        letter_lists.abort(opal, turn, "", NOW)


def test_an_operator_who_plays_does_nothing_to_letters_of_the_match(sitting: Sitting) -> None:
    ann = operator(ANN)
    (turn,) = letters_of_kind("turn")
    with pytest.raises(Refused, match="you are involved in this match"):
        letter_lists.retry(ann, turn, NOW)
    with pytest.raises(Refused, match="you are involved in this match"):
        letter_lists.abort(ann, turn, "I would win", NOW)
    assert letter_lists.get(turn).state == "queued"


# --- what they say --------------------------------------------------------------------------------


def test_letters_with_hidden_words_show_headers_only(sitting: Sitting, bag: Bag) -> None:
    refuse(TransportError("550 no such user", permanent=True), bag)
    drained(bag)
    shown = {}
    for kind, number in rows("SELECT kind, id FROM outbox WHERE mime IS NOT NULL"):
        stored = letter_lists.stored(letter_lists.get(number))
        assert stored is not None
        shown[kind] = stored
        assert (stored.text is None) == (not registry.is_open(kind)), kind

    assert shown["turn"].text is None
    assert ("X-PBEM-Kind", "turn") in shown["turn"].headers
    assert not registry.is_open("turn")


@pytest.mark.parametrize(
    "kind",
    ["turn", "receipt", "moved", "started", "finished", "reminder", "briefing", "message", "new"],
)
def test_kinds_that_may_hide_something_are_shut(kind: str) -> None:
    assert not registry.is_open(kind)


def test_no_signed_link_is_shown(sitting: Sitting, opal: ModeratorRecord, bag: Bag) -> None:
    refuse(TransportError("550 no such user", permanent=True), bag)
    drained(bag)
    seen = 0
    for (number,) in rows("SELECT id FROM outbox WHERE mime IS NOT NULL"):
        stored = letter_lists.stored(letter_lists.get(number))
        assert stored is not None
        said = repr(stored.headers) + (stored.text or "")
        written = mime_of(number).replace(b"=\r\n", b"").decode("ascii", "replace")
        assert TOKEN.search(written), "each letter holds a link to mute"
        assert not TOKEN.search(said)
        assert "(hidden)" in said
        seen += 1

    assert seen >= 3


def test_the_way_in_of_a_moderator_is_hidden(opal: ModeratorRecord, bag: Bag) -> None:
    refuse(TransportError("550 no such user", permanent=True), bag)
    drained(bag)
    (number, *_) = letters_of_kind("moderator")
    stored = letter_lists.stored(letter_lists.get(number))

    assert stored is not None and stored.text is not None
    assert f"{BASE_URL}/admin/setup/(hidden)" in stored.text


@pytest.mark.parametrize("path", PATHS.values())
def test_whatever_follows_a_private_path_is_hidden(path: str) -> None:
    for secret in ("abc", "eyJhbGciOi.x", "a" * 300):
        masked = letter_lists.masked(f"see <{BASE_URL}{path}{secret}/claim> now")
        assert masked == f"see <{BASE_URL}{path}(hidden)/claim> now"


def test_of_a_letter_that_has_left_nothing_is_kept(sitting: Sitting, bag: Bag) -> None:
    drained(bag)

    assert len(bag.parcels) == 2
    assert rows("SELECT mime FROM outbox WHERE mime IS NOT NULL") == []
    assert letter_lists.stored(letter_lists.get(letters_of_kind("turn")[0])) is None


def test_a_letter_that_was_never_written_shows_nothing(sitting: Sitting) -> None:
    (turn,) = letters_of_kind("turn")
    assert letter_lists.stored(letter_lists.get(turn)) is None
