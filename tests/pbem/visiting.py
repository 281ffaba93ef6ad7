"""What visitors of the pages need: a clock, a look at the whole store, the forms of a page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from peewee import SqliteDatabase

from pbem.db import models, store

NOW = 1_800_000_000
KEYS = ("a key for the tests that is long enough",)

TABLES = [model._meta.table_name for model in models.TABLES]


class Clock:
    """Stands still until it is moved."""

    def __init__(self, now: int = NOW) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, to see whether something changed."""
    with store.connected():
        return {name: sorted(store.rows(f"SELECT * FROM {name}"), key=repr) for name in TABLES}


def drop(table: str) -> None:
    """Take a table away, whoever names its rows."""
    if isinstance(store.database.obj, SqliteDatabase):
        store.execute("PRAGMA foreign_keys = 0")
        store.execute(f"DROP TABLE {table}")
    else:
        store.execute(f"DROP TABLE {table} CASCADE")


SWITCH = "?look"
"""Where the switch in the frame of every page posts to."""


class Form:
    """A form of a page with what it would send by itself."""

    def __init__(self, attributes: dict[str, str]) -> None:
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get")
        self.fields: dict[str, str] = {}
        self.buttons: list[tuple[str, str]] = []


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._form: Form | None = None
        self._select = ""
        self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("action") != SWITCH:
            self._form = Form(given)
            self.found.append(self._form)
        elif self._form is not None:
            self._field(tag, given)

    def _field(self, tag: str, given: dict[str, str]) -> None:
        assert self._form is not None
        name, fields = given.get("name", ""), self._form.fields
        if tag == "select":
            self._select = name
        elif tag == "option" and (self._select not in fields or "selected" in given):
            fields[self._select] = given.get("value", "")
        elif tag == "textarea":
            self._textarea = name
            fields[name] = ""
        elif tag == "button":
            self._form.buttons.append((name, given.get("value", "")))
        elif tag == "input" and given.get("type") in ("checkbox", "radio"):
            if "checked" in given:
                fields[name] = given.get("value", "on")
        elif tag == "input" and given.get("type") != "file":
            fields[name] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._form is not None and self._textarea:
            self._form.fields[self._textarea] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._textarea = ""


def forms(page: str) -> list[Form]:
    """The forms of a page, without the switch in its frame."""
    reader = _Forms()
    reader.feed(page)
    return reader.found
