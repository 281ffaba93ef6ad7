"""Keys that sign links: their ages, a new one, and none lost that a link may need."""

from __future__ import annotations

import fcntl
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbem.db.store import rows
from pbem.deadlines import DAY
from pbem.errors import ConfigError, Refused
from pbem.key_ring import fingerprint
from pbem.links import Links, YouLink
from pbem.services.operations import keys
from pbem.services.operations.keys import LONGEST_LIFE
from pbem.services.records import audit_log
from pbem.services.time import clock_settings
from tests.services.people import NOW

OPAL = "opal@example.org"
OLD = "o" * 64


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "keys"
    path.write_text(OLD)
    path.chmod(0o600)
    return path


def read(file: Path) -> list[str]:
    return file.read_text().split()


def test_a_new_key_stands_behind_the_others_and_is_entered(stored: str, file: Path) -> None:
    done = keys.rotate(file, 4, OPAL, NOW)
    old, new = read(file)

    assert (old, len(new)) == (OLD, 64)
    assert done == (fingerprint(new), 2, 0)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.glob(".*")] == []
    (entry,) = audit_log.newest(5)
    assert (entry.actor, entry.act) == (OPAL, "rotate_keys")
    assert new not in entry.detail and OLD not in entry.detail


def test_ages_are_known_by_fingerprint_only(stored: str, file: Path) -> None:
    keys.note([OLD], NOW - 40 * DAY)
    keys.note([OLD], NOW)
    keys.rotate(file, 4, OPAL, NOW)
    newest, old = keys.ages(read(file))

    assert (newest.seen_at, newest.signs) == (NOW, True)
    assert old == (fingerprint(OLD), NOW - 40 * DAY, False)
    assert OLD not in repr(rows("SELECT * FROM signing_key"))
    assert keys.ages(["x" * 40])[0].seen_at is None


def test_no_key_goes_that_a_link_may_still_need(stored: str, file: Path) -> None:
    for day in range(6):
        keys.rotate(file, 2, OPAL, NOW + day * DAY)
    assert len(read(file)) == 7, "all are younger than the longest turn"

    done = keys.rotate(file, 2, OPAL, NOW + 2 * DAY + LONGEST_LIFE + 1)
    assert (done.kept, done.dropped) == (5, 3), "replaced on the days 0, 1 and 2"
    assert OLD not in read(file)


def test_so_many_are_kept_however_old(stored: str, file: Path) -> None:
    keys.rotate(file, 4, OPAL, NOW)
    done = keys.rotate(file, 4, OPAL, NOW + 10 * LONGEST_LIFE)

    assert (done.kept, done.dropped) == (3, 0)
    assert keys.rotate(file, 1, OPAL, NOW + 20 * LONGEST_LIFE).kept == 2, "the last has just signed"


def test_a_key_nobody_has_seen_is_taken_for_young(file: Path) -> None:
    file.write_text(f"{OLD}, {'p' * 64}\n{'q' * 64}")
    done = keys.add_key(file, 1, {}, NOW)

    assert (done.kept, done.dropped) == (4, 0)


def test_keys_outlive_the_longest_turn() -> None:
    longest = (
        max(clock_settings.LONGEST, clock_settings.LARGEST_BANK)
        + clock_settings.MOST_PAUSE
        + clock_settings.MOST_GRACE
    )
    assert longest <= LONGEST_LIFE


def test_two_at_once_lose_no_key(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads and writes the file has its folder alone; a second one waits."""
    tried: list[str] = []

    def refused(seen: str) -> bool:
        folder = os.open(file.parent, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(folder)
        tried.append(seen)
        return True

    read_it, write_it = keys._read, keys._write
    monkeypatch.setattr(keys, "_read", lambda path: refused("read") and read_it(path))
    monkeypatch.setattr(keys, "_write", lambda *words: refused("write") and write_it(*words))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: keys.add_key(file, 4, {}, NOW), range(8)))

    assert tried == ["read", "write"] * 8
    assert len(set(read(file))) == 9


def test_a_file_that_cannot_be_used_is_named_and_left_alone(stored: str, file: Path) -> None:
    file.write_text("too-short")
    with pytest.raises(ConfigError, match="under 32 characters"):
        keys.rotate(file, 4, OPAL, NOW)
    assert file.read_text() == "too-short"
    with pytest.raises(ConfigError, match="cannot be used for keys"):
        keys.rotate(file.parent / "nowhere" / "keys", 4, OPAL, NOW)
    assert audit_log.newest(5) == []
    with pytest.raises(Refused, match="not in a file"):
        keys.check_file(None)


def test_an_empty_file_gets_its_first_key(file: Path) -> None:
    file.write_text("\n")
    assert keys.add_key(file, 4, {}, NOW).kept == 1


# --- links take them up ---------------------------------------------------------------------------

LINK = YouLink(5, NOW)


def test_what_one_process_signs_with_a_new_key_another_reads_at_once(file: Path) -> None:
    worker, web = Links((OLD,), "", file), Links((OLD,), "", file)
    before = worker.sign("you", LINK)
    assert web.read("you", before) == LINK
    keys.add_key(file, 4, {}, NOW)
    after = worker.sign("you", LINK)

    assert after != before
    assert web.read("you", after) == LINK
    assert web.read("you", before) == LINK
    assert web.keys == tuple(read(file))


def test_a_key_taken_out_of_the_file_is_dead_at_once(file: Path) -> None:
    web = Links((OLD,), "", file)
    token = web.sign("you", LINK)
    file.write_text("n" * 64)

    assert web.read("you", token) is None


@pytest.mark.parametrize("broken", ["short", "", None])
def test_a_broken_file_changes_nothing(
    file: Path, broken: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    web = Links((OLD,), "", file)
    token = web.sign("you", LINK)
    if broken is None:
        file.unlink()
    else:
        file.write_text(broken)

    assert [web.read("you", token) for _ in range(3)] == [LINK] * 3
    assert len(caplog.records) == 1, "told once, not for every link"
    assert OLD not in caplog.text
    file.write_text("n" * 64)
    assert web.read("you", token) is None


def test_where_others_may_have_files_of_their_own_nobody_rotates_alone(
    stored: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "is_over_network", lambda: True)

    with pytest.raises(Refused, match="on all of them before it signs"):
        keys.rotate(file, 4, OPAL, NOW)
    with pytest.raises(Refused, match="other machines have these keys"):
        keys.check_file(file)
    assert not keys.can_rotate(file)
    assert read(file) == [OLD]
