"""A PostgreSQL database that one test after another uses, emptied in between.

Whoever opens it gets connections of one pool, as in production; they stay open from test to test,
since a new one has to learn all tables anew. What a test does to the tables themselves is noticed,
and the next one finds new ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import psycopg
from peewee import Database, PeeweeException

from pbem.db import models, store
from tests.kit.postgres import PostgresServer

TIDY_EVERY = 100
"""Tests between two times that the room of deleted rows is given back."""
NOTICING = """
    CREATE SCHEMA kit;
    CREATE TABLE kit.change (tag text);
    CREATE FUNCTION kit.note_change() RETURNS event_trigger LANGUAGE plpgsql
        AS $$ BEGIN INSERT INTO kit.change VALUES (tg_tag); END $$;
"""
EMPTYING = """
    CREATE FUNCTION kit.empty() RETURNS void LANGUAGE plpgsql
        SET session_replication_role = replica -- no foreign key is looked at
        AS $$ BEGIN %s END $$;
    CREATE EVENT TRIGGER kit_note_change ON ddl_command_end EXECUTE FUNCTION kit.note_change();
"""
OTHERS = """
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend'
"""


class KeptDatabase:
    """With all tables; `migrated` is the URL of a database that has them and nothing else."""

    def __init__(self, server: PostgresServer, migrated: str) -> None:
        self._server, self._migrated, self._tests = server, migrated, 0
        self._make()

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Its URL, for one test; the tables hold what the migrations have put there."""
        of_url, url = store.of_url, self.url
        pool: Database = self._pool
        others = list[Any]()

        def kept(asked: str, pooled: bool = False, **options: Any) -> Database:
            if asked != url:
                return of_url(asked, pooled, **options)
            if not pooled:
                return pool
            others.append(own := of_url(asked, pooled, **options))
            return own

        with patch.object(store, "of_url", kept):
            yield url
        for other in others:
            other.close_all()
        self._take_back()

    def close(self) -> None:
        self._pool.close_all()
        self._link.close()
        self._server.drop_database(self.url)

    def _make(self) -> None:
        self.url = self._server.create_database(like=self._migrated)
        self._link = psycopg.connect(self.url, autocommit=True)
        self._pool: Any = store.of_url(self.url, pooled=True)
        self._link.execute(NOTICING)
        self._link.execute((EMPTYING % " ".join(self._emptying())).encode())

    def _emptying(self) -> Iterator[str]:
        """Statements after which every table is as it is now, and counts from one."""
        for table in (model._meta.table_name for model in models.TABLES):
            yield f'DELETE FROM "{table}";'
            self._link.execute(f'CREATE TABLE kit."{table}" AS TABLE public."{table}"'.encode())
            if self._link.execute(f'SELECT 1 FROM "{table}"'.encode()).fetchone():
                yield f'INSERT INTO "{table}" TABLE kit."{table}";'
        counters = self._link.execute("SELECT schemaname, sequencename FROM pg_sequences")
        for schema, counter in counters.fetchall():
            yield f'PERFORM setval(\'"{schema}"."{counter}"\', 1, false);'

    def _take_back(self) -> None:
        self._tests += 1
        self._dismiss()
        if self._link.execute("SELECT 1 FROM kit.change").fetchone():
            self.close()
            self._make()
            return
        self._link.execute("SELECT kit.empty()")
        if self._tests % TIDY_EVERY == 0:
            self._link.execute("VACUUM")

    def _dismiss(self) -> None:
        """End what the test has left in the middle of something."""
        try:
            if not self._pool.is_closed():
                self._pool.close()
        except PeeweeException:  # within a transaction
            self._pool = store.of_url(self.url, pooled=True)
        if self._link.execute(f"SELECT 1 {OTHERS} AND state <> 'idle'".encode()).fetchone():
            self._pool.close_all()
            self._link.execute(f"SELECT pg_terminate_backend(pid, 5000) {OTHERS}".encode())
