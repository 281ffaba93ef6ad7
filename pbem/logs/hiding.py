"""Takes tokens, addresses and secrets out of a line, whoever wrote it and however they came in.

Nobody means to write one down. This is the last door, for messages of libraries and mail servers.
"""

from __future__ import annotations

import re

HIDDEN = "..."
SAFE_PATHS = ("/rules", "/match", "/static")
"""Below these nothing is secret; deploy/nginx.conf has the same list."""

_ADDRESS = re.compile(r"[^\s<>\"'(),;=\[\]]+(?:@|%40)[^\s<>\"'(),;\[\]]+")
_PATH = re.compile(r"(?<!/)(?P<first>/[^/\s\"'?]+)/(?P<rest>[^\s\"']+)")
_QUERY = re.compile(r"(?<=[\w/.])\?[^\s\"']+")
_LONG = re.compile(r"[A-Za-z0-9_=+%-]{20,}")
_LONGEST_NAME = 26
"""No word of this length with capitals in it is a name of ours."""


def hide(line: str) -> str:
    """The line without mail addresses, ends of paths, queries, and words that look like keys.

    What cannot be seen goes too, so that nobody else begins a line or steers a terminal.
    """
    line = "".join(sign if sign.isprintable() else " " for sign in line)
    line = _ADDRESS.sub(HIDDEN, line)
    line = _QUERY.sub("?" + HIDDEN, line)
    line = _PATH.sub(_first_word, line)
    return _LONG.sub(_unless_name, line)


def hide_in_path(path: str) -> str:
    """The path of a request, whole where nothing below it is secret, else its first word."""
    first = "/" + path.lstrip("/").partition("/")[0]
    is_safe = path.startswith(tuple(f"{safe}/" for safe in SAFE_PATHS)) and ".." not in path
    shown = path if is_safe or path == first else f"{first}/{HIDDEN}"
    return "_".join(hide(shown).split())


def _first_word(found: re.Match[str]) -> str:
    return found[0] if found["first"] in SAFE_PATHS else f"{found['first']}/{HIDDEN}"


def _unless_name(found: re.Match[str]) -> str:
    """A key has digits in it, or is long and has both cases; a name has neither."""
    word = found[0]
    is_mixed = len(word) > _LONGEST_NAME and word != word.lower() and word != word.upper()
    return HIDDEN if is_mixed or any(sign.isdigit() for sign in word) else word
