"""From bytes that anybody may have written to what is known of a mail."""

from __future__ import annotations

import re
from email.message import Message

from pbem.incoming import authentication, automatic, delivery_reports, html_text, parsing
from pbem.incoming.mails import IncomingMail, Unreadable
from pbem.incoming.own_words import own_words
from pbem.incoming.parsing import Headers

MOST_LINES = 500
LONGEST_SUBJECT = 200
LONGEST_ID = 300
LONGEST_FROM = 998

_QUOTED_NAME = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = "\x01"
"""Stands for a name between quotes, whatever it says; it can be no part of an address."""
_COMMENT = re.compile(r"\([^()]*\)")
_ADDRESS = r"([A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9.-]{1,253})"
_ALONE = re.compile(_ADDRESS)
_BEHIND_NAME = re.compile(rf"[^<>@,;:\"()\[\]\\]*< *{_ADDRESS} *>")


def read(raw: bytes, envelope_sender: str, authserv_id: str) -> IncomingMail:
    """What the mail says; `Unreadable`, and nothing else, when nothing can be made of it."""
    try:
        return _read(raw, envelope_sender, authserv_id)
    except Unreadable:
        raise
    except MemoryError:
        raise Unreadable("takes too much memory") from None
    except Exception:  # whatever the library raises about what anybody may have written
        raise Unreadable("malformed") from None


def _read(raw: bytes, envelope_sender: str, authserv_id: str) -> IncomingMail:
    parsed = parsing.parse(raw)
    headers, raw_headers = parsing.headers(parsed), parsing.raw_headers(parsed)
    sender = _sender(raw_headers)
    why = automatic.why_automatic(parsed, headers, envelope_sender, sender)
    return IncomingMail(
        sender=sender,
        authentication=authentication.judge(raw_headers, sender, authserv_id),
        message_id=_first(headers, "message-id")[:LONGEST_ID],
        subject=_first(headers, "subject")[:LONGEST_SUBJECT],
        automatic=why,
        own_words=() if why else _words(parsed),
        report=delivery_reports.find(parsed, raw) if why else None,
    )


def _first(headers: Headers, wanted: str) -> str:
    return next((value for name, value in headers if name == wanted), "")


def _sender(headers: Headers) -> str:
    """The one address that every reader of its From finds there.

    What could be read in two ways is no address: our mail server judged the domain that it has
    found, and we must not find another one.
    """
    said = [value for name, value in headers if name == "from"]
    if len(said) != 1 or len(said[0]) > LONGEST_FROM:
        return ""
    plain = _COMMENT.sub(" ", _QUOTED_NAME.sub(_NAME, said[0])).strip()
    found = _ALONE.fullmatch(plain) or _BEHIND_NAME.fullmatch(plain)
    return found[1].lower() if found else ""


def _words(parsed: Message) -> tuple[str, ...]:
    """The writer's own lines: of the text, or of the HTML where there is no text."""
    shown = [part for part in parsing.parts(parsed) if not parsing.is_attached(part)]
    text = _joined(shown, "text/plain")
    page = own_words(html_text.text_of(_joined(shown, "text/html")))
    words = _unfolded(own_words(text), page) if text.strip() else page
    if len(words) > MOST_LINES:
        raise Unreadable("over 500 lines of words")
    return words


def _unfolded(lines: tuple[str, ...], page: tuple[str, ...]) -> tuple[str, ...]:
    """The lines of the text, whole again where the HTML has several of them as one.

    Programs fold long lines of the text and leave those of the HTML as they are. Where both do not
    say the same, the text counts as it is.
    """
    waiting = [line for line in reversed(page) if line]
    found, rest = list[str](), ""
    for line in lines:
        if line and not rest and waiting:
            rest = waiting.pop()
            found.append(rest)
        elif not line and not rest:
            found.append("")
            continue
        if not line or not f"{rest} ".startswith(f"{line} "):
            return lines
        rest = rest[len(line) + 1 :]
    return lines if rest or waiting else tuple(found)


def _joined(shown: list[Message], kind: str) -> str:
    texts = [parsing.text_of(part) for part in shown if part.get_content_type() == kind]
    return "\n".join(texts)
