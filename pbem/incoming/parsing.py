"""A mail taken apart with the parser of the standard library, within limits.

The old parser (`compat32`) leaves headers alone until somebody asks, and the new one raises on
ordinary junk; what it gives is still asked with care. Attached files are not looked into.
"""

from __future__ import annotations

import codecs
import email
import re
from collections.abc import Iterator, Sequence
from email.header import decode_header
from email.message import Message

from pbem.incoming.mails import Unreadable

Headers = Sequence[tuple[str, str]]
"""Names in small letters, and values; as they stand, from the top."""

LARGEST = 256_000
LARGEST_HEAD = 64_000
"""Bytes, of the whole mail and of its own headers."""
MOST_LINES = 20_000
DEEPEST = 10
MOST_PARTS = 50
LONGEST_VALUE = 4_000
LONGEST_ENCODED = 1_000
"""Characters of a header that are read, and of one whose words are encoded."""

_HEAD_END = re.compile(rb"\r?\n\r?\n|\r\r")
_HOLDER = re.compile(rb"(?:^|[\r\n])content-type:[^\w]*(?:multipart|message)", re.IGNORECASE)
"""Where parts hold others; the parser takes a step for each of them in each line inside."""
_CHARSET = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,39}", re.IGNORECASE | re.ASCII)
_KNOWN_CHARSETS = (
    "utf-8", "ascii", "iso8859", "cp125", "cp437", "cp850", "cp852", "cp858", "cp866", "cp874",
    "cp932", "cp936", "cp949", "cp950", "koi8", "gb", "big5", "shift_jis", "euc_", "iso2022",
    "mac-", "utf-16", "utf-32", "tis-620",
)  # fmt: skip
"""What codecs begin with that are for texts and nothing else; the library has others."""


def parse(raw: bytes) -> Message:
    """The mail in parts, neither too many nor too deep."""
    if len(raw) > LARGEST:
        raise Unreadable("over 256 kB")
    if raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n") > MOST_LINES:
        raise Unreadable("over 20,000 lines")
    found = _HEAD_END.search(raw, 0, LARGEST_HEAD)
    if found is None and len(raw) > LARGEST_HEAD:
        raise Unreadable("headers over 64 kB")
    if sum(1 for _ in _HOLDER.finditer(raw)) > MOST_PARTS:
        raise Unreadable("over 50 parts")
    parsed = email.message_from_bytes(raw)
    for count, (depth, _) in enumerate(_walk(parsed), 1):
        if depth > DEEPEST:
            raise Unreadable("parts over 10 deep")
        if count > MOST_PARTS:
            raise Unreadable("over 50 parts")
    return parsed


def _walk(part: Message, depth: int = 0) -> Iterator[tuple[int, Message]]:
    """All parts with their depth, those of forwarded mails too; not deeper than is allowed."""
    yield depth, part
    if depth <= DEEPEST:
        for inner in inside(part):
            yield from _walk(inner, depth + 1)


def inside(part: Message) -> Sequence[Message]:
    """The parts that it holds, or the blocks of fields of a report."""
    payload = part.get_payload() if part.is_multipart() else ()
    return [one for one in payload if isinstance(one, Message)]


def parts(parsed: Message) -> Sequence[Message]:
    """What is not itself made of parts, without what lies in forwarded mails."""
    found, waiting = [], [parsed]
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting.extend(reversed(inside(part)))
        else:
            found.append(part)
    return found


def is_attached(part: Message) -> bool:
    """Whether it is a file beside the mail."""
    said = str(part.get("content-disposition", "")).strip().casefold()
    return said.startswith("attachment") or "filename" in said


# --- words ---------------------------------------------------------------------------------------


def headers(part: Message) -> Headers:
    """In words, each value in one line."""
    return [
        (name, " ".join(_without_encoding(value).replace("\0", " ").split()))
        for name, value in raw_headers(part)
    ]


def raw_headers(part: Message) -> Headers:
    """As other programs have read them: nothing is changed but where lines were folded."""
    return [(name.casefold(), _unfolded(str(value))) for name, value in part.raw_items()]


def _unfolded(value: str) -> str:
    sent = value[:LONGEST_VALUE].encode("ascii", "surrogateescape").decode("utf-8", "replace")
    return sent.replace("\r", "").replace("\n", "")


def _without_encoding(value: str) -> str:
    if "=?" not in value:
        return value
    try:
        pieces = decode_header(value[:LONGEST_ENCODED])
    except Exception:  # of several kinds, and all of them mean that it is no encoding
        return value
    return "".join(
        piece if isinstance(piece, str) else decoded(piece, charset) for piece, charset in pieces
    )


def text_of(part: Message) -> str:
    """Its text; lines that were folded to be joined again are joined."""
    try:
        content = part.get_payload(decode=True)
        charset, form = part.get_content_charset(), part.get_param("format")
        joins_words = str(part.get_param("delsp")).casefold() == "yes"
    except Exception:  # of several kinds, by what is said of charset and format
        content, charset, form, joins_words = part.get_payload(), None, None, False
    if not isinstance(content, bytes):
        content = str(content).encode("utf-8", "replace")
    text = decoded(content, charset)
    return unfolded(text, joins_words) if str(form).casefold() == "flowed" else text


def decoded(content: bytes, charset: str | None) -> str:
    """In words by its charset, or by those that are likely where it has none that is known."""
    for codec in (_codec(charset), "utf-8", "cp1252"):
        try:
            if codec is not None:
                return content.decode(codec).replace("\0", "")
        except (UnicodeError, ValueError):
            continue
    return content.decode("latin-1").replace("\0", "")


def _codec(charset: str | None) -> str | None:
    if charset is None or not _CHARSET.fullmatch(charset):
        return None
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return None
    return name if name.startswith(_KNOWN_CHARSETS) else None


def unfolded(text: str, joins_words: bool) -> str:
    """Lines that end with a blank go on in the next one (RFC 3676)."""
    joined: list[str] = []
    goes_on = None
    for line in text.split("\n"):
        depth, words = _quoted(line.removesuffix("\r"))
        if goes_on == depth and joined:
            joined[-1] += words
        else:
            joined.append("> " * bool(depth) + words)
        goes_on = depth if words.endswith(" ") and words != "-- " else None
        if goes_on is not None and joins_words:
            joined[-1] = joined[-1][:-1]
    return "\n".join(joined)


def _quoted(line: str) -> tuple[int, str]:
    """How often a line was quoted, and what stands behind the marks and the stuffed blank."""
    words = line.lstrip(">")
    return len(line) - len(words), words.removeprefix(" ")
