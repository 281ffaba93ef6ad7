"""A letter of ours as replies quote it, with the marker of its language and without."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import parseaddr

from pbem.incoming.own_words import MARKERS

REPLY_ADDRESS = "r48213-abcdefghijklmnopqrstuvwxyz@play.example"
READER = "ann@post.example"
_LINES = (
    "It is your turn until Wed 3 Mar, 11:00: you play USA against Bob (USSR).",
    "",
    "What has happened since your last turn:",
    "- USSR plays a card for operations.",
    "",
    "1: Place influence in Italy [place italy]",
    "https://play.example/o/WyJjYW1wYWlnbiIsMiw5NSwxODAzNjgyODAwLCIiXQ.uvWH9eVigxrWE4VvlNUjGFcQdqz-oTz",
    "2: Coup in Iran [coup iran]",
    "",
    "Bob (USSR) wrote on Tue 2 Mar:",
    "| Your move.",
    "",
    "Your turn ends:",
    "  Wednesday, 3 March 2027, 11:00 (UTC+01:00, Europe/Berlin)",
    "-" * 72,
    "You play USA. Head of match campaign: 4f809bb78c5560ad",
    "Fewer emails: https://play.example/mute/WzE4LDE4MDM2ODI4MDAsbnVsbCwwXQ.qs6k4h",
)


def our_letter(language: str = "", to: str = READER) -> EmailMessage:
    """A letter of ours; in a language, if it has a marker."""
    letter = EmailMessage()
    letter["From"] = "pbem <pbem@play.example>"
    letter["To"] = to
    letter["Reply-To"] = f"pbem <{REPLY_ADDRESS}>"
    letter["Subject"] = "Your turn: Iron Curtain against Bob, round 3"
    letter["Date"] = "Sun, 28 Feb 2027 10:00:00 +0000"
    letter["Message-ID"] = "<o.0.575.5a8be477e4072729@play.example>"
    lines = [MARKERS[language], "", *_LINES] if language else _LINES
    letter.set_content("\n".join(lines))
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    letter.add_alternative(f"<html><body><main>{paragraphs}</main></body></html>", subtype="html")
    assert parseaddr(str(letter["To"]))[1] == to
    return letter
