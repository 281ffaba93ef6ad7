"""What all tables share, and columns that hold JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from peewee import Model, TextField

from pbem.db.store import database


class Table(Model):
    class Meta:
        database = database
        legacy_table_names = False


class JsonField(TextField):
    """A value of one type, kept as JSON; an empty text is None."""

    def __init__(self, kind: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._decoder = msgspec.json.Decoder(kind)

    def db_value(self, value: Any) -> str:
        return "" if value is None else msgspec.json.encode(value).decode()

    def python_value(self, value: str) -> Any:
        return self._decoder.decode(value) if value else None
