"""Pieces of markup that are much alike, written down as what differs from one to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

TAG = re.compile(r"(?=<[a-zA-Z])")

Edit = tuple[int, int, list[str]]
"""From which piece to which others are put in, counted before any edit of the same row."""


class Differences(NamedTuple):
    first: list[str]
    """The first text in pieces: joined, they are the text."""
    edits: list[list[Edit]]
    """What makes each of the others out of the one before it."""


def differences(texts: Sequence[str]) -> Differences:
    rows = [TAG.split(text) for text in texts]
    return Differences(rows[0], [_edits(old, new) for old, new in pairwise(rows)])


def _edits(old: list[str], new: list[str]) -> list[Edit]:
    codes = SequenceMatcher(None, old, new).get_opcodes()
    return [(i, j, new[k:m]) for what, i, j, k, m in codes if what != "equal"]


def applied(found: Differences, place: int) -> str:
    """The text at a place, as the script of the page puts it together."""
    pieces = list(found.first)
    for edits in found.edits[:place]:
        for start, stop, put in reversed(edits):
            pieces[start:stop] = put
    return "".join(pieces)
