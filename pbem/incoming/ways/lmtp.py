"""A listener for the mail server of this machine: it hands in mail by LMTP, and is answered once
for each recipient.

250 is said when a mail is kept, and not before. Whatever goes wrong here is told as temporary, so
that the mail server keeps the mail and comes again. What lines of this conversation say is secret:
who has a reply address can move. So none of it is logged.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import stat
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbem.errors import ConfigError, NoRoom, whereabouts
from pbem.incoming.ways.doors import Door

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 20
MOST_RECIPIENTS = 20
PATIENCE = 60.0
"""Seconds for each step of a conversation, and for all bytes of a mail."""
HANDS = 4
"""Mails that are written down at the same time."""
STOP_SECONDS = 10
SETTLED = 0.05
"""Seconds after which whoever was just let in has a conversation that can be ended."""
FOR_GROUP = 0o660

LATER = "451 4.3.0 something went wrong here; please try again later"
FULL = "452 4.3.1 this server's disk is full; please try again later"
BUSY = "421 4.3.2 too many connections; please try again later"
MANY = "452 4.5.3 too many recipients; please send the others on their own"
UNKNOWN = "550 5.1.1 there is no such address here"
KEPT = "250 2.0.0 kept"

T = TypeVar("T")


@contextmanager
def listening(where: str, door: Door, own_name: str) -> Iterator[None]:
    """Take mail beside what runs inside; `where` is host:port or the path of a socket."""
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)  # it would tell addresses
    listener = _Listener(bind(where), door, own_name)
    listener.start()
    try:
        yield
    finally:
        listener.stop()
        if where.startswith("/"):
            Path(where).unlink(missing_ok=True)


def bind(where: str) -> socket.socket:
    """A socket that nobody is listening at yet."""
    try:
        return _bind_path(Path(where)) if where.startswith("/") else _bind_port(where)
    except OSError as error:
        raise ConfigError(
            f"PBEM_LMTP_LISTEN is {where!r}, which cannot be used: {error.strerror}"
        ) from None


def _bind_port(where: str) -> socket.socket:
    host, _, port = where.rpartition(":")
    host = host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, int(port)))
    except OSError:
        bound.close()
        raise
    return bound


def _bind_path(path: Path) -> socket.socket:
    """For this user and group only; what an ended worker has left there is replaced."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.exists() and stat.S_ISSOCK(path.stat().st_mode) and not _is_answered(path):
            path.unlink()
        bound.bind(str(path))
        path.chmod(FOR_GROUP)
    except OSError:
        bound.close()
        raise
    return bound


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        return trial.connect_ex(str(path)) == 0


class _Listener:
    """A thread with the conversations, and some hands that write down."""

    def __init__(self, bound: socket.socket, door: Door, own_name: str) -> None:
        self._bound, self._own_name, self._door = bound, own_name, door
        self._loop = asyncio.new_event_loop()
        self._hands = ThreadPoolExecutor(HANDS, "lmtp")
        self._handler = _Handler(door, self._in_hand)
        self._thread = threading.Thread(target=self._run, name="lmtp", daemon=True)
        self._open = set[_Conversation]()
        self._server: asyncio.Server | None = None

    def start(self) -> None:
        self._thread.start()
        self._do(self._listen())

    def stop(self) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(STOP_SECONDS)
        self._hands.shutdown(wait=True)
        self._loop.close()

    def _do(self, what: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(what, self._loop).result(STOP_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _listen(self) -> None:
        is_path = self._bound.family == socket.AF_UNIX
        begin = self._loop.create_unix_server if is_path else self._loop.create_server
        self._server = await begin(self._converse, sock=self._bound)

    async def _end(self) -> None:
        """No new conversation; those that go on are cut, and their mail servers come again."""
        if self._server is not None:
            self._server.close()
        await asyncio.sleep(SETTLED)
        for conversation in list(self._open):
            conversation.hang_up()
        while self._open:
            await asyncio.sleep(0.01)

    def _converse(self) -> asyncio.Protocol:
        if len(self._open) >= MOST_CONNECTIONS:
            return _Busy()
        return _Conversation(self._handler, self._open, self._door.largest, self._own_name)

    async def _in_hand(self, what: Callable[..., T], *given: Any) -> T:
        return await self._loop.run_in_executor(self._hands, what, *given)


class _Busy(asyncio.Protocol):
    """Somebody for whom there is no room now."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        transport.write(f"{BUSY}\r\n".encode())
        transport.close()


class _Conversation(LMTP):
    """LMTP as the library speaks it, with one answer for each recipient whatever comes."""

    def __init__(
        self, handler: _Handler, others: set[_Conversation], largest: int, own_name: str
    ) -> None:
        self.line_length_limit = largest + 2  # mails have longer lines than they should
        super().__init__(
            handler,
            data_size_limit=largest,
            enable_SMTPUTF8=True,
            hostname=own_name,
            ident="LMTP",
            timeout=PATIENCE,
            loop=asyncio.get_running_loop(),
        )
        self._others, self._largest = others, largest
        self._answers_owed = 0
        self._received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._others.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._others.discard(self)
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Who goes on and on, although told how much a mail may have, is cut off."""
        self._received += len(data)
        if self._received > 2 * self._largest:
            self.hang_up()
        else:
            super().data_received(data)

    def hang_up(self) -> None:
        if self.transport is not None:
            self.transport.close()

    async def push(self, status: Any) -> None:
        owed, self._answers_owed = self._answers_owed, 0
        self._received = 0
        if status.startswith("354"):
            assert self.envelope is not None
            self._answers_owed = len(self.envelope.rcpt_tos)
        elif owed > 1 and "\r\n" not in status:
            status = "\r\n".join([status] * owed)
        await super().push(status)


class _Handler:
    """What the library asks us about a mail; it finds these functions by their names."""

    def __init__(self, door: Door, in_hand: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        self._door, self._in_hand = door, in_hand

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return MANY
        if not await self._in_hand(self._door.is_known, address):
            return UNKNOWN
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 known"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        raw = envelope.original_content or b""
        sender = "" if envelope.mail_from in (None, "<>") else str(envelope.mail_from)
        try:
            kept = await self._in_hand(self._door.keep, sender, envelope.rcpt_tos, raw)
        except NoRoom:
            return FULL
        return "\r\n".join(KEPT if is_ours else UNKNOWN for is_ours in kept)

    async def handle_exception(self, error: Exception) -> str:
        log.error("a mail could not be kept why=%s", whereabouts(error))
        return LATER
