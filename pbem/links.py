"""Signed links: one salt per purpose, one spelling per link, a key list for rotation.

A link names a thing that can close (a turn, an invitation, an epoch of a seat), so that it voids
itself; it needs no table of used links. What it carries can be read by anybody who sees it, so it
never spells out an order: `order_code` stands for it. After a restore it also names the timeline of
the server; a link of another one is lost, whatever it opens.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
from pathlib import Path
from typing import Any, Literal

import msgspec
from itsdangerous import BadData, Signer
from itsdangerous.encoding import base64_encode

from pbem import server_timeline
from pbem.config import keys_in
from pbem.errors import ConfigError, LostLink

log = logging.getLogger(__name__)

Purpose = Literal[
    "turn",
    "order",
    "confirm",
    "join",
    "you",
    "act",
    "leave",
    "mute",
    "hush",
    "stand",
    "calendar",
    "moderator",
    "report",
    "thread",
    "keep",
    "kept",
    "guest",
    "computer",
    "reply",
    "boards",
]

VERSION = 1
LONGEST = 300
CODE_LENGTH = 10
_BASE64 = r"(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?"
"""Without padding, and with no bit set that decoding would ignore."""
_SHAPE = re.compile(rf"(?=[\w-]{{8,240}}\.[\w-]{{43}}$){_BASE64}\.{_BASE64}", re.ASCII)


class TurnLink(msgspec.Struct, frozen=True, array_like=True):
    """One seat's turn; with a code, one order of it."""

    match: str
    seat: int
    turn: int
    epoch: int
    code: str = ""


class JoinLink(msgspec.Struct, frozen=True, array_like=True):
    """An invitation of one player to one seat."""

    match: str
    seat: int
    player: int
    epoch: int
    player_epoch: int | None = None
    """None in letters of a time when invitations did not die with the links of their player."""


class ConfirmLink(msgspec.Struct, frozen=True, array_like=True):
    """The way to confirm an address and, if it names one, the match started under it."""

    player: int
    epoch: int
    match: str = ""


class YouLink(msgspec.Struct, frozen=True, array_like=True):
    """A player's own page, the addresses to stop news and alerts, the address of the calendar.

    With a turn it is the way from a letter about that turn: good as long as the turn is open and
    its seat has that epoch, and for nothing that lasts longer. 0 is all of the own page.
    """

    player: int
    epoch: int
    turn: int | None = None
    """None in letters of a time when every one of them led to all of the own page."""
    seat_epoch: int = 0


class ActLink(msgspec.Struct, frozen=True, array_like=True):
    """A rare act of a seat (resign, draw, messages, revoke) on its own page.

    It names the newest turn that the seat has had; with the next one come newer links. That of a
    guest names none: it is good for the whole match, until somebody keeps that by mail.
    """

    match: str
    seat: int
    epoch: int
    turn: int = 0


class LeaveLink(msgspec.Struct, frozen=True, array_like=True):
    """The word of a seat's player that it shall be lent or given up, as was asked on its page."""

    match: str
    seat: int
    epoch: int
    asked_at: int
    start: int
    end: int | None
    """None: for good."""
    to: int | None
    """The player who is asked; None: volunteers."""


class StandLink(msgspec.Struct, frozen=True, array_like=True):
    """The question to one player whether to stand in at a seat."""

    loan: int
    player: int
    epoch: int


class ModeratorLink(msgspec.Struct, frozen=True, array_like=True):
    """The way for a moderator to set up a passkey or a password, once."""

    moderator: int
    epoch: int


class ReportLink(msgspec.Struct, frozen=True, array_like=True):
    """The way to report something about one letter; it outlives all epochs, and opens no page."""

    player: int
    letter: str
    """Its kind."""
    at: int
    """When it was written; what came later is not shown by the link."""
    match: str = ""
    seat: int = -1
    epoch: int = 0
    """That of the player; with an older one it still reports, and leads to nothing."""


class ThreadLink(msgspec.Struct, frozen=True, array_like=True):
    """What a player and moderators write to each other about one report."""

    report: int
    player: int
    epoch: int


class KeepLink(msgspec.Struct, frozen=True, array_like=True):
    """The way to stop a change of address, for who reads the old one."""

    change: int
    player: int
    epoch: int


class ReplyLink(msgspec.Struct, frozen=True, array_like=True):
    """The word of a seat's player that a mail which came in was his own."""

    mail: int
    match: str
    seat: int
    epoch: int


class BoardLink(msgspec.Struct, frozen=True, array_like=True):
    """How a player's letters shall show boards from now on; without a form, the way to try it."""

    player: int
    epoch: int
    form: str = ""
    width: int = 0


_KINDS: dict[str, type[msgspec.Struct]] = {
    "turn": TurnLink,
    "order": TurnLink,
    "join": JoinLink,
    "confirm": ConfirmLink,
    "you": YouLink,
    "mute": YouLink,
    "hush": YouLink,
    "act": ActLink,
    "leave": LeaveLink,
    "stand": StandLink,
    "calendar": YouLink,
    "moderator": ModeratorLink,
    "report": ReportLink,
    "thread": ThreadLink,
    "keep": KeepLink,
    "kept": JoinLink,
    "guest": ActLink,
    "computer": ActLink,
    "reply": ReplyLink,
    "boards": BoardLink,
}


class _Signer:
    """Signs one kind of link as itsdangerous does, never compressed: one payload has one spelling.

    The keys of its purpose are derived once, as itsdangerous ("hmac") would for every link; that
    and one signer for all keys save 4 % of a move.
    """

    def __init__(self, kind: type[msgspec.Struct], purpose: str, keys: tuple[str, ...]) -> None:
        salt = f"pbem.{purpose}.v{VERSION}".encode()
        derived = [hmac.digest(key.encode(), salt, "sha256") for key in keys]
        self._signer = Signer(derived, key_derivation="none", digest_method=hashlib.sha256)
        self._decoder = msgspec.json.Decoder(kind)

    def sign(self, link: msgspec.Struct) -> str:
        """The mark of the timeline stands behind the list that a link is."""
        payload = msgspec.json.encode(link) + server_timeline.current.mark.encode()
        return self._signer.sign(base64_encode(payload)).decode()

    def read(self, token: str) -> Any:
        payload = self._signer.unsign(token)
        said = base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4))
        link, end, mark = said.rpartition(b"]")
        if mark.decode() != server_timeline.current.mark:
            raise LostLink(
                "the server was restored from a backup; links from before that no longer work, and"
                " players with a match get new ones by email"
            )
        return self._decoder.decode(link + end)


_Mark = tuple[int, int, int]


def _mark(file: Path) -> _Mark:
    """What changes when a file is written or replaced."""
    try:
        found = file.stat()
    except OSError:
        return (0, 0, 0)
    return (found.st_mtime_ns, found.st_ino, found.st_size)


class Links:
    """Signs with the newest key, reads what any key has signed.

    Keys in a file are taken up as soon as it changes: it is looked at whenever something is signed
    or read, so that no process refuses what another has signed with a newer key.
    """

    def __init__(self, keys: tuple[str, ...], base_url: str, keys_file: Path | None = None) -> None:
        self.base_url = base_url
        self._file = keys_file
        self._seen: _Mark | None = None
        self._use(keys)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys as they are now, oldest to newest."""
        self._look()
        return self._keys

    def _look(self) -> None:
        """Take up keys that have changed; what was seen of their file is noted after that.

        A file that cannot be used, perhaps because somebody is editing it, changes nothing.
        """
        if self._file is None or (seen := _mark(self._file)) == self._seen:
            return
        try:
            self._use(keys_in(self._file))
        except ConfigError as error:
            log.error("the keys stay as they were: %s", error)
        self._seen = seen

    def _use(self, keys: tuple[str, ...]) -> None:
        self._keys = keys
        self._signers = {purpose: _Signer(kind, purpose, keys) for purpose, kind in _KINDS.items()}

    def sign(self, purpose: Purpose, link: msgspec.Struct) -> str:
        assert type(link) is _KINDS[purpose], f"{purpose} signs {_KINDS[purpose].__name__}"
        self._look()
        return self._signers[purpose].sign(link)

    def read(self, purpose: Purpose, token: str) -> Any | None:
        """What a token says, or None whatever is wrong with it.

        LostLink, if we have signed it in another timeline of the server.
        """
        if not is_canonical(token):
            return None
        self._look()
        try:
            return self._signers[purpose].read(token)
        except (BadData, msgspec.MsgspecError, ValueError):
            return None

    def url(self, purpose: Purpose, link: msgspec.Struct) -> str:
        return f"{self.base_url}{PATHS[purpose]}{self.sign(purpose, link)}"


PATHS: dict[str, str] = {
    "turn": "/t/",
    "order": "/o/",
    "join": "/join/",
    "confirm": "/confirm/",
    "you": "/you/",
    "mute": "/mute/",
    "hush": "/hush/",
    "act": "/seat/",
    "leave": "/leave/",
    "stand": "/stand/",
    "calendar": "/calendar/",
    "moderator": "/admin/setup/",
    "report": "/report/",
    "thread": "/thread/",
    "keep": "/keep/",
    "kept": "/go-on/",
    "guest": "/guest/",
    "computer": "/computer/",
    "reply": "/reply/",
    "boards": "/boards/",
}


def is_canonical(token: str) -> bool:
    """Whether a token has the one spelling that signing gives it."""
    return len(token) <= LONGEST and _SHAPE.fullmatch(token) is not None


def order_code(secret: str, turn: int, notation: str) -> str:
    """Stands for an order in a link; without the match's secret nobody can tell which."""
    message = f"pbem/act/v1 {turn} {notation}".encode()
    return hmac.digest(bytes.fromhex(secret), message, "sha256").hex()[:CODE_LENGTH]
