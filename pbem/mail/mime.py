"""A letter as bytes: two parts in a multipart/alternative, headers that nothing can break out of.
For who reads text alone it is one part.

Pictures that the HTML shows are related to it: a multipart/related takes its place. Files stand
behind both parts in a multipart/mixed.

What a letter of ours needs of MIME is little enough to be written down here. The generator of the
standard library would make the letter of `make bench` take 1.9 times as long from the log, and 3.5
times from its words. Tests hold ours to the library's parser.
"""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from collections.abc import Sequence
from email.header import Header
from functools import lru_cache
from hashlib import sha256

from email_validator import validate_email

from pbem.mail.parts import Attachment, Picture

LONGEST_LINE = 990
"""Bytes; SMTP allows 998 without the line's end."""
LONGEST_VALUE = 900
NEAT = 76
"""What a line of a header should not exceed."""
_ADDRESS = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def build(
    headers: Sequence[tuple[str, str]],
    text: str,
    html: str | None,
    pictures: Sequence[Picture] = (),
    attachments: Sequence[Attachment] = (),
) -> bytes:
    """The whole letter with CRLF; header values are words, encoded here where they must be."""
    head = "".join([f"{name}: {field(name, value)}\r\n" for name, value in headers])
    if html is None:
        return plain(head, part("plain", text), attachments)
    page = part("html", html)
    if pictures:
        page = related(head, page, pictures)
    both, first = (part("plain", text), page), f"{head}MIME-Version: 1.0\r\n"
    if not attachments:
        return multipart(first, "multipart/alternative", head, both)
    letter = multipart("", "multipart/alternative", f"{head}alternative", both)
    return multipart(first, "multipart/mixed", head, (letter, *map(attached, attachments)))


def plain(head: str, words: bytes, attachments: Sequence[Attachment]) -> bytes:
    """The text alone, with the files that belong to it."""
    first = f"{head}MIME-Version: 1.0\r\n"
    if not attachments:
        return first.encode("ascii") + words
    return multipart(first, "multipart/mixed", head, (words, *map(attached, attachments)))


def related(head: str, page: bytes, pictures: Sequence[Picture]) -> bytes:
    """The HTML with the pictures that it shows."""
    parts = (page, *map(image, pictures))
    return multipart("", 'multipart/related; type="text/html"', f"{head}related", parts)


def multipart(before: str, kind: str, seed: str, parts: tuple[bytes, ...]) -> bytes:
    """Several parts as one, behind the headers of the whole."""
    line = _boundary(seed, parts)
    return (f'{before}Content-Type: {kind}; boundary="{line}"\r\n\r\n').encode("ascii") + b"".join(
        [
            *(b"--%b\r\n%b\r\n" % (line.encode(), one) for one in parts),
            b"--%b--\r\n" % line.encode(),
        ]
    )


def image(picture: Picture) -> bytes:
    head = (
        'Content-Type: image/png; name="map.png"\r\n'
        "Content-Transfer-Encoding: base64\r\n"
        f"Content-ID: <{picture.name}>\r\n"
        'Content-Disposition: inline; filename="map.png"\r\n\r\n'
    )
    return head.encode("ascii") + encodebytes(picture.png).replace(b"\n", b"\r\n")


def attached(attachment: Attachment) -> bytes:
    """A text as a file; its name is one of ours, plain and without quotes."""
    assert re.fullmatch(r"[\w.-]+", attachment.name, re.ASCII), attachment.name
    kept = f'Content-Disposition: attachment; filename="{attachment.name}"\r\n'
    return kept.encode("ascii") + part("plain", attachment.text)


def part(subtype: str, words: str) -> bytes:
    """One part with its own headers: as it is when that is safe, else in quoted-printable."""
    lines = words.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") + "\n"
    body, encoding = lines.replace("\n", "\r\n").encode("utf-8", "replace"), "7bit"
    if not body.isascii() or b"\x00" in body or longest_line(body) >= LONGEST_LINE:
        body, encoding = b2a_qp(body, istext=True), "quoted-printable"
    head = (
        f'Content-Type: text/{subtype}; charset="utf-8"\r\n'
        f"Content-Transfer-Encoding: {encoding}\r\n\r\n"
    )
    return head.encode("ascii") + body


def longest_line(body: bytes) -> int:
    return max(map(len, body.split(b"\r\n")))


def _boundary(seed: str, parts: tuple[bytes, ...]) -> str:
    """A line that stands in none of the parts; the same letter always has the same."""
    digest = seed.encode("ascii")
    while True:
        digest = sha256(digest).digest()
        line = f"=_{digest.hex()[:32]}"
        if not any(line.encode() in one for one in parts):
            return line


def field(name: str, value: str) -> str:
    """A header's value on its way out: one line of words, encoded when they are not plain."""
    plain = value.isascii() and value.isprintable() and "=?" not in value
    if plain and len(name) + len(value) + 2 <= NEAT:
        return value
    words = single_line(value)
    if words.isascii() and "=?" not in words:
        return folded(name, words)
    return encoded(name, words)


@lru_cache(maxsize=1_024)
def encoded(name: str, words: str) -> str:
    """Words that are not plain, for a header; subjects of a match return, and this takes 0.5 ms."""
    return Header(words, "utf-8", maxlinelen=NEAT, header_name=name).encode(linesep="\r\n")


def single_line(value: str) -> str:
    """The value without anything that could end its line, and not too long."""
    words = _CONTROL.sub(" ", value.encode("utf-8", "replace").decode("utf-8"))
    return words.strip()[:LONGEST_VALUE]


def folded(name: str, value: str) -> str:
    """A long value in several lines, parted at single blanks between words."""
    lines, room = [""], NEAT - len(name) - 2
    for word in re.split(r"(?<=\S) (?=\S)", value):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
            room = NEAT - 1
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\r\n ".join(lines)


def mailbox(address: str) -> str:
    """An address as header and envelope carry it; ValueError when it cannot be carried."""
    plain = address
    if not address.isascii():
        plain = validate_email(address, check_deliverability=False).ascii_email or ""
    if not _ADDRESS.fullmatch(plain):
        raise ValueError("the address cannot be written in a letter")
    return plain
