"""The words that the writer of a reply has written anew, without what was quoted and added.

A reply has the old letter in one of two ways. Marked as quoted, with `>` before each line, it may
have new words above, below and in between. Unmarked, it stands below its head, and all from there
on is old: below it nobody can tell old words from new. A head that nobody has heard of is known by
the address that it names, which is ours, or by the marker that a letter may begin with.

All of it takes time in proportion to the text, whoever has written it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby

from mailparser_reply.parser import EmailMessage as LibraryMail

from pbem.incoming import phrases

MARKERS = {
    "en": "-- Reply above this line --",
    "de": "-- Antworte über dieser Zeile --",
    "fr": "-- Répondez au-dessus de cette ligne --",
}
"""What stands at the beginning of letters that can be replied to, by language."""
LONGEST_HEAD = 400
"""Characters; a head of a quoted letter that was folded has at most `HEAD_LINES`."""
HEAD_LINES = 4
SHORTEST_FOLD = 64
"""Columns; no program folds lines that are shorter."""
LONGEST_LINE = 2_000
LONGEST_ADDED = 160
TABLE_LINES = 12
"""Within so many lines stand all labels of a table."""
FOREIGN = ["es", "it", "nl", "sv", "da", "cs", "ja", "ko", "zh"]
"""Languages whose heads the library knows, and we do not."""
MOST_FOR_LIBRARY = 2_000
"""Characters; it takes time in proportion to their square."""

_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffc]")
_HYPHENS = str.maketrans("\u2010\u2011", "--")
_RULE = re.compile(r"[-_=*~–—]{4,}")
_LABEL = re.compile(r"[*_]*([^\W\d_][^:*_]{0,20}?)[*_]*\s?:[*_]*(?:\s|$)")
_OUR_ADDRESS = re.compile(r"\br\d{1,18}[.a-z2-7]{0,7}-[a-z2-7]{26}@")
"""As in `pbem.return_addresses`: nobody writes one by hand."""
_SIGNATURE = {"--", "—", "–", "__"}
_FOREIGN_HEAD = LibraryMail("", languages=FOREIGN).HEADER_REGEX


def own_words(text: str) -> tuple[str, ...]:
    """The lines of somebody's own, with an empty one between paragraphs."""
    lines = [tidied(line) for line in text.splitlines()]
    new = _unquoted(_without_heads(_above_old_letter(lines)))
    kept = [line for line in new if line is None or not _is_added(line)]
    return _above_foreign_head(_in_paragraphs(kept))


def _in_paragraphs(lines: Sequence[str | None]) -> list[str]:
    """With single empty lines, and none at either end; what was quoted (None) parts nothing."""
    found = list[str]()
    for is_blank, group in groupby(lines, key=lambda line: not line):
        if not is_blank:
            found += [line for line in group if line]
        elif found and None not in list(group):
            found.append("")
    return found[:-1] if found and not found[-1] else found


def tidied(line: str) -> str:
    """A line without what cannot be seen, and not too long; all blanks and hyphens are the same."""
    known = unicodedata.normalize("NFC", line[:LONGEST_LINE]).translate(_HYPHENS)
    seen = _UNSEEN.sub("", known)
    return " ".join("".join([c if c.isprintable() else " " for c in seen]).split())


# --- letters that are not marked as quoted: all below their heads is old -------------------------


def _above_old_letter(lines: Sequence[str]) -> Sequence[str]:
    """The lines above the first one that belongs to an old letter."""
    for number, line in enumerate(lines):
        if _is_marker(line) or _is_separator(line) or _begins_table(lines, number):
            return lines[:number]
    return lines


def _plain(line: str) -> str:
    return line.casefold().replace("’", "'").replace("‘", "'").replace(" :", ":")


def _bare(line: str) -> str:
    return _plain(line).strip("-–—*_ #.[]")


_MARKERS = {_bare(marker) for marker in MARKERS.values()}
_SEPARATORS = set(phrases.all_of("separators"))
_KINDS = {label: kind for kind, labels in phrases.table("labels").items() for label in labels}
_WROTE = phrases.pattern(phrases.all_of("wrote"), phrases.SOME)
_WROTE_PLAINLY = phrases.pattern(phrases.all_of("wrote_plainly"), phrases.SOME)
_ADDED = phrases.pattern(phrases.all_of("added"), phrases.SOME)


def _is_marker(line: str) -> bool:
    return _bare(line) in _MARKERS


def _is_separator(line: str) -> bool:
    return line.startswith("--") and line.endswith("--") and _bare(line) in _SEPARATORS


def _label(line: str) -> str | None:
    """Which kind of label the line begins with."""
    found = _LABEL.match(line)
    return None if found is None else _KINDS.get(_plain(found[1]).strip())


def _begins_table(lines: Sequence[str], number: int) -> bool:
    """Whether the table of an old letter begins here: who has written it, when, to whom."""
    if _label(lines[number]) is None:
        return False
    kinds = {_label(line) for line in lines[number : number + TABLE_LINES]} - {None}
    return len(kinds) > 2 and "from" in kinds


# --- letters that are marked as quoted, and the heads above them ---------------------------------


def _is_quoted(line: str) -> bool:
    return line.startswith(">")


def _without_heads(lines: Sequence[str]) -> Sequence[str]:
    """Without heads above quoted lines; a head above others is where an old letter begins."""
    following = _next_words(lines)
    kept: list[str] = []
    for line, after in zip(lines, following[1:], strict=True):
        kept.append(line)
        length = _head_lines(kept, after) if line.endswith((":", "---")) else 0
        if length:
            del kept[-length:]
            if not _is_over_quote(after):
                return kept
    return kept


def _next_words(lines: Sequence[str]) -> Sequence[str]:
    """For each line, and for the end, the first from there on that is not empty."""
    following = [""]
    for line in reversed(lines):
        following.append(line or following[-1])
    return following[::-1]


def _is_over_quote(after: str) -> bool:
    return not after or _is_quoted(after)


def _head_lines(lines: Sequence[str], after: str) -> int:
    """How many of the last lines are the head of a quoted letter, as few as can be."""
    heads = _endings(lines)
    for length, head in enumerate(heads, 1):
        if any(c.isdigit() for c in head) and _WROTE.fullmatch(head):
            return length
    for length, head in enumerate(heads, 1):
        if _OUR_ADDRESS.search(head) or (_is_over_quote(after) and _may_be_head(head)):
            return _with_folded(lines[-len(heads) :], length)
    return 0


def _may_be_head(head: str) -> bool:
    """Whether it says who wrote, or names an address and a day, in whatever language."""
    is_signed = "@" in head and any(c.isdigit() for c in head)
    return is_signed or _WROTE_PLAINLY.fullmatch(head) is not None


def _with_folded(lines: Sequence[str], length: int) -> int:
    """More of the last lines: those that ended because the first word below had no room."""
    while length < len(lines):
        first_word = lines[-length].partition(" ")[0]
        if len(lines[-length - 1]) + len(first_word) < SHORTEST_FOLD:
            break
        length += 1
    return length


def _endings(lines: Sequence[str]) -> Sequence[str]:
    """The last line, the last two as one, and so on."""
    endings = [""]
    for line in reversed(lines[-HEAD_LINES:]):
        longer = f"{_plain(_undashed(line))} {endings[-1]}".strip()
        if not line or _is_quoted(line) or len(longer) > LONGEST_HEAD:
            break
        endings.append(longer)
    return endings[1:]


def _undashed(line: str) -> str:
    """Some programs write a head between dashes, and no colon."""
    is_dashed = line.startswith("---") and line.endswith("---")
    return f"{line.strip('- ')}:" if is_dashed else line


def _unquoted(lines: Iterable[str]) -> Iterable[str | None]:
    """None for quoted lines, and without signatures, which end where something is quoted."""
    is_signature = False
    for line in lines:
        if _is_quoted(line):
            is_signature = False
            yield None
        elif line in _SIGNATURE:
            is_signature = True
        elif not is_signature:
            yield line


def _is_added(line: str) -> bool:
    """Whether a program has written it, and no person."""
    if _RULE.fullmatch(line):
        return True
    return len(line) <= LONGEST_ADDED and _ADDED.match(_bare(line)) is not None


def _above_foreign_head(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines above a head in a language that only the library knows."""
    found = _FOREIGN_HEAD.search("\n".join(lines)[:MOST_FOR_LIBRARY])
    if found is None:
        return tuple(lines)
    return tuple(found.string[: found.start()].rstrip("\n").split("\n"))
