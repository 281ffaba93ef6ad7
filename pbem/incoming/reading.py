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
_ADDRESS = r"([a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9.-]{1,253})"
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
    except Exception:
        raise Unreadable("malformed") from None


def _read(raw: bytes, envelope_sender: str, authserv_id: str) -> IncomingMail:
    parsed = parsing.parse(raw)
    headers = parsing.headers(parsed)
    sender = _sender(parsing.raw_headers(parsed))
    why = automatic.why_automatic(parsed, headers, envelope_sender, sender)
    return IncomingMail(
        sender=sender,
        authentication=authentication.judge(headers, sender, authserv_id),
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
    said = [value for name, value in headers if name.casefold() == "from"]
    if len(said) != 1 or len(said[0]) > LONGEST_FROM:
        return ""
    plain = _COMMENT.sub(" ", _QUOTED_NAME.sub(_NAME, said[0].casefold())).strip()
    found = _ALONE.fullmatch(plain) or _BEHIND_NAME.fullmatch(plain)
    return found[1] if found else ""


def _words(parsed: Message) -> tuple[str, ...]:
    """The writer's own lines: of the text, or of the HTML where there is no text.

    Programs fold long lines of the text and leave those of the HTML whole. So where both say the
    same, the lines are those of the HTML.
    """
    shown = [part for part in parsing.parts(parsed) if not parsing.is_attached(part)]
    text = _joined(shown, "text/plain")
    page = own_words(html_text.text_of(_joined(shown, "text/html")))
    words = own_words(text) if text.strip() else page
    if " ".join(words) == " ".join(page):
        words = page
    if len(words) > MOST_LINES:
        raise Unreadable("over 500 lines of words")
    return words


def _joined(shown: list[Message], kind: str) -> str:
    texts = [parsing.text_of(part) for part in shown if part.get_content_type() == kind]
    return "\n".join(texts)
