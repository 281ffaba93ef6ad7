"""What every app would make anew though it is always the same: compiled templates and routes.

Nearly every test of pages has an app of its own; compiling took half of their time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from jinja2.bccache import Bucket, BytecodeCache
from werkzeug.routing import Rule


class KeptTemplates(BytecodeCache):
    """Compiled templates in memory; jinja compiles one anew whose source has changed."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()


def kept_builders(compiled: Callable[[Rule, bool], Any]) -> Callable[[Rule, bool], Any]:
    """The functions that build addresses; the same for rules that are spelled alike."""
    kept: dict[tuple[object, ...], Any] = {}

    def found_or_compiled(rule: Rule, append_unknown: bool = True) -> Any:
        if rule.defaults:
            return compiled(rule, append_unknown)
        key = (rule.rule, tuple(rule._trace), append_unknown)
        if key not in kept:
            kept[key] = compiled(rule, append_unknown)
        return kept[key]

    return found_or_compiled


def install(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(Flask.jinja_options, "bytecode_cache", KeptTemplates())
    if hasattr(Rule, "_compile_builder"):  # of werkzeug's own: without it, tests are only slower
        patch.setattr(Rule, "_compile_builder", kept_builders(Rule._compile_builder))
