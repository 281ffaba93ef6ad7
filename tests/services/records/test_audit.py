"""The audit log: one chain, and every way to break it is found and named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem.db import store
from pbem.db.store import execute, rows
from pbem.errors import ConfigError
from pbem.key_ring import KeyRing, fingerprint, ring
from pbem.services.operations import health
from pbem.services.records import audit_log
from pbem.services.records.audit_log import GENESIS, AuditEntry, Fault
from tests.kit.stores import KEY
from tests.services.people import NOW

pytestmark = pytest.mark.usefixtures("stored")

COLUMNS = AuditEntry._fields[:10]
"""All that the hash covers, and the hash."""


def enter(number: int) -> int:
    with store.writing():
        return audit_log.record(
            "mo@example.org",
            "pause",
            f"match m{number}",
            f"reason “{number}”\n",
            "The match is paused.",
            {"b": number, "a": [1, None]},
            NOW + number,
        )


@pytest.fixture
def log(stored: str) -> list[AuditEntry]:
    """Six entries, oldest first."""
    for number in range(1, 7):
        enter(number)
    return audit_log.newest(100)[::-1]


def tamper(sql: str, *params: object) -> None:
    with store.writing():
        assert execute(sql, *params) == 1


def reseal(seq: int) -> str:
    """As somebody does who knows how hashes are made."""
    (values,) = rows(f"SELECT {', '.join(COLUMNS)} FROM audit WHERE seq = ?", seq)
    fresh = audit_log.seal(AuditEntry(*values))
    tamper("UPDATE audit SET hash = ? WHERE seq = ?", fresh, seq)
    return fresh


# --- entering -------------------------------------------------------------------------------------


def test_entries_are_numbered_and_sealed_to_the_one_before(log: list[AuditEntry]) -> None:
    assert [entry.seq for entry in log] == [1, 2, 3, 4, 5, 6]
    assert [entry.previous for entry in log] == [GENESIS, *(entry.hash for entry in log[:-1])]
    assert audit_log.head() == (6, log[-1].hash)
    assert log[0].detail == '{"a":[1,null],"b":1}'
    assert audit_log.verify() is None


def test_anybody_can_compute_the_hash(log: list[AuditEntry]) -> None:
    sealed = json.dumps(log[2][:9], ensure_ascii=False, separators=(",", ":")).encode()

    assert hashlib.sha256(sealed).hexdigest() == log[2].hash


def test_an_empty_log_is_whole(stored: str) -> None:
    assert audit_log.verify() is None
    assert audit_log.verify(GENESIS) is None
    assert audit_log.head() == (0, GENESIS)


def test_an_entry_is_gone_with_its_act(log: list[AuditEntry]) -> None:
    with pytest.raises(RuntimeError), store.writing():
        enter(7)
        raise RuntimeError

    assert audit_log.head().seq == 6
    assert audit_log.verify() is None


def test_an_entry_without_a_transaction_is_a_mistake(stored: str) -> None:
    with pytest.raises(AssertionError, match="part of the act"):
        audit_log.record("a", "b", "c", "", "", {}, NOW)


def test_entries_written_at_once_are_one_chain(stored: str) -> None:
    def work(number: int) -> None:
        with store.connected():
            enter(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(80)))

    assert audit_log.head().seq == 80
    assert audit_log.verify() is None


def test_the_newest_come_first_page_by_page_and_by_subject(log: list[AuditEntry]) -> None:
    assert [entry.seq for entry in audit_log.newest(2)] == [6, 5]
    assert [entry.seq for entry in audit_log.newest(2, before=5)] == [4, 3]
    assert [entry.seq for entry in audit_log.newest(9, subject="match m4")] == [4]
    assert audit_log.newest(9, before=4, subject="match m4") == []


def test_a_long_log_is_read_piece_by_piece(
    log: list[AuditEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in (1, 2, 3, 6, 7):
        monkeypatch.setattr(audit_log, "READ_AT_ONCE", size)
        assert audit_log.verify() is None


# --- breaking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", COLUMNS[1:])
def test_an_entry_changed_in_any_column_is_named(log: list[AuditEntry], column: str) -> None:
    value: object = NOW if column == "at" else "f" * 40
    for seq in (6, 3, 1):
        tamper(f"UPDATE audit SET {column} = ? WHERE seq = ?", value, seq)

        assert audit_log.verify() == Fault(seq, "changed")
        assert str(audit_log.verify()) == f"entry {seq} was changed"


@pytest.mark.parametrize("seq", [1, 3, 6])
def test_an_entry_changed_hash_and_all_is_named(log: list[AuditEntry], seq: int) -> None:
    tamper("UPDATE audit SET reason = 'another' WHERE seq = ?", seq)
    reseal(seq)

    assert audit_log.verify() == Fault(seq, "changed")


@pytest.mark.parametrize("seq", [1, 3, 6])
def test_an_entry_that_was_removed_is_named(log: list[AuditEntry], seq: int) -> None:
    tamper("DELETE FROM audit WHERE seq = ?", seq)

    assert audit_log.verify() == Fault(seq, "removed")


def test_closing_the_gap_does_not_hide_it(log: list[AuditEntry]) -> None:
    tamper("DELETE FROM audit WHERE seq = 3")
    for seq in (4, 5, 6):
        tamper("UPDATE audit SET seq = ? WHERE seq = ?", seq - 1, seq)

    assert audit_log.verify() == Fault(3, "moved")


def test_entries_that_changed_places_are_named(log: list[AuditEntry]) -> None:
    for old, new in ((3, 99), (4, 3), (99, 4)):
        tamper("UPDATE audit SET seq = ? WHERE seq = ?", new, old)

    assert audit_log.verify() == Fault(3, "moved")


@pytest.mark.parametrize("seq", [0, 7])
def test_an_entry_that_nobody_entered_is_named(log: list[AuditEntry], seq: int) -> None:
    forged = log[-1]._replace(seq=seq, previous=log[-1].hash)
    forged = forged._replace(hash=audit_log.seal(forged))
    tamper(f"INSERT INTO audit ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * 10)})", *forged[:10])

    assert audit_log.verify() == Fault(seq, "added")


def test_a_tail_that_was_cut_is_named(log: list[AuditEntry]) -> None:
    for seq in (5, 6):
        tamper("DELETE FROM audit WHERE seq = ?", seq)

    assert audit_log.verify() == Fault(5, "removed")


def test_a_tail_cut_with_its_head_is_found_by_a_noted_head(log: list[AuditEntry]) -> None:
    for seq in (5, 6):
        tamper("DELETE FROM audit WHERE seq = ?", seq)
    tamper("UPDATE audit_head SET seq = 4, hash = ?", log[3].hash)

    assert audit_log.verify() is None
    assert audit_log.verify(log[3].hash) is None
    assert audit_log.verify(log[5].hash) == Fault(4, "cut")
    assert "cut off or rewritten" in str(audit_log.verify(log[5].hash))


def write_anew(first: int, before: str) -> None:
    """The tail of the log from an entry on, sealed rightly, as whoever has the database can."""
    tamper("UPDATE audit SET reason = 'another' WHERE seq = ?", first)
    for seq in range(first, 7):
        tamper("UPDATE audit SET previous = ? WHERE seq = ?", before, seq)
        before = reseal(seq)
    tamper("UPDATE audit_head SET hash = ?", before)


@pytest.mark.parametrize("seq", [1, 4, 6])
def test_a_tail_written_anew_without_the_key_is_found(log: list[AuditEntry], seq: int) -> None:
    write_anew(seq, log[seq - 1].previous)

    assert audit_log.verify() == Fault(seq, "forged")
    assert "not signed with our key" in str(audit_log.verify())
    assert audit_log.fault_among(audit_log.newest(9)[::-1]) == Fault(seq, "forged")
    enter(7)
    assert audit_log.verify() == Fault(seq, "forged"), "what is entered later does not cover it"


@pytest.mark.parametrize("signer", ["", "0a0a0a0a"])
@pytest.mark.parametrize("seq", [2, 4, 6])
def test_a_tail_whose_signatures_were_taken_off_is_found(
    log: list[AuditEntry], seq: int, signer: str
) -> None:
    write_anew(seq, log[seq - 1].previous)
    execute("UPDATE audit SET signer = ?, mac = '' WHERE seq >= ?", signer, seq)

    assert audit_log.verify() == Fault(seq, "unsigned")
    enter(7)
    assert audit_log.verify() == Fault(seq, "unsigned")


def test_signatures_of_other_entries_do_not_fit(log: list[AuditEntry]) -> None:
    tamper("UPDATE audit SET mac = ? WHERE seq = 4", log[2].mac)

    assert audit_log.verify() == Fault(4, "forged")


def test_a_log_without_any_signature_is_told_by_where_the_next_begins(
    log: list[AuditEntry],
) -> None:
    """As after an upgrade: what was entered before is covered from then on, and it shows."""
    execute("UPDATE audit SET signer = '', mac = ''")
    assert audit_log.verify() == Fault(6, "unsigned")
    assert "no key that we have" in str(audit_log.verify())
    enter(7)
    enter(8)
    assert audit_log.verify() is None
    assert audit_log.begun() == 7
    tamper("UPDATE audit SET reason = 'another' WHERE seq = 2")
    assert audit_log.verify() == Fault(2, "changed")


def test_a_migration_covers_what_is_in_the_log(
    log: list[AuditEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    execute("UPDATE audit SET signer = '', mac = ''")
    assert health.migrate(NOW) == []
    assert audit_log.head().seq == 6
    monkeypatch.setattr(store, "migrate", lambda: ["0013_guards"])
    health.migrate(NOW)
    assert audit_log.newest(1)[0].act == "migrate"
    assert audit_log.verify() is None


# --- keys that come and go ------------------------------------------------------------------------


@pytest.fixture
def use() -> Iterator[Callable[..., None]]:
    """These keys are those of the settings, oldest to newest."""
    yield lambda *keys: ring.use(lambda: keys)
    ring.use(lambda: (KEY,))


def test_entries_of_dropped_keys_are_covered_by_later_ones(
    stored: str, use: Callable[..., None]
) -> None:
    for number, keys in enumerate([("one",), ("one", "two"), ("two", "three"), ("three",)], 1):
        use(*keys)
        enter(number)
        assert audit_log.verify() is None
    assert len({entry.signer for entry in audit_log.newest(9)}) == 3
    assert audit_log.begun() == 1
    write_anew_from_one()
    assert audit_log.verify() == Fault(3, "forged"), "the first that a key we have has signed"


def write_anew_from_one() -> None:
    before, head = GENESIS, audit_log.head().seq
    for seq in range(1, head + 1):
        tamper("UPDATE audit SET previous = ?, reason = 'x' WHERE seq = ?", before, seq)
        before = reseal(seq)
    tamper("UPDATE audit_head SET hash = ?", before)


def test_the_newest_entry_needs_a_key_that_we_have(
    log: list[AuditEntry], use: Callable[..., None]
) -> None:
    use("another key")
    assert audit_log.verify() == Fault(6, "unsigned")
    enter(7)
    assert audit_log.verify() is None
    assert audit_log.begun() == 7


def test_nothing_is_entered_before_the_keys_are_known(stored: str) -> None:
    with pytest.raises(ConfigError, match="PBEM_SECRET_KEYS"):
        KeyRing().derived("pbem.audit.v1")


def test_the_key_of_a_purpose_is_not_the_key_of_the_settings() -> None:
    known = KeyRing()
    known.use(lambda: ("one", "two"))
    assert list(known.derived("a")) == [fingerprint("one"), fingerprint("two")]
    assert known.derived("a") != known.derived("b")
    assert b"one" not in known.derived("a").values()


def test_a_head_that_was_edited_is_noticed(log: list[AuditEntry]) -> None:
    tamper("UPDATE audit_head SET hash = ?", "f" * 64)
    assert audit_log.verify() == Fault(6, "changed")
    tamper("UPDATE audit_head SET seq = 5, hash = ?", log[4].hash)
    assert audit_log.verify() == Fault(6, "added")


def test_a_noted_head_may_be_older(log: list[AuditEntry]) -> None:
    assert audit_log.verify(log[2].hash) is None
    enter(7)
    assert audit_log.verify(log[5].hash) is None


# --- a part of it ---------------------------------------------------------------------------------


def test_neighbours_are_checked_without_the_rest(log: list[AuditEntry]) -> None:
    tamper("UPDATE audit SET act = 'resume' WHERE seq = 4")
    shown = audit_log.newest(100)[::-1]

    assert audit_log.fault_among([]) is None
    assert audit_log.fault_among(shown[:3]) is None
    assert audit_log.fault_among(shown[4:]) is None
    assert audit_log.fault_among(shown[2:]) == Fault(4, "changed")
