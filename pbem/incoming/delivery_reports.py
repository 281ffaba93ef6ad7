"""What a mail server tells of a letter that it could not deliver.

Most servers say it in fields (RFC 3464), others only in words, which flufl.bounce knows how to
find. A failure is hard only when something says that nobody has this address: a full mailbox, a
rule against our mail or a server that cannot be found may be over tomorrow.
"""

from __future__ import annotations

import email
import logging
import re
from collections.abc import Iterable, Sequence
from email.message import Message

from flufl.bounce import all_failures

from pbem.incoming import parsing, phrases
from pbem.incoming.mails import DeliveryReport, Failure

MOST_RECIPIENTS = 10
LONGEST_REASON = 2_000
MOST_FOR_LIBRARY = 16_000
LONGEST_FOR_LIBRARY = 500
"""Bytes of a mail, and of a line of it: the library tries each of its patterns on each line."""

logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it tells what it stumbles over

_STATUS = re.compile(r"(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])")
_CODE = re.compile(r"(?<![\d.])([45]\d\d)(?=[ -])")
_ADDRESS = re.compile(r"[^\s<>@;,]{1,64}@[^\s<>@;,]{1,253}")
_HARD_STATUS = re.compile(r"5\.1\.(?:[136]|10)")
_VAGUE = re.compile(r"5\.(?:\d\.0|1\.2|2\.1|4\.1|5\.1|7\.1)")
"""Servers say these of anything; the words beside them tell more."""
_NOBODY, _FOR_NOW, _DELAYED, _RETURNED = (
    phrases.pattern(phrases.table("failures")[name], phrases.FEW_WORDS)
    for name in ("nobody", "for_now", "delayed", "returned")
)
_WORST_LAST: Sequence[Failure] = ("delayed", "soft", "hard")


def find(parsed: Message, raw: bytes) -> DeliveryReport | None:
    """What the mail reports; `None` when it reports no failure."""
    blocks = [block for block in _status_blocks(parsed) if "action" in block]
    if not blocks:
        return _of_words(raw)
    words = _first_words(parsed)
    reports = [report for block in blocks if (report := _of_block(block, words))]
    if not reports:
        return None
    worst = max(reports, key=lambda report: _WORST_LAST.index(report.failure))
    recipients = [address for report in reports for address in report.recipients]
    return DeliveryReport(worst.failure, worst.status, _few(recipients))


# --- in fields -----------------------------------------------------------------------------------


def _status_blocks(parsed: Message) -> Iterable[dict[str, str]]:
    """The fields about each recipient, and those about the report."""
    for part in parsing.parts(parsed):
        if part.get_content_type() in {"message/delivery-status", "message/global-delivery-status"}:
            for block in _blocks(part):
                yield dict(reversed(_fields(block)))


def _blocks(part: Message) -> Iterable[Message]:
    """The parser knows blocks of fields only by the older of the two names."""
    for block in parsing.inside(part):
        yield block
        if not block.is_multipart():
            below = re.split(r"\n\s*\n", parsing.text_of(block).replace("\r", ""))
            yield from map(email.message_from_string, below[:MOST_RECIPIENTS])


def _fields(block: Message) -> list[tuple[str, str]]:
    return [(name, value[:LONGEST_REASON]) for name, value in parsing.headers(block)]


def _of_block(block: dict[str, str], words: str) -> DeliveryReport | None:
    """What it says of a recipient; the words of the whole report tell why, where no field does."""
    action = block.get("action", "").casefold()
    if not action.startswith(("fail", "delay", "error")):
        return None
    reason = block.get("diagnostic-code") or words
    status = _status(block.get("status", "")) or _status(reason)
    said = (block.get(name, "") for name in ("final-recipient", "original-recipient"))
    recipients = _few(found for value in said for found in _ADDRESS.findall(value))
    failure = "delayed" if action.startswith("delay") else judged(status, reason)
    return DeliveryReport(failure, status, recipients)


def _status(value: str) -> str:
    found = _STATUS.search(value)
    return found[1] if found else ""


def judged(status: str, reason: str) -> Failure:
    """For good or for now, by the status and by the words beside it."""
    plain = " ".join(reason.casefold().split())
    if status.startswith("4") or (not status and _code(plain) == "4"):
        return "soft"
    inner = [code for code in _STATUS.findall(plain) if code != status]
    if _HARD_STATUS.fullmatch(status):
        return "soft" if any(code.startswith("4") for code in inner) else "hard"
    is_vague = not status or _VAGUE.fullmatch(status) is not None
    if is_vague and any(_HARD_STATUS.fullmatch(code) for code in inner):
        return "hard"
    if is_vague and _NOBODY.search(plain) and not _FOR_NOW.search(plain):
        return "hard"
    return "soft"


def _code(plain: str) -> str:
    found = _CODE.search(plain)
    return found[1][0] if found else ""


# --- in words ------------------------------------------------------------------------------------


def _of_words(raw: bytes) -> DeliveryReport | None:
    """What the library finds, and the words of the server tell."""
    short = email.message_from_bytes(_shortened(raw))
    if "from" not in short:
        short["From"] = "<>"  # which the library asks for
    try:
        for_now, for_good = all_failures(short)
    except Exception:  # it reads what anybody may have written
        return None
    if not for_now and not for_good:
        return None
    words = _first_words(short)
    status = _status(words)
    failure: Failure = "delayed" if _DELAYED.search(words) else "soft"
    if for_good and failure != "delayed":
        failure = judged(status, words)
    return DeliveryReport(failure, status, _few(_readable(for_now | for_good)))


def _shortened(raw: bytes) -> bytes:
    lines = raw[:MOST_FOR_LIBRARY].splitlines()
    return b"\n".join(line[:LONGEST_FOR_LIBRARY] for line in lines)


def _first_words(report: Message) -> str:
    """Subject and text of the server, above the letter that it brings back."""
    texts = [parsing.text_of(one) for one in parsing.parts(report)[:1]]
    subject = " ".join(value for name, value in parsing.headers(report) if name == "subject")
    words = f"{subject} {''.join(texts)}"[:MOST_FOR_LIBRARY]
    return _above_returned(" ".join(words.casefold().split()))


def _above_returned(words: str) -> str:
    found = _RETURNED.search(words)
    return (words[: found.start()] if found else words)[:LONGEST_REASON]


def _readable(addresses: Iterable[bytes]) -> Iterable[str]:
    return (address.decode("ascii", "replace") for address in sorted(addresses))


def _few(addresses: Iterable[str]) -> tuple[str, ...]:
    """Each once, in small letters, and not too many."""
    return tuple(dict.fromkeys(address.casefold() for address in addresses))[:MOST_RECIPIENTS]
