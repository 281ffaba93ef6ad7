"""JSON as a file that proves something must have it: one reading, whoever reads.

`pbem/static/verify_match.py` reads by the same rules; a test gives both the same files.
"""

from __future__ import annotations

import json
import math
from typing import Any

LARGEST_FILE = 5_000_000
"""Bytes."""
LONGEST_NUMBER = 18


def strictly_read(data: bytes) -> Any:
    """What a JSON document holds; ValueError says why it is none, or not a clear one."""
    if len(data) > LARGEST_FILE:
        raise ValueError("it is too large")
    try:
        found = json.loads(
            data.decode("utf-8-sig"),
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_fraction,
            object_pairs_hook=_without_repeats,
        )
        _check_letters(found)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise ValueError("it holds a number that is far too large")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits) if len(digits) <= 2 * LONGEST_NUMBER else math.inf
    if not math.isfinite(number):
        raise ValueError("it holds a number that is none")
    return number


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it gives two values for one name")
    return found


def _check_letters(found: Any) -> None:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("it holds half a character") from None
