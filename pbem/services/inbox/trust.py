"""Whether a reply is the player's own: only what is certain moves, everything else is asked about.

The address that a reply comes to is known to who was sent the letter, and to whoever was shown it.
So it takes two more: the mail says that it comes from the player's own address, and our mail server
has found that the domain of that address vouches for it.
"""

from __future__ import annotations

from typing import Literal

from pbem.incoming.mails import IncomingMail

Trust = Literal["certain", "unsure", "stranger"]


def judged(mail: IncomingMail, address: str) -> Trust:
    """Who has written a mail, as far as that is known; `address` is the player's."""
    if not mail.sender or mail.sender.casefold() != address.casefold():
        return "stranger"
    return "certain" if mail.authentication == "pass" else "unsure"
