"""A copy of the database alone plays for nobody: no living link is in it, no secret of codes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from engine.chance import QuickDice
from pbem.db import models
from pbem.db.store import execute, row, rows
from pbem.errors import TransportError
from pbem.key_ring import ring
from pbem.links import Links, Purpose
from pbem.services.letters import outbox
from pbem.services.match import turns
from pbem.services.operations import backups, keys
from pbem.services.operations.restoring import sealed_files
from pbem.services.players import accounts
from pbem.services.records.match_rows import get_match
from pbem.services.records.moderator_rows import moderator_at
from pbem.services.staff import code_secrets, logins
from tests.mail.posting import BASE_URL, KEYS, WORKER, Bag, office_with
from tests.services.moderator_kit import MO, stranger, with_password
from tests.services.people import ANN, BOB, NOW, Sitting, an_order, turn_of

TOKEN = re.compile(rb"[\w-]{8,240}\.[\w-]{43}")
LATER = TransportError("451 4.3.0 later")


@pytest.fixture
def bag() -> Bag:
    return Bag()


def be_busy(sitting: Sitting, bag: Bag) -> None:
    """A match goes on; letters have left, wait after a try, and were given up."""
    choice = QuickDice(b"busy")
    for number in range(6):
        turn, order = an_order(sitting.match, choice)
        turns.submit(turn.id, [order], NOW + number)
        outbox.drain(office_with(bag), WORKER, NOW + number)
    bag.trouble = lambda parcel: LATER
    accounts.ask_for_own_page(ANN, NOW + 10)
    accounts.ask_for_own_page(BOB, NOW + 10)
    turn, order = an_order(sitting.match, choice)
    turns.submit(turn.id, [order], NOW + 11)
    outbox.drain(office_with(bag), WORKER, NOW + 12)
    accounts.ask_for_own_page(BOB, NOW + 13)
    outbox.drain(office_with(bag), WORKER, NOW + 200)
    ((first,),) = rows("SELECT MIN(id) FROM outbox WHERE mime IS NOT NULL")
    execute("UPDATE outbox SET state = 'dead' WHERE id = ?", first)


def living(seen: bytes) -> set[bytes]:
    """The tokens that a page would accept, also where lines of a letter are folded."""
    links = Links(KEYS, BASE_URL)
    found = set(TOKEN.findall(seen)) | set(TOKEN.findall(seen.replace(b"=\r\n", b"")))
    return {token for token in found if any(links.read(kind, token.decode()) for kind in PURPOSES)}


PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


def everything() -> Iterator[bytes]:
    """All that the tables hold."""
    for table in models.TABLES:
        for values in rows(f'SELECT * FROM "{table._meta.table_name}"'):
            for value in values:
                yield bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()


def test_no_table_holds_a_living_link_or_a_secret_of_codes(sitting: Sitting, bag: Bag) -> None:
    mo = with_password()
    be_busy(sitting, bag)
    seen = b"\n".join(everything())

    assert len(living(b"\n".join(parcel.mime for parcel in bag.offered))) > 10, "letters hold them"
    assert len(rows("SELECT 1 FROM outbox WHERE mime IS NOT NULL")) >= 2, "some letters wait"
    assert living(seen) == set()
    assert mo.secret.encode() not in seen


def test_no_copy_of_the_file_does_either(
    sitting: Sitting, bag: Bag, stored: str, tmp_path: Path
) -> None:
    mo = with_password()
    be_busy(sitting, bag)
    copy = tmp_path / "copy.db"
    backups.make(stored, tmp_path / "sealed", NOW)
    sealed_files.open_into(tmp_path / "sealed", copy)
    if stored.startswith("sqlite"):
        seen = copy.read_bytes()
    else:
        seen = subprocess.run(["pg_restore", "-f", "-", copy], capture_output=True).stdout
        written = re.findall(rb"\\x([0-9a-f]{20,})", seen)
        assert len(written) >= 2, "some letters wait"
        seen += b"\n".join(bytes.fromhex(text.decode()) for text in written)

    assert sitting.match.encode() in seen
    assert living(seen) == set()
    assert mo.secret.encode() not in seen


def canaries(match: str) -> set[str]:
    """What nobody may learn from a copy: seeds, hands, drafts, words, addresses, codes."""
    record, mo = get_match(match), moderator_at(MO)
    ((snapshot,),) = rows("SELECT state FROM snapshot ORDER BY seq DESC LIMIT 1")
    hands = re.findall(r'"hands?":[^"]+', snapshot)
    assert mo is not None and hands
    return {record.secret, *hands, ANN, BOB, "from ann", "my secret plan", mo.totp_secret}


def test_without_the_keys_a_copy_says_nothing(
    sitting: Sitting, bag: Bag, stored: str, tmp_path: Path
) -> None:
    with_password()
    be_busy(sitting, bag)
    turn = turn_of(sitting.match)
    execute(
        "INSERT INTO draft (turn_id, orders, updated_at) VALUES (?, ?, ?)",
        turn.id,
        '["my secret plan"]',
        NOW,
    )
    wanted = canaries(sitting.match)
    backups.make(stored, tmp_path / "sealed", NOW)
    sealed = (tmp_path / "sealed").read_bytes()
    sealed_files.open_into(tmp_path / "sealed", tmp_path / "opened")
    if stored.startswith("sqlite"):
        plain = (tmp_path / "opened").read_bytes()
    else:
        command = ["pg_restore", "-f", "-", str(tmp_path / "opened")]
        plain = subprocess.run(command, capture_output=True).stdout

    assert [one for one in wanted if one.encode() not in plain] == [], "they are there to be found"
    assert [one for one in wanted if one.encode() in sealed] == []
    assert sorted(path.name for path in tmp_path.glob(".pbem-backup-*")) == []


def test_codes_work_while_any_key_opens_their_secret(stored: str) -> None:
    mo = with_password()
    ring.use(lambda: (*KEYS, "n" * 40))
    assert logins.by_password(stranger(), MO, mo.typed(NOW), NOW)
    ring.use(lambda: ("n" * 40,))
    moderator = moderator_at(MO)
    assert moderator is not None and code_secrets.secret_of(moderator) is None


def test_secrets_follow_the_newest_key_so_that_older_ones_can_go(
    stored: str, tmp_path: Path
) -> None:
    mo, file = with_password(), tmp_path / "keys"
    file.write_text(f"{KEYS[0]}\n")
    ring.use(lambda: keys._read(file))
    keys.rotate(file, 1, "opal@example.org", NOW)
    newest = keys._read(file)[-1]
    ring.use(lambda: (newest,))

    moderator = moderator_at(MO)
    assert moderator is not None and code_secrets.secret_of(moderator) == mo.secret
    assert code_secrets.reseal() == 0


def test_a_secret_in_clear_of_an_older_version_works_and_is_sealed(stored: str) -> None:
    mo = with_password()
    execute("UPDATE moderator SET totp_secret = ?", mo.secret)
    assert logins.by_password(stranger(), MO, mo.typed(NOW), NOW)
    assert code_secrets.reseal() == 1

    assert row("SELECT totp_secret FROM moderator") != (mo.secret,)
    assert logins.by_password(stranger(), MO, mo.typed(NOW + 60), NOW + 60)


def test_a_letter_whose_key_is_gone_is_written_anew_under_its_number(
    sitting: Sitting, bag: Bag
) -> None:
    bag.trouble = lambda parcel: LATER
    outbox.drain(office_with(bag), WORKER, NOW)
    written = "SELECT message_id FROM outbox WHERE message_id IS NOT NULL ORDER BY id"
    known = [number for (number,) in rows(written)]
    assert len(known) >= 2
    ring.use(lambda: ("n" * 40,))
    bag.trouble = lambda parcel: None
    outbox.drain(office_with(bag), WORKER, NOW + 60)
    outbox.drain(office_with(bag), WORKER, NOW + 120)

    assert sorted(str(one["Message-ID"]) for one in bag.letters) == sorted(known)
