"""The store: durable or refused, migrated once, all or nothing."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from peewee import IntegrityError, OperationalError
from playhouse.migrations import Runner

from pbem.db import models, store
from pbem.errors import ConfigError
from pbem.services.match import matches
from pbem.services.records.match_rows import find_turn, get_match
from pbem.services.records.player_rows import get_player
from tests.services.people import NOW, sit_down, turn_of, wanted


def test_a_store_is_durable_and_says_so(stored: str) -> None:
    store.check_durability()


@pytest.mark.parametrize(
    "pragma", ["synchronous = NORMAL", "synchronous = OFF", "journal_mode = DELETE"]
)
def test_a_forgetful_store_is_refused(tmp_path: Path, pragma: str) -> None:
    store.open_database(f"sqlite:///{tmp_path / 'x.db'}")
    with store.connected():
        store.execute(f"PRAGMA {pragma}")
        with pytest.raises(ConfigError, match="does not write durably"):
            store.check_durability()


def test_what_is_no_database_address_is_refused() -> None:
    with pytest.raises(ConfigError, match="must begin with sqlite:/// or postgresql://"):
        store.open_database("mysql://somewhere")


def test_a_pool_keeps_what_is_closed_for_the_next_thread(stored: str) -> None:
    def connection() -> object:
        with store.connected():
            store.rows("SELECT 1")
            return store.database.connection()

    store.database.close()
    store.open_database(stored, pooled=True)
    try:
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
            assert one.submit(connection).result() is other.submit(connection).result()
    finally:
        store.database.close_all()


def test_migrations_are_applied_once_also_by_several_at_once(stored: str) -> None:
    def again() -> list[str]:
        with store.connected():
            return store.migrate()

    with ThreadPoolExecutor(4) as pool:
        assert [job.result() for job in [pool.submit(again) for _ in range(4)]] == [[]] * 4


def test_the_migrations_make_the_tables_of_the_models(stored: str) -> None:
    for table in models.TABLES:
        name = table._meta.table_name
        columns = {column.name for column in store.database.get_columns(name)}
        assert columns == {field.column_name for field in table._meta.sorted_fields}
        indexed = {tuple(index.columns) for index in store.database.get_indexes(name)}
        for index in table._meta.fields_to_index():
            fields = tuple(expression.column_name for expression in index._expressions)
            assert fields in indexed, (name, fields)


def test_no_index_only_begins_as_another_one_does(stored: str) -> None:
    for name in (table._meta.table_name for table in models.TABLES):
        indexed = sorted(tuple(index.columns) for index in store.database.get_indexes(name))
        for one, other in pairwise(indexed):
            assert one != other[: len(one)], (name, one, other)


def test_the_migrations_can_be_taken_back(stored: str) -> None:
    runner = Runner(store.database.obj, str(store.MIGRATIONS))
    steps = sorted(path.stem for path in store.MIGRATIONS.glob("0*.py"))
    assert steps[0] == "0001_first"
    assert runner.down("0001_first") == steps[::-1]
    assert "match" not in store.database.get_tables()
    assert store.migrate() == steps


def test_turns_from_before_there_were_clocks_keep_their_deadlines(stored: str) -> None:
    runner = Runner(store.database.obj, str(store.MIGRATIONS))
    turn = turn_of(sit_down(NOW).match)
    runner.down("0002_time")

    assert store.migrate()[0] == "0002_time"

    kept = find_turn(turn.id)
    assert kept is not None
    assert (kept.deadline_at, kept.started_at) == (turn.deadline_at, NOW)
    assert kept.budget == turn.deadline_at - NOW
    assert store.rows("SELECT subject, at FROM due WHERE kind = 'turn'") == [
        (str(turn.id), turn.deadline_at)
    ]


def test_matches_from_before_anybody_was_asked_are_listed_without_names(stored: str) -> None:
    match, now = sit_down(NOW).match, NOW + 1
    guest = matches.create(wanted(addresses={}, machines={"ussr"}, guest="usa", creator=None), now)
    Runner(store.database.obj, str(store.MIGRATIONS)).down("0023_watching")

    assert store.migrate()[0] == "0023_watching"

    assert get_match(match).visibility == "anonymous"
    assert get_match(guest).visibility == "private"
    ann, bob = (get_player(seat.player or 0) for seat in get_match(match).seats)
    assert ann.public_id and bob.public_id and ann.public_id != bob.public_id
    assert not ann.hides_page


def test_a_transaction_is_all_or_nothing(stored: str) -> None:
    from pbem.services.match import matches

    with pytest.raises(RuntimeError), store.writing():
        matches.create(wanted(), NOW)
        raise RuntimeError
    assert store.rows("SELECT COUNT(*) FROM match") == [(0,)]
    assert store.rows("SELECT COUNT(*) FROM player") == [(0,)]


def test_what_is_read_together_is_of_one_moment(tmp_path: Path) -> None:
    store.open_database(f"sqlite:///{tmp_path / 'x.db'}", pooled=True)

    def write() -> None:
        with store.connected(), store.writing():
            store.execute("INSERT INTO things VALUES (2)")

    with store.connected():
        store.execute("CREATE TABLE things (thing INTEGER)")
        store.execute("INSERT INTO things VALUES (1)")
        with store.reading():
            before = store.rows("SELECT thing FROM things")
            with ThreadPoolExecutor(1) as other:
                other.submit(write).result()
            assert store.rows("SELECT thing FROM things") == before == [(1,)]
            with pytest.raises(OperationalError), store.writing():
                pass
        assert store.rows("SELECT thing FROM things") == [(1,), (2,)]
    store.database.close_all()


def test_a_percent_sign_is_only_a_percent_sign(stored: str) -> None:
    assert store.row("SELECT '100%', ?", "50%") == ("100%", "50%")


def test_a_commit_that_fails_leaves_nothing_open(stored: str) -> None:
    """A deferred constraint is looked at when all is done."""
    deferred = "FOREIGN KEY (match_id) REFERENCES match (id) DEFERRABLE INITIALLY DEFERRED"
    store.execute(f"CREATE TABLE late (match_id VARCHAR(16), {deferred})")
    with pytest.raises(IntegrityError), store.writing():
        store.execute("INSERT INTO late VALUES (?)", "nowhere")

    assert not store.database.obj.in_transaction()
    with store.writing():
        assert store.rows("SELECT * FROM late") == []


@pytest.mark.parametrize(
    ("url", "is_elsewhere"),
    [
        ("sqlite:////dev/shm/none.db", False),
        ("postgresql://pbem@/pbem?host=/run/postgresql", False),
        ("postgresql://pbem@127.0.0.1/pbem", False),
        ("postgresql://pbem@10.0.0.5/pbem", True),
    ],
)
def test_a_database_on_another_machine_is_known_as_such(url: str, is_elsewhere: bool) -> None:
    store.open_database(url)
    assert store.is_over_network() is is_elsewhere


@pytest.mark.postgres
def test_machines_that_share_a_database_go_by_its_clock(postgres_store: str) -> None:
    store.open_database(postgres_store)
    with store.connected():
        assert abs(store.shared_time(lambda: 7) - time.time()) < 60


def test_alone_a_machine_goes_by_its_own_clock(sqlite_store: str) -> None:
    store.open_database(sqlite_store)
    assert store.shared_time(lambda: 7) == 7


@pytest.mark.postgres
def test_who_is_cut_off_holds_nothing_for_long(postgres_store: str) -> None:
    """Over a socket the times of TCP are 0; what is asked for is in the options."""
    store.open_database(postgres_store, pooled=True)
    with store.connected():
        ((idle,),) = store.rows("SHOW idle_in_transaction_session_timeout")
        ((patience,),) = store.rows("SHOW lock_timeout")
    assert (idle, patience) == ("1min", "10s")
    assert store.REACHING["tcp_user_timeout"] == 15_000
    store.database.obj.close_all()
