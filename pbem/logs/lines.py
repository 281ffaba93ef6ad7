"""A record as one line: an object of JSON for machines, or plain words for a terminal.

`log.warning("unsent letter=%s kind=%s", 7, "turn")` has the event `unsent` with two fields. Of an
error the line has kind and places; its words may name a hand, so they stay out.
"""

from __future__ import annotations

import logging
import re
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import msgspec

from pbem.config import JSON
from pbem.logs.hiding import hide

DEEPEST = 30
"""Places of an error that are told, those nearest to it."""
_FIELD = re.compile(r"\s*\b(\w+)=%[sd]")
_OURS = "pbem"


def configure(form: str, *also: logging.Handler) -> None:
    """Write the lines of this process to its standard error; others get every record too."""
    shown = _ToStandardError()
    shown.setFormatter(formatter(form))
    root = logging.getLogger()
    for handler in list(root.handlers):
        if getattr(handler, _OURS, False):
            root.removeHandler(handler)
    for handler in (shown, *also):
        setattr(handler, _OURS, True)
        root.addHandler(handler)
    logging.getLogger(_OURS).setLevel(logging.INFO)
    if form == JSON:
        _leave_nothing_to_python()


class _ToStandardError(logging.Handler):
    """Wherever that leads at the moment."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except OSError:
            self.handleError(record)


def formatter(form: str) -> logging.Formatter:
    return JsonLines() if form == JSON else PlainLines()


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return msgspec.json.encode(_event(record)).decode()


class PlainLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = _event(record)
        fields = "".join(f" {name}={told[name]}" for name in told if name not in _OF_ALL)
        start = f"{told['at']} {told['level']} {told['event']}{fields}"
        return "\n    ".join([start, *told.get("traceback", [])])


_OF_ALL = ("at", "level", "logger", "process", "event", "traceback")


def _event(record: logging.LogRecord) -> dict[str, Any]:
    event, fields = _split(record)
    told: dict[str, Any] = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "process": record.process,
        "event": hide(" ".join(event.split())),
    }
    if record.exc_info and record.exc_info[1] is not None:
        told["traceback"] = list(_places(record.exc_info[1]))
    return {name: value for name, value in fields.items() if name not in told} | told


def _split(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    """The words of a record without its fields, and the fields, if all it is given are fields."""
    template, given = str(record.msg), record.args
    names = _FIELD.findall(template)
    if not names or not isinstance(given, tuple) or template.count("%") != len(names):
        return _message(record), {}
    values = [value if isinstance(value, int) else hide(str(value)) for value in given]
    return _FIELD.sub("", template), dict(zip(names, values, strict=False))


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):  # whoever wrote it has miscounted
        return str(record.msg)


def _places(error: BaseException) -> Iterator[str]:
    """What was raised where, the cause first; no words of any error."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen and len(seen) < DEEPEST:
        seen.append(cause)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    for one in reversed(seen):
        yield from [*_frames(one.__traceback__)][-DEEPEST:]
        yield type(one).__name__


def _frames(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        code = trace.tb_frame.f_code
        module = trace.tb_frame.f_globals.get("__name__", "?")
        yield f"{module}:{trace.tb_lineno} {code.co_name}"
        trace = trace.tb_next


def _leave_nothing_to_python() -> None:
    """What nobody catches becomes a line too; Python would print it with all its words."""
    logging.raiseExceptions = False
    logging.captureWarnings(True)
    log = logging.getLogger(_OURS)

    def tell(
        kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt) or error is None:
            sys.__excepthook__(kind, error or kind(), trace)
        else:
            log.critical("the process ends on an error", exc_info=(kind, error, trace))

    sys.excepthook = tell
    threading.excepthook = lambda args: tell(args.exc_type, args.exc_value, args.exc_traceback)
