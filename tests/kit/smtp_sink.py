"""A mail server on loopback that keeps what it is given and misbehaves as it is told.

with SmtpSink() as sink:
    sink.script(Act(rcpt="450 4.2.1 busy"), Act(cut=Cut.AFTER_THE_DOT))
    ...                                 # the third message and all later ones are accepted
    assert [letter.recipients for letter in sink.received] == [["bob@play.test"]]
"""

from __future__ import annotations

import asyncio
import email.policy
import shutil
import socket
import ssl
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import (
    SMTP,
    AuthResult,
    Envelope,
    LoginPassword,
    Session,
    TLSSetupException,
)

LOOPBACK = "127.0.0.1"


class Cut(Enum):
    """Where the server hangs up."""

    IN_THE_DATA = "after 354, so the message cannot have arrived"
    AFTER_THE_DOT = "when it has the message but has not said so"


@dataclass(frozen=True)
class Act:
    """What the server does with one message; as it stands: it accepts."""

    mail: str = ""
    """The reply to MAIL FROM, such as `451 4.3.0 later`."""
    rcpt: str = ""
    data: str = ""
    """The reply after the final dot."""
    cut: Cut | None = None
    delay: float = 0.0
    """Seconds before each reply."""


@dataclass(frozen=True)
class Letter:
    """One message as it came over the wire."""

    sender: str
    recipients: list[str]
    data: bytes
    encrypted: bool
    login: str | None

    @property
    def message(self) -> EmailMessage:
        return email.message_from_bytes(self.data, policy=email.policy.default)


class SmtpSink:
    """The server; leaving the `with` block hangs up on everybody and stops it."""

    def __init__(
        self,
        *,
        login: tuple[str, str] | None = None,
        certificate: Path | None = None,
        size_limit: int | None = None,
    ) -> None:
        """`certificate` is a PEM file with its key: STARTTLS is offered, and needed to log in."""
        self.login, self.certificate = login, certificate
        self.received: list[Letter] = []
        """Messages the server has taken responsibility for, in order."""
        self.refused: list[Letter] = []
        """Messages it has seen whole and then refused."""
        self.connections = 0
        self.drip = 0.0
        """Seconds between single bytes of every reply, the greeting too: a tarpit."""
        self.otherwise = Act()
        self.to: dict[str, Act] = {}
        """What happens to messages for one recipient, whenever they come."""
        self.faults: list[Exception] = []
        self._script: deque[Act] = deque()
        self._news = threading.Condition()
        self._controller = _Controller(self, size_limit)

    @property
    def port(self) -> int:
        return int(self._controller.port)

    @property
    def url(self) -> str:
        """The address as PBEM_SMTP_URL takes it."""
        user = f"{quote(self.login[0], '')}:{quote(self.login[1], '')}@" if self.login else ""
        tls = "?tls=starttls" if self.certificate else ""
        return f"smtp://{user}{LOOPBACK}:{self.port}{tls}"

    def script(self, *acts: Act) -> None:
        """What happens to the next messages, one act each, counted by MAIL commands."""
        self._script.extend(acts)

    def wait_for(self, count: int, seconds: float = 10) -> list[Letter]:
        """The first `count` letters, as soon as they are there."""
        with self._news:
            if not self._news.wait_for(lambda: len(self.received) >= count, seconds):
                raise TimeoutError(f"{len(self.received)} of {count} letters in {seconds} s")
        return self.received[:count]

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """While this lasts nobody can connect; who is connected stays so."""
        self._controller.run(self._controller.stop_listening)
        with socket.socket() as keeper:  # bound, not listening: the port stays ours and refuses
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            keeper.bind((LOOPBACK, self.port))
            yield
        self._controller.run(self._controller.listen_again)

    def __enter__(self) -> Self:
        self._controller.start()
        self.connections = 0  # the controller has knocked at its own door
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._controller.stop()
        if self.faults and error is None:
            raise self.faults[0]

    def _next_act(self) -> Act:
        return self._script.popleft() if self._script else self.otherwise

    def _keep(self, letter: Letter, accepted: bool) -> None:
        with self._news:
            (self.received if accepted else self.refused).append(letter)
            self._news.notify_all()


class _Conversation:
    """What aiosmtpd asks about one connection; its state is the act of the current message."""

    def __init__(self, sink: SmtpSink) -> None:
        self.sink, self.act = sink, Act()

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.sink.login and not session.authenticated:
            return "530 5.7.0 log in first"
        self.act = self.sink._next_act()
        await asyncio.sleep(self.act.delay)
        if self.act.mail:
            return self.act.mail
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.act = self.sink.to.get(address, self.act)
        await asyncio.sleep(self.act.delay)
        if self.act.rcpt:
            return self.act.rcpt
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        assert isinstance(envelope.content, bytes)
        letter = Letter(
            sender=envelope.mail_from or "",
            recipients=list(envelope.rcpt_tos),
            data=envelope.content,
            encrypted=session.ssl is not None,
            login=session.auth_data if session.authenticated else None,
        )
        self.sink._keep(letter, accepted=not self.act.data)
        await asyncio.sleep(self.act.delay)
        if self.act.cut is Cut.AFTER_THE_DOT:
            await hang_up(server)
        return self.act.data or "250 2.0.0 OK"

    async def handle_exception(self, error: Exception) -> str:
        """aiosmtpd would answer 500, which senders take as final; our fault fails the test."""
        if not isinstance(error, OSError | TLSSetupException):  # those are the client's doing
            self.sink.faults.append(error)
        return "451 4.3.0 fault in the sink"


async def hang_up(server: SMTP) -> None:
    """Cut the connection; losing it then cancels the conversation that waits here."""
    assert isinstance(server.transport, asyncio.Transport)
    server.transport.abort()
    await asyncio.Event().wait()


class _Server(SMTP):
    """One connection."""

    async def push(self, status: Any) -> None:
        talk: _Conversation = self.event_handler
        if talk.sink.drip:
            await self._dripping(status, talk.sink.drip)
        else:
            await super().push(status)
        if str(status).startswith("354") and talk.act.cut is Cut.IN_THE_DATA:
            await hang_up(self)

    async def _dripping(self, status: Any, pause: float) -> None:
        line = status if isinstance(status, bytes) else str(status).encode()
        for byte in line + b"\r\n":
            self._writer.write(bytes([byte]))
            await self._writer.drain()
            await asyncio.sleep(pause)


SETTLED = 0.05
"""Seconds after which whoever was just let in has a conversation that can be ended."""


class _Controller(Controller):
    """A controller that finds its own port, and whose end does not wait for its clients."""

    def __init__(self, sink: SmtpSink, size_limit: int | None) -> None:
        self.sink = sink
        # Controller(port=0) fails (aiosmtpd #276), and a port found free may be taken before it is
        # used: so the socket is bound here and handed over
        self.socket = socket.create_server((LOOPBACK, 0))
        self.live: set[_Server] = set()
        options: dict[str, Any] = {"data_size_limit": size_limit} if size_limit else {}
        if sink.certificate:
            options["tls_context"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            options["tls_context"].load_cert_chain(sink.certificate)
        if sink.login:  # `auth_required` would warn without TLS; handle_MAIL sees to it
            options |= {
                "authenticator": self.check_login,
                "auth_require_tls": bool(sink.certificate),
            }
        port = self.socket.getsockname()[1]
        super().__init__(None, hostname=LOOPBACK, port=port, **options)

    def factory(self) -> SMTP:
        self.sink.connections += 1
        server = _Server(_Conversation(self.sink), **self.SMTP_kwargs)
        self.live.add(server)
        return server

    def check_login(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: Any
    ) -> AuthResult:
        assert self.sink.login is not None
        wanted = LoginPassword(*(word.encode() for word in self.sink.login))
        right = isinstance(given, LoginPassword) and given == wanted
        return AuthResult(
            success=right, handled=False, auth_data=self.sink.login[0] if right else None
        )

    async def _create_server(self) -> asyncio.AbstractServer:
        return await self.loop.create_server(self._factory_invoker, sock=self.socket)

    def run(self, act: Callable[[], Any]) -> None:
        asyncio.run_coroutine_threadsafe(act(), self.loop).result(timeout=10)

    async def stop_listening(self) -> None:
        assert self.server is not None
        self.server.close()

    async def listen_again(self) -> None:
        self.server = await self.loop.create_server(self._factory_invoker, LOOPBACK, self.port)

    async def _hang_up_on_all(self) -> None:
        """Since Python 3.12 the end of a server waits for its connections: so there are none."""
        await self.stop_listening()
        await asyncio.sleep(SETTLED)
        patience = self.loop.time() + 5
        while self.loop.time() < patience:
            for server in self.live:
                if isinstance(server.transport, asyncio.Transport):
                    server.transport.abort()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            if not others:
                break
            await asyncio.wait(others, timeout=0.1)
        await asyncio.sleep(0)  # a transport that was aborted closes its socket on the next round

    def stop(self, no_assert: bool = False) -> None:
        self.run(self._hang_up_on_all)
        super().stop(no_assert)


def self_signed(folder: Path) -> Path | None:
    """A certificate for 127.0.0.1 with its key in one PEM file; None without openssl."""
    if shutil.which("openssl") is None:
        return None
    file = folder / "loopback.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-nodes", "-days", "2", "-subj", f"/CN={LOOPBACK}"]
        + ["-addext", f"subjectAltName=IP:{LOOPBACK}", "-keyout", str(file), "-out", str(file)],
        check=True,
        capture_output=True,
    )
    return file
